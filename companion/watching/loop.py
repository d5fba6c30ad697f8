"""The watching loop: newest frame -> cards -> settled look -> input -> table; and the requests in between.

`camera` owns the feed, `session` turns looks into inputs; here they are joined with the detector and the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from companion.log.store import LogError
from companion.packs.controller import PackController
from companion.table.requests import (
    ChooseSeats,
    Handlers,
    ListCameras,
    NewGame,
    Pause,
    PlaySample,
    Refused,
    ResetWatching,
    SelectCamera,
    SetMirror,
    TryPlaces,
)
from companion.table.session import LiveSession, Phase
from companion.table.snapshot import CameraChoice, CameraView
from companion.table.table import Table
from companion.watching.camera import TableCamera
from companion.watching.feeds import Feed
from companion.watching.session import WatchedSession
from vision.tracking.mirror import Facing
from vision.tracking.pipeline import FramePipeline
from vision.tracking.settler import TableState
from vision.types import Detector, Frame, VisionError

#: Seconds that an idle table waits for requests.
_IDLE_S = 0.2

_PHASES = {
    TableState.WAITING: Phase.WAITING,
    TableState.HAND: Phase.HAND,
    TableState.SETTLING: Phase.SETTLING,
    TableState.SETTLED: Phase.SETTLED,
}


class Watch:
    """Watches one table. `opening` opens a source by its words, `cameras` lists the cameras there are."""

    def __init__(
        self,
        table: Table,
        detector: Detector,
        opening: Callable[[str], Feed],
        cameras: Callable[[], tuple[CameraChoice, ...]] = lambda: (),
        shown: bool = True,
        facing: Facing = Facing.NO,
        tell: Callable[[str], None] = lambda _: None,
        tell_obstacle: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Begin without a source. `shown`: there is a page that wants pictures; `facing`: are they mirrored?

        `tell` is called with one sentence when the camera shows nothing any more, `tell_obstacle` with the name of
        what has come in the way of judging the table.
        """
        self._table, self._detector, self._shown = table, detector, shown
        self.camera = TableCamera(table, opening, cameras, self._begin, facing, tell)
        self._pipeline, self._tell_obstacle = FramePipeline(detector, still=False), tell_obstacle
        self._session: WatchedSession | None = None
        self._told_to, self._resumes = -1.0, False
        #: Second of the machine's clock up to which a table without a camera has been told the time.
        self._timed_to = time.monotonic()
        #: Puts the sample game at the table from its beginning; None where there is none.
        self.play_sample: Callable[[], None] | None = None
        self._unshown: Frame | None = None
        self._packs = PackController(table, detector, self._use_detector)
        self._handlers: Handlers = {
            Pause: self._pause,
            ResetWatching: self._reset,
            NewGame: self._new_game,
            SelectCamera: self.camera.select,
            ListCameras: self.camera.list_cameras,
            SetMirror: self._set_mirror,
            ChooseSeats: self._choose_seats,
            PlaySample: self._play_sample,
            TryPlaces: self._try_places,
            **self._packs.handlers,
        }

    # --- from outside ---------------------------------------------------------------------------------

    def use(self, feed: Feed, told_to: float = -1.0, demo: bool = False, message: str = "") -> None:
        """Watch `feed` from now on; looks up to its second `told_to` have been judged before.

        `message` is shown beside the camera picker as long as this is watched.
        """
        here = self._table.session
        self._resumes = here is not None and here.source == feed.spec
        self.camera.watch(feed, message)
        self._told_to, self._session, self._unshown = told_to, None, None
        self._pipeline = FramePipeline(self._detector, feed.still)
        camera = self.camera.view(feed)
        self._table.show(phase=Phase.NONE, demo=demo, trouble="", cards=(), camera=camera, unclear=None)

    def run(self, stay: bool = False) -> None:
        """Go on until the source has ended; with `stay` until interrupted. Raises VisionError, LogError."""
        while stay or not self.ended:
            try:
                self.once()
            except VisionError as error:
                if not stay:
                    raise
                self.camera.lose(error)

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to watch."""
        return self.camera.feed is None or self.camera.feed.ended

    @property
    def unseated(self) -> bool:
        """Whether it is still not known who sits where."""
        return self._session is not None and self._session.finder is not None

    def close(self) -> None:
        """Let go of the source."""
        self.camera.close()

    # --- the loop -------------------------------------------------------------------------------------

    def once(self) -> None:
        """One turn: the requests that have come, then the next frame. Raises VisionError, LogError."""
        feed = self.camera.feed
        resting = feed is None or feed.ended or (self._table.status.paused and not feed.live)
        self._table.serve(self._handlers, _IDLE_S if resting else 0.0)
        self.camera.poll()
        self._packs.poll()
        if feed is not None and not resting and feed is self.camera.feed:
            frame = feed.next()
            if frame is not None:
                self._see(feed, frame, not feed.live or feed.health().sees)
            elif feed.ended and self._unshown is not None:
                # The last picture stays in sight for as long as the page is open.
                self._show_last(self._unshown)
        self._keep_time()
        if feed is None or not resting:
            self.camera.check()
        self._table.show(finished=feed is not None and feed.ended)

    def _keep_time(self) -> None:
        """Advance the clock of a table that is played without a camera: where there are frames, theirs is the time."""
        now, since = time.monotonic(), self._timed_to
        self._timed_to = now
        if self.camera.feed is None and not self._table.status.paused:
            self._table.at += now - since

    def _see(self, feed: Feed, frame: Frame, sees: bool) -> None:
        """Take one frame down to the table; `sees`: it shows what is in front of the camera."""
        try:
            self._pass_down(feed, frame, sees)
        except LogError as error:
            # What cannot be written is not ruled. A camera waits until that is put right: the cards still lie there.
            # Without a page nobody could say when to go on.
            if not feed.live or not self._shown:
                raise
            self._start_afresh()
            self._table.show(paused=True, trouble=str(error))

    def _show_obstacle(self) -> None:
        """Say on the page, and once on the terminal, what keeps the table from being judged."""
        obstacle = str(self._pipeline.obstacle or "") if not self._table.status.paused else ""
        if obstacle != self._table.status.obstacle:
            self._table.show(obstacle=obstacle)
            if obstacle:
                self._tell_obstacle(obstacle)

    def _pass_down(self, feed: Feed, frame: Frame, sees: bool) -> None:
        """Session, mirror, detector, page, referee: each once, in this order. Raises LogError."""
        here, paused = self._table.session, self._table.status.paused
        if here is not None and (self._session is None or not self._session.follow(here)):
            self._take_up(here, feed, frame)
        session = None if here is None else self._session
        hand = self._table.status.phase is Phase.HAND
        # The pictures of a folder lie as far apart as whoever took them pleased.
        if session is not None and session.note_frame(frame.at, sees and not paused, hand, timed=not feed.still):
            self._start_afresh()
        frame = self._unshown = self.camera.mirror.turned(frame)
        if self._table.status.packs.enrolling is not None:
            self._packs.see(frame if sees else None, self._pipeline)
        # A black or frozen picture shows no cards; taken for a look it would clear the table.
        look = self._pipeline.see(frame) if sees and not paused else None
        phase = Phase.NONE if feed.still else _PHASES[self._pipeline.state]
        self._show_obstacle()
        # A paused table is not watched for what moves.
        resting = self._pipeline.resting and not paused
        if self._shown and self.camera.give_picture(frame, self._pipeline.cards, resting, at_once=feed.still):
            self._unshown = None
            self.camera.measure(frame, self._pipeline.cards)
        if look is not None and session is not None:
            session.take(feed, look, self._told_to, self.camera.mirror.mirrored, phase)
        elif look is not None or (sees and not feed.still):
            self._table.show(phase=phase)
        # Whether the look is mirrored is weighed last: nobody waits for that.
        mirror = self.camera.mirror
        if look is not None and mirror.open and look.cards and mirror.weigh(frame.image, look.cards):
            self._flip()

    def _take_up(self, here: LiveSession, feed: Feed, frame: Frame) -> None:
        """Watch for the session that is at the table now."""
        resumes = self._resumes and self._session is None
        # The film of a session that goes on keeps its own clock; any other feed begins where the session stands.
        base = 0.0 if resumes and not feed.live else here.state.at - frame.at
        self._session = WatchedSession(self._table, here, base, self._detector.model_hash)
        self._pipeline.reset()
        self._table.show(unclear=None)
        if resumes:
            self.camera.mirror.remember(self._session.seats.mirrored)
        self._session.note_mirrored(self.camera.mirror.mirrored)

    def _flip(self) -> None:
        """From now on the picture is shown the other way round."""
        self._pipeline.reset()
        if self._session is not None:
            self._session.flip(self.camera.mirror.mirrored)
        self.camera.show()

    def _start_afresh(self) -> None:
        self._pipeline.reset()
        if self._session is not None:
            self._session.forget()

    def _begin(self, feed: Feed) -> None:
        """Watch what was opened; a camera is remembered with the session."""
        if self._table.status.demo:
            self._table.leave()
        self.use(feed)
        try:
            if feed.live:
                self._table.set_source(feed.spec)
        except LogError as error:
            self._table.show(paused=True, trouble=str(error))

    def _use_detector(self, detector: Detector) -> None:
        """Find cards with this detector from now on: it knows another pack, or learns one."""
        feed = self.camera.feed
        self._detector, self._pipeline = detector, FramePipeline(detector, feed is not None and feed.still)
        if self._session is not None:
            self._session.use_model(detector.model_hash)
        self._start_afresh()

    def _show_last(self, frame: Frame) -> None:
        if self._shown:
            self.camera.give_picture(frame, self._pipeline.cards, resting=False, at_once=True)
            self._unshown = None

    # --- requests -------------------------------------------------------------------------------------

    def _pause(self, request: Pause) -> str:
        self._packs.check_judging()
        on = not self._table.status.paused if request.on is None else request.on
        self._table.show(paused=on, trouble="" if not on else self._table.status.trouble)
        return "Paused." if on else "Watching again."

    def _reset(self, _: ResetWatching) -> str:
        self._start_afresh()
        return "Looking at the table afresh."

    def _try_places(self, request: TryPlaces) -> str:
        if request.on and (self._table.session is None or self._table.status.demo):
            raise Refused("Begin a game first; then the places can be tried.")
        self._table.show(trying=request.on, tried={}, cards=())
        self._start_afresh()
        return "Show any card in each place." if request.on else "The game begins: turn your first cards."

    def _new_game(self, request: NewGame) -> str:
        feed, demo = self.camera.feed, self._table.status.demo
        self._table.show(trying=False, tried={})
        said = self._table.begin(request, feed.spec if feed is not None and feed.live else "")
        if demo:
            # Only now: where the game cannot be begun, as with a full disk, the sample game plays on.
            self.camera.close_feed()
            self._table.show(demo=False, cards=(), phase=Phase.NONE, camera=CameraView(ok=False))
        # What stood large while there was no game, as that a camera is looked for, stands beside it from now on.
        self._table.show(trouble="")
        return said

    def _play_sample(self, _: PlaySample) -> str:
        if self.play_sample is None or not self._table.status.demo:
            raise Refused("The sample game is not at the table.")
        self.play_sample()
        return "The sample game begins again."

    def _set_mirror(self, request: SetMirror) -> str:
        if request.facing not in tuple(Facing):
            raise Refused("mirror is auto, yes or no.")
        mirror = self.camera.mirror
        before = mirror.mirrored
        mirror.say(Facing(request.facing))
        if mirror.mirrored != before:
            self._flip()
        else:
            self.camera.show()
        return "The picture is turned round." if mirror.mirrored else "The picture is shown as it comes."

    def _choose_seats(self, request: ChooseSeats) -> str:
        feed, session = self.camera.feed, self._session
        found = session and session.finder and session.finder.arrangement
        if feed is None or session is None or not found or request.order not in found.orders:
            raise Refused("Those seats are not to be chosen now.")
        session.seat(feed, found, request.order, self._told_to, self.camera.mirror.mirrored, request.by)
        return "Thank you."
