"""A session exported from one log and taken into another: the same evening, once, whole or not at all."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main
from companion.log import store as family
from companion.log.protocol import Entry
from companion.log.store import Log
from companion.referee.codec import read_script, ruling_name, script_game
from companion.referee.reducer import fold, rulings
from companion.table.presenter import Presenter
from companion.table.table import Table
from companion.words import speak

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.looks"))
MIXED = next(path for path in GAMES if path.stem == "misread_and_put_right")


def played(path: Path, game: Path = MIXED, players: dict[str, str] | None = None, ended: bool = True) -> None:
    """A golden game in the log, as it would have been watched; `players` renames them."""
    text = game.read_text("utf-8")
    for old, new in (players or {}).items():
        text = text.replace(json.dumps(old), json.dumps(new))
    script = read_script(text.splitlines())
    with Log(path) as keeper:
        table = Table(keeper, Presenter(speak("en")))
        table.open(script_game(script), str(game.name), "left-right", live=False)
        for entry, line in zip(script.inputs, script.lines, strict=True):
            table.submit(entry, mark=line, model="abc")
        if ended:
            table.end("the source has ended")


def warref(folder: Path, *words: object, log: str = "there.db") -> int:
    return main([*map(str, words), "--log", str(folder / log), "--lang", "en"])


def exported(folder: Path, log: str = "here.db") -> Path:
    """Session 1 of a log as a file."""
    file = folder / f"{log}.json"
    assert warref(folder, "export", 1, "--out", file, log=log) == 0
    return file


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "open"])
@pytest.mark.parametrize("game", GAMES, ids=lambda path: path.stem)
def test_what_is_taken_in_is_exported_the_same(tmp_path: Path, game: Path, ended: bool) -> None:
    played(tmp_path / "here.db", game, ended=ended)
    first = exported(tmp_path)
    assert warref(tmp_path, "import", first) == 0
    assert exported(tmp_path, "there.db").read_text("utf-8") == first.read_text("utf-8")


def test_the_second_time_nothing_is_doubled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played(tmp_path / "here.db")
    file = exported(tmp_path)
    assert [warref(tmp_path, "import", file, "--json") for _ in range(2)] == [0, 0]
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert told == [{"session": 1, "taken": True}, {"session": 1, "taken": False}]
    assert len(family.list_sessions(tmp_path / "there.db")) == 1
    assert warref(tmp_path, "import", file, log="here.db") == 0
    assert len(family.list_sessions(tmp_path / "here.db")) == 1


def test_names_of_any_kind_come_through(tmp_path: Path) -> None:
    odd = {"Ana": "<b>\"A&n'a", "Ben": "=🂡 Бен"}
    played(tmp_path / "here.db", players=odd)
    assert warref(tmp_path, "import", exported(tmp_path)) == 0
    assert family.load_session(tmp_path / "there.db", 1).game["players"] == list(odd.values())


def changed(folder: Path, **parts: Any) -> Path:
    played(folder / "here.db")
    file = exported(folder)
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **parts}), "utf-8")
    return file


WRONG = {
    "a newer version": ({"export": 2}, "newer War Referee"),
    "a version that is none": ({"export": "one"}, "newer War Referee"),
    "an unknown variant": ({"game": {"variant": "bridge", "players": ["Ana", "Ben"]}}, "bridge"),
    "too many players": ({"game": {"variant": "classic", "players": ["A", "B", "C"]}}, "players"),
    "no game": ({"game": None}, "a variant and a list of players"),
    "no date": ({"opened": "yesterday"}, "no session"),
    "no seats": ({"seats": "on the ceiling"}, "seats"),
    "no inputs": ({"inputs": None}, "no session"),
    "an input of another kind": ({"inputs": [{"look": 1, "written": "2026-01-01", "by": "", "at": 1}]}, "a line needs"),
    "an input left out": ({"inputs": [{"look": 2}]}, "input 1 is missing"),
    "an input about nobody": (
        {"inputs": [{"look": 1, "written": "2026-01-01", "by": "", "at": 1, "faces": {"Zoe": ["9H"]}}]},
        "makes no sense",
    ),
    "no rulings": ({"rulings": [{"ruling": "war_declared"}]}, "no ruling"),
}


@pytest.mark.parametrize(("parts", "says"), WRONG.values(), ids=WRONG)
def test_what_is_off_is_said_and_nothing_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], parts: dict[str, Any], says: str
) -> None:
    file = changed(tmp_path, **parts)
    assert warref(tmp_path, "import", file) == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert says in sentence and file.name in sentence
    assert not family.list_sessions(tmp_path / "there.db")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"{", "not JSON"),
        (b"[]", "no session"),
        (b"\xff", "not text"),
        (b'{"a": "\\ud800"}', "not JSON"),
        (b"[" * 9**5, ""),
    ],
)
def test_what_is_no_export_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes, says: str) -> None:
    (tmp_path / "x.json").write_bytes(text)
    assert warref(tmp_path, "import", tmp_path / "x.json") == 1
    assert says in capsys.readouterr().err


def test_a_missing_file_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert warref(tmp_path, "import", tmp_path / "x.json") == 1
    assert capsys.readouterr().err.endswith("cannot be opened: no such file or directory.\n")


def test_rulings_that_differ_are_said_and_refused_unless_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(tmp_path / "here.db")
    file = exported(tmp_path)
    whole = json.loads(file.read_text("utf-8"))
    won = next(one for one in whole["rulings"] if one["ruling"] == "battle_won")
    won["winner"] = next(name for name in whole["game"]["players"] if name != won["winner"])
    file.write_text(json.dumps(whole), "utf-8")
    assert warref(tmp_path, "import", file) == 1
    assert f"Ruling {won['seq']} differs" in capsys.readouterr().err
    assert not family.list_sessions(tmp_path / "there.db")
    assert warref(tmp_path, "import", file, "--as-told") == 0
    assert family.export_session(tmp_path / "there.db", 1)["rulings"] == whole["rulings"]


def test_the_same_game_at_another_point_stays_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = changed(tmp_path, ended=None)
    assert warref(tmp_path, "import", file, log="here.db") == 1
    assert "stays as it is" in capsys.readouterr().err


def test_a_log_that_is_no_log_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played(tmp_path / "here.db")
    (tmp_path / "there.db").write_text("A letter, not a database. " * 99, "utf-8")
    assert warref(tmp_path, "import", exported(tmp_path)) == 1
    assert "is not a War Referee log" in capsys.readouterr().err


FULL = """
import resource, sys
from pathlib import Path
from companion.cli import main
from companion.log.protocol import Entry
from companion.log.store import Log
Log(Path(sys.argv[2])).close()
resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
sys.exit(main(["import", sys.argv[1], "--log", sys.argv[2]]))
"""


def test_a_full_disk_leaves_nothing_half_taken_in(tmp_path: Path) -> None:
    played(tmp_path / "here.db", max(GAMES, key=lambda path: path.stat().st_size))
    words = [sys.executable, "-c", FULL, str(exported(tmp_path)), str(tmp_path / "there.db")]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "disk" in run.stderr.lower() and "Traceback" not in run.stderr
    assert not family.list_sessions(tmp_path / "there.db")


def test_several_logs_are_merged_without_doubles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for log, games in (("one.db", GAMES[:2]), ("two.db", GAMES[2:4])):
        for game in games:
            played(tmp_path / log, game)
    with Log(tmp_path / "one.db") as keeper:
        keeper.write(1, Entry(99, {"at": 99.0, "appeal": 1, "by": "Ana"}, keep=99, pictures={"table": b"jpeg"}))
        keeper.delete_session(1)
        number = keeper.open_session({"variant": "classic", "players": ["Ana", "Ben"]}, "0", "left-right", live=True)
        keeper.write(number, Entry(1, {"at": 1.0, "faces": {}}, keep=0, pictures={"table": b"jpeg"}))
    assert warref(tmp_path, "import", tmp_path / "one.db", tmp_path / "two.db") == 0
    assert "4 games taken in, 0 games here already" in capsys.readouterr().out
    whole = [family.export_session(tmp_path / "there.db", n) for n in range(1, 5)]
    assert warref(tmp_path, "import", tmp_path / "two.db", tmp_path / "one.db") == 0
    assert "0 games taken in, 4 games here already" in capsys.readouterr().out
    assert [family.export_session(tmp_path / "there.db", n) for n in range(1, 5)] == whole
    assert b"jpeg" in [family.load_table_picture(tmp_path / "there.db", n, 1) for n in range(1, 5)]


def test_a_merge_leaves_out_what_is_damaged_and_takes_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for game in GAMES[:3]:
        played(tmp_path / "one.db", game)
    with Log(tmp_path / "one.db") as keeper:
        keeper._db.execute("UPDATE sessions SET game = '{' WHERE id = 2")
        keeper._db.conn.commit()
    assert warref(tmp_path, "import", tmp_path / "one.db") == 1
    told = capsys.readouterr()
    assert "Session 2 is damaged" in told.err and "2 games taken in" in told.out and "1 game left out" in told.out


def test_all_sessions_of_a_log_are_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for game in GAMES[:3]:
        played(tmp_path / "here.db", game)
    assert warref(tmp_path, "export", "all", "--out", tmp_path / "all.json", log="here.db") == 0
    assert warref(tmp_path, "import", tmp_path / "all.json") == 0
    numbers = [one.id for one in family.list_sessions(tmp_path / "here.db")]
    for n in numbers:
        here, there = (family.export_session(tmp_path / log, n) for log in ("here.db", "there.db"))
        assert here == there


def test_an_export_of_an_older_program_is_the_same_game(tmp_path: Path) -> None:
    """Before sessions had a name in every log: it is derived from the beginning of the game."""
    played(tmp_path / "here.db")
    file = exported(tmp_path)
    whole = {k: v for k, v in json.loads(file.read_text("utf-8")).items() if k not in ("uid", "note", "program")}
    file.write_text(json.dumps(whole), "utf-8")
    assert [warref(tmp_path, "import", file) for _ in range(2)] == [0, 0]
    assert len(family.list_sessions(tmp_path / "there.db")) == 1


def test_a_ruling_with_a_rank_that_there_is_not_is_none_of_this_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(tmp_path / "here.db", next(path for path in GAMES if "war_declared" in _rulings_of(path)))
    file = exported(tmp_path)
    text = file.read_text("utf-8")
    file.write_text(re.sub(r'"rank": "[^"]*"', '"rank": "draw"', text), "utf-8")
    assert warref(tmp_path, "import", file, "--as-told") == 1
    assert capsys.readouterr().err.endswith("the line is no ruling of this program.\n")


def test_the_same_game_otherwise_ruled_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(tmp_path / "here.db")
    file = exported(tmp_path)
    whole = json.loads(file.read_text("utf-8"))
    whole["rulings"][0]["at"] += 1
    file.write_text(json.dumps(whole), "utf-8")
    assert warref(tmp_path, "import", file, "--as-told", log="here.db") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "is the same game" in line


def _rulings_of(game: Path) -> set[str]:
    script = read_script(game.read_text("utf-8").splitlines())
    return {ruling_name(one.ruling) for one in rulings(fold(script_game(script), script.inputs)[0])}
