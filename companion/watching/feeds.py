"""Feeds: frames for the watching loop, one at a time; of a film all of them, of a camera only the newest."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Protocol

from companion.table.snapshot import CameraView
from vision.sources.latest_frame import BACK_OFF_S, Health, LatestFrame
from vision.sources.open import comes_by_itself, open_source
from vision.types import Frame, Source

#: Seconds to wait for a camera's next frame before the table's other business is looked after.
_PATIENCE_S = 0.1
#: Seconds before the next look for a phone that is not there.
_PHONE_AGAIN_S = 0.2
#: A film that lags by more seconds goes on from where it is instead of hurrying.
LATE_S = 1.0


class Feed(Protocol):
    """Where the watching gets its frames. `live`: frames come in real time; `still`: each is a settled look."""

    spec: str
    live: bool
    still: bool
    ended: bool

    def next(self) -> Frame | None:
        """The next frame, or None where there is none yet, or, with `ended`, none any more. Raises VisionError."""

    def health(self) -> Health:
        """How the source is doing."""

    def close(self) -> None:
        """Let go of the source."""


class FilmFeed:
    """A file or folder, frame by frame: as fast as it can be, or with `paced` at its own speed."""

    live = False

    def __init__(self, spec: str, source: Source, paced: bool = False) -> None:
        """Read `source`, which `spec` named."""
        self.spec, self.still, self.ended = spec, source.still, False
        self._source, self._paced = source, paced
        self._frames: Iterator[Frame] = iter(source)
        self._due: Frame | None = None
        self._started: float | None = None
        self._size = (0, 0)

    def next(self) -> Frame | None:
        """The next frame; None while it is not due yet, and at the end."""
        if self._due is None:
            self._due = next(self._frames, None)
            self.ended = self._due is None
        if self._due is None or not self._is_due(self._due):
            return None
        frame, self._due = self._due, None
        self._size = frame.size
        return frame

    def _is_due(self, frame: Frame) -> bool:
        if not self._paced:
            return True
        now = time.monotonic()
        self._started = now - frame.at if self._started is None else self._started
        early = frame.at - (now - self._started)
        if early < -LATE_S:
            self._started = now - frame.at
        if early > 0:
            time.sleep(min(early, _PATIENCE_S))
        return early <= _PATIENCE_S

    def health(self) -> Health:
        """Health of a file: always well."""
        return Health(size=self._size)

    def close(self) -> None:
        """Close the file."""
        self._source.close()


class CameraFeed:
    """A camera or stream: the newest frame only, opened again when it is lost."""

    live, still, ended = True, False, False

    def __init__(self, spec: str, source: Source | None = None) -> None:
        """Read `source`; `spec` opens it again, and for the first time where there is none. It is lost until then."""
        self.spec = spec
        back_off_s = (_PHONE_AGAIN_S,) if comes_by_itself(spec) else BACK_OFF_S
        self._newest = LatestFrame(lambda: open_source(spec), source, back_off_s)
        self._last: Frame | None = None

    def next(self) -> Frame | None:
        """The newest frame that has not been given yet."""
        frame = self._newest.frame(after=self._last, timeout=_PATIENCE_S)
        if frame is None or frame is self._last:
            return None
        self._last = frame
        return frame

    def health(self) -> Health:
        """How the camera is doing."""
        return self._newest.health

    def close(self) -> None:
        """Let go of the camera."""
        self._newest.close()


def open_feed(spec: str, paced: bool = False) -> Feed:
    """The feed of a `--source`; of a phone at once, whether it is there or not. Raises VisionError."""
    if comes_by_itself(spec):
        return CameraFeed(spec)
    source = open_source(spec)
    return CameraFeed(spec, source) if source.live else FilmFeed(spec, source, paced)


def describe_health(feed: Feed, message: str = "") -> CameraView:
    """How a feed is doing, for the page; `message` is said where there is nothing worse."""
    health = feed.health()
    said = message or health.reason or ("The picture is black: open the lid." if health.black else "")
    if health.frozen and not said:
        said = "The picture stands still: unplug the camera and plug it in again."
    rate, ok = float(round(health.frames_per_s)), not feed.live or health.sees
    return CameraView(feed.spec, feed.live, ok, said, rate, size=health.size)
