"""Sources that are files: folders, pictures, films; and what is said of those that cannot be read."""

import logging
import os
import struct
import threading
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.cards import film, picture
from vision import images
from vision.images import decode_picture, list_pictures, load_picture
from vision.sources.open import SOURCES, open_source
from vision.types import VisionError


def save(path, seed=0):
    cv2.imwrite(str(path), picture(seed))
    return path


def turned(jpeg: bytes, orientation: int) -> bytes:
    """A JPEG with an EXIF block that tells how the camera was held."""
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    block = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + jpeg[2:]


def test_a_folder_gives_its_pictures_in_name_order_as_settled_looks(tmp_path):
    for name in ("look_10.png", "look_9.png", "look_1.JPG"):
        save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no picture")
    (tmp_path / "._look_1.jpg").write_text("no picture")
    (tmp_path / "more.jpg").mkdir()
    source = open_source(str(tmp_path))
    frames = list(source)
    assert [frame.name for frame in frames] == ["look_1.JPG", "look_9.png", "look_10.png"]
    assert [frame.at for frame in frames] == [5.0, 10.0, 15.0]
    assert source.still and not source.live


def test_a_damaged_picture_keeps_its_number_and_is_told_of(tmp_path, caplog):
    whole = save(tmp_path / "1.jpg").read_bytes()
    (tmp_path / "2.jpg").write_bytes(whole[: len(whole) // 2])
    save(tmp_path / "3.jpg")
    with caplog.at_level(logging.WARNING):
        assert [frame.at for frame in open_source(str(tmp_path))] == [5.0, 15.0]
    assert "2.jpg is no picture that can be read" in caplog.text


def test_only_damaged_pictures_are_a_fault(tmp_path):
    (tmp_path / "1.jpg").write_bytes(b"nothing")
    with pytest.raises(VisionError, match="None of the pictures"):
        list(open_source(str(tmp_path)))


def test_a_closed_folder_ends(tmp_path):
    for i in range(3):
        save(tmp_path / f"{i}.png")
    source = open_source(str(tmp_path))
    source.close()
    assert list(source) == []


def test_one_picture_is_one_look(tmp_path):
    (frame,) = open_source(str(save(tmp_path / "a.png", 3)))
    assert frame.size == (320, 240) and np.array_equal(frame.image, picture(3)) and frame.at == 5.0


@pytest.mark.parametrize(("orientation", "size"), [(1, (320, 240)), (3, (320, 240)), (6, (240, 320)), (8, (240, 320))])
def test_pictures_are_turned_as_the_camera_was_held(tmp_path, orientation, size):
    upright = picture(5)
    turns = {1: 0, 3: 2, 6: 1, 8: 3}[orientation]
    jpeg = cv2.imencode(".jpg", np.rot90(upright, turns), [cv2.IMWRITE_JPEG_QUALITY, 98])[1].tobytes()
    (tmp_path / "a.jpg").write_bytes(turned(jpeg, orientation))
    image = load_picture(tmp_path / "a.jpg")
    assert image.shape == upright.shape and np.abs(image.astype(int) - upright).mean() < 3
    assert size in ((320, 240), (240, 320))


def test_grey_and_transparent_pictures_are_read_as_colour(tmp_path):
    cv2.imwrite(str(tmp_path / "grey.png"), picture()[..., 0])
    cv2.imwrite(str(tmp_path / "clear.png"), np.dstack([picture(), np.full((240, 320), 255, np.uint8)]))
    for path in list_pictures(tmp_path):
        assert load_picture(path).shape == (240, 320, 3)


@pytest.mark.parametrize("suffix", [".jpg", ".png"])
def test_a_picture_cut_short_is_no_picture(suffix):
    data = cv2.imencode(suffix, picture())[1].tobytes()
    assert decode_picture(data) is not None
    assert decode_picture(data[: len(data) * 2 // 3]) is None and decode_picture(b"") is None


def test_a_picture_with_a_thumbnail_cut_short_is_no_picture():
    data, small = (cv2.imencode(".jpg", picture()[:side])[1].tobytes() for side in (240, 32))
    whole = data[:2] + b"\xff\xe2" + struct.pack(">H", len(small) + 2) + small + data[2:]
    assert decode_picture(whole) is not None and decode_picture(whole + b"trailer") is not None
    assert decode_picture(whole[:-200]) is None


def test_a_film_tells_its_own_time(tmp_path):
    source = open_source(str(film(tmp_path / "a.avi", frames=20, fps=10)))
    frames = list(source)
    assert [frame.at for frame in frames] == pytest.approx([i / 10 for i in range(20)])
    assert not source.live and not source.still


@pytest.mark.parametrize(("name", "code"), [("a.avi", "MJPG"), ("a.mkv", "mp4v")])
def test_a_film_that_breaks_off_keeps_what_was_read(tmp_path, name, code):
    path = film(tmp_path / name, frames=60, code=code)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    frames = []
    with pytest.raises(VisionError, match=r"breaks off after .* of 6\.0 seconds") as error:
        for frame in open_source(str(path)):
            frames.append(frame)
    assert 20 < len(frames) < 40 and "\n" not in str(error.value)


def test_a_closed_film_ends_without_complaint(tmp_path):
    source = open_source(str(film(tmp_path / "a.avi")))
    for _ in source:
        source.close()


@pytest.mark.parametrize("name", ["a.txt", "a.jpg", "a.mp4", "a.looks"])
def test_a_file_that_is_neither_is_said_in_one_sentence(tmp_path, name):
    (tmp_path / name).write_text("hello")
    with pytest.raises(VisionError) as error:
        open_source(str(tmp_path / name))
    assert str(error.value).endswith(".") and "\n" not in str(error.value)


def test_nothing_there_and_an_empty_folder(tmp_path):
    with pytest.raises(VisionError, match="There is nothing called"):
        open_source(str(tmp_path / "none.mp4"))
    with pytest.raises(VisionError, match="holds no pictures"):
        open_source(str(tmp_path))


@pytest.mark.parametrize("spec", ["", "  ", "\n"])
def test_no_words_are_not_the_current_folder(tmp_path, monkeypatch, spec):
    save(tmp_path / "a.png")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(VisionError, match="Say what to look at"):
        open_source(spec)


@pytest.mark.parametrize("spec", ["a" * 5000, "a\0b", "a/" * 3000])
def test_a_name_that_no_system_takes(spec):
    with pytest.raises(VisionError, match="nothing called a") as error:
        open_source(spec)
    assert len(str(error.value)) < 400


def test_a_device_without_an_end_is_no_picture(monkeypatch):
    monkeypatch.setattr("vision.images.LARGEST", 1000)
    with pytest.raises(VisionError, match="no picture that can be read"):
        load_picture(Path("/dev/zero"))


def test_a_pipe_into_which_nobody_writes_is_no_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(images, "_PIPE_S", 0.3)
    os.mkfifo(tmp_path / "a.jpg")
    with pytest.raises(VisionError, match="gives nothing to read"):
        load_picture(tmp_path / "a.jpg")


def test_a_picture_comes_through_a_pipe(tmp_path):
    pipe = tmp_path / "a.jpg"
    os.mkfifo(pipe)
    _, data = cv2.imencode(".jpg", np.zeros((9, 16, 3), np.uint8))
    threading.Thread(target=lambda: pipe.write_bytes(data.tobytes()), daemon=True).start()
    assert load_picture(pipe).shape == (9, 16, 3)


def test_each_kind_of_source_is_claimed_once(tmp_path):
    save(tmp_path / "a.png")
    specs = ["0", "/dev/video0", "http://host/x", "rtsp://host/x", str(tmp_path), str(tmp_path / "a.png")]
    for spec in specs:
        first = next(kind for kind in SOURCES if kind.claims(spec))
        assert first.__name__ in ("Camera", "MjpegStream", "RtspStream", "Folder", "Picture")
