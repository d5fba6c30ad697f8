"""`warref games`: the list, and what is done with the games, as on the page."""

from __future__ import annotations

import json
import sqlite3
from datetime import date
from pathlib import Path

import pytest

from companion.cli import main
from companion.commands._options import GAMES_ACTS
from companion.commands.games import ACTS
from companion.log import store
from companion.log.store import Log

GAMES = (("classic", "Ana,Ben"), ("razboi", "Annie,Ben"))


@pytest.fixture
def log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Two games; the second was left open, and has a picture."""
    path = tmp_path / "family.db"
    script = '{"at": 3.0, "faces": {"A": ["9S"], "Ben": ["4H"]}}\n{"at": 6.0, "faces": {}}\n'
    for variant, players in GAMES:
        (tmp_path / "one.looks").write_text(script.replace('"A"', f'"{players.split(",")[0]}"'), "utf-8")
        call = ["watch", "--source", tmp_path / "one.looks", "--variant", variant, "--players", players]
        assert main([*map(str, call), "--no-page", "--log", str(path)]) == 0
    with sqlite3.connect(path) as db:
        db.execute("UPDATE sessions SET ended = NULL, end_reason = NULL WHERE id = 2")
        db.execute("INSERT INTO pictures (session, look, name, jpeg) VALUES (1, 1, 'table', x'ffd8')")
    capsys.readouterr()
    return path


@pytest.fixture
def games(log: Path, capsys: pytest.CaptureFixture[str]):
    def call(*words: str) -> tuple[int, str]:
        code = main(["games", *words, "--log", str(log), "--lang", "en"])
        said = capsys.readouterr()
        return code, (said.out + said.err).strip()

    return call


def numbers(games, *words: str) -> list[int]:
    code, said = games(*words, "--json")
    assert code == 0
    return [json.loads(line)["session"] for line in said.splitlines() if line.startswith("{")]


def test_help_names_every_act() -> None:
    assert [one.split()[0] for one in GAMES_ACTS.split(", ")] == ["list", *ACTS]
    assert ", ".join(("list", *(" ".join((name, *act.kinds)) for name, act in ACTS.items()))) == GAMES_ACTS


def test_games_are_searched(games) -> None:
    assert numbers(games) == numbers(games, "list") == [2, 1]
    assert numbers(games, "--player", "Annie") == numbers(games, "--unfinished") == [2]
    assert numbers(games, "--text", "ana") == numbers(games, "--variant", "classic") == [1]
    assert numbers(games, "--year", str(date.today().year)) == [2, 1] and numbers(games, "--year", "1999") == []
    assert games("--player", "Cai") == (0, "No game is like that.")


def test_a_game_is_ended_noted_removed_and_deleted(games, log: Path) -> None:
    assert games("end", "2") == (0, "Game 2 is ended.") and numbers(games, "--unfinished") == []
    assert games("note", "1", "rain, and cake") == (0, "The note is kept.") and numbers(games, "--text", "cake") == [1]
    assert games("note", "1") == (0, "Game 1 has no note any more.")
    assert games("delete", "1")[0] == 1
    assert games("remove", "1")[0] == 0 and numbers(games) == [2] and numbers(games, "--removed") == [1]
    assert games("bring-back", "1")[0] == 0 and numbers(games) == [2, 1]
    assert games("remove", "1")[0] == games("delete", "1")[0] == 0
    assert [one.id for one in store.list_sessions(log)] == [2]


def test_players_are_renamed_made_one_and_forgotten(games, log: Path) -> None:
    assert games("rename", "Annie", "Ana") == (0, "Annie and Ana are one player now: Ana. It changed 1 game.")
    assert numbers(games, "--player", "Ana") == [2, 1]
    assert games("take-back")[0] == 0 and numbers(games, "--player", "Annie") == [2]
    assert games("take-back")[0] == 1
    assert games("forget", "Ben")[0] == 0 and b"Ben" not in log.read_bytes()


def test_pictures_are_deleted_by_game_by_day_and_by_age(games, log: Path) -> None:
    assert games("keep-pictures", "1") == (0, "Deleted: 0 pictures.")
    for words in (("drop-pictures", "1"), ("drop-pictures", store.load_session(log, 1).opened[:10])):
        assert games(*words)[0] == 0
    with sqlite3.connect(log) as db:
        assert db.execute("SELECT count(*) FROM pictures").fetchone() == (0,)
        db.execute("INSERT INTO pictures (session, look, name, jpeg) VALUES (1, 1, 'table', x'ffd8')")
        db.execute("UPDATE sessions SET opened = '2020-01-01T20:00:00+01:00' WHERE id = 1")
    assert games("keep-pictures", "30") == (0, "Deleted: 1 picture.")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("play",), 2, "There is no act play; there are: list, end N"),
        (("end",), 2, "warref games end N."),
        (("end", "Ana"), 2, "warref games end N."),
        (("rename", "Ana"), 2, "warref games rename NAME NAME."),
        (("list", "Ana"), 2, "search with --text"),
        (("end", "7"), 1, "7"),
        (("rename", "Cai", "Dan"), 1, "Nobody called Cai"),
    ],
)
def test_what_cannot_be_done_is_said(games, words: tuple[str, ...], code: int, says: str) -> None:
    assert games(*words)[0] == code and says in games(*words)[1]


def test_a_log_that_another_window_writes_to_or_that_is_not_there_is_said(
    games, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Log(log):
        code, said = games("end", "2")
    assert code == 1 and "another War Referee window" in said.replace("Another", "another")
    none = log.with_name("none.db")
    assert main(["games", "end", "1", "--log", str(none)]) == 1 and not none.exists()
