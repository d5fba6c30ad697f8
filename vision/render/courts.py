"""Court cards: a framed double-headed figure with its rank's hat, hair and thing in hand, drawn by code."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.render.brush import PATTERNS, Brush
from vision.render.ink import Colour, Paper, Points, arc, bezier
from vision.render.manner import ink

_FINE = 2


@dataclass(frozen=True, slots=True)
class CourtStyle:
    """What the twelve courts of one deck share: paints, outline, skin, and the seed of their details."""

    yellow: Colour
    red: Colour
    blue: Colour
    dark: Colour
    skin: Colour
    line: Colour
    paper: Colour
    seed: int
    busy: float


@dataclass(frozen=True, slots=True, eq=False)
class _Sitter:
    """One figure being drawn: `x` is the middle of its head, `facing` -1 left, 0 front, 1 right."""

    brush: Brush
    style: CourtStyle
    rng: np.random.Generator
    x: float
    facing: int

    def paint(self) -> Colour:
        """Return one of the deck's paints by lot."""
        paints = (self.style.yellow, self.style.red, self.style.blue, self.style.dark)
        return paints[int(self.rng.choice(4, p=[0.3, 0.3, 0.22, 0.18]))]

    def at(self, *points: tuple[float, float]) -> Points:
        """Return points given from the middle of the head's column."""
        return np.array(points, float) + (self.x, 0)

    def weave(self, shape: Points) -> None:
        """Fill `shape` with a pattern and two paints by lot."""
        first, second = self.paint(), self.paint()
        if first == second:
            second = self.style.paper
        step = int(self.brush.paper.shape[1] * self.rng.uniform(0.03, 0.09))
        self.brush.weave(shape, str(self.rng.choice(list(PATTERNS))), step, first, second)


def any_court_style(rng: np.random.Generator, paper: Colour, dark: Colour, red: Colour) -> CourtStyle:
    """Draw paints by lot: mostly the yellow, red, blue and black of Anglo-American courts."""
    line = dark if rng.random() < 0.55 else ink(rng.uniform(108, 120), rng.uniform(0.6, 1), rng.uniform(0.35, 0.7))
    skin = paper if rng.random() < 0.6 else ink(rng.uniform(8, 16), rng.uniform(0.12, 0.4), rng.uniform(0.85, 1))
    blue = ink(rng.uniform(100, 120), rng.uniform(0.55, 1), rng.uniform(0.45, 0.9))
    if rng.random() < 0.15:
        blue = ink(rng.uniform(40, 90), rng.uniform(0.4, 0.9), rng.uniform(0.3, 0.7))
    yellow = ink(rng.uniform(20, 29), rng.uniform(0.6, 1), rng.uniform(0.8, 1))
    return CourtStyle(yellow, red, blue, dark, skin, line, paper, int(rng.integers(1 << 31)), rng.random())


def court(rank: str, suit: str, width: int, height: int, style: CourtStyle) -> Paper:
    """Return the court picture of `rank` ("J", "Q", "K"), HxWx3, the same both ways round."""
    rng = np.random.default_rng([style.seed, "JQK".index(rank), "CDHS".index(suit)])
    half = np.empty((height * _FINE // 2, width * _FINE, 3), np.uint8)
    half[:] = style.paper
    brush = Brush(half, style.line, max(1, round(width * _FINE * 0.006)))
    facing = int(rng.choice([-1, 0, 1]))
    sitter = _Sitter(brush, style, rng, rng.uniform(0.5, 0.6), facing)
    _drapes(sitter)
    _back_hair(sitter, rank)
    _robe(sitter, rank)
    _neck(sitter)
    _head(sitter)
    _front_hair(sitter, rank)
    {"J": _cap, "Q": _coronet, "K": _crown}[rank](sitter)
    {"J": _staff, "Q": _flower, "K": _sword}[rank](sitter)
    return _doubled(half, width, height, rng, sitter)


def _doubled(half: Paper, width: int, height: int, rng: np.random.Generator, sitter: _Sitter) -> Paper:
    whole = np.concatenate([half, half[::-1, ::-1]])
    rise = rng.choice([0.0, rng.uniform(-0.12, 0.12)])
    band = np.array([(0, 0.475 + rise), (1, 0.475 - rise), (1, 0.525 - rise), (0, 0.525 + rise)])
    brush = Brush(whole, sitter.style.line, sitter.brush.thick)
    _Sitter(brush, sitter.style, rng, 0, 0).weave(band)
    lower = whole.shape[0] // 2
    whole[lower:] = whole[:lower][::-1, ::-1]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _drapes(sitter: _Sitter) -> None:
    """Hang strips at the sides, as many courts have them."""
    for left in (0.0, 0.93):
        if sitter.rng.random() < 0.3 + 0.4 * sitter.style.busy:
            top = sitter.rng.uniform(0.4, 0.6) if left == 0 else sitter.rng.uniform(0, 0.5)
            sitter.weave(np.array([(left, top), (left + 0.07, top), (left + 0.07, 1.1), (left, 1.1)]))


def _robe(sitter: _Sitter, rank: str) -> None:
    brush, rng = sitter.brush, sitter.rng
    wide, high = rng.uniform(0.4, 0.5), rng.uniform(0.62, 0.7)
    body = sitter.at((-0.1, 0.55), (-wide * 0.75, high), (-wide, 0.85), (-wide - 0.05, 1.1), (0.6, 1.1), (wide, 0.85),
                     (wide * 0.75, high), (0.1, 0.55))  # fmt: skip
    brush.fill(body, sitter.paint())
    for side in (-1, 1):
        _sleeve(sitter, side * wide, high)
    middle = rng.uniform(0.08, 0.16)
    sitter.weave(sitter.at((-middle, 0.58), (middle, 0.58), (middle * 1.3, 1.1), (-middle * 1.3, 1.1)))
    if rank != "Q" and rng.random() < 0.5:
        sash = sitter.at((-0.3, 0.62), (-0.2, 0.6), (0.45, 1.1), (0.25, 1.1))
        sitter.weave(sash)
    _collar(sitter, rank)


def _sleeve(sitter: _Sitter, reach: float, high: float) -> None:
    """Draw bands round an arm bent towards the middle."""
    bands = int(sitter.rng.integers(2, 5))
    for band in np.linspace(1, 0.25, bands):
        arm = sitter.at((reach * 0.75, high), (reach * (0.75 + 0.3 * band), 0.86), (reach * (0.8 + 0.2 * band), 1.12),
                        (reach * (0.75 - 0.4 * band), 1.12), (reach * (0.75 - 0.3 * band), 0.82))  # fmt: skip
        if sitter.rng.random() < 0.55:
            sitter.weave(arm)
        else:
            sitter.brush.fill(arm, sitter.paint())


def _collar(sitter: _Sitter, rank: str) -> None:
    wide = {"J": 0.16, "Q": 0.24, "K": 0.28}[rank] * sitter.rng.uniform(0.85, 1.15)
    collar = bezier((-0.1, 0.52), (-0.12, 0.6, -wide, 0.6, -wide, 0.68), (-wide * 0.5, 0.8, wide * 0.5, 0.8, wide, 0.68),
                    (wide, 0.6, 0.12, 0.6, 0.1, 0.52)) + (sitter.x, 0)  # fmt: skip
    if rank == "K" and sitter.rng.random() < 0.6:
        sitter.brush.weave(
            collar, "dots", int(sitter.brush.paper.shape[1] * 0.05), sitter.style.paper, sitter.style.dark
        )
    else:
        sitter.weave(collar)


def _neck(sitter: _Sitter) -> None:
    sitter.brush.fill(sitter.at((-0.055, 0.45), (0.055, 0.45), (0.06, 0.6), (0, 0.64), (-0.06, 0.6)), sitter.style.skin)


def _head(sitter: _Sitter) -> None:
    brush, turn = sitter.brush, sitter.facing * 0.028
    face = bezier((-0.1, 0.28), (-0.1, 0.44, -0.07, 0.54, turn * 0.6, 0.56), (0.07, 0.54, 0.1, 0.44, 0.1, 0.28),
                  (0.06, 0.22, -0.06, 0.22, -0.1, 0.28)) + (sitter.x, 0)  # fmt: skip
    brush.fill(face, sitter.style.skin)
    for side in (-1, 1):
        x = side * 0.038 + turn
        brush.stroke(arc(sitter.x + x, 0.375, 0.026, 0.02, 200, 340), thick=0.8)
        brush.disc(sitter.x + x, 0.385, 0.008, sitter.style.line, False)
        brush.stroke(sitter.at((x - 0.026, 0.345), (x + 0.02, 0.338)), thick=0.8)
    nose = sitter.facing or 0.4
    brush.stroke(sitter.at((turn, 0.36), (turn + 0.018 * nose, 0.44), (turn, 0.445)), thick=0.8)
    brush.stroke(arc(sitter.x + turn, 0.475, 0.024, 0.02, 20, 160), sitter.style.red, 1.6)


def _back_hair(sitter: _Sitter, rank: str) -> None:
    hair = sitter.style.yellow if sitter.rng.random() < 0.6 else sitter.paint()
    if rank == "Q":
        veil = bezier((-0.14, 0.2), (-0.26, 0.4, -0.24, 0.6, -0.34, 0.74), (-0.1, 0.85, 0.1, 0.85, 0.34, 0.74),
                      (0.24, 0.6, 0.26, 0.4, 0.14, 0.2)) + (sitter.x, 0)  # fmt: skip
        sitter.brush.fill(veil, sitter.paint())
        hair_line = bezier((-0.13, 0.24), (-0.22, 0.4, -0.2, 0.5, -0.2, 0.62), (-0.1, 0.7, 0.1, 0.7, 0.2, 0.62),
                           (0.2, 0.5, 0.22, 0.4, 0.13, 0.24)) + (sitter.x, 0)  # fmt: skip
        sitter.brush.fill(hair_line, hair)
        return
    low, wide = (0.56, 0.17) if rank == "J" else (0.52, 0.15)
    for side in (-1, 1):
        bob = bezier((0, 0.24), (side * wide, 0.22, side * wide, 0.4, side * wide * 1.2, low),
                     (side * wide * 1.1, low + 0.06, side * 0.06, low + 0.04, side * 0.05, low - 0.05)) + (sitter.x, 0)  # fmt: skip
        sitter.brush.fill(bob, hair)
        for step in np.linspace(0.5, 0.9, 3):
            sitter.brush.stroke(sitter.at((side * wide * step, 0.28), (side * wide * step * 1.15, low)), thick=0.7)


def _front_hair(sitter: _Sitter, rank: str) -> None:
    if rank == "Q":
        for side in (-1, 1):
            sitter.brush.stroke(arc(sitter.x + side * 0.1, 0.34, 0.03, 0.1, 0, 340), sitter.style.line, 0.8)
        return
    if rank == "K":
        _beard(sitter)
    elif sitter.rng.random() < 0.3:
        sitter.brush.stroke(sitter.at((-0.05, 0.462), (0, 0.452), (0.05, 0.462)), thick=1.2)


def _beard(sitter: _Sitter) -> None:
    low = sitter.rng.uniform(0.6, 0.72)
    colour = sitter.style.paper if sitter.rng.random() < 0.5 else sitter.style.yellow
    beard = bezier((-0.105, 0.36), (-0.13, 0.5, -0.11, low, -0.02, low), (0.09, low, 0.13, 0.5, 0.105, 0.36),
                   (0.07, 0.46, 0.06, 0.46, 0, 0.46), (-0.06, 0.46, -0.07, 0.46, -0.105, 0.36)) + (sitter.x, 0)  # fmt: skip
    sitter.brush.fill(beard, colour)
    for x in np.linspace(-0.07, 0.07, 5):
        sitter.brush.stroke(sitter.at((x, 0.5), (x * 0.8, low - 0.03)), thick=0.7)
    sitter.brush.stroke(arc(sitter.x, 0.485, 0.03, 0.02, 10, 170), sitter.style.red, 1.6)
    sitter.brush.stroke(sitter.at((-0.07, 0.475), (0, 0.458), (0.07, 0.475)), thick=1.3)


def _crown(sitter: _Sitter) -> None:
    brush, rng = sitter.brush, sitter.rng
    spikes, top = int(rng.choice([3, 4, 5])), rng.uniform(0.03, 0.09)
    brush.fill(sitter.at((-0.12, 0.2), (-0.1, top + 0.06), (0.1, top + 0.06), (0.12, 0.2)), sitter.style.red)
    outline = [(-0.14, 0.24)]
    for spike in range(spikes):
        x = -0.16 + 0.32 * (spike + 0.5) / spikes
        outline += [(x - 0.12 / spikes, 0.15), (x, top), (x + 0.12 / spikes, 0.15)]
    brush.fill(sitter.at(*outline, (0.14, 0.24)), sitter.style.yellow)
    for spike in range(spikes):
        brush.disc(sitter.x - 0.16 + 0.32 * (spike + 0.5) / spikes, top, 0.018, sitter.paint())
    sitter.weave(sitter.at((-0.15, 0.2), (0.15, 0.2), (0.13, 0.275), (-0.13, 0.275)))


def _coronet(sitter: _Sitter) -> None:
    brush, rng = sitter.brush, sitter.rng
    top = rng.uniform(0.06, 0.12)
    brush.fill(bezier((-0.12, 0.27), (-0.1, 0.16, 0.1, 0.16, 0.12, 0.27)) + (sitter.x, 0), sitter.style.yellow)
    points = [(-0.11, 0.24)]
    for x in (-0.08, 0.0, 0.08):
        points += [(x - 0.03, 0.18), (x, top), (x + 0.03, 0.18)]
    brush.fill(sitter.at(*points, (0.11, 0.24)), sitter.paint())
    for x in (-0.08, 0.0, 0.08):
        brush.disc(sitter.x + x, top, 0.016, sitter.style.yellow)
    sitter.weave(sitter.at((-0.11, 0.215), (0.11, 0.215), (0.105, 0.26), (-0.105, 0.26)))


def _cap(sitter: _Sitter) -> None:
    brush, rng = sitter.brush, sitter.rng
    lean = rng.uniform(-0.06, 0.06)
    flat = sitter.at((-0.13, 0.24), (-0.17 + lean, 0.09), (0.17 + lean, 0.06), (0.13, 0.24))
    brush.fill(flat, sitter.style.red if rng.random() < 0.5 else sitter.paint())
    for x in np.linspace(-0.1, 0.1, 4):
        brush.stroke(sitter.at((x + lean * 0.7, 0.09), (x, 0.22)), thick=0.8)
    sitter.weave(sitter.at((-0.15, 0.22), (0.15, 0.2), (0.14, 0.27), (-0.14, 0.28)))
    if rng.random() < 0.6:
        feather = bezier((0.1, 0.22), (0.2, 0.2, 0.26, 0.1, 0.16, 0.0), (0.2, 0.1, 0.14, 0.16, 0.1, 0.22)) + (
            sitter.x,
            0,
        )
        brush.fill(feather, sitter.paint())


def _hand(sitter: _Sitter, x: float, y: float) -> None:
    sitter.brush.disc(x, y, 0.05, sitter.style.skin)
    for step in (-0.02, 0.0, 0.02):
        sitter.brush.stroke(np.array([(x - 0.045, y + step), (x + 0.01, y + step)]), thick=0.7)


def _sword(sitter: _Sitter) -> None:
    brush = sitter.brush
    x = sitter.rng.uniform(0.83, 0.9)
    brush.fill(
        np.array([(x - 0.02, 0.72), (x - 0.02, 0.1), (x, 0.02), (x + 0.02, 0.1), (x + 0.02, 0.72)]), sitter.style.paper
    )
    brush.stroke(np.array([(x, 0.06), (x, 0.7)]), thick=0.7)
    brush.fill(np.array([(x - 0.09, 0.7), (x + 0.09, 0.7), (x + 0.09, 0.74), (x - 0.09, 0.74)]), sitter.style.yellow)
    _hand(sitter, x, 0.8)


def _flower(sitter: _Sitter) -> None:
    brush, rng = sitter.brush, sitter.rng
    x, y = rng.uniform(0.82, 0.9), rng.uniform(0.3, 0.5)
    brush.stroke(bezier((x, y), (x + 0.03, y + 0.2, x - 0.05, 0.7, x - 0.02, 0.9)), thick=2.0)
    petal = sitter.paint()
    for angle in np.linspace(0, 2 * np.pi, int(rng.integers(5, 8)), endpoint=False):
        brush.disc(x + 0.045 * np.cos(angle), y + 0.052 * np.sin(angle), 0.032, petal)
    brush.disc(x, y, 0.03, sitter.style.yellow)
    _hand(sitter, x - 0.04, 0.8)


def _staff(sitter: _Sitter) -> None:
    brush, rng = sitter.brush, sitter.rng
    x = rng.uniform(0.84, 0.9)
    brush.fill(np.array([(x - 0.012, 0.12), (x + 0.012, 0.12), (x + 0.012, 1.1), (x - 0.012, 1.1)]), sitter.paint())
    if rng.random() < 0.5:
        blade = bezier((x, 0.0), (x + 0.12, 0.1, x + 0.12, 0.2, x, 0.3), (x + 0.04, 0.2, x - 0.1, 0.2, x - 0.06, 0.1))
        brush.fill(blade, sitter.paint())
    else:
        brush.fill(
            bezier((x, 0.0), (x + 0.1, 0.1, x + 0.05, 0.25, x, 0.28), (x - 0.05, 0.25, x - 0.1, 0.1, x, 0.0)),
            sitter.paint(),
        )
    _hand(sitter, x, 0.75)
