"""`warref`: every game a family began goes on after a restart, with its camera; what cannot go on harms nothing."""

from __future__ import annotations

import itertools
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.commands import _port, home
from companion.commands.home import resume_last
from companion.commands.watch import WatchPlan, open_or_resume
from companion.log import store as family
from companion.log.store import Entry, Log
from companion.referee.cards import Card
from companion.referee.codec import Json, game_to_json
from companion.referee.events import Face, Seen
from companion.referee.game import new_game
from companion.table.presenter import Presenter
from companion.table.requests import ListCameras, NewGame, SelectCamera, parse_input
from companion.table.table import Table
from companion.watching.loop import Watch
from companion.words import speak
from vision.detection.detector import CannedDetector
from vision.sources.latest_frame import Health
from vision.types import VisionError

GAME = new_game("classic", ("Ana", "Ben"))
STRANGE: dict[str, tuple[Json, Json]] = {
    "input": (game_to_json(GAME), {"at": 1.0, "undo": 9}),
    "name": ({**game_to_json(GAME), "players": ["A" * 200, "Ben"]}, {"at": 1.0, "faces": {}}),
}


def begun(keeper: Log, game: Json, line: Json, live: bool) -> Table:
    keeper.write(keeper.open_session(game, "0", "left-right", live=live), Entry(1, line, mark=1.0))
    return Table(keeper, Presenter(speak("en")))


@pytest.mark.parametrize(("game", "line"), STRANGE.values(), ids=STRANGE)
def test_the_page_opens_without_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], game: Json, line: Json) -> None:
    path = tmp_path / "family.db"
    with Log(path) as keeper:
        table = begun(keeper, game, line, live=True)
        resume_last(table, Namespace(log=path))
        assert table.session is None
    said = capsys.readouterr().err
    assert said.startswith("Session 1 stays in the log, but cannot be gone on with: ") and said.count("\n") == 1
    assert [one.id for one in family.list_sessions(path, unended=True)] == [1]


def test_a_source_is_watched_in_a_session_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "family.db"
    with Log(path) as keeper:
        table = begun(keeper, *STRANGE["input"], live=False)
        open_or_resume(table, path, WatchPlan(GAME, "0", "left-right"), live=False, speak=lambda _: None)  # type: ignore[arg-type]
        assert table.session is not None and table.session.id == 2
    assert "cannot be gone on with" in capsys.readouterr().err


def test_a_port_that_is_kept_from_people_is_not_called_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(_port, "_try", refused)
    assert _port.why_not(80) == "Port 80 is not for everybody's use: choose one from 1024 on with --port."


def test_a_second_call_shows_the_page_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(_port, "ours", lambda number: number == 8765)
    monkeypatch.setattr(home, "show_page", shown.append)
    assert home.run(Namespace(log=tmp_path / "family.db", port=8765), speak("en")) == 0
    assert capsys.readouterr().err == "War Referee runs already: http://127.0.0.1:8765/\n"
    assert shown == ["http://127.0.0.1:8765/"] and not list(tmp_path.iterdir())


# --- a game that was begun goes on, whatever was clicked first -------------------------------------------

CAMERA = "http://phone.local:8080/video"
CLICKS = {
    "game": NewGame("classic", ("Cai", "Dan")),
    "camera": SelectCamera(CAMERA),
    "list": ListCameras(),
    "hand": parse_input({"faces": {"Cai": ["KS"], "Dan": ["9H"]}}),
}


class Lens:
    """A camera that answers and shows nothing new."""

    live, still, ended = True, False, False

    def __init__(self, spec: str) -> None:
        self.spec = spec

    def next(self) -> None:
        return None

    def health(self) -> Health:
        return Health(size=(640, 480))

    def close(self) -> None:
        pass


class Sample(Lens):
    """The sample film, which never comes to its end."""

    live = False


def opened(spec: str, paced: bool = False) -> Lens:
    if spec == "mute":
        raise VisionError("The camera does not answer.")
    return Sample(spec) if spec.endswith(".mp4") else Lens(spec)


def table_and_watch(keeper: Log) -> tuple[Table, Watch]:
    table = Table(keeper, Presenter(speak("en")))
    return table, Watch(table, CannedDetector([()]), opened)  # type: ignore[arg-type]


def turn(watch: Watch, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < end
        watch.once()


@pytest.fixture
def nothing_plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "list_cameras", lambda: ())
    monkeypatch.setattr(home, "open_feed", opened)


@pytest.mark.parametrize("order", [*itertools.permutations(("game", "camera", "list")), ("game",), ("game", "hand")])
def test_a_game_begun_from_the_sample_game_goes_on(
    tmp_path: Path, nothing_plugged_in: None, order: tuple[str, ...]
) -> None:
    options, words = Namespace(log=tmp_path / "family.db"), speak("en")
    with Log(options.log) as keeper:
        table, watch = table_and_watch(keeper)
        home._begin(options, table, watch, words)
        turn(watch, lambda: table.now.demo)
        for click in order:
            answer = table.send(CLICKS[click])
            turn(watch, answer.done)
            assert answer.exception() is None
        before = table.now
        assert (before.players, before.demo) == (("Cai", "Dan"), False)
        watch.close()
    # Killed here: nothing is said at the end.
    with Log(options.log) as keeper:
        table, watch = table_and_watch(keeper)
        resume_last(table, options)
        home._begin(options, table, watch, words)
        turn(watch, lambda: bool(table.now.camera.source) == ("camera" in order) and not table.now.demo)
        watch.once()
        now = table.now
        assert (now.session, now.players, now.counts) == (before.session, ("Cai", "Dan"), before.counts)
        assert now.verdict == before.verdict
        assert now.camera.source == (CAMERA if "camera" in order else "")
        watch.close()


def test_while_the_camera_does_not_answer_the_standing_verdict_stays_in_sight(
    tmp_path: Path, nothing_plugged_in: None
) -> None:
    options, words = Namespace(log=tmp_path / "family.db"), speak("en")
    silent = "http://127.0.0.1:9/video"
    with Log(options.log) as keeper:
        table, _ = table_and_watch(keeper)
        table.open(GAME, silent, "left-right", live=True)
        table.submit(Seen(5.0, {"Ana": (Face(Card.parse("KS")),), "Ben": (Face(Card.parse("9H")),)}))
    with Log(options.log) as keeper:
        table, watch = table_and_watch(keeper)
        resume_last(table, options)
        home._begin(options, table, watch, words)
        turn(watch, lambda: table.now.chip == "camera_lost" and silent in table.now.camera.message)
        now = table.now
        assert now.verdict == "Ana takes both: king beats nine."
        assert (now.camera.source, now.camera.ok) == (silent, False)
        watch.close()
