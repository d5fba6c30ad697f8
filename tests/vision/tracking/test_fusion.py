"""Readings of one card over the frames of a look: what they say together, and what each of them counts."""

from dataclasses import replace

import pytest

from tests.vision.cards import face, quad
from vision.tracking.fusion import fuse_sightings


def chances(card):
    return {reading.code: reading.p for reading in card.readings}


def test_many_like_frames_say_no_more_than_one():
    once = face("6H", 100, 100, 0.7, 0.9, ("9H", 0.2))
    assert chances(fuse_sightings([once] * 30)) == pytest.approx(chances(once), abs=1e-9)


def test_frames_that_differ_are_weighed_against_each_other():
    card = fuse_sightings([face("6H", 100, 100, 0.9, 0.9, ("9H", 0.05)), face("9H", 100, 100, 0.6, 0.9, ("6H", 0.3))])
    assert card.code == "6H" and 0.6 < card.p < 0.95


def test_a_frame_under_glare_counts_less_than_a_clear_one():
    dazzled = replace(face("8C", 100, 100, 0.8, 0.9, ("9C", 0.1)), glare=0.8)
    clear = face("9C", 100, 100, 0.7, 0.9, ("8C", 0.2))
    card = fuse_sightings([dazzled, dazzled, clear])
    assert card.code == "9C" and card.read
    assert fuse_sightings([replace(dazzled, glare=0.0)] * 2 + [clear]).code == "8C"


def test_a_strip_of_the_card_counts_less_than_the_whole_card():
    strip = replace(face("KH", 100, 100, 0.8, 0.9, ("QH", 0.1)), quad=quad(80, 100, 15, 90))
    assert fuse_sightings([strip, strip, face("QH", 100, 100, 0.75, 0.9, ("KH", 0.1))]).code == "QH"


def test_no_frame_alone_rules_a_card_out():
    """Nine frames are sure; the tenth, surer of another card, does not name theirs at all."""
    assert fuse_sightings([face("QS", p=0.9)] * 9 + [face("KD", p=0.99)]).code == "QS"


def test_frames_that_repeat_an_unsure_mistake_do_not_outvote_a_clear_one():
    """As seen under glare that wandered off: five frames take the five for a four, one shows it."""
    wrong = [
        face("4D", 100, 100, p, 0.9, ("5D", q)) for p, q in ((0.49, 0.21), (0.85, 0.11), (0.89, 0.08), (0.89, 0.09))
    ]
    assert fuse_sightings([*wrong, face("5D", 100, 100, 0.99, 0.9, ("4D", 0.006))]).code == "5D"


def test_the_whole_stays_what_the_frames_gave_to_cards():
    card = fuse_sightings([face("6H", 100, 100, 0.5, 0.9, ("9H", 0.2)), face("9H", 100, 100, 0.4, 0.9, ("6H", 0.3))])
    assert sum(chances(card).values()) == pytest.approx(0.7)
