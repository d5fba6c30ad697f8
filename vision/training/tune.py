"""Chooses the thresholds of the manifest on rendered pictures of held-out decks, never on photographs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from vision.detector import CardDetector
from vision.evaluate import score_photo, tables
from vision.labels import load_labels
from vision.weights import Weights, load_weights

OUTLINE_SCORES = (0.15, 0.2, 0.25, 0.3, 0.4)
READ_ABOVE = (0.4, 0.5, 0.6, 0.7, 0.8)
FIGURES = ("rank_recall", "rank_precision", "recall", "precision")


def tried(folder: Path, labels: Path) -> Iterable[dict[str, Any]]:
    """Score every pair of thresholds on the labelled renders: means over the sources, 0..1."""
    weights, photos = load_weights(folder), list(load_labels(labels))
    for threshold, above in itertools.product(OUTLINE_SCORES, READ_ABOVE):
        detector = CardDetector.load(_with(weights, threshold, above))
        figures = tables([score_photo(photo, detector) for photo in photos])["macro"]
        yield {"threshold": threshold, "read_above": above, **{name: figures[name] for name in FIGURES}}


def _with(weights: Weights, threshold: float, above: float) -> Weights:
    return replace(
        weights,
        finder=replace(weights.finder, threshold=threshold),
        reader=replace(weights.reader, read_above=above),
    )


def best(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The pair with the best mean of rank recall and rank precision, the latter counted twice.

    A card that is not read is asked about; one that is read wrongly is a wrong verdict.

    >>> a = {"threshold": 0.2, "rank_recall": 0.9, "rank_precision": 0.9}
    >>> best([a, a | {"threshold": 0.3, "rank_recall": 0.85, "rank_precision": 0.94}])["threshold"]
    0.3
    """
    return max(rows, key=lambda row: float(row["rank_recall"] + 2 * row["rank_precision"]))
