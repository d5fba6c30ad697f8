"""What scenes are made of: layouts, things that are no cards, tables as pale as the cards."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.cards import picture
from vision.lab.render.decks.catalogue import load_deck
from vision.lab.render.scenes import layout, printed_props, surfaces
from vision.lab.render.scenes.clutter import any_thing, bank
from vision.lab.render.scenes.scene import compose
from vision.lab.training.dataset import reader_crops
from vision.types import NOT_A_CARD


@pytest.fixture
def stock(tmp_path: Path) -> printed_props.Stock:
    """A cut-out and a photograph of our own."""
    figure = np.dstack([picture(1), np.full((240, 320), 255, np.uint8)])
    cv2.imwrite(str(cutout := tmp_path / "figure.png"), figure)
    cv2.imwrite(str(photo := tmp_path / "photo.jpg"), picture(2))
    return printed_props.Stock((cutout,), (photo,))


@pytest.mark.parametrize("make", [one for one, _ in layout.LAYOUTS])
def test_every_layout_lays_cards_before_the_camera(make):
    spots = [spot for seed in range(20) for spot in make(np.random.default_rng(seed), (4.0, 3.0))]
    assert len(spots) >= 20
    assert np.mean([abs(spot.x) < 2.5 and abs(spot.y) < 2 for spot in spots]) > 0.7


def test_layouts_are_drawn_as_often_as_they_say():
    assert sum(weight for _, weight in layout.LAYOUTS) == pytest.approx(1)


@pytest.mark.parametrize("make", printed_props._MAKERS)
@pytest.mark.parametrize("filled", [True, False])
def test_prints_are_made_of_pictures_and_without_any(make, filled, stock):
    for seed in range(8):
        page = make(np.random.default_rng(seed), stock if filled else printed_props.Stock())
        assert page.dtype == np.uint8 and page.shape[2] == 3 and 100 < max(page.shape) <= 420
    assert page.std() > 0


def test_things_are_opaque_somewhere(stock):
    things = bank([*stock.cutouts, *stock.photos])
    assert len(things) == 1
    for seed in range(30):
        assert any_thing(np.random.default_rng(seed), things)[..., 3].max() == 255


def test_one_table_in_six_is_pale():
    dark = np.full((64, 64, 3), 40, np.uint8)
    pale = [surfaces.dyed(dark, np.random.default_rng(seed)).mean() > 180 for seed in range(120)]
    assert 8 < sum(pale) < 36


def test_things_become_crops_that_are_no_cards():
    deck, table = load_deck("made-57"), surfaces.any_surface(np.random.default_rng(0))
    things, codes = 0, []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        image, placed = compose(rng, deck, table, (640, 480), 150)
        things += sum(one.code == NOT_A_CARD for one in placed)
        codes += [code for code, _ in reader_crops(image, placed, rng)]
    assert things and 0 < codes.count(NOT_A_CARD) < len(codes)
