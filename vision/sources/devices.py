"""The cameras of this computer: index, name, size and frames a second. Never hangs on a busy one.

Each camera is tried in a process of its own, which can be ended where a driver blocks.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.background import BackgroundCall
from vision.images import encode_jpeg
from vision.sources.opencv import open_camera
from vision.types import Image

SYSTEM_LIST = Path("/sys/class/video4linux")
#: Seconds for one camera to open and give a picture.
_LIMIT_S = 10.0
#: What a process that opens a camera writes after each step.
ALIVE = "alive\n"
#: Pixels of a thumbnail's width.
_THUMB = 240
#: How many indices are tried where the system has no list.
TRIED = 6


@dataclass(frozen=True, slots=True)
class CameraInfo:
    """One camera. `answers`: it gave a picture just now; else it is busy, and size and rate are 0."""

    index: int
    name: str
    answers: bool
    width: int = 0
    height: int = 0
    frames_per_s: float = 0.0
    #: What it saw, as a small JPEG.
    picture: bytes = b""


def list_cameras(limit_s: float = _LIMIT_S, system_list: Path = SYSTEM_LIST) -> tuple[CameraInfo, ...]:
    """Every camera, busy ones too, in the order of their indices; a silent one takes about `limit_s` seconds."""
    named = list_device_nodes(system_list)
    if not named and sys.platform.startswith("linux"):
        return ()
    tried = named or {index: f"camera {index}" for index in range(TRIED)}
    with ThreadPoolExecutor(max_workers=len(tried)) as pool:
        answers = list(pool.map(lambda index: probe_camera(index, limit_s), tried))
    cameras = (_info(index, name, answer) for (index, name), answer in zip(tried.items(), answers, strict=True))
    # Without a list from the system, an index that does not answer is no camera at all.
    return tuple(camera for camera in cameras if named or camera.answers)


def list_device_nodes(system_list: Path) -> dict[int, str]:
    """Index and name of the capture devices that Linux lists; a camera's other nodes carry no pictures."""
    found = {}
    for node in sorted(system_list.glob("video*")) if system_list.is_dir() else ():
        number = re.fullmatch(r"video(\d+)", node.name)
        if number and _line(node / "index", "0") == "0":
            found[int(number[1])] = _line(node / "name", f"camera {number[1]}")
    return dict(sorted(found.items()))


def _line(path: Path, otherwise: str) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or otherwise
    except OSError:
        return otherwise


def probe_camera(index: int, limit_s: float) -> dict[str, Any] | None:
    """Open one camera in a process of its own; None where it shows no sign of life for `limit_s` seconds.

    The process writes a line after each step, the last one with what it found.
    """
    words = [sys.executable, "-m", "vision.sources.devices", str(index)]
    try:
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, cwd=_root()
        )
    except OSError:
        return None
    with process:
        try:
            return _last_line(process, limit_s)
        except (TimeoutError, OSError, ValueError):
            return None
        finally:
            process.kill()


def _last_line(process: subprocess.Popen[str], limit_s: float) -> dict[str, Any] | None:
    """Raises TimeoutError where no line comes in time, ValueError where the last one says nothing."""
    stdout = process.stdout
    if stdout is None:
        return None
    while (line := BackgroundCall(stdout.readline, "probe").result(limit_s)) == ALIVE:
        pass
    answer: dict[str, Any] | None = json.loads(line)
    return answer


def _root() -> Path:
    """Where the package can be imported from, installed or not."""
    return Path(__file__).resolve().parents[2]


def _info(index: int, name: str, answer: dict[str, Any] | None) -> CameraInfo:
    if answer is None:
        return CameraInfo(index, name, answers=False)
    picture = base64.b64decode(answer.get("picture", ""))
    return CameraInfo(index, name, True, int(answer["width"]), int(answer["height"]), answer["frames_per_s"], picture)


def describe_cameras(cameras: Iterable[CameraInfo]) -> str:
    """The list in words.

    >>> describe_cameras([CameraInfo(0, "HD Webcam", True, 1280, 720, 30.0), CameraInfo(2, "Old", False)])
    '0  HD Webcam  1280x720, 30 frames/s\\n2  Old  does not answer: another program may use it'
    """
    lines = (
        f"{c.index}  {c.name}  {c.width}x{c.height}, {c.frames_per_s:.0f} frames/s"
        if c.answers
        else f"{c.index}  {c.name}  does not answer: another program may use it"
        for c in cameras
    )
    return "\n".join(lines) or "No camera was found: plug one in, or give a video file or a stream."


def _measure(index: int) -> dict[str, Any] | None:
    """Size in pixels and frames a second of an open camera, from real pictures: what drivers claim is often untrue."""
    import time

    device = open_camera(str(index), _say_alive)
    ok, image = device.read() if device.isOpened() else (False, None)
    if not ok or image is None:
        return None
    started, count = time.monotonic(), 0
    while count < 10 and device.read()[0]:
        count += 1
    rate = count / max(1e-6, time.monotonic() - started)
    # The last picture, not the first: a camera needs some to find the light.
    ok, last = device.read()
    shown = last if ok and last is not None else image
    small = base64.b64encode(encode_thumbnail(np.asarray(shown, dtype=np.uint8))).decode()
    return {"width": image.shape[1], "height": image.shape[0], "frames_per_s": round(rate, 1), "picture": small}


def encode_thumbnail(image: Image) -> bytes:
    """A picture as a JPEG _THUMB pixels wide."""
    height = max(1, round(image.shape[0] * _THUMB / image.shape[1]))
    return encode_jpeg(np.asarray(cv2.resize(image, (_THUMB, height), interpolation=cv2.INTER_AREA), dtype=np.uint8))


def _say_alive() -> None:
    sys.stdout.write(ALIVE)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_measure(int(sys.argv[1]))))
