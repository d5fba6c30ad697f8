"""Drawing on a copy, and the speed measurement's picture."""

import numpy as np
import pytest

from tests.vision.cards import back, face, picture, quad
from vision.annotate import SURE_COLOUR, UNSURE_COLOUR, draw_cards, label_text
from vision.lab.benchmark.benchmark import benchmark, format_benchmark, lay_eight_cards, resident_mb
from vision.types import FoundCard, Frame, Reading, Side, VisionError


@pytest.mark.parametrize("size", [(160, 128), (1280, 720), (4000, 3000)])
def test_cards_are_drawn_on_a_copy_at_any_size(size):
    frame = Frame(picture(1, size), 0.0)
    before = frame.image.copy()
    cards = [face("10H", size[0] / 2, size[1] / 2), back(0, 0), FoundCard(quad(*size), Side.FACE, 0.5)]
    image = draw_cards(frame, cards)
    assert np.array_equal(frame.image, before) and image.shape == before.shape
    assert 0.002 < (image != before).any(axis=2).mean() < 0.6


def test_names_say_how_sure_they_are():
    unsure = FoundCard(quad(9, 9), Side.FACE, 0.5, (Reading("9C", 0.3),))
    assert [label_text(card) for card in (face("QH"), unsure, back())] == ["QH", "9C?", "face down"]


def test_the_measured_picture_has_eight_cards():
    frame, quads = lay_eight_cards()
    assert frame.size == (1280, 720) and len(quads) == 8
    assert all(0 <= x <= 1280 and 0 <= y <= 720 for corners in quads for x, y in corners)
    assert resident_mb() > 10


def test_the_speed_is_told_by_stages():
    try:
        result = benchmark(alone=True)
    except VisionError as error:
        pytest.skip(str(error))
    assert set(result) == {"frames_per_s", "stages_ms", "rss_mb", "threads", "peers"}
    assert result["frames_per_s"] > 0 and result["threads"] == 2 and "frames/s" in format_benchmark(result)


def test_names_of_cards_that_lie_over_each_other_do_not_cover_each_other():
    """Each name is painted on a ground of its own colour: that of an unsure face beside that of a sure one."""
    size = (1280, 720)
    frame = Frame(np.zeros((size[1], size[0], 3), np.uint8), 0.0)
    quads = [((x, 300), (x + 140, 300), (x + 140, 500), (x, 500)) for x in (400, 420)]
    sure, unsure = (
        FoundCard(quad, Side.FACE, 0.9, (Reading(code, 0.9),), read=read)
        for quad, code, read in zip(quads, ("10H", "9S"), (True, False), strict=True)
    )
    alone = [
        (draw_cards(frame, [card]) == colour).all(axis=2).sum()
        for card, colour in ((sure, SURE_COLOUR), (unsure, UNSURE_COLOUR))
    ]
    both = draw_cards(frame, [sure, unsure])
    together = [(both == colour).all(axis=2).sum() for colour in (SURE_COLOUR, UNSURE_COLOUR)]
    assert all(now > 0.75 * before for now, before in zip(together, alone, strict=True))
