"""The referee: a fold over history. Inputs are the truth, rulings are derived.

>>> from companion.referee.game import new_game
>>> from companion.referee.cards import Card
>>> from companion.referee.events import Face
>>> game = new_game("classic", ("Ana", "Ben"))
>>> look = Seen(3.0, {"Ana": (Face(Card.parse("KS")),), "Ben": (Face(Card.parse("9H")),)})
>>> state, rulings = fold(game, [look])
>>> rulings[0].ruling.winner, state.position.counts
('Ana', {'Ana': 27, 'Ben': 25})

No clock, no chance, no input or output: shuffles are inputs, seconds come from the frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import cast

from companion.referee import look_reducer, steal_war
from companion.referee.cards import BadCard, Card, pack
from companion.referee.effects import Effect, Joined, Reply, effects, renamed, undone
from companion.referee.events import (
    Agree,
    Answer,
    Appeal,
    Blind,
    Blinded,
    Correct,
    Count,
    Input,
    Missed,
    Notice,
    NoticeKind,
    Question,
    QuestionKind,
    Reshuffle,
    Ruled,
    Seated,
    Seen,
    Steal,
    Swap,
    Top,
    Undo,
)
from companion.referee.game import Game
from companion.referee.position import Position, Turn, opening
from companion.referee.settings import RulesError
from companion.referee.variants import called


class Mistake(StrEnum):
    """Why an input makes no sense here."""

    UNKNOWN_PLAYER = "unknown_player"
    NO_SUCH_LINE = "no_such_line"
    NOT_A_LOOK = "not_a_look"
    NO_SUCH_QUESTION = "no_such_question"
    NOT_A_CARD = "not_a_card"
    OTHER_VARIANT = "other_variant"
    ILLEGAL_STEAL = "illegal_steal"
    BAD_RULES = "bad_rules"
    BAD_COUNT = "bad_count"
    MID_ROUND = "mid_round"


class RefereeError(Exception):
    """The input cannot be taken; `mistake` names why, the text is one plain sentence."""

    def __init__(self, mistake: Mistake, reason: str) -> None:
        """Name the mistake and say it in one sentence."""
        super().__init__(reason)
        self.mistake = mistake


@dataclass(frozen=True, slots=True)
class State:
    """A game after `looks` inputs. States are linked to the one before, so every one is a checkpoint.

    `ruled` are the rulings of the last input; `seq` is the number of the last ruling so far. `keep` is the
    number of the last earlier ruling that still stands after this input: less than before where an undo or
    a correction derived later rulings anew.
    """

    game: Game
    position: Position
    looks: int = 0
    seq: int = 0
    keep: int = 0
    at: float = 0.0
    ruled: tuple[Ruled, ...] = ()
    cause: Input | None = None
    meant: Input | Reply | None = field(default=None, repr=False)
    effect: Effect = field(default=None, repr=False)
    past: State | None = field(default=None, repr=False, compare=False)
    #: The newest state before the last rewriting of history: what is taken back again need not be folded again.
    former: State | None = field(default=None, repr=False, compare=False)

    def history(self) -> Iterator[State]:
        """This state and those before it, the newest first, down to the opening (or as far as is remembered)."""
        here: State | None = self
        while here is not None:
            yield here
            here = here.past


def start(game: Game) -> State:
    """The state before the first input."""
    return State(game, opening(game))


def step(state: State, entry: Input, remember: bool = True) -> tuple[State, tuple[Ruled, ...]]:
    """The state after one more input, and the rulings it brings.

    After an undo or a correction these are all rulings numbered above `keep`, derived anew. Raises
    RefereeError where the input makes no sense. A state that does not `remember` is linked to none before it:
    nothing earlier can be undone, and games by the thousand need no more room than one.
    """
    entry = _called(state, entry)
    check_sense(state, entry)
    meant = _bind(state, entry)
    if isinstance(meant, Undo | Correct | Swap | Missed) or (isinstance(meant, Reply) and meant.back):
        return _rewrite(state, entry, meant)
    after = _next(state, entry, meant, meant, remember)
    return after, after.ruled


def fold(game: Game, inputs: Iterable[Input]) -> tuple[State, tuple[Ruled, ...]]:
    """The state after all inputs, and every ruling that stands then. Raises RefereeError."""
    state = start(game)
    for entry in inputs:
        state, _ = step(state, entry)
    return state, rulings(state)


def rulings(state: State) -> tuple[Ruled, ...]:
    """Every ruling that stands, in order."""
    return tuple(ruled for past in _oldest_first(state) for ruled in past.ruled)


def can(state: State, entry: Input) -> bool:
    """Whether `step` would take this input as within the rules."""
    try:
        verify(state, entry)
    except RefereeError:
        return False
    return True


# --- one input --------------------------------------------------------------------------------------


def _next(
    state: State, cause: Input | None, meant: Input | Reply | None, effect: Effect, remember: bool = True
) -> State:
    number = state.looks + 1
    at = state.at if meant is None else meant.at
    turn = Turn(state.position, number, at)
    _act(turn, effect)
    ruled = tuple(Ruled(state.seq + i, number, at, ruling=said) for i, said in enumerate(turn.said, start=1))
    seq = state.seq + len(ruled)
    past = _without_former(state) if remember else None
    fields = (at, ruled, cause, meant, effect, past, state.former)
    return State(state.game, turn.pos, number, seq, state.seq, *fields)


def _without_former(state: State) -> State:
    """The state as it stays in memory: only the newest one knows the history before a rewriting."""
    return replace(state, former=None) if state.former else state


def _act(turn: Turn, effect: Effect) -> None:
    match effect:
        case Joined():
            for part in effect.parts:
                _act(turn, part)
        case Seen():
            look_reducer.apply_look(turn, effect)
        case Blind():
            turn.say(Blinded(effect.since, effect.until))
            turn.change(blind=True)
        case Appeal():
            turn.say(Notice(NoticeKind.APPEAL, effect.by))
        case Reply():
            look_reducer.apply_answer(turn, effect)
        case Steal():
            steal_war.carry_out_steal(turn, effect)
        case Top():
            steal_war.put_on_top(turn, effect.cards)
        case Reshuffle():
            steal_war.reshuffle(turn, effect)
        case Agree():
            look_reducer.apply_agreement(turn, effect.rules)
        case Count():
            look_reducer.apply_count(turn, effect.counts)


def _bind(state: State, entry: Input) -> Input | Reply:
    if isinstance(entry, Missed):
        return replace(entry, look=_end_of_round(state, entry.look))
    if not isinstance(entry, Answer):
        return entry
    question = _question(state, entry)
    open_ = question in state.position.asked and question.why != QuestionKind.REREAD
    if question.card is not None:
        return Reply(entry.at, question, None, not open_, called(state.game.players, entry.choice))
    return Reply(entry.at, question, Card.parse(entry.choice), back=not open_)


def _end_of_round(state: State, number: int) -> int:
    """The last input of the round that was over at input `number`: its cards may have lain there a while longer."""
    line = _oldest_first(state)
    ended = line[number].position.round
    if ended.verdict is None:
        return number
    return max(
        past.looks for past in line if past.position.round.number == ended.number and past.position.round.verdict
    )


def _rewrite(state: State, cause: Input, meant: Input | Reply) -> tuple[State, tuple[Ruled, ...]]:
    """Fold again from the first input whose effect has changed."""
    line = _oldest_first(state)
    entries = [*(past.meant for past in line[1:]), meant]
    causes = [*(past.cause for past in line[1:]), cause]
    now = effects([entry for entry in entries if entry is not None])
    first = _unchanged(line, now)
    former = _oldest_first(state.former) if state.former else line
    known, begin = max((line, first), (former, _unchanged(former, now)), key=lambda pair: pair[1])
    after = known[begin]
    for i in range(begin, len(now)):
        after = _next(after, causes[i], entries[i], now[i])
    return _mark_kept(replace(after, former=_without_former(state)), rulings(state), line[first].seq)


def _unchanged(line: list[State], now: list[Effect]) -> int:
    """How many inputs, from the first on, still have the effect that this line of states was folded with."""
    return next((i for i, past in enumerate(line[1:]) if past.effect != now[i]), len(line) - 1)


def _mark_kept(after: State, before: tuple[Ruled, ...], same: int) -> tuple[State, tuple[Ruled, ...]]:
    stand = rulings(after)
    keep = same
    while keep < min(len(stand), len(before)) and stand[keep] == before[keep]:
        keep += 1
    fields = (after.position, after.looks, after.seq, keep, after.at, after.ruled, after.cause)
    return State(after.game, *fields, after.meant, after.effect, after.past, after.former), stand[keep:]


def _oldest_first(state: State) -> list[State]:
    return list(state.history())[::-1]


# --- what makes sense -------------------------------------------------------------------------------


def verify(state: State, entry: Input) -> None:
    """Raise RefereeError with the reason where the input makes no sense, or a steal is not allowed."""
    entry = _called(state, entry)
    check_sense(state, entry)
    if isinstance(entry, Steal):
        try:
            steal_war.check(state.position, entry)
        except steal_war.Refusal as refusal:
            raise RefereeError(Mistake.ILLEGAL_STEAL, str(refusal)) from None


def check_sense(state: State, entry: Input) -> None:
    """Raise RefereeError where the input makes no sense here; `step` does this itself."""
    match entry:
        case Correct():
            _check_look(state, entry.look)
        case Undo() | Appeal():
            _check_line(state, entry.look)
        case Missed():
            _check_between(state, entry.look)
        case Answer():
            _check_answer(state, entry)
        case Steal() | Top() | Reshuffle() if not state.game.variant.stealing:
            raise RefereeError(Mistake.OTHER_VARIANT, f"{state.game.variant.title} knows no face-up piles.")
        case Agree():
            _check_rules(state, entry)
        case Count():
            _check_count(state, entry)
    _check_players(state, _named(entry))


def _named(entry: Input) -> Iterable[str]:
    """Everybody whom an input names."""
    match entry:
        case Seen():
            named = (entry.faces, entry.backs or (), entry.backs_seen or (), entry.piles or (), entry.unmoved)
            return (player for players in named for player in players)
        case Correct() | Missed():
            return entry.faces
        case Appeal():
            return (entry.by,)
        case Steal():
            return (entry.by, *entry.victims)
        case Top():
            return entry.cards
        case Reshuffle():
            return (entry.player,)
        case Count():
            return entry.counts
        case Swap():
            return entry.players
    return ()


def _called(state: State, entry: Input) -> Input:
    """The input with everybody as the game writes the name; somebody named in two ways stays a stranger."""
    players, named = state.game.players, set(_named(entry))
    if named.issubset(players):
        return entry
    names = {name: called(players, name) for name in named}
    if len(set(names.values())) < len(named):
        return entry
    match entry:
        case Appeal():
            return replace(entry, by=names[entry.by])
        case Swap(players=(one, other)):
            return replace(entry, players=(names[one], names[other]))
    return cast(Input, renamed(entry, names))


def _check_players(state: State, named: Iterable[str]) -> None:
    players = state.game.players
    for player in named:
        if player in players:
            continue
        if (own := called(players, player)) in players:
            raise RefereeError(Mistake.UNKNOWN_PLAYER, f"{own} is named in two ways.")
        raise RefereeError(Mistake.UNKNOWN_PLAYER, f"{player} is not among the players {', '.join(players)}.")


def _check_rules(state: State, entry: Agree) -> None:
    try:
        look_reducer.combine_rules(state.position, entry.rules)
    except RulesError as error:
        raise RefereeError(Mistake.BAD_RULES, str(error)) from None


def _check_count(state: State, entry: Count) -> None:
    pos = state.position
    total = sum({**pos.counts, **entry.counts}.values())
    most = pack(pos.game.settings.jokers).bit_count()
    # One player's count alone may not fit with the others': theirs are known from cards that were seen, and may be off.
    if total > most and set(entry.counts) == set(pos.game.players):
        raise RefereeError(Mistake.BAD_COUNT, f"That makes {total} cards, and the pack has {most}: count again.")


def _check_line(state: State, number: int) -> None:
    if not 1 <= number <= state.looks:
        raise RefereeError(Mistake.NO_SUCH_LINE, f"there is no input number {number}.")


def _check_between(state: State, number: int) -> None:
    """Raise RefereeError unless one round is over at this place and the next has not begun."""
    if number:
        _check_line(state, number)
    there = next(past.position.round for past in state.history() if past.looks == number)
    if there.verdict is None and there.laid:
        raise RefereeError(
            Mistake.MID_ROUND, "a missed round lies between two rounds: name a look after which one ended."
        )


def _check_look(state: State, number: int) -> None:
    _check_line(state, number)
    cause = next((past.cause for past in state.history() if past.looks == number), None)
    if not isinstance(cause, Seen):
        raise RefereeError(Mistake.NOT_A_LOOK, f"input number {number} is not a look.")


def _check_answer(state: State, entry: Answer) -> None:
    question = _question(state, entry)
    if question.card is not None:
        if called(state.game.players, entry.choice) not in question.choices:
            raise RefereeError(Mistake.UNKNOWN_PLAYER, f"The card is one of {', '.join(question.choices)}.")
        return
    try:
        Card.parse(entry.choice)
    except BadCard as bad:
        raise RefereeError(Mistake.NOT_A_CARD, str(bad)) from None


def _question(state: State, entry: Answer) -> Question:
    for past in state.history():
        for ruled in past.ruled:
            if ruled.seq == entry.question and isinstance(ruled.ruling, Question):
                return ruled.ruling
    raise RefereeError(Mistake.NO_SUCH_QUESTION, f"ruling number {entry.question} is not a question.")


# --- what was taken back, and can be: an undo can be undone in its turn --------------------------------


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
