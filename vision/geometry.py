"""Outlines as plain geometry: areas, overlaps, order of corners. Pixels, x to the right and y down."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Quad

_Points = NDArray[np.float32]

#: The four ways to begin going round an outline, as orders of its corners.
_TURNS = np.array([[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]])


def points(quad: Quad) -> _Points:
    """The corners as a 4x2 array."""
    return np.asarray(quad, dtype=np.float32)


def as_quad(corners: NDArray[np.floating]) -> Quad:
    """Four corners of a 4x2 array as plain numbers."""
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return a, b, c, d


def area(quad: Quad) -> float:
    """Area in square pixels; positive when the corners run clockwise as seen on the screen.

    >>> area(((0, 0), (2, 0), (2, 3), (0, 3)))
    6.0
    """
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return ((cx - ax) * (dy - by) - (dx - bx) * (cy - ay)) / 2


def upright(quad: Quad) -> Quad:
    """The same outline with its corners clockwise and a short side first, so that side 0-1 is a card's top.

    >>> upright(((0, 0), (3, 0), (3, 2), (0, 2)))
    ((3.0, 0.0), (3.0, 2.0), (0.0, 2.0), (0.0, 0.0))
    """
    corners = points(quad)
    if area(quad) < 0:
        corners = corners[::-1]
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    if sides[0] + sides[2] > sides[1] + sides[3]:
        corners = np.roll(corners, -1, axis=0)
    return as_quad(corners)


def matched_corners(quads: _Points, other: Quad) -> _Points:
    """Nx4x2 outlines, each beginning with the corner that corresponds to the first of `other`, all clockwise.

    >>> quads = np.array([[(9, 0), (9, 9), (0, 9), (0, 0)]])
    >>> matched_corners(quads, ((0, 1), (8, 1), (8, 9), (0, 9)))[0, 0].tolist()
    [0, 0]
    """
    turns = quads[:, _TURNS]
    apart = np.abs(turns - points(other)).sum(axis=(2, 3))
    return np.asarray(turns[np.arange(len(quads)), apart.argmin(axis=1)])


def short_and_long(quad: Quad) -> tuple[float, float]:
    """Mean lengths of the short and the long pair of sides, in pixels."""
    a, b, c, d = points(upright(quad))
    across = (np.linalg.norm(b - a) + np.linalg.norm(c - d)) / 2
    along = (np.linalg.norm(d - a) + np.linalg.norm(c - b)) / 2
    return float(across), float(along)


def bounds(quad: Quad) -> tuple[float, float, float, float]:
    """The upright box round the outline: left, top, right, bottom."""
    xs, ys = zip(*quad, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def shared_area(a: Quad, b: Quad) -> float:
    """Area in square pixels that two convex outlines share."""
    left, right = bounds(a), bounds(b)
    if left[2] <= right[0] or right[2] <= left[0] or left[3] <= right[1] or right[3] <= left[1]:
        return 0.0
    return float(cv2.intersectConvexConvex(points(a), points(b))[0])


def overlap(a: Quad, b: Quad) -> tuple[float, float]:
    """Shared area over the union, and over the smaller of the two; both 0..1.

    >>> iou, inside = overlap(((0, 0), (4, 0), (4, 4), (0, 4)), ((0, 0), (2, 0), (2, 4), (0, 4)))
    >>> round(iou, 3), round(inside, 3)
    (0.5, 1.0)
    """
    shared = shared_area(a, b)
    if not shared:
        return 0.0, 0.0
    first, second = abs(area(a)), abs(area(b))
    return shared / (first + second - shared), shared / min(first, second)


def filled(a: Quad, b: Quad) -> float:
    """The share of their common smallest rectangle that two outlines cover, 0..1.

    >>> filled(((0, 0), (2, 0), (2, 1), (0, 1)), ((0, 1), (2, 1), (2, 3), (0, 3)))
    1.0
    """
    _, (width, height), _ = cv2.minAreaRect(np.concatenate([points(a), points(b)]))
    both = abs(area(a)) + abs(area(b)) - shared_area(a, b)
    return min(1.0, both / (width * height)) if width * height else 0.0


def box_iou(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    """Shared area over the union of two upright boxes (left, top, right, bottom).

    >>> box_iou((0, 0, 2, 2), (1, 0, 3, 2))
    0.3333333333333333
    """
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    if across <= 0 or down <= 0:
        return 0.0
    shared = across * down
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


def box_share(box: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> float:
    """The share of `box` that lies inside `other`, 0..1; both upright (left, top, right, bottom).

    >>> box_share((0, 0, 2, 2), (1, 0, 9, 9))
    0.5
    """
    across = max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
    down = max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
    return across * down / max(1e-9, (box[2] - box[0]) * (box[3] - box[1]))
