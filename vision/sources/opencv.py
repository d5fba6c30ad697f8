"""Cameras and rtsp streams: everything that OpenCV opens and reads in real time."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.background import BackgroundCall
from vision.sources.mjpeg import hide_password
from vision.types import Frame, VisionError

#: Seconds without a sign of life after which a device that is being opened counts as busy or gone.
OPEN_LIMIT_S = 8.0
READ_LIMIT_S = 5.0
#: Seconds that somebody has to answer the system's question whether the camera may be used.
ASK_LIMIT_S = 30.0
#: The highest number that a camera can have.
MOST = 9999
#: What a camera is asked for. MJPG, because uncompressed frames of this size come at 5 to 10 a second over USB.
_WIDTH, _HEIGHT, FORMAT = 1280, 720, "MJPG"


class SignsOfLife:
    """When a device that is being opened last did something, in seconds of the monotonic clock."""

    def __init__(self) -> None:
        """Begin now."""
        self.last = time.monotonic()

    def note(self) -> None:
        """It has just done something."""
        self.last = time.monotonic()


def open_within(
    limit_s: float, opening: Callable[[], cv2.VideoCapture], signs: SignsOfLife | None = None
) -> cv2.VideoCapture | None:
    """What `opening` gives, or None when it shows no sign of life for `limit_s` seconds.

    A driver may block for ever; the thread that waits for it is left behind, and lets go if it ever wakes.
    """
    signs = signs or SignsOfLife()
    call = BackgroundCall(opening, "opening", discard=lambda capture: capture.release())
    while (remaining_s := signs.last + limit_s - time.monotonic()) > 0:
        with contextlib.suppress(TimeoutError):
            return call.result(remaining_s)
    call.abandon()
    return None


class Capture:
    """What cameras and rtsp streams share: frames from an open device until it gives none."""

    live = True
    still = False

    def __init__(self, device: cv2.VideoCapture, lost: str) -> None:
        """Read from `device`; `lost` is the sentence to raise when it stops answering."""
        self._device, self._lost = device, lost
        self._started = time.monotonic()
        self._open = True
        #: Asked at each picture that comes: is it to be decoded? None: all are.
        self.wanted: Callable[[], bool] | None = None

    def __iter__(self) -> Iterator[Frame]:
        """Yield frames in real time; VisionError when the device stops giving them."""
        while self._open:
            came = self._grab()
            if came and self.wanted is not None and not self.wanted():
                continue
            image = self._read() if came else None
            if image is None and self._open:
                raise VisionError(self._lost)
            if image is not None:
                yield Frame(image, at=time.monotonic() - self._started)
        self._device.release()

    def _grab(self) -> bool:
        try:
            return bool(self._device.grab())
        except cv2.error:
            return False

    def _read(self) -> NDArray[np.uint8] | None:
        try:
            ok, image = self._device.retrieve()
        except cv2.error:  # half a picture from a device that was just unplugged
            return None
        return np.asarray(image, dtype=np.uint8) if ok else None

    def close(self) -> None:
        """Stop after the frame being read, and let go of the device."""
        self._open = False


class Camera(Capture):
    """A camera by its index (0, 1, …) or its device path."""

    def __init__(self, spec: str) -> None:
        """Open the camera; VisionError where it is missing, busy or forbidden."""
        if spec.startswith("/dev/") and not Path(spec).exists():
            raise VisionError(f"There is no camera {spec}: plug it in, or choose another one from the list of cameras.")
        if spec.isdecimal() and int(spec) > MOST:
            raise VisionError(f"There is no camera {spec:.20}: take a number that `warref cameras` tells.")
        if sys.platform == "darwin":
            _ask_permission(spec)
        signs = SignsOfLife()
        device = open_within(OPEN_LIMIT_S, lambda: open_camera(spec, signs.note), signs)
        if device is None or not device.isOpened():
            raise VisionError(_why_not(spec, answered=device is not None))
        super().__init__(device, f"Camera {spec} gives no more pictures: check its cable.")

    @staticmethod
    def claims(spec: str) -> bool:
        """A number or a device path."""
        return spec.isdecimal() or spec.startswith("/dev/")


def open_camera(spec: str, alive: Callable[[], None] = lambda: None) -> cv2.VideoCapture:
    """Open a camera and ask for MJPG at 1280x720. May block; see `open_within`. Calls `alive` after each step."""
    device = cv2.VideoCapture(int(spec) if spec.isdecimal() else spec)
    alive()
    for setting, wanted in _wanted(device) if device.isOpened() else ():
        # Each change may cost seconds: some drivers begin anew.
        if device.get(setting) != wanted:
            device.set(setting, wanted)
            alive()
    return device


def _wanted(device: cv2.VideoCapture) -> Iterator[tuple[int, float]]:
    # Media Foundation chooses the format by the size, and has no buffer to set.
    windows = device.getBackendName() == "MSMF"
    if not windows:
        yield cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*FORMAT)
    yield cv2.CAP_PROP_FRAME_WIDTH, _WIDTH
    yield cv2.CAP_PROP_FRAME_HEIGHT, _HEIGHT
    if not windows:
        # Frames that wait in the driver are old by the time they are read.
        yield cv2.CAP_PROP_BUFFERSIZE, 1


def _ask_permission(spec: str) -> None:
    """Let macOS ask for the camera: it asks only where a process opens one from its main thread, never from ours."""
    words = [sys.executable, "-m", "vision.sources.devices", spec]
    with contextlib.suppress(subprocess.TimeoutExpired, OSError):
        subprocess.run(words, capture_output=True, timeout=ASK_LIMIT_S, check=False, cwd=Path(__file__).parents[2])


def _why_not(spec: str, answered: bool) -> str:
    node = Path(f"/dev/video{spec}" if spec.isdecimal() else spec)
    if node.exists() and not os.access(node, os.R_OK | os.W_OK):
        return f"Camera {spec} may not be used by you: add yourself to the group `video` and log in again."
    if sys.platform == "darwin":
        return (
            f"Camera {spec} does not answer: plug it in, close other programs that use it, and allow it under "
            "System Settings, Privacy & Security, Camera, for the program that this one was started from."
        )
    if not answered or node.exists():
        return f"Camera {spec} does not answer: close other programs that use it, or unplug it and plug it in again."
    return (
        f"There is no camera {spec}, or it is in use or not allowed: plug it in, close other programs that use it, "
        "or allow the camera in the system's privacy settings."
    )


class RtspStream(Capture):
    """A network camera by its rtsp address."""

    def __init__(self, spec: str) -> None:
        """Connect; VisionError where nothing answers in time."""
        name = hide_password(spec)
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, int(OPEN_LIMIT_S * 1000)]
        limits += [cv2.CAP_PROP_READ_TIMEOUT_MSEC, int(READ_LIMIT_S * 1000)]
        device = open_within(OPEN_LIMIT_S + 1, lambda: cv2.VideoCapture(spec, cv2.CAP_FFMPEG, limits))
        if device is None or not device.isOpened():
            raise VisionError(f"The stream {name} does not answer: check its address and that the camera is on.")
        super().__init__(device, f"The stream {name} gives no more pictures: check the camera and the network.")

    @staticmethod
    def claims(spec: str) -> bool:
        """An rtsp address."""
        return spec.lower().startswith(("rtsp://", "rtsps://"))
