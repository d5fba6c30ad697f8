"""Index figures and letters drawn by code: a skeleton of strokes, a pen that follows it, slabs at the ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.lab.render.decks.ink import Mask, Points, arc

_FINE = 4


@dataclass(frozen=True, slots=True)
class GlyphStyle:
    """How figures are drawn; lengths are parts of the figure's height.

    `aspect` is width to height, `pen` the width of upright strokes, `contrast` that of level strokes to
    it, `square` 2 for round bowls and up to 4 for boxy ones, `slab` how far slabs reach out (0: none).
    """

    aspect: float = 0.6
    pen: float = 0.13
    contrast: float = 1.0
    square: float = 2.3
    slab: float = 0.0
    slab_figures: bool = False
    flat_three: bool = False
    swash: bool = False
    slant: float = 0.0


@dataclass(frozen=True, slots=True)
class Skeleton:
    """Strokes in a box 0..1 each way, and the feet: (x, y, reach left, reach right) of level slabs."""

    strokes: tuple[Points, ...]
    feet: tuple[tuple[float, float, float, float], ...] = ()
    width: float = 1.0


def glyph_mask(text: str, height: int, style: GlyphStyle) -> Mask:
    """Return `text` (figures, or letters of SKELETONS), `height` pixels high, cropped to its ink."""
    if text == "10":
        one = _drawn("1", height, style, 0.62) if style.slab_figures else _drawn("|", height, style, 0.3)
        return _side_by_side([one, _drawn("0", height, style, 0.72)], height, style)
    return _side_by_side([_drawn(letter, height, style, 1.0) for letter in text], height, style)


def _side_by_side(letters: list[Mask], height: int, style: GlyphStyle) -> Mask:
    gap = np.zeros((height, max(1, round(height * (0.05 + 0.5 * style.pen)))), np.uint8)
    parts = [part for letter in letters for part in (letter, gap)]
    return np.hstack(parts[:-1])


def _drawn(letter: str, height: int, style: GlyphStyle, narrow: float) -> Mask:
    skeleton = SKELETONS[letter](style)
    high, pen_x = height * _FINE, max(2, round(height * style.pen * _FINE))
    pen_y = max(2, round(pen_x * style.contrast))
    wide = max(1.0, high * style.aspect * narrow * skeleton.width - pen_x)
    margin = pen_x + round(high * (style.slab + 0.1 + style.slant))
    fine = np.zeros((high, round(wide) + 2 * margin), np.uint8)
    scale, origin = np.array([wide, high - pen_y]), np.array([margin, pen_y / 2])
    for stroke in (*skeleton.strokes, *_slabs(skeleton, letter, style, wide / high)):
        placed = np.round((stroke * scale + origin) * 16).astype(np.int32)
        cv2.polylines(fine, [placed], False, 255, 2, cv2.LINE_8, 4)
    fine = np.asarray(cv2.dilate(fine, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (pen_x, pen_y))), np.uint8)
    return _cropped(_slanted(fine, style.slant), height)


def _slabs(skeleton: Skeleton, letter: str, style: GlyphStyle, wide: float) -> list[Points]:
    if not style.slab or (letter in "|0123456789" and not style.slab_figures):
        return []
    reach = style.slab / max(wide, 0.05)
    return [np.array([(x - reach * left, y), (x + reach * right, y)]) for x, y, left, right in skeleton.feet]


def _slanted(fine: Mask, slant: float) -> Mask:
    if not slant:
        return fine
    height, width = fine.shape
    shear = np.array([[1, -slant, slant * height / 2], [0, 1, 0]], np.float32)
    return np.asarray(cv2.warpAffine(fine, shear, (width, height)), np.uint8)


def _cropped(fine: Mask, height: int) -> Mask:
    x, _, width, _ = cv2.boundingRect(fine)
    size = (max(1, round(width / _FINE)), height)
    return np.asarray(cv2.resize(fine[:, x : x + width], size, interpolation=cv2.INTER_AREA), np.uint8)


def _line(*points: tuple[float, float]) -> Points:
    return np.array(points, float)


def _a(style: GlyphStyle) -> Skeleton:
    legs = _line((-0.06, 1.12), (0.5, 0), (1.06, 1.12))
    return Skeleton((legs, _line((0.17, 0.66), (0.83, 0.66))), ((0, 1, 1, 1), (1, 1, 1, 1)))


def _b(style: GlyphStyle) -> Skeleton:
    upper, lower = arc(0.5, 0.24, 0.42, 0.24, -90, 90, style.square), arc(0.5, 0.74, 0.5, 0.26, -90, 90, style.square)
    bowls = np.concatenate([_line((0, 0)), upper, _line((0.1, 0.48)), lower, _line((0, 1), (0, 0))])
    return Skeleton((bowls,), ((0, 0, 1, 0), (0, 1, 1, 0)))


def _d(style: GlyphStyle) -> Skeleton:
    bowl = np.concatenate([_line((0, 0)), arc(0.45, 0.5, 0.55, 0.5, -90, 90, style.square), _line((0, 1), (0, 0))])
    return Skeleton((bowl,), ((0, 0, 1, 0), (0, 1, 1, 0)))


def _e(style: GlyphStyle) -> Skeleton:
    return Skeleton((_line((1, 0), (0, 0), (0, 1), (1, 1)), _line((0, 0.5), (0.8, 0.5))), (), 0.85)


def _f(style: GlyphStyle) -> Skeleton:
    return Skeleton((_line((1, 0), (0, 0), (0, 1.1)), _line((0, 0.5), (0.8, 0.5))), ((0, 1, 1, 1),), 0.85)


def _h(style: GlyphStyle) -> Skeleton:
    stems = (_line((0, -0.1), (0, 1.1)), _line((1, -0.1), (1, 1.1)), _line((0, 0.5), (1, 0.5)))
    return Skeleton(stems, tuple((x, y, 1, 1) for x in (0, 1) for y in (0, 1)))


def _j(style: GlyphStyle) -> Skeleton:
    hook = np.concatenate([_line((0.9, -0.1), (0.9, 0.6)), arc(0.45, 0.7, 0.45, 0.3, 0, 165, style.square)])
    return Skeleton((hook,), ((0.9, 0, 2.2, 1.2),), 0.9)


def _k(style: GlyphStyle) -> Skeleton:
    stem, arm, leg = _line((0, -0.1), (0, 1.1)), _line((1.0, -0.06), (0, 0.64)), _line((0.32, 0.4), (1.06, 1.1))
    return Skeleton((stem, arm, leg), ((0, 0, 1, 1), (0, 1, 1, 1), (0.92, 0, 1, 1), (0.98, 1, 1, 1)))


def _n(style: GlyphStyle) -> Skeleton:
    stems = _line((0, 1.1), (0, 0), (1, 1), (1, -0.1))
    return Skeleton((stems,), ((0, 0, 1, 0), (0, 1, 1, 1), (1, 0, 1, 1)))


def _small_n(style: GlyphStyle) -> Skeleton:
    bow = np.concatenate([_line((0, 0.62)), arc(0.45, 0.62, 0.45, 0.24, 180, 360, style.square), _line((0.9, 1.1))])
    return Skeleton((_line((0, 0.36), (0, 1.1)), bow), ((0, 1, 1, 1), (0.9, 1, 1, 1)), 0.8)


def _o(style: GlyphStyle) -> Skeleton:
    return Skeleton((arc(0.5, 0.5, 0.5, 0.5, 0, 360, style.square),))


def _q(style: GlyphStyle) -> Skeleton:
    tail = _line((0.55, 0.68), (1.02, 1.02))
    if style.swash:
        tail = np.concatenate([arc(0.42, 0.82, 0.26, 0.13, 170, 350, 2), _line((1.1, 1.0))])
    return Skeleton((arc(0.5, 0.48, 0.5, 0.48, 0, 360, style.square), tail))


def _r(style: GlyphStyle) -> Skeleton:
    bowl = np.concatenate([_line((0, 0)), arc(0.5, 0.27, 0.45, 0.27, -90, 90, style.square), _line((0, 0.54))])
    return Skeleton((_line((0, 0), (0, 1.1)), bowl, _line((0.45, 0.54), (1.03, 1.1))), ((0, 0, 1, 0), (0, 1, 1, 1)))


def _t(style: GlyphStyle) -> Skeleton:
    return Skeleton((_line((0, 0), (1, 0)), _line((0.5, 0), (0.5, 1.1))), ((0.5, 1, 1, 1),))


def _cyrillic_d(style: GlyphStyle) -> Skeleton:
    """The Russian D (Д): a house with a foot at either side."""
    house = _line((0.12, 0.82), (0.3, 0), (0.82, 0), (0.82, 0.82))
    return Skeleton((house, _line((0, 1.06), (0, 0.82), (1, 0.82), (1, 1.06))), (), 1.1)


def _v(style: GlyphStyle) -> Skeleton:
    return Skeleton((_line((-0.05, -0.1), (0.5, 1), (1.05, -0.1)),), ((0, 0, 1, 1), (1, 0, 1, 1)))


def _w(style: GlyphStyle) -> Skeleton:
    return Skeleton(
        (_line((-0.03, -0.1), (0.25, 1), (0.5, 0.2), (0.75, 1), (1.03, -0.1)),), ((0, 0, 1, 1), (1, 0, 1, 1)), 1.35
    )


def _zero(style: GlyphStyle) -> Skeleton:
    return Skeleton((arc(0.5, 0.5, 0.5, 0.5, 0, 360, style.square + 0.6),))


def _stick(style: GlyphStyle) -> Skeleton:
    return Skeleton((_line((0.5, -0.1), (0.5, 1.1)),), ((0.5, 1, 0.8, 0.8), (0.5, 0, 0.8, 0)))


def _one(style: GlyphStyle) -> Skeleton:
    return Skeleton((_line((0.1, 0.2), (0.6, 0), (0.6, 1.1)),), ((0.6, 1, 1.4, 1.4),), 0.6)


def _two(style: GlyphStyle) -> Skeleton:
    return Skeleton((np.concatenate([arc(0.5, 0.29, 0.47, 0.29, 185, 395), _line((0, 1), (1, 1))]),))


def _three(style: GlyphStyle) -> Skeleton:
    if style.flat_three:
        bowl = arc(0.46, 0.7, 0.52, 0.3, -90, 158, style.square)
        return Skeleton((np.concatenate([_line((0.03, 0), (0.93, 0), (0.42, 0.4)), bowl]),))
    upper, lower = arc(0.48, 0.25, 0.44, 0.25, 198, 450), arc(0.48, 0.745, 0.5, 0.255, 270, 520)
    return Skeleton((upper, lower, _line((0.35, 0.5), (0.5, 0.5))))


def _four(style: GlyphStyle) -> Skeleton:
    return Skeleton((_line((0.7, 1.1), (0.7, 0), (0, 0.7), (1, 0.7)),), ((0.7, 1, 1, 1),))


def _five(style: GlyphStyle) -> Skeleton:
    bowl = arc(0.48, 0.68, 0.52, 0.32, 218, 515, style.square)
    return Skeleton((np.concatenate([_line((0.92, 0), (0.13, 0), (0.07, 0.48)), bowl]),))


def _six(style: GlyphStyle) -> Skeleton:
    back = np.concatenate([arc(0.54, 0.5, 0.54, 0.5, 315, 180), _line((0, 0.68))])
    return Skeleton((back, arc(0.5, 0.68, 0.5, 0.32, 0, 360, style.square)))


def _seven(style: GlyphStyle) -> Skeleton:
    return Skeleton((_line((0, 0), (1, 0), (0.5, 0.6), (0.36, 1.1)),), ((0, 0.06, 0, 0.01),))


def _eight(style: GlyphStyle) -> Skeleton:
    return Skeleton(
        (arc(0.5, 0.245, 0.43, 0.245, 0, 360, style.square), arc(0.5, 0.745, 0.5, 0.255, 0, 360, style.square))
    )


def _nine(style: GlyphStyle) -> Skeleton:
    return Skeleton(tuple(1 - stroke for stroke in _six(style).strokes))


SKELETONS: dict[str, Callable[[GlyphStyle], Skeleton]] = {
    "A": _a, "B": _b, "D": _d, "E": _e, "F": _f, "H": _h, "J": _j, "K": _k, "N": _n, "O": _o, "Q": _q, "R": _r,
    "T": _t, "V": _v, "W": _w, "n": _small_n, "Т": _t, "В": _b, "Д": _cyrillic_d, "К": _k,
    "0": _zero, "|": _stick, "1": _one, "2": _two, "3": _three, "4": _four, "5": _five, "6": _six, "7": _seven,
    "8": _eight, "9": _nine,
}  # fmt: skip
