"""Damaged pictures and films, those that claim to be huge, and files that are none."""

from __future__ import annotations

import random
import resource
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from tests.robustness.mutations import damage_bytes
from tests.robustness.tally import ROOT, Tally, call, is_sentences, judge

SAMPLES = sorted((ROOT / "sample_images").glob("*.jpg"))
FILM = ROOT / "sample_images" / "classic.mp4"
#: Endings of pictures and films that are made of the samples before they are damaged.
PICTURES, FILMS = ("jpg", "png", "webp", "bmp", "tiff", "ppm"), (("mp4", "mp4v"), ("avi", "MJPG"))
#: Frames of a film; one input in four is a film.
FRAMES = 12
#: Sides of a picture that a head claims.
CLAIMS = (1, 0, 20000, 65535, 2**31 - 1)
#: Megabytes by which no picture may raise the memory above what reading a whole one takes.
MOST_MB = 400


def attack_pictures(rng: random.Random, count: int, folder: Path) -> Tally:
    """Read pictures and watch films, most of them damaged; in one sentence each what cannot be read."""
    tally, whole = Tally(), _wholes(folder)
    call("read", folder / "whole.jpg")
    usual = _peak_mb()
    for number in range(count):
        name, data = _picture(rng, whole)
        path = folder / name
        path.write_bytes(data)
        about, before = f"pictures {number}, {name}", _peak_mb()
        if name.startswith("film"):
            _watch(tally, about, path, folder)
        else:
            code, _, err = call("read", path)
            judge(tally, about, code, err)
        if _peak_mb() > max(before, usual + MOST_MB):
            tally.fail(f"{about}: {_peak_mb()} MB, reading a whole picture takes {usual}")
        if tally.failed and tally.failed[-1].startswith(about):
            path.rename(folder.parent / f"failed-{number}-{name}")
    return tally


def _watch(tally: Tally, about: str, path: Path, folder: Path) -> None:
    """A film that ends too soon is a film: what was seen is judged, and the call is done."""
    for log in folder.glob("film.db*"):
        log.unlink()
    game = ("--variant", "classic", "--players", "Ana,Ben", "--no-page", "--json", "--log", folder / "film.db")
    code, _, err = call("watch", "--source", path, *game)
    done = judge(tally, about, code, err)
    if done and not is_sentences(err):
        tally.fail(f"{about}: {err[-300:]!r}")


def _wholes(folder: Path) -> dict[str, bytes]:
    """A whole file of each kind by its name."""
    image = cv2.resize(cv2.imread(str(SAMPLES[0])), None, fx=0.5, fy=0.5)
    found = {f"whole.{ending}": cv2.imencode(f".{ending}", image)[1].tobytes() for ending in PICTURES}
    for ending, code in FILMS:
        path = folder / f"film.{ending}"
        reader = cv2.VideoCapture(str(FILM))
        writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), 10.0, (640, 360))
        for _ in range(FRAMES):
            writer.write(cv2.resize(reader.read()[1], (640, 360)))
        writer.release()
        found[path.name] = path.read_bytes()
    (folder / "whole.jpg").write_bytes(found["whole.jpg"])
    return found


def _picture(rng: random.Random, whole: dict[str, bytes]) -> tuple[str, bytes]:
    films = [name for name in whole if name.startswith("film")]
    if rng.random() < 0.25:
        name = rng.choice(films)
        return name, _damaged(whole[name], rng)
    made: tuple[tuple[str, Callable[[], bytes]], ...] = (
        ("claims.png", lambda: png(rng.choice(CLAIMS), rng.choice(CLAIMS), rng.choice((0, 3000, 60_000_000)))),
        ("claims.jpg", lambda: _claim(whole["whole.jpg"], rng)),
        ("noise.jpg", lambda: rng.randbytes(rng.choice((0, 1, 5000)))),
        ("grey.png", lambda: cv2.imencode(".png", np.zeros((rng.choice((1, 3000)), 1), np.uint8))[1].tobytes()),
    )
    if rng.random() < 0.3:
        name, make = rng.choice(made)
        return name, make()
    name = rng.choice([name for name in whole if name not in films])
    return name, _damaged(whole[name], rng)


def _damaged(data: bytes, rng: random.Random) -> bytes:
    """Damaged anywhere, or in its head, where sizes stand."""
    if rng.random() < 0.5:
        return damage_bytes(data, rng)
    size = min(len(data), rng.choice((64, 1024)))
    return damage_bytes(data[:size], rng) + data[size:]


def _claim(jpeg: bytes, rng: random.Random) -> bytes:
    """A JPEG whose head claims other sides than its picture has."""
    place = jpeg.index(b"\xff\xc0") + 5
    sides = (min(rng.choice(CLAIMS), 65535), min(rng.choice(CLAIMS), 65535))
    return jpeg[:place] + struct.pack(">HH", *sides) + jpeg[place + 4 :]


def png(width: int, height: int, size: int) -> bytes:
    """A small file that claims to be a picture of this size, and has `size` bytes of points packed in it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    points = zlib.compress(bytes(size), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", points) + chunk(b"IEND", b"")


def _peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
