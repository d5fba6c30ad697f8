"""`warref watch`: one table refereed, from a camera, a film, pictures or a script."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import date, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from companion import defaults
from companion.commands import _looks_files
from companion.commands._page_server import serve_page
from companion.commands._ruling_printer import Speaker
from companion.commands.sessions import log_path
from companion.console import tell
from companion.errors import Fault
from companion.log import store
from companion.log.store import Log
from companion.log_requests import LogRequests
from companion.referee.codec import Script, game_from_json, game_to_json, input_from_json, input_to_json
from companion.referee.events import Ruled
from companion.referee.game import Game
from companion.referee.reducer import RefereeError, fold, rulings
from companion.table.presenter import Presenter
from companion.table.session import LiveSession
from companion.table.table import Table
from companion.words import Words

#: Seconds that an idle table waits for what people ask.
_IDLE_S = 0.25


@dataclass(frozen=True, slots=True)
class WatchPlan:
    """The call as understood: game, source, text of the seats, and the script where the source is one."""

    game: Game
    source: str
    seats: str
    script: Script | None = None


def run(options: argparse.Namespace, words: Words) -> int:
    """Referee one table."""
    script = _looks_files.load_script(options.source) if options.source.endswith(_looks_files.SUFFIX) else None
    game = _looks_files.game_of(options, script)
    plan = WatchPlan(game, options.source, defaults.read_seats(options.seats, game.players), script)
    speak = Speaker(words, options.json)
    watch = _play_script if script else watch_source
    with ExitStack() as stack:
        watch(options, plan, words, speak, stack)
    return 0


def program_version() -> str:
    """The version that is written beside a session."""
    try:
        return version("war-referee")
    except PackageNotFoundError:
        return "from a checkout"


def _play_script(options: argparse.Namespace, plan: WatchPlan, words: Words, speak: Speaker, stack: ExitStack) -> None:
    """Referee a looks script: its inputs go straight to the table."""
    script = plan.script or Script(None, (), ())
    table = stack.enter_context(open_table(options, words, speak))
    # The page comes first: where its port is taken, no session is begun.
    if not options.no_page:
        stack.enter_context(serve_page(table, log_path(options), options.port, options.lang or ""))
    told_to = open_or_resume(table, log_path(options), plan, live=False, speak=speak)
    for entry, line in zip(script.inputs, script.lines, strict=True):
        table.serve()
        if line > told_to:
            try:
                table.submit(entry, mark=line)
            except RefereeError as error:
                raise _looks_files.at_line(line, error) from None
    _finish(options, table, speak, lambda: _serve(table))


def watch_source(
    options: argparse.Namespace, plan: WatchPlan, words: Words, speak: Speaker, stack: ExitStack, demo: bool = False
) -> None:
    """Referee a camera, film or pictures; the sample film (`demo`) runs at its own speed where there is a page.

    Raises Fault where nobody was seated by the end of a film.
    """
    from companion.commands._vision import opened
    from companion.commands.look import watcher  # the networks' runtime takes a while to load
    from companion.watching.feeds import open_feed

    feed = stack.enter_context(opened(plan.source, paced=demo and not options.no_page))
    # A camera only ever ends by being interrupted, at whatever moment.
    stack.enter_context(suppress(KeyboardInterrupt) if feed.live else nullcontext())
    table = stack.enter_context(open_table(options, words, speak))
    watch = stack.enter_context(watcher(options, words, table, shown=not options.no_page))
    # Before the page: its banner is there from the first moment, and pushes nothing down later.
    table.show(demo=demo)
    if not options.no_page:
        stack.enter_context(serve_page(table, log_path(options), options.port, options.lang or ""))
    told_to = open_or_resume(table, log_path(options), plan, live=feed.live, speak=speak)
    watch.use(feed, told_to, demo)
    if demo:

        def again() -> None:
            table.open(plan.game, plan.source, plan.seats, False, program_version())
            watch.use(open_feed(plan.source, paced=True), demo=True)

        watch.play_sample = again
    try:
        watch.run()
        if watch.unseated and options.no_page:
            table.end("nobody was seated")
            raise Fault(words.say("state.unseated"))
    except KeyboardInterrupt:
        # A camera only ever ends this way; a film goes on where it stopped when it is called again.
        if not feed.live:
            raise
        _sum_up(options, table, speak)
    else:
        _finish(options, table, speak, lambda: watch.run(stay=True))


@contextmanager
def open_table(
    options: argparse.Namespace, words: Words, speak: Callable[[tuple[Ruled, ...]], None]
) -> Iterator[Table]:
    """A table with the log that the call names; a game that is over is ended in it after the block."""
    with Log(log_path(options)) as keeper:
        table = Table(keeper, Presenter(words), speak)

        def reload(stored: store.Session) -> LiveSession:
            return restore_session(keeper.path, stored)

        table.add_handlers(LogRequests(keeper, table, words, reload).handlers)
        _drop_old_pictures(keeper, options, words)
        try:
            yield table
            if table.session is not None and table.session.state.position.over is not None:
                table.end("the game is over")
        finally:
            table.close()


def _drop_old_pictures(keeper: Log, options: argparse.Namespace, words: Words) -> None:
    """Delete the pictures that were to be kept for some days only."""
    if not options.keep_pictures_days:
        return
    day = date.today() - timedelta(days=options.keep_pictures_days)
    if gone := keeper.drop_pictures_before(day.isoformat()):
        tell(words.say("settings.dropped", n=gone, days=options.keep_pictures_days))


def _finish(options: argparse.Namespace, table: Table, speak: Speaker, stay: Callable[[], None]) -> None:
    """The source has ended: sum up, with a page stay until interrupted, then close the session."""
    _sum_up(options, table, speak)
    if not options.no_page:
        with suppress(KeyboardInterrupt):
            stay()
    table.end("the source has ended")


def _sum_up(options: argparse.Namespace, table: Table, speak: Speaker) -> None:
    if options.summary and table.session is not None:
        speak.summary(table.session.state)


def _serve(table: Table) -> None:
    while True:
        table.serve(wait_s=_IDLE_S)


# --- sessions ---------------------------------------------------------------------------------------


def open_or_resume(table: Table, path: Path, plan: WatchPlan, live: bool, speak: Speaker) -> float:
    """Resume the session that this very game and source left open, else begin one.

    Gives the mark up to which its source was told; a resumed session's rulings are printed first, so that
    the output is the whole game.
    """
    for stored in store.list_sessions(path, unended=True):
        if _same(plan, stored, live) and (live or _begins_alike(plan, path, stored)):
            try:
                session = restore_session(path, stored)
            except Fault as fault:
                # What one session holds never keeps the next game from being played.
                tell(str(fault))
                break
            table.resume(session)
            speak(rulings(session.state))
            marks = store.load_marks(path, stored.id)
            return -1.0 if live or not marks else marks[-1]
    table.open(plan.game, plan.source, plan.seats, live, program_version())
    return -1.0


def restore_session(path: Path, stored: store.Session) -> LiveSession:
    """The session as its inputs leave it. Raises Fault where they cannot be followed any more."""
    try:
        game = game_from_json(stored.game)
        state, _ = fold(game, map(input_from_json, store.load_inputs(path, stored.id)))
    except (Fault, RefereeError) as error:
        raise Fault(f"Session {stored.id} stays in the log, but cannot be gone on with: {error}") from None
    pictures, by = store.list_evidence(path, stored.id), store.load_requesters(path, stored.id)
    return LiveSession(stored.id, game, stored.source, stored.seats, stored.live, state, pictures, by=by)


def _same(plan: WatchPlan, stored: store.Session, live: bool) -> bool:
    if (game_to_json(plan.game), plan.seats) != (stored.game, stored.seats):
        return False
    # A live game may have been taken to another camera on the page; it goes on all the same.
    return plan.source == stored.source or (live and stored.live)


def _begins_alike(plan: WatchPlan, path: Path, stored: store.Session) -> bool:
    """Whether what the session was told is still how the script begins; a film is taken at its word."""
    if plan.script is None:
        return True
    marks, told = store.load_marks(path, stored.id), store.load_inputs(path, stored.id)
    begun = [entry for entry, line in zip(plan.script.inputs, plan.script.lines, strict=True) if line in marks]
    return len(begun) == len(marks) and all(input_to_json(entry) in told for entry in begun)
