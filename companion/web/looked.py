"""What one input showed, card by card: what a correction of it starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.log import store
from companion.table.snapshot import Snapshot

Codes = dict[str, tuple[str, ...]]


def shown_at(path: Path | None, now: Snapshot, look: int) -> Codes:
    """The card codes by player of input `look`, corrections included; empty for an input that is no look.

    The log knows best. A game that is not kept is shown by what its log lines and the table say.
    """
    if path is not None and now.session is not None:
        return of_history(store.inputs(path, now.session), look)
    on_table = {player: _of_look(now, player, look) for player in now.players}
    if any(on_table.values()):
        return on_table
    return next((dict(line.faces) for line in now.log if line.look == look and line.faces), {})


def _of_look(now: Snapshot, player: str, look: int) -> tuple[str, ...]:
    cards = [card for card in now.cards if card.player == player and card.look == look]
    return tuple(card.code for card in sorted(cards, key=lambda card: card.place))


def of_history(history: tuple[Mapping[str, Any], ...], look: int) -> Codes:
    """The cards of input `look`, counted from 1, in a list of inputs.

    >>> looks = ({"faces": {"Ana": [["9H", 0.6, []]], "Ben": ["2C"]}}, {"correct": 1, "faces": {"Ana": ["6H"]}})
    >>> of_history(looks, 1)
    {'Ana': ('6H',), 'Ben': ('2C',)}
    """
    if not 1 <= look <= len(history):
        return {}
    undone = taken_back(history)
    faces: Codes = {}
    for number, entry in enumerate(history, start=1):
        if number == look or (entry.get("correct") == look and number not in undone):
            faces |= {player: tuple(map(_code, read)) for player, read in entry.get("faces", {}).items()}
        elif "swap" in entry and number > look and number not in undone:
            one, other = entry["swap"]
            faces = {{one: other, other: one}.get(player, player): codes for player, codes in faces.items()}
    return faces


def taken_back(history: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """The inputs that an undo keeps out of a list of inputs, counted from 1, each with the number of that undo.

    >>> taken_back([{}, {"undo": 1}]), taken_back([{}, {"undo": 1}, {"undo": 2}])
    ({1: 2}, {2: 3})
    """
    removed: dict[int, int] = {}
    for number in range(len(history), 0, -1):
        if "undo" in history[number - 1] and number not in removed:
            removed.setdefault(history[number - 1]["undo"], number)
    return removed


def _code(read: Any) -> str:
    return str(read if isinstance(read, str) else read[0])
