"""Who sits where, as the history of a session tells it: seats that were found, and people who changed places. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.referee.events import Seated, Swap
from companion.referee.reducer import State
from companion.referee.undo import undone_inputs


@dataclass(frozen=True, slots=True)
class InForce:
    """The seats as they are now: their text, whether the picture is turned round, and who has changed places since.

    `names` are pairs: who sat at a place, and who sits there now.
    """

    text: str
    mirrored: bool = False
    names: tuple[tuple[str, str], ...] = ()


def in_force(state: State, agreed: str) -> InForce:
    """The seats after a session's inputs; `agreed` is their text from before the first one."""
    seated, since, text, mirrored = _told(state), 0, agreed, False
    for number, entry in seated:
        if isinstance(entry, Seated):
            since, text, mirrored = number, entry.seats, entry.mirrored
    after = [entry for number, entry in seated if number > since and isinstance(entry, Swap)]
    names = {name: name for swap in after for name in swap.players}
    for swap in after:
        other = dict(zip(swap.players, swap.players[::-1], strict=True))
        names = {name: other.get(now, now) for name, now in names.items()}
    return InForce(text, mirrored, tuple(sorted((name, now) for name, now in names.items() if name != now)))


def named_then(state: State, player: str, look: int) -> str:
    """By which name the cards of `player` were told at input `look`, before people changed places."""
    swaps = [entry for number, entry in _told(state) if number > look and isinstance(entry, Swap)]
    for swap in reversed(swaps):
        player = dict(zip(swap.players, swap.players[::-1], strict=True)).get(player, player)
    return player


def exchanges(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The fewest exchanges of two players that give each name the other of its pair.

    >>> exchanges([("Ana", "Cai"), ("Ben", "Ben"), ("Cai", "Ana")])
    (('Ana', 'Cai'),)
    >>> exchanges([("Ana", "Ben"), ("Ben", "Cai"), ("Cai", "Ana")])
    (('Ana', 'Ben'), ('Ana', 'Cai'))
    """
    wanted, found = dict(pairs), []
    for name in wanted:
        while wanted[name] != name:
            other = wanted[name]
            found.append((name, other))
            wanted[name], wanted[other] = wanted[other], other
    return tuple(found)


def _told(state: State) -> list[tuple[int, Seated | Swap]]:
    """What stands in the history about seats, with the numbers of the inputs, oldest first."""
    removed = undone_inputs(state)
    found = [(past.looks, past.cause) for past in state.history() if isinstance(past.cause, Seated | Swap)]
    return [(number, entry) for number, entry in reversed(found) if number not in removed]
