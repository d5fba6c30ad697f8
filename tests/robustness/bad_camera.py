"""A network camera that misbehaves, by the path of its address: `serve()` gives the server."""

from __future__ import annotations

import contextlib
import functools
import os
import socketserver
import threading
import time
from collections.abc import Callable

import cv2
import numpy as np

from tests.robustness.pictures import FILM, png

HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n"
CHUNKED = HEAD[:-2].replace(b"/1.0", b"/1.1") + b"Transfer-Encoding: chunked\r\n\r\n"
#: Pictures a second of that film.
FRAMES_PER_S = 10
MEGABYTE = b"a" * 1_000_000
Send = Callable[[bytes], None]


@functools.cache
def _pictures() -> tuple[bytes, ...]:
    """The sample film, ten pictures a second."""
    film, found = cv2.VideoCapture(str(FILM)), []
    while (read := film.read())[0]:
        found.append(cv2.imencode(".jpg", read[1])[1].tobytes())
    return tuple(found)


def _part(data: bytes) -> bytes:
    return b"--b\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(data), data)


class Camera(socketserver.StreamRequestHandler):
    """One connection."""

    def handle(self) -> None:
        """Misbehave until the other side has gone."""
        with contextlib.suppress(OSError, IndexError):
            line = self.rfile.readline(4096).split()[1].decode("latin1").lstrip("/")
            while self.rfile.readline(4096).strip():
                pass
            BEHAVIOURS.get(line, _unknown)(self.wfile.write)


def _show(send: Send, count: int = 1_000_000) -> None:
    for number in range(count):
        send(_part(_pictures()[number % len(_pictures())]))
        time.sleep(1 / FRAMES_PER_S)


def _film(send: Send) -> None:
    """The sample film over and over by the clock: a connection made anew goes on where the one before stands."""
    send(HEAD)
    while True:
        send(_part(_pictures()[int(time.monotonic() * FRAMES_PER_S) % len(_pictures())]))
        time.sleep(1 / FRAMES_PER_S)


def _after(count: int, then: Callable[[Send], None]) -> Callable[[Send], None]:
    """Show some good pictures first."""

    def behave(send: Send) -> None:
        send(HEAD)
        _show(send, count)
        then(send)

    return behave


def _repeat(data: bytes, pause: float = 0.0, count: int = 1_000_000_000) -> Callable[[Send], None]:
    def behave(send: Send) -> None:
        for _ in range(count):
            send(data)
            time.sleep(pause)

    return behave


def _in_turn(*parts: bytes | Callable[[Send], None]) -> Callable[[Send], None]:
    """Send these bytes, or behave in these ways, one after the other."""

    def behave(send: Send) -> None:
        for part in parts:
            send(part) if isinstance(part, bytes) else part(send)

    return behave


def _wait(_: Send) -> None:
    time.sleep(3600)


def _drip(data: bytes, pause: float) -> Callable[[Send], None]:
    def behave(send: Send) -> None:
        for sign in data:
            send(bytes([sign]))
            time.sleep(pause)

    return behave


def _once(data: bytes) -> Callable[[Send], None]:
    return lambda send: send(data)


def _sizes(send: Send) -> None:
    small = cv2.imencode(".jpg", np.zeros((180, 320, 3), np.uint8))[1].tobytes()
    while True:
        _show(send, 20)
        send(_part(small) * 5)


def _unknown(send: Send) -> None:
    send(b"HTTP/1.0 404 no\r\n\r\n")


BEHAVIOURS: dict[str, Callable[[Send], None]] = {
    "good": _after(0, _show),
    "film": _film,
    "stall": _after(30, _wait),
    "trickle": _after(30, _in_turn(b"--b\r\nContent-Type: image/jpeg\r\n\r\n", _repeat(b"x", 1))),
    "trickle0": _after(0, _repeat(b"x", 1)),
    "slowheader": _drip(HEAD * 100, 0.5),
    "garbage": _after(30, lambda send: _repeat(os.urandom(65536))(send)),
    "garbageparts": _after(0, lambda send: _repeat(_part(os.urandom(20000)), 0.02)(send)),
    "res": _after(0, _sizes),
    "bighead": _after(30, _in_turn(b"--b\r\nX: ", _repeat(MEGABYTE, count=200), b"\r\n\r\n", _show)),
    "manyheads": _after(30, _in_turn(b"--b\r\n", _repeat(b"X: y\r\n" * 10000))),
    "httphead": _in_turn(b"HTTP/1.0 200 OK\r\nX: ", _repeat(MEGABYTE, count=200)),
    "httpheads": _in_turn(b"HTTP/1.0 200 OK\r\n", _repeat(b"X: y\r\n" * 10000)),
    "hundred": _repeat(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "biglength": _in_turn(HEAD, b"--b\r\nContent-Length: 19999999\r\n\r\n", _repeat(MEGABYTE, count=200), _wait),
    "slowlength": _in_turn(HEAD, b"--b\r\nContent-Length: 19999999\r\n\r\n", _repeat(MEGABYTE, 0.1)),
    "neverend": _in_turn(HEAD, b"--b\r\n\r\n", _repeat(MEGABYTE)),
    "bomb": _after(30, lambda send: _repeat(_part(png(20000, 20000, 60_020_000)), 0.5)(send)),
    "chunks": _in_turn(CHUNKED, _repeat(b"FFFFFFFFFFFFFFFF\r\n", 0.2)),
    "chunkpicture": _in_turn(CHUNKED.replace(b"multipart/x-mixed-replace", b"image/jpeg"), b"F" * 16 + b"\r\n", _wait),
    "strangechunks": _in_turn(CHUNKED, b"-1\r\nx\r\nzz\r\n", b"9" * 4000, _wait),
    "break": _after(30, lambda _: None),
    "html": _once(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"),
    "401": _once(b"HTTP/1.0 401 no\r\n\r\n"),
    "redirect": _once(b"HTTP/1.0 302 x\r\nLocation: file:///etc/passwd\r\n\r\n"),
    "redirects": _once(b"HTTP/1.0 302 x\r\nLocation: /redirects\r\n\r\n"),
    "junk": lambda send: send(os.urandom(5000)),
    "empty": lambda _: None,
    "unknown": _unknown,
    "black": _after(0, _repeat(_part(cv2.imencode(".jpg", np.zeros((720, 1280, 3), np.uint8))[1].tobytes()), 0.05)),
}
#: Those of which no picture can come: the call ends with one sentence.
NO_PICTURES = frozenset(
    {
        "slowheader",
        "httphead",
        "httpheads",
        "hundred",
        "html",
        "401",
        "redirect",
        "redirects",
        "junk",
        "empty",
        "unknown",
    }
)


class Server(socketserver.ThreadingTCPServer):
    """The camera on a port of this computer; its connections end with the programs that made them."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    closed = False

    def close_all(self) -> None:
        """Answer no more; the port is free."""
        self.shutdown()
        self.server_close()
        self.closed = True


def serve(port: int = 0) -> Server:
    """Start the camera on this port, or a free one; `server_address[1]` is its port."""
    server = Server(("127.0.0.1", port), Camera)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server
