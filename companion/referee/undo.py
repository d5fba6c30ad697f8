"""What was taken back: what it said stays readable, and the undo can be taken back in its turn. Pure."""

from __future__ import annotations

from companion.referee.effects import undone
from companion.referee.events import Appeal, Blind, Input, Ruled, Seated, Seen, Undo
from companion.referee.reducer import State, fold, rulings


def undone_inputs(state: State) -> dict[int, int]:
    """The inputs that an undo keeps out of the history, each with the number of that undo."""
    return undone([past.cause for past in state.history()][-2::-1])


def undoable(state: State) -> int | None:
    """The number of the last input that did something and is still in the history; None where there is none."""
    removed = undone_inputs(state)
    for past in state.history():
        if not isinstance(past.cause, Undo) and past.looks not in removed and _did_something(past):
            return past.looks
    return None


def redoable(state: State) -> int | None:
    """The number of the last undo, where nothing has been done since that it would have to make room in."""
    removed = undone_inputs(state)
    undos = {past.looks for past in state.history() if isinstance(past.cause, Undo)}
    for past in state.history():
        if past.looks in removed:
            continue
        if not isinstance(past.cause, Undo):
            if _did_something(past):
                return None
        elif past.cause.look not in undos:
            return past.looks
    return None


def _did_something(past: State) -> bool:
    """Whether the input is worth taking back by itself."""
    # A look of the cleared table rules nothing; taking it back would look as if the button were broken.
    if isinstance(past.cause, Seen):
        return bool(past.ruled)
    return not isinstance(past.cause, Appeal | Blind | Seated | None)


def ruled_before_undo(state: State, number: int, undo: int) -> tuple[Ruled, ...]:
    """What stood as ruled on input `number` when input `undo` took it back."""
    causes: list[Input] = [past.cause for past in state.history() if past.looks < undo and past.cause is not None]
    then, _ = fold(state.game, reversed(causes))
    return tuple(ruled for ruled in rulings(then) if ruled.look == number)
