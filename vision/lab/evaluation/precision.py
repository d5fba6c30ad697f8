"""Mean average precision at half overlap (mAP50): the figure by which detectors are usually compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from vision.geometry import bounds, box_iou
from vision.lab.evaluation.labels import Box, Photo
from vision.lab.evaluation.scoring import Score
from vision.types import FoundCard

#: A box counts as found from this overlap on.
_ENOUGH = 0.5
#: A label counts as overlapped by another from this share of its own box on; turned neighbours touch a little.
OVERLAPPED = 0.05


@dataclass(frozen=True, slots=True)
class Guess:
    """One detection of one class: its confidence and box, and the photo it is in."""

    confidence: float
    photo: int
    box: Box


@dataclass(slots=True)
class Target:
    """One labelled card. `counts` is false where finding it is neither asked for nor a fault."""

    box: Box
    counts: bool
    found: bool = False


def map50(scores: Sequence[Score], clear_only: bool = False) -> float | None:
    """Mean over the classes that are labelled, each face with its likeliest code; None without card boxes.

    `clear_only` leaves out labels that another label overlaps.
    """
    guesses: dict[str, list[Guess]] = defaultdict(list)
    targets: dict[str, dict[int, list[Target]]] = defaultdict(lambda: defaultdict(list))
    for number, score in enumerate(scores):
        if score.photo.corners or any(label.box is None for label in score.photo.labels):
            continue
        for code, target in _targets(score.photo, clear_only):
            targets[code][number].append(target)
        for card in score.faces:
            guesses[str(card.code)].append(Guess(card.found * card.p, number, _box(card, score.photo)))
    classes = {code: photos for code, photos in targets.items() if any(t.counts for ts in photos.values() for t in ts)}
    values = [average_precision(guesses[code], photos) for code, photos in sorted(classes.items())]
    return float(np.mean(values)) if values else None


def _targets(photo: Photo, clear_only: bool) -> Iterable[tuple[str, Target]]:
    boxes = [label.box for label in photo.labels if label.box]
    for i, label in enumerate(photo.labels):
        assert label.box is not None
        hidden = clear_only and any(_share(label.box, other) > OVERLAPPED for j, other in enumerate(boxes) if j != i)
        yield label.code, Target(label.box, counts=not hidden)


def _share(box: Box, other: Box) -> float:
    """How much of `box` lies inside `other`, 0..1."""
    across = max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
    down = max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
    return across * down / max(1e-9, (box[2] - box[0]) * (box[3] - box[1]))


def _box(card: FoundCard, photo: Photo) -> Box:
    """The upright box of an outline, as far as it lies in the picture: labels end there too."""
    (left, top, right, bottom), (width, height) = bounds(card.quad), photo.size
    return max(0.0, left), max(0.0, top), min(float(width), right), min(float(height), bottom)


def average_precision(guesses: Iterable[Guess], targets: dict[int, list[Target]]) -> float:
    """Area under the curve of precision over recall, each dip filled from its right, for one class.

    >>> one = {0: [Target((0, 0, 10, 10), True)], 1: [Target((0, 0, 10, 10), True)]}
    >>> average_precision([Guess(0.9, 0, (0, 0, 10, 9)), Guess(0.8, 0, (50, 50, 60, 60))], one)
    0.5
    """
    hits = [hit for guess in sorted(guesses, key=lambda g: -g.confidence) if (hit := _hit(guess, targets)) is not None]
    total = sum(target.counts for photo in targets.values() for target in photo)
    found = np.cumsum(hits)
    precision = found / np.arange(1, len(hits) + 1)
    ceiling = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(ceiling * np.array(hits)) / total)


def _hit(guess: Guess, targets: dict[int, list[Target]]) -> bool | None:
    """Take the best free target that the guess covers; None where that one does not count."""
    free = [target for target in targets.get(guess.photo, ()) if not target.found]
    best = max(free, key=lambda target: box_iou(guess.box, target.box), default=None)
    if best is None or box_iou(guess.box, best.box) < _ENOUGH:
        return False
    best.found = best.counts
    return True if best.counts else None
