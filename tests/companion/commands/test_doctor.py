"""Whether everything is in order for an evening, said in words; nothing is changed by asking."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import threading
import time
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from companion import defaults
from companion.cli import main
from companion.commands import _camera_check, _port, doctor
from companion.commands._camera_check import SourceSample, judge_light, judge_sizes, sample_source
from companion.log.store import Log
from companion.table.snapshot import CardView, Spoilt
from vision.sources.devices import CameraInfo
from vision.types import FoundCard, Frame, Reading, Side, VisionError

CARD = FoundCard(((300, 200), (430, 200), (430, 380), (300, 380)), Side.FACE, 0.9, (Reading("9H", 0.99),), read=True)


class Eyes:
    """Finds the same cards in every picture."""

    model_hash = "abc"

    def __init__(self, *cards: FoundCard) -> None:
        self.cards = cards

    def detect(self, frame: Frame) -> tuple[FoundCard, ...]:
        return self.cards


@pytest.fixture
def well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one bright picture; eyes that see a card, and a camera that answers."""
    monkeypatch.setattr(doctor, "open_detector", lambda *_: Eyes(CARD))
    monkeypatch.setattr(doctor, "read_sample", lambda _: (("9H",), ("9H",)))
    monkeypatch.setattr(doctor, "list_cameras", lambda: (CameraInfo(0, "HD", True, 1280, 720, 30.0),))
    monkeypatch.setattr(defaults, "packs_folder", lambda: tmp_path / "packs")
    return pictured(tmp_path / "table", 120)


def pictured(folder: Path, grey: int) -> Path:
    folder.mkdir()
    cv2.imwrite(str(folder / "1.png"), np.full((720, 1280, 3), grey, np.uint8))
    return folder


def asked(
    folder: Path, capsys: pytest.CaptureFixture[str], source: Path | None, *more: str
) -> tuple[int, dict[str, tuple[bool, str]]]:
    words = ["doctor", "--json", "--lang", "en", "--log", str(folder / "family.db"), "--port", "0", *more]
    code = main([*words, *(("--source", str(source)) if source else ())])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return code, {one["check"]: (one["ok"], one["text"]) for one in found}


def test_all_is_well(tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(tmp_path.rglob("*"))
    code, said = asked(tmp_path, capsys, well)
    assert code == 0 and list(said) == ["camera", "light", "cards", "networks", "log", "port", "pack"]
    assert said["cards"] == (True, "1 card read, the smallest 180 pixels high.")
    assert str(tmp_path / "family.db") in said["log"][1]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_log_that_is_there_is_left_as_it_is(tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Log(tmp_path / "family.db") as log:
        log.open_session({"variant": "classic", "players": ["Ana", "Ben"]}, "0", "left-right", live=True)
    before = (tmp_path / "family.db").read_bytes()
    code, said = asked(tmp_path, capsys, well)
    assert code == 0 and "1 session" in said["log"][1]
    assert (tmp_path / "family.db").read_bytes() == before


def test_it_speaks_in_lines(tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["doctor", "--lang", "en", "--log", str(tmp_path / "family.db"), "--port", "0", "--source", str(well)]
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[0] == "Camera (well): 0 HD, 1280x720, 30 frames/s."


def test_games_whose_numbers_are_missing_are_said(
    tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Log(tmp_path / "family.db") as log:
        log.end_session(
            log.open_session({"variant": "classic", "players": ["Ana", "Ben"]}, "0", "left-right", True), ""
        )
    with sqlite3.connect(tmp_path / "family.db") as db:
        db.execute("DELETE FROM summaries")
    code, said = asked(tmp_path, capsys, well)
    assert code == 1 and not said["log"][0] and "numbers of 1 game are not kept yet" in said["log"][1]
    with Log(tmp_path / "family.db"):
        pass
    assert asked(tmp_path, capsys, well)[1]["log"][0]


def test_a_log_in_use_is_said(tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Log(tmp_path / "family.db"):
        code, said = asked(tmp_path, capsys, well)
    assert code == 1 and not said["log"][0] and "another War Referee window" in said["log"][1]


def test_a_log_that_is_none_is_said(tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "family.db").write_text("A letter, not a database. " * 99, "utf-8")
    code, said = asked(tmp_path, capsys, well)
    assert code == 1 and "not a War Referee log" in said["log"][1]


def test_a_log_that_cannot_be_written_is_said(
    tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    code, said = asked(tmp_path, capsys, well)
    assert code == 1 and "cannot be written" in said["log"][1]


def test_a_folder_that_is_a_file_is_said(tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    code, said = asked(tmp_path / "file", capsys, well)
    assert code == 1 and not said["log"][0]


def test_a_full_disk_is_said(
    tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage(10**9, 10**9, 3_000_000))
    code, said = asked(tmp_path, capsys, well)
    assert code == 1 and "only 3 MB free" in said["log"][1]


def test_the_cameras_are_said_with_the_remedy(
    tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "list_cameras", lambda: (CameraInfo(0, "HD", answers=False),))
    code, said = asked(tmp_path, capsys, None)
    assert code == 1 and "0 HD does not answer: close other programs" in said["camera"][1] and not said["light"][0]
    monkeypatch.setattr(doctor, "list_cameras", lambda: ())
    assert "plug one in" in asked(tmp_path, capsys, None)[1]["camera"][1]
    assert asked(tmp_path, capsys, well)[0] == 0


def test_a_camera_that_is_not_there_stands_in_for_none(
    tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "list_cameras", lambda: ())
    code, said = asked(tmp_path, capsys, Path("7"))
    assert code == 1 and not said["camera"][0] and not said["light"][0]
    assert "No camera was found" in said["camera"][1] and "There is no camera 7" in said["light"][1]


def test_a_source_that_is_none_is_said(tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = asked(tmp_path, capsys, tmp_path / "nowhere.mp4")
    assert code == 1 and not said["light"][0] and "nowhere.mp4" in said["light"][1]


def test_a_camera_that_blocks_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = threading.Event()
    monkeypatch.setattr(_camera_check, "open_feed", lambda _: stuck.wait(60))
    started = time.monotonic()
    assert sample_source("0", Eyes(), limit_s=0.2) is None
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(("grey", "says"), [(10, "dark"), (250, "too bright")])
def test_the_light_is_said(
    tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str], grey: int, says: str
) -> None:
    code, said = asked(tmp_path, capsys, pictured(tmp_path / "other", grey))
    assert code == 1 and says in said["light"][1]


def view(height: int, certainty: str = "sure", spoilt: str = "") -> CardView:
    return CardView("Ana", "9H", 0.9, certainty, height=height, spoilt=spoilt)


def test_light_and_sizes_follow_the_hints_of_the_watching() -> None:
    glare, small = view(200, "unreadable", Spoilt.GLARE), view(40, "unreadable", Spoilt.SMALL)
    assert judge_light(SourceSample(120, (glare,))) == "glare"
    assert judge_sizes(SourceSample(120, (view(200), small))) == ("small", 40, 1)
    assert judge_sizes(SourceSample(120, (view(200), view(150, "unreadable")))) == ("unread", 150, 1)
    assert judge_sizes(SourceSample(120, ())) == ("none", 0, 0)


def test_networks_that_are_missing_or_read_wrongly_are_said(
    tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "read_sample", lambda _: ((), ("9H",)))
    assert "instead of 9H" in asked(tmp_path, capsys, well)[1]["networks"][1]
    monkeypatch.undo()
    monkeypatch.setattr(doctor, "list_cameras", lambda: ())
    code, said = asked(tmp_path, capsys, well, "--weights", str(tmp_path), "--pack", "none")
    assert code == 1 and "manifest.toml" in said["networks"][1] and not said["cards"][0]


def test_a_pack_that_cannot_be_used_is_said(
    tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs" / "family.npz").write_bytes(b"")

    def damaged(_: object, path: Path) -> Eyes:
        raise VisionError(f"The pack {path.stem} is damaged.")

    monkeypatch.setattr(doctor, "with_pack", damaged)
    assert asked(tmp_path, capsys, well)[1]["pack"] == (False, "The pack family is damaged.")
    assert asked(tmp_path, capsys, well, "--pack", "none")[0] == 0
    assert "no pack other" in asked(tmp_path, capsys, well, "--pack", "other")[1]["pack"][1]


def test_the_networks_are_loaded_once_also_with_a_pack(
    tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs" / "family.npz").write_bytes(b"")
    opened: list[object] = []
    monkeypatch.setattr(doctor, "open_detector", lambda *words: opened.append(words) or Eyes(CARD))
    monkeypatch.setattr(doctor, "with_pack", lambda eyes, path: eyes)
    assert asked(tmp_path, capsys, well)[1]["pack"] == (True, "family is enrolled and used.")
    assert len(opened) == 1

    def missing(*_: object) -> Eyes:
        raise VisionError("The networks are missing.")

    monkeypatch.setattr(doctor, "open_detector", missing)
    said = asked(tmp_path, capsys, well)[1]
    assert not said["networks"][0] and said["pack"][0] is False and "without the networks" in said["pack"][1]


def test_a_port_that_is_taken_is_said_with_by_whom(
    tmp_path: Path, well: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
        monkeypatch.setattr(_port, "_LIMIT_S", 0.2)
        code, said = asked(tmp_path, capsys, well, "--port", str(number))
        assert code == 1 and f"{number} is taken by" in said["port"][1]
        if Path("/proc/net/tcp").exists():
            assert str(os.getpid()) in said["port"][1]
    assert _port.free(number) and _port.holder(number) is None


def test_the_program_itself_is_known_on_its_port(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = SimpleNamespace(read=lambda _: b'{"ok": true, "version": 1, "session": 1, "camera": true}')
    calls = SimpleNamespace(request=lambda *_: None, getresponse=lambda: answer, close=lambda: None)
    monkeypatch.setattr(_port, "HTTPConnection", lambda *_, **__: calls)
    assert _port.ours(8765)


@pytest.mark.slow
def test_the_true_networks_read_the_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, said = asked(tmp_path, capsys, Path(__file__).parents[3] / "sample_images" / "game", "--pack", "none")
    assert said["networks"][0] and said["cards"][0] and said["light"][0]
