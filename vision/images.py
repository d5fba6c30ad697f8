"""Images: read from files the right way up, cut, and encoded as JPEG."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.background import BackgroundCall
from vision.geometry import points, short_and_long, upright
from vision.types import Frame, Image, Quad, VisionError, describe_os_error

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".jp2", ".avif", ".ppm", ".pgm"})

#: Where each format writes that it is over; a file cut short lacks it, yet decodes to a half grey picture.
_STARTS_AND_ENDS = ((b"\xff\xd8", b"\xff\xda", b"\xff\xd9"), (b"\x89PNG", b"IDAT", b"IEND"))

#: Bytes of a picture; a device may never end.
LARGEST = 500_000_000
#: Seconds for a pipe or device to give a whole picture; nobody may ever write into it.
_PIPE_S = 4.0


#: How the picture libraries' own lines begin, and the words in them that mean lost parts of a picture; other
#: complaints, as of bytes behind the end, are about nothing that shows.
_LIBRARY_LINES = (b"Corrupt JPEG data", b"Premature end of JPEG", b"Invalid", b"Unsupported", b"libpng")
_DAMAGED = ("premature end", "Premature end", "bad Huffman", "Invalid")
_STDERR = threading.Lock()

# Faults are told in sentences of our own; the library would print its own on top.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def is_picture(path: Path) -> bool:
    """Whether the name is one of a picture; hidden files are none."""
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".")


def list_pictures(folder: Path) -> list[Path]:
    """The pictures of a folder in name order, numbers within names counted as numbers. Raises VisionError."""
    try:
        return sorted((path for path in folder.iterdir() if is_picture(path) and path.is_file()), key=_name_order)
    except OSError as error:
        raise VisionError(f"The folder {folder} cannot be opened: {describe_os_error(error)}.") from None


def _name_order(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", path.name)]


def load_picture(path: Path) -> Image:
    """BGR pixels of a file, turned as its EXIF says; VisionError where it is missing, cut short or no picture."""
    try:
        if path.is_dir() and not list_pictures(path):
            raise VisionError(f"The folder {path} holds no pictures: put JPEG or PNG files into it.")
        data = _read_file(path) if path.is_file() else BackgroundCall(lambda: _read_file(path), "pipe").result(_PIPE_S)
    except TimeoutError:
        raise VisionError(f"{path} gives nothing to read: name a picture file.") from None
    except OSError as error:
        raise VisionError(f"{path} cannot be opened: {describe_os_error(error)}.") from None
    image, complaint = _decode(data)
    if image is None:
        reason = "is no picture that can be read, is damaged, or has more than 64 million pixels"
        raise VisionError(f"{path} {reason}: save it anew as JPEG or PNG.")
    if any(word in complaint for word in _DAMAGED):
        raise VisionError(f"{path} is damaged, and parts of the picture are lost: copy it anew.")
    return image


def _read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST + 1)


def decode_picture(data: bytes) -> Image | None:
    """BGR pixels of an encoded picture, or None where it is none, is cut short or has too many pixels."""
    return _decode(data)[0]


def _decode(data: bytes) -> tuple[Image | None, str]:
    """The pixels, and what the library complained of meanwhile."""
    if not data or len(data) > LARGEST or _cut_short(data):
        return None, ""
    with _library_lines() as lines:
        try:
            image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
        except cv2.error:  # a header that promises more pixels than are allowed
            image = None
    return None if image is None else np.asarray(image, dtype=np.uint8), "".join(lines)


@contextlib.contextmanager
def _library_lines() -> Iterator[list[str]]:
    """Keep what libraries print beside our sentences on stderr; what others print there meanwhile is passed on.

    Gives a list that holds the libraries' lines afterwards.
    """
    lines: list[str] = []
    with _STDERR, contextlib.ExitStack() as stack:
        try:
            real = os.dup(2)
        except OSError:  # a program without a terminal has no stderr
            yield lines
            return
        stack.callback(os.close, real)
        kept = stack.enter_context(tempfile.TemporaryFile())
        os.dup2(kept.fileno(), 2)
        try:
            yield lines
        finally:
            os.dup2(real, 2)
            kept.seek(0)
            for line in kept.read().splitlines(keepends=True):
                if line.startswith(_LIBRARY_LINES):
                    lines.append(line.decode(errors="replace"))
                else:
                    os.write(real, line)


def _cut_short(data: bytes) -> bool:
    """Whether a JPEG or PNG ends before its end mark. An embedded thumbnail has marks of its own, but earlier ones."""
    return any(data.startswith(start) and data.rfind(end) < data.rfind(body) for start, body, end in _STARTS_AND_ENDS)


# --- JPEG -------------------------------------------------------------------------------------------

#: JPEG quality, 0..100.
QUALITY = 85
#: Longest side of a card's crop, pixels.
CROP_PX = 320
#: Table shown around a card's crop, as a share of the card's size.
_AROUND = 0.08


def encode_jpeg(image: Image, quality: int = QUALITY) -> bytes:
    """The picture (BGR) as JPEG."""
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes()


def crop_box(frame: Frame, box: tuple[float, float, float, float]) -> Image:
    """The part of a frame inside `box`: left, top, right, bottom in fractions 0..1 of its sides."""
    width, height = frame.size
    left, top = int(box[0] * width), int(box[1] * height)
    right, bottom = max(left + 1, round(box[2] * width)), max(top + 1, round(box[3] * height))
    return frame.image[top:bottom, left:right]


def crop_card(frame: Frame, quad: Quad) -> Image:
    """The card inside `quad` with a little of the table around it, as it lies, no larger than it need be."""
    (left, top), (right, bottom) = np.min(quad, axis=0), np.max(quad, axis=0)
    dx, dy = _AROUND * (right - left), _AROUND * (bottom - top)
    width, height = frame.size
    box = max(0.0, (left - dx) / width), max(0.0, (top - dy) / height), (right + dx) / width, (bottom + dy) / height
    image = crop_box(frame, (box[0], box[1], min(1.0, box[2]), min(1.0, box[3])))
    scale = CROP_PX / max(image.shape[:2])
    if scale >= 1:
        return image
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)


# --- cards cut out ----------------------------------------------------------------------------------

#: What surrounds a picture that does not fill a network's input, as in ultralytics' training; BGR.
GREY = (114, 114, 114)
#: A card many times larger than the network's picture gains nothing from finer sampling than this.
FINEST = 8
#: What is narrower than this share of its length is a strip of a covered card: it keeps its shape, on grey.
NARROWEST = 0.55


def straighten(image: Image, quad: Quad, size: int, margin: float = 0.0) -> Image:
    """Cut a card out of a picture and squeeze it to size x size pixels, a short side on top.

    `margin` is cut around it, as a fraction of its sides. Either end may come out on top: a card has none.
    """
    corners = points(upright(quad))
    middle = corners.mean(axis=0)
    corners = middle + (corners - middle) * (1 + 2 * margin)
    short, long = short_and_long(quad)
    across = int(np.clip(round(size * short / (NARROWEST * long)), size // 8, size)) if long else size
    # Sampled finer than needed and averaged down, or the thin strokes of an index would fall between samples.
    finer_across, finer_down = (
        int(np.clip(np.ceil(side * (1 + 2 * margin) / pixels), 1, FINEST))
        for side, pixels in ((short, across), (long, size))
    )
    width, height = across * finer_across, size * finer_down
    # Outlines measure from pixels' edges, the warp from their middles.
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform((corners - 0.5).astype(np.float32), target)
    card = cv2.warpPerspective(image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    card = cv2.resize(card, (across, size), interpolation=cv2.INTER_AREA)
    left = (size - across) // 2
    sides = 0, 0, left, size - across - left
    return np.asarray(cv2.copyMakeBorder(card, *sides, cv2.BORDER_CONSTANT, value=GREY), dtype=np.uint8)


def shrink_jpeg(picture: bytes) -> bytes:
    """A JPEG no larger than a card's crop (CROP_PX); data that cannot be decoded is returned as it is."""
    image = decode_picture(picture)
    if image is None:
        return picture
    height, width = image.shape[:2]
    return encode_jpeg(crop_card(Frame(image, at=0.0), ((0, 0), (width, 0), (width, height), (0, height))))
