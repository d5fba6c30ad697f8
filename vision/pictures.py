"""Picture files: which files are pictures, and their pixels the right way up."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import VisionError

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".jp2", ".avif", ".ppm", ".pgm"})

#: Where each format writes that it is over; a file cut short lacks it, yet decodes to a half grey picture.
_STARTS_AND_ENDS = ((b"\xff\xd8", b"\xff\xda", b"\xff\xd9"), (b"\x89PNG", b"IDAT", b"IEND"))

#: Bytes of a picture; a device may never end.
LARGEST = 500_000_000

Image = NDArray[np.uint8]

# Faults are told in sentences of our own; the library would print its own on top.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def is_picture(path: Path) -> bool:
    """Whether the name is one of a picture; hidden files are none."""
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".")


def pictures_in(folder: Path) -> list[Path]:
    """The pictures of a folder in name order, numbers within names counted as numbers. Raises VisionError."""
    try:
        return sorted((path for path in folder.iterdir() if is_picture(path) and path.is_file()), key=_name_order)
    except OSError as error:
        raise VisionError(f"The folder {folder} cannot be opened: {_why(error)}.") from None


def _name_order(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", path.name)]


def load_picture(path: Path) -> Image:
    """BGR pixels of a file, turned as its EXIF says; VisionError where it is missing, cut short or no picture."""
    try:
        if path.is_dir() and not pictures_in(path):
            raise VisionError(f"The folder {path} holds no pictures: put JPEG or PNG files into it.")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise VisionError(f"{path} cannot be opened: {_why(error)}.") from None
    image = decoded(data)
    if image is None:
        raise VisionError(f"{path} is no picture that can be read, or is damaged: save it anew as JPEG or PNG.")
    return image


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def decoded(data: bytes) -> Image | None:
    """BGR pixels of an encoded picture, or None where it is none or is cut short."""
    if not data or len(data) > LARGEST or _cut_short(data):
        return None
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # a header that promises more pixels than are allowed
        return None
    return None if image is None else np.asarray(image, dtype=np.uint8)


def _cut_short(data: bytes) -> bool:
    """Whether a JPEG or PNG ends before its end mark. An embedded thumbnail has marks of its own, but earlier ones."""
    return any(data.startswith(start) and data.rfind(end) < data.rfind(body) for start, body, end in _STARTS_AND_ENDS)
