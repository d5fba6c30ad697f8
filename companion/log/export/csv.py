"""A session's rulings as a CSV table, one row a ruling."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from companion.log import store
from companion.log.summary import RulingRow
from companion.words import Words


def export_csv(path: Path, number: int, words: Words) -> str:
    """The table of session `number`, with `\\r\\n` line ends. Raises LogError."""
    players = tuple(store.load_session(path, number).game["players"])
    rows = ((*_cells(ruling, players), words.ruling(ruling)) for ruling in store.load_rulings(path, number))
    return _table(players, rows)


def _table(players: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    """CSV text with a heading; a column of cards and one of counts for each player."""
    out = io.StringIO()
    writer = csv.writer(out)
    named = [escape_formula(f"{what} {player}") for what in ("cards", "count") for player in players]
    writer.writerow(["seq", "look", "at", "ruling", "round", "winner", "pot", *named, "text"])
    writer.writerows([escape_formula(cell) for cell in row] for row in rows)
    return out.getvalue()


def _cells(ruling: RulingRow, players: tuple[str, ...]) -> tuple[object, ...]:
    faces, counts = ruling.get("faces", {}), ruling.get("counts", {})
    fixed = [ruling.get(key, "") for key in ("seq", "look", "at", "ruling", "round", "winner", "pot")]
    return (*fixed, *(" ".join(faces.get(name, ())) for name in players), *(counts.get(name, "") for name in players))


def escape_formula(cell: object) -> object:
    """The cell so that no spreadsheet takes it for a formula: names are typed by anybody.

    >>> escape_formula("=1+1"), escape_formula("Ana"), escape_formula(-3)
    ("'=1+1", 'Ana', -3)
    """
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
