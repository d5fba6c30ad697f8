"""How much of a card is burnt out by light: where nothing is left to read, a later frame may be better."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import bounds, points
from vision.types import Quad

#: From this level on, of 255 in every colour, nothing is left of what is printed.
BURNT = 250
#: The card is looked at in about so many pixels along its longer side.
FINE = 48


def measure_glare(image: NDArray[np.uint8], quad: Quad) -> float:
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
