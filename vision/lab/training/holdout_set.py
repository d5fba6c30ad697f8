"""Rendered pictures of held-out decks with labels in the form `python -m vision evaluate` reads.

The families here are never trained on; one source a family, so that none hides behind another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.geometry import as_quad, short_and_long
from vision.lab.render.decks.catalogue import HELD_OUT, deck_names, family_of, load_deck
from vision.lab.render.scenes.scene import Placed, compose
from vision.lab.render.scenes.surfaces import any_surface
from vision.lab.training.dataset import SIZES, VAL_SEED, reader_class
from vision.types import BACK, NOT_A_CARD

#: Made decks of the examination, beside the artwork.
MADE = 12
#: A card lies free from this share seen on, and is asked for from this height on, in pixels.
FREE, _LEAST_TALL = 0.9, 60


def write_exam(out: Path, art: Path | None, scenes: int, seed: int = 0, free: bool = False) -> Path:
    """Render `scenes` pictures a family into `out`; returns the path of their manifest.jsonl.

    With `free` only cards that lie free and are _LEAST_TALL pixels high or higher are asked for.
    """
    out.mkdir(parents=True, exist_ok=True)
    families: dict[str, list[str]] = {"made": [f"made-{2 * VAL_SEED + n}" for n in range(MADE)]}
    for name in deck_names(art)[1:]:
        if family_of(name) in HELD_OUT:
            families.setdefault(family_of(name), []).append(name)
    manifest = out / "manifest.jsonl"
    with manifest.open("w", encoding="utf-8") as lines:
        for family, names in sorted(families.items()):
            for line in _papers(out, family, names, art, scenes, seed, free):
                lines.write(json.dumps(line) + "\n")
    return manifest


def _papers(
    out: Path, family: str, names: Sequence[str], art: Path | None, scenes: int, seed: int, free: bool
) -> Iterator[dict[str, Any]]:
    decks = [load_deck(name, art) for name in names]
    for number in range(scenes):
        rng = np.random.default_rng((99, seed, number, *family.encode()))
        size = SIZES[int(rng.integers(len(SIZES)))]
        share = float(np.exp(rng.uniform(np.log(0.1), np.log(0.9))))
        deck = decks[number % len(decks)]
        image, cards = compose(rng, deck, any_surface(rng), size, share * size[1])
        file = f"{family}-{number:04d}.jpg"
        cv2.imwrite(str(out / file), image, [cv2.IMWRITE_JPEG_QUALITY, 95])
        yield _line(file, family, size, cards, free)


def _line(file: str, family: str, size: tuple[int, int], cards: Sequence[Placed], free: bool) -> dict[str, Any]:
    """One labelled picture; cards that even a person would dispute are ignored, wherever they are read."""
    sure = [
        card for card in cards if reader_class(card) not in (None, BACK, NOT_A_CARD) and (lies_free(card) or not free)
    ]
    doubtful = [card for card in cards if card.code != BACK and not any(card is s for s in sure) and card.visible > 0]
    labels = [{"code": card.code, "box": _box(card, size), "box_is": "card"} for card in sure]
    return {
        "file": file, "source": f"render-{family}", "licence": "", "kind": "table", "complete": True,
        "backs": sum(card.code == BACK for card in cards), "width": size[0], "height": size[1],
        "cards": labels, "ignore": [_box(card, size) for card in doubtful],
    }  # fmt: skip


def lies_free(card: Placed) -> bool:
    """Whether a card is tall enough for anybody to read it and nothing of it is hidden."""
    return card.visible > FREE and short_and_long(as_quad(card.quad))[1] >= _LEAST_TALL


def _box(card: Placed, size: tuple[int, int]) -> list[int]:
    corner, far = card.part.min(0), card.part.max(0)
    clipped = np.clip([*corner, *far], 0, [*size, *size])
    return [round(float(v)) for v in clipped]
