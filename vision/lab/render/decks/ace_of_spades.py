"""The ace of spades as makers like to show off with it: large, nested outlines, ornaments, small print."""

from __future__ import annotations

import cv2
import numpy as np

from vision.lab.render.decks.ink import Colour, Paper, arc, shape_mask, stamp
from vision.lab.render.decks.pips import PipStyle, pip_mask

_WORDS = ("WAR REFEREE", "MADE BY CODE", "POKER 808", "PLAYING CARDS", "TABLE No 17", "FINE CARDS")


def ornamented_ace(paper: Paper, style: PipStyle, ink: Colour, ground: Colour, rng: np.random.Generator) -> None:
    """Print a large ornamented spade in the middle of `paper`."""
    height, width = paper.shape[:2]
    size = round(height * rng.uniform(0.3, 0.52))
    x, y = width / 2, height / 2
    stamp(paper, pip_mask("S", size, style), ink, x, y)
    for step in range(1, int(rng.integers(1, 5))):
        # The sign's stem makes its middle lie lower than the leaf's.
        inner = pip_mask("S", round(size * (1 - 0.16 * step)), style)
        stamp(paper, inner, ground if step % 2 else ink, x, y - size * 0.02)
    _ornament(paper, size, ink, ground, rng)
    if rng.random() < 0.6:
        _small_print(paper, size, ink, rng)


def _ornament(paper: Paper, size: int, ink: Colour, ground: Colour, rng: np.random.Generator) -> None:
    height, width = paper.shape[:2]
    petals, reach = int(rng.integers(4, 13)), rng.uniform(0.06, 0.13)
    flower = [arc(0.5, 0.5, 0.12, 0.12, 0, 352)]
    for angle in np.linspace(0, 2 * np.pi, petals, endpoint=False):
        flower.append(arc(0.5 + 0.33 * np.cos(angle), 0.5 + 0.33 * np.sin(angle), 0.13, 0.13, 0, 352))
    rose = shape_mask(flower, round(size * 2 * reach), round(size * 2 * reach))
    middle = paper[round(height / 2 + size * 0.05), width // 2]
    on_ink = abs(int(middle.sum()) - sum(ink)) < abs(int(middle.sum()) - sum(ground))
    stamp(paper, rose, ground if on_ink else ink, width / 2, height / 2 + size * 0.06)
    if rng.random() < 0.5:
        dot = shape_mask([arc(0.5, 0.5, 0.5, 0.5, 0, 352)], 5, 5)
        for side in (-1, 1):
            for step in np.linspace(0.08, 0.4, 9):
                stamp(
                    paper,
                    dot,
                    ink,
                    width / 2 + side * size * (0.25 + step * 0.7),
                    height / 2 + size * (0.5 - step * 0.2),
                )


def _small_print(paper: Paper, size: int, ink: Colour, rng: np.random.Generator) -> None:
    height, width = paper.shape[:2]
    for y, scale in ((height / 2 + size * 0.62, 0.55), (height / 2 - size * 0.58, 0.4)):
        text = str(rng.choice(_WORDS))
        font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_COMPLEX]))
        (wide, _), _ = cv2.getTextSize(text, font, scale, 1)
        cv2.putText(paper, text, (round((width - wide) / 2), round(y)), font, scale, ink, 1, cv2.LINE_AA)
