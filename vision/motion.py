"""What moves in front of a camera, as a coarse mask: cheap enough for every frame."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Frame

#: Cells along the picture's longer side.
CELLS = 64
#: Grey levels (of 256) by which a cell must change; sensor noise averages out far below it.
CHANGE = 10.0
#: A changed cell counts only among at least so many in its 3x3 neighbourhood: flicker comes alone.
TOGETHER = 3

Mask = NDArray[np.bool_]


class Motion:
    """Compares each frame with the one before."""

    def __init__(self) -> None:
        """Start without a frame."""
        self._before: NDArray[np.float32] | None = None

    def see(self, frame: Frame) -> Mask:
        """Cells that changed since the frame before; none in the first one, all where the size changed."""
        tiny = _tiny(frame)
        before, self._before = self._before, tiny
        if before is None or before.shape != tiny.shape:
            return np.full(tiny.shape, before is not None)
        change = tiny - before
        # A camera that changes its exposure lifts the whole picture at once; that is no movement.
        changed = np.abs(change - np.median(change)) > CHANGE
        neighbours = cv2.boxFilter(
            changed.astype(np.float32), -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT
        )
        return np.asarray(changed & (neighbours >= TOGETHER - 0.5))


def _tiny(frame: Frame) -> NDArray[np.float32]:
    width, height = frame.size
    scale = CELLS / max(width, height)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.float32)
