"""Which way round a picture is, told by its cards: several of them, each once, and never taken back."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.detection.engines import open_detector
from vision.detection.weights import load_weights
from vision.tracking.mirror import ENOUGH, Facing, Mirror, flip_look, measure_lean
from vision.types import FoundCard, Frame, Look, Reading, Side, VisionError

WIDTH, HEIGHT = 200, 100
EIGHT = ("9H", "KS", "2C", "JD", "7H", "AS", "QC", "3D")
SAMPLES = Path(__file__).parents[3] / "sample_images"


def card(code, x=40, p=0.95, side=Side.FACE):
    quad = ((x - 20, 20), (x + 20, 20), (x + 20, 80), (x - 20, 80))
    return FoundCard(quad, side, 0.9, (Reading(code, p),), read=True)


def picture(*corners, x=40):
    """A white card on a green table, with ink in these of its corners."""
    image = np.full((HEIGHT, WIDTH, 3), (60, 120, 60), np.uint8)
    image[20:80, x - 20 : x + 20] = 250
    for corner in corners:
        top, left = (23 if "t" in corner else 67), (x - 18 if "l" in corner else x + 13)
        image[top : top + 10, left : left + 5] = (20, 20, 160)
    image[45:55, x - 5 : x + 5] = (20, 20, 160)
    return image


RIGHT, MIRRORED, FOUR = picture("tl", "br"), picture("tr", "bl"), picture("tl", "tr", "bl", "br")


def test_few_cards_prove_nothing_and_eight_do():
    mirror = Mirror(Facing.AUTO)
    assert [mirror.weigh(MIRRORED, [card(code)]) for code in EIGHT] == [False] * 7 + [True]
    assert mirror.mirrored and not mirror.open and mirror.lean < -0.5


def test_cards_as_they_should_be_are_not_turned():
    mirror = Mirror(Facing.AUTO)
    assert not any(mirror.weigh(RIGHT, [card(code)]) for code in EIGHT)
    assert not mirror.open and mirror.lean > 0.5


def test_a_card_that_lies_upside_down_or_askew_leans_the_same_way():
    image = np.rot90(RIGHT, 2).copy()
    assert measure_lean(image, card("9H", WIDTH - 40).quad) > 0.5
    assert measure_lean(image[:, ::-1].copy(), card("9H", 40).quad) < -0.5


def test_the_same_card_counts_once():
    mirror = Mirror(Facing.AUTO)
    assert not any(mirror.weigh(MIRRORED, [card("9H")]) for _ in range(20))


def test_cards_with_four_indices_say_nothing():
    mirror = Mirror(Facing.AUTO)
    codes = [f"{rank}{suit}" for suit in "SDH" for rank in ("A", "2", "3", "4", "5", "6", "7", "8", "9")]
    assert not any(mirror.weigh(FOUR, [card(code)]) for code in codes[: ENOUGH - 1])
    assert mirror.open
    mirror.weigh(FOUR, [card(codes[ENOUGH])])
    assert not mirror.open and not mirror.mirrored, "after so many it is taken as it comes"


def test_cards_that_disagree_decide_nothing():
    mirror = Mirror(Facing.AUTO)
    for n, code in enumerate(EIGHT):
        mirror.weigh((RIGHT, MIRRORED)[n % 2], [card(code)])
    assert mirror.open and not mirror.mirrored


def test_what_is_decided_stays():
    mirror = Mirror(Facing.AUTO)
    for code in EIGHT:
        mirror.weigh(RIGHT, [card(code)])
    assert not mirror.weigh(MIRRORED, [card(f"{n}S") for n in range(2, 10)])


def test_backs_jokers_and_what_is_not_surely_read_say_nothing():
    mirror = Mirror(Facing.AUTO)
    cards = [*(card(code, p=0.5) for code in EIGHT), card("4H", side=Side.BACK), card("JOKER")]
    for one in cards:
        mirror.weigh(MIRRORED, [one])
    assert mirror.open and mirror.lean == 0


def test_a_person_has_the_last_word():
    mirror = Mirror(Facing.NO)
    assert not mirror.open
    mirror.say(Facing.YES)
    frame = Frame(np.arange(12, dtype=np.uint8).reshape(1, 4, 3), 1.0)
    assert np.array_equal(mirror.turned(frame).image, frame.image[:, ::-1])
    mirror.say(Facing.AUTO)
    assert mirror.mirrored, "what is found stays"
    mirror.say(Facing.NO)
    assert mirror.turned(frame) is frame


def test_a_look_is_turned_with_its_picture():
    frame = Frame(np.zeros((HEIGHT, WIDTH, 3), np.uint8), 1.0)
    look = flip_look(Look(1.0, (card("9H"),), (WIDTH, HEIGHT), frame=frame))
    assert look.cards[0].centre[0] == WIDTH - 40 and look.frame is not frame


def rounds():
    """The rounds of the sample film and folder, each as one picture."""
    film = cv2.VideoCapture(str(SAMPLES / "classic.mp4"))
    for second in (3, 8, 13, 18):
        film.set(cv2.CAP_PROP_POS_MSEC, second * 1000)
        yield film.read()[1]
    yield from (cv2.imread(str(path)) for path in sorted((SAMPLES / "game").glob("*.jpg")))


def has_weights():
    try:
        load_weights()
    except VisionError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.skipif(not has_weights(), reason="the trained networks are not in models/")
@pytest.mark.parametrize("mirrored", [False, True])
def test_rendered_games_lean_the_right_way(mirrored):
    detector, mirror = open_detector(), Mirror(Facing.AUTO)
    for image in rounds():
        image = np.ascontiguousarray(image[:, ::-1] if mirrored else image)
        mirror.weigh(image, detector.detect(Frame(image, 0.0)))
    assert mirror.mirrored == mirrored and not mirror.open
