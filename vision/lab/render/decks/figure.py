"""A figure of a court card: its place on the card and the paints of its deck."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.lab.render.decks.brush import PATTERNS, Brush
from vision.lab.render.decks.ink import Colour, Points
from vision.lab.render.decks.style import ink


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
class CourtFigure:
    """One figure being drawn: `x` is its middle, `facing` -1 left, 0 front, 1 right, `broad` how wide, about 1.2."""

    brush: Brush
    style: CourtStyle
    rng: np.random.Generator
    x: float
    facing: int
    broad: float

    def paint(self) -> Colour:
        """Return one of the deck's paints by lot."""
        paints = (self.style.yellow, self.style.red, self.style.blue, self.style.dark)
        return paints[int(self.rng.choice(4, p=[0.3, 0.3, 0.22, 0.18]))]

    def place(self, shape: Points) -> Points:
        """Return a shape given from the middle of the head, as broad as this figure is."""
        return np.asarray(shape * (self.broad, 1) + (self.x, 0))

    def at(self, *points: tuple[float, float]) -> Points:
        """Return points given from the middle of the head."""
        return self.place(np.array(points, float))

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
