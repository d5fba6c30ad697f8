"""Rendered pictures of held-out decks with labels in the form `python -m vision evaluate` reads.

The families here are never trained on; one source a family, so that none hides behind another.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.detection.detector import CardDetector
from vision.detection.weights import ReadAbove, load_weights
from vision.geometry import as_quad, short_and_long
from vision.images import load_picture
from vision.lab.evaluation.evaluate import tables
from vision.lab.evaluation.labels import load_labels
from vision.lab.evaluation.scoring import score
from vision.lab.render.decks.catalogue import HELD_OUT, deck_names, family_of, load_deck
from vision.lab.render.scenes.scene import RenderedCard, compose
from vision.lab.render.scenes.surfaces import any_surface
from vision.lab.training.dataset import SIZES, VAL_SEED, reader_class
from vision.types import BACK, NOT_A_CARD, Frame

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


def _line(file: str, family: str, size: tuple[int, int], cards: Sequence[RenderedCard], free: bool) -> dict[str, Any]:
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


def lies_free(card: RenderedCard) -> bool:
    """Whether a card is tall enough for anybody to read it and nothing of it is hidden."""
    return card.visible > FREE and short_and_long(as_quad(card.quad))[1] >= _LEAST_TALL


def _box(card: RenderedCard, size: tuple[int, int]) -> list[int]:
    corner, far = card.part.min(0), card.part.max(0)
    clipped = np.clip([*corner, *far], 0, [*size, *size])
    return [round(float(v)) for v in clipped]


OUTLINE_SCORES = (0.15, 0.2, 0.25, 0.3, 0.4)
_READ_ABOVE = (0.4, 0.5, 0.6, 0.7, 0.8)
JOKER_ABOVE = (0.5, 0.8, 0.9, 0.95)
#: Sums of recall and precision that differ by less are chance on a few hundred pictures.
NEAR = 0.005
_FIGURES = ("rank_recall", "rank_precision", "recall", "precision")


def tried(folder: Path, labels: Path) -> Iterator[dict[str, Any]]:
    """Score every set of thresholds on the labelled renders: means over the sources, 0..1."""
    weights, photos = load_weights(folder), list(load_labels(labels))
    frames = [Frame(load_picture(photo.path), 0.0) for photo in photos]
    for threshold in OUTLINE_SCORES:
        detector = CardDetector.load(replace(weights, finder=replace(weights.finder, threshold=threshold)))
        found = [detector.detect(frame) for frame in frames]
        for card, joker in itertools.product(_READ_ABOVE, JOKER_ABOVE):
            above = ReadAbove(card, max(card, joker))
            cards = [
                tuple(replace(one, read=bool(one.readings) and above.stands(one.readings[0])) for one in each)
                for each in found
            ]
            scores = [score(*seen) for seen in zip(photos, cards, (frame.size for frame in frames), strict=True)]
            figures = tables(scores)["macro"]
            yield {
                "threshold": threshold, "read_above": above.card, "joker_above": above.joker,
                **{name: figures[name] for name in _FIGURES},
            }  # fmt: skip


def best(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The set with the best sum of rank recall and rank precision; of those that hardly differ, the most precise.

    A card that is missed is waited for or asked about; one that is not there may be believed.

    >>> a = {"threshold": 0.2, "rank_recall": 0.9, "rank_precision": 0.9}
    >>> best([a, a | {"threshold": 0.3, "rank_recall": 0.896, "rank_precision": 0.903}])["threshold"]
    0.3
    >>> best([a, a | {"threshold": 0.3, "rank_recall": 0.8, "rank_precision": 0.95}])["threshold"]
    0.2
    """
    rows = list(rows)
    highest = max(_sum(row) for row in rows)
    return max((row for row in rows if _sum(row) >= highest - NEAR), key=lambda row: float(row["rank_precision"]))


def _sum(row: dict[str, Any]) -> float:
    return float(row["rank_recall"] + row["rank_precision"])
