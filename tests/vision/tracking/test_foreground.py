"""Hands and things in front of the table: cards that they hold are not laid, whatever the hand looks like."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from tests.vision.cards import face, picture
from vision.tracking.obstacles import Obstacle
from vision.tracking.pipeline import FramePipeline
from vision.tracking.settler import TableState
from vision.types import FoundCard, Frame, Look

FPS = 10
NINE, KING = face("9H", 400, 360), face("KC", 900, 360)
#: Skin and sleeves, BGR: light, dark, the table's own grey, painted.
SKINS = [(190, 210, 235), (30, 38, 52), (150, 100, 60), (40, 200, 60)]


class Table:
    """Acts of (seconds, cards, things) shown one after another; a thing is (x, y, colour, from the edge, trembles).

    A fourth part is how the camera was moved, as a 2x3 matrix.
    """

    model_hash = "table"

    def __init__(self, *acts):
        self.acts = [act[1:] for act in acts for _ in range(round(act[0] * FPS))]
        self.ground = picture(7, (1280, 720)) // 3 + 60
        self.rng = np.random.default_rng(1)
        self.noise = [self.rng.normal(0, 2, self.ground.shape).astype(np.int16) for _ in range(3)]

    def frames(self) -> Iterator[Frame]:
        for number, (cards, things, *bump) in enumerate(self.acts):
            image = self.ground if not bump else cv2.warpAffine(self.ground, bump[0], (1280, 720), borderMode=1)
            image = image.copy()
            for card in cards:
                (left, top), _, (right, bottom), _ = (tuple(map(int, corner)) for corner in card.quad)
                image[top:bottom, left:right] = 235
                cv2.putText(image, card.code, (left + 4, top + 30), 0, 0.7, (0, 0, 0), 2)
            for x, y, colour, reaches_in, trembles in things:
                x, y = np.rint(self.rng.normal((x, y), 1.5 if trembles else 0)).astype(int)
                if reaches_in:
                    cv2.line(image, (x, y + 30), (x + 60, 760), colour, 80)
                cv2.ellipse(image, (x, y), (60, 50), 0, 0, 360, colour, -1)
            yield Frame(cv2.add(image, self.noise[number % 3], dtype=cv2.CV_8U), number / FPS, name=str(number))

    def detect(self, frame: Frame) -> tuple[FoundCard, ...]:
        return tuple(self.acts[int(frame.name)][0])


def watch(*acts) -> tuple[list[Look], list[TableState]]:
    table = Table(*acts)
    eyes, looks, states = FramePipeline(table, still=False), [], []
    for frame in table.frames():
        looks.append(eyes.see(frame))
        states.append(eyes.state)
    return [look for look in looks if look], states


@pytest.mark.parametrize("skin", SKINS)
def test_a_card_in_a_still_hand_is_not_laid(skin):
    hand = (440, 430, skin, True, True)
    looks, states = watch((2, [], []), (4, [NINE], [hand]), (2, [NINE], []))
    assert [round(look.at, 1) for look in looks] == [pytest.approx(6.6, abs=0.3)]
    assert set(states[22:60]) == {TableState.HAND}


def test_a_card_beside_a_hand_waits_for_it_but_one_far_from_it_is_judged():
    arm = (900, 620, SKINS[0], True, True)
    looks, _ = watch((2, [], []), (3, [NINE], [arm]), (3, [NINE, KING], [(900, 480, SKINS[0], True, True)]))
    assert [[card.code for card in look.cards] for look in looks] == [["9H"]]


def test_hands_that_were_there_from_the_first_picture_lay_nothing():
    acts = [(1.2, [NINE], [(440 + 7 * number, 430 + 5 * number, SKINS[1], True, True)]) for number in range(6)]
    looks, _ = watch(*acts)
    assert not looks


def test_a_thing_put_down_beside_a_card_is_a_part_of_the_table_at_once():
    glass = (490, 350, (200, 180, 60), False, False)
    looks, _ = watch((2, [], []), (4, [NINE], [glass]))
    assert [look.at for look in looks] == [pytest.approx(2.7, abs=0.15)]


def test_a_thing_pushed_in_from_the_edge_becomes_a_part_of_the_table_later():
    box = (460, 430, (200, 180, 60), True, False)
    looks, _ = watch((2, [], []), (12, [NINE], [box]))
    assert [look.at for look in looks] == [pytest.approx(10.3, abs=0.7)]


def test_a_card_laid_is_judged_as_soon_as_before():
    hand = (440, 430, SKINS[0], True, True)
    looks, _ = watch((2, [], []), (0.5, [], [hand]), (0.5, [NINE], [hand]), (2, [NINE], []))
    assert [look.at for look in looks] == [pytest.approx(3.6, abs=0.11)]


def test_a_camera_that_was_moved_is_followed_and_told_of():
    bump = cv2.getRotationMatrix2D((640, 360), 0.8, 1.0) + np.array([[0, 0, 16], [0, 0, 9]])
    nine, king = face("9H", 416, 366), face("KC", 916, 368)
    table = Table((2, [NINE], []), (2, [nine], [], bump), (2, [nine, king], [], bump))
    eyes, looks, told = FramePipeline(table, still=False), [], []
    for frame in table.frames():
        looks.append(eyes.see(frame))
        told.append(eyes.obstacle)
    assert [(round(look.at, 1), len(look.cards)) for look in looks if look] == [
        (0.9, 1),
        (pytest.approx(4.7, abs=0.2), 2),
    ]
    assert Obstacle.BUMPED in told[20:35]


def test_a_thing_that_stays_over_a_card_is_told_of_within_five_seconds():
    table, told = Table((2, [], []), (5, [NINE], [(440, 430, SKINS[0], True, True)])), []
    eyes = FramePipeline(table, still=False)
    for frame in table.frames():
        eyes.see(frame)
        told.append(eyes.obstacle)
    assert told[-1] is Obstacle.HELD


@pytest.mark.parametrize("sharp", [3, 40])
def test_a_shadow_that_lies_over_the_table_is_no_hand_and_its_cards_are_judged(sharp):
    table = Table((2, [], []), (6, [NINE], []), (3, [NINE, KING], []))
    across = np.arange(1280)[None, :] + 0.3 * np.arange(720)[:, None]
    eyes, looks, obstacles = FramePipeline(table, still=False), [], set()
    for number, frame in enumerate(table.frames()):
        # Its edge passes the nine, and lies across the table when the king is laid.
        edge = 900 * np.sin(number / 80) ** 2
        shade = 0.45 / (1 + np.exp((across - edge) / sharp))
        looks.append(eyes.see(Frame((frame.image * (1 - shade[..., None])).astype(np.uint8), frame.at, frame.name)))
        obstacles.add(eyes.obstacle)
    assert [[card.code for card in look.cards] for look in looks if look] == [["9H"], ["9H", "KC"]]
    assert obstacles == {None}
