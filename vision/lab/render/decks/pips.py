"""Suit signs as outlines, and where they stand on the number cards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.lab.render.decks.ink import Mask, Points, arc, bezier, mirrored, shape_mask

#: Width to height of each suit's sign.
_ASPECT = {"C": 0.96, "D": 0.78, "H": 0.92, "S": 0.86}

_CORNERS = ((-1.0, 0.0), (1.0, 0.0), (-1.0, 1.0), (1.0, 1.0))
_SIDES = ((-1.0, 0.5), (1.0, 0.5))
_EIGHT = tuple((x, y / 3) for x in (-1.0, 1.0) for y in range(4))

#: Where the signs of a number card stand: x is -1, 0 or 1 (column), y 0 (first row) to 1 (last row).
PIP_LAYOUTS: dict[str, tuple[tuple[float, float], ...]] = {
    "A": ((0.0, 0.5),),
    "2": ((0.0, 0.0), (0.0, 1.0)),
    "3": ((0.0, 0.0), (0.0, 0.5), (0.0, 1.0)),
    "4": _CORNERS,
    "5": (*_CORNERS, (0.0, 0.5)),
    "6": (*_CORNERS, *_SIDES),
    "7": (*_CORNERS, *_SIDES, (0.0, 0.25)),
    "8": (*_CORNERS, *_SIDES, (0.0, 0.25), (0.0, 0.75)),
    "9": (*_EIGHT, (0.0, 0.5)),
    "10": (*_EIGHT, (0.0, 1 / 6), (0.0, 5 / 6)),
}

#: The same in older French and some English decks, where they differ.
FRENCH = PIP_LAYOUTS | {"8": _EIGHT, "9": (*_EIGHT, (0.0, 1 / 6))}


@dataclass(frozen=True, slots=True)
class PipStyle:
    """How the signs are drawn: `plump` 0..1 for hearts and spades, `concave` 0..1 for diamonds, `wide` about 1."""

    plump: float = 0.5
    concave: float = 0.3
    stem: float = 0.2
    wide: float = 1.0


def pip_mask(suit: str, height: int, style: PipStyle) -> Mask:
    """Return the sign of `suit` ("C", "D", "H", "S"), `height` pixels high."""
    width = max(3, round(height * _ASPECT[suit] * style.wide))
    shapes = {"C": _club, "D": _diamond, "H": _heart, "S": _spade}[suit](style)
    return shape_mask([shape + 0.5 for shape in shapes], width, height)


def _heart(style: PipStyle) -> list[Points]:
    low = 0.02 + 0.16 * style.plump
    half = bezier(
        (0, 0.5),
        (0.1, 0.5 - 0.3 * (1 - style.plump) - 0.06, 0.5, low, 0.5, -0.2),
        (0.5, -0.4, 0.38, -0.5, 0.26, -0.5),
        (0.13, -0.5, 0.03, -0.42, 0, -0.25),
    )
    return [mirrored(half)]


def _spade(style: PipStyle) -> list[Points]:
    high = -0.04 - 0.14 * style.plump
    leaf = bezier(
        (0, -0.5),
        (0.08, -0.5 + 0.3 * (1 - style.plump) + 0.04, 0.5, high, 0.5, 0.14),
        (0.5, 0.3, 0.38, 0.36, 0.27, 0.36),
        (0.15, 0.36, 0.05, 0.28, 0, 0.16),
    )
    return [mirrored(leaf), _stem(style, 0.05)]


def _club(style: PipStyle) -> list[Points]:
    radius = 0.235 + 0.02 * style.plump
    leaves = [
        arc(x, y, radius, radius, 0, 352) for x, y in ((0, -0.5 + radius), (-0.5 + radius, 0.1), (0.5 - radius, 0.1))
    ]
    return [*leaves, arc(0, 0, 0.14, 0.14, 0, 352), _stem(style, 0)]


def _diamond(style: PipStyle) -> list[Points]:
    pull = 0.12 * style.concave
    half = bezier((0, -0.5), (0.17 - pull, -0.33 + pull, 0.33 - pull, -0.17 + pull, 0.5, 0))
    lower = half[::-1] * (1, -1)
    return [mirrored(np.concatenate([half, lower]))]


def _stem(style: PipStyle, top: float) -> Points:
    return mirrored(bezier((0.02, top), (0.03, 0.36, 0.08, 0.46, style.stem, 0.5), (0.1, 0.5, 0.05, 0.5, 0, 0.5)))
