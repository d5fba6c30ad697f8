"""What is said where a table does not settle or its cards are not read, and after how long."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.cards import face
from vision.tracking.motion import MotionDetector
from vision.tracking.obstacles import Obstacle, ObstacleMonitor
from vision.tracking.settler import TableState
from vision.types import FoundCard, Frame

UNREAD = replace(face("9H", 100, 100), read=False)


def obstacle(
    seconds: float,
    state: TableState = TableState.SETTLING,
    cards: tuple[FoundCard, ...] = (),
    light: int = 120,
    pulse: float = 0.0,
    sway: float = 0.0,
) -> Obstacle | None:
    """What is in the way after so many seconds of the same."""
    monitor, motion = ObstacleMonitor(), MotionDetector()
    for number in range(round(seconds * 10) + 1):
        motion.gain, motion.shift = 1 + pulse * (-1) ** number, (sway, 0.0)
        at = number / 10
        moved = TableState.SETTLED if number == 0 else state
        monitor.note(Frame(np.full((90, 160, 3), light, np.uint8), at), motion, moved, cards)
    return monitor.now


@pytest.mark.parametrize("state", [TableState.SETTLING, TableState.HAND])
def test_what_keeps_a_table_from_settling_is_told_within_five_seconds(state):
    assert obstacle(5, state, pulse=0.05) is Obstacle.PULSING
    assert obstacle(5, state, sway=2.0) is Obstacle.SHAKING
    assert obstacle(5, state) is None and obstacle(3, state, pulse=0.05) is None


def test_a_hand_may_take_longer():
    assert obstacle(9, TableState.HAND) is None and obstacle(11, TableState.HAND) is Obstacle.HAND


def test_a_settled_table_under_a_pulsing_lamp_is_well():
    assert obstacle(20, TableState.SETTLED, (face("9H"),), pulse=0.05, sway=2.0) is None
    assert obstacle(20, TableState.WAITING) is None


def test_cards_that_lie_there_unread_are_told_of():
    assert obstacle(3, TableState.SETTLED, (UNREAD,)) is None
    assert obstacle(5, TableState.SETTLED, (replace(UNREAD, glare=0.5),)) is Obstacle.GLARE
    small = replace(UNREAD, quad=((0.0, 0.0), (40.0, 0.0), (40.0, 56.0), (0.0, 56.0)))
    assert obstacle(5, TableState.SETTLED, (small,)) is Obstacle.SMALL
    large = replace(UNREAD, quad=((0.0, 0.0), (90.0, 0.0), (90.0, 126.0), (0.0, 126.0)))
    assert obstacle(5, TableState.SETTLED, (large,)) is Obstacle.UNREAD


def test_the_dark_is_told_of_whatever_the_table_does():
    assert obstacle(5, TableState.WAITING, light=8) is Obstacle.DARK


def box(x: float, y: float, wide: float, high: float) -> FoundCard:
    """An unread face with this outline."""
    return replace(UNREAD, quad=((x, y), (x + wide, y), (x + wide, y + high), (x, y + high)))


def test_a_card_half_under_another_and_a_low_camera_are_told_apart():
    strip, over, flat = box(100, 100, 50, 150), box(150, 100, 105, 150), box(600, 100, 200, 80)
    assert obstacle(5, TableState.SETTLED, (strip, replace(over, read=True))) is Obstacle.COVERED
    assert obstacle(5, TableState.SETTLED, (flat, replace(over, read=True))) is Obstacle.LOW
