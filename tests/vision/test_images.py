"""Pictures that are damaged or that would fill the memory, and what libraries say of them."""

from __future__ import annotations

import os
import struct
import zlib

import cv2
import numpy as np
import pytest

from vision.images import decode_picture, load_picture
from vision.types import VisionError


def png(width: int, height: int) -> bytes:
    """A small file that promises so many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = zlib.compress(bytes((width + 1) * min(height, 100)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def damaged_jpeg() -> bytes:
    """A picture of noise with bits turned over in the middle of it."""
    noise = np.random.default_rng(0).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    data = bytearray(cv2.imencode(".jpg", noise)[1].tobytes())
    for place in range(len(data) // 3, len(data) // 2, 97):
        data[place] = 0xFF
        data[place + 1] = 0xD9
    return bytes(data)


def test_the_size_is_checked_before_the_pixels_are_made(tmp_path):
    assert decode_picture(png(20000, 20000)) is None
    (tmp_path / "bomb.png").write_bytes(png(20000, 20000))
    with pytest.raises(VisionError, match="64 million pixels"):
        load_picture(tmp_path / "bomb.png")


def test_a_damaged_picture_is_said_to_be_damaged_in_our_words_alone(tmp_path, capfd):
    (tmp_path / "flipped.jpg").write_bytes(damaged_jpeg())
    with pytest.raises(VisionError, match="is damaged, and parts of the picture are lost"):
        load_picture(tmp_path / "flipped.jpg")
    assert capfd.readouterr().err == ""


def test_what_others_print_meanwhile_is_passed_on(monkeypatch, capfd):
    decode = cv2.imdecode

    def talking(*words):
        os.write(2, b"somebody else\n")
        return decode(*words)

    monkeypatch.setattr(cv2, "imdecode", talking)
    assert decode_picture(damaged_jpeg()) is not None
    assert capfd.readouterr().err == "somebody else\n"
