"""`evaluate`: scores networks over labelled pictures and prints the model card's tables.

By source, never pooled alone, since one large source would swamp the rest. Recall counts all photos, precision
only those whose labels are complete; a photo that cannot be read counts as all missed.
"""

from __future__ import annotations

import importlib
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from vision.geometry import bounds, box_share
from vision.images import load_picture
from vision.lab.evaluation.labels import Box, Photo, load_labels, rank_of, suit_of
from vision.lab.evaluation.scoring import Said, Score, Wanted, score
from vision.progress import follow_progress
from vision.types import RANKS, SUITS, Detector, FoundCard, Frame, VisionError, detect_carefully

#: Upper edges of the table by card height, in pixels.
HEIGHTS, LARGER = (80, 120, 160, 240, 320, 480), "larger"
#: Readings called at least so sure are checked for how often they are right.
_SURE = (0.5, 0.7, 0.9, 0.95, 0.99, 0.999)
#: A box counts as found from this intersection over union with its label on (mAP50).
_FOUND_IOU = 0.5
#: A label counts as overlapped by another from this share of its own box on; turned neighbours touch a little.
_OVERLAPPED = 0.05
#: Recalls, 0..1, at which the curve of precision over recall is summed.
_RECALLS = np.linspace(0, 1, 1001)[1:]

_Row = dict[str, Any]


def evaluate(manifest: Path, detector: Detector) -> _Row:
    """Read every labelled photo and score it: everything the tables show, ready for JSON.

    Raises VisionError where the manifest holds no photos.
    """
    photos = load_labels(manifest)
    scores = [score_photo(photo, detector) for photo in follow_progress(photos, len(photos))]
    if not scores:
        raise VisionError(f"The labels {manifest} hold no photos.")
    return {"model": detector.model_hash, **tables(scores)}


def score_photo(photo: Photo, detector: Detector) -> Score:
    """Read one photo and score it."""
    return scored(photo, frame_of(photo), detector)


def frame_of(photo: Photo) -> Frame | None:
    """The photo's picture; None where it cannot be read."""
    try:
        return Frame(load_picture(photo.path), at=0.0, name=photo.path.name)
    except VisionError:
        return None


def scored(photo: Photo, frame: Frame | None, detector: Detector) -> Score:
    """Score what is seen in the picture of a photo."""
    return (
        score(photo, None, photo.size) if frame is None else score(photo, detect_carefully(detector, frame), frame.size)
    )


def tables(scores: Sequence[Score]) -> _Row:
    """All tables over the scored photos."""
    sources = {name: source_row(group) for name, group in sorted(_grouped(scores, lambda s: s.photo.source).items())}
    wanted = [w for s in scores for w in s.wanted]
    said = [c for s in scores if s.photo.complete for c in s.said]
    confusions = Counter(pair for s in scores for pair in s.confusions).most_common()
    return {
        "sources": sources,
        "macro": macro(sources.values()),
        "pooled": source_row(scores),
        "by_height": _recall_rows((w for w in wanted if w.label.box), _height, [*map(_height_name, HEIGHTS), LARGER]),
        "by_suit": _both_rows(wanted, said, suit_of, (*SUITS, "JOKER")),
        "by_rank": _both_rows(wanted, said, rank_of, (*RANKS, "JOKER")),
        "confusions": [{"is": is_, "said": said_, "cards": n} for (is_, said_), n in confusions],
        "reliability": reliability(scores),
    }


def source_row(scores: Sequence[Score]) -> _Row:
    """Counts and figures (0..1, None where nothing can be said) of one group of photos."""
    complete = [s for s in scores if s.photo.complete]
    wanted, said = [w for s in scores for w in s.wanted], [c for s in complete for c in s.said]
    return {
        "photos": len(scores),
        "unread": sum(s.unread for s in scores),
        "cards": len(wanted),
        "said": len(said),
        "recall": _share(w.exact for w in wanted),
        "rank_recall": _share(w.rank for w in wanted),
        "precision": _share(c.exact for c in said),
        "rank_precision": _share(c.rank for c in said),
        "photo_right": _share(s.right for s in complete),
        "photo_rank_right": _share(s.rank_right for s in complete),
        "map50": map50(scores),
        "map50_clear": map50(scores, clear_only=True),
    }


def map50(scores: Sequence[Score], clear_only: bool = False) -> float | None:
    """Mean average precision (0..1) over the labelled classes at half overlap, each face with its likeliest code.

    `clear_only` leaves out labels that another label overlaps. None where no card has a box, and where pycocotools
    (extra `train`) is not installed.
    """
    boxed = [s for s in scores if not s.photo.corners and all(label.box for label in s.photo.labels)]
    try:
        coco, evaluation = (importlib.import_module(f"pycocotools.{name}") for name in ("coco", "cocoeval"))
    except ModuleNotFoundError:
        return None
    codes = {code: number for number, code in enumerate(sorted({w.code for s in boxed for w in s.photo.labels}))}
    labels = [label for photo, s in enumerate(boxed) for label in _coco_labels(photo, s.photo, codes, clear_only)]
    if all(label["iscrowd"] for label in labels):
        return None
    guesses = [_coco_guess(n, s.photo, card, codes) for n, s in enumerate(boxed) for card in s.faces]
    guesses = [guess for guess in guesses if guess["category_id"] is not None]
    if not guesses:
        return 0.0
    truth = coco.COCO()
    truth.dataset = {
        "info": {},
        "images": [{"id": photo} for photo in range(len(boxed))],
        "categories": [{"id": number} for number in codes.values()],
        "annotations": [{**label, "id": number} for number, label in enumerate(labels, start=1)],
    }
    with redirect_stdout(io.StringIO()):
        truth.createIndex()
        run = evaluation.COCOeval(truth, truth.loadRes(guesses), "bbox")
        run.params.iouThrs, run.params.recThrs = np.array([_FOUND_IOU]), _RECALLS
        run.params.areaRng, run.params.areaRngLbl = [[0, float("inf")]], ["all"]
        run.evaluate()
        run.accumulate()
    by_class = run.eval["precision"][0, :, :, 0, -1]
    return round(float(by_class[:, by_class[0] >= 0].mean()), 6)


def _coco_labels(number: int, photo: Photo, codes: dict[str, int], clear_only: bool) -> Iterator[_Row]:
    """The labels of a photo; finding one that is marked as a crowd is neither asked for nor a fault."""
    boxes = [label.box for label in photo.labels if label.box]
    for box, label in zip(boxes, photo.labels, strict=True):
        hidden = clear_only and any(box_share(box, other) > _OVERLAPPED for other in boxes if other is not box)
        sides = _coco_box(box)
        yield {
            "image_id": number, "category_id": codes[label.code], "bbox": sides, "area": sides[2] * sides[3],
            "iscrowd": int(hidden),
        }  # fmt: skip


def _coco_guess(number: int, photo: Photo, card: FoundCard, codes: dict[str, int]) -> _Row:
    """A face as far as it lies in the picture: labels end there too."""
    (left, top, right, bottom), (width, height) = bounds(card.quad), photo.size
    box = max(0.0, left), max(0.0, top), min(float(width), right), min(float(height), bottom)
    score_of_box = card.found * card.p
    return {"image_id": number, "category_id": codes.get(str(card.code)), "bbox": _coco_box(box), "score": score_of_box}


def _coco_box(box: Box) -> list[float]:
    left, top, right, bottom = box
    return [left, top, right - left, bottom - top]


FIGURES = ("recall", "rank_recall", "precision", "rank_precision", "photo_right", "photo_rank_right")


def macro(rows: Iterable[_Row]) -> _Row:
    """Each figure's mean over the sources that have it."""
    known = {name: [row[name] for row in rows if row[name] is not None] for rows in [list(rows)] for name in FIGURES}
    return {name: sum(values) / len(values) if values else None for name, values in known.items()}


def reliability(scores: Iterable[Score]) -> list[_Row]:
    """How often readings called at least so sure are right, stood by or not, on complete photos."""
    called = [c for s in scores if s.photo.complete for c in (*s.said, *s.unsure)]
    rows = []
    for sure in _SURE:
        cards = [card for card in called if card.p >= sure]
        rows.append(
            {
                "at_least": sure,
                "said": len(cards),
                "exact": _share(card.exact for card in cards),
                "rank": _share(card.rank for card in cards),
            }
        )
    return rows


def _share(hits: Iterable[bool]) -> float | None:
    listed = list(hits)
    return sum(listed) / len(listed) if listed else None


Item = TypeVar("Item")


def _grouped(items: Iterable[Item], key: Callable[[Item], str]) -> dict[str, list[Item]]:
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def _height(wanted: Wanted) -> str:
    """The row of a card: cards turned sideways count by their longer side."""
    left, top, right, bottom = wanted.label.box or (0, 0, 0, 0)
    side = max(right - left, bottom - top)
    return next((_height_name(edge) for edge in HEIGHTS if side < edge), LARGER)


def _height_name(edge: int) -> str:
    return f"below {edge}"


def _recall_rows(wanted: Iterable[Wanted], key: Callable[[Wanted], str], names: Iterable[str]) -> dict[str, _Row]:
    groups = _grouped(wanted, key)
    return {
        name: {
            "cards": len(groups[name]),
            "recall": _share(w.exact for w in groups[name]),
            "rank_recall": _share(w.rank for w in groups[name]),
        }
        for name in names
        if name in groups
    }


def _both_rows(
    wanted: Iterable[Wanted], said: Iterable[Said], key: Callable[[str], str], names: Iterable[str]
) -> dict[str, _Row]:
    rows = _recall_rows(wanted, lambda w: key(w.label.code), names := tuple(names))
    groups = _grouped(said, lambda c: key(c.code))
    for name in names:
        if name in rows or name in groups:
            rows.setdefault(name, {"cards": 0, "recall": None, "rank_recall": None}).update(
                said=len(groups[name]),
                precision=_share(c.exact for c in groups[name]),
                rank_precision=_share(c.rank for c in groups[name]),
            )
    return rows
