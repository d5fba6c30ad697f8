"""An evening of three games from films, put right, disputed, taken away in every format and taken into another log."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path

import pytest

from companion.cli import main
from companion.log import store
from companion.log.export import FORMATS, LOG_FORMATS
from companion.log.games import GameFilter, find_games
from tests.films.served import HAS_WEIGHTS, WEIGHTS, Program, free_port

SAMPLES = Path(__file__).parents[2] / "sample_images"
#: Two rounds of three players; the second is a war that Cai wins.
THREE = """{"game": {"variant": "multi", "players": ["Ana", "Ben", "Cai"]}}
{"at": 3.0, "faces": {"Ana": ["KH"], "Ben": ["9C"], "Cai": ["4D"]}}
{"at": 6.0, "faces": {}}
{"at": 9.0, "faces": {"Ana": ["QS"], "Ben": ["QD"], "Cai": ["7C"]}}
{"at": 13.0, "faces": {"Ana": ["QS", "3D"], "Ben": ["QD", "5H"], "Cai": ["7C", "AS"]}, "backs": {"Ana": 1, "Ben": 1}}
{"at": 17.0, "faces": {}}
"""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not HAS_WEIGHTS, reason="the trained networks are not in models/")]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The evening's log."""
    folder = tmp_path_factory.mktemp("evening")
    log = folder / "here.db"
    (folder / "three.looks").write_text(THREE, "utf-8")
    assert main(["film", str(folder / "three.looks"), str(folder / "three.mp4"), "--seed", "5"]) == 0
    watched = (
        ("razboi", "Ana,Ben", SAMPLES / "razboi.mp4"),
        ("multi", "Ana,Ben,Cai", folder / "three.mp4"),
    )
    for variant, players, film in watched:
        words = ["watch", "--source", film, "--variant", variant, "--players", players, "--no-page", "--json"]
        assert main([*map(str, words), "--log", str(log), "--weights", str(WEIGHTS)]) == 0
    _played_and_put_right(folder, log)
    return log


def _played_and_put_right(folder: Path, log: Path) -> None:
    """The classic game with its page: corrected once, undone once, appealed once, as people do on it."""
    words = ("watch", "--source", SAMPLES / "classic.mp4", "--variant", "classic", "--players", "Ana,Ben", "--json")
    with Program(folder, *words, "--log", log, "--port", free_port()) as program:
        now = program.until(lambda now: now["finished"], 280.0)
        won = [line for line in now["log"] if line["ruling"] == "battle_won"]
        last, first = won[0], won[-1]
        program.post(
            "correct", look=first["look"], faces={first["winner"]: [f"{first['faces'][first['winner']][0][:-1]}?"]}
        )
        program.post("undo", look=last["look"])
        program.post("appeal", look=first["look"], by="Ben")
        program.until(lambda now: now["log"][0]["disputes"] == first["look"])
        program.interrupt()


def truth(log: Path) -> list[object]:
    """Everything that is history, without the numbers that a log gives; pictures apart."""
    with sqlite3.connect(log) as db:
        about = "uid, opened, ended, end_reason, game, source, seats, program, note"
        sessions = db.execute(f"SELECT {about} FROM sessions ORDER BY uid").fetchall()
        found: list[object] = [sessions]
        for columns, table, order in (
            ("look, written, mark, by_whom, input", "inputs", "look"),
            ("seq, look, kind, ruling, model, made_by, replaced_by", "rulings", "t.id"),
            ("winner, end_kind, rounds, wars, longest_war, seconds, corrections", "summaries", "uid"),
            ("seat, player, t.opened, won, cards, rounds_won, expected", "player_summaries", "seat"),
        ):
            joined = f"FROM {table} AS t JOIN sessions AS s ON s.id = t.session"
            found.append(db.execute(f"SELECT uid, {columns} {joined} ORDER BY uid, {order}").fetchall())
    return found


def test_an_evening_is_put_right_and_taken_away_whole(here: Path, tmp_path: Path) -> None:
    rows = find_games(here, GameFilter()).rows
    assert [row.session.game["variant"] for row in rows] == ["classic", "multi", "razboi"]
    assert [(row.place, row.of) for row in rows] == [(3, 3), (2, 3), (1, 3)]
    inputs = [key for one in store.load_inputs(here, rows[0].session.id) for key in one]
    assert [inputs.count(act) for act in ("correct", "undo", "appeal")] == [1, 1, 1]
    assert any(one["replaced_by"] for one in store.export_session(here, rows[0].session.id)["rulings"])

    for number in (1, 2, 3):
        for name, form in FORMATS.items():
            out = tmp_path / form.file.format(number=number)
            call = ["export", str(number), "--format", name, "--out", str(out), "--log", str(here), "--lang", "en"]
            assert main(call) == 0 and out.stat().st_size > 200
    assert "data:image/jpeg;base64," in (tmp_path / "war-3.html").read_text("utf-8")
    assert list(csv.DictReader(io.StringIO((tmp_path / "war-2.csv").read_text("utf-8"))))
    for name, form in LOG_FORMATS.items():
        assert main(["export", "all", "--format", name, "--out", str(tmp_path / form.file), "--log", str(here)]) == 0

    apart, together, merged = (tmp_path / f"{name}.db" for name in ("apart", "together", "merged"))
    for number in (1, 2, 3):
        assert main(["import", str(tmp_path / f"war-{number}.json"), "--log", str(apart)]) == 0
    assert main(["import", str(tmp_path / "war-games.json"), "--log", str(together)]) == 0
    for _ in range(2):
        assert main(["import", str(here), str(apart), "--log", str(merged)]) == 0
    for log in (apart, together, merged):
        assert truth(log) == truth(here), log.name
    with sqlite3.connect(here) as one, sqlite3.connect(merged) as other:
        pictures = (
            "SELECT uid, look, name, jpeg FROM pictures AS p JOIN sessions AS s ON s.id = session ORDER BY 1, 2, 3"
        )
        assert one.execute(pictures).fetchall() == other.execute(pictures).fetchall() != []


def test_the_games_as_json_say_the_same_as_one_by_one(here: Path, tmp_path: Path) -> None:
    assert main(["export", "all", "--out", str(tmp_path / "all.json"), "--log", str(here)]) == 0
    whole = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert whole["sessions"] == [store.export_session(here, number) for number in (1, 2, 3)]
