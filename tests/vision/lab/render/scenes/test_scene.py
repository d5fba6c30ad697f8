"""What scenes are made of: layouts, things that are no cards, tables as pale as the cards."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.cards import picture
from vision.lab.render.decks.catalogue import load_deck
from vision.lab.render.scenes import hands, layout, photograph, printed_props, surfaces
from vision.lab.render.scenes.camera import PinholeCamera, any_camera
from vision.lab.render.scenes.clutter import any_thing, bank
from vision.lab.render.scenes.scene import HAND, bent_grid, compose
from vision.lab.training.dataset import finder_class, reader_crops
from vision.types import NOT_A_CARD


@pytest.fixture
def stock(tmp_path: Path) -> printed_props.Stock:
    """A cut-out and a photograph of our own."""
    figure = np.dstack([picture(1), np.full((240, 320), 255, np.uint8)])
    cv2.imwrite(str(cutout := tmp_path / "figure.png"), figure)
    cv2.imwrite(str(photo := tmp_path / "photo.jpg"), picture(2))
    return printed_props.Stock((cutout,), (photo,))


@pytest.mark.parametrize("make", [one for one, _ in layout.SCENE_LAYOUTS])
def test_every_layout_lays_cards_before_the_camera(make):
    spots = [spot for seed in range(20) for spot in make(np.random.default_rng(seed), (4.0, 3.0))]
    assert len(spots) >= 20
    assert np.mean([abs(spot.x) < 2.5 and abs(spot.y) < 2 for spot in spots]) > 0.7


def test_layouts_are_drawn_as_often_as_they_say():
    assert sum(weight for _, weight in layout.SCENE_LAYOUTS) == pytest.approx(1)


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


def test_wide_scenes_have_held_cards_and_hands_beside_the_laid_ones():
    deck, table = load_deck("made-57"), surfaces.any_surface(np.random.default_rng(0))
    placed = [
        card
        for seed in range(24)
        for card in compose(np.random.default_rng(seed), deck, table, (640, 480), 150, wide=True)[1]
    ]
    held = [card for card in placed if card.held]
    assert held and any(card.code == HAND for card in placed)
    assert len(held) < sum(not card.held for card in placed)
    assert {finder_class(card, hands=True) for card in held} == {"held"}
    assert {finder_class(card, hands=False) for card in held} <= {"face", "back"}


@pytest.mark.parametrize(("grip", "cards"), [(grip, count) for grip, (_, count) in hands.GRIPS])
def test_a_grip_holds_all_of_its_cards_with_a_thumb_or_fingers_over_them(grip, cards):
    parts = grip(np.random.default_rng(3), cards)
    assert sorted(part.number for part in parts if isinstance(part, hands.HeldCard)) == list(range(cards))
    assert isinstance(parts[-1], hands.Limb)
    assert {part.kind for part in parts if isinstance(part, hands.Limb)} == {"finger", "palm", "arm"}


@pytest.mark.parametrize("kind", ["finger", "palm", "arm"])
def test_a_limb_is_opaque_inside_and_clear_at_its_rim(kind):
    look = hands.any_look(np.random.default_rng(5))
    picture_ = hands.limb_picture(hands.Limb(kind, 0, 0, 0, 0.2, 0.7, 0), look)
    height, width = picture_.shape[:2]
    assert picture_[height // 2, width // 2, 3] == 255 and picture_[0, 0, 3] < 40


def test_a_flat_grid_lies_on_the_cards_outline_and_a_bowed_one_rises():
    camera = PinholeCamera(640, 480, 150, tilt=0.7)
    flat = bent_grid(camera, layout.Spot(0.1, -0.2, 0.3), 0.7, (0.0, 0.0))
    bowed = bent_grid(camera, layout.Spot(0.1, -0.2, 0.3), 0.7, (0.1, 0.0))
    inside = camera.project(np.array([[0.1, -0.2]]))[0]
    assert np.allclose(flat[3, 2], inside)
    assert bowed[3, 2][1] < flat[3, 2][1] - 5, "the middle is seen higher up"
    assert np.allclose(bowed[0, 0], flat[0, 0])


def test_low_cameras_reach_75_degrees_only_where_asked_for():
    tilts = {
        low: max(any_camera(np.random.default_rng(seed), 640, 480, 150, low).tilt for seed in range(400))
        for low in (False, True)
    }
    assert tilts[False] < np.radians(63.1)
    assert np.radians(70) < tilts[True] < np.radians(75.1)


def test_coloured_light_leaves_the_picture_its_shapes():
    grey = np.full((48, 64, 3), 160, np.uint8)
    lit = [photograph.colour_light(grey, np.random.default_rng(seed)) for seed in range(40)]
    casts = [float(np.ptp(image.reshape(-1, 3).mean(axis=0))) for image in lit]
    assert sum(cast > 25 for cast in casts) > 25
    assert all(image.max() > 30 for image in lit)
