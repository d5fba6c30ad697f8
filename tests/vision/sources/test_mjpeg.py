"""Network cameras that misbehave: each is given up within its budget of seconds and bytes, and opened again."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import cv2
import numpy as np
import pytest

from vision.sources.latest_frame import LatestFrame
from vision.sources.mjpeg import MjpegStream
from vision.sources.open import open_source
from vision.types import VisionError

HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n"
LIMIT_S = 0.6
Say = Callable[[socket.socket], None]


def part(seed: int = 0) -> bytes:
    _, data = cv2.imencode(".jpg", np.random.default_rng(seed).integers(0, 255, (48, 64, 3), np.uint8))
    return b"--b\r\nContent-Length: %d\r\n\r\n" % len(data) + data.tobytes() + b"\r\n"


def drip(sock: socket.socket, data: bytes, every_s: float = 0.05) -> None:
    for byte in itertools.cycle(data):
        sock.sendall(bytes([byte]))
        time.sleep(every_s)


def flood(sock: socket.socket, data: bytes) -> None:
    while True:
        sock.sendall(data)


HEADS: dict[str, Say] = {
    "dripping head": lambda sock: drip(sock, HEAD[:-2]),
    "continued for ever": lambda sock: flood(sock, b"HTTP/1.1 100 Continue\r\n\r\n"),
    "endless line": lambda sock: flood(sock, b"HTTP/1.0 200 OK\r\nX: " + b"a" * 100_000),
    "endless heads": lambda sock: flood(sock, b"HTTP/1.0 200 OK\r\n" + b"X: y\r\n" * 10_000),
    "silence": lambda sock: time.sleep(5),
}
BODIES: dict[str, Say] = {
    "dripping picture": lambda sock: drip(sock, b"x"),
    "dripping heads": lambda sock: (sock.sendall(b"--b\r\n"), drip(sock, b"X: y\r\n")),  # type: ignore[func-returns-value]
    "endless heads": lambda sock: (sock.sendall(b"--b\r\n"), flood(sock, b"X: y\r\n" * 10_000)),  # type: ignore[func-returns-value]
    "endless picture": lambda sock: (sock.sendall(b"--b\r\n\r\n"), flood(sock, b"a" * 1_000_000)),  # type: ignore[func-returns-value]
    "nonsense": lambda sock: flood(sock, b"\x00\xff\n" * 10_000),
    "no pictures": lambda sock: flood(sock, b"--b\r\nContent-Length: 9\r\n\r\nnot a jpg\r\n"),
    "silence": lambda sock: time.sleep(5),
}


@pytest.fixture
def serve() -> Iterator[Callable[[Say], str]]:
    """A server whose every connection is answered by `say`."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer(sock: socket.socket, say: Say) -> None:
            with sock, suppress(OSError):
                sock.recv(65536)
                say(sock)

        def listen(say: Say) -> None:
            with suppress(OSError):
                while True:
                    sock, _ = server.accept()
                    threading.Thread(target=answer, args=(sock, say), daemon=True).start()

        def begin(say: Say) -> str:
            threading.Thread(target=listen, args=(say,), daemon=True).start()
            return f"http://127.0.0.1:{server.getsockname()[1]}/video"

        yield begin
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("say", HEADS.values(), ids=HEADS)
def test_a_head_without_an_end_is_no_answer(serve: Callable[[Say], str], say: Say) -> None:
    address, began = serve(say), time.monotonic()
    with pytest.raises(VisionError, match="does not answer"):
        MjpegStream(address, LIMIT_S)
    assert time.monotonic() - began < LIMIT_S + 0.5


@pytest.mark.parametrize("say", BODIES.values(), ids=BODIES)
def test_a_picture_without_an_end_loses_the_stream(serve: Callable[[Say], str], say: Say) -> None:
    def pictures_first(sock: socket.socket) -> None:
        sock.sendall(HEAD + part() + part(1))
        say(sock)

    frames = iter(MjpegStream(serve(pictures_first), LIMIT_S))
    assert next(frames).size == next(frames).size == (64, 48)
    began = time.monotonic()
    with pytest.raises(VisionError, match="gives no more pictures"):
        next(frames)
    assert time.monotonic() - began < 2 * LIMIT_S + 1


@pytest.mark.parametrize("size", [b"F" * 16, b"-1", b"zz", b"", b"9" * 5000])
@pytest.mark.parametrize("kind", [b"multipart/x-mixed-replace; boundary=b", b"image/jpeg"])
def test_a_chunk_of_no_size_loses_the_stream(serve: Callable[[Say], str], kind: bytes, size: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
    address = serve(lambda sock: sock.sendall(head + size + b"\r\n" + part()))
    with pytest.raises(VisionError, match="gives no more pictures"):
        next(iter(MjpegStream(address, LIMIT_S)))


def test_whoever_takes_his_time_with_a_picture_does_not_lose_the_stream(serve: Callable[[Say], str]) -> None:
    def steady(sock: socket.socket) -> None:
        sock.sendall(HEAD)
        for seed in itertools.count():
            sock.sendall(part(seed))
            time.sleep(0.05)

    frames = iter(MjpegStream(serve(steady), LIMIT_S))
    for _ in range(3):
        next(frames)
        time.sleep(LIMIT_S)


def test_a_stream_that_begins_to_trickle_is_opened_again(serve: Callable[[Say], str]) -> None:
    calls = itertools.count()

    def trickling(sock: socket.socket) -> None:
        call = next(calls)
        sock.sendall(HEAD + part(call))
        drip(sock, b"x")

    address = serve(trickling)
    with LatestFrame(lambda: MjpegStream(address, LIMIT_S), back_off_s=(0.05,)) as newest:
        first = newest.frame(timeout=2)
        assert first is not None
        again = newest.frame(after=first, timeout=4)
        assert again is not None and not np.array_equal(again.image, first.image)
    assert next(calls) >= 2


@pytest.mark.parametrize("spec", ["http://ana:secret@127.0.0.1:9/video", "rtsp://ana:secret@127.0.0.1:9/1"])
def test_a_password_stays_out_of_what_is_said(spec: str) -> None:
    with pytest.raises(VisionError) as error:
        open_source(spec)
    assert "127.0.0.1:9" in str(error.value) and "secret" not in str(error.value)
