"""Summary of one stored session: its rulings in force, and every player's numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.log import store
from companion.referee.codec import input_from_json
from companion.referee.effects import undone

#: A stored ruling: the object of a `watch --json` line.
RulingRow = Mapping[str, Any]

#: Rulings without a line of their own: the verdict that follows repeats them.
INTERIM = ("shown",)


@dataclass(frozen=True, slots=True)
class PlayerSummary:
    """One player's numbers. A war is survived by whoever fought in it and still holds cards afterwards."""

    name: str
    cards: int
    rounds_won: int
    wars_won: int
    wars_survived: int
    best_pot: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A session by its rulings in force. `corrected` are the looks that somebody corrected; `winner` may be "draw"."""

    players: tuple[str, ...]
    rulings: tuple[RulingRow, ...]
    corrected: frozenset[int]
    corrections: int

    @property
    def won(self) -> list[RulingRow]:
        """The rounds that somebody took."""
        return [ruling for ruling in self.rulings if ruling["ruling"] == "battle_won"]

    @property
    def rounds(self) -> int:
        """How many rounds were judged."""
        return sum(ruling["ruling"] in ("battle_won", "battle_drawn") for ruling in self.rulings)

    @property
    def wars(self) -> list[RulingRow]:
        """The wars that somebody won."""
        return [ruling for ruling in self.won if ruling["wars"]]

    @property
    def longest(self) -> RulingRow | None:
        """The war with the most ties, the larger pot among equals; None where there was none."""
        return max(self.wars, key=lambda ruling: (ruling["wars"], ruling["pot"]), default=None)

    @property
    def over(self) -> RulingRow | None:
        """The end of the game, if it came."""
        return next((ruling for ruling in reversed(self.rulings) if ruling["ruling"] == "game_over"), None)

    @property
    def seconds(self) -> float:
        """When the last ruling was made, in seconds since the session opened."""
        return max((float(ruling["at"]) for ruling in self.rulings), default=0.0)

    @property
    def told(self) -> list[RulingRow]:
        """What is worth a line."""
        return [ruling for ruling in self.rulings if ruling["ruling"] not in INTERIM]

    def people(self, counts: Mapping[str, int]) -> tuple[PlayerSummary, ...]:
        """Everybody's numbers; `counts` are those of the deal, where nobody has counted since."""
        last = next((ruling["counts"] for ruling in reversed(self.rulings) if ruling.get("counts")), counts)
        return tuple(self._person(name, last.get(name, 0)) for name in self.players)

    def _person(self, name: str, cards: int) -> PlayerSummary:
        won = [ruling for ruling in self.won if ruling["winner"] == name]
        fought = {one["round"] for one in self.rulings if one["ruling"] == "war_declared" and name in one["who"]}
        survived = sum(war["round"] in fought and war["counts"].get(name, 0) > 0 for war in self.wars)
        best = max((ruling.get("takes", {}).get(name, 0) for ruling in won), default=0)
        return PlayerSummary(name, cards, len(won), sum(1 for war in won if war["wars"]), survived, best)


def summarize(players: Iterable[str], rulings: Iterable[RulingRow], inputs: Iterable[Mapping[str, Any]]) -> Summary:
    """The summary of a session's rulings in force and its inputs, in order."""
    told = list(inputs)
    removed = undone([input_from_json(entry) for entry in told])
    corrected = [entry["correct"] for n, entry in enumerate(told, start=1) if "correct" in entry and n not in removed]
    return Summary(tuple(players), tuple(rulings), frozenset(corrected), len(corrected))


def summarize_stored(path: Path, stored: store.Session) -> Summary:
    """The summary of a session of the log at `path`. Raises LogError."""
    return summarize(stored.game["players"], store.load_rulings(path, stored.id), store.load_inputs(path, stored.id))
