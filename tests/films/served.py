"""A film in front of a camera: served as a network camera would send it, and the program that watches it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

import cv2
import numpy as np

ROOT = Path(__file__).parents[2]
WEIGHTS = Path(os.environ.get("WARREF_WEIGHTS", ROOT / "models"))
HAS_WEIGHTS = (WEIGHTS / "manifest.toml").is_file()
#: Pictures a second of the network camera.
FPS = 5.0


def pictures(film: Path, seconds: float, fps: float = FPS) -> list[bytes]:
    """The film's beginning as JPEGs, each with grain of its own: no two pictures of a living sensor are alike."""
    rng = np.random.default_rng(1)
    video = cv2.VideoCapture(str(film))
    every = round(video.get(cv2.CAP_PROP_FPS) / fps)
    found = []
    for number in range(round(seconds * fps) * every):
        ok, image = video.read()
        if not ok:
            break
        if number % every == 0:
            grain = rng.integers(-3, 4, image.shape, dtype=np.int16)
            noisy = np.clip(image + grain, 0, 255).astype(np.uint8)
            found.append(cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes())
    return found


class Served(ThreadingHTTPServer):
    """A network camera before which a film runs. The film waits until `play` lets it run on to a second.

    `mood` is how the camera does: "well", "stall" (says nothing more), "half" (breaks off within a picture),
    "gone" (hangs up at once).
    """

    daemon_threads = True

    def __init__(self, frames: list[bytes], fps: float = FPS) -> None:
        super().__init__(("127.0.0.1", 0), _Camera)
        self.address = f"http://127.0.0.1:{self.server_port}/video"
        self.frames, self.fps, self.mood = frames, fps, "well"
        self.sent: dict[int, float] = {}
        self._from, self._to, self._began = 0.0, 0.0, time.monotonic()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def at(self) -> float:
        """The second that the film has come to."""
        return min(self._to, self._from + time.monotonic() - self._began)

    def play(self, to: float) -> None:
        """Let the film run on to its second `to`; gives back when it is there."""
        self._from, self._began, self._to = self.at, time.monotonic(), to
        time.sleep(max(0.0, self._to - self._from))

    def picture(self, turn: int) -> bytes:
        """What the camera sees now; while the film waits its last two pictures take turns."""
        at = self.at
        number = min(round(at * self.fps), len(self.frames) - 1)
        self.sent.setdefault(number, time.time())
        return self.frames[max(0, number - turn % 2) if at >= self._to else number]

    def handle_error(self, *_: object) -> None:
        """Whoever watches may hang up at any time."""

    def __exit__(self, *_: object) -> None:
        self.mood = "gone"
        self.shutdown()
        self.server_close()


class _Camera(BaseHTTPRequestHandler):
    server: Served

    def do_GET(self) -> None:
        if self.server.mood == "gone":
            return
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        turn = 0
        while self.server.mood in ("well", "stall"):
            began = time.monotonic()
            if self.server.mood == "well":
                self._send(self.server.picture(turn), whole=True)
                turn += 1
            time.sleep(max(0.0, 1 / self.server.fps - (time.monotonic() - began)))
        if self.server.mood == "half":
            self._send(self.server.picture(turn), whole=False)

    def _send(self, data: bytes, whole: bool) -> None:
        self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data))
        self.wfile.write(data + b"\r\n" if whole else data[: len(data) // 2])
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Quiet."""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def environment(folder: Path) -> dict[str, str]:
    """No family log, no desktop, no other language."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(folder), "LANG": "C"}


def command(*words: object) -> list[str]:
    """A call of the program with the networks under test."""
    return [sys.executable, "-m", "companion", *map(str, words), "--weights", str(WEIGHTS)]


class Program:
    """The program at work, with its page. `said` are the rulings it has printed."""

    def __init__(self, folder: Path, *words: object) -> None:
        self._run = subprocess.Popen(
            command(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment(folder),
        )
        assert self._run.stdout and self._run.stderr
        self.pid = self._run.pid
        self.address = self._run.stderr.readline().strip()
        self.said: list[dict[str, Any]] = []
        self._reading = threading.Thread(target=self._read, args=(self._run.stdout,), daemon=True)
        self._reading.start()

    def _read(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.said.append(json.loads(line))

    def state(self) -> dict[str, Any]:
        """The table as the page has it."""
        with urllib.request.urlopen(self.address + "state", timeout=20) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def post(self, act: str, **body: object) -> None:
        """Ask for something as the page does."""
        head = {"Content-Type": "application/json"}
        urllib.request.urlopen(
            urllib.request.Request(self.address + act, json.dumps(body).encode(), head), timeout=20
        ).close()

    def until(self, true: Callable[[dict[str, Any]], object], seconds: float = 30.0) -> dict[str, Any]:
        """The state as soon as this holds of it."""
        ends = time.monotonic() + seconds
        while not true(now := self.state()):
            assert time.monotonic() < ends, f"not within {seconds} s: {now['camera']}, {now['verdict']}"
            time.sleep(0.1)
        return now

    def watching(self) -> dict[str, Any]:
        """The state once the first pictures have been looked at."""
        return self.until(lambda now: now["camera"]["ok"] and now["camera"]["frames_per_s"] > 0, 60.0)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._run.kill()
        self._end()

    def interrupt(self) -> tuple[int, str]:
        """End it as Ctrl-C does; its exit code and what it last said on stderr."""
        self._run.send_signal(signal.SIGINT)
        return self._end()

    def _end(self) -> tuple[int, str]:
        code = self._run.wait(30)
        self._reading.join(10)
        assert self._run.stderr
        return code, self._run.stderr.read()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        if self._run.poll() is None:
            self._run.kill()
            self._run.wait(30)
        for pipe in (self._run.stdout, self._run.stderr):
            if pipe:
                pipe.close()
