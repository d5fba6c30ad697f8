"""What goes wrong around a camera: one plain sentence with the remedy, exit 1, and nothing that was ruled is lost."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from companion.log import store as family
from tests.films.served import HAS_WEIGHTS, ROOT, Program, Served, command, environment, pictures

resource: Any = pytest.importorskip("resource", reason="this system limits no files")
GAME = ("--variant", "classic", "--players", "Ana,Ben")
limits = pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="this system limits no running program")
networks = pytest.mark.skipif(not HAS_WEIGHTS, reason="the trained networks are not in models/")
#: The second of the film at which the first round lies still.
FIRST = 3.0
ENDLESS = resource.RLIM_INFINITY


@pytest.fixture(scope="module")
def frames() -> list[bytes]:
    return pictures(ROOT / "sample_images" / "classic.mp4", FIRST + 0.2)


@pytest.fixture
def camera(frames: list[bytes]) -> Iterator[Served]:
    with Served(frames) as camera:
        yield camera


def fails(folder: Path, *words: object, says: tuple[str, ...], first: tuple[str, ...] = ()) -> None:
    """The call ends with exit 1, nothing on stdout and one sentence on stderr that holds these words.

    `first` are sentences that are said while it still tries.
    """
    words = (*words, "--log", folder / "log.db")
    run = subprocess.run(
        command(*words), capture_output=True, text=True, cwd=folder, env=environment(folder), timeout=120
    )
    assert (run.returncode, run.stdout) == (1, "")
    lines = run.stderr.splitlines()
    assert lines[: len(first)] == list(first)
    lines = lines[len(first) :]
    assert len(lines) == 1 and lines[0].endswith("."), run.stderr
    assert all(part in lines[0] for part in says), lines[0]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("77", ("no camera 77", "plug it in")),
        ("/dev/video77", ("no camera /dev/video77", "plug it in")),
        ("http://127.0.0.1:9/video", ("does not answer", "check its address")),
        ("rtsp://127.0.0.1:9/video", ("does not answer", "check its address")),
    ],
)
def test_a_camera_that_is_not_there(source: str, says: tuple[str, ...], tmp_path: Path) -> None:
    fails(tmp_path, "watch", "--source", source, *GAME, "--no-page", says=says)
    assert family.list_sessions(tmp_path / "log.db") == ()


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="there is no folder among the devices to put one into")
def test_a_camera_that_never_answers(tmp_path: Path) -> None:
    """A pipe that nobody writes to blocks whoever opens it, as a camera does that another program holds."""
    device = Path("/dev/shm") / f"camera-{os.getpid()}"
    os.mkfifo(device)
    try:
        says = ("does not answer", "close other programs that use it")
        opening = "The camera is still being opened: some take half a minute. Please wait."
        fails(tmp_path, "watch", "--source", device, *GAME, "--no-page", says=says, first=(opening,))
    finally:
        device.unlink()


def test_a_log_that_another_window_holds(tmp_path: Path, camera: Served) -> None:
    says = ("Another War Referee window", "close it or choose another file with --log")
    with family.Log(tmp_path / "log.db") as log:
        session = log.open_session({"variant": "classic", "players": ["Ana", "Ben"]}, "0", "left-right", live=True)
        fails(tmp_path, "watch", "--source", camera.address, *GAME, says=says)
        fails(tmp_path, "--port", 0, says=says)
    assert [found.id for found in family.list_sessions(tmp_path / "log.db", unended=True)] == [session]


@networks
def test_a_port_that_is_taken(tmp_path: Path, camera: Served) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        says = (f"Port {port} is taken", "choose another with --port")
        fails(tmp_path, "watch", "--source", camera.address, *GAME, "--port", port, says=says)
        fails(tmp_path, "--port", port, says=says)


@limits
@networks
@pytest.mark.slow
def test_a_full_disk_is_said_on_the_page_until_there_is_room(tmp_path: Path, camera: Served) -> None:
    words = ("watch", "--source", camera.address, *GAME, "--port", 0, "--json", "--log", tmp_path / "log.db")
    with Program(tmp_path, *words) as program:
        program.watching()
        resource.prlimit(program.pid, resource.RLIMIT_FSIZE, (0, ENDLESS))
        camera.play(FIRST)
        now = program.until(lambda now: now["paused"], 10)
        assert "make room" in now["verdict"] and now["log"] == [] and program.said == []
        resource.prlimit(program.pid, resource.RLIMIT_FSIZE, (ENDLESS, ENDLESS))
        program.post("pause", on=False)
        now = program.until(lambda now: now["log"], 10)
        assert now["counts"] == {"Ana": 27, "Ben": 25}
        assert program.interrupt() == (0, "")


@limits
@networks
@pytest.mark.slow
def test_a_full_disk_ends_a_game_without_a_page_which_then_goes_on(tmp_path: Path, camera: Served) -> None:
    log = tmp_path / "log.db"
    words = ("watch", "--source", camera.address, *GAME, "--log", log)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    run = subprocess.Popen(command(*words, "--no-page"), **pipes, cwd=tmp_path, env=environment(tmp_path))
    try:
        while run.poll() is None and not begun(log):
            time.sleep(0.1)
        resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (0, ENDLESS))
        camera.play(FIRST)
        said, sentence = run.communicate(timeout=60)
    finally:
        run.kill()
    assert (run.returncode, said) == (1, "") and "make room" in sentence and sentence.count("\n") == 1
    with Program(tmp_path, *words, "--json", "--port", 0) as program:
        now = program.until(lambda now: now["log"], 60)
        assert (now["session"], now["counts"]) == (1, {"Ana": 27, "Ben": 25})


def begun(log: Path) -> bool:
    """Whether a session has been written; the file may be in the making."""
    with suppress(family.LogError):
        return bool(family.list_sessions(log))
    return False
