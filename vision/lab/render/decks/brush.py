"""A brush for figures: fills shapes plain or patterned, with a dark outline, in coordinates 0..1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lab.render.decks.ink import Colour, Paper, Points, arc

#: True where a pattern shows its second colour.
_Pattern = Callable[[NDArray[np.int64], NDArray[np.int64], int], NDArray[np.bool_]]

PATTERNS: dict[str, _Pattern] = {
    "stripes": lambda x, y, s: (x + y) % s < s // 2,
    "bars": lambda x, y, s: y % s < s // 2,
    "pales": lambda x, y, s: x % s < s // 3,
    "checks": lambda x, y, s: (x // s + y // s) % 2 == 0,
    "lozenges": lambda x, y, s: (abs(x % (2 * s) - s) + abs(y % (2 * s) - s)) < s * 3 // 4,
    "dots": lambda x, y, s: (x % s - s // 2) ** 2 + (y % s - s // 2) ** 2 < (s // 3) ** 2,
    "zigzag": lambda x, y, s: (y + abs(x % (2 * s) - s)) % s < s // 2,
    "scales": lambda x, y, s: (
        abs(((x + y // s % 2 * s // 2) % s - s // 2) ** 2 + (y % s) ** 2 - s * s // 4) < s * s // 10
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Brush:
    """Paints on `paper`; `line` is the colour of outlines and `thick` their width in pixels."""

    paper: Paper
    line: Colour
    thick: int

    def fill(self, shape: Points, colour: Colour, outline: bool = True) -> None:
        """Fill a closed shape with one colour."""
        cv2.fillPoly(self.paper, [self._placed(shape)], colour, cv2.LINE_AA, 4)
        if outline:
            cv2.polylines(self.paper, [self._placed(shape)], True, self.line, self.thick, cv2.LINE_AA, 4)

    def weave(self, shape: Points, pattern: str, step: int, first: Colour, second: Colour) -> None:
        """Fill a closed shape with a pattern of two colours, repeating every `step` pixels or two."""
        height, width = self.paper.shape[:2]
        inside = np.zeros((height, width), np.uint8)
        cv2.fillPoly(inside, [self._placed(shape)], 255, cv2.LINE_8, 4)
        y, x = np.nonzero(inside)
        shown = PATTERNS[pattern](x, y, max(4, step))
        self.paper[y, x] = np.where(shown[:, None], np.array(second, np.uint8), np.array(first, np.uint8))
        cv2.polylines(self.paper, [self._placed(shape)], True, self.line, self.thick, cv2.LINE_AA, 4)

    def stroke(self, points: Points, colour: Colour | None = None, thick: float = 1.0) -> None:
        """Draw an open line, `thick` times as wide as outlines."""
        width = max(1, round(self.thick * thick))
        cv2.polylines(self.paper, [self._placed(points)], False, colour or self.line, width, cv2.LINE_AA, 4)

    def disc(self, x: float, y: float, radius: float, colour: Colour, outline: bool = True) -> None:
        """Fill a circle; `radius` is a part of the width."""
        height, width = self.paper.shape[:2]
        self.fill(arc(x, y, radius, radius * width / height, 0, 350), colour, outline)

    def _placed(self, points: Points) -> NDArray[np.int32]:
        height, width = self.paper.shape[:2]
        return np.asarray(np.round(points * (width * 16, height * 16)), np.int32)
