"""What has been learned of a pack so far, and what is to be laid next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.table.enrolment_view import Step

JOKER, BACK = "JOKER", "back"
#: A card's code and its picture.
Card = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The cards taken up to now. `order` is of the suits' rows; `without` are the extras that are left out."""

    order: tuple[tuple[str, ...], ...]
    each: bool = False
    cards: tuple[Card, ...] = ()
    without: frozenset[str] = frozenset()
    before: Lesson | None = None

    @property
    def codes(self) -> frozenset[str]:
        """What is known."""
        return frozenset(code for code, _ in self.cards)

    @property
    def done(self) -> int:
        """How many rows are known whole, from the first on."""
        whole = [self.codes.issuperset(row) for row in self.order]
        return whole.index(False) if False in whole else len(whole)

    @property
    def lacking(self) -> tuple[tuple[str, ...], ...]:
        """Of each row the cards that are not known."""
        rows = (tuple(code for code in row if code not in self.codes) for row in self.order)
        return tuple(row for row in rows if row)

    @property
    def extras(self) -> tuple[str, ...]:
        """Of the joker and the back what is neither known nor left out."""
        return tuple(code for code in (JOKER, BACK) if code not in self.codes | self.without)

    @property
    def step(self) -> Step:
        """What is to be laid next."""
        if self.lacking:
            return Step.CARD if self.each else Step.ROW
        return {JOKER: Step.JOKERS, BACK: Step.BACK}[self.extras[0]] if self.extras else Step.READY

    @property
    def lay(self) -> tuple[str, ...]:
        """The cards to lay next."""
        match self.step:
            case Step.CARD:
                return self.lacking[0][:1]
            case Step.ROW:
                return self.order[self.done]
        return self.extras[:1]

    def count(self, code: str) -> int:
        """How many pictures of a card there are."""
        return sum(known == code for known, _ in self.cards)

    def with_cards(self, found: Sequence[Card]) -> Lesson:
        """These are known as well; what is shown once more is known by the newer picture."""
        new = {code for code, _ in found}
        kept = (card for card in self.cards if card[0] not in new)
        return replace(self, cards=(*kept, *found), before=self)

    def without_next(self) -> Lesson:
        """The same without the joker or the back that would be next."""
        return replace(self, without=self.without | set(self.extras[:1]), before=self)
