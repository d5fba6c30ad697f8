"""Found cards and pictures made by hand, for the tests of this folder."""

from pathlib import Path

import cv2
import numpy as np

from vision.types import FoundCard, Quad, Reading, Side

SHARED = Path(__file__).resolve().parents[3] / "shared"


def quad(x: float, y: float, width: float = 60, height: float = 90) -> Quad:
    """An upright outline round a centre."""
    left, right, top, bottom = x - width / 2, x + width / 2, y - height / 2, y + height / 2
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def face(code: str, x: float = 100, y: float = 100, p: float = 0.95, found: float = 0.9, *others: tuple[str, float]):
    """A face-up card that is stood by."""
    readings = (Reading(code, p), *(Reading(*other) for other in others))
    return FoundCard(quad(x, y), Side.FACE, found, readings, read=p >= 0.5)


def back(x: float = 100, y: float = 100) -> FoundCard:
    """A face-down card."""
    return FoundCard(quad(x, y), Side.BACK, 0.9)


def picture(seed: int = 0, size: tuple[int, int] = (320, 240)) -> np.ndarray:
    """A soft random picture, unlike that of another seed; 0 to 255, no flat areas."""
    rough = np.random.default_rng(seed).integers(0, 255, (size[1] // 16, size[0] // 16, 3), dtype=np.uint8)
    return cv2.resize(rough, size, interpolation=cv2.INTER_CUBIC)


def film(path: Path, frames: int = 30, fps: float = 10, code: str = "MJPG") -> Path:
    """A film of such pictures."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), fps, (320, 240))
    for number in range(frames):
        writer.write(picture(number))
    writer.release()
    return path
