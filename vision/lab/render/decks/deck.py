"""A deck of card pictures: faces by code, and backs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import RANKS, SUITS, Image

#: A picture, uint8, HxWx4: blue, green, red, alpha.

#: Every card picture is this many pixels high; the width follows the deck's aspect.
HEIGHT = 504

CODES = tuple(rank + suit for suit in SUITS for rank in RANKS)
PAINTED_JOKERS = ("JB", "JR")


@dataclass(frozen=True, slots=True, eq=False)
class Deck:
    """Pictures of one deck: all 504 px high and equally wide, BGRA, rounded corners in alpha.

    `faces` maps card codes ("AS", "10H") and, where the artwork has them, the jokers "JB" and "JR".
    Decks of one `family` share court art: never split one between training and test.
    """

    name: str
    family: str
    faces: Mapping[str, Image]
    backs: tuple[Image, ...]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of every picture, in pixels."""
        height, width = self.backs[0].shape[:2]
        return width, height


def rounded(width: int, height: int, radius: float) -> NDArray[np.uint8]:
    """Return an HxW mask, 255 inside a rectangle with corners of `radius` pixels, antialiased."""
    scale = 4
    mask = np.zeros((height * scale, width * scale), np.uint8)
    r, right, bottom = round(radius * scale), width * scale - 1, height * scale - 1
    cv2.rectangle(mask, (r, 0), (right - r, bottom), 255, -1)
    cv2.rectangle(mask, (0, r), (right, bottom - r), 255, -1)
    for x in (r, right - r):
        for y in (r, bottom - r):
            cv2.circle(mask, (x, y), r, 255, -1)
    return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
