"""The list of games: by evening, with search and filters."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from companion.log.games import GameFilter, each_session, find_games, list_choices
from companion.log.store import Log
from tests.companion.log.test_store import ruling

#: Opened, variant, players, ended, note.
PLAYED = (
    ("2025-12-31T23:50:00+01:00", "classic", ("Ana", "Ben"), True, ""),
    ("2026-01-01T00:40:00+01:00", "classic", ("Ana", "Ben"), True, "New YEAR's game, 100% luck"),
    ("2026-01-01T20:00:00+01:00", "razboi", ("Ána", "Ben", "Cai"), True, ""),
    ("2026-01-02T20:00:00+02:00", "classic", ("Ben", "Cai"), False, ""),
)


@pytest.fixture
def path(path: Path) -> Path:
    with Log(path) as log:
        for opened, variant, players, ended, note in PLAYED:
            game = {"variant": variant, "players": list(players), "set": {}}
            kept = {"opened": opened, "ended": opened if ended else None, "end_reason": "", "source": "", "seats": ""}
            faces = dict.fromkeys(players, ["9H"])
            won = ruling("battle_won", faces=faces, winner=players[0], takes={players[0]: 2}, counts={})
            row = {"seq": 1, "look": 1, "kind": "battle_won", "ruling": json.dumps(won), "model": ""}
            log.take_in({**kept, "game": game, "note": note}, (), [{**row, "made_by": 1, "replaced_by": None}])
    return path


def numbers(path: Path, **wanted: object) -> list[int]:
    return [row.session.id for row in find_games(path, GameFilter(**wanted)).rows]


def test_games_are_told_by_evening_and_midnight_ends_none(path: Path) -> None:
    found = find_games(path, GameFilter())
    assert [(day, [row.session.id for row in rows]) for day, rows in found.evenings] == [
        ("2026-01-02", [4]),
        ("2026-01-01", [3]),
        ("2025-12-31", [2, 1]),
    ]
    assert [(row.session.id, row.place, row.of) for row in found.rows] == [(4, 1, 1), (3, 1, 1), (2, 2, 2), (1, 1, 2)]


def test_filters_alone_and_together(path: Path) -> None:
    assert numbers(path, player="Ana") == [2, 1]
    assert numbers(path, variant="razboi") == [3]
    assert numbers(path, year="2026") == [4, 3] and numbers(path, year="2025") == [2, 1]
    assert numbers(path, unfinished=True) == [4]
    assert numbers(path, player="Ben", year="2026", variant="classic") == [4]
    assert numbers(path, removed=True) == []


def test_search_knows_names_and_notes_and_no_wildcards(path: Path) -> None:
    assert numbers(path, text="year") == [2] and numbers(path, text="100%") == [2]
    assert numbers(path, text="ÁNA") == [3] and numbers(path, text="cai") == [4, 3]
    assert numbers(path, text="_") == [] and numbers(path, text="%") == [2]


def test_a_place_in_the_evening_is_that_among_all_its_games(path: Path) -> None:
    (row,) = find_games(path, GameFilter(text="year")).rows
    assert (row.place, row.of) == (2, 2)


def test_the_numbers_of_a_game_that_goes_on_are_those_of_now(path: Path) -> None:
    row = find_games(path, GameFilter(unfinished=True)).rows[0]
    assert (row.rounds, row.over, row.winner) == (1, False, "")


def test_pages_and_choices(path: Path) -> None:
    found = find_games(path, GameFilter(), page=2, size=3)
    assert [row.session.id for row in found.rows] == [1] and found.total == 4
    assert find_games(path, GameFilter(), page=2**63 - 1).rows == ()
    choices = list_choices(path)
    assert choices.players == ("Ben", "Ana", "Cai", "Ána")
    assert (choices.variants, choices.years, choices.unfinished) == (("classic", "razboi"), ("2026", "2025"), 1)
    assert [one.id for one in each_session(path)] == [1, 2, 3, 4]


def test_a_damaged_game_hides_no_other(path: Path) -> None:
    with Log(path) as log:
        log._db.execute("UPDATE sessions SET game = '{' WHERE id = 2")
    found = find_games(path, GameFilter())
    assert [row.session.id for row in found.rows] == [4, 3, 1] and found.damaged == (2,)


def test_no_log_has_no_games(tmp_path: Path) -> None:
    assert find_games(tmp_path / "none.db", GameFilter()).rows == ()
    (tmp_path / "empty.db").touch()
    assert list_choices(tmp_path / "empty.db").players == ()


@pytest.mark.parametrize("column", ["rounds", "wars", "seconds", "winner"])
def test_a_damaged_summary_is_worked_out_from_the_game(path: Path, column: str) -> None:
    before = find_games(path, GameFilter()).rows
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE summaries SET {column} = ?", (b"garbled",))
    assert find_games(path, GameFilter()).rows == before
