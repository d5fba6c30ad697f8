"""Jokers of several looks: the word, a star, a jester, a cap with bells."""

from __future__ import annotations

import cv2
import numpy as np

from vision.lab.render.decks.brush import Brush
from vision.lab.render.decks.ink import Colour, Mask, Paper, arc, shape_mask, stamp, stamp_twice
from vision.lab.render.decks.style import DeckDesign, ink

_FINE = 2


def print_joker(paper: Paper, design: DeckDesign, coloured: bool, rng: np.random.Generator) -> None:
    """Print a joker on blank `paper`; `coloured` for the red one."""
    dark = design.inks["S"]
    colour = design.inks["H"] if coloured else dark
    height, width = paper.shape[:2]
    look = rng.random()
    if look < 0.65:
        _jester(paper, colour, dark, coloured, rng)
    elif look < 0.8:
        large = design.lettering("JOKER", round(width * rng.uniform(0.14, 0.24)))
        stamp(paper, np.asarray(np.rot90(large), np.uint8), colour, width / 2, height / 2)
    else:
        size = round(width * rng.uniform(0.3, 0.6))
        stamp(paper, star(size, int(rng.integers(5, 9))), colour, width / 2, height / 2)
    _word(paper, design, colour, rng)


def star(size: int, tips: int) -> Mask:
    """Return a star, `size` pixels high and wide."""
    angles = np.linspace(-np.pi / 2, 1.5 * np.pi, 2 * tips, endpoint=False)
    reach = np.where(np.arange(2 * tips) % 2, 0.2, 0.5)
    return shape_mask([np.stack([0.5 + reach * np.cos(angles), 0.5 + reach * np.sin(angles)], axis=1)], size, size)


def _word(paper: Paper, design: DeckDesign, colour: Colour, rng: np.random.Generator) -> None:
    """Print JOKER down the side, along it, or just a star in the corner."""
    height, width = paper.shape[:2]
    letter = round(min(design.index.height * 0.8, height * 0.06) * rng.uniform(0.7, 1.05))
    look = rng.random()
    if look < 0.55:
        y = height * 0.04
        for text in "JOKER":
            stamp_twice(paper, design.lettering(text, letter), colour, width * 0.07, y + letter / 2)
            y += letter * 1.22
    elif look < 0.8:
        word = design.lettering("JOKER", letter)
        stamp_twice(paper, word, colour, width * 0.05 + word.shape[1] / 2, height * 0.06)
    else:
        stamp_twice(paper, star(round(width * 0.11), 5), colour, width * 0.09, height * 0.065)
        word = design.lettering("JOKER", letter)
        stamp(paper, word, colour, width / 2, height * 0.85)


def _jester(paper: Paper, colour: Colour, dark: Colour, coloured: bool, rng: np.random.Generator) -> None:
    height, width = paper.shape[:2]
    size = (round(width * rng.uniform(0.55, 0.74)), round(height * rng.uniform(0.48, 0.7)))
    field = np.empty((size[1] * _FINE, size[0] * _FINE, 3), np.uint8)
    ground = paper[height // 2, width // 2].copy()
    field[:] = ground
    blue, green, red = (int(c) for c in ground)
    paints = [colour, dark, (blue, green, red)]
    if coloured:
        paints = [ink(rng.uniform(0, 180), rng.uniform(0.6, 1), rng.uniform(0.5, 0.95)) for _ in range(3)]
    brush = Brush(field, dark, max(2, size[0] // 70))
    _body(brush, paints, rng)
    _cap_with_bells(brush, paints, rng)
    left, top = (width - size[0]) // 2, (height - size[1]) // 2
    paper[top : top + size[1], left : left + size[0]] = cv2.resize(field, size, interpolation=cv2.INTER_AREA)


def _body(brush: Brush, paints: list[Colour], rng: np.random.Generator) -> None:
    coat = np.array([(0.42, 0.5), (0.2, 0.62), (0.12, 0.95), (0.3, 0.84), (0.4, 0.98), (0.5, 0.86), (0.6, 0.98),
                     (0.7, 0.84), (0.88, 0.95), (0.8, 0.62), (0.58, 0.5)])  # fmt: skip
    brush.fill(coat, paints[0])
    brush.fill(
        np.array([(0.5, 0.5), (0.58, 0.5), (0.8, 0.62), (0.88, 0.95), (0.7, 0.84), (0.6, 0.98), (0.5, 0.86)]), paints[1]
    )
    ruff = [
        (0.5 + r * np.cos(a), 0.53 + r * 0.35 * np.sin(a))
        for a, r in zip(np.linspace(0, 6.28, 21), [0.24, 0.16] * 11, strict=False)
    ]
    brush.fill(np.array(ruff), paints[2])
    brush.fill(arc(0.5, 0.38, 0.13, 0.14, 0, 352), (200, 225, 250) if rng.random() < 0.5 else (255, 255, 255))
    for x in (0.45, 0.55):
        brush.disc(x, 0.36, 0.014, brush.line, False)
    brush.stroke(arc(0.5, 0.42, 0.06, 0.05, 15, 165), thick=1.5)
    brush.disc(0.5, 0.4, 0.02, paints[0])


def _cap_with_bells(brush: Brush, paints: list[Colour], rng: np.random.Generator) -> None:
    for number, tip in enumerate(((0.12, 0.3), (0.88, 0.3), (0.5, 0.04))):
        droop = rng.uniform(0.0, 0.12)
        x, y = tip
        horn = np.array(
            [
                (0.36, 0.32),
                (0.36 + 0.3 * (x - 0.5), 0.12 + droop * 0.5),
                (x, y + droop),
                (0.5 + 0.5 * (x - 0.5), 0.22),
                (0.64, 0.32),
            ]
        )
        brush.fill(horn, paints[number % len(paints)])
        brush.disc(x, y + droop, 0.035, paints[(number + 1) % len(paints)])
