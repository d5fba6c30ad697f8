"""The live table: the only thing that changes while a game is watched.

One thread, the table thread, submits inputs and serves what people ask for; every other thread reads
`now` and `picture`, which are replaced whole, and calls `send`.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace

from companion.errors import Fault
from companion.log.protocol import Entry, Keeper
from companion.referee import codec, reducer
from companion.referee.events import Input, Ruled, Swap, Undo
from companion.referee.game import Game, new_game
from companion.referee.reducer import RefereeError, State
from companion.referee.settings import SETTINGS
from companion.seats.layout import parse
from companion.table.request_translation import input_of
from companion.table.requests import Act, ChangeSettings, DropPictures, NewGame, Refused, TakeSeats
from companion.table.session import NO_EYES, Moment, Sitting, Watching
from companion.table.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Request:
    """An act on its way to the table thread, and where its answer goes."""

    act: Act
    answer: Future[str]


class Table:
    """One table. `present` makes the snapshot, `listen` is told of the rulings as they are made."""

    def __init__(
        self,
        keeper: Keeper,
        present: Callable[[Moment], Snapshot],
        listen: Callable[[tuple[Ruled, ...]], None] = lambda _: None,
    ) -> None:
        """An empty table: no session, nobody watching."""
        self.sitting: Sitting | None = None
        self.watching: Watching = NO_EYES
        self.at = 0.0
        self.picture: tuple[int, bytes] | None = None
        self._keeper, self._present, self._listen = keeper, present, listen
        self._requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._closed = False
        self._version = 0
        self.now = self._publish()

    # --- any thread -----------------------------------------------------------------------------------

    def send(self, act: Act) -> Future[str]:
        """Ask for something; the future ends with one sentence, or with Refused."""
        request = Request(act, Future())
        self._requests.put(request)
        if self._closed:
            self._refuse_all()
        return request.answer

    # --- the table thread -----------------------------------------------------------------------------

    def open(self, game: Game, source: str, seats: str, live: bool, program: str = "") -> int:
        """End the session that is open and begin another."""
        self.end("another game was begun")
        session = self._keeper.open_session(codec.game_to_json(game), source, seats, live, program)
        self.sit(Sitting(session, game, source, seats, live, reducer.start(game)))
        return session

    def sit(self, sitting: Sitting) -> None:
        """Take up a session where it stands."""
        self.sitting, self.at = sitting, sitting.state.at
        self._publish()

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

        Pictures are kept where there are rulings. Raises RefereeError where the input makes no sense and
        LogError where it cannot be written; then nothing has changed.
        """
        sitting = self._sitting()
        state, ruled = reducer.step(sitting.state, entry)
        lines = tuple((one.seq, one.look, codec.ruling_to_json(one)) for one in ruled)
        shots = (pictures or {}) if ruled else {}
        # As the referee took it: with everybody called as the game calls them.
        record = Entry(
            state.looks, codec.input_to_json(state.cause or entry), lines, state.keep, mark, by, model, shots
        )
        numbers = self._keeper.write(sitting.session, record) if sitting.kept else {}
        found = {(state.looks, name): number for name, number in numbers.items()}
        asked = {**sitting.by, state.looks: by} if by else sitting.by
        self.sitting = replace(sitting, state=state, pictures={**sitting.pictures, **found}, by=asked)
        if isinstance(entry, Undo | Swap):
            # What lies there may be the very look that was taken back, or another's; it is seen anew when it changes.
            self.watching = replace(self.watching, cards=())
        self.at = max(self.at, entry.at)
        self._publish()
        self._listen(ruled)
        return ruled

    def end(self, reason: str) -> None:
        """The open session, if there is one, will not be resumed."""
        if self.sitting is not None and self.sitting.kept:
            self._keeper.end_session(self.sitting.session, reason)

    def leave(self) -> None:
        """Nobody plays at the table any more; the session stays in the log as it is."""
        self.sitting = None
        self._publish()

    def show(self, watching: Watching) -> None:
        """Let page and terminal know what the watching is doing; nothing happens where nothing changed."""
        if watching != self.watching:
            self.watching = watching
            self._publish()

    def serve(self, ours: Callable[[Act], str | None] = lambda _: None, wait_s: float = 0.0) -> None:
        """Carry out what was asked for, waiting up to `wait_s` seconds; `ours` is asked before the table."""
        try:
            request = self._requests.get(timeout=wait_s) if wait_s else self._requests.get_nowait()
            while True:
                self._carry_out(request, ours)
                request = self._requests.get_nowait()
        except queue.Empty:
            return

    def close(self) -> None:
        """Refuse what is still asked for; the session stays as it is."""
        self._closed = True
        self._refuse_all()

    # --- within ---------------------------------------------------------------------------------------

    def _sitting(self) -> Sitting:
        if self.sitting is None:
            raise Refused("No game has been begun yet.")
        return self.sitting

    def _obey(self, act: Act) -> str:
        """Carry out an act that concerns the game; the answer is the key of a sentence."""
        match act:
            case NewGame():
                game = game_asked(act)
                source, live = (self.sitting.source, self.sitting.live) if self.sitting else ("", True)
                self.open(game, source, act.seats, live)
                return "A new game begins."
            case DropPictures():
                return self._drop_pictures(act.session)
            case TakeSeats(seats=str(seats)) if seats:
                parse(seats, self._sitting().game.players)
        entry = input_of(act, self._sitting().state, self.at)
        if entry is None:
            raise Refused("Nobody is watching the table.")
        before = self._sitting().state
        self.submit(entry, by=getattr(act, "by", ""))
        if isinstance(act, ChangeSettings):
            return "From the next round on it is played that way."
        return "Done." if _changed(before, self._sitting().state) else "Done; no ruling changes."

    def _drop_pictures(self, session: int) -> str:
        gone = self._keeper.drop_pictures(session)
        if self.sitting is not None and self.sitting.session == session:
            self.sitting = replace(self.sitting, pictures={})
            self._publish()
        return f"{gone} pictures are deleted."

    def _publish(self) -> Snapshot:
        self._version += 1
        self.now = self._present(Moment(self._version, self.sitting, self.watching))
        return self.now

    def _refuse_all(self) -> None:
        while not self._requests.empty():
            self._requests.get().answer.set_exception(Refused("The table is being closed."))

    def _carry_out(self, request: Request, ours: Callable[[Act], str | None]) -> None:
        try:
            answer = ours(request.act)
            request.answer.set_result(self._obey(request.act) if answer is None else answer)
        except (Refused, RefereeError, Fault) as error:
            request.answer.set_exception(Refused(_sentence(str(error))))
        except Exception as error:
            request.answer.set_exception(error)
            raise


def game_asked(act: NewGame) -> Game:
    """The game that is to begin. Raises a Fault or RefereeError where there is none such."""
    game = new_game(act.variant, act.players, act.settings)
    parse(act.seats, game.players)
    return game


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
