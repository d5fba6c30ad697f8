"""Movement in front of a camera as a coarse mask, cheap enough for every frame; and when a frame is worth the detector.

Movement is what neither the light nor the camera explains: brightness that changes by one factor everywhere or row by
row (lamps that pulse, automatic exposure, the bands of mains light), and pictures that are shifted as a whole (a table
or camera that sways) move nothing.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Frame, Image

#: Cells along the picture's longer side.
CELLS = 64
#: _Grey levels (of 256) by which a cell must change beyond what light explains; sensor noise averages out far below it.
CHANGE = 10.0
#: On a table darker than this (median grey level) the change that counts shrinks with it, but not below the last value.
_DIM = 70.0
_LEAST_CHANGE = 3.0
#: A changed cell counts only among at least so many in its 3x3 neighbourhood: flicker comes alone.
_TOGETHER = 3
#: _Grey levels below which a cell is too dark to tell the light's factor by.
_TOO_DARK = 12.0
#: Rows of cells over which the factor of a row is smoothed (standard deviation): bands of mains light are wider.
_BAND_ROWS = 1.5
#: A row's factor lies within this share of the whole picture's: deeper bands were not seen on any lamp.
_BAND_DEPTH = 0.25
#: Pixels along the longer side of the pictures that are laid upon each other, to find how far one is shifted.
PICTURE_PX = 256
#: The furthest shift that is taken out, as a share of the longer side: 15 pixels of 1280. Further is a bump.
_MOST_SHIFT = 0.012
#: Correlation, 0..1, from which on two pictures show one scene, shifted.
_ONE_SCENE = 0.12
#: A shift explains movement where no more than this share of the changed cells is left.
_EXPLAINED = 0.6

#: Seconds for which every frame is looked at once nothing moves any more: what settles is read over so long.
AWAKE_S = 3.0
#: Seconds between two looks at a table on which nothing moves, for what changes too slowly to be seen moving.
ASLEEP_S = 3.0

_Mask = NDArray[np.bool_]
_Grey = NDArray[np.float32]


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
    """Compares each frame with the one before.

    `gain` is the factor by which the light changed between the two; `shift` how far the picture moved as a whole, in
    pixels of the frame (x, y), where that explains what changed.
    """

    def __init__(self) -> None:
        """Start without a frame."""
        self.gain = 1.0
        self.shift = (0.0, 0.0)
        #: The frame before (BGR), with a longer side of PICTURE_PX.
        self.picture: Image | None = None
        self._before: _Grey | None = None

    def see(self, frame: Frame) -> _Mask:
        """Cells that changed since the frame before; none in the first one, all where the size changed."""
        picture = shrink_picture(frame.image, PICTURE_PX)
        cells = _grey(shrink_picture(picture, CELLS))
        before, self._before = self._before, cells
        last, self.picture = self.picture, picture
        self.gain, self.shift = 1.0, (0.0, 0.0)
        if before is None or last is None or before.shape != cells.shape:
            return np.full(cells.shape, before is not None)
        self.gain = light_factor(before, cells)
        changed = changed_cells(before, cells, self.gain)
        if not changed.any():
            return changed
        left = self._without_shift(_grey(last), _grey(picture), cells, changed)
        scale = max(frame.size) / PICTURE_PX
        self.shift = self.shift[0] * scale, self.shift[1] * scale
        return left

    def _without_shift(self, was: _Grey, now: _Grey, cells: _Grey, changed: _Mask) -> _Mask:
        """The changed cells, but for what a shift of the whole picture explains."""
        shift = measure_shift(was, now)
        if shift is None:
            return changed
        moved = shift_picture(was, shift)
        resized = cv2.resize(moved, cells.shape[::-1], interpolation=cv2.INTER_AREA)
        left = changed_cells(np.asarray(resized, dtype=np.float32), cells, self.gain)
        if left.sum() > _EXPLAINED * changed.sum():
            return changed
        self.shift = shift
        return left


def light_factor(before: _Grey, now: _Grey) -> float:
    """The factor by which most of the picture grew brighter: the median over its cells, 1 where all is dark.

    >>> before = np.full((4, 4), 100, np.float32)
    >>> light_factor(before, before * 1.25)
    1.25
    """
    lit = before > _TOO_DARK
    return float(np.median(now[lit] / before[lit])) if lit.any() else 1.0


def changed_cells(before: _Grey, now: _Grey, gain: float) -> _Mask:
    """Cells whose change the light does not explain, by its factor for the whole picture or row by row."""
    plain = _unexplained(before, now, np.full((len(now), 1), gain, dtype=np.float32))
    if not plain.any():
        return plain
    rows = _unexplained(before, now, _row_factors(before, now, gain))
    return rows if rows.sum() < plain.sum() else plain


def _unexplained(before: _Grey, now: _Grey, gain: _Grey) -> _Mask:
    """What is burnt out or printed black does not follow the light: anything between no change and `gain` is light."""
    lit = before * gain
    change = np.maximum(np.minimum(before, lit) - now, now - np.maximum(before, lit))
    least = max(_LEAST_CHANGE, CHANGE * min(1.0, float(np.median(now)) / _DIM))
    changed = (change > least).astype(np.float32)
    together = cv2.boxFilter(changed, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray((changed > 0) & (together >= _TOGETHER - 0.5))


def _row_factors(before: _Grey, now: _Grey, gain: float) -> _Grey:
    """The light's factor for each row of cells: Nx1."""
    ratio = np.median((now + _TOO_DARK) / (before + _TOO_DARK), axis=1, keepdims=True)
    near = np.clip(ratio, gain * (1 - _BAND_DEPTH), gain * (1 + _BAND_DEPTH)).astype(np.float32)
    smooth = cv2.GaussianBlur(near, (1, 0), sigmaX=0.1, sigmaY=_BAND_ROWS, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(smooth, dtype=np.float32).reshape(-1, 1)


def measure_shift(was: _Grey, now: _Grey) -> tuple[float, float] | None:
    """How far a picture lies from another of the same scene, x and y in its pixels; None where it shows another one."""
    window = cv2.createHanningWindow(was.shape[::-1], cv2.CV_32F)
    # The library writes the windowed pictures into what it is given.
    (x, y), alike = cv2.phaseCorrelate(was.copy(), now.copy(), window)
    far = max(abs(x), abs(y)) > _MOST_SHIFT * max(was.shape)
    return None if far or alike < _ONE_SCENE else (float(x), float(y))


def shift_picture(picture: _Grey, shift: tuple[float, float]) -> _Grey:
    """The picture moved by so many of its pixels, x and y; its edges are repeated."""
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], dtype=np.float32)
    moved = cv2.warpAffine(picture, matrix, picture.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, dtype=np.float32)


def shrink_picture(image: Image, longest: int) -> Image:
    """The picture with a longer side of so many pixels."""
    height, width = image.shape[:2]
    scale = longest / max(width, height)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _grey(picture: Image) -> _Grey:
    """The picture in grey levels."""
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.float32)
