"""Court cards: a framed double-headed figure with its rank's hat, hair and thing in hand, drawn by code."""

from __future__ import annotations

import cv2
import numpy as np

from vision.lab.render.decks.brush import Brush
from vision.lab.render.decks.court_heads import draw_back_hair, draw_head
from vision.lab.render.decks.figure import CourtFigure, CourtStyle
from vision.lab.render.decks.ink import Paper, bezier

_FINE = 2


def court(rank: str, suit: str, width: int, height: int, style: CourtStyle) -> Paper:
    """Return the court picture of `rank` ("J", "Q", "K"), HxWx3, the same both ways round."""
    rng = np.random.default_rng([style.seed, "JQK".index(rank), "CDHS".index(suit)])
    half = np.empty((height * _FINE // 2, width * _FINE, 3), np.uint8)
    half[:] = style.paper
    brush = Brush(half, style.line, max(1, round(width * _FINE * 0.006)))
    facing = int(rng.choice([-1, 0, 1]))
    figure = CourtFigure(brush, style, rng, rng.uniform(0.5, 0.58), facing, rng.uniform(1.0, 1.3))
    _drapes(figure)
    draw_back_hair(figure, rank)
    _robe(figure, rank)
    draw_head(figure, rank)
    {"J": _staff, "Q": _flower, "K": _sword}[rank](figure)
    return _doubled(half, width, height, rng, figure)


def _doubled(half: Paper, width: int, height: int, rng: np.random.Generator, figure: CourtFigure) -> Paper:
    whole = np.concatenate([half, half[::-1, ::-1]])
    rise = rng.choice([0.0, rng.uniform(-0.12, 0.12)])
    band = np.array([(0, 0.475 + rise), (1, 0.475 - rise), (1, 0.525 - rise), (0, 0.525 + rise)])
    brush = Brush(whole, figure.style.line, figure.brush.thick)
    CourtFigure(brush, figure.style, rng, 0, 0, 1).weave(band)
    lower = whole.shape[0] // 2
    whole[lower:] = whole[:lower][::-1, ::-1]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _drapes(figure: CourtFigure) -> None:
    """Hang strips at the sides, as many courts have them."""
    for left in (0.0, 0.93):
        if figure.rng.random() < 0.3 + 0.4 * figure.style.busy:
            top = figure.rng.uniform(0.4, 0.6) if left == 0 else figure.rng.uniform(0, 0.5)
            figure.weave(np.array([(left, top), (left + 0.07, top), (left + 0.07, 1.1), (left, 1.1)]))


def _robe(figure: CourtFigure, rank: str) -> None:
    brush, rng = figure.brush, figure.rng
    wide, high = rng.uniform(0.4, 0.5), rng.uniform(0.62, 0.7)
    body = figure.at((-0.1, 0.55), (-wide * 0.75, high), (-wide, 0.85), (-wide - 0.05, 1.1), (0.6, 1.1), (wide, 0.85),
                     (wide * 0.75, high), (0.1, 0.55))  # fmt: skip
    brush.fill(body, figure.paint())
    for side in (-1, 1):
        _sleeve(figure, side * wide, high)
    middle = rng.uniform(0.08, 0.16)
    figure.weave(figure.at((-middle, 0.58), (middle, 0.58), (middle * 1.3, 1.1), (-middle * 1.3, 1.1)))
    if rank != "Q" and rng.random() < 0.5:
        sash = figure.at((-0.3, 0.62), (-0.2, 0.6), (0.45, 1.1), (0.25, 1.1))
        figure.weave(sash)
    _collar(figure, rank)


def _sleeve(figure: CourtFigure, reach: float, high: float) -> None:
    """Draw bands round an arm bent towards the middle."""
    bands = int(figure.rng.integers(2, 5))
    for band in np.linspace(1, 0.25, bands):
        arm = figure.at((reach * 0.75, high), (reach * (0.75 + 0.3 * band), 0.86), (reach * (0.8 + 0.2 * band), 1.12),
                        (reach * (0.75 - 0.4 * band), 1.12), (reach * (0.75 - 0.3 * band), 0.82))  # fmt: skip
        if figure.rng.random() < 0.55:
            figure.weave(arm)
        else:
            figure.brush.fill(arm, figure.paint())


def _collar(figure: CourtFigure, rank: str) -> None:
    wide = {"J": 0.16, "Q": 0.24, "K": 0.28}[rank] * figure.rng.uniform(0.85, 1.15)
    collar = figure.place(
        bezier(
            (-0.1, 0.52),
            (-0.12, 0.6, -wide, 0.6, -wide, 0.68),
            (-wide * 0.5, 0.8, wide * 0.5, 0.8, wide, 0.68),
            (wide, 0.6, 0.12, 0.6, 0.1, 0.52),
        )
    )
    if rank == "K" and figure.rng.random() < 0.6:
        figure.brush.weave(
            collar, "dots", int(figure.brush.paper.shape[1] * 0.05), figure.style.paper, figure.style.dark
        )
    else:
        figure.weave(collar)


def _hand(figure: CourtFigure, x: float, y: float) -> None:
    figure.brush.disc(x, y, 0.05, figure.style.skin)
    for step in (-0.02, 0.0, 0.02):
        figure.brush.stroke(np.array([(x - 0.045, y + step), (x + 0.01, y + step)]), thick=0.7)


def _sword(figure: CourtFigure) -> None:
    brush = figure.brush
    x = figure.rng.uniform(0.83, 0.9)
    brush.fill(
        np.array([(x - 0.02, 0.72), (x - 0.02, 0.1), (x, 0.02), (x + 0.02, 0.1), (x + 0.02, 0.72)]), figure.style.paper
    )
    brush.stroke(np.array([(x, 0.06), (x, 0.7)]), thick=0.7)
    brush.fill(np.array([(x - 0.09, 0.7), (x + 0.09, 0.7), (x + 0.09, 0.74), (x - 0.09, 0.74)]), figure.style.yellow)
    _hand(figure, x, 0.8)


def _flower(figure: CourtFigure) -> None:
    brush, rng = figure.brush, figure.rng
    x, y = rng.uniform(0.82, 0.9), rng.uniform(0.3, 0.5)
    brush.stroke(bezier((x, y), (x + 0.03, y + 0.2, x - 0.05, 0.7, x - 0.02, 0.9)), thick=2.0)
    petal = figure.paint()
    for angle in np.linspace(0, 2 * np.pi, int(rng.integers(5, 8)), endpoint=False):
        brush.disc(x + 0.045 * np.cos(angle), y + 0.052 * np.sin(angle), 0.032, petal)
    brush.disc(x, y, 0.03, figure.style.yellow)
    _hand(figure, x - 0.04, 0.8)


def _staff(figure: CourtFigure) -> None:
    brush, rng = figure.brush, figure.rng
    x = rng.uniform(0.84, 0.9)
    brush.fill(np.array([(x - 0.012, 0.12), (x + 0.012, 0.12), (x + 0.012, 1.1), (x - 0.012, 1.1)]), figure.paint())
    if rng.random() < 0.5:
        blade = bezier((x, 0.0), (x + 0.12, 0.1, x + 0.12, 0.2, x, 0.3), (x + 0.04, 0.2, x - 0.1, 0.2, x - 0.06, 0.1))
        brush.fill(blade, figure.paint())
    else:
        brush.fill(
            bezier((x, 0.0), (x + 0.1, 0.1, x + 0.05, 0.25, x, 0.28), (x - 0.05, 0.25, x - 0.1, 0.1, x, 0.0)),
            figure.paint(),
        )
    _hand(figure, x, 0.75)
