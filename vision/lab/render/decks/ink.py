"""Printing on cards: masks of shapes, antialiased, and stamping them in a colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

#: Blue, green, red, 0..255.
Colour = tuple[int, int, int]
#: HxW, 0 is no ink and 255 full ink.
Mask = NDArray[np.uint8]
#: HxWx3, blue, green, red.
Paper = NDArray[np.uint8]
#: Nx2, x to the right and y down; the unit is the caller's.
Points = NDArray[np.float64]

_FINE = 4


def bezier(start: Sequence[float], *curves: Sequence[float], steps: int = 12) -> Points:
    """Return points along cubic curves: each of `curves` is x1, y1, x2, y2, x, y and starts where the last ended."""
    points = [np.array([start], float)]
    t = np.linspace(0, 1, steps + 1)[1:, None]
    for x1, y1, x2, y2, x, y in curves:
        p0, p1, p2, p3 = points[-1][-1], np.array([x1, y1]), np.array([x2, y2]), np.array([x, y])
        points.append((1 - t) ** 3 * p0 + 3 * (1 - t) ** 2 * t * p1 + 3 * (1 - t) * t**2 * p2 + t**3 * p3)
    return np.concatenate(points)


def arc(x: float, y: float, rx: float, ry: float, start: float, end: float, square: float = 2.0) -> Points:
    """Return points along an ellipse from `start` to `end` degrees, clockwise from the right; `square` 2 is round."""
    angles = np.radians(np.linspace(start, end, max(6, int(abs(end - start) / 8))))
    cos, sin = np.cos(angles), np.sin(angles)
    power = 2 / square
    return np.stack(
        [x + rx * np.sign(cos) * np.abs(cos) ** power, y + ry * np.sign(sin) * np.abs(sin) ** power], axis=1
    )


def mirrored(half: Points) -> Points:
    """Return the closed outline whose right half is `half`, about x = 0."""
    return np.concatenate([half, half[::-1] * (-1, 1)])


def shape_mask(shapes: Iterable[Points], width: int, height: int) -> Mask:
    """Return the filled union of closed shapes given in 0..1 of `width` and `height` pixels."""
    fine = np.zeros((height * _FINE, width * _FINE), np.uint8)
    scale = np.array([width, height]) * _FINE * 16
    for shape in shapes:
        cv2.fillPoly(fine, [np.round(shape * scale).astype(np.int32)], 255, shift=4)
    return np.asarray(cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def stamp(paper: Paper, mask: Mask, colour: Colour, x: float, y: float) -> None:
    """Print `mask` in `colour` on `paper`, its middle at (x, y) pixels; what lies outside is lost."""
    height, width = mask.shape
    left, top = round(x - width / 2), round(y - height / 2)
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(paper.shape[1], left + width), min(paper.shape[0], top + height)
    if x0 >= x1 or y0 >= y1:
        return
    ink = mask[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.uint16)
    under = paper[y0:y1, x0:x1]
    under[:] = (under * (255 - ink) + np.array(colour, np.uint16) * ink + 127) // 255


def stamp_twice(paper: Paper, mask: Mask, colour: Colour, x: float, y: float) -> None:
    """Print `mask` at (x, y) and, upside down, where it lands when the card is turned round."""
    stamp(paper, mask, colour, x, y)
    stamp(paper[::-1, ::-1], mask, colour, x, y)


def turned(mask: Mask) -> Mask:
    """Return `mask` upside down."""
    return np.asarray(mask[::-1, ::-1])
