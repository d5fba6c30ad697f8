"""Where frames come from. `open_source` picks the kind by the look of its argument; SOURCES lists the kinds.

A new kind of camera is one class with `claims` and the Source protocol, and one line in SOURCES.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from vision.images import is_picture, list_pictures, load_picture
from vision.sources.mjpeg import MjpegStream
from vision.sources.opencv import Camera, RtspStream
from vision.sources.phone import PhoneCamera
from vision.sources.video import Video
from vision.types import Frame, Source, VisionError

#: Seconds between the pictures of a folder: each is one settled look.
_PICTURE_EVERY_S = 5.0

log = logging.getLogger(__name__)


class Folder:
    """The pictures of a folder in name order, each one settled look."""

    live = False
    still = True

    def __init__(self, spec: str) -> None:
        """List the pictures; VisionError where there are none."""
        self._paths = list_pictures(Path(spec))
        if not self._paths:
            raise VisionError(f"The folder {spec} holds no pictures: put JPEG or PNG files into it.")

    @staticmethod
    def claims(spec: str) -> bool:
        """Every existing folder."""
        return Path(spec).is_dir()

    def __iter__(self) -> Iterator[Frame]:
        """Yield the pictures; a damaged one is told of in the log and left out, all damaged is a VisionError."""
        seen = 0
        for number, path in enumerate(self._paths, start=1):
            try:
                image = load_picture(path)
            except VisionError as error:
                log.warning("%s It is left out.", error)
                continue
            seen += 1
            yield Frame(image, at=_PICTURE_EVERY_S * number, name=path.name)
        if not seen and self._paths:
            raise VisionError("None of the pictures in the folder can be read: save them anew as JPEG or PNG.")

    def close(self) -> None:
        """Stop before the next picture."""
        self._paths = []


class Picture:
    """One picture file: a single settled look."""

    live = False
    still = True

    def __init__(self, spec: str) -> None:
        """Load the picture; VisionError where it is none."""
        self._frame = Frame(load_picture(Path(spec)), at=_PICTURE_EVERY_S, name=Path(spec).name)

    @staticmethod
    def claims(spec: str) -> bool:
        """Every existing file with the name of a picture."""
        return Path(spec).is_file() and is_picture(Path(spec))

    def __iter__(self) -> Iterator[Frame]:
        """Yield the one picture."""
        yield self._frame

    def close(self) -> None:
        """Nothing is held open."""


class Kind(Protocol):
    """A class of sources, made from the words of `--source`."""

    def claims(self, spec: str) -> bool:
        """Whether this kind answers to `spec`."""
        ...

    def __call__(self, spec: str) -> Source:
        """Open it; VisionError, saying what to do, where it cannot be opened."""
        ...


_KINDS = "a camera number, a video file, a folder of pictures or a stream address"
#: Asked in this order.
SOURCES: tuple[Kind, ...] = (Camera, PhoneCamera, MjpegStream, RtspStream, Folder, Picture, Video)


def is_live(spec: str) -> bool:
    """Whether `spec` is the number, device path or address of a camera, not a file.

    >>> [is_live(spec) for spec in ("0", "/dev/video2", "http://phone:8080/video", "rtsp://cam/1", "film.mp4", "")]
    [True, True, True, True, False, False]
    """
    return any(kind.claims(spec) for kind in (Camera, PhoneCamera, MjpegStream, RtspStream))


def comes_by_itself(spec: str) -> bool:
    """Whether `spec` is a phone: it may come, go and come back at any moment, and costs nothing to try.

    >>> comes_by_itself("phone:0123abcd:Ana"), comes_by_itself("0")
    (True, False)
    """
    return PhoneCamera.claims(spec)


def open_source(spec: str) -> Source:
    """Open a camera index or device, a folder of pictures, a picture, a video file, or an http or rtsp stream.

    Never hangs. Raises VisionError, one sentence that says what to do, where it cannot be opened.
    """
    if not spec.strip():
        raise VisionError(f"Say what to look at: {_KINDS}.")
    try:
        for kind in SOURCES:
            if kind.claims(spec):
                return kind(spec)
        there = Path(spec).exists()
    except (OSError, ValueError):  # a name that no system takes, or a place that may not be looked into
        there = False
    if there:
        raise VisionError(f"{spec} is neither a picture, a video, a folder nor a camera.")
    raise VisionError(f"There is nothing called {spec:.200}: give {_KINDS}.")
