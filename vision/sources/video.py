"""Video files, with time taken from the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.types import Frame, VisionError

#: A film that stops this far before the end it promised was cut short; less is rounding of its length.
SHORT_BY_FRACTION, SHORT_BY_S = 0.05, 0.5


class Video:
    """A video file. `at` is the film's own time in seconds from its beginning."""

    live = False
    still = False

    def __init__(self, spec: str) -> None:
        """Open the film; VisionError where it is none."""
        self._path = spec
        self._film = cv2.VideoCapture(spec, cv2.CAP_FFMPEG)
        if not self._film.isOpened():
            raise VisionError(
                f"{spec} is no picture or video that can be read, or is cut short: save it as JPEG or MP4."
            )

    @staticmethod
    def claims(spec: str) -> bool:
        """Every existing file that no other kind wants; a looks script holds no pictures."""
        return Path(spec).is_file() and Path(spec).suffix != ".looks"

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames; VisionError at the place where a film breaks off before its end."""
        fps = self._film.get(cv2.CAP_PROP_FPS) or 30.0
        promised_s = self._film.get(cv2.CAP_PROP_FRAME_COUNT) / fps
        number, at = 0, -1 / fps
        while self._film.isOpened():
            ok, image = self._film.read()
            if not ok:
                break
            at = self._time(number, at, fps)
            number += 1
            yield Frame(np.asarray(image, dtype=np.uint8), at=at, name=f"frame {number}")
        else:
            return
        self._check_end(at + 1 / fps, promised_s)

    def _time(self, number: int, before: float, fps: float) -> float:
        """Seconds of the frame just read; counted from the rate where the file's own time stands still."""
        at = float(self._film.get(cv2.CAP_PROP_POS_MSEC)) / 1000
        return at if at > before and (at > 0 or number == 0) else before + 1 / fps

    def _check_end(self, read_s: float, promised_s: float) -> None:
        missing = promised_s - read_s
        if read_s <= 0:
            raise VisionError(f"The film {self._path} holds no pictures that can be read.")
        if missing > max(SHORT_BY_S, SHORT_BY_FRACTION * promised_s):
            raise VisionError(
                f"The film {self._path} breaks off after {read_s:.1f} of {promised_s:.1f} seconds; "
                "what came before it stands: copy the whole file anew."
            )

    def close(self) -> None:
        """Let go of the file; iterating stops."""
        self._film.release()
