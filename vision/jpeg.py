"""Pictures as JPEG: a whole frame, a part of it, or one card."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Frame, Quad

Image = NDArray[np.uint8]

QUALITY = 85
#: Longest side in pixels of a card's crop, and how much is shown around the card, as a share of its size.
CROP_PX, AROUND = 320, 0.08


def jpeg(image: Image, quality: int = QUALITY) -> bytes:
    """The picture (BGR) as JPEG."""
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes()


def part(frame: Frame, box: tuple[float, float, float, float]) -> Image:
    """The part of a frame inside `box`: left, top, right, bottom in fractions 0..1 of its sides."""
    width, height = frame.size
    left, top = int(box[0] * width), int(box[1] * height)
    right, bottom = max(left + 1, round(box[2] * width)), max(top + 1, round(box[3] * height))
    return frame.image[top:bottom, left:right]


def crop(frame: Frame, quad: Quad) -> Image:
    """The card inside `quad` with a little of the table around it, as it lies, no larger than it need be."""
    (left, top), (right, bottom) = np.min(quad, axis=0), np.max(quad, axis=0)
    dx, dy = AROUND * (right - left), AROUND * (bottom - top)
    width, height = frame.size
    box = max(0.0, (left - dx) / width), max(0.0, (top - dy) / height), (right + dx) / width, (bottom + dy) / height
    image = part(frame, (box[0], box[1], min(1.0, box[2]), min(1.0, box[3])))
    scale = CROP_PX / max(image.shape[:2])
    if scale >= 1:
        return image
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)
