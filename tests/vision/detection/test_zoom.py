"""A face that is not surely read is looked at again in a picture of its surroundings alone."""

import numpy as np
import pytest

from vision.detection.detector import MOST_AGAIN, CardDetector
from vision.detection.finder import Outline
from vision.detection.reader import ONE_WAY, classify_both_ways
from vision.detection.weights import ReadAbove
from vision.detection.zoom import refine_outline
from vision.types import CLASSES, Frame, Side

IMAGE = np.zeros((400, 600, 3), np.uint8)


def box(left, top, right, bottom):
    return (left, top), (right, top), (right, bottom), (left, bottom)


LOOSE, TIGHT = box(100, 100, 160, 190), box(106, 104, 154, 176)


class Finder:
    """Outlines loosely in the whole picture, and tightly closer up; remembers the pictures it was shown."""

    def __init__(self, *quads, closer=TIGHT):
        self.quads, self.closer, self.shown = quads or (LOOSE,), closer, []

    def find(self, image):
        self.shown.append(image.shape[:2])
        if image.shape == IMAGE.shape:
            return tuple(Outline(quad, Side.FACE, 0.9) for quad in self.quads)
        left, top = (int(v) for v in corner(LOOSE))
        quad = tuple((x - left, y - top) for x, y in self.closer)
        return (Outline(quad, Side.FACE, 0.6),)


def corner(quad):
    """Where the picture of the surroundings begins: 2.2 heights round the middle of the outline."""
    (left, top), _, (right, bottom), _ = quad
    reach = 2.2 * (bottom - top) / 2
    return max(0, (left + right) / 2 - reach), max(0, (top + bottom) / 2 - reach)


class Reader:
    """Reads a nine of hearts along any outline, along the tight one more or less surely."""

    def __init__(self, loose, tight):
        self.sure = {LOOSE: loose, TIGHT: tight}

    def read(self, _, quads):
        p = np.zeros((len(quads), len(CLASSES)))
        for row, quad in zip(p, quads, strict=True):
            sure = next((p for known, p in self.sure.items() if np.allclose(known, quad, atol=1)), 0.5)
            row[CLASSES.index("9H")], row[CLASSES.index("8H")] = sure, 1 - sure
        return p


def looked(finder, loose, tight):
    (card,) = CardDetector(finder, Reader(loose, tight), ReadAbove(), "x").detect(Frame(IMAGE, 0.0))
    return card


def test_an_unsure_face_is_read_along_the_better_outline():
    card = looked(Finder(), 0.7, 0.99)
    assert card.p == 0.99 and np.allclose(card.quad, TIGHT, atol=1)
    assert card.found == 0.9, "how surely it was found in the whole picture stays"


@pytest.mark.parametrize(("loose", "tight", "looks"), [(0.7, 0.6, 2), (0.99, 0.999, 1)], ids=["worse", "sure before"])
def test_else_it_stays_as_it_was_read(loose, tight, looks):
    finder = Finder()
    card = looked(finder, loose, tight)
    assert (card.p, card.quad, len(finder.shown)) == (loose, LOOSE, looks)


def test_another_card_beside_it_is_not_taken_for_it():
    beside = box(170, 100, 230, 190)
    assert looked(Finder(closer=beside), 0.7, 0.99).quad == LOOSE


def test_a_card_that_fills_the_picture_cannot_be_looked_at_closer():
    finder = Finder()
    assert refine_outline(finder.find, IMAGE, box(150, 20, 400, 380)) is None and not finder.shown


def test_a_picture_of_many_unsure_cards_is_not_looked_at_for_ever():
    finder = Finder(*(box(10 + 60 * n, 10, 50 + 60 * n, 70) for n in range(9)))
    CardDetector(finder, Reader(0.5, 0.5), ReadAbove(), "x").detect(Frame(IMAGE, 0.0))
    assert len(finder.shown) == 1 + MOST_AGAIN


def test_only_what_is_not_sure_one_way_up_is_read_the_other_way_up():
    cards = np.zeros((3, 8, 8, 3), np.uint8)
    cards[1, 0], cards[2, -1] = 200, 200
    shown = []

    def classify(some):
        shown.append(len(some))
        sure = np.where(some[:, 0].max(axis=(1, 2)) > 0, ONE_WAY + 0.001, 0.6)
        return np.stack([sure, 1 - sure], axis=1)

    assert classify_both_ways(classify, cards, 2)[:, 0] == pytest.approx(
        [0.6, ONE_WAY + 0.001, (0.6 + ONE_WAY + 0.001) / 2]
    )
    assert shown == [3, 2]
    assert classify_both_ways(classify, cards, 1)[:, 0] == pytest.approx([0.6, ONE_WAY + 0.001, 0.6])
