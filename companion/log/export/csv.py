"""Tables: one game's rulings, and all games, players and rounds of the log. Times are ISO 8601 with their zone."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from companion.log import store
from companion.log.database import fetch_rows
from companion.log.export import Shrink
from companion.log.games import each_session
from companion.log.summary import RulingRow
from companion.words import Words

#: Columns of the tables of the whole log, as SQL has them.
_GAMES = "SELECT * FROM games ORDER BY opened, game"
_PLAYERS = """SELECT p.session AS game, s.opened, s.variant, p.seat, p.player, p.won, p.cards, p.rounds_won,
    p.wars_fought, p.wars_won, p.wars_survived, p.longest_war, p.best_pot, p.low, p.judged, p.judged_won, p.expected
    FROM player_summaries AS p JOIN sessions AS s ON s.id = p.session WHERE s.removed IS NULL
    ORDER BY s.opened, p.session, p.seat"""
_ROUND = ("game", "time", "at", "round", "winner", "faces", "pot", "wars", "counts")


def export_csv(path: Path, number: int, words: Words, shrink: Shrink) -> str:
    """The rulings of session `number`, one a row, with `\\r\\n` line ends. Raises LogError."""
    stored = store.load_session(path, number)
    players = tuple(stored.game["players"])
    named = [f"{what} {player}" for what in ("cards", "count") for player in players]
    heads = ("seq", "look", "at", "ruling", "round", "winner", "pot", *named, "text", "time")
    rulings = store.load_rulings(path, number)
    return _table(
        heads,
        (
            (*_cells(ruling, players), words.ruling(ruling), moment_of(stored.opened, ruling["at"]))
            for ruling in rulings
        ),
    )


def _cells(ruling: RulingRow, players: tuple[str, ...]) -> tuple[object, ...]:
    faces, counts = ruling.get("faces", {}), ruling.get("counts", {})
    fixed = [ruling.get(key, "") for key in ("seq", "look", "at", "ruling", "round", "winner", "pot")]
    return (*fixed, *(" ".join(faces.get(name, ())) for name in players), *(counts.get(name, "") for name in players))


def export_games(path: Path, words: Words) -> str:
    """Every game, one a row. Raises LogError."""
    return _sql_table(path, _GAMES)


def export_players(path: Path, words: Words) -> str:
    """Every player of every game, one a row. Raises LogError."""
    return _sql_table(path, _PLAYERS)


def _sql_table(path: Path, sql: str) -> str:
    rows = fetch_rows(path, sql)
    return _table(rows[0] if rows else (), (row.values() for row in rows))


def export_rounds(path: Path, words: Words) -> str:
    """Every round that was judged, one a row. Raises LogError."""
    return _table(_ROUND, _rounds(path))


def _rounds(path: Path) -> Iterator[tuple[object, ...]]:
    for stored in each_session(path):
        for ruling in store.load_rulings(path, stored.id):
            if ruling["ruling"] in ("battle_won", "battle_drawn"):
                faces = "; ".join(f"{name} {' '.join(codes)}" for name, codes in ruling["faces"].items() if codes)
                counts = "; ".join(f"{name} {n}" for name, n in ruling["counts"].items())
                fixed = (stored.id, moment_of(stored.opened, ruling["at"]), ruling["at"], ruling["round"])
                yield (*fixed, ruling.get("winner", ""), faces, ruling["pot"], ruling.get("wars", ""), counts)


def moment_of(opened: str, at: float) -> str:
    """When something was ruled `at` seconds after its session was opened.

    >>> moment_of("2026-01-31T23:59:30+01:00", 41.2)
    '2026-02-01T00:00:11+01:00'
    """
    try:
        return (datetime.fromisoformat(opened) + timedelta(seconds=at)).isoformat(timespec="seconds")
    except OverflowError:
        return ""


def _table(heads: Iterable[object], rows: Iterable[Iterable[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(map(escape_formula, heads))
    writer.writerows(map(escape_formula, row) for row in rows)
    return out.getvalue()


def escape_formula(cell: object) -> object:
    """The cell so that no spreadsheet takes it for a formula: names are typed by anybody.

    >>> escape_formula("=1+1"), escape_formula("Ana"), escape_formula(-3)
    ("'=1+1", 'Ana', -3)
    """
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
