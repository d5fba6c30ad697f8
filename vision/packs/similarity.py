"""How alike two pictures of cards are, once one is laid exactly upon the other: courts differ in what they show."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

#: Side of a normalised picture, in pixels, and how far the neighbourhood reaches that a pixel is measured against.
SIDE, AROUND = 32, 8.0
#: Contrast below this is noise, in grey levels.
NOISE = 4.0
#: A picture is tried in this many of its four turns, the likeliest ones, and moved in at most so many steps.
TURNS, STEPS = 2, 15
#: Less of the card than this, seen in both pictures, says nothing.
IN_BOTH = 0.6

Image = NDArray[np.uint8]
Array = NDArray[np.float32]


def normalised(card: Image) -> Array:
    """A straightened card as lightness and two colours, each against its neighbourhood: SIDExSIDEx3."""
    small = cv2.cvtColor(cv2.resize(card, (SIDE, SIDE), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2LAB)
    values = _blurred(small.astype(np.float32), 1)
    values -= _blurred(values, AROUND)
    contrast = _blurred(values**2, 1.5 * AROUND) + NOISE**2
    scale = np.stack([contrast[..., 0], *2 * [contrast[..., 1:].sum(axis=-1) - NOISE**2]], axis=-1)
    return np.asarray(values / np.sqrt(scale), dtype=np.float32)


def _blurred(values: Array, reach: float) -> Array:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), reach, borderType=cv2.BORDER_REFLECT))


def four_turns(seen: Array) -> Array:
    """A normalised picture as it is and turned by each quarter: 4xSIDExSIDEx3."""
    return np.stack([np.rot90(seen, quarters) for quarters in range(4)])


def likeness(known: Array, turns: Array) -> float:
    """Correlation, -1..1, of a normalised picture with another one in its `four_turns`, the best that is found."""
    plain = turns.reshape(len(turns), -1) @ known.ravel()
    return max(_laid_upon(known, turns[turn]) for turn in np.argsort(-plain)[:TURNS])


def _laid_upon(known: Array, seen: Array) -> float:
    """Outlines are never quite right, so the second picture is moved until the lightness of both agrees best."""
    stop = cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, STEPS, 0.01
    still = np.eye(2, 3, dtype=np.float32)
    whole = np.full((SIDE, SIDE), 255, np.uint8)
    light, other = (np.ascontiguousarray(picture[..., 0]) for picture in (known, seen))
    try:
        _, move = cv2.findTransformECC(light, other, still.copy(), cv2.MOTION_AFFINE, stop, whole, 1)
    except cv2.error:  # they have too little in common to be laid upon each other
        move = still
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    both = cv2.warpAffine(np.ones((SIDE, SIDE), np.float32), move, (SIDE, SIDE), flags=how) > 0.98
    if both.mean() < IN_BOTH:
        return -1.0
    moved = cv2.warpAffine(seen, move, (SIDE, SIDE), flags=how)
    a, b = (picture[both] - picture[both].mean(axis=0) for picture in (known, moved))
    return float((a * b).sum() / max(1e-6, np.sqrt((a * a).sum() * (b * b).sum())))
