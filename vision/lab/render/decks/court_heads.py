"""Heads of court figures: face, hair, beard, and the hat that tells jack, queen and king apart."""

from __future__ import annotations

import numpy as np

from vision.lab.render.decks.figure import CourtFigure
from vision.lab.render.decks.ink import arc, bezier


def draw_head(figure: CourtFigure, rank: str) -> None:
    """Draw neck, face, front hair or beard, and the hat of `rank`."""
    _neck(figure)
    _face(figure)
    _front_hair(figure, rank)
    {"J": _cap, "Q": _coronet, "K": _crown}[rank](figure)


def _neck(figure: CourtFigure) -> None:
    figure.brush.fill(figure.at((-0.055, 0.45), (0.055, 0.45), (0.06, 0.6), (0, 0.64), (-0.06, 0.6)), figure.style.skin)


def _face(figure: CourtFigure) -> None:
    brush, turn = figure.brush, figure.facing * 0.028
    face = figure.place(
        bezier(
            (-0.1, 0.28),
            (-0.1, 0.44, -0.07, 0.54, turn * 0.6, 0.56),
            (0.07, 0.54, 0.1, 0.44, 0.1, 0.28),
            (0.06, 0.22, -0.06, 0.22, -0.1, 0.28),
        )
    )
    brush.fill(face, figure.style.skin)
    for side in (-1, 1):
        x = side * 0.038 + turn
        brush.stroke(figure.place(arc(x, 0.375, 0.026, 0.02, 200, 340)), thick=0.8)
        brush.disc(figure.x + x * figure.broad, 0.385, 0.008, figure.style.line, False)
        brush.stroke(figure.at((x - 0.026, 0.345), (x + 0.02, 0.338)), thick=0.8)
    nose = figure.facing or 0.4
    brush.stroke(figure.at((turn, 0.36), (turn + 0.018 * nose, 0.44), (turn, 0.445)), thick=0.8)
    brush.stroke(figure.place(arc(turn, 0.475, 0.024, 0.02, 20, 160)), figure.style.red, 1.6)


def draw_back_hair(figure: CourtFigure, rank: str) -> None:
    """Draw what of hair and veil hangs behind the robe; to be drawn before it."""
    hair = figure.style.yellow if figure.rng.random() < 0.6 else figure.paint()
    if rank == "Q":
        veil = figure.place(
            bezier(
                (-0.14, 0.2),
                (-0.26, 0.4, -0.24, 0.6, -0.34, 0.74),
                (-0.1, 0.85, 0.1, 0.85, 0.34, 0.74),
                (0.24, 0.6, 0.26, 0.4, 0.14, 0.2),
            )
        )
        figure.brush.fill(veil, figure.paint())
        hair_line = figure.place(
            bezier(
                (-0.13, 0.24),
                (-0.22, 0.4, -0.2, 0.5, -0.2, 0.62),
                (-0.1, 0.7, 0.1, 0.7, 0.2, 0.62),
                (0.2, 0.5, 0.22, 0.4, 0.13, 0.24),
            )
        )
        figure.brush.fill(hair_line, hair)
        return
    low, wide = (0.56, 0.17) if rank == "J" else (0.52, 0.15)
    for side in (-1, 1):
        bob = figure.place(
            bezier(
                (0, 0.24),
                (side * wide, 0.22, side * wide, 0.4, side * wide * 1.2, low),
                (side * wide * 1.1, low + 0.06, side * 0.06, low + 0.04, side * 0.05, low - 0.05),
            )
        )
        figure.brush.fill(bob, hair)
        for step in np.linspace(0.5, 0.9, 3):
            figure.brush.stroke(figure.at((side * wide * step, 0.28), (side * wide * step * 1.15, low)), thick=0.7)


def _front_hair(figure: CourtFigure, rank: str) -> None:
    if rank == "Q":
        for side in (-1, 1):
            figure.brush.stroke(figure.place(arc(side * 0.1, 0.34, 0.03, 0.1, 0, 340)), thick=0.8)
        return
    if rank == "K":
        _beard(figure)
    elif figure.rng.random() < 0.3:
        figure.brush.stroke(figure.at((-0.05, 0.462), (0, 0.452), (0.05, 0.462)), thick=1.2)


def _beard(figure: CourtFigure) -> None:
    low = figure.rng.uniform(0.6, 0.72)
    colour = figure.style.paper if figure.rng.random() < 0.5 else figure.style.yellow
    beard = figure.place(
        bezier(
            (-0.105, 0.36),
            (-0.13, 0.5, -0.11, low, -0.02, low),
            (0.09, low, 0.13, 0.5, 0.105, 0.36),
            (0.07, 0.46, 0.06, 0.46, 0, 0.46),
            (-0.06, 0.46, -0.07, 0.46, -0.105, 0.36),
        )
    )
    figure.brush.fill(beard, colour)
    for x in np.linspace(-0.07, 0.07, 5):
        figure.brush.stroke(figure.at((x, 0.5), (x * 0.8, low - 0.03)), thick=0.7)
    figure.brush.stroke(figure.place(arc(0, 0.485, 0.03, 0.02, 10, 170)), figure.style.red, 1.6)
    figure.brush.stroke(figure.at((-0.07, 0.475), (0, 0.458), (0.07, 0.475)), thick=1.3)


def _crown(figure: CourtFigure) -> None:
    brush, rng = figure.brush, figure.rng
    spikes, top = int(rng.choice([3, 4, 5])), rng.uniform(0.03, 0.09)
    brush.fill(figure.at((-0.12, 0.2), (-0.1, top + 0.06), (0.1, top + 0.06), (0.12, 0.2)), figure.style.red)
    outline = [(-0.14, 0.24)]
    for spike in range(spikes):
        x = -0.16 + 0.32 * (spike + 0.5) / spikes
        outline += [(x - 0.12 / spikes, 0.15), (x, top), (x + 0.12 / spikes, 0.15)]
    brush.fill(figure.at(*outline, (0.14, 0.24)), figure.style.yellow)
    for spike in range(spikes):
        brush.disc(figure.x + (-0.16 + 0.32 * (spike + 0.5) / spikes) * figure.broad, top, 0.018, figure.paint())
    figure.weave(figure.at((-0.15, 0.2), (0.15, 0.2), (0.13, 0.275), (-0.13, 0.275)))


def _coronet(figure: CourtFigure) -> None:
    brush, rng = figure.brush, figure.rng
    top = rng.uniform(0.06, 0.12)
    brush.fill(figure.place(bezier((-0.12, 0.27), (-0.1, 0.16, 0.1, 0.16, 0.12, 0.27))), figure.style.yellow)
    points = [(-0.11, 0.24)]
    for x in (-0.08, 0.0, 0.08):
        points += [(x - 0.03, 0.18), (x, top), (x + 0.03, 0.18)]
    brush.fill(figure.at(*points, (0.11, 0.24)), figure.paint())
    for x in (-0.08, 0.0, 0.08):
        brush.disc(figure.x + x * figure.broad, top, 0.016, figure.style.yellow)
    figure.weave(figure.at((-0.11, 0.215), (0.11, 0.215), (0.105, 0.26), (-0.105, 0.26)))


def _cap(figure: CourtFigure) -> None:
    brush, rng = figure.brush, figure.rng
    lean = rng.uniform(-0.06, 0.06)
    flat = figure.at((-0.13, 0.24), (-0.17 + lean, 0.09), (0.17 + lean, 0.06), (0.13, 0.24))
    brush.fill(flat, figure.style.red if rng.random() < 0.5 else figure.paint())
    for x in np.linspace(-0.1, 0.1, 4):
        brush.stroke(figure.at((x + lean * 0.7, 0.09), (x, 0.22)), thick=0.8)
    figure.weave(figure.at((-0.15, 0.22), (0.15, 0.2), (0.14, 0.27), (-0.14, 0.28)))
    if rng.random() < 0.6:
        feather = figure.place(bezier((0.1, 0.22), (0.2, 0.2, 0.26, 0.1, 0.16, 0.0), (0.2, 0.1, 0.14, 0.16, 0.1, 0.22)))
        brush.fill(feather, figure.paint())
