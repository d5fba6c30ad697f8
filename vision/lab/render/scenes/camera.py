"""Where the lens stands: a pinhole camera over a table plane, as one homography.

The table's unit is the height of a card; its origin lies where the camera looks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Camera:
    """A view of the table. Angles in radians; `card` is the height in pixels of a card at the origin.

    `squeeze` is the picture's width after the lens over its width before (squeezed uploads, wide sensors).
    """

    width: int
    height: int
    card: float
    tilt: float = 0.0
    turn: float = 0.0
    focal: float = 1.3
    squeeze: float = 1.0

    def homography(self) -> NDArray[np.float64]:
        """3x3 matrix from table units to pixels."""
        f = self.focal * max(self.width, self.height)
        distance = f / self.card
        c, s = np.cos(self.tilt), np.sin(self.tilt)
        cz, sz = np.cos(self.turn), np.sin(self.turn)
        plane = np.array([[cz, -sz, 0.0], [c * sz, c * cz, 0.0], [-s * sz, -s * cz, distance]])
        lens = np.array([[f * self.squeeze, 0, self.width / 2], [0, f, self.height / 2], [0, 0, 1.0]])
        return np.asarray(lens @ plane)

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels (Nx2) of table points (Nx2)."""
        p = np.c_[points, np.ones(len(points))] @ self.homography().T
        return np.asarray(p[:, :2] / p[:, 2:])


def any_camera(rng: np.random.Generator, width: int, height: int, card: float) -> Camera:
    """A camera a family could have: overhead, shelf, laptop lid or seat height, turned any way."""
    tilt = float(rng.choice([rng.uniform(0, 0.25), rng.uniform(0.2, 0.75), rng.uniform(0.6, 1.1)], p=[0.38, 0.4, 0.22]))
    turn = float(rng.uniform(-np.pi, np.pi)) if rng.random() < 0.5 else float(rng.normal(0, 0.15))
    squeeze = float(rng.uniform(0.68, 1.4)) if rng.random() < 0.2 else float(rng.uniform(0.95, 1.05))
    return Camera(width, height, card, tilt, turn, float(rng.uniform(0.75, 1.8)), squeeze)
