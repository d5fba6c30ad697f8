"""The light on the table: its colour, which is taken out before cards are found and read, and where it burns out."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np

from vision.geometry import bounds, points
from vision.types import Image, Quad

#: The brightest part of each colour, as a percentile: paper, where cards lie; one pixel in so many is looked at.
_PAPER = 97.0
_EVERY = 8
#: The lamp's colour is taken out where its weakest part is below this share of its strongest; whiter light stays.
_CAST_BELOW = 0.65
#: Full correction below this share; between the two it grows evenly.
_CAST_FULL = 0.5
#: The weakest colour is made brighter by no more than this factor: beyond it there is noise alone.
_MOST_GAIN = 4.0
#: From this level on, of 255 in every colour, nothing is left of what is printed.
BURNT = 250
#: The steepest steps between pixels, as a percentile.
_STEEP = 99.5
#: Least contrast, 0..255, by which steps are measured: in a picture of nothing there is only noise.
_CONTRAST = 24.0
#: The card is looked at in about so many pixels along its longer side.
FINE = 48


def measure_cast(image: Image) -> tuple[float, float, float]:
    """The factors for blue, green and red, 1 at least, that make the light on a BGR picture white.

    All 1 where the light is nearly white: the networks were trained on tinted light, and need no help with it.

    >>> measure_cast(np.full((80, 80, 3), (60, 160, 200), np.uint8))[2]
    1.0
    """
    bright = np.percentile(image[::_EVERY, ::_EVERY].reshape(-1, 3), _PAPER, axis=0)
    shares = np.maximum(bright, 1.0) / max(1.0, float(bright.max()))
    strength = np.clip((_CAST_BELOW - shares.min()) / (_CAST_BELOW - _CAST_FULL), 0.0, 1.0)
    blue, green, red = (float(min(_MOST_GAIN, (1 / share) ** strength)) for share in shares)
    return blue, green, red


def remove_cast(image: Image, factors: tuple[float, float, float]) -> Image:
    """The BGR picture with each colour made brighter by its factor; the very same picture where all are about 1.

    >>> remove_cast(np.full((1, 1, 3), (60, 160, 200), np.uint8), (2.0, 1.25, 1.0)).tolist()
    [[[120, 200, 200]]]
    """
    if max(factors) < 1.02:
        return image
    levels = np.arange(256, dtype=np.float32)[:, None] * np.array(factors, dtype=np.float32)
    table = np.clip(np.rint(levels), 0, 255).astype(np.uint8)[None]
    return np.asarray(cv2.LUT(image, table), dtype=np.uint8)


def measure_glare(image: Image, quad: Quad) -> float:
    """The share of the outline that is burnt out, 0..1; of what leaves the picture nothing counts.

    >>> image = np.full((60, 60, 3), 200, np.uint8)
    >>> image[:, :30] = 255
    >>> round(measure_glare(image, ((10, 10), (50, 10), (50, 50), (10, 50))), 1)
    0.5
    """
    left, top, right, bottom = bounds(quad)
    rows, columns = image.shape[:2]
    x, y = max(0, int(left)), max(0, int(top))
    part = image[y : min(rows, int(bottom) + 1), x : min(columns, int(right) + 1)]
    step = max(1, round(max(right - left, bottom - top) / FINE))
    part = part[::step, ::step]
    if not part.size:
        return 0.0
    inside = np.zeros(part.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.rint((points(quad) - (x, y)) / step).astype(np.int32), 1)
    burnt = part.min(axis=2)[inside > 0] >= BURNT
    return float(burnt.mean()) if burnt.size else 0.0


def measure_brightness(image: Image) -> float:
    """Mean brightness of a picture, 0..255.

    >>> measure_brightness(np.full((80, 80, 3), 60, np.uint8))
    60.0
    """
    return float(np.mean(image[::_EVERY, ::_EVERY]))


def measure_sharpness(image: Image, quads: Iterable[Quad]) -> float:
    """The steepest changes of light from pixel to pixel as a share of the contrast, 0..1, on the sharpest card.

    0 where there is no card: what else lies there has no edges that are known to be sharp.

    >>> edge = np.zeros((64, 64, 3), np.uint8)
    >>> edge[:, 32:] = 200
    >>> card = ((0, 0), (64, 0), (64, 64), (0, 64))
    >>> measure_sharpness(edge, [card]) > 2 * measure_sharpness(cv2.GaussianBlur(edge, (0, 0), 3), [card])
    True
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    return max((_steepness(_part(grey, quad)) for quad in quads), default=0.0)


def _part(grey: Image, quad: Quad) -> Image:
    left, top, right, bottom = bounds(quad)
    return grey[max(0, int(top)) : int(bottom), max(0, int(left)) : int(right)]


def _steepness(grey: Image) -> float:
    if min(grey.shape) < 3:
        return 0.0
    level = grey.astype(np.float32)
    low, high = np.percentile(level, (2.0, 98.0))
    step = np.percentile(np.abs(np.diff(level, axis=1)), _STEEP)
    return float(min(1.0, step / max(_CONTRAST, high - low)))
