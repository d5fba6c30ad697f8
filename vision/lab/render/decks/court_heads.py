"""Heads of court figures: face, hair, beard, and the hat that tells jack, queen and king apart."""

from __future__ import annotations

import numpy as np

from vision.lab.render.decks.figure import Sitter
from vision.lab.render.decks.ink import arc, bezier


def draw_head(sitter: Sitter, rank: str) -> None:
    """Draw neck, face, front hair or beard, and the hat of `rank`."""
    _neck(sitter)
    _face(sitter)
    _front_hair(sitter, rank)
    {"J": _cap, "Q": _coronet, "K": _crown}[rank](sitter)


def _neck(sitter: Sitter) -> None:
    sitter.brush.fill(sitter.at((-0.055, 0.45), (0.055, 0.45), (0.06, 0.6), (0, 0.64), (-0.06, 0.6)), sitter.style.skin)


def _face(sitter: Sitter) -> None:
    brush, turn = sitter.brush, sitter.facing * 0.028
    face = sitter.place(
        bezier(
            (-0.1, 0.28),
            (-0.1, 0.44, -0.07, 0.54, turn * 0.6, 0.56),
            (0.07, 0.54, 0.1, 0.44, 0.1, 0.28),
            (0.06, 0.22, -0.06, 0.22, -0.1, 0.28),
        )
    )
    brush.fill(face, sitter.style.skin)
    for side in (-1, 1):
        x = side * 0.038 + turn
        brush.stroke(sitter.place(arc(x, 0.375, 0.026, 0.02, 200, 340)), thick=0.8)
        brush.disc(sitter.x + x * sitter.broad, 0.385, 0.008, sitter.style.line, False)
        brush.stroke(sitter.at((x - 0.026, 0.345), (x + 0.02, 0.338)), thick=0.8)
    nose = sitter.facing or 0.4
    brush.stroke(sitter.at((turn, 0.36), (turn + 0.018 * nose, 0.44), (turn, 0.445)), thick=0.8)
    brush.stroke(sitter.place(arc(turn, 0.475, 0.024, 0.02, 20, 160)), sitter.style.red, 1.6)


def draw_back_hair(sitter: Sitter, rank: str) -> None:
    """Draw what of hair and veil hangs behind the robe; to be drawn before it."""
    hair = sitter.style.yellow if sitter.rng.random() < 0.6 else sitter.paint()
    if rank == "Q":
        veil = sitter.place(
            bezier(
                (-0.14, 0.2),
                (-0.26, 0.4, -0.24, 0.6, -0.34, 0.74),
                (-0.1, 0.85, 0.1, 0.85, 0.34, 0.74),
                (0.24, 0.6, 0.26, 0.4, 0.14, 0.2),
            )
        )
        sitter.brush.fill(veil, sitter.paint())
        hair_line = sitter.place(
            bezier(
                (-0.13, 0.24),
                (-0.22, 0.4, -0.2, 0.5, -0.2, 0.62),
                (-0.1, 0.7, 0.1, 0.7, 0.2, 0.62),
                (0.2, 0.5, 0.22, 0.4, 0.13, 0.24),
            )
        )
        sitter.brush.fill(hair_line, hair)
        return
    low, wide = (0.56, 0.17) if rank == "J" else (0.52, 0.15)
    for side in (-1, 1):
        bob = sitter.place(
            bezier(
                (0, 0.24),
                (side * wide, 0.22, side * wide, 0.4, side * wide * 1.2, low),
                (side * wide * 1.1, low + 0.06, side * 0.06, low + 0.04, side * 0.05, low - 0.05),
            )
        )
        sitter.brush.fill(bob, hair)
        for step in np.linspace(0.5, 0.9, 3):
            sitter.brush.stroke(sitter.at((side * wide * step, 0.28), (side * wide * step * 1.15, low)), thick=0.7)


def _front_hair(sitter: Sitter, rank: str) -> None:
    if rank == "Q":
        for side in (-1, 1):
            sitter.brush.stroke(sitter.place(arc(side * 0.1, 0.34, 0.03, 0.1, 0, 340)), thick=0.8)
        return
    if rank == "K":
        _beard(sitter)
    elif sitter.rng.random() < 0.3:
        sitter.brush.stroke(sitter.at((-0.05, 0.462), (0, 0.452), (0.05, 0.462)), thick=1.2)


def _beard(sitter: Sitter) -> None:
    low = sitter.rng.uniform(0.6, 0.72)
    colour = sitter.style.paper if sitter.rng.random() < 0.5 else sitter.style.yellow
    beard = sitter.place(
        bezier(
            (-0.105, 0.36),
            (-0.13, 0.5, -0.11, low, -0.02, low),
            (0.09, low, 0.13, 0.5, 0.105, 0.36),
            (0.07, 0.46, 0.06, 0.46, 0, 0.46),
            (-0.06, 0.46, -0.07, 0.46, -0.105, 0.36),
        )
    )
    sitter.brush.fill(beard, colour)
    for x in np.linspace(-0.07, 0.07, 5):
        sitter.brush.stroke(sitter.at((x, 0.5), (x * 0.8, low - 0.03)), thick=0.7)
    sitter.brush.stroke(sitter.place(arc(0, 0.485, 0.03, 0.02, 10, 170)), sitter.style.red, 1.6)
    sitter.brush.stroke(sitter.at((-0.07, 0.475), (0, 0.458), (0.07, 0.475)), thick=1.3)


def _crown(sitter: Sitter) -> None:
    brush, rng = sitter.brush, sitter.rng
    spikes, top = int(rng.choice([3, 4, 5])), rng.uniform(0.03, 0.09)
    brush.fill(sitter.at((-0.12, 0.2), (-0.1, top + 0.06), (0.1, top + 0.06), (0.12, 0.2)), sitter.style.red)
    outline = [(-0.14, 0.24)]
    for spike in range(spikes):
        x = -0.16 + 0.32 * (spike + 0.5) / spikes
        outline += [(x - 0.12 / spikes, 0.15), (x, top), (x + 0.12 / spikes, 0.15)]
    brush.fill(sitter.at(*outline, (0.14, 0.24)), sitter.style.yellow)
    for spike in range(spikes):
        brush.disc(sitter.x + (-0.16 + 0.32 * (spike + 0.5) / spikes) * sitter.broad, top, 0.018, sitter.paint())
    sitter.weave(sitter.at((-0.15, 0.2), (0.15, 0.2), (0.13, 0.275), (-0.13, 0.275)))


def _coronet(sitter: Sitter) -> None:
    brush, rng = sitter.brush, sitter.rng
    top = rng.uniform(0.06, 0.12)
    brush.fill(sitter.place(bezier((-0.12, 0.27), (-0.1, 0.16, 0.1, 0.16, 0.12, 0.27))), sitter.style.yellow)
    points = [(-0.11, 0.24)]
    for x in (-0.08, 0.0, 0.08):
        points += [(x - 0.03, 0.18), (x, top), (x + 0.03, 0.18)]
    brush.fill(sitter.at(*points, (0.11, 0.24)), sitter.paint())
    for x in (-0.08, 0.0, 0.08):
        brush.disc(sitter.x + x * sitter.broad, top, 0.016, sitter.style.yellow)
    sitter.weave(sitter.at((-0.11, 0.215), (0.11, 0.215), (0.105, 0.26), (-0.105, 0.26)))


def _cap(sitter: Sitter) -> None:
    brush, rng = sitter.brush, sitter.rng
    lean = rng.uniform(-0.06, 0.06)
    flat = sitter.at((-0.13, 0.24), (-0.17 + lean, 0.09), (0.17 + lean, 0.06), (0.13, 0.24))
    brush.fill(flat, sitter.style.red if rng.random() < 0.5 else sitter.paint())
    for x in np.linspace(-0.1, 0.1, 4):
        brush.stroke(sitter.at((x + lean * 0.7, 0.09), (x, 0.22)), thick=0.8)
    sitter.weave(sitter.at((-0.15, 0.22), (0.15, 0.2), (0.14, 0.27), (-0.14, 0.28)))
    if rng.random() < 0.6:
        feather = sitter.place(bezier((0.1, 0.22), (0.2, 0.2, 0.26, 0.1, 0.16, 0.0), (0.2, 0.1, 0.14, 0.16, 0.1, 0.22)))
        brush.fill(feather, sitter.paint())
