"""A session that this version cannot follow stays in the log and never keeps the next evening from beginning."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from companion.commands import _port
from companion.commands.home import go_on
from companion.commands.watch import Plan, sit
from companion.log import store as family
from companion.log.store import Entry, Log
from companion.referee.codec import Json, game_to_json
from companion.referee.game import new_game
from companion.table.presenter import Presenter
from companion.table.table import Table
from companion.words import speak

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
        go_on(table, Namespace(log=path))
        assert table.session is None
    said = capsys.readouterr().err
    assert said.startswith("Session 1 stays in the log, but cannot be gone on with: ") and said.count("\n") == 1
    assert [one.id for one in family.sessions(path, unended=True)] == [1]


def test_a_source_is_watched_in_a_session_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "family.db"
    with Log(path) as keeper:
        table = begun(keeper, *STRANGE["input"], live=False)
        sit(table, path, Plan(GAME, "0", "left-right"), live=False, speak=lambda _: None)  # type: ignore[arg-type]
        assert table.session is not None and table.session.id == 2
    assert "cannot be gone on with" in capsys.readouterr().err


def test_a_port_that_is_kept_from_people_is_not_called_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(_port, "_try", refused)
    assert _port.why_not(80) == "Port 80 is not for everybody's use: choose one from 1024 on with --port."
