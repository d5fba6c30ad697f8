"""A network camera that misbehaves, by the path of its address: `serve(port 0)` gives the server."""

from __future__ import annotations

import contextlib
import os
import socketserver
import struct
import threading
import time
import zlib
from collections.abc import Callable

import cv2
import numpy as np

from tests.robustness.tally import ROOT

HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n"
CHUNKED = HEAD[:-2].replace(b"/1.0", b"/1.1") + b"Transfer-Encoding: chunked\r\n\r\n"
FILM = ROOT / "sample_images" / "classic.mp4"
MEGABYTE = b"a" * 1_000_000
Send = Callable[[bytes], None]


def _pictures() -> list[bytes]:
    film, found = cv2.VideoCapture(str(FILM)), []
    while len(found) < 60:
        read, frame = film.read()
        if not read:
            break
        found.append(cv2.imencode(".jpg", frame)[1].tobytes())
    return found


def _part(data: bytes) -> bytes:
    return b"--b\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(data), data)


def _bomb() -> bytes:
    """A picture of a few bytes that claims 20,000 x 20,000 points."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 20000, 20000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(60_020_000)))


class Camera(socketserver.StreamRequestHandler):
    """One connection."""

    def handle(self) -> None:
        """Misbehave until the other side has gone."""
        with contextlib.suppress(OSError, IndexError):
            line = self.rfile.readline(4096).split()[1].decode("latin1").lstrip("/")
            while self.rfile.readline(4096).strip():
                pass
            BEHAVIOURS.get(line, _unknown)(self.wfile.write)


PICTURES = _pictures()


def _show(send: Send, count: int = 1_000_000) -> None:
    for number in range(count):
        send(_part(PICTURES[number % len(PICTURES)]))
        time.sleep(1 / 24)


def _after(count: int, then: Callable[[Send], None]) -> Callable[[Send], None]:
    """Show some good pictures first."""

    def behave(send: Send) -> None:
        send(HEAD)
        _show(send, count)
        then(send)

    return behave


def _repeat(data: bytes, pause: float = 0.0) -> Callable[[Send], None]:
    def behave(send: Send) -> None:
        while True:
            send(data)
            time.sleep(pause)

    return behave


def _first(data: bytes, then: Callable[[Send], None]) -> Callable[[Send], None]:
    def behave(send: Send) -> None:
        send(data)
        then(send)

    return behave


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
    "stall": _after(30, lambda _: time.sleep(3600)),
    "trickle": _after(30, _repeat(b"x", 1)),
    "trickle0": _after(0, _repeat(b"x", 1)),
    "slowheader": _drip(HEAD * 100, 0.5),
    "garbage": _after(30, lambda send: _repeat(os.urandom(65536))(send)),
    "garbageparts": _after(0, lambda send: _repeat(_part(os.urandom(20000)), 0.02)(send)),
    "res": _after(0, _sizes),
    "bighead": _after(30, _first(b"--b\r\nX: ", _repeat(MEGABYTE))),
    "manyheads": _after(30, _repeat(b"X: y\r\n" * 10000)),
    "httphead": _first(b"HTTP/1.0 200 OK\r\nX: ", _repeat(MEGABYTE)),
    "httpheads": _first(b"HTTP/1.0 200 OK\r\n", _repeat(b"X: y\r\n" * 10000)),
    "hundred": _repeat(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "biglength": _first(HEAD + b"--b\r\nContent-Length: 19999999\r\n\r\n", _repeat(MEGABYTE, 0.1)),
    "neverend": _first(HEAD + b"--b\r\n\r\n", _repeat(MEGABYTE)),
    "bomb": _after(30, lambda send: _repeat(_part(_bomb()), 0.5)(send)),
    "chunks": _first(CHUNKED, _repeat(b"FFFFFFFFFFFFFFFF\r\n", 0.2)),
    "break": _after(30, lambda _: None),
    "html": _once(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"),
    "401": _once(b"HTTP/1.0 401 no\r\n\r\n"),
    "redirect": _once(b"HTTP/1.0 302 x\r\nLocation: file:///etc/passwd\r\n\r\n"),
    "redirects": _once(b"HTTP/1.0 302 x\r\nLocation: /redirects\r\n\r\n"),
    "junk": lambda send: send(os.urandom(5000)),
    "empty": lambda _: None,
    "black": _after(0, _repeat(_part(cv2.imencode(".jpg", np.zeros((720, 1280, 3), np.uint8))[1].tobytes()), 0.05)),
}


class Server(socketserver.ThreadingTCPServer):
    """The camera on a free port of this computer."""

    daemon_threads = True
    allow_reuse_address = True


def serve() -> Server:
    """Start the camera; `server_address[1]` is its port."""
    server = Server(("127.0.0.1", 0), Camera)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
