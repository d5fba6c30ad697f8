"""What was taken back: what it said stays readable, and the undo can be taken back in its turn. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from companion.referee.events import Appeal, Blind, Input, Ruled, Seated, Seen, Undo
from companion.referee.reducer import State, fold, rulings


def backwards(state: State) -> Iterator[State]:
    """The state after each input, the newest first."""
    here: State | None = state
    while here is not None and here.looks:
        yield here
        here = here.past


def taken_back(state: State) -> dict[int, int]:
    """The inputs that an undo keeps out of the history, each with the number of that undo."""
    removed: dict[int, int] = {}
    for past in backwards(state):
        if isinstance(past.cause, Undo) and past.looks not in removed:
            removed.setdefault(past.cause.look, past.looks)
    return removed


def undoable(state: State) -> int | None:
    """The number of the last input that did something and is still in the history; None where there is none."""
    removed = taken_back(state)
    for past in backwards(state):
        if not isinstance(past.cause, Undo) and past.looks not in removed and did_something(past):
            return past.looks
    return None


def redoable(state: State) -> int | None:
    """The number of the last undo, where nothing has been done since that it would have to make room in."""
    removed = taken_back(state)
    undos = {past.looks for past in backwards(state) if isinstance(past.cause, Undo)}
    for past in backwards(state):
        if past.looks in removed:
            continue
        if not isinstance(past.cause, Undo):
            if did_something(past):
                return None
        elif past.cause.look not in undos:
            return past.looks
    return None


def did_something(past: State) -> bool:
    """Whether the input is worth taking back by itself."""
    # A look of the cleared table rules nothing; taking it back would look as if the button were broken.
    if isinstance(past.cause, Seen):
        return bool(past.ruled)
    return not isinstance(past.cause, Appeal | Blind | Seated)


def said_then(state: State, number: int, undo: int) -> tuple[Ruled, ...]:
    """What stood as ruled on input `number` when input `undo` took it back."""
    causes: list[Input] = [past.cause for past in backwards(state) if past.looks < undo and past.cause is not None]
    then, _ = fold(state.game, reversed(causes))
    return tuple(ruled for ruled in rulings(then) if ruled.look == number)
