"""The loop at the table: frame, cards, look, input, ruling; and what people ask for in between.

Capture is in `feeds`, the way from looks to inputs in `sight`; here they are joined to the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.log.store import LogError
from companion.packs.enrolment import Enrolling
from companion.referee.events import Input, Seated
from companion.referee.view import can_hold
from companion.seats.arrangement import Arrangement, seats_text
from companion.seats.finder import Usher
from companion.seats.history import InForce
from companion.seats.layout import AUTO
from companion.seats.mirroring import turn_round
from companion.table.requests import (
    Act,
    ListCameras,
    NewGame,
    Pause,
    Refused,
    ResetWatching,
    SelectCamera,
    SetMirror,
    TakeSeats,
)
from companion.table.session import Phase, Sitting, Watching
from companion.table.snapshot import CameraChoice, CameraView
from companion.table.table import Table, game_asked
from companion.watching.blindness import Blindness
from companion.watching.camera_opener import Chooser
from companion.watching.feeds import Feed, viewed
from companion.watching.preview import Pictures
from companion.watching.target import Target, aimed, aimed_now, before, pictures, turned_usher
from vision.tracking.mirror import Facing, Mirror
from vision.tracking.pipeline import FramePipeline
from vision.tracking.settler import TableState
from vision.types import Detector, Frame, Look, VisionError

#: Seconds between two looks at the camera's health, and that an idle table waits for what people ask.
HEALTH_EVERY_S, _IDLE_S = 1.0, 0.2
#: Seconds that whoever chose a camera is kept waiting for it; it may still come later.
_PATIENCE_S = 0.8

PHASES = {
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
    ) -> None:
        """Begin without a source. `shown`: there is a page that wants pictures; `facing`: are they mirrored?"""
        self._shown = shown
        self._mirror = Mirror(facing)
        self._latest: Frame | None = None
        self._table, self._detector = table, detector
        #: What opens the sources that people choose.
        self.chooser = Chooser(opening, cameras, self._begin)
        self._feed: Feed | None = None
        self._eyes = FramePipeline(detector, still=False)
        self._target: Target | None = None
        self._blindness = Blindness()
        self._told_to = -1.0
        self._next_health = 0.0
        self._pictures, self._enrolling = Pictures(table), Enrolling(table, detector, self._look_with)
        self._message = ""

    # --- from outside ---------------------------------------------------------------------------------

    def use(self, feed: Feed, told_to: float = -1.0, demo: bool = False, message: str = "") -> None:
        """Watch `feed` from now on; looks up to its second `told_to` have been told before.

        `message` is shown beside the camera picker as long as this is watched.
        """
        if self._feed is not None:
            self._feed.close()
        self._feed, self._told_to, self._target, self._message = feed, told_to, None, message
        self._eyes = FramePipeline(self._detector, feed.still)
        self._mirror, self._latest = Mirror(self._mirror.facing), None
        self._show(phase=Phase.NONE, demo=demo, trouble="", cards=(), camera=self._camera_view(feed), unclear=None)

    def run(self, stay: bool = False) -> None:
        """Go on until the source has ended; with `stay` until interrupted. Raises VisionError, LogError."""
        while stay or not self.ended:
            try:
                self.once()
            except VisionError as error:
                if not stay:
                    raise
                self._close_feed()
                self._show(phase=Phase.LOST, trouble=str(error))

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to watch."""
        return self._feed is None or self._feed.ended

    @property
    def unseated(self) -> bool:
        """Whether it is still not known who sits where."""
        return self._target is not None and self._target.usher is not None

    def close(self) -> None:
        """Let go of the source."""
        self.chooser.close()
        self._close_feed()

    # --- the loop -------------------------------------------------------------------------------------

    def once(self) -> None:
        """Look after the table once: what was asked for, then the next frame."""
        feed = self._feed
        resting = feed is None or feed.ended or (self._paused and not feed.live)
        self._table.serve(self._asked, _IDLE_S if resting else 0.0)
        self.chooser.look_after()
        self._enrolling.look_after()
        if self._feed is None:
            self._show(camera=replace(self._table.watching.camera, choices=self.chooser.found))
        if feed is None or resting or feed is not self._feed:
            return
        frame = feed.next()
        if frame is not None:
            self._see(feed, frame)
        elif feed.ended and self._latest is not None:
            # The last picture stays in sight for as long as the page is open.
            self._give_picture(self._latest, at_once=True)
        self._check(feed)

    def _see(self, feed: Feed, frame: Frame) -> None:
        target = self._aim(feed, frame)
        frame = self._latest = self._mirror.turned(frame)
        sees = not feed.live or feed.health().sees
        if target is not None:
            self._table.at = max(self._table.at, target.base + frame.at)
            self._note_blindness(feed, sees)
        self._enrolling.see(frame if sees else None, self._eyes)
        # A black or frozen picture shows no cards; taken for a look it would clear the table.
        look = self._eyes.see(frame) if sees and not self._paused else None
        self._give_picture(frame, at_once=feed.still)
        if look is not None:
            self._take(feed, look, target)
            self._weigh(look)
        elif sees and not feed.still:
            self._show(phase=PHASES[self._eyes.state])

    def _take(self, feed: Feed, look: Look, target: Target | None) -> None:
        """A look: show its cards, and tell the referee where it is news."""
        phase = Phase.NONE if feed.still else PHASES[self._eyes.state]
        if target is None:
            self._show(phase=phase)
            return
        self._show(phase=phase, cards=target.sight.views(look))
        here = self._table.sitting
        if here is None or here.state.position.over is not None:
            return
        if target.usher is None:
            self._tell(feed, look, target, here)
        else:
            self._find_seats(feed, look, target.usher)

    def _tell(self, feed: Feed, look: Look, target: Target, here: Sitting) -> None:
        at, told_before = round(target.base + look.at, 3), look.at <= self._told_to
        state = before(here.state, at) if told_before else here.state
        now = state.position.round
        news = target.sight.seen(
            look,
            at,
            war=bool(now.wars and not now.verdict),
            camera=not feed.still,
            expected=lambda player, card: can_hold(state, player, card),
        )
        if news is None:
            return
        seen, faces = news
        target.sight.told(seen)
        if told_before:
            return
        shots = pictures(look, faces, target.box)
        self._submit(feed, seen, mark=None if feed.live else look.at, pictures=shots)

    def _submit(self, feed: Feed, entry: Input, **parts: Any) -> None:
        """What cannot be written is not ruled. A camera waits until that is put right: the cards still lie there."""
        try:
            self._table.submit(entry, model=self._detector.model_hash, **parts)
        except LogError as error:
            # Without a page nobody could say when to go on.
            if not feed.live or not self._shown:
                raise
            self._start_afresh()
            self._show(paused=True, trouble=str(error))

    def _aim(self, feed: Feed, frame: Frame) -> Target | None:
        """What the session at the table needs of the watching; made anew when another session begins."""
        here = self._table.sitting
        if here is None:
            return None
        if self._target is None or self._target.sitting.session != here.session:
            own = self._target is None and not feed.live and here.source == feed.spec
            base = 0.0 if own else here.state.at - frame.at
            self._target = aimed(here, base)
            if here.source == feed.spec:
                self._mirror.remember(self._target.seats.mirrored)
            self._note_turned(self._target.seats)
            self._blindness = Blindness()
            self._eyes.reset()
            self._show(unclear=None)
        elif self._target.sitting is not here:
            self._target = aimed_now(self._target, here)
        return self._target

    # --- who sits where, and which way round ----------------------------------------------------------

    def _find_seats(self, feed: Feed, look: Look, usher: Usher) -> None:
        """Keep looks back until it is clear whose cards they show."""
        found = usher.take(look)
        if found is not None:
            self._seat(feed, found, found.orders[0])
        else:
            self._show(unclear=usher.arrangement)

    def _seat(self, feed: Feed, found: Arrangement, order: tuple[str, ...], by: str = "") -> None:
        """Seat the players, and tell what was kept back."""
        target, here = self._target, self._table.sitting
        if target is None or target.usher is None or here is None:
            return
        held = target.usher.held
        at = max(here.state.at, round(target.base + held[0].at, 3))
        self._submit(feed, Seated(at, seats_text(order, found), self._mirror.mirrored), by=by)
        self._show(unclear=None)
        self._target = None if self._table.sitting is None else aimed(self._table.sitting, target.base)
        for look in held:
            target, here = self._target, self._table.sitting
            if target is not None and here is not None and here.state.position.over is None:
                self._show(cards=target.sight.views(look))
                self._tell(feed, look, target, here)

    def _weigh(self, look: Look) -> None:
        """Whether the picture is mirrored, once the look has been judged: nobody waits for that."""
        if not self._mirror.open or look.frame is None or not look.cards:
            return
        if self._mirror.weigh(look.frame.image, look.cards):
            self._turn_round(self._target)

    def _turn_round(self, target: Target | None) -> None:
        """From now on the picture is shown the other way round; everything told before is put right."""
        self._eyes.reset()
        if target is not None:
            if target.usher is not None:
                target.usher = turned_usher(target.usher, target.sitting.game.players)
            for entry in turn_round(target.sitting, self._table.at, self._mirror.mirrored):
                self._table.submit(entry)
            if self._table.sitting is not None:
                self._target = replace(aimed(self._table.sitting, target.base), usher=target.usher)
        if self._feed is not None:
            self._show(camera=self._camera_view(self._feed))

    def _note_turned(self, seats: InForce) -> None:
        """A session remembers that its picture is turned round: it goes on that way after a crash."""
        if self._mirror.mirrored and not seats.mirrored and seats.text != AUTO and self._target is not None:
            self._table.submit(Seated(self._table.at, seats.text, True))
            if self._table.sitting is not None:
                self._target = aimed(self._table.sitting, self._target.base)

    def _note_blindness(self, feed: Feed, sees: bool) -> None:
        hand = self._eyes.state is TableState.HAND
        # The pictures of a folder lie as far apart as whoever took them pleased.
        blind = None if feed.still else self._blindness.note(self._table.at, sees and not self._paused, hand)
        here = self._table.sitting
        if blind is not None and here is not None and here.state.position.over is None:
            self._submit(feed, blind)
            self._start_afresh()

    def _look_with(self, detector: Detector) -> None:
        """These are the eyes from now on: they know another pack, or learn one."""
        self._detector, self._eyes = detector, FramePipeline(detector, self._feed is not None and self._feed.still)
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._eyes.reset()
        if self._target is not None:
            self._target.sight.forget()

    # --- what people ask ------------------------------------------------------------------------------

    def _asked(self, act: Act) -> str | None:
        match act:
            case Pause() if not self._enrolling.on:
                on = not self._paused if act.on is None else act.on
                self._show(paused=on, trouble="" if not on else self._table.watching.trouble)
                return "Paused." if on else "Watching again."
            case ResetWatching():
                self._start_afresh()
                return "Looking at the table afresh."
            case NewGame() if self._table.watching.demo:
                game_asked(act)
                self._close_feed()
                self._show(demo=False, cards=(), phase=Phase.NONE, camera=CameraView(ok=False))
            case SelectCamera():
                return self._select(act.source)
            case ListCameras():
                self.chooser.list_cameras()
                return "Looking for cameras."
            case SetMirror():
                return self._set_mirror(act.facing)
            case TakeSeats(order=order) if order:
                return self._choose_seats(act)
        return self._enrolling.asked(act)

    def _set_mirror(self, said: str) -> str:
        if said not in tuple(Facing):
            raise Refused("mirror is auto, yes or no.")
        before = self._mirror.mirrored
        self._mirror.say(Facing(said))
        if self._mirror.mirrored != before:
            # No frame need have come since somebody changed seats or began another game.
            self._turn_round(aimed_now(self._target, self._table.sitting))
        elif self._feed is not None:
            self._show(camera=self._camera_view(self._feed))
        return "The picture is turned round." if self._mirror.mirrored else "The picture is shown as it comes."

    def _choose_seats(self, act: TakeSeats) -> str:
        usher = self._target and self._target.usher
        found = usher and usher.arrangement
        if self._feed is None or not found or act.order not in found.orders:
            raise Refused("Those seats are not to be chosen now.")
        self._seat(self._feed, found, act.order, act.by)
        return "Thank you."

    def _select(self, source: str) -> str:
        if self.chooser.choose(source, self._say_lost):
            return f"Watching {source}."
        self._show(camera=replace(self._table.watching.camera, message=f"{source} is being opened."))
        return f"{source} is being opened; it does not answer yet."

    def _begin(self, feed: Feed) -> None:
        if self._table.watching.demo:
            self._table.leave()
        self.use(feed)

    def _say_lost(self, error: VisionError) -> None:
        self._message = str(error)
        if self._feed is not None:
            self._show(camera=self._camera_view(self._feed))
            return
        self._show(phase=Phase.LOST, trouble=self._message, camera=CameraView(ok=False, message=self._message))

    # --- what is shown --------------------------------------------------------------------------------

    @property
    def _paused(self) -> bool:
        return self._table.watching.paused

    def _show(self, **parts: object) -> None:
        watching: Watching = replace(self._table.watching, **parts)  # type: ignore[arg-type]
        self._table.show(watching)

    def _check(self, feed: Feed) -> None:
        """How the source is doing, now and then."""
        now = time.monotonic()
        if now < self._next_health:
            return
        self._next_health = now + HEALTH_EVERY_S
        camera = self._camera_view(feed)
        if not camera.ok:
            self._show(camera=camera, phase=Phase.LOST)
        elif self._table.watching.phase is Phase.LOST:
            self._show(camera=camera, phase=Phase.WAITING)
        else:
            self._show(camera=camera)

    def _camera_view(self, feed: Feed) -> CameraView:
        return replace(
            viewed(feed, self._message),
            picture=min(1, self._pictures.count),
            choices=self.chooser.found,
            mirrored=self._mirror.mirrored,
            facing=str(self._mirror.facing),
        )

    def _give_picture(self, frame: Frame, at_once: bool = False) -> None:
        # A paused table is not watched for what moves.
        resting = self._eyes.resting and not self._paused
        if self._shown and self._pictures.give(frame, self._eyes.cards, resting, at_once) and frame is self._latest:
            self._latest = None

    def _close_feed(self) -> None:
        if self._feed is not None:
            self._feed.close()
        self._feed = None
