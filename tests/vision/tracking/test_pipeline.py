"""Frames with noise, a hand and cards that come and go, through motion, detector and settling."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.cards import face, picture
from vision.detection.detector import CannedDetector
from vision.tracking.motion import ASLEEP_S, MotionDetector
from vision.tracking.pipeline import FramePipeline
from vision.tracking.settler import HAND_SHARE, TableState
from vision.types import Frame, Reading

FPS = 10
NINE, KING = face("9H", 400, 360), face("KC", 900, 360)


class Scene:
    """A filmed table: a list of (seconds, cards, hand) shown one after another, with sensor noise."""

    model_hash = "scene"

    def __init__(self, *acts):
        self.acts = [(cards, hand) for seconds, cards, hand in acts for _ in range(round(seconds * FPS))]
        self.table = picture(7, (1280, 720)) // 3 + 60
        chance = np.random.default_rng(1)
        self.noise = [chance.normal(0, 5, self.table.shape).astype(np.int16) for _ in range(5)]

    def frames(self):
        for number, (cards, hand) in enumerate(self.acts):
            image = self.table.copy()
            for card in cards:
                (left, top), _, (right, bottom), _ = (tuple(map(int, corner)) for corner in card.quad)
                image[top:bottom, left:right] = 235
                cv2.putText(image, card.code, (left + 4, top + 30), 0, 0.7, (0, 0, 0), 2)
            if hand:
                x = hand[0] + 40 * (number % 3)
                cv2.ellipse(image, (x, hand[1] + 200), (90, 260), 20, 0, 360, (120, 150, 200), -1)
            noisy = cv2.add(image, self.noise[number % 5], dtype=cv2.CV_8U)
            yield Frame(noisy, number / FPS, name=str(number))

    def detect(self, frame):
        return tuple(self.acts[int(frame.name)][0])


def looks_of(scene):
    eyes = FramePipeline(scene, still=False)
    return [look for look in map(eyes.see, scene.frames()) if look]


def codes(look):
    return sorted(card.code for card in look.cards)


def test_a_filmed_round_gives_one_look_for_each_settled_table():
    scene = Scene(
        (1, [], None),
        (1, [], (400, 300)),
        (2, [NINE], None),
        (1, [NINE], (900, 300)),
        (2, [NINE, KING], None),
        (1, [NINE, KING], (700, 300)),
        (3, [], None),
    )
    looks = looks_of(scene)
    assert [codes(look) for look in looks] == [["9H"], ["9H", "KC"], []]
    moved = {card.code: card.moved for card in looks[1].cards}
    assert moved == {"9H": False, "KC": True}
    assert looks[0].size == (1280, 720) and looks[0].frame is not None


def test_a_card_changed_in_its_place_by_a_hand_has_moved():
    other = face("2S", 400, 360)
    looks = looks_of(Scene((2, [NINE], None), (1, [NINE], (400, 300)), (2, [other], None)))
    assert [codes(look) for look in looks] == [["9H"], ["2S"]]
    assert looks[1].cards[0].moved


def test_noise_and_changing_light_are_no_movement():
    motion, chance = MotionDetector(), np.random.default_rng(0)
    table = picture(3, (640, 360)).astype(float) * 0.6
    for number in range(12):
        image = table + chance.normal(0, 8, table.shape) + 12 * (number % 2)
        moving = motion.see(Frame(np.clip(image, 0, 255).astype(np.uint8), number / 10))
        assert moving.mean() < 0.005


def test_a_hand_is_movement_and_another_size_is_all_movement():
    motion = MotionDetector()
    frames = list(Scene((0.3, [], (600, 200))).frames())
    assert not motion.see(frames[0]).any()
    assert motion.see(frames[1]).mean() > HAND_SHARE
    assert motion.see(Frame(picture(0), 9.0)).all()


def test_each_picture_of_a_folder_is_a_look():
    eyes = FramePipeline(CannedDetector([[NINE], [], [NINE, KING]]), still=True)
    looks = [eyes.see(Frame(picture(i), 5.0 * i)) for i in range(3)]
    assert [codes(look) for look in looks] == [["9H"], [], ["9H", "KC"]]
    assert all(look.moved and all(card.moved for card in look.cards) for look in looks)


def test_the_state_follows_the_table():
    scene = Scene((1, [], None), (0.5, [], (400, 300)), (2, [NINE], None))
    eyes, states = FramePipeline(scene, still=False), []
    for frame in scene.frames():
        eyes.see(frame)
        if eyes.state not in states[-1:]:
            states.append(eyes.state)
    settling, hand = TableState.SETTLING, TableState.HAND
    assert states == [settling, TableState.WAITING, hand, settling, TableState.SETTLED]
    assert eyes.since == pytest.approx(2.2, abs=0.3)


def test_after_a_reset_the_same_table_is_a_new_look():
    scene = Scene((4, [NINE], None))
    eyes, seen = FramePipeline(scene, still=False), []
    for number, frame in enumerate(scene.frames()):
        if number == 20:
            eyes.reset()
        seen += filter(None, [eyes.see(frame)])
    assert [codes(look) for look in seen] == [["9H"], ["9H"]]


class Counting:
    """A detector that notes when it was asked, and finds nothing at the times it is told to be blind."""

    model_hash = "counting"

    def __init__(self, detector, blind=()):
        self.detector, self.blind, self.times = detector, blind, []

    def detect(self, frame):
        self.times.append(frame.at)
        return () if len(self.times) in self.blind else self.detector.detect(frame)


LONG = Scene(
    (5, [], None),
    (1, [], (400, 300)),
    (9, [NINE], None),
    (0.2, [NINE], (900, 300)),
    (6, [NINE, KING], None),
    (4, [KING], None),
    (1, [KING], (700, 300)),
    (6, [], None),
)


def told(looks):
    return [
        (look.at, look.moved, [(c.quad, c.side, c.code, round(c.p, 6), c.moved) for c in look.cards]) for look in looks
    ]


def test_a_table_at_rest_is_hardly_looked_at_and_gives_the_same_looks(monkeypatch):
    counting = Counting(LONG)
    eyes = FramePipeline(counting, still=False)
    sparing = [look for look in map(eyes.see, LONG.frames()) if look]
    monkeypatch.setattr("vision.tracking.motion.DetectionGate.opens", lambda *_: True)
    always = looks_of(LONG)
    assert [codes(look) for look in sparing] == [["9H"], ["9H", "KC"], ["KC"], []]
    assert told(sparing) == told(always)
    asleep = [at for at in counting.times if 9.5 < at < 14.9]
    assert 1 <= len(asleep) <= 2


def test_what_changes_too_slowly_to_be_seen_moving_is_found_all_the_same():
    scene = Scene((12, [], None))
    eyes, looks = FramePipeline(CannedDetector([[]] * 31 + [[NINE]]), still=False), []
    for frame in scene.frames():
        looks += filter(None, [eyes.see(frame)])
    assert [codes(look) for look in looks] == [["9H"]]
    assert looks[0].at < 3 + ASLEEP_S + 1.3


def test_one_frame_in_which_a_card_was_missed_does_not_take_it_away():
    scene = Scene((20, [NINE], None))
    counting = Counting(scene, blind=(33,))
    eyes = FramePipeline(counting, still=False)
    assert [codes(look) for look in map(eyes.see, scene.frames()) if look] == [["9H"]]
    assert eyes.state is TableState.SETTLED
    doubted = counting.times[32]
    assert counting.times[33] == pytest.approx(doubted + 0.1) and counting.times[34] >= doubted + ASLEEP_S
    assert len(counting.times) < 42


def test_an_outline_that_flickers_does_not_keep_the_detector_at_work():
    scene = Scene((20, [NINE], None))
    counting = Counting(scene, blind=[n for n in range(1, 200) if n % 3 == 0])
    eyes = FramePipeline(counting, still=False)
    assert [codes(look) for look in map(eyes.see, scene.frames()) if look] == [["9H"]]
    assert sum(at > 8 for at in counting.times) <= 12


def test_a_table_on_which_nothing_moves_is_at_rest_until_something_does():
    scene = Scene((6, [NINE], None), (0.5, [NINE], (900, 300)), (6, [NINE], None))
    eyes = FramePipeline(scene, still=False)
    rested = []
    for frame in scene.frames():
        eyes.see(frame)
        rested.append(eyes.resting)
    assert not any(rested[:30]) and sum(rested[40:60]) > 15
    assert not any(rested[60:90]) and rested[-2:] != [False, False]


class CarefulScene(Scene):
    """A table on which a king is found by a careful look only, and a nine is unsure without one."""

    def __init__(self, *acts):
        super().__init__(*acts)
        self.careful = 0

    def detect(self, frame):
        return tuple(face("9H", 400, 360, p=0.6) for card in super().detect(frame) if card is NINE)

    def detect_carefully(self, frame):
        self.careful += 1
        return tuple(replace(card, readings=(Reading(card.code, 0.99),)) for card in super().detect(frame))


def test_a_table_that_has_come_to_rest_is_looked_at_carefully_once():
    scene = CarefulScene((1, [], None), (4, [NINE, KING], None), (1, [NINE, KING], (700, 300)), (3, [], None))
    looks = looks_of(scene)
    assert [codes(look) for look in looks] == [["9H", "KC"], []]
    assert all(card.read and card.p > 0.8 for card in looks[0].cards)
    # The empty table, the cards, and after the hand the table without them.
    assert scene.careful <= 4
