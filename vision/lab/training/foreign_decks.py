"""Accuracy on decks with foreign letters, without their pack and with it enrolled from one picture of it in rows.

The decks are made ones of seeds that are never trained on. Cards are cut out along their true outlines, a little off,
so that the reader alone is measured; those that are partly hidden do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vision.detection.reader import Reader
from vision.geometry import as_quad
from vision.lab.evaluation.labels import rank_of
from vision.lab.render.decks.catalogue import Deck, made_deck
from vision.lab.render.decks.style import any_deck_design
from vision.lab.render.scenes.scene import RenderedCard, compose, compose_rows
from vision.lab.render.scenes.surfaces import any_surface
from vision.lab.training.dataset import SIZES, jittered
from vision.lab.training.holdout_set import lies_free
from vision.packs.enrol import CutCard, EnrolmentNetworks, build_pack, cut_cards_laid
from vision.packs.row_layout import parse_order
from vision.types import BACK, CLASSES, NOT_A_CARD, Image, Quad, VisionError

#: Seeds of these decks.
FIRST_SEED = 3_200_000
ENROLLED_AT = 1280, 720
#: A family takes so many pictures of its pack before it gives up.
_PICTURES = 5
_Row = dict[str, Any]


def foreign(
    by: EnrolmentNetworks, decks: int, scenes: int, fonts: Sequence[Path] = (), first: int = FIRST_SEED
) -> Iterator[_Row]:
    """Rank accuracy of each deck, 0..1, `without` and `with` its pack, over `scenes` pictures; its letters.

    `pictures` says how many the pack had to be laid out for.
    """
    for seed, letters in _lettered(decks, fonts, first):
        rng = np.random.default_rng((99, seed))
        deck = made_deck(seed, fonts)
        cards, pictures = _laid(rng, deck, by)
        pack = build_pack(deck.name, cards, by)
        readers = {"without": Reader(by.reader.net), "with": Reader(by.reader.net, pack)}
        hits: dict[str, list[bool]] = {name: [] for name in readers}
        for image, codes, quads in _tables(rng, deck, scenes):
            for name, reader in readers.items():
                said = [CLASSES[int(row.argmax())] for row in reader.read(image, quads)]
                hits[name] += [rank_of(one) == rank_of(code) for one, code in zip(said, codes, strict=True)]
        figures = {name: float(np.mean(right)) for name, right in hits.items()}
        about = {"cards": len(hits["with"]), **figures, "pack": len(pack.codes), "pictures": pictures}
        yield {"deck": deck.name, "letters": letters, **about}


def _lettered(count: int, fonts: Sequence[Path], first: int) -> Iterator[tuple[int, str]]:
    """Seeds of made decks whose letters are foreign, and those letters."""
    seed, found = first, 0
    while found < count:
        letters = any_deck_design(np.random.default_rng(seed), fonts).letters
        if letters:
            found += 1
            yield seed, " ".join(f"{rank}={letter}" for rank, letter in letters.items())
        seed += 1


def _laid(rng: np.random.Generator, deck: Deck, by: EnrolmentNetworks) -> tuple[list[CutCard], int]:
    """The pack as a family lays it before the camera, found and ordered by the program itself; and how many pictures.

    One that the program refuses is taken anew, in other light. Raises VisionError after the last one.
    """
    jokers = tuple(code for code in deck.faces if code in ("JR", "JB"))
    refused = None
    for number in range(1, _PICTURES + 1):
        image, _ = compose_rows(rng, deck, any_surface(rng), (*parse_order(), (*jokers, BACK)), ENROLLED_AT)
        try:
            return cut_cards_laid(image, by, parse_order(), sure=True)[0], number
        except VisionError as error:
            refused = error
    raise VisionError(f"{deck.name} cannot be enrolled: {refused}")


def _tables(rng: np.random.Generator, deck: Deck, scenes: int) -> Iterator[tuple[Image, list[str], list[Quad]]]:
    """Pictures with the codes and outlines of the cards that count: half scenes of all kinds, half cards in rows."""
    for number in range(scenes):
        size = SIZES[int(rng.integers(len(SIZES)))]
        if number % 2:
            share = float(np.exp(rng.uniform(np.log(0.12), np.log(0.6))))
            image, placed = compose(rng, deck, any_surface(rng), size, share * size[1])
        else:
            down, across = int(rng.integers(1, 4)), int(rng.integers(2, 7))
            codes = [str(code) for code in rng.permutation(sorted(deck.faces))[: down * across]]
            rows = [codes[row * across : (row + 1) * across] for row in range(down)]
            image, placed = compose_rows(rng, deck, any_surface(rng), rows, size, float(rng.uniform(0, 0.95)))
        sure = [card for card in placed if card.code not in (BACK, NOT_A_CARD) and lies_free(card)]
        yield image, [_code(card) for card in sure], [as_quad(jittered(card.part, rng)) for card in sure]


def _code(card: RenderedCard) -> str:
    return "JOKER" if card.code in ("JR", "JB") else card.code
