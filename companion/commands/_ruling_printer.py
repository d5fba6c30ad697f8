"""Rulings on the terminal: as sentences, or as JSON lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.console import out
from companion.referee.codec import Json, ruling_to_json
from companion.referee.events import BattleDrawn, BattleWon, Ruled, WarDeclared
from companion.referee.reducer import State, rulings
from companion.words import Words


class Speaker:
    """Prints rulings as they are made."""

    def __init__(self, words: Words, as_json: bool) -> None:
        """Speak with `words`."""
        self._words, self._json = words, as_json

    def __call__(self, ruled: Iterable[Ruled]) -> None:
        """Print these rulings, one line each."""
        for one in ruled:
            line = record(self._words, one)
            out(line if self._json else line["text"])

    def summary(self, state: State) -> None:
        """Print how it went."""
        line = summary(state)
        if self._json:
            out(line)
            return
        say = self._words.say
        counts = self._words.names(say("summary.count", player=player, n=n) for player, n in line["counts"].items())
        out(say("summary.summary", rounds=line["rounds"], wars=line["wars"], counts=counts))


def record(words: Words, ruled: Ruled) -> Json:
    """The JSON line of a ruling, with its sentence."""
    line = ruling_to_json(ruled)
    return {**line, "text": words.ruling(line)}


def summary(state: State) -> dict[str, Any]:
    """Rounds judged, wars declared (each tie counts), and who has how many cards."""
    stand = [ruled.ruling for ruled in rulings(state)]
    return {
        "ruling": "summary",
        "rounds": sum(isinstance(ruling, BattleWon | BattleDrawn) for ruling in stand),
        "wars": sum(isinstance(ruling, WarDeclared) for ruling in stand),
        "counts": dict(state.position.counts),
    }
