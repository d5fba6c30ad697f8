"""Logs of every earlier shape, as the programs of their time wrote them: `stored` has one file of each, compressed."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import pytest

from companion.log import store as family
from companion.log.database import derive_uid
from companion.log.errors import LogError, LogNewer
from companion.log.schema import STEPS
from companion.log.store import SUMMARY_SHAPE, Log
from companion.log.summary import summarize

STORED = sorted((Path(__file__).parent / "stored").glob("*.db.gz"))


def unpacked(stored: Path, folder: Path) -> Path:
    path = folder / "family.db"
    path.write_bytes(gzip.decompress(stored.read_bytes()))
    return path


def truth(path: Path) -> list[object]:
    """Every row of the tables that hold the history, whatever the shape of the log."""
    with sqlite3.connect(path) as db:
        sessions = "SELECT id, opened, ended, end_reason, game, source, seats, live, program FROM sessions ORDER BY id"
        others = [f"SELECT * FROM {table} ORDER BY 1, 2" for table in ("inputs", "rulings", "pictures")]
        return [db.execute(sql).fetchall() for sql in (sessions, *others)]


def test_there_is_a_log_of_every_earlier_shape() -> None:
    assert {path.name.split("_")[0] for path in STORED} == {name.split("_")[0] for name, _ in STEPS[:-1]}


@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.name)
def test_an_older_log_is_brought_up_to_date_and_loses_nothing(stored: Path, tmp_path: Path) -> None:
    path = unpacked(stored, tmp_path)
    before, seen = truth(path), [one.game for one in family.list_sessions(path)]
    Log(path).close()
    assert truth(path) == before
    sessions = family.list_sessions(path)
    assert [one.game for one in sessions] == seen and len({one.uid for one in sessions}) == len(sessions) == 4
    for one in sessions:
        again = summarize(one.game["players"], family.load_rulings(path, one.id), family.load_inputs(path, one.id))
        (row,) = family.fetch_rows(path, "SELECT * FROM summaries WHERE session = ?", one.id)
        assert (row["rounds"], row["winner"], row["corrections"]) == (again.rounds, again.winner, again.corrections)
        assert row["shape"] == (SUMMARY_SHAPE if one.ended else 0)
    assert {one.ended is None for one in sessions} == {True, False}


@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.name)
def test_reading_an_older_log_leaves_it_as_it_is(stored: Path, tmp_path: Path) -> None:
    path = unpacked(stored, tmp_path)
    before = path.read_bytes()
    read = [family.export_session(path, one.id) for one in family.list_sessions(path)]
    assert path.read_bytes() == before
    Log(path).close()
    assert [family.export_session(path, one.id) for one in family.list_sessions(path)] == read


@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.name)
def test_a_newer_log_is_refused_and_stays_as_it_is(stored: Path, tmp_path: Path) -> None:
    path = unpacked(stored, tmp_path)
    with sqlite3.connect(path) as db:
        db.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('war-referee', '9999_x', '')"
        )
    before = path.read_bytes()
    for use in (Log, family.list_sessions):
        with pytest.raises(LogNewer, match="newer War Referee"):
            use(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("at", [100, 4096, 8192 + 8, 20_000])
@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.name)
def test_a_damaged_log_is_refused_and_stays_as_it_is(stored: Path, tmp_path: Path, at: int) -> None:
    path = unpacked(stored, tmp_path)
    data = bytearray(path.read_bytes())
    data[at : at + 600] = b"\xa5" * 600
    path.write_bytes(data)
    with pytest.raises(LogError, match=r"damaged|cannot be used|not a War Referee log"):
        Log(path)
    assert path.read_bytes() == data


def test_a_log_cut_off_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = unpacked(STORED[0], tmp_path)
    path.write_bytes(path.read_bytes()[:20_000])
    before = path.read_bytes()
    with pytest.raises(LogError, match="damaged"):
        Log(path)
    assert path.read_bytes() == before


def test_two_copies_of_an_older_log_name_their_sessions_alike(tmp_path: Path) -> None:
    uids = []
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        path = unpacked(STORED[0], tmp_path / name)
        Log(path).close()
        uids.append([one.uid for one in family.list_sessions(path)])
    assert uids[0] == uids[1]
    assert derive_uid("now", "left-right", "{}") != derive_uid("now", "left-right", "{}", 1)
