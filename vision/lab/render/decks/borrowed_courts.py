"""Court pictures borrowed from an artwork deck: cut out of their frame, recoloured, perhaps mirrored."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lab.render.decks.deck import Deck
from vision.lab.render.decks.ink import Colour, Paper
from vision.types import Image

#: Where the picture begins on cards without a frame line, as a part of width and height.
_UNFRAMED = (0.14, 0.03)
#: Hues of what may change its colour, 0..180: yellow and blue. Red stays, the suit is told by it.
_YELLOW, _BLUE = (14, 42), (85, 140)


@dataclass(frozen=True, slots=True, eq=False)
class Borrowed:
    """A deck to take courts from, and how its paints change: hue shifts 0..180, factor of saturation.

    The pictures begin `left` and `top` pixels inside the cards.
    """

    deck: Deck
    left: int
    top: int
    mirror: bool
    yellow: int
    blue: int
    saturation: float

    def picture(self, code: str, paper: Colour) -> Paper:
        """Return the court picture of `code` without the index, on `paper`."""
        card = self.deck.faces[code]
        height, width = card.shape[:2]
        picture = card[self.top : height - self.top, self.left : width - self.left, :3]
        picture = _repainted(np.ascontiguousarray(picture), self)
        if self.mirror:
            picture = picture[:, ::-1]
        tinted = picture.astype(np.uint16) * np.array(paper, np.uint16) // 255
        return np.asarray(tinted, np.uint8)


def any_borrowing(deck: Deck, rng: np.random.Generator) -> Borrowed:
    """Draw by lot how the courts of `deck` change."""
    yellow = int(rng.normal(0, 4)) if rng.random() < 0.7 else 0
    blue = int(rng.normal(0, 6)) if rng.random() < 0.8 else int(rng.integers(-60, 20))
    left, top = _frame(deck)
    return Borrowed(deck, left, top, bool(rng.random() < 0.5), yellow, blue, rng.uniform(0.7, 1.15))


def _frame(deck: Deck) -> tuple[int, int]:
    """Return where the pictures begin: inside the frame line if most courts show one at the same place."""
    width, height = deck.size
    found = [_lines(card) for code, card in deck.faces.items() if code[0] in "JQK" and code[-1] in "CDHS"]
    unframed = (round(width * _UNFRAMED[0]), round(height * _UNFRAMED[1]))
    place = []
    for axis in (0, 1):
        middle = int(np.median([lines[axis] for lines in found]))
        agreeing = sum(abs(lines[axis] - middle) <= 3 for lines in found)
        place.append(middle if middle and agreeing >= len(found) * 2 / 3 else unframed[axis])
    return place[0], place[1]


def _lines(card: Image) -> tuple[int, int]:
    height, width = card.shape[:2]
    dark = card[:, :, :3].min(axis=2) < 200
    left = _line(dark[height // 5 : height * 4 // 5], width // 10, width * 30 // 100)
    return left, _line(dark[:, width // 3 : width * 2 // 3].T, height // 40, height // 6)


def _line(dark: NDArray[np.bool_], start: int, stop: int) -> int:
    """Return just behind the first straight line between columns `start` and `stop`, 0 where there is none."""
    straight = np.flatnonzero(dark[:, start:stop].mean(axis=0) > 0.85)
    if not len(straight):
        return 0
    last = straight[0]
    while last + 1 in straight:
        last += 1
    return int(start + last + 1)


def _repainted(picture: Paper, borrowed: Borrowed) -> Paper:
    hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV).astype(np.int16)
    hue, painted = hsv[:, :, 0], hsv[:, :, 1] > 60
    for (low, high), shift in ((_YELLOW, borrowed.yellow), (_BLUE, borrowed.blue)):
        hue[painted & (hue >= low) & (hue <= high)] += shift
    hsv[:, :, 0] = hue % 180
    hsv[:, :, 1] = np.clip(hsv[:, :, 1] * borrowed.saturation, 0, 255)
    return np.asarray(cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)
