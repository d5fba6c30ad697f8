"""Frames in, looks out: motion, detector and settling joined for one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.geometry import overlap
from vision.light import measure_cast, measure_glare, remove_cast
from vision.tracking.foreground import Foreground
from vision.tracking.fusion import fuse_sightings
from vision.tracking.motion import DetectionGate, MotionDetector
from vision.tracking.obstacles import Obstacle, ObstacleMonitor
from vision.tracking.settler import SETTLE_S, Settler, TableState, is_held, is_touched, pair_cards
from vision.types import EVERY_S, SLACK_S, CarefulDetector, Detector, FoundCard, Frame, Look, Side, detect_carefully

#: The share by which the colour of the light follows each frame that is looked at.
_CAST_SHARE = 0.1
#: A card that only the careful look finds counts where it is read and found with at least these chances,
_SURE = 0.97
_FOUND = 0.5
#: shares no more than this with any other outline,
_APART = 0.15
#: and is no smaller than this share of the others' median, and no larger by as much.
_LEAST_SIZE = 0.4


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
        #: What the last careful look found, whether one was taken since the table moved, and the cards that it alone
        #: found: they lie there until something moves over them.
        self._careful: Sequence[FoundCard] = ()
        self._looked_closer = False
        self._extra: tuple[FoundCard, ...] = ()

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
        rested = self._settler.at_rest
        look = self._watch(frame)
        self._looked_closer = self._looked_closer and not (rested and not self._settler.at_rest)
        return look

    def _watch(self, frame: Frame) -> Look | None:
        moving = self._motion.see(frame)
        if self._motion.picture is not None:
            self._foreground.see(frame.at, self._motion.picture, moving, self._motion.gain)
        bumped_at = self._foreground.bumped_at
        self._obstacles.note(frame, self._motion, self.state, self.cards, self._settler.held, bumped_at)
        looks = self._gate.opens(frame.at, bool(moving.any()), self._settler.at_rest)
        self.resting = not looks
        # Under a moving hand nothing can settle; the processor rests until it is gone.
        if self._settler.covered(frame.at, moving):
            return self._settler.see(frame, self.cards, moving)
        if not looks:
            self._settler.rest(frame.at)
            return None
        if moving.any():
            self._looked_closer = self._looked_closer and self._settler.at_rest
            self._extra = tuple(card for card in self._extra if not is_touched(card, moving, frame.size))
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
        look = self._settler.see(frame, self.cards, moving, foreground, partial(self._look_closer, frame))
        if self._settler.at_rest:
            self._foreground.settle(self._settler.cards, lay, frame.size)
        return look

    def _look_closer(self, frame: Frame, cards: Sequence[FoundCard]) -> Sequence[FoundCard]:
        """The cards of a table that has come to rest, joined with what a careful look finds; once until it moves."""
        if isinstance(self._detector, CarefulDetector) and not self._looked_closer:
            found = _with_glare(frame, self._detector.detect_carefully(frame))
            foreground = self._foreground.at_cards((*cards, *found), self._settler.cards, frame.size)
            self._careful = [card for card in found if not is_held([card], foreground, frame.size)]
            self._looked_closer = True
        joined = join_careful(cards, self._careful)
        self._extra = tuple(joined[len(cards) :])
        return joined

    def _found(self, frame: Frame) -> tuple[FoundCard, ...]:
        now, before = measure_cast(frame.image), self._cast or measure_cast(frame.image)
        blue, green, red = (_CAST_SHARE * new + (1 - _CAST_SHARE) * old for new, old in zip(now, before, strict=True))
        self._cast = blue, green, red
        white = replace(frame, image=remove_cast(frame.image, self._cast))
        found = _with_glare(frame, self._detector.detect(white))
        return (*found, *(card for card in self._extra if not any(_overlaps(card, other) for other in found)))

    def reset(self) -> None:
        """Forget what is settled: the next still table is a new look, even if nothing changed."""
        self._gate, self._settler = DetectionGate(), Settler(self._settler.settle_s)
        self._foreground = Foreground(begin_s=0.0)
        self._looked_closer, self._extra = False, ()
        self._obstacles = ObstacleMonitor()
        self.resting = False


def _with_glare(frame: Frame, cards: Iterable[FoundCard]) -> tuple[FoundCard, ...]:
    return tuple(
        replace(card, glare=measure_glare(frame.image, card.quad)) if card.readings else card for card in cards
    )


def join_careful(cards: Sequence[FoundCard], careful: Sequence[FoundCard]) -> list[FoundCard]:
    """The cards, the unsure ones read together with their second sight, and behind them what that alone shows surely.

    `careful` are the cards that a careful look found in the same picture.
    """
    again = pair_cards(cards, careful)
    joined = [_read_twice(card, other) for card, other in zip(cards, again, strict=True)]
    sizes = [card.area for card in (*cards, *careful)]
    for card in careful:
        sure = card.side is Side.FACE and card.read and card.p >= _SURE and card.found >= _FOUND
        like_others = _LEAST_SIZE < card.area / float(np.median(sizes)) < 1 / _LEAST_SIZE
        if sure and like_others and not any(_overlaps(card, other) for other in (*joined, *cards)):
            joined.append(card)
    return joined


def _read_twice(card: FoundCard, other: FoundCard | None) -> FoundCard:
    if other is None or card.side is not Side.FACE or other.side is not Side.FACE or (card.read and card.p >= _SURE):
        return card
    return replace(fuse_sightings((card, other)), quad=card.quad)


def _overlaps(a: FoundCard, b: FoundCard) -> bool:
    return overlap(a.quad, b.quad)[1] > _APART
