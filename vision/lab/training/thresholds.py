"""Chooses the thresholds of the manifest on rendered pictures of held-out decks, never on photographs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from vision.detection.detector import CardDetector
from vision.detection.weights import ReadAbove, load_weights
from vision.images import load_picture
from vision.lab.evaluation.evaluate import tables
from vision.lab.evaluation.labels import load_labels
from vision.lab.evaluation.scoring import score
from vision.types import Frame

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
