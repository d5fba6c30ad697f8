"""What counts as movement under lamps that are not constant and before tables that sway; a hand moves under each."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.tracking.motion import MotionDetector
from vision.types import Frame, Image

SIZE = 1280, 720
ROWS = np.linspace(0, 1, SIZE[1])[:, None, None]


def table() -> Image:
    """A dark grained table with two bright cards, one of them burnt out."""
    rng = np.random.default_rng(5)
    image = cv2.GaussianBlur(rng.normal(85, 60, (SIZE[1], SIZE[0], 3)), (0, 0), 3) + 5
    image[200:420, 300:460], image[230:450, 800:960] = 190, 255
    image[230:300, 330:380] = 40
    return np.clip(image, 0, 255).astype(np.uint8)


def lit(image: Image, gain: object) -> Image:
    return np.clip(image.astype(np.float32) * gain, 0, 255).astype(np.uint8)


def shifted(image: Image, x: float, y: float) -> Image:
    matrix = np.array([[1, 0, x], [0, 1, y]], dtype=np.float32)
    return np.asarray(cv2.warpAffine(image, matrix, SIZE, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)


CHANGES = {
    "pulse": (lambda i: lit(i, 0.9), lambda i: lit(i, 1.0)),
    "exposure": (lambda i: lit(i, 0.6), lambda i: lit(i, 0.9)),
    "bands": (lambda i: lit(i, 1 + 0.1 * np.sin(9 * ROWS)), lambda i: lit(i, 1 + 0.1 * np.sin(9 * ROWS + 2))),
    "shadow": (lambda i: lit(i, 1 - 0.2 * ROWS), lambda i: lit(i, 1 - 0.23 * ROWS)),
    "sway": (lambda i: shifted(i, -2, 1), lambda i: shifted(i, 3, -2)),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_light_and_sway_move_nothing(kind):
    before, after = CHANGES[kind]
    motion = MotionDetector()
    motion.see(Frame(before(table()), 0.0))
    assert not motion.see(Frame(after(table()), 0.1)).any()


@pytest.mark.parametrize("kind", CHANGES)
def test_a_hand_moves_under_any_light(kind):
    before, after = CHANGES[kind]
    motion, hand = MotionDetector(), table()
    hand[260:480, 560:720] = (120, 150, 190)
    motion.see(Frame(before(table()), 0.0))
    moving = motion.see(Frame(after(hand), 0.1))
    assert moving[13:24, 28:36].mean() > 0.8
    moving[11:26, 26:38] = False
    assert not moving.any()


def test_the_shift_of_a_swaying_picture_is_told_in_pixels():
    motion = MotionDetector()
    motion.see(Frame(table(), 0.0))
    motion.see(Frame(shifted(table(), 6, -4), 0.1))
    assert motion.shift == pytest.approx((6, -4), abs=0.7)


def test_a_card_that_slides_is_no_sway():
    motion, slid = MotionDetector(), table()
    slid[200:420, 300:460] = slid[500:720, 300:460]
    slid[210:430, 310:470] = 190
    motion.see(Frame(table(), 0.0))
    assert motion.see(Frame(slid, 0.1)).any()


def test_in_the_dark_less_change_is_movement():
    motion, hand = MotionDetector(), lit(table(), 0.15)
    motion.see(Frame(hand, 0.0))
    hand = hand.copy()
    hand[100:300, 560:720] += 9
    assert motion.see(Frame(hand, 0.1)).any()
