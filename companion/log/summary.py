"""Numbers of one game, from its rulings in force, for the list of games, the family page and the exports. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from companion.referee.cards import Card, cards_in, pack
from companion.referee.codec import Json, input_from_json
from companion.referee.effects import undone
from companion.referee.game import Game
from companion.referee.settings import Settings
from companion.referee.wars import strength

#: A stored ruling: the object of a `watch --json` line.
RulingRow = Mapping[str, Any]

#: Rulings without a line of their own: the verdict that follows repeats them.
INTERIM = ("shown",)


@dataclass(frozen=True, slots=True)
class PlayerSummary:
    """One player's numbers in one game.

    A war is survived by whoever fought in it and still holds cards afterwards; `longest_war` is its number of ties.
    `low` is the fewest cards held after any round. `expected` is the sum of the chances to win with the card that was
    turned, over the `judged` rounds in which everybody's first card is known. A `_look` is the input that decided,
    0 where there is none.
    """

    name: str
    cards: int = 0
    rounds_won: int = 0
    wars_fought: int = 0
    wars_won: int = 0
    wars_survived: int = 0
    longest_war: int = 0
    longest_war_look: int = 0
    best_pot: int = 0
    best_pot_look: int = 0
    low: int = 0
    judged: int = 0
    judged_won: int = 0
    expected: float = 0.0


@dataclass(frozen=True, slots=True)
class Summary:
    """A session by its rulings in force. `corrected` are the looks that somebody corrected."""

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
    def biggest(self) -> RulingRow | None:
        """The round with the largest pot; None where nobody took one."""
        return max(self.won, key=lambda ruling: int(ruling["pot"]), default=None)

    @property
    def over(self) -> RulingRow | None:
        """The end of the game, if it came."""
        return next((ruling for ruling in reversed(self.rulings) if ruling["ruling"] == "game_over"), None)

    @property
    def winner(self) -> str:
        """Who won the game; empty where nobody has."""
        winner = str(self.over["winner"]) if self.over else ""
        return winner if winner in self.players else ""

    @property
    def seconds(self) -> float:
        """When the last ruling was made, in seconds since the session opened."""
        return max((float(ruling["at"]) for ruling in self.rulings), default=0.0)

    @property
    def told(self) -> list[RulingRow]:
        """What is worth a line."""
        return [ruling for ruling in self.rulings if ruling["ruling"] not in INTERIM]

    def people(self, counts: Mapping[str, int], game: Game | None = None) -> tuple[PlayerSummary, ...]:
        """Everybody's numbers; `counts` are those of the deal, where nobody has counted since.

        Without the `game`, whose rules say what beats what, nothing is expected of anybody.
        """
        known = [ruling["counts"] for ruling in self.rulings if ruling.get("counts")] or [counts]
        chances = _chances(self.won, game) if game else []
        return tuple(self._person(name, known, chances) for name in self.players)

    def _person(self, name: str, known: list[Mapping[str, int]], chances: list[_Chance]) -> PlayerSummary:
        won = [ruling for ruling in self.won if ruling["winner"] == name]
        fought = {one["round"] for one in self.rulings if one["ruling"] == "war_declared" and name in one["who"]}
        wars = [war for war in self.wars if war["round"] in fought]
        longest = max(wars, key=lambda war: (war["wars"], war["pot"]), default={})
        best = max(won, key=lambda ruling: int(ruling.get("takes", {}).get(name, 0)), default={})
        return PlayerSummary(
            name,
            cards=known[-1].get(name, 0),
            rounds_won=len(won),
            wars_fought=len(fought),
            wars_won=sum(1 for war in won if war["wars"]),
            wars_survived=sum(war["counts"].get(name, 0) > 0 for war in wars),
            longest_war=longest.get("wars", 0),
            longest_war_look=longest.get("look", 0),
            best_pot=best.get("takes", {}).get(name, 0),
            best_pot_look=best.get("look", 0),
            low=min(counts.get(name, 0) for counts in known),
            judged=len(chances),
            judged_won=sum(one.winner == name for one in chances),
            expected=round(sum(one.of.get(name, 0.0) for one in chances), 3),
        )


@dataclass(frozen=True, slots=True)
class _Chance:
    """A round's winner, and everybody's chance to win it with the card that was turned first."""

    winner: str
    of: Mapping[str, float]


def _chances(won: Iterable[RulingRow], game: Game) -> list[_Chance]:
    """The chances of every round in which all first cards are known; none where players choose what they lay."""
    if game.variant.hand:
        return []
    found = []
    for ruling in won:
        first = {name: codes[0] for name, codes in ruling["faces"].items() if codes}
        if len(first) > 1 and not ruling.get("assumed", ()).count("players"):
            of = {name: win_chance(code, len(first) - 1, game.settings) for name, code in first.items()}
            found.append(_Chance(ruling["winner"], of))
    return found


def win_chance(code: str, others: int, rules: Settings) -> float:
    """The chance 0..1 that this card beats one random card of the pack for each of `others`; a tie counts as half.

    >>> from companion.referee.variants import settings_for
    >>> rules = settings_for("classic", {})
    >>> [round(win_chance(code, 1, rules), 2) for code in ("2H", "8H", "AH")]
    [0.03, 0.5, 0.97]
    """
    return _beaten(code, rules) ** others


@lru_cache(maxsize=4096)
def _beaten(code: str, rules: Settings) -> float:
    """The share of the other cards of the pack that this one beats, ties as half."""
    mine = strength(Card.parse(code), rules)
    theirs = _strengths(rules)
    lower, equal = sum(one < mine for one in theirs), theirs.count(mine) - 1
    return (lower + max(equal, 0) / 2) / (len(theirs) - 1)


@lru_cache(maxsize=64)
def _strengths(rules: Settings) -> tuple[int, ...]:
    return tuple(strength(card, rules) for card in cards_in(pack(rules.jokers)))


def summarize(players: Iterable[str], rulings: Iterable[RulingRow], inputs: Iterable[Json]) -> Summary:
    """The summary of a session's rulings in force and its inputs, in order."""
    told = list(inputs)
    corrected: list[int] = []
    if any("correct" in entry for entry in told):
        removed = undone([input_from_json(entry) for entry in told])
        corrected = [
            entry["correct"] for n, entry in enumerate(told, start=1) if "correct" in entry and n not in removed
        ]
    return Summary(tuple(players), tuple(rulings), frozenset(corrected), len(corrected))
