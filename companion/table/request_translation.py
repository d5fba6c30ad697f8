"""What people ask for, as inputs of the referee."""

from __future__ import annotations

from collections.abc import Mapping

from companion.referee.cards import BadCard, Card
from companion.referee.codec import BadInput, input_from_json
from companion.referee.events import Agree, Answer, Appeal, Correct, Face, Input, Seated, Swap, Undo
from companion.referee.reducer import State
from companion.referee.undo import undoable
from companion.table.requests import (
    Act,
    AppealLook,
    ChangeSettings,
    CorrectLook,
    GiveAnswer,
    Refused,
    SwapSeats,
    TakeSeats,
    Tell,
    UndoLook,
)


def input_of(act: Act, state: State, at: float) -> Input | None:
    """The input that an act comes to at second `at`, or None for an act of another kind. Raises Refused."""
    match act:
        case CorrectLook():
            return Correct(at, act.look, _faces(act.faces))
        case UndoLook():
            return Undo(at, _last(state) if act.look is None else act.look)
        case AppealLook():
            return Appeal(at, act.look, act.by)
        case GiveAnswer():
            return Answer(at, act.question, act.choice)
        case Tell():
            return _told(act.line, at)
        case ChangeSettings():
            return _agreement(act, state, at)
        case SwapSeats():
            return Swap(at, act.players)
        case TakeSeats(seats=str(seats)) if seats:
            return Seated(at, seats)
        case _:
            return None


def _last(state: State) -> int:
    number = undoable(state)
    if number is None:
        raise Refused("There is nothing to undo.")
    return number


def _agreement(act: ChangeSettings, state: State, at: float) -> Agree:
    here = state.position
    if here.over:
        raise Refused("The game is over: begin a new one with the rules you like.")
    if here.round.laid and here.round.verdict is None:
        raise Refused("Finish this round first, then change the rules.")
    if not act.settings:
        raise Refused("Say which rule you play differently.")
    return Agree(at, {key: str(value).lower() for key, value in act.settings.items()})


def _faces(faces: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[Face, ...]]:
    try:
        return {player: tuple(Face(Card.parse(code)) for code in codes) for player, codes in faces.items()}
    except BadCard as bad:
        raise Refused(str(bad)) from None


def _told(line: Mapping[str, object], at: float) -> Input:
    try:
        return input_from_json({**line, "at": at})
    except BadInput as bad:
        text = str(bad)
        raise Refused(text[0].upper() + text[1:]) from None
