"""The enrolment of a pack as a state machine, for the page and the command line: what is taken, what is next.

>>> enrolment = Enrolment((("JS", "QS"), ("JH",)))
>>> enrolment.step.value, enrolment.lay
('row', ('JS', 'QS'))
>>> enrolment.with_cards([("JS", None), ("QS", None)]).lay
('JH',)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.table.snapshot import Step
from vision.packs.enrol import (
    CutCard,
    EnrolmentNetworks,
    cut_alike_cards,
    cut_cards_of_rows,
    cut_shown_card,
)
from vision.types import BACK, JOKER_CLASS, Image


@dataclass(frozen=True, slots=True)
class Enrolment:
    """State of one enrolment. `order` are the rows of card codes that are wanted; `cards` those taken so far;
    `without` the extras (joker, back) left out; `each`: one card at a time; `before`: the state to go back to.
    """

    order: tuple[tuple[str, ...], ...]
    each: bool = False
    cards: tuple[CutCard, ...] = ()
    without: frozenset[str] = frozenset()
    before: Enrolment | None = None

    @property
    def codes(self) -> frozenset[str]:
        """The codes of the cards taken."""
        return frozenset(code for code, _ in self.cards)

    @property
    def done(self) -> int:
        """How many rows are complete, from the first on."""
        whole = [self.codes.issuperset(row) for row in self.order]
        return whole.index(False) if False in whole else len(whole)

    @property
    def lacking(self) -> tuple[tuple[str, ...], ...]:
        """The cards still to be taken, by row; complete rows are left out."""
        rows = (tuple(code for code in row if code not in self.codes) for row in self.order)
        return tuple(row for row in rows if row)

    @property
    def extras(self) -> tuple[str, ...]:
        """Of the joker and the back what is neither taken nor left out."""
        return tuple(code for code in (JOKER_CLASS, BACK) if code not in self.codes | self.without)

    @property
    def step(self) -> Step:
        """What is to be laid next."""
        if self.lacking:
            return Step.CARD if self.each else Step.ROW
        return {JOKER_CLASS: Step.JOKERS, BACK: Step.BACK}[self.extras[0]] if self.extras else Step.READY

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
        """How many pictures of this card were taken."""
        return sum(known == code for known, _ in self.cards)

    def with_cards(self, found: Sequence[CutCard]) -> Enrolment:
        """The state with these cards added; a newer picture of a card replaces the older one."""
        new = {code for code, _ in found}
        kept = (card for card in self.cards if card[0] not in new)
        return replace(self, cards=(*kept, *found), before=self)

    def without_next(self) -> Enrolment:
        """The state with the joker or the back that would be next left out."""
        return replace(self, without=self.without | set(self.extras[:1]), before=self)


def cut_next_cards(image: Image, enrolment: Enrolment, by: EnrolmentNetworks, sure: bool) -> list[CutCard]:
    """The cards of a picture that answer to the enrolment's next step, in the order they lie.

    `sure`: they lie in the order asked for, whatever is read. Raises LaidWrong where the picture does not fit.
    """
    match enrolment.step:
        case Step.CARD:
            return cut_shown_card(image, by, enrolment.lay[0], sure)
        case Step.JOKERS | Step.BACK:
            return cut_alike_cards(image, by, enrolment.lay[0], sure)
    return cut_cards_of_rows(image, by, enrolment.order, enrolment.done, sure)[0]
