"""Enrolling a pack: pictures of it, laid out in rows or card by card, become what vision.packs.pack knows it by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.detector import CardDetector, CardFinder, judge_outline
from vision.detection.finder import Outline
from vision.detection.reader import Reader
from vision.detection.weights import ReadAbove
from vision.detection.zoom import find_in_tiles
from vision.geometry import area
from vision.images import load_picture, straighten
from vision.packs.pack import Features, Pack, learn_pack
from vision.packs.row_layout import (
    CONTRADICTS_FROM,
    MOST_EXTRA,
    LaidWrong,
    LayoutFault,
    PlacedCard,
    ReadOutline,
    assign_codes,
    find_contradictions,
)
from vision.progress import follow_progress
from vision.types import BACK, CLASSES, JOKER_CLASS, NOT_A_CARD, Detector, FoundCard, Image, Quad, Side, VisionError

#: The cards of one picture are of one size, but for the slant: an outline smaller than this share of the middle one's
#: area is part of a card, as where a shadow cuts it.
_PART = 0.45
#: An outline found this surely is a card that is shown to be learned, even where the reader knows no such card.
_SHOWN = 0.8
#: Rows that were taken before are taken for those of the picture only where they fit better by so many nats a card.
_AGAIN = 1.0
#: Shaken copies of each card, beside the card as it was seen.
SHAKEN = 7

#: A card cut out of its picture, with its code.
CutCard = tuple[str, Image]


@dataclass(frozen=True, slots=True)
class EnrolmentNetworks:
    """What a pack is enrolled with. `read_above` says which readings are stood by."""

    finder: CardFinder
    reader: Reader
    read_above: ReadAbove

    def cut(self, image: Image, quad: Quad) -> Image:
        """A card as the reader sees it."""
        return straighten(image, quad, self.reader.net.size, self.reader.net.margin)


class EnrolmentDetector(CardDetector):
    """The Detector for cards that are shown to be learned: an unknown card may be held for no card at all."""

    def __init__(self, by: EnrolmentNetworks) -> None:
        """Look with these networks."""
        super().__init__(by.finder, by.reader, by.read_above, "enrolment", judge_shown_outline)


def judge_shown_outline(outline: Outline, p: NDArray[np.floating], read_above: ReadAbove) -> FoundCard | None:
    """As a card is judged, but what is surely outlined is one."""
    if outline.score >= _SHOWN:
        p = p.copy()
        p[CLASSES.index(NOT_A_CARD)] = 0.0
    return judge_outline(outline, p, read_above)


def enrolment_networks(detector: Detector) -> EnrolmentNetworks:
    """The detector's networks. Raises VisionError where a pack cannot be enrolled with them."""
    if not isinstance(detector, CardDetector) or not isinstance(detector.reader, Reader):
        raise VisionError("A pack is enrolled with the program's own networks: leave out --engine and --weights.")
    if not detector.reader.knows_packs:
        raise VisionError(
            "These networks cannot enrol a pack yet: install the newest version, or export the reader anew."
        )
    return EnrolmentNetworks(detector.finder, detector.reader, detector.read_above)


def parse_file_name(path: Path) -> str | None:
    """The card that a file's name says, or None: `AS.jpg`, `10h-2.png`, `JR.jpg`, `back.jpg`.

    >>> [parse_file_name(Path(name)) for name in ("as.jpg", "10H-2.png", "TD.jpg", "JR.jpg", "back.jpg", "IMG_12.jpg")]
    ['AS', '10H', '10D', 'JOKER', 'back', None]
    """
    word = re.split(r"[ _\-.(]", path.stem.upper())[0]
    if word in (JOKER_CLASS, "JR", "JB"):
        return JOKER_CLASS
    if word == BACK.upper():
        return BACK
    code = word.replace("T", "10")
    return code if code in CLASSES else None


def cut_named_cards(paths: Sequence[Path], by: EnrolmentNetworks) -> list[CutCard]:
    """One card a picture, named by its file. Raises VisionError where no card is seen in one."""
    return [
        (str(parse_file_name(path)), cut_largest_card(load_picture(path), by, str(path)))
        for path in follow_progress(paths, len(paths))
    ]


def cut_largest_card(image: Image, by: EnrolmentNetworks, where: str = "the picture") -> Image:
    """The largest card of a picture, straightened. Raises LaidWrong where there is none."""
    return by.cut(image, _largest(image, by, where))


def _largest(image: Image, by: EnrolmentNetworks, where: str = "the picture") -> Quad:
    quads = [outline.quad for outline in by.finder.find(image)]
    if not quads:
        text = f"In {where} no card is seen: show one card, whole, on a plain ground."
        raise LaidWrong(LayoutFault.NOTHING, text)
    # A book beside it may be larger; but an unknown picture card may be held for no card at all.
    no_card = by.reader.read(image, quads)[:, CLASSES.index(NOT_A_CARD)] >= 0.5
    cards = [quad for quad, none in zip(quads, no_card, strict=True) if not none] or quads
    return max(cards, key=lambda quad: abs(area(quad)))


def cut_shown_card(image: Image, by: EnrolmentNetworks, code: str, sure: bool = False) -> list[CutCard]:
    """The one card of a picture, which is said to be `code`.

    Raises LaidWrong where there is none, or, unless the person is `sure`, it is surely read as another.
    """
    return _said_to_be(code, image, by, [_largest(image, by)], sure)


def cut_alike_cards(image: Image, by: EnrolmentNetworks, code: str, sure: bool = False) -> list[CutCard]:
    """The few cards of a picture, each of which is said to be `code`: jokers, or cards face down. Raises LaidWrong."""
    quads = [one.quad for one in _seen(image, by)]
    if not quads:
        raise LaidWrong(LayoutFault.NOTHING, "No card is seen.")
    if len(quads) > MOST_EXTRA:
        text = f"There are {len(quads)} cards in the picture: lay these alone, {MOST_EXTRA} at most."
        raise LaidWrong(LayoutFault.MANY, text, n=len(quads), most=MOST_EXTRA)
    return _said_to_be(code, image, by, quads, sure)


def _said_to_be(code: str, image: Image, by: EnrolmentNetworks, quads: Sequence[Quad], sure: bool) -> list[CutCard]:
    for p in by.reader.read(image, quads):
        read = CLASSES[int(p.argmax())]
        if p.max() >= CONTRADICTS_FROM and read not in (code, NOT_A_CARD) and not sure:
            raise _misplaced([(code, read)])
    return [(code, by.cut(image, quad)) for quad in quads]


def _misplaced(wrong: Sequence[tuple[str, str]]) -> LaidWrong:
    said = ", ".join(f"{read} where {code} should lie" for code, read in wrong[:4])
    text = f"The cards do not lie in that order: {said}. Lay them anew, or say that the order is sure."
    return LaidWrong(LayoutFault.MISPLACED, text, wrong=tuple(wrong))


def cut_cards_laid(
    image: Image, by: EnrolmentNetworks, order: Sequence[Sequence[str]], sure: bool = False
) -> tuple[list[CutCard], int]:
    """The cards of a picture by their places in rows, and how many of the suits' rows they fill.

    Raises LaidWrong where the rows do not fit `order`, or, unless the order is `sure`, the reader surely reads
    cards in each other's places.
    """
    cards, rows = cut_cards_of_rows(image, by, order, 0, sure)
    return cards, len(rows)


def cut_cards_of_rows(
    image: Image, by: EnrolmentNetworks, order: Sequence[Sequence[str]], done: int, sure: bool = False
) -> tuple[list[CutCard], range]:
    """The same, with the rows' numbers in the order, of which the first `done` were taken before.

    Those may lie there still, or again: the picture begins with the row that the reader's opinion fits best.
    Raises LaidWrong where it fits none.
    """
    seen = _seen(image, by)
    fitting, complaints = [], []
    for first in range(done + 1):
        try:
            fitting.append((first, _fitted(seen, order[first:])))
        except LaidWrong as error:
            complaints.append(error)
    if not fitting:
        raise complaints[0]
    first, places = max(fitting, key=lambda one: _fit(one[1]) + (_AGAIN if one[0] == done else 0.0))
    wrong = [] if sure else find_contradictions(places)
    if wrong:
        raise _misplaced(wrong)
    codes = {place.code for place in places}
    rows = [row for row in range(first, len(order)) if not codes.isdisjoint(order[row])]
    return [(place.code, by.cut(image, place.seen.quad)) for place in places], range(first, first + len(rows))


def _fit(places: Sequence[PlacedCard]) -> float:
    return float(np.mean([place.support for place in places]))


def _seen(image: Image, by: EnrolmentNetworks) -> list[ReadOutline]:
    outlines = find_in_tiles(by.finder.find, image)
    areas = [abs(area(outline.quad)) for outline in outlines]
    least = _PART * float(np.median(areas)) if areas else 0.0
    outlines = tuple(outline for outline, size in zip(outlines, areas, strict=True) if size >= least)
    seen = []
    for outline, p in zip(outlines, by.reader.read(image, [outline.quad for outline in outlines]), strict=True):
        card = judge_outline(outline, p, by.read_above)
        seen.append(ReadOutline(outline.quad, card.side if card else Side.FACE, p))
    return seen


def _fitted(seen: Sequence[ReadOutline], order: Sequence[Sequence[str]]) -> tuple[PlacedCard, ...]:
    cards = [one for one in seen if one.p[CLASSES.index(NOT_A_CARD)] < 0.5]
    try:
        return assign_codes(cards, order)
    except LaidWrong:
        # An unknown picture card may be held for no card at all.
        if len(cards) == len(seen):
            raise
        return assign_codes(seen, order)


def build_pack(name: str, cards: Iterable[CutCard], by: EnrolmentNetworks) -> Pack:
    """The pack of these cards. Several pictures of one card count together; jokers and backs each for themselves.

    Raises VisionError where there are no cards.
    """
    rng = np.random.default_rng(0)
    alike: dict[tuple[str, int], list[Image]] = {}
    counted: Counter[str] = Counter()
    for code, card in cards:
        counted[code] += 1
        copies = alike.setdefault((code, counted[code] if code in (JOKER_CLASS, BACK) else 0), [])
        copies += [card, *(perturb_card(card, rng) for _ in range(SHAKEN))]
    if not alike:
        raise VisionError("No card was shown: a pack needs at least one.")
    features = by.reader.features(np.stack([copy for copies in alike.values() for copy in copies]))
    ends = np.cumsum([len(copies) for copies in alike.values()])[:-1]
    parts: list[Features] = np.split(features, ends)
    known = [(code, part, copies[0]) for ((code, _), copies), part in zip(alike.items(), parts, strict=True)]
    return learn_pack(name, by.reader.net.sha256, known)


def perturb_card(card: Image, rng: np.random.Generator) -> Image:
    """The card as another frame could show it: outlined a little off, smaller, blurred, in other light."""
    size = card.shape[0]
    angle, scale, shift = rng.normal(0, 0.03), rng.normal(1, 0.04, 2), rng.normal(0, 0.02, 2) * size
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * scale[:, None]
    middle = np.full(2, (size - 1) / 2)
    matrix = np.column_stack([turn, middle + shift - turn @ middle])
    moved = cv2.warpAffine(card, matrix, (size, size), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if rng.random() < 0.5:
        side = round(size * rng.uniform(0.35, 0.9))
        moved = cv2.resize(cv2.resize(moved, (side, side), interpolation=cv2.INTER_AREA), (size, size))
    if rng.random() < 0.3:
        moved = cv2.GaussianBlur(moved, (0, 0), rng.uniform(0.4, 1.3))
    light = rng.uniform(0.4, 1.25) * (1 + rng.normal(0, 0.06, 3))
    lit = 255 * (moved / np.float32(255)) ** rng.uniform(0.8, 1.3) * light + rng.uniform(0, 14)
    return np.clip(lit + rng.normal(0, rng.uniform(0, 9), lit.shape), 0, 255).astype(np.uint8)
