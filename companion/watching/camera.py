"""The camera of the table: opened beside the loop, watched for its health, shown on the page.

A driver may block for ever; nobody at the table waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from companion.table.requests import ListCameras, Refused, SelectCamera
from companion.table.session import Phase
from companion.table.snapshot import CameraChoice, CameraView
from companion.table.table import Table
from companion.watching.feeds import Feed, describe_health
from companion.watching.meters import judge_picture
from companion.words import speak
from vision.annotate import draw_cards
from vision.background import BackgroundCall
from vision.images import encode_jpeg
from vision.light import measure_brightness, measure_sharpness
from vision.sources.mjpeg import hide_password
from vision.sources.phone import PHONES
from vision.tracking.mirror import Facing, Mirror
from vision.types import FoundCard, Frame, VisionError

#: Seconds between two checks of the camera's health.
_HEALTH_EVERY_S = 1.0
#: Seconds between two measures of the picture.
_METERS_EVERY_S = 1.5
#: Seconds that whoever chose a camera waits for it; it may still come later.
_PATIENCE_S = 0.8
#: Seconds after which a source that is being opened is said to take long.
_LONG_S = 5.0
#: Seconds between two pictures for the page while something moves.
_PICTURE_EVERY_S = 0.15
#: Seconds between two pictures for the page of a table at rest.
_PICTURE_AT_REST_S = 1.0


class TableCamera:
    """The feed that is watched now, the source being opened, and the picture on the page.

    `feed` is None where nothing is watched; `choices` are the cameras found last, without phones.
    """

    def __init__(
        self,
        table: Table,
        opening: Callable[[str], Feed],
        cameras: Callable[[], tuple[CameraChoice, ...]],
        began: Callable[[Feed], None],
        facing: Facing,
        tell: Callable[[str], None],
    ) -> None:
        """`opening` opens a source by its words, `cameras` lists cameras, `began` is called with what was opened.

        `tell` is called with a sentence when the camera shows nothing any more.
        """
        self.feed: Feed | None = None
        self.mirror = Mirror(facing)
        self.choices: tuple[CameraChoice, ...] = ()
        self._table, self._open, self._list, self._began, self._tell = table, opening, cameras, began, tell
        self._opening: tuple[BackgroundCall[Feed], Callable[[VisionError], None]] | None = None
        self._listing: BackgroundCall[tuple[CameraChoice, ...]] | None = None
        self._message = ""
        self._next_health = self._next_meters = 0.0
        self._pictures, self._picture_at = 0, 0.0
        self._opened_since, self._told_long = 0.0, False

    def watch(self, feed: Feed, message: str = "") -> None:
        """Close the feed before and watch this one; `message` is shown beside the picker as long as it is watched."""
        self.close_feed()
        self.feed, self._message = feed, message
        self.mirror = Mirror(self.mirror.facing)

    def close_feed(self) -> None:
        """Close the feed that is watched, if any."""
        if self.feed is not None:
            self.feed.close()
        self.feed = None

    def close(self) -> None:
        """Close the feed, and whatever is being opened."""
        self._abandon()
        self.close_feed()

    # --- opening --------------------------------------------------------------------------------------

    def select(self, request: SelectCamera) -> str:
        """Watch another source, at once where it answers soon. Raises Refused."""
        source = request.source
        self.open_beside(lambda: self._open(source), self._tell_lost)
        try:
            if self._take_opened(_PATIENCE_S):
                return f"Watching {source}."
        except VisionError as error:
            raise Refused(str(error)) from None
        self._table.show(camera=replace(self._table.status.camera, message=f"{hide_password(source)} is being opened."))
        return f"{source} is being opened; it does not answer yet."

    def open_beside(self, opening: Callable[[], Feed], failed: Callable[[VisionError], None]) -> None:
        """Begin to open a source; `poll` takes it, or calls `failed`. What is being opened already is given up."""
        self._abandon()
        self._opening = BackgroundCall(opening, "opening", discard=lambda feed: feed.close()), failed
        self._opened_since, self._told_long = time.monotonic(), False

    def poll(self) -> None:
        """Take what has been opened and found meanwhile, or tell why it could not be."""
        if self._listing is not None and self._listing.done:
            self.choices, self._listing = self._listing.result(), None
        opening = self._opening
        if opening is not None and not self._told_long and time.monotonic() - self._opened_since > _LONG_S:
            self._told_long = True
            self._show_long()
        try:
            self._take_opened(0)
        except VisionError as error:
            if opening is not None:
                opening[1](error)

    def _take_opened(self, seconds: float) -> bool:
        if self._opening is None:
            return False
        call = self._opening[0]
        try:
            feed = call.result(seconds)
        except TimeoutError:
            return False
        except Exception:
            self._opening = None
            raise
        self._opening = None
        self._began(feed)
        return True

    def _show_long(self) -> None:
        """Say that the source is still being opened: some cameras take half a minute."""
        message = speak(self._table.now.language).say("state.still_opening")
        self._table.show(camera=replace(self._table.status.camera, message=message))
        if self._table.session is None:
            self._table.show(trouble=message)

    def _abandon(self) -> None:
        if self._opening is not None:
            self._opening[0].abandon()
        self._opening = None

    def list_cameras(self, _: ListCameras) -> str:
        """Look for cameras beside the loop: a busy one may take seconds to answer."""
        self._listing = BackgroundCall(self._list, "cameras")
        return "Looking for cameras."

    def offered(self) -> tuple[CameraChoice, ...]:
        """The cameras to pick from: those found last, and the phones that send pictures or have sent some."""
        words = speak(self._table.now.language)
        phones = (
            CameraChoice(
                phone.spec,
                words.say("page.camera.phone_of", name=phone.name or words.say("page.camera.phone")),
                words.say("page.camera.phone_sends" if phone.sends else "page.camera.phone_waits"),
            )
            for phone in PHONES.list()
        )
        return (*self.choices, *phones)

    # --- how it is doing ------------------------------------------------------------------------------

    def check(self) -> None:
        """Show how the feed is doing, at most every _HEALTH_EVERY_S seconds; without one, what can be chosen."""
        if self.feed is None:
            self._table.show(camera=replace(self._table.status.camera, choices=self.offered()))
            return
        now = time.monotonic()
        if now < self._next_health:
            return
        self._next_health = now + _HEALTH_EVERY_S
        camera = self.view(self.feed)
        if not camera.ok and camera.message != self._table.status.camera.message:
            self._tell(camera.message)
        if not camera.ok:
            self._table.show(camera=camera, phase=Phase.LOST)
        elif self._table.status.phase is Phase.LOST:
            self._table.show(camera=camera, phase=Phase.WAITING)
        else:
            self._table.show(camera=camera)

    def show(self) -> None:
        """Show how the feed is doing now, where there is one."""
        if self.feed is not None:
            self._table.show(camera=self.view(self.feed))

    def view(self, feed: Feed) -> CameraView:
        """How a feed is doing, with what is known of the picture."""
        return replace(
            describe_health(feed, self._message),
            picture=min(1, self._pictures),
            choices=self.offered(),
            mirrored=self.mirror.mirrored,
            facing=str(self.mirror.facing),
        )

    def lose(self, error: VisionError) -> None:
        """Close the feed and say why. A game at the table stays in sight; without one, the sentence stands large."""
        self.close_feed()
        self._message = str(error)
        trouble = self._message if self._table.session is None else ""
        lost = CameraView(ok=False, message=self._message, choices=self.offered())
        self._table.show(phase=Phase.LOST, trouble=trouble, camera=lost)

    def _tell_lost(self, error: VisionError) -> None:
        if self.feed is None:
            self.lose(error)
            return
        self._message = str(error)
        self.show()

    def measure(self, frame: Frame, cards: Iterable[FoundCard]) -> None:
        """Show how well the picture serves, at most every _METERS_EVERY_S seconds."""
        now, feed = time.monotonic(), self.feed
        if feed is None or now < self._next_meters:
            return
        self._next_meters = now + _METERS_EVERY_S
        light = measure_brightness(frame.image)
        sharp = measure_sharpness(frame.image, [card.quad for card in cards])
        rate, views = self._table.status.camera.frames_per_s, self._table.status.cards
        meters = judge_picture(light, sharp, rate, feed.live, self.mirror.mirrored, views)
        if [one[:2] for one in meters] != [one[:2] for one in self._table.status.meters]:
            self._table.show(meters=meters)

    # --- the picture ----------------------------------------------------------------------------------

    def give_picture(self, frame: Frame, cards: Iterable[FoundCard], resting: bool, at_once: bool) -> bool:
        """Give the page the newest frame with its cards outlined; False where the last picture is too fresh."""
        now = time.monotonic()
        if now < self._picture_at + (_PICTURE_AT_REST_S if resting else _PICTURE_EVERY_S) and not at_once:
            return False
        self._picture_at = now
        self._pictures += 1
        self._table.picture = self._pictures, encode_jpeg(draw_cards(frame, cards))
        return True
