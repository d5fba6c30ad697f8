"""`evaluate --enrol`: accuracy without and with an enrolled pack.

The pack of each source is learned from one photo a card of its own, as far as its labels
go; its other photos are scored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vision.detection.detector import CardDetector, CardFinder
from vision.detection.finder import Outline
from vision.detection.reader import Reader
from vision.geometry import bounds, box_iou
from vision.images import load_picture
from vision.lab.evaluation.evaluate import FIGURES, frame_of, macro, scored, source_row
from vision.lab.evaluation.labels import Photo, load_labels
from vision.lab.evaluation.report import format_table
from vision.lab.evaluation.scoring import SAME_PLACE, Score
from vision.packs.enrol import CutCard, EnrolmentNetworks, build_pack, enrolment_networks
from vision.progress import follow_progress
from vision.types import Detector, Image, VisionError

_Row = dict[str, Any]
#: A source with fewer photos left to score than this says nothing.
LEAST_LEFT = 5


def evaluate_enrolled(manifest: Path, detector: Detector) -> _Row:
    """Figures of each source's remaining photos, `without` and `with` its pack, and what the pack was learned from.

    Raises VisionError where no source has photos enough.
    """
    by = enrolment_networks(detector)
    sources: dict[str, list[Photo]] = defaultdict(list)
    for photo in load_labels(manifest):
        sources[photo.source].append(photo)
    rows = {name: row for name, photos in sorted(sources.items()) if (row := _source(name, photos, by, detector))}
    if not rows:
        raise VisionError(f"No source of {manifest} has photos enough to learn a pack from some and score the others.")
    means = {way: macro(row[way] for row in rows.values()) for way in ("without", "with")}
    return {"model": detector.model_hash, "sources": rows, "macro": means}


def _source(name: str, photos: Sequence[Photo], by: EnrolmentNetworks, detector: Detector) -> _Row | None:
    cards, used = first_of_each(photos, by)
    left = [photo for photo in photos if photo.path not in used]
    if not cards or len(left) < LEAST_LEFT:
        return None
    pack = build_pack(name, cards, by)
    once, readers = Once(by.finder), {"without": by.reader, "with": Reader(by.reader.net, pack)}
    ways = {way: CardDetector(once, reader, by.read_above, detector.model_hash) for way, reader in readers.items()}
    scores: dict[str, list[Score]] = {way: [] for way in ways}
    for photo in follow_progress(left, len(left)):
        frame = frame_of(photo)
        for way, eyes in ways.items():
            scores[way].append(scored(photo, frame, eyes))
    rows = {way: source_row(found) for way, found in scores.items()}
    return {"enrolled": len(cards), "from_photos": len(used), **rows}


class Once:
    """A finder that looks only once at a picture which is shown to it twice: that is most of the work."""

    def __init__(self, finder: CardFinder) -> None:
        """Look with `finder`."""
        self._finder = finder
        self._image: Image | None = None
        self._outlines: tuple[Outline, ...] = ()

    def find(self, image: Image) -> tuple[Outline, ...]:
        """The outlines, best first."""
        if image is not self._image:
            self._image, self._outlines = image, self._finder.find(image)
        return self._outlines


def first_of_each(photos: Sequence[Photo], by: EnrolmentNetworks) -> tuple[list[CutCard], set[Path]]:
    """The first picture of each code whose card is outlined where its label lies, and the photos they are from."""
    cards: dict[str, CutCard] = {}
    used = set()
    for photo in photos:
        wanted = {label.code: label.box for label in photo.labels if label.box and label.code not in cards}
        if photo.corners or not wanted:
            continue
        try:
            image = load_picture(photo.path)
        except VisionError:
            continue
        for outline in by.finder.find(image):
            for code, box in wanted.items():
                if code not in cards and box_iou(bounds(outline.quad), box) > SAME_PLACE:
                    cards[code] = code, by.cut(image, outline.quad)
                    used.add(photo.path)
    return list(cards.values()), used


def format_gain(result: _Row) -> str:
    """The figures as a table, two lines a source."""
    rows = {
        f"{name} {way}": {"enrolled": row["enrolled"], "from_photos": row["from_photos"], **row[way]}
        for name, row in result["sources"].items()
        for way in ("without", "with")
    } | {f"mean {way}": figures for way, figures in result["macro"].items()}
    columns = ("enrolled", "from_photos", "photos", "cards", *FIGURES)
    return f"model {result['model']}\n\n" + format_table("source, pack", rows, columns, width=26)
