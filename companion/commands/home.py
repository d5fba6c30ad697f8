"""`warref`: the page, and the camera picked there; where none answers, the sample game under a banner."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, suppress

from companion.commands import _port
from companion.commands._page_server import serve_page, show_page
from companion.commands.demo import plan_sample_game
from companion.commands.look import picker, watcher
from companion.commands.sessions import log_path
from companion.commands.watch import open_table, restore_session
from companion.console import tell
from companion.errors import Fault
from companion.log import store
from companion.referee import reducer
from companion.table.session import LiveSession, Phase
from companion.table.snapshot import CameraView
from companion.table.table import Table
from companion.watching.feeds import CameraFeed, Feed, open_feed
from companion.watching.loop import Watch
from companion.words import Words
from vision.sources.devices import list_cameras
from vision.sources.open import comes_by_itself, is_live
from vision.types import VisionError


def run(options: argparse.Namespace, words: Words) -> int:
    """Serve the page and watch until interrupted; where one runs on the port already, show that one's page."""
    if options.port and _port.ours(options.port):
        address = f"http://127.0.0.1:{options.port}/"
        tell(words.say("state.running", address=address))
        show_page(address)
        return 0
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        table = stack.enter_context(open_table(options, words, lambda _: None))
        watch = stack.enter_context(watcher(options, words, table))
        resume_last(table, options)
        stack.enter_context(serve_page(table, log_path(options), options.port, options.lang or ""))
        _begin(options, table, watch, words)
        watch.run(stay=True)
    return 0


def resume_last(table: Table, options: argparse.Namespace) -> None:
    """Take up the live session that was left open last; nothing else is needed after a crash."""
    path = log_path(options)
    for stored in store.list_sessions(path, unended=True):
        if stored.live:
            # What one session holds never keeps the page from being opened.
            try:
                table.resume(restore_session(path, stored))
            except Fault as fault:
                tell(str(fault))
            return


def _begin(options: argparse.Namespace, table: Table, watch: Watch, words: Words) -> None:
    """Watch the camera of the game that goes on, else the first one that answers, else play the sample game."""
    here = table.session
    if here is not None and is_live(here.source):
        # The game stays in sight while its camera does not answer; it is tried until it does, or another is picked.
        watch.use(CameraFeed(here.source))
        return
    if here is not None and here.state.looks:
        # Played by hand until now: a camera that happens to be there would clear the table.
        _play_by_hand(table, watch)
        return

    def first() -> Feed:
        found = next(_answering(options, watch), None)
        if found is None:
            raise VisionError(words.say("state.no_camera"))
        return found

    def otherwise(error: VisionError) -> None:
        if table.session is None:
            _demonstrate(table, watch, words)
        else:
            _play_by_hand(table, watch, str(error))

    looking = words.say("state.looking")
    if here is None:
        table.show(trouble=looking)
    else:
        table.show(camera=CameraView(ok=False, message=looking))
    watch.camera.open_beside(first, otherwise)


def _play_by_hand(table: Table, watch: Watch, message: str = "") -> None:
    table.show(phase=Phase.NONE, camera=CameraView(ok=False, message=message, choices=watch.camera.choices))


def _answering(options: argparse.Namespace, watch: Watch) -> Iterator[Feed]:
    last = next(
        (stored.source for stored in store.list_sessions(log_path(options)) if stored.live and stored.source), None
    )
    if last is not None and not comes_by_itself(last):
        yield from _opened(last)
    cameras = list_cameras()
    watch.camera.choices = picker(cameras)
    if last is not None and comes_by_itself(last):
        yield from _opened(last)  # it is waited for, beside the cameras to choose from
    for camera in cameras:
        if camera.answers and str(camera.index) != last:
            yield from _opened(str(camera.index))


def _opened(source: str) -> Iterator[Feed]:
    try:
        yield open_feed(source)
    except VisionError:
        return


def _demonstrate(table: Table, watch: Watch, words: Words) -> None:
    try:
        plan = plan_sample_game()
        feed = open_feed(plan.source, paced=True)
    except (Fault, VisionError) as error:
        table.show(phase=Phase.LOST, trouble=str(error))
        return
    table.resume(LiveSession(0, plan.game, plan.source, plan.seats, False, reducer.start(plan.game), kept=False))
    watch.use(feed, demo=True, message=words.say("state.no_camera"))
    watch.play_sample = lambda: _demonstrate(table, watch, words)
