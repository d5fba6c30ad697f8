"""Keeps only the newest frame of a live source, reopens a lost one, and knows how it is doing.

One thread reads the device into one slot; everybody else looks into the slot. All frames carry one clock:
seconds since the watching began, also across reopenings.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vision.types import EVERY_S, SLACK_S, Frame, Source, VisionError

#: Seconds to wait before each further try at a lost camera; the last one repeats.
BACK_OFF_S = (0.5, 1.0, 2.0, 4.0, 8.0)
#: Seconds without a frame after which a device that says nothing counts as lost.
SILENT_S = 6.0
#: A picture no brighter than this (mean of 256) shows nothing: a lid, or a camera that another program holds.
BLACK_BELOW = 6.0
#: Seconds of pictures alike to the last pixel; a living sensor never gives two.
FROZEN_S = 3.0
#: Frames over which the rate is measured.
RATE_FRAMES = 30


@dataclass(frozen=True, slots=True)
class Health:
    """How a live source is doing. `since`, in seconds of the frames' clock, dates its present condition.

    `reason` is a plain sentence where it is lost. `size` is the newest frame's, in pixels.
    """

    frames_per_s: float = 0.0
    size: tuple[int, int] = (0, 0)
    black: bool = False
    frozen: bool = False
    lost: bool = False
    since: float = 0.0
    reason: str = ""

    @property
    def sees(self) -> bool:
        """Whether its pictures show what is in front of it now."""
        return not (self.black or self.frozen or self.lost)


@runtime_checkable
class SelectiveDecoder(Protocol):
    """A source that asks at each picture that comes whether it is to be decoded."""

    wanted: Callable[[], bool] | None


class LatestFrame:
    """The newest frame of a live source. Close it, or use it in a `with` statement."""

    def __init__(
        self,
        opening: Callable[[], Source],
        source: Source | None = None,
        back_off_s: Sequence[float] = BACK_OFF_S,
    ) -> None:
        """Begin to read `source`, or what `opening` gives; `opening` is called again whenever it is lost."""
        self._back_off_s = back_off_s
        self._opening, self._source = opening, source
        self._started = time.monotonic()
        self._slot = threading.Condition()
        self._newest: Frame | None = None
        self._came = float("-inf")
        self._closed = threading.Event()
        self._pulse = HealthMonitor()
        self._thread = threading.Thread(target=self._capture, name="capture", daemon=True)
        self._thread.start()

    def now(self) -> float:
        """Seconds since the watching began: the clock of all frames."""
        return time.monotonic() - self._started

    def frame(self, after: Frame | None = None, timeout: float = 1.0) -> Frame | None:
        """The newest frame that is not `after`; None when none comes within `timeout` seconds."""
        with self._slot:
            self._slot.wait_for(lambda: self._newest is not after or self._closed.is_set(), timeout)
            return self._newest if self._newest is not after and not self._closed.is_set() else None

    @property
    def health(self) -> Health:
        """How the source is doing at this moment."""
        return self._pulse.health(self.now())

    def close(self) -> None:
        """Stop reading and let go of the device."""
        self._closed.set()
        if self._source:
            self._source.close()
        with self._slot:
            self._slot.notify_all()
        self._thread.join(timeout=1.0)

    def __enter__(self) -> LatestFrame:
        """Use it in a `with` statement."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def _capture(self) -> None:
        """The capture thread: read until lost, wait a little longer each time, open again."""
        failures = 0
        while not self._closed.is_set():
            before = self._newest
            try:
                self._source = self._source or self._opening()
                self._read(self._source)
                reason = "The camera gives no more pictures."
            except VisionError as error:
                reason = str(error)
            self._pulse.lose(reason, self.now())
            if self._source:
                self._source.close()
                self._source = None
            failures = 0 if self._newest is not before else failures + 1
            self._closed.wait(self._back_off_s[min(failures, len(self._back_off_s) - 1)])

    def _read(self, source: Source) -> None:
        spares = isinstance(source, SelectiveDecoder)
        if isinstance(source, SelectiveDecoder):
            source.wanted = self._wanted
        for raw in source:
            if self._closed.is_set():
                break
            frame = replace(raw, at=self._came if spares else self.now())
            self._pulse.beat(frame)
            with self._slot:
                self._newest = frame
                self._slot.notify_all()

    def _wanted(self) -> bool:
        """Whether somebody looks at the picture that has come: nobody does more often than every EVERY_S."""
        now = self.now()
        if now - self._came < EVERY_S - SLACK_S:
            self._pulse.skip(now)
            return False
        self._came = now
        return True


class HealthMonitor:
    """Judges a source by its frames. The capture thread writes, anybody reads: each field is replaced whole."""

    def __init__(self) -> None:
        """Nothing has been seen yet."""
        self._times: deque[float] = deque(maxlen=RATE_FRAMES)
        self._health = Health(lost=True, reason="The camera is being opened.")
        self._print: NDArray[np.uint8] | None = None
        self._alike_since, self._last = 0.0, 0.0

    def beat(self, frame: Frame) -> None:
        """Take a frame into account."""
        small = np.ascontiguousarray(frame.image[::8, ::8])
        if self._print is None or not np.array_equal(small, self._print):
            self._print, self._alike_since = small, frame.at
        self._times.append(frame.at)
        self._last = frame.at
        health = Health(
            frames_per_s=self._rate(),
            size=frame.size,
            black=float(small.mean()) < BLACK_BELOW,
            frozen=frame.at - self._alike_since >= FROZEN_S,
        )
        self._change(health, frame.at)

    def skip(self, at: float) -> None:
        """A picture has come that nobody looks at."""
        self._times.append(at)

    def lose(self, reason: str, at: float) -> None:
        """The source has failed, and why."""
        self._times.clear()
        self._print = None
        self._change(Health(size=self._health.size, lost=True, reason=reason), at)

    def _change(self, health: Health, at: float) -> None:
        before = self._health
        same = (before.black, before.frozen, before.lost) == (health.black, health.frozen, health.lost)
        self._health = replace(health, since=before.since if same else at)

    def _rate(self) -> float:
        span = self._times[-1] - self._times[0]
        return (len(self._times) - 1) / span if span > 0 else 0.0

    def health(self, now: float) -> Health:
        """The condition at `now`; a device that has said nothing for long counts as lost."""
        health, last = self._health, self._last
        if health.lost or now - last < SILENT_S:
            return health
        return Health(size=health.size, lost=True, since=last, reason="The camera sends nothing: check its cable.")
