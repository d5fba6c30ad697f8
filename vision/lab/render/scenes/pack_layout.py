"""A whole pack laid out in rows before the camera, as a family lays it to enrol it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.lab.render.decks.deck import Deck
from vision.lab.render.scenes import photograph, surfaces
from vision.lab.render.scenes.camera import Camera
from vision.lab.render.scenes.layout import Spot
from vision.lab.render.scenes.scene import Canvas, Placed, corners, labels, near_size
from vision.types import BACK, Image

#: Room for a card, as multiples of its height: across a row, and from row to row.
_ACROSS, _DOWN = 0.8, 1.12


def spread(
    rng: np.random.Generator,
    deck: Deck,
    surface: Image,
    rows: Sequence[Sequence[str]],
    size: tuple[int, int] = (1280, 720),
    tilt: float | None = None,
) -> tuple[Image, tuple[Placed, ...]]:
    """A photograph (BGR uint8) of cards in straight rows, the first row farthest; `tilt` in radians, or by lot.

    `rows` holds the codes from left to right, BACK for a card face down. Some cards lie the other way up.
    """
    widest = max(map(len, rows))
    card = min(size[0] / (_ACROSS * widest + 0.5), size[1] / (_DOWN * len(rows) + 0.4))
    lean = float(rng.uniform(0, 0.35)) if tilt is None else tilt
    camera = Camera(*size, card * (1 - 0.25 * lean), lean, float(rng.normal(0, 0.02)), 1.4)
    canvas = Canvas(
        surfaces.lay(surfaces.dyed(surface, rng), camera.homography(), size, float(rng.uniform(60, 420))),
        np.zeros(size[::-1], np.uint8),
    )
    shift, soft = rng.normal(0, 1, 2) * card * 0.02, max(2, round(card * 0.05))
    for down, row in enumerate(rows):
        for across, code in enumerate(row):
            art = deck.backs[0] if code == BACK else deck.faces[code]
            quad = camera.project(corners(_spot(rng, across, down, widest, len(rows)), art.shape[1] / art.shape[0]))
            canvas.quads.append(quad)
            canvas.codes.append(code)
            canvas.shade(quad, shift, soft, 0.3)
            canvas.paste(near_size(art, quad), quad, len(canvas.quads))
    return photograph.photograph(canvas.image, rng, card), labels(canvas)


def _spot(rng: np.random.Generator, across: int, down: int, widest: int, rows: int) -> Spot:
    x, y = (across - (widest - 1) / 2) * _ACROSS, (down - (rows - 1) / 2) * _DOWN
    turned = np.pi * int(rng.integers(2))
    return Spot(x + float(rng.normal(0, 0.012)), y + float(rng.normal(0, 0.02)), turned + float(rng.normal(0, 0.03)))
