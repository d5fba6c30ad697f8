"""A pinhole camera over a table plane.

The table's unit is the height of a card; its origin lies where the camera looks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: The nearest that things are drawn, as a share of the lens's distance to where it looks.
_NEAREST = 0.3


@dataclass(frozen=True, slots=True)
class PinholeCamera:
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
        return self._matrix()[:, [0, 1, 3]]

    def _matrix(self) -> NDArray[np.float64]:
        """3x4 matrix from table units, the third upwards, to pixels."""
        f = self.focal * max(self.width, self.height)
        distance = f / self.card
        c, s = np.cos(self.tilt), np.sin(self.tilt)
        cz, sz = np.cos(self.turn), np.sin(self.turn)
        place = np.array([[cz, -sz, 0.0, 0.0], [c * sz, c * cz, -s, 0.0], [-s * sz, -s * cz, -c, distance]])
        lens = np.array([[f * self.squeeze, 0, self.width / 2], [0, f, self.height / 2], [0, 0, 1.0]])
        return np.asarray(lens @ place)

    def has_before_it(self, points: NDArray[np.float64]) -> bool:
        """Whether points above the table (Nx3, the third their height) all lie well before the lens."""
        depths = np.c_[points, np.ones(len(points))] @ self._matrix()[2]
        return bool(depths.min() > _NEAREST * self._matrix()[2, 3])

    def project_raised(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels (Nx2) of points above the table (Nx3, the third their height)."""
        p = np.c_[points, np.ones(len(points))] @ self._matrix().T
        return np.asarray(p[:, :2] / p[:, 2:])

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels (Nx2) of table points (Nx2)."""
        p = np.c_[points, np.ones(len(points))] @ self.homography().T
        return np.asarray(p[:, :2] / p[:, 2:])


#: Radians from straight above: what a laptop that lies low on the table sees (63 to 75 degrees), and how often.
_LOW_TILT, _LOW_SHARE = (1.1, 1.31), 0.12


def any_camera(rng: np.random.Generator, width: int, height: int, card: float, low: bool = False) -> PinholeCamera:
    """A camera a family could have: overhead, shelf, laptop lid or seat height, any way up; with `low` also lower."""
    tilt = float(rng.choice([rng.uniform(0, 0.25), rng.uniform(0.2, 0.75), rng.uniform(0.6, 1.1)], p=[0.38, 0.4, 0.22]))
    if low and rng.random() < _LOW_SHARE:
        tilt = float(rng.uniform(*_LOW_TILT))
    turn = float(rng.uniform(-np.pi, np.pi)) if rng.random() < 0.5 else float(rng.normal(0, 0.15))
    squeeze = float(rng.uniform(0.68, 1.4)) if rng.random() < 0.2 else float(rng.uniform(0.95, 1.05))
    return PinholeCamera(width, height, card, tilt, turn, float(rng.uniform(0.75, 1.8)), squeeze)
