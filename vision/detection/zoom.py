"""A closer look: at a picture of many cards in overlapping quarters, at a single card in its surroundings alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from vision.detection.finder import Outline
from vision.geometry import bounds, overlap, short_and_long
from vision.types import Image, Quad

#: Each part's share of the picture's width and height, and how near its inner edge an outline is a cut card, in pixels.
_PART, EDGE = 0.6, 3.0
#: Outlines that share this much of the smaller one are one card.
ONE_CARD = 0.5
#: A single card is looked at in a square of so many times its height, unless that is such a share of the picture.
_AROUND, _WHOLE = 2.2, 0.5
#: What is found there is the card where both outlines share this much of what they cover.
_AGAIN = 0.4


def find_in_tiles(find: Callable[[Image], Iterable[Outline]], image: Image) -> tuple[Outline, ...]:
    """Every card that lies by itself, the surest outline of each, best first."""
    outlines = [*find(image), *(outline for part in _parts(image.shape) for outline in _within(find, image, part))]
    kept: list[Outline] = []
    for outline in sorted(outlines, key=lambda outline: outline.score, reverse=True):
        if all(overlap(outline.quad, other.quad)[1] < ONE_CARD for other in kept):
            kept.append(outline)
    return tuple(kept)


def refine_outline(find: Callable[[Image], Iterable[Outline]], image: Image, quad: Quad) -> Outline | None:
    """The outline that fits a card best in a picture of its surroundings alone; None where none does.

    The finder sees the card larger there, and outlines it more exactly.
    """
    left, top, right, bottom = _round(quad, image.shape)
    if (right - left) * (bottom - top) >= _WHOLE * image.shape[0] * image.shape[1]:
        return None
    found = find(np.ascontiguousarray(image[top:bottom, left:right]))
    shared = [(overlap(outline.quad, quad)[0], outline) for outline in (_shifted(one, left, top) for one in found)]
    fit, outline = max(shared, key=lambda one: one[0], default=(0.0, None))
    return outline if fit > _AGAIN else None


def _round(quad: Quad, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    low_x, low_y, high_x, high_y = bounds(quad)
    x, y, reach = (low_x + high_x) / 2, (low_y + high_y) / 2, _AROUND * short_and_long(quad)[1] / 2
    sides = np.clip([x - reach, y - reach, x + reach, y + reach], 0, [shape[1], shape[0]] * 2)
    left, top, right, bottom = (int(side) for side in sides)
    return left, top, max(right, left + 1), max(bottom, top + 1)


def _parts(shape: tuple[int, ...]) -> Iterator[tuple[int, int, int, int]]:
    height, width = shape[:2]
    across, down = round(width * _PART), round(height * _PART)
    for top in (0, height - down):
        for left in (0, width - across):
            yield left, top, left + across, top + down


def _within(
    find: Callable[[Image], Iterable[Outline]], image: Image, part: tuple[int, int, int, int]
) -> Iterator[Outline]:
    left, top, right, bottom = part
    height, width = image.shape[:2]
    for outline in find(np.ascontiguousarray(image[top:bottom, left:right])):
        moved = _shifted(outline, left, top)
        low_x, low_y, high_x, high_y = bounds(moved.quad)
        cut = (
            (left > 0 and low_x < left + EDGE, top > 0 and low_y < top + EDGE),
            (right < width and high_x > right - EDGE, bottom < height and high_y > bottom - EDGE),
        )
        if not any(map(any, cut)):
            yield moved


def _shifted(outline: Outline, x: float, y: float) -> Outline:
    a, b, c, d = ((px + x, py + y) for px, py in outline.quad)
    return replace(outline, quad=(a, b, c, d))
