"""Glare that wanders over a card from frame to frame, through the real networks: time helps."""

import numpy as np
import pytest

from companion.simulation.film import FilmScript, make_film
from tests.benchmarks.glare import figures, time_helps, watched
from vision.detection.engines import open_detector
from vision.geometry import as_quad
from vision.lab.render.decks.catalogue import load_deck
from vision.lab.render.films.staging import TableLook
from vision.lab.render.scenes import photograph
from vision.light import measure_cast, measure_glare, remove_cast
from vision.types import Frame


def test_all_frames_together_show_what_no_frame_shows_by_itself():
    found = figures(list(watched(open_detector(), looks=8, frames=6)))
    assert time_helps(found)
    assert found["fused"]["looks"] > max(found["first"]["looks"], found["last"]["looks"])


def test_a_lit_card_has_no_glare_and_a_burnt_one_has():
    film = make_film(
        FilmScript(("Ana", "Ben"), (TableLook(1.0, {"Ana": ("9H",), "Ben": ("QS",)}),)), load_deck("made-3")
    )
    image = film.shot(0).image
    for card in film.shot(0).cards:
        outline = as_quad(card.placed.quad)
        assert measure_glare(image, outline) < 0.02
        x, y = np.mean(outline, axis=0)
        photograph.glare(image, (x, y), 150, 300)
        assert measure_glare(image, outline) > 0.3


def test_an_outline_out_of_the_picture_has_no_glare():
    image = np.full((50, 50, 3), 255, np.uint8)
    assert measure_glare(image, ((60.0, 60.0), (80.0, 60.0), (80.0, 90.0), (60.0, 90.0))) == 0
    assert measure_glare(image, ((-20.0, -20.0), (20.0, -20.0), (20.0, 20.0), (-20.0, 20.0))) == pytest.approx(1)


def test_coloured_light_is_taken_out_and_white_light_left_alone():
    film = make_film(
        FilmScript(("Ana", "Ben"), (TableLook(1.0, {"Ana": ("9H",), "Ben": ("QS",)}),)), load_deck("made-3")
    )
    image = film.shot(0).image
    assert remove_cast(image, measure_cast(image)) is image
    yellow = np.rint(image * np.array([0.3, 0.75, 1.0])).astype(np.uint8)
    blue, green, red = measure_cast(yellow)
    assert red == 1.0 and 1.1 < green < blue
    found = open_detector().detect_carefully(Frame(yellow, 0.0))
    assert {card.code for card in found if card.read} == {"9H", "QS"}
