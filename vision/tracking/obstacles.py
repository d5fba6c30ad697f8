"""Why a table does not settle, or cards on it are not read: what a person can put right. Pure but for pixels."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from enum import StrEnum
from math import inf

import numpy as np

from vision.geometry import as_quad, points, shared_area, short_and_long
from vision.light import measure_brightness
from vision.tracking.motion import MotionDetector
from vision.tracking.settler import TableState, is_dazzled
from vision.types import FoundCard, Frame, Side

#: Seconds that a person waits for a table to settle, or for a card to be read, before they wonder.
_WAIT_S = 4.5
#: Seconds that a hand may be over the table: dealing and gathering take longer than laying a card.
_HAND_S = 10.0
#: Seconds over which the light and the camera are watched.
_WATCH_S = 3.0
#: A lamp pulses where its factor from frame to frame spreads by more than this (standard deviation).
_PULSING = 0.02
#: A picture shakes where so many of the frames watched were shifted as a whole.
_SHAKING = 0.3
#: Mean brightness, 0..255, below which the picture is too dark to find cards.
_DARK = 22.0
#: A face shorter than so many pixels is too small to read: the reader was trained down to about this height.
SMALL_PX = 70
#: What is narrower than this share of its length is no whole card seen from above: another one lies over it, or, where
#: none lies beside it, the camera stands too low.
_NARROW = 0.5
#: Another card lies beside an outline that is made larger by this factor and reaches it.
_BESIDE = 1.15
#: Seconds for which a camera that was moved is told of.
_BUMPED_S = 5.0


class Obstacle(StrEnum):
    """What is in the way; the words catalogue says what to do about each."""

    DARK = "dark"
    PULSING = "pulsing"
    SHAKING = "shaking"
    HAND = "hand"
    HELD = "held"
    BUMPED = "bumped"
    GLARE = "glare"
    SMALL = "small"
    COVERED = "covered"
    LOW = "low"
    UNREAD = "unread"


class ObstacleMonitor:
    """Watches for what keeps a table from being judged. `now` is what is in the way, None where nothing is."""

    def __init__(self) -> None:
        """Begin with nothing in the way."""
        self.now: Obstacle | None = None
        self._light: deque[tuple[float, float, bool]] = deque()
        self._settled_at: float | None = None
        self._read_at: float | None = None
        self._lit_at: float | None = None
        self._free_at: float | None = None
        self._bumped_at = -inf

    def note(
        self,
        frame: Frame,
        motion: MotionDetector,
        state: TableState,
        cards: Sequence[FoundCard],
        held: bool = False,
        bumped_at: float = -inf,
    ) -> None:
        """Take a frame into account: what moved in it, what the table is doing, and the cards last found.

        `held`: something that keeps still reaches the cards; `bumped_at`: when the camera was last moved, in seconds.
        """
        self._bumped_at = bumped_at
        if not held or self._free_at is None:
            self._free_at = frame.at
        at, unread = frame.at, [card for card in cards if card.side is Side.FACE and not card.read]
        self._light.append((at, motion.gain, motion.shift != (0.0, 0.0)))
        while self._light[0][0] < at - _WATCH_S:
            self._light.popleft()
        if state in (TableState.SETTLED, TableState.WAITING) or self._settled_at is None:
            self._settled_at = at
        if not unread or state is TableState.HAND or self._read_at is None:
            self._read_at = at
        if self._lit_at is None or measure_brightness(frame.image) >= _DARK:
            self._lit_at = at
        self.now = self._judge(at, unread, cards)

    def _judge(self, at: float, unread: Sequence[FoundCard], cards: Sequence[FoundCard]) -> Obstacle | None:
        if at - (self._lit_at or 0.0) >= _WAIT_S:
            return Obstacle.DARK
        waited = at - (self._settled_at or 0.0)
        if waited >= _WAIT_S and self._pulses():
            return Obstacle.PULSING
        if waited >= _WAIT_S and np.mean([shifted for _, _, shifted in self._light]) >= _SHAKING:
            return Obstacle.SHAKING
        if at - self._bumped_at < _BUMPED_S:
            return Obstacle.BUMPED
        if at - (self._free_at or 0.0) >= _WAIT_S:
            return Obstacle.HELD
        if waited >= _HAND_S:
            return Obstacle.HAND
        return explain_unread(unread, cards) if at - (self._read_at or 0.0) >= _WAIT_S else None

    def _pulses(self) -> bool:
        return float(np.std([gain for _, gain, _ in self._light])) > _PULSING


def explain_unread(unread: Sequence[FoundCard], cards: Sequence[FoundCard]) -> Obstacle:
    """Why faces among the cards cannot be read; the first reason of: light, size, another card, the camera's height."""
    if any(is_dazzled(card) for card in unread):
        return Obstacle.GLARE
    if short_and_long(unread[0].quad)[1] < SMALL_PX:
        return Obstacle.SMALL
    narrow = [card for card in unread if np.divide(*short_and_long(card.quad)) < _NARROW]
    if any(_lies_beside(card, other) for card in narrow for other in cards if other is not card):
        return Obstacle.COVERED
    return Obstacle.LOW if narrow else Obstacle.UNREAD


def _lies_beside(card: FoundCard, other: FoundCard) -> bool:
    middle, corners = np.array(card.centre), points(card.quad)
    return shared_area(as_quad(middle + (corners - middle) * _BESIDE), other.quad) > 0
