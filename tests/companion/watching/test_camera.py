"""Cameras that block: whoever chooses one is answered at once, and the sentence comes when it is known."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path

import pytest

from companion.log.store import Log
from companion.referee.game import new_game
from companion.table.presenter import Presenter
from companion.table.requests import Pause, SelectCamera
from companion.table.table import Table
from companion.watching import camera
from companion.watching.feeds import open_feed
from companion.watching.loop import Watch
from companion.words import speak
from tests.companion.watching.test_loop import pictures
from vision.detection.detector import CannedDetector
from vision.sources import opencv

#: Seconds within which every request must be answered.
PATIENCE = 1.3


@pytest.fixture
def watch(tmp_path):
    with Log(tmp_path / "family.db") as log:
        table = Table(log, Presenter(speak("en")))
        table.open(new_game("classic", ("Ana", "Ben")), "0", "left-right", live=True)
        watch = Watch(table, CannedDetector([()]), open_feed)
        yield table, watch
        watch.close()


def ask(table, watch, act):
    answer, began = table.send(act), time.monotonic()
    watch.once()
    said = answer.result(timeout=0)
    assert time.monotonic() - began < PATIENCE
    return said


def until(watch, true, seconds):
    ends = time.monotonic() + seconds
    while not true():
        began = time.monotonic()
        watch.once()
        assert time.monotonic() - began < PATIENCE, "the table never waits for a camera"
        assert time.monotonic() < ends
    return True


@pytest.fixture
def mute():
    """A network camera that takes the call and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held = []
        threading.Thread(target=lambda: [held.append(server.accept()) for _ in range(9)], daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/video"


def test_a_camera_that_never_answers_holds_nobody(watch, mute):
    table, watching = watch
    assert ask(table, watching, SelectCamera(mute)) == f"{mute} is being opened; it does not answer yet."
    assert table.now.camera.message == f"{mute} is being opened."
    assert ask(table, watching, Pause(True)) == "Paused."
    until(watching, lambda: table.now.camera.message.startswith(f"The stream {mute} does not answer"), 20)
    assert not table.now.camera.ok and table.now.chip == "camera_lost"


def test_a_camera_that_takes_long_is_said_to_be_opened_still(watch, mute, monkeypatch):
    monkeypatch.setattr(camera, "_LONG_S", 1.5)
    table, watching = watch
    ask(table, watching, SelectCamera(mute))
    until(watching, lambda: table.now.camera.message.startswith("The camera is still being opened"), 4)
    assert table.now.verdict == "Turn your first cards."


def test_a_camera_that_is_chosen_meanwhile_is_the_one_that_is_watched(watch, mute, tmp_path):
    table, watching = watch
    ask(table, watching, SelectCamera(mute))
    source = pictures(tmp_path / "p", 1)
    assert ask(table, watching, SelectCamera(source)) == f"Watching {source}."
    time.sleep(0.5)
    watching.once()
    assert table.now.camera.source == source


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no place for a device that blocks")
def test_a_device_that_blocks_holds_nobody(watch, monkeypatch):
    node = Path(f"/dev/shm/warref-camera-{os.getpid()}")
    os.mkfifo(node)
    monkeypatch.setattr(opencv, "OPEN_LIMIT_S", 2.0)
    table, watching = watch
    try:
        assert "does not answer yet" in ask(table, watching, SelectCamera(str(node)))
        until(watching, lambda: "close other programs that use it" in table.now.camera.message, 20)
    finally:
        os.close(os.open(node, os.O_RDWR | os.O_NONBLOCK))
        node.unlink()
