"""Frames in, looks out: motion, detector and settling joined for one table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.light import measure_cast, measure_glare, remove_cast
from vision.tracking.foreground import Foreground
from vision.tracking.motion import DetectionGate, MotionDetector
from vision.tracking.obstacles import Obstacle, ObstacleMonitor
from vision.tracking.settler import SETTLE_S, Settler, TableState
from vision.types import EVERY_S, SLACK_S, Detector, FoundCard, Frame, Look, detect_carefully

#: The share by which the colour of the light follows each frame that is looked at.
_CAST_SHARE = 0.1


class FramePipeline:
    """Watches one table through one detector.

    `cards` are what was found in the last frame that was looked at, for drawing; `state` and `since`
    (seconds) say what the watching is doing and from when on. `resting`: nothing has moved for a while, and no
    frame is looked at for cards but now and then.
    """

    def __init__(self, detector: Detector, still: bool, settle_s: float = SETTLE_S, every_s: float = EVERY_S) -> None:
        """`still`: each frame is a settled look by itself (a folder of pictures)."""
        self.cards: tuple[FoundCard, ...] = ()
        self.resting = False
        self._detector, self._still, self._every_s = detector, still, every_s
        self._next_at = float("-inf")
        #: What takes the colour out of the light, followed slowly: cards come and go, the lamp stays.
        self._cast: tuple[float, float, float] | None = None
        self._motion, self._gate, self._settler = MotionDetector(), DetectionGate(), Settler(settle_s)
        self._foreground = Foreground()
        self._obstacles = ObstacleMonitor()

    @property
    def state(self) -> TableState:
        """What the watching is doing."""
        return self._settler.state

    @property
    def since(self) -> float:
        """From when on it has been doing that, in seconds of the frames' clock."""
        return self._settler.since

    @property
    def obstacle(self) -> Obstacle | None:
        """What has been in the way of judging the table for longer than a person would wait."""
        return self._obstacles.now

    def see(self, frame: Frame) -> Look | None:
        """Take one frame; gives a look when there is one. Frames that come faster than needed are passed over."""
        if self._still:
            self.cards = _with_glare(frame, detect_carefully(self._detector, frame))
            return Look(frame.at, self.cards, frame.size, moved=True, frame=frame)
        if frame.at < self._next_at:
            return None
        self._next_at = frame.at + self._every_s - SLACK_S
        moving = self._motion.see(frame)
        if self._motion.picture is not None:
            self._foreground.see(frame.at, self._motion.picture, moving, self._motion.gain)
        self._obstacles.note(frame, self._motion, self.state, self.cards)
        looks = self._gate.opens(frame.at, bool(moving.any()), self._settler.at_rest)
        self.resting = not looks
        # Under a moving hand nothing can settle; the processor rests until it is gone.
        if self._settler.covered(frame.at, moving):
            return self._settler.see(frame, self.cards, moving)
        if not looks:
            self._settler.rest(frame.at)
            return None
        self.cards = self._found(frame)
        if self._settler.at_rest and self._settler.doubts(self.cards):
            # Once is a flicker and is past with the next frame; what stays gets frames until it has settled.
            self._gate.wake(frame.at, self._every_s + SLACK_S)
        return self._settled(frame, moving)

    def _settled(self, frame: Frame, moving: NDArray[np.bool_]) -> Look | None:
        """Settle the cards that were found, but for those that something in front of the table holds."""
        lay = self._settler.cards
        foreground = self._foreground.at_cards(self.cards, lay, frame.size)
        if self._foreground.beginning and self.cards:
            foreground = np.ones_like(moving)
        look = self._settler.see(frame, self.cards, moving, foreground)
        if self._settler.at_rest:
            self._foreground.settle(self._settler.cards, lay, frame.size)
        return look

    def _found(self, frame: Frame) -> tuple[FoundCard, ...]:
        now, before = measure_cast(frame.image), self._cast or measure_cast(frame.image)
        blue, green, red = (_CAST_SHARE * new + (1 - _CAST_SHARE) * old for new, old in zip(now, before, strict=True))
        self._cast = blue, green, red
        white = replace(frame, image=remove_cast(frame.image, self._cast))
        return _with_glare(frame, self._detector.detect(white))

    def reset(self) -> None:
        """Forget what is settled: the next still table is a new look, even if nothing changed."""
        self._gate, self._settler = DetectionGate(), Settler(self._settler.settle_s)
        self._foreground = Foreground(begin_s=0.0)
        self._obstacles = ObstacleMonitor()
        self.resting = False


def _with_glare(frame: Frame, cards: Iterable[FoundCard]) -> tuple[FoundCard, ...]:
    return tuple(
        replace(card, glare=measure_glare(frame.image, card.quad)) if card.readings else card for card in cards
    )
