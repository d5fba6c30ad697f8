"""One session as an evening to remember: who played what, by which rules, round by round. Pure.

>>> shown("8S"), shown("10H"), shown("JR"), shown("9?")
('8♠', '10♥', 'joker', '9')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from companion.referee.cards import JOKER_CODES, SUIT_SIGNS

Ruling = Mapping[str, Any]

#: Rulings that only tell what lies there; the verdict on it says so again.
PASSING = ("shown",)


@dataclass(frozen=True, slots=True)
class Person:
    """What one player did, kind numbers only. A war is survived by whoever fought in it and plays on."""

    name: str
    cards: int
    rounds_won: int
    wars_won: int
    wars_survived: int
    best_pot: int


@dataclass(frozen=True, slots=True)
class Evening:
    """A session by its rulings in force. `corrected` are the looks that somebody corrected, `winner` may be "draw"."""

    players: tuple[str, ...]
    rulings: tuple[Ruling, ...]
    corrected: frozenset[int]
    corrections: int

    @property
    def won(self) -> list[Ruling]:
        """The rounds that somebody took."""
        return [ruling for ruling in self.rulings if ruling["ruling"] == "battle_won"]

    @property
    def rounds(self) -> int:
        """How many rounds were judged."""
        return sum(ruling["ruling"] in ("battle_won", "battle_drawn") for ruling in self.rulings)

    @property
    def wars(self) -> list[Ruling]:
        """The wars that somebody won."""
        return [ruling for ruling in self.won if ruling["wars"]]

    @property
    def longest(self) -> Ruling | None:
        """The war with the most ties, the larger pot among equals; None where there was none."""
        return max(self.wars, key=lambda ruling: (ruling["wars"], ruling["pot"]), default=None)

    @property
    def over(self) -> Ruling | None:
        """The end of the game, if it came."""
        return next((ruling for ruling in reversed(self.rulings) if ruling["ruling"] == "game_over"), None)

    @property
    def seconds(self) -> float:
        """When the last ruling was made, in seconds since the session opened."""
        return max((float(ruling["at"]) for ruling in self.rulings), default=0.0)

    @property
    def told(self) -> list[Ruling]:
        """What is worth a line."""
        return [ruling for ruling in self.rulings if ruling["ruling"] not in PASSING]

    def people(self, counts: Mapping[str, int]) -> tuple[Person, ...]:
        """Everybody's numbers; `counts` are those of the deal, where nobody has counted since."""
        last = next((ruling["counts"] for ruling in reversed(self.rulings) if ruling.get("counts")), counts)
        return tuple(self._person(name, last.get(name, 0)) for name in self.players)

    def _person(self, name: str, cards: int) -> Person:
        won = [ruling for ruling in self.won if ruling["winner"] == name]
        fought = {one["round"] for one in self.rulings if one["ruling"] == "war_declared" and name in one["who"]}
        survived = sum(war["round"] in fought and war["counts"].get(name, 0) > 0 for war in self.wars)
        best = max((ruling.get("takes", {}).get(name, 0) for ruling in won), default=0)
        return Person(name, cards, len(won), sum(1 for war in won if war["wars"]), survived, best)


def evening(players: Iterable[str], rulings: Iterable[Ruling], inputs: Iterable[Mapping[str, Any]]) -> Evening:
    """The evening of a stored session."""
    fixed = [entry["correct"] for entry in inputs if "correct" in entry]
    return Evening(tuple(players), tuple(rulings), frozenset(fixed), len(fixed))


def shown(code: str) -> str:
    """A card as it is printed on its corner."""
    if code in JOKER_CODES:
        return "joker"
    return code[:-1] + ({"?": ""} | SUIT_SIGNS).get(code[-1:], code[-1:])


def when(text: str) -> str:
    """A stored day and time as it is shown.

    >>> when("2026-01-31T19:30:05+01:00")
    '2026-01-31 19:30'
    """
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M")


def clock(seconds: float) -> str:
    """Minutes and seconds since the session opened.

    >>> clock(75.4), clock(3700)
    ('1:15', '61:40')
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
