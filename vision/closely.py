"""A closer look at a picture of many cards: the finder on the whole picture, then on overlapping quarters of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.finder import Outline
from vision.geometry import bounds, overlap
from vision.types import Quad

Image = NDArray[np.uint8]
#: Each part's share of the picture's width and height, and how near its inner edge an outline is a cut card, in pixels.
PART, EDGE = 0.6, 3.0
#: Outlines that share this much of the smaller one are one card.
ONE_CARD = 0.5


def find_closely(find: Callable[[Image], Iterable[Outline]], image: Image) -> tuple[Outline, ...]:
    """Every card that lies by itself, the surest outline of each, best first."""
    outlines = [*find(image), *(outline for part in _parts(image.shape) for outline in _within(find, image, part))]
    kept: list[Outline] = []
    for outline in sorted(outlines, key=lambda outline: outline.score, reverse=True):
        if all(overlap(outline.quad, other.quad)[1] < ONE_CARD for other in kept):
            kept.append(outline)
    return tuple(kept)


def _parts(shape: tuple[int, ...]) -> Iterator[tuple[int, int, int, int]]:
    height, width = shape[:2]
    across, down = round(width * PART), round(height * PART)
    for top in (0, height - down):
        for left in (0, width - across):
            yield left, top, left + across, top + down


def _within(
    find: Callable[[Image], Iterable[Outline]], image: Image, part: tuple[int, int, int, int]
) -> Iterator[Outline]:
    left, top, right, bottom = part
    height, width = image.shape[:2]
    for outline in find(np.ascontiguousarray(image[top:bottom, left:right])):
        moved = replace(outline, quad=_moved(outline.quad, left, top))
        low_x, low_y, high_x, high_y = bounds(moved.quad)
        cut = (
            (left > 0 and low_x < left + EDGE, top > 0 and low_y < top + EDGE),
            (right < width and high_x > right - EDGE, bottom < height and high_y > bottom - EDGE),
        )
        if not any(map(any, cut)):
            yield moved


def _moved(quad: Quad, x: float, y: float) -> Quad:
    a, b, c, d = ((px + x, py + y) for px, py in quad)
    return a, b, c, d
