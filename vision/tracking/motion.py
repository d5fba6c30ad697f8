"""What moves in front of a camera, as a coarse mask: cheap enough for every frame; and when that is worth a look."""

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
_TOGETHER = 3

#: Seconds for which every frame is looked at once nothing moves any more: what settles is read over so long.
AWAKE_S = 3.0
#: Seconds between two looks at a table on which nothing moves, for what changes too slowly to be seen moving.
ASLEEP_S = 3.0

_Mask = NDArray[np.bool_]


class DetectionGate:
    """Says which frames are worth the detector's work. Pure: times are those of the frames, in seconds."""

    def __init__(self) -> None:
        """Begin awake."""
        self._awake_until: float | None = None
        self._look_at = float("-inf")

    def wake(self, at: float, seconds: float = AWAKE_S) -> None:
        """Look at every frame for so many seconds from `at` on."""
        self._awake_until = max(at + seconds, self._awake_until or at)

    def opens(self, at: float, moves: bool, at_rest: bool) -> bool:
        """Whether to look at the frame of `at`: all while something moves or has yet to settle, else now and then.

        >>> gate = DetectionGate()
        >>> [at for at in range(12) if gate.opens(at, moves=at == 7, at_rest=True)]
        [0, 1, 2, 3, 6, 7, 8, 9, 10]
        """
        if moves or self._awake_until is None:
            self.wake(at)
        opens = not at_rest or at <= (self._awake_until or at) or at >= self._look_at
        if opens:
            self._look_at = at + ASLEEP_S
        return opens


class MotionDetector:
    """Compares each frame with the one before."""

    def __init__(self) -> None:
        """Start without a frame."""
        self._before: NDArray[np.float32] | None = None

    def see(self, frame: Frame) -> _Mask:
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
        return np.asarray(changed & (neighbours >= _TOGETHER - 0.5))


def _tiny(frame: Frame) -> NDArray[np.float32]:
    width, height = frame.size
    scale = CELLS / max(width, height)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.float32)
