"""A phone as a source: its newest picture only, checked before it is decoded, waited for when it is away."""

from __future__ import annotations

import threading
import time

import cv2
import numpy as np
import pytest

from vision.sources import phone as module
from vision.sources.latest_frame import LatestFrame
from vision.sources.open import is_live, open_source
from vision.sources.phone import MOST_PHONES, PHONES, PhoneCamera, Phones, jpeg_size
from vision.types import EVERY_S, VisionError

ID = "0123456789abcdef"


def jpeg(level=100, size=(64, 48)):
    image = np.full((size[1], size[0], 3), level, np.uint8)
    return cv2.imencode(".jpg", image)[1].tobytes()


@pytest.fixture
def phones(monkeypatch):
    monkeypatch.setattr(module, "OPEN_S", 0.1)
    monkeypatch.setattr(module, "STALL_S", 0.3)
    phones = Phones()
    yield phones


@pytest.fixture
def spec(phones):
    return phones.begin(ID, "Ana's phone")


def test_what_is_pushed_is_seen_newest_first(phones, spec):
    assert spec == f"phone:{ID}:Ana's phone" and is_live(spec)
    for level in (10, 90, 200):
        assert phones.push(ID, jpeg(level))
    camera = PhoneCamera(spec, phones)
    frames = iter(camera)
    assert abs(next(frames).image.mean() - 200) < 3
    threading.Timer(0.05, lambda: phones.push(ID, jpeg(50))).start()
    assert abs(next(frames).image.mean() - 50) < 3
    camera.close()
    phones.push(ID, jpeg(60))
    assert not list(frames)


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xd8", b"GIF89a", b"\xff\xd8\xff\xe0\xff\xff", jpeg()[:8], b"\xff\xd8" + b"\xff\xe0\x00\x02" * 1000],
)
def test_what_is_no_picture_is_refused_before_it_is_decoded(phones, data):
    assert not phones.push(ID, data)
    assert not phones.list()


def test_a_picture_that_would_fill_the_memory_is_refused_by_its_head(phones, monkeypatch):
    bomb = bytes.fromhex("ffd8 ffc0 0011 08 ffff ffff 03 012200 021101 031101") + b"\xff\xd9"
    assert jpeg_size(bomb) == (65535, 65535)
    assert not phones.push(ID, bomb)
    assert phones.push(ID, jpeg(size=(1920, 1080)))


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1, 1), (33, 4000)])
def test_the_size_is_that_of_the_head(size):
    assert jpeg_size(jpeg(size=size)) == size


def test_a_damaged_picture_is_left_out(phones, spec):
    good = jpeg(80)
    phones.push(ID, good[: len(good) - 30])
    camera = PhoneCamera(spec, phones)
    threading.Timer(0.05, lambda: phones.push(ID, good)).start()
    assert abs(next(iter(camera)).image.mean() - 80) < 3


@pytest.mark.parametrize(
    ("why", "says"),
    [
        ("hidden", "screen is off"),
        ("camera", "another app or a call"),
        ("left", "open it again"),
        ("x", "open it again"),
    ],
)
def test_why_nothing_comes_is_said_at_once_and_what_helps(phones, spec, why, says):
    phones.push(ID, jpeg())
    frames = iter(PhoneCamera(spec, phones))
    next(frames)
    threading.Timer(0.05, lambda: phones.leave(ID, why)).start()
    began = time.monotonic()
    with pytest.raises(VisionError, match=f"Ana's phone.*{says}"):
        next(frames)
    assert time.monotonic() - began < 0.25
    assert not phones.list()[0].sends
    phones.push(ID, jpeg())
    assert phones.list()[0].sends and next(iter(PhoneCamera(spec, phones)))


def test_silence_is_noticed(phones, spec):
    phones.push(ID, jpeg())
    frames = iter(PhoneCamera(spec, phones))
    next(frames)
    with pytest.raises(VisionError, match="same Wi-Fi"):
        next(frames)


def test_a_phone_that_never_came_is_waited_for_in_words(phones):
    for spec, says in ((f"phone:{ID}:Ana", "phone Ana: share the table"), ("phone", "a phone: share the table")):
        with pytest.raises(VisionError, match=f"Waiting for (the )?{says}"):
            PhoneCamera(spec, phones)
    for spec in ("phone:", "phone:short", f"phone:{ID.upper()}:x"):
        with pytest.raises(VisionError, match="no phone"):
            open_source(spec)


def test_names_from_outside_stay_names(phones):
    assert phones.begin(ID, " a:b\n" + "x" * 99) == f"phone:{ID}:a b {'x' * 36}"
    for bad in ("../etc", "x" * 99, "ABCDEFGHIJ", ""):
        with pytest.raises(ValueError, match="no phone's ID"):
            phones.begin(bad, "x")


def test_phones_have_a_limit_and_the_longest_silent_goes(phones):
    for n in range(MOST_PHONES + 3):
        phones.push(f"phone-{n:04}", jpeg())
    assert len(phones.list()) == MOST_PHONES
    assert not phones.knows("phone-0000")


def test_the_newest_frame_comes_back_by_itself(phones, spec):
    with LatestFrame(lambda: PhoneCamera(spec, phones), back_off_s=(0.05,)) as newest:
        assert newest.frame(timeout=0.3) is None
        assert "Waiting for the phone" in newest.health.reason
        last = None
        for level in (20, 120):
            phones.push(ID, jpeg(level))
            frame = newest.frame(after=last, timeout=2)
            assert frame is not None and abs(frame.image.mean() - level) < 3
            assert newest.health.sees
            last = frame
            phones.leave(ID, "hidden")
            ends = time.monotonic() + 2
            while not newest.health.lost and time.monotonic() < ends:
                time.sleep(0.01)
            assert "screen is off" in newest.health.reason
            time.sleep(EVERY_S)  # no more pictures are looked at


def test_there_is_one_list_of_phones():
    assert isinstance(PHONES, Phones)
