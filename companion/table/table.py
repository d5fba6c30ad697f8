"""The live table: the only thing that changes while a game is watched.

One thread, the table thread, submits inputs and carries out requests; every other thread reads `now` and
`picture`, which are replaced whole, and calls `send`.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from companion.errors import Fault
from companion.log.protocol import Entry, Keeper
from companion.referee import codec, reducer
from companion.referee.events import Agree, Input, Ruled, Seated, Swap, Undo
from companion.referee.game import Game, new_game
from companion.referee.reducer import RefereeError, State, undoable
from companion.referee.settings import SETTINGS
from companion.seats.history import name_at
from companion.seats.layout import parse_seats
from companion.table.presenter import Presenter
from companion.table.requests import Handlers, NewGame, Refused, Request, SubmitInput, UndoLast
from companion.table.session import NOT_WATCHED, LiveSession, WatchStatus
from companion.table.snapshot import Snapshot
from companion.words import Words

#: Makes the snapshot of a version (counted from 1), the session at the table and the status of the watching.
Present = Callable[[int, LiveSession | None, WatchStatus], Snapshot]


@dataclass(frozen=True, slots=True)
class _Pending:
    """A request on its way to the table thread, and where its answer goes."""

    request: Request
    answer: Future[str]


@dataclass(slots=True)
class TableInLanguage:
    """Makes the snapshots of one language; the newest, and what it was made of."""

    present: Presenter
    published: tuple[int, LiveSession | None, WatchStatus] | None = None
    now: Snapshot = field(init=False)


class Table:
    """One table. `present` makes the snapshot, `listen` is told of the rulings as they are made."""

    def __init__(
        self,
        keeper: Keeper,
        present: Present,
        listen: Callable[[tuple[Ruled, ...]], None] = lambda _: None,
    ) -> None:
        """An empty table: no session, nobody watching."""
        self.session: LiveSession | None = None
        self.status: WatchStatus = NOT_WATCHED
        self.at = 0.0
        self.picture: tuple[int, bytes] | None = None
        #: Pictures of a session that is not kept: crops by their number, the table at input N by -N.
        self.unkept: dict[int, bytes] = {}
        self._keeper, self._present, self._listen = keeper, present, listen
        self._pending: queue.SimpleQueue[_Pending] = queue.SimpleQueue()
        self._closed = False
        self._version = 0
        #: What each language's snapshots are made by, for viewers who speak another than the table.
        self._in_languages: dict[str, TableInLanguage] = {}
        self._languages_lock = threading.Lock()
        self._handlers: Handlers = {
            SubmitInput: self._judge,
            UndoLast: self._undo_last,
            NewGame: self.begin,
        }
        self.now = self._publish()

    # --- any thread -----------------------------------------------------------------------------------

    def speak(self, words: Words) -> Snapshot:
        """The table at this moment in another language than its own."""
        published = self._published
        with self._languages_lock:
            known = self._in_languages.get(words.language)
            if known is None:
                known = self._in_languages[words.language] = TableInLanguage(Presenter(words))
            if known.published is not published:
                known.published, known.now = published, known.present(*published)
            return known.now

    def send(self, request: Request) -> Future[str]:
        """Ask for something; the future ends with one sentence, or with Refused."""
        pending = _Pending(request, Future())
        self._pending.put(pending)
        if self._closed:
            self._refuse_all()
        return pending.answer

    # --- the table thread -----------------------------------------------------------------------------

    def open(self, game: Game, source: str, seats: str, live: bool, program: str = "") -> int:
        """End the session that is open and begin another, both or neither; gives its number. Raises LogError."""
        ends = self.session.id if self.session is not None and self.session.kept else None
        number = self._keeper.open_session(codec.game_to_json(game), source, seats, live, program, ends)
        self.resume(LiveSession(number, game, source, seats, live, reducer.start(game)))
        return number

    def resume(self, session: LiveSession) -> None:
        """Take up a session where it stands."""
        self.session, self.at, self.unkept = session, session.state.at, {}
        self._publish()

    def begin(self, request: NewGame, source: str = "") -> str:
        """Begin the game that is asked for, watched by the camera `source`. Raises Fault, RefereeError.

        It is live whatever was at the table before, as the sample game: it is gone on with after a restart.
        """
        self.open(create_game(request), source, request.seats, live=True)
        return "A new game begins."

    def set_source(self, source: str) -> None:
        """Note that the session is watched by this camera from now on. Raises LogError."""
        if self.session is None or self.session.source == source:
            return
        if self.session.kept:
            self._keeper.set_source(self.session.id, source)
        self.session = replace(self.session, source=source)

    def submit(
        self,
        entry: Input,
        *,
        mark: float | None = None,
        by: str = "",
        model: str = "",
        pictures: Mapping[str, bytes] | None = None,
    ) -> tuple[Ruled, ...]:
        """Judge one input, write it with all its rulings, then show them.

        Pictures are kept where there are rulings, and of every card that came to lie. Raises RefereeError where
        the input makes no sense and LogError where it cannot be written; then nothing has changed.
        """
        session = self._here()
        state, ruled = reducer.step(session.state, entry)
        lines = tuple((one.seq, one.look, codec.ruling_to_json(one)) for one in ruled)
        shots = _worth_keeping(pictures or {}, state, bool(ruled))
        # As the referee took it: with everybody called as the game calls them.
        record = Entry(
            state.looks, codec.input_to_json(state.cause or entry), lines, state.keep, mark, by, model, shots
        )
        numbers = self._keeper.write(session.id, record) if session.kept else self._hold(state.looks, shots)
        found = {(state.looks, name): number for name, number in numbers.items()}
        asked = {**session.by, state.looks: by} if by else session.by
        self.session = replace(session, state=state, pictures={**session.pictures, **found}, by=asked)
        if isinstance(entry, Undo | Swap):
            # What lies there may be the very look that was taken back, or another's; it is seen anew when it changes.
            self.status = replace(self.status, cards=())
        self.at = max(self.at, entry.at)
        self._publish()
        self._listen(ruled)
        return ruled

    def _hold(self, look: int, shots: Mapping[str, bytes]) -> dict[str, int]:
        """Hold the pictures of a session that is not written; gives their numbers by name."""
        numbers = {name: -look if name == "table" else len(self.unkept) + n for n, name in enumerate(shots, start=1)}
        # Replaced whole: the threads of the page read it.
        self.unkept = self.unkept | {numbers[name]: jpeg for name, jpeg in shots.items()}
        return numbers

    def end(self, reason: str) -> None:
        """The open session, if there is one, will not be resumed."""
        if self.session is not None and self.session.kept:
            self._keeper.end_session(self.session.id, reason)

    def leave(self) -> None:
        """No session is at the table any more; it stays in the log as it is."""
        self.session = None
        self._publish()

    def show(self, **changes: Any) -> None:
        """Change these fields of the watching's status; nothing is published where they are as before."""
        status = replace(self.status, **changes)
        if status != self.status:
            self.status = status
            self._publish()

    def serve(self, handlers: Handlers | None = None, wait_s: float = 0.0) -> None:
        """Carry out what is asked for, waiting up to `wait_s` seconds; `handlers` go before the table's own."""
        known = {**self._handlers, **(handlers or {})}
        try:
            pending = self._pending.get(timeout=wait_s) if wait_s else self._pending.get_nowait()
            while True:
                _carry_out(pending, known)
                pending = self._pending.get_nowait()
        except queue.Empty:
            return

    def close(self) -> None:
        """Refuse what is still asked for; the session stays as it is."""
        self._closed = True
        self._refuse_all()

    def add_handlers(self, handlers: Handlers) -> None:
        """Carry out these requests too, from now on."""
        self._handlers = {**self._handlers, **handlers}

    # --- requests -------------------------------------------------------------------------------------

    def _judge(self, request: SubmitInput) -> str:
        state = self._here().state
        match request.entry:
            case Agree(rules=rules):
                _check_agreement(state, rules)
            case Seated(seats=seats):
                parse_seats(seats, state.game.players)
        self.submit(replace(request.entry, at=self.at), by=request.by)
        if isinstance(request.entry, Agree):
            return "From the next round on it is played that way."
        return "Done." if _changed(state, self._here().state) else "Done; no ruling changes."

    def _undo_last(self, request: UndoLast) -> str:
        number = undoable(self._here().state)
        if number is None:
            raise Refused("There is nothing to undo.")
        return self._judge(SubmitInput(Undo(self.at, number), request.by))

    # --- within ---------------------------------------------------------------------------------------

    def _here(self) -> LiveSession:
        if self.session is None:
            raise Refused("No game has been begun yet.")
        return self.session

    def _publish(self) -> Snapshot:
        self._version += 1
        self._published = self._version, self.session, replace(self.status, at=self.at)
        self.now = self._present(*self._published)
        return self.now

    def _refuse_all(self) -> None:
        while not self._pending.empty():
            self._pending.get().answer.set_exception(Refused("The table is being closed."))


def _carry_out(pending: _Pending, handlers: Handlers) -> None:
    handler = handlers.get(type(pending.request))
    try:
        if handler is None:
            raise Refused("Nobody is watching the table.")
        pending.answer.set_result(handler(pending.request))
    except (Refused, RefereeError, Fault) as error:
        pending.answer.set_exception(Refused(_sentence(str(error))))
    except Exception as error:
        pending.answer.set_exception(error)
        raise


def _worth_keeping(pictures: Mapping[str, bytes], state: State, ruled: bool) -> dict[str, bytes]:
    """All pictures of a look that is ruled on, else those of the cards that came to lie in it.

    Who turns first is ruled on only with the last card; the picture of his card is taken when it is new.
    """
    if ruled:
        return dict(pictures)
    laid = ((player, face) for player, its in state.position.round.laid.items() for face in its.faces)
    new = {f"{name_at(state, player, it.look)} {it.slot}" for player, it in laid if it.look == state.looks}
    return {name: jpeg for name, jpeg in pictures.items() if name in new}


def create_game(request: NewGame) -> Game:
    """The game that is to begin. Raises Fault or RefereeError where it cannot be played."""
    game = new_game(request.variant, request.players, request.settings)
    parse_seats(request.seats, game.players)
    return game


def _check_agreement(state: State, rules: Mapping[str, object]) -> None:
    here = state.position
    if here.over:
        raise Refused("The game is over: begin a new one with the rules you like.")
    if here.round.laid and here.round.verdict is None:
        raise Refused("Finish this round first, then change the rules.")
    if not rules:
        raise Refused("Say which rule you play differently.")


def _sentence(text: str) -> str:
    """With a capital letter, unless it begins with the key of a setting, which stays as it is written.

    >>> _sentence("war_down can be 3, not 9."), _sentence("there is no input number 9.")
    ('war_down can be 3, not 9.', 'There is no input number 9.')
    """
    is_key = text.partition(" ")[0] in {entry.key for entry in SETTINGS}
    return text if is_key else text[:1].upper() + text[1:]


def _changed(before: State, after: State) -> bool:
    """Whether rulings were added, changed or taken back."""
    return (before.seq, before.seq) != (after.seq, after.keep)
