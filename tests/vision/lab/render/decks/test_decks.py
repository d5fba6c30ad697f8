import functools
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.lab.render.decks.artwork import ARTWORK
from vision.lab.render.decks.backs import any_back
from vision.lab.render.decks.catalogue import BORROWABLE, HELD_OUT, Deck, deck_names, family_of, load_deck, made_deck
from vision.lab.render.decks.deck import CODES, HEIGHT, PAINTED_JOKERS
from vision.lab.render.decks.glyphs import SKELETONS, GlyphStyle, glyph_mask
from vision.lab.render.decks.pips import FRENCH, PIP_LAYOUTS, PipStyle, pip_mask
from vision.lab.render.decks.style import any_deck_design, widen_deck_design
from vision.types import RANKS, SUITS, VisionError


@functools.cache
def made(seed: int) -> Deck:
    return made_deck(seed)


@pytest.fixture
def deck() -> Deck:
    return made(17)


def test_the_same_seed_gives_the_same_deck(deck: Deck) -> None:
    again = load_deck("made-17")
    assert again.name == deck.name == "made-17"
    assert all(np.array_equal(again.faces[code], face) for code, face in deck.faces.items())
    assert all(np.array_equal(a, b) for a, b in zip(again.backs, deck.backs, strict=True))


def test_other_seeds_give_other_decks(deck: Deck) -> None:
    other = made(1)
    assert other.size != deck.size or not np.array_equal(other.faces["7D"], deck.faces["7D"])


def test_every_card_is_there_at_one_size(deck: Deck) -> None:
    assert set(deck.faces) == {rank + suit for suit in SUITS for rank in RANKS} | set(PAINTED_JOKERS)
    assert deck.backs
    width, height = deck.size
    assert height == HEIGHT and 0.6 < width / height < 0.76
    for image in (*deck.faces.values(), *deck.backs):
        assert image.shape == (height, width, 4) and image.dtype == np.uint8


def test_corners_are_round_and_the_rest_is_solid(deck: Deck) -> None:
    alpha = deck.faces["AS"][:, :, 3]
    assert not alpha[[0, 0, -1, -1], [0, -1, 0, -1]].any()
    assert alpha[HEIGHT // 2].min() == 255


def test_no_two_cards_look_the_same(deck: Deck) -> None:
    assert len({image.tobytes() for image in deck.faces.values()}) == len(CODES) + len(PAINTED_JOKERS)


@pytest.mark.parametrize("layouts", [PIP_LAYOUTS, FRENCH])
def test_number_cards_have_as_many_signs_as_their_rank(layouts: dict[str, tuple[tuple[float, float], ...]]) -> None:
    for rank, places in layouts.items():
        assert len(set(places)) == len(places) == (1 if rank == "A" else int(rank))


@pytest.mark.parametrize("seed", range(5))
def test_the_signs_of_a_number_card_can_be_counted(seed: int) -> None:
    face = made(seed).faces["10D"][:, :, :3]
    corner, sign = face[: HEIGHT // 20, face.shape[1] // 3 : -face.shape[1] // 3], 6
    ink = np.abs(face.astype(int) - np.median(corner, axis=(0, 1))).max(axis=2) > 90
    ink[:sign], ink[-sign:], ink[:, :sign], ink[:, -sign:] = False, False, False, False
    _, _, boxes, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8))
    middle = [box for box in boxes[1:] if box[4] > 60 and abs(box[0] + box[2] / 2 - face.shape[1] / 2) < 4]
    assert len(middle) == 2, "a ten has two signs on its middle line"


@pytest.mark.parametrize("seed", range(5))
def test_cards_read_the_same_turned_round(seed: int) -> None:
    deck = made(seed)
    for code in ("2C", "4D", "10S", "KH"):
        picture = cv2.GaussianBlur(deck.faces[code][:, :, :3], (0, 0), 3).astype(int)
        corner = picture[: HEIGHT // 5, : deck.size[0] // 4]
        assert np.abs(corner - picture[::-1, ::-1][: HEIGHT // 5, : deck.size[0] // 4]).mean() < 2


def test_ten_shows_two_figures() -> None:
    for slab_figures in (False, True):
        mask = glyph_mask("10", 60, GlyphStyle(slab=0.1, slab_figures=slab_figures))
        assert cv2.connectedComponents((mask > 128).astype(np.uint8))[0] == 3


def test_every_letter_of_an_index_is_drawn() -> None:
    for letter in SKELETONS:
        mask = glyph_mask(letter, 40, GlyphStyle())
        top = mask[10:20] if letter.islower() else mask[:3]
        assert mask.shape[0] == 40 and top.any() and mask[-3:].any()


def test_suits_differ() -> None:
    masks = [cv2.resize(pip_mask(suit, 64, PipStyle()), (64, 64)) for suit in SUITS]
    for number, mask in enumerate(masks):
        for other in masks[number + 1 :]:
            assert np.abs(mask.astype(int) - other).mean() > 15


def test_a_back_looks_the_same_turned_round() -> None:
    back = any_back(360, (250, 250, 250), np.random.default_rng(3))
    assert np.array_equal(back, back[::-1, ::-1])


def test_borrowed_courts_make_a_deck_of_the_lenders_family(deck: Deck) -> None:
    borrowed = made_deck(4, courts_from=deck)
    assert borrowed.name == "made-4-made-17" and borrowed.family == deck.family
    lender = Deck("anglo", "anglo", deck.faces, deck.backs)
    assert made_deck(4, courts_from=lender).family == "anglo"


@pytest.mark.parametrize("name", ["bicycle", "made-", "made-x", "made--1", "made-1-nobody", "made-²", ""])
def test_an_unknown_deck_is_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(VisionError, match="There is no deck called"):
        load_deck(name)


def test_artwork_that_was_not_fetched_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="say in which folder"):
        load_deck("anglo")
    with pytest.raises(VisionError, match="fetch it first"):
        load_deck("anglo", tmp_path)
    assert deck_names(tmp_path) == deck_names() == ("made",)


def test_no_family_is_both_trained_on_and_held_out() -> None:
    families = {family_of(name) for name in ARTWORK}
    assert families >= HELD_OUT and "made" not in HELD_OUT
    for kin in (("cardsjs", "anglo_modern"), ("anglo_poker", "cc0", "simplistic"), ("bellot", "paris", "svg_cards"),
                ("berlin", "lattmann", "rheinland"), ("ornamental", "clipart_white"),
                ("anglo", "gnomangelo")):  # fmt: skip
        assert len({family_of(name) for name in kin}) == 1


def test_a_made_deck_counts_to_the_family_it_borrows_from() -> None:
    assert {family_of(f"made-3-{lender}") for lender in BORROWABLE} <= {family_of(name) for name in ARTWORK}
    assert family_of("made-3-cardsjs") in HELD_OUT and family_of("made-3") == "made"


def test_wide_decks_have_what_few_packs_have_and_the_others_stay_as_they_are():
    designs = [any_deck_design(np.random.default_rng(seed)) for seed in range(60)]
    wide = [widen_deck_design(design, np.random.default_rng([seed, 1])) for seed, design in enumerate(designs)]
    assert {letter for design in wide for letter in design.letters.values()} >= {
        "Kn",
        "D",
        "V",
        "R",
        "Д",
        "E",
        "1",
    }
    assert sum(len(set(design.inks.values())) == 4 for design in wide) > 6
    assert max(design.index.height for design in wide) > HEIGHT * 0.33 > max(m.index.height for m in designs)
    assert made_deck(3, wide=True).faces.keys() == made_deck(3).faces.keys()
