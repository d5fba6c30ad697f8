"""Games that are taken in on the page: exported ones, another log, and what is none."""

from __future__ import annotations

import io
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.cli import main
from companion.commands.watch import restore_session
from companion.log import store
from companion.log.store import Log
from companion.log_requests import LogRequests
from companion.table.presenter import Presenter
from companion.table.requests import Request
from companion.table.table import Table
from companion.web import create_app
from companion.web.games import IMPORT_MB
from companion.words import speak

ROOT = Path(__file__).parents[3]
WORDS = speak("en")


class ServedTable:
    """A table that carries out each request as it comes, as its thread does."""

    def __init__(self, log: Log) -> None:
        self.table = Table(log, Presenter(WORDS))
        requests = LogRequests(log, self.table, WORDS, lambda stored: restore_session(log.path, stored))
        self.table.add_handlers(requests.handlers)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def send(self, request: Request) -> Future[str]:
        answer = self.table.send(request)
        self.table.serve()
        return answer


@pytest.fixture
def page(tmp_path: Path):
    with Log(tmp_path / "here.db") as log:
        yield create_app(ServedTable(log), log.path).test_client()


@pytest.fixture
def other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The log of another laptop, with two games in it."""
    path = tmp_path / "other.db"
    for name in ("family_classic", "razboi_short"):
        script = ROOT / "tests" / "games" / f"{name}.looks"
        game = {"family_classic": "classic", "razboi_short": "razboi"}[name]
        call = ["watch", "--source", script, "--variant", game, "--players", "Ana,Ben", "--no-page", "--log", path]
        assert main([*map(str, call)]) == 0
    capsys.readouterr()
    return path


def send(page: FlaskClient, data: bytes, name: str = "games.json", **fields: str) -> Any:
    return page.post("/import", data={"file": (io.BytesIO(data), name), **fields}, content_type="multipart/form-data")


@pytest.mark.parametrize("as_log", [True, False])
def test_games_are_taken_in_once(page: FlaskClient, other: Path, tmp_path: Path, as_log: bool) -> None:
    if not as_log:
        assert main(["export", "all", "--log", str(other), "--out", str(tmp_path / "all.json")]) == 0
    data = (other if as_log else tmp_path / "all.json").read_bytes()
    assert send(page, data).json == {
        "ok": True,
        "said": "2 games taken in, 0 games here already, 0 games left out.",
        "taken": 2,
        "there": 0,
    }
    again = send(page, data).json
    assert (again["taken"], again["there"]) == (0, 2)
    here = tmp_path / "here.db"
    assert [store.export_session(here, n) for n in (1, 2)] == [store.export_session(other, n) for n in (1, 2)]


def test_a_ruling_of_another_version_is_kept_only_where_that_is_asked_for(
    page: FlaskClient, other: Path, tmp_path: Path
) -> None:
    assert main(["export", "1", "--log", str(other), "--out", str(tmp_path / "one.json")]) == 0
    changed = (tmp_path / "one.json").read_text("utf-8").replace('"pot": 2,', '"pot": 4,', 1).encode()
    refused = send(page, changed)
    assert refused.status_code == 409 and "differs" in refused.json["error"]
    assert send(page, changed, as_told="on").json["taken"] == 1


def test_what_is_no_game_is_refused_by_the_name_it_was_sent_under(page: FlaskClient) -> None:
    for data in (b"cake", b"\xff\xfe\xff", b"{}", b"SQLite format 3\0" + bytes(500)):
        answer = send(page, data, name="cake.json")
        assert answer.status_code == 409 and "cake.json" in answer.json["error"], data
        assert "/tmp" not in answer.json["error"]
    assert page.post("/import").status_code == 400


def test_a_file_that_is_too_large_is_refused(page: FlaskClient) -> None:
    head = {"CONTENT_LENGTH": str(IMPORT_MB * 1_000_000 + 1)}
    kind = "multipart/form-data; boundary=edge"
    assert page.post("/import", data=b"", content_type=kind, environ_overrides=head).status_code == 413
