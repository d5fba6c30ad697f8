"""The loop at the table: frame, cards, look, input, ruling; and what people ask for in between.

Capture is in `feeds`, the way from looks to inputs in `sight`; here they are joined to the table.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from companion.acts import Act, ListCameras, NewGame, Pause, Refused, ResetWatching, SelectCamera
from companion.blindness import Blindness
from companion.events import Input
from companion.feeds import Feed
from companion.log import LogError
from companion.moment import Phase, Sitting, Watching
from companion.referee import State
from companion.seats import parse
from companion.sight import Faces, Sight
from companion.snapshot import CameraChoice, CameraView
from companion.table import Table
from companion.view import can_hold
from vision.draw import drawn
from vision.eyes import Eyes
from vision.jpeg import crop, jpeg, part
from vision.settle import TableState
from vision.types import Detector, Frame, Look, VisionError

#: Seconds between two pictures for the page, and between two looks at the camera's health.
PICTURE_EVERY_S, HEALTH_EVERY_S = 0.15, 1.0
#: Seconds that an idle table waits for what people ask.
IDLE_S = 0.2

PHASES = {
    TableState.WAITING: Phase.WAITING,
    TableState.HAND: Phase.HAND,
    TableState.SETTLING: Phase.SETTLING,
    TableState.SETTLED: Phase.SETTLED,
}


@dataclass(slots=True)
class Target:
    """One session as the watching sees it: `base` is the session's second at the feed's second 0."""

    sitting: Sitting
    sight: Sight
    base: float
    box: tuple[float, float, float, float]


class Watch:
    """Watches one table. `opening` opens a source by its words, `cameras` lists the cameras there are."""

    def __init__(
        self,
        table: Table,
        detector: Detector,
        opening: Callable[[str], Feed],
        cameras: Callable[[], tuple[CameraChoice, ...]] = lambda: (),
        shown: bool = True,
    ) -> None:
        """Begin without a source. `shown`: there is a page that wants pictures."""
        self._shown = shown
        self._table, self._detector, self._opening, self._cameras = table, detector, opening, cameras
        self._feed: Feed | None = None
        self._eyes = Eyes(detector, still=False)
        self._target: Target | None = None
        self._blindness = Blindness()
        self._told_to = -1.0
        self._ends_in: float | None = None
        self._next_picture = self._next_health = 0.0
        self._pictures = 0
        self._message = ""
        #: The cameras found last, for the picker.
        self.found: tuple[CameraChoice, ...] = ()

    # --- from outside ---------------------------------------------------------------------------------

    def use(self, feed: Feed, told_to: float = -1.0, demo: bool = False, message: str = "") -> None:
        """Watch `feed` from now on; looks up to its second `told_to` have been told before.

        `message` is shown beside the camera picker as long as this is watched.
        """
        if self._feed is not None:
            self._feed.close()
        self._feed, self._told_to, self._target, self._message = feed, told_to, None, message
        self._eyes = Eyes(self._detector, feed.still)
        self._show(phase=Phase.NONE, demo=demo, trouble="", cards=(), camera=self._camera_view(feed))

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

    def close(self) -> None:
        """Let go of the source."""
        self._close_feed()

    # --- the loop -------------------------------------------------------------------------------------

    def once(self) -> None:
        """Look after the table once: what was asked for, then the next frame."""
        feed = self._feed
        resting = feed is None or feed.ended or (self._paused and not feed.live)
        self._table.serve(self._asked, IDLE_S if resting else 0.0)
        if feed is None or resting or feed is not self._feed:
            return
        frame = feed.next()
        if frame is not None:
            self._see(feed, frame)
        self._check(feed)

    def _see(self, feed: Feed, frame: Frame) -> None:
        target = self._aim(feed, frame)
        sees = not feed.live or feed.health().sees
        if target is not None:
            self._table.at = max(self._table.at, target.base + frame.at)
            self._note_blindness(feed, sees)
        # A black or frozen picture shows no cards; taken for a look it would clear the table.
        look = self._eyes.see(frame) if sees and not self._paused else None
        self._give_picture(frame)
        if look is not None:
            self._take(feed, look, target)
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
        if here is not None and here.state.position.over is None:
            self._tell(feed, look, target, here)

    def _tell(self, feed: Feed, look: Look, target: Target, here: Sitting) -> None:
        at, told_before = round(target.base + look.at, 3), look.at <= self._told_to
        state = _before(here.state, at) if told_before else here.state
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
            seats = parse(here.seats, here.game.players)
            own = self._target is None and not feed.live and here.source == feed.spec
            base = 0.0 if own else here.state.at - frame.at
            self._target = Target(here, Sight(here.game.players, seats), base, seats.table)
            self._blindness = Blindness()
            self._eyes.reset()
        return self._target

    def _note_blindness(self, feed: Feed, sees: bool) -> None:
        hand = self._eyes.state is TableState.HAND
        # The pictures of a folder lie as far apart as whoever took them pleased.
        blind = None if feed.still else self._blindness.note(self._table.at, sees and not self._paused, hand)
        here = self._table.sitting
        if blind is not None and here is not None and here.state.position.over is None:
            self._submit(feed, blind)
            self._start_afresh()

    def _start_afresh(self) -> None:
        self._eyes.reset()
        if self._target is not None:
            self._target.sight.forget()

    # --- what people ask ------------------------------------------------------------------------------

    def _asked(self, act: Act) -> str | None:
        match act:
            case Pause():
                on = not self._paused if act.on is None else act.on
                self._show(paused=on, trouble="" if not on else self._table.watching.trouble)
                return "Paused." if on else "Watching again."
            case ResetWatching():
                self._start_afresh()
                return "Looking at the table afresh."
            case NewGame() if self._table.watching.demo:
                self._close_feed()
                self._show(demo=False, cards=(), phase=Phase.NONE, camera=CameraView(choices=self.found))
            case SelectCamera():
                self._select(act.source)
                return f"Watching {act.source}."
            case ListCameras():
                self.list_cameras()
                return "Looking for cameras."
        return None

    def _select(self, source: str) -> None:
        try:
            feed = self._opening(source)
        except VisionError as error:
            raise Refused(str(error)) from None
        if self._table.watching.demo:
            self._table.leave()
        self.use(feed)

    def list_cameras(self) -> None:
        """Look for cameras beside the loop: a busy one may take seconds to answer."""

        def look() -> None:
            self.found = self._cameras()

        threading.Thread(target=look, name="cameras", daemon=True).start()

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
        health = feed.health()
        message = self._message or health.reason or ("The picture is black: open the lid." if health.black else "")
        if health.frozen and not message:
            message = "The picture stands still: unplug the camera and plug it in again."
        return CameraView(
            source=feed.spec,
            live=feed.live,
            ok=not feed.live or health.sees,
            message=message,
            frames_per_s=float(round(health.frames_per_s)),
            picture=min(1, self._pictures),
            size=health.size,
            choices=self.found,
        )

    def _give_picture(self, frame: Frame) -> None:
        now = time.monotonic()
        if not self._shown or now < self._next_picture:
            return
        self._next_picture = now + PICTURE_EVERY_S
        self._pictures += 1
        self._table.picture = self._pictures, jpeg(drawn(frame, self._eyes.cards))

    def _close_feed(self) -> None:
        if self._feed is not None:
            self._feed.close()
        self._feed = None


def _before(state: State, at: float) -> State:
    """The state before the inputs of second `at`: what the looks of a film that goes on were first seen with."""
    while state.past is not None and state.at >= at:
        state = state.past
    return state


def pictures(look: Look, faces: Faces, box: tuple[float, float, float, float]) -> dict[str, bytes]:
    """The evidence of a look: the table zone and every face, as JPEG by name."""
    if look.frame is None:
        return {}
    frame = look.frame
    crops = {
        f"{player} {place}": jpeg(crop(frame, found.quad))
        for player, cards in faces.items()
        for place, found in enumerate(cards)
    }
    return {"table": jpeg(part(frame, box)), **crops}
