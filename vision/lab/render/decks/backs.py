"""Backs: lattices, rings, rosettes, stripes, plain fields and random shapes, with or without a white border."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lab.render.decks.deck import HEIGHT
from vision.lab.render.decks.ink import Colour, Paper
from vision.lab.render.decks.style import ink

#: Draws on HxWx3 in one or two colours, the same when turned round.
_Pattern = Callable[[Paper, Colour, Colour, np.random.Generator], None]
_FINE = 2


def any_back(width: int, paper: Colour, rng: np.random.Generator) -> Paper:
    """Return one back by lot, HxWx3, the same both ways round."""
    border = int(rng.uniform(0.02, 0.075) * width) if rng.random() < 0.8 else 0
    main, second = _colours(paper, rng)
    pattern = _PATTERNS[rng.integers(len(_PATTERNS))]
    if rng.random() < 0.15 and pattern is not _plain:
        main, second = second, main
    field = np.empty(((HEIGHT - 2 * border) * _FINE, (width - 2 * border) * _FINE, 3), np.uint8)
    field[:] = main
    pattern(field, main, second, rng)
    if rng.random() < 0.5:
        _medallion(field, main, second, rng)
    _frames(field, main, second, rng)
    half = field.shape[0] // 2
    field[field.shape[0] - half :] = field[:half][::-1, ::-1]
    back = np.empty((HEIGHT, width, 3), np.uint8)
    back[:] = paper
    size = (width - 2 * border, HEIGHT - 2 * border)
    back[border : HEIGHT - border, border : width - border] = cv2.resize(field, size, interpolation=cv2.INTER_AREA)
    return back


def _colours(paper: Colour, rng: np.random.Generator) -> tuple[Colour, Colour]:
    hue = rng.choice([rng.uniform(-6, 5), rng.uniform(104, 122), rng.uniform(0, 180)], p=[0.4, 0.4, 0.2])
    main = ink(hue, rng.uniform(0.5, 1), rng.uniform(0.3, 0.85))
    if rng.random() < 0.1:
        main = (int(rng.integers(10, 60)),) * 3
    second = paper if rng.random() < 0.8 else ink(rng.uniform(0, 180), rng.uniform(0.3, 1), rng.uniform(0.6, 1))
    return main, second


def _lattice(field: Paper, main: Colour, second: Colour, rng: np.random.Generator) -> None:
    height, width = field.shape[:2]
    step, thick, steep = int(rng.integers(18, 80)), int(rng.integers(2, 12)), rng.uniform(0.7, 1.8)
    for x in range(-int(height / steep) - step, width + int(height / steep) + step, step):
        reach = int(height / steep)
        cv2.line(field, (x, 0), (x + reach, height), second, thick, cv2.LINE_AA)
        cv2.line(field, (x, 0), (x - reach, height), second, thick, cv2.LINE_AA)


def _rings(field: Paper, main: Colour, second: Colour, rng: np.random.Generator) -> None:
    height, width = field.shape[:2]
    step, thick = int(rng.integers(26, 90)), int(rng.integers(2, 8))
    radius = int(step * rng.uniform(0.35, 0.75))
    for row, y in enumerate(range(0, height + step, step)):
        for x in range((row % 2) * step // 2, width + step, step):
            cv2.circle(field, (x, y), radius, second, thick, cv2.LINE_AA)
            cv2.circle(field, (x, y), max(2, radius // 4), second, -1, cv2.LINE_AA)


def _stripes(field: Paper, main: Colour, second: Colour, rng: np.random.Generator) -> None:
    height, width = field.shape[:2]
    step, angle = int(rng.integers(14, 70)), rng.choice([0, 90, 45, rng.uniform(0, 90)])
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    along = x * np.cos(np.radians(angle)) + y * np.sin(np.radians(angle))
    field[(along % step) < step * rng.uniform(0.2, 0.6)] = second


def _waves(field: Paper, main: Colour, second: Colour, rng: np.random.Generator) -> None:
    """Lay waves of two directions over each other, which gives the scrollwork look from afar."""
    height, width = field.shape[:2]
    x, y = np.meshgrid(np.arange(width) - width / 2, np.arange(height) - height / 2)
    f, g = rng.uniform(0.03, 0.16, 2)
    value: NDArray[np.float64] = np.sin(x * f + 2 * np.sin(y * g)) * np.cos(y * f - 2 * np.sin(x * g))
    field[np.abs(value) < rng.uniform(0.12, 0.4)] = second
    field[value > rng.uniform(0.75, 0.95)] = second


def _checks(field: Paper, main: Colour, second: Colour, rng: np.random.Generator) -> None:
    height, width = field.shape[:2]
    step = int(rng.integers(8, 44))
    x, y = np.meshgrid(np.arange(width) // step, np.arange(height) // step)
    field[(x + y) % 2 == 0] = second


def _plain(field: Paper, main: Colour, second: Colour, rng: np.random.Generator) -> None:
    """Leave the field as it is."""


def _shapes(field: Paper, main: Colour, second: Colour, rng: np.random.Generator) -> None:
    height, width = field.shape[:2]
    colours = [second, main, ink(rng.uniform(0, 180), rng.uniform(0.2, 1), rng.uniform(0.2, 1))]
    for _ in range(int(rng.integers(20, 90))):
        corners = rng.uniform(0, 1, 2) * (width, height) + rng.normal(
            0, rng.uniform(15, 120), (int(rng.integers(3, 6)), 2)
        )
        cv2.fillPoly(field, [cv2.convexHull(corners.astype(np.int32))], colours[rng.integers(3)], cv2.LINE_AA)


def _rosettes(field: Paper, main: Colour, second: Colour, rng: np.random.Generator) -> None:
    height, width = field.shape[:2]
    step, petals = int(rng.integers(60, 200)), int(rng.integers(4, 13))
    for row, y in enumerate(range(0, height + step, step // 2 + 1)):
        for x in range((row % 2) * step // 2, width + step, step):
            _rosette(field, (x, y), step * 0.3, petals, second)


def _rosette(field: Paper, middle: tuple[int, int], radius: float, petals: int, colour: Colour) -> None:
    axes = (max(2, round(radius * 0.5)), max(1, round(radius * 0.18)))
    for angle in np.linspace(0, 360, petals, endpoint=False):
        direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        x, y = np.round(np.array(middle) + direction * radius * 0.6).astype(int)
        cv2.ellipse(field, (int(x), int(y)), axes, angle, 0, 360, colour, -1, cv2.LINE_AA)


def _medallion(field: Paper, main: Colour, second: Colour, rng: np.random.Generator) -> None:
    """Put roundels on the middle and sometimes near both ends."""
    height, width = field.shape[:2]
    radius = int(width * rng.uniform(0.14, 0.4))
    places = [(width // 2, height // 2)]
    if rng.random() < 0.4:
        radius, places = radius * 2 // 3, [(width // 2, height // 5)]
    for x, y in places:
        cv2.circle(field, (x, y), radius, main, -1, cv2.LINE_AA)
        for ring in np.linspace(1, 0.4, int(rng.integers(1, 5))):
            cv2.circle(field, (x, y), int(radius * ring), second, int(rng.integers(3, 9)), cv2.LINE_AA)
        _rosette(field, (x, y), radius * 0.75, int(rng.integers(5, 14)), second)


def _frames(field: Paper, main: Colour, second: Colour, rng: np.random.Generator) -> None:
    height, width = field.shape[:2]
    inset = 0
    for number in range(int(rng.integers(0, 4))):
        thick = int(rng.integers(4, 22))
        cv2.rectangle(field, (inset, inset), (width - 1 - inset, height - 1 - inset), (main, second)[number % 2], thick)
        inset += thick


_PATTERNS: tuple[_Pattern, ...] = (
    _lattice, _lattice, _rings, _stripes, _waves, _waves, _checks, _plain, _shapes, _rosettes, _rosettes
)  # fmt: skip
