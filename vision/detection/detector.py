"""Finder and reader behind the Detector protocol, and a detector with prepared answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vision.detection.finder import Finder, Outline
from vision.detection.reader import KnownPack, Reader
from vision.detection.weights import ReadAbove, Weights
from vision.detection.zoom import refine_outline
from vision.geometry import area, filled, overlap, short_and_long
from vision.light import measure_cast, remove_cast
from vision.types import (
    BACK,
    CLASSES,
    MOST_READINGS,
    NOT_A_CARD,
    FoundCard,
    Frame,
    Image,
    Quad,
    Reading,
    Side,
)

#: From this probability on the reader overrules the finder: no card at all, or the other side up.
VETO = 0.5
#: No reading less likely than this is handed on with a card.
LEAST_READING = 0.001
#: Two outlines are one physical card where the smaller lies this far inside the other …
NESTED = 0.8
#: … or where both are read as the same card and share at least this much of the smaller …
SAME_CODE = 0.3
#: … or so read, a strip and the rest fill their common rectangle so far: a shadow's edge that cuts a card in two.
_TOGETHER, STRIP = 0.85, 0.55
#: An outline smaller than this share of another is held by it, not cut from it; and two of them lie beside each other
#: where they share less than this of the smaller one.
_HELD = 0.25
_BESIDE = 0.1
#: A face that is read less surely is looked at again, closer; so many a frame at most, or the live picture would jerk.
_UNSURE, MOST_AGAIN = 0.97, 4

_CODES = CLASSES[:-2]
_BACK, _NOT_A_CARD = CLASSES.index(BACK), CLASSES.index(NOT_A_CARD)


class CardFinder(Protocol):
    """What outlines the cards of a picture."""

    def find(self, image: Image) -> tuple[Outline, ...]:
        """The outlines, best first."""
        ...


@runtime_checkable
class CarefulFinder(Protocol):
    """What can take more time for a picture."""

    def find_carefully(self, image: Image) -> tuple[Outline, ...]:
        """The outlines, best first."""
        ...


class CardReader(Protocol):
    """What names outlined cards."""

    def read(self, image: Image, quads: Sequence[Quad]) -> NDArray[np.floating]:
        """Probabilities of CLASSES, one row an outline."""
        ...


def judge_outline(outline: Outline, p: NDArray[np.floating], read_above: ReadAbove) -> FoundCard | None:
    """Join what both networks say of one outline; None where the reader holds it for no card.

    `p` are the reader's probabilities of CLASSES.
    """
    readings = rank_readings(p)
    stands = bool(readings) and read_above.stands(readings[0])
    surely_face = stands and readings[0].p >= VETO
    if p[_NOT_A_CARD] > VETO:
        return None
    if p[_BACK] > VETO or (outline.side is Side.BACK and not surely_face):
        return FoundCard(outline.quad, Side.BACK, outline.score)
    return FoundCard(outline.quad, Side.FACE, outline.score, readings, stands)


#: What joins what both networks say of one outline.
JudgeOutline = Callable[[Outline, NDArray[np.floating], ReadAbove], FoundCard | None]


class CardDetector:
    """Outlines the cards of a frame, names each from the full-resolution picture, looks closer at the unsure ones."""

    def __init__(
        self,
        finder: CardFinder,
        reader: CardReader,
        read_above: ReadAbove,
        model_hash: str,
        judging: JudgeOutline = judge_outline,
    ) -> None:
        """Join two networks by `judging`; cards are stood by from the probabilities of `read_above` on."""
        self.finder, self.reader, self.model_hash = finder, reader, model_hash
        self.read_above, self._judging = read_above, judging

    @classmethod
    def load(cls, weights: Weights, pack: KnownPack | None = None) -> CardDetector:
        """Load both networks; raises VisionError where one does not run here."""
        named = f"{weights.hash}+{pack.name}" if pack else weights.hash
        return cls(Finder(weights.finder), Reader(weights.reader, pack), weights.reader.read_above, named)

    def detect(self, frame: Frame) -> tuple[FoundCard, ...]:
        """Every card of the frame, the surest outline first."""
        return self._detect(frame.image, self.finder.find)

    def detect_carefully(self, frame: Frame) -> tuple[FoundCard, ...]:
        """The same for a single picture: coloured light is taken out, and the finder looks at a second scale."""
        find = self.finder.find_carefully if isinstance(self.finder, CarefulFinder) else self.finder.find
        return self._detect(remove_cast(frame.image, measure_cast(frame.image)), find)

    def _detect(self, image: Image, find: Callable[[Image], Sequence[Outline]]) -> tuple[FoundCard, ...]:
        cards = [card for card in self._named(image, find(image)) if card]
        return merge_duplicates(self._looked_at_again(image, without_tables(cards)))

    def _named(self, image: Image, outlines: Sequence[Outline]) -> list[FoundCard | None]:
        rows = self.reader.read(image, [outline.quad for outline in outlines])
        return [self._judging(outline, row, self.read_above) for outline, row in zip(outlines, rows, strict=True)]

    def _looked_at_again(self, image: Image, cards: Sequence[FoundCard]) -> list[FoundCard]:
        """The cards, but for unsure faces that are read more surely along an outline found closer up."""
        unsure = [card for card in cards if card.side is Side.FACE and card.p < _UNSURE][:MOST_AGAIN]
        closer = [(card, refine_outline(self.finder.find, image, card.quad)) for card in unsure]
        again = [(card, outline) for card, outline in closer if outline]
        named = self._named(image, [outline for _, outline in again])
        surer = {
            id(card): replace(better, found=card.found)
            for (card, _), better in zip(again, named, strict=True)
            if better and better.side is Side.FACE and better.p > card.p
        }
        return [surer.get(id(card), card) for card in cards]


class CannedDetector:
    """A detector that gives prepared answers: the n-th frame it is shown gets the n-th, the last one for ever."""

    model_hash = "canned"

    def __init__(self, answers: Sequence[Iterable[FoundCard]]) -> None:
        """Keep the answers; without any, every table is empty."""
        self._answers = [tuple(answer) for answer in answers] or [()]
        self._next = 0

    def detect(self, frame: Frame) -> tuple[FoundCard, ...]:
        """The next prepared answer, whatever the frame shows."""
        answer = self._answers[min(self._next, len(self._answers) - 1)]
        self._next += 1
        return answer


def rank_readings(p: NDArray[np.floating]) -> tuple[Reading, ...]:
    """The card codes worth handing on, most likely first."""
    order = np.argsort(-p[: len(_CODES)], kind="stable")[:MOST_READINGS]
    return tuple(Reading(_CODES[i], float(p[i])) for i in order if p[i] >= LEAST_READING)


def without_tables(cards: Sequence[FoundCard]) -> list[FoundCard]:
    """The cards, but for outlines that hold two others beside each other: a pale table, a tray, a mat."""
    return [card for card in cards if not _holds_others(card, cards)]


def _holds_others(card: FoundCard, cards: Sequence[FoundCard]) -> bool:
    size = abs(area(card.quad))
    held = [
        other.quad
        for other in cards
        if abs(area(other.quad)) < _HELD * size and overlap(other.quad, card.quad)[1] > NESTED
    ]
    return any(overlap(a, b)[1] < _BESIDE for a, b in combinations(held, 2))


def merge_duplicates(cards: Iterable[FoundCard]) -> tuple[FoundCard, ...]:
    """Leave one outline of each physical card: the one that is found and read best."""
    kept: list[FoundCard] = []
    for card in sorted(cards, key=lambda card: card.found * card.p, reverse=True):
        if not any(_same_card(card, other) for other in kept):
            kept.append(card)
    return tuple(sorted(kept, key=lambda card: card.found, reverse=True))


def _same_card(a: FoundCard, b: FoundCard) -> bool:
    _, inside = overlap(a.quad, b.quad)
    smaller, larger = sorted((abs(area(a.quad)), abs(area(b.quad))))
    # Cards of one size that lie nearly on each other are a pile, and the finder has chosen between them.
    nested = inside > NESTED and smaller < larger / 2
    same = a.side is b.side is Side.FACE and a.code == b.code
    return nested or (same and (inside > SAME_CODE or _are_parts(a.quad, b.quad)))


def _are_parts(a: Quad, b: Quad) -> bool:
    """Whether two outlines, one of them too narrow for a whole card, make up one card together."""
    short, long = short_and_long(min(a, b, key=lambda quad: abs(area(quad))))
    return short < STRIP * long and filled(a, b) > _TOGETHER
