"""The list of games: search, filters, and the evenings they were played in; from the numbers kept with each game."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from companion.log import store
from companion.log.database import fetch_rows, is_there, open_reading
from companion.log.errors import LogError
from companion.log.store import Session, parse_session
from companion.referee.codec import Json

#: Games on one page of the list.
PAGE_OF_GAMES = 50


@dataclass(frozen=True, slots=True)
class GameFilter:
    """Which games of the log: with this player, variant or year; only unfinished, or only removed ones.

    `text` is looked for in the names of the players and in the notes, whatever the capitals.
    """

    text: str = ""
    player: str = ""
    variant: str = ""
    year: str = ""
    unfinished: bool = False
    removed: bool = False

    def condition(self) -> tuple[str, list[str]]:
        """The condition on `sessions` as SQL, and its values."""
        parts, values = [f"s.removed IS {'NOT ' if self.removed else ''}NULL"], []
        if self.player:
            parts.append("s.id IN (SELECT session FROM player_summaries WHERE player = ?)")
            values.append(self.player)
        if self.variant:
            parts.append("s.variant = ?")
            values.append(self.variant)
        if self.year:
            parts.append("s.evening >= ? AND s.evening < ?")
            values += [self.year, f"{self.year}-99"]
        if self.unfinished:
            parts.append("s.ended IS NULL")
        if self.text:
            like = "LIKE ? ESCAPE '\\'"
            names = f"SELECT player FROM (SELECT DISTINCT player FROM player_summaries) WHERE folded(player) {like}"
            known = f"SELECT session FROM player_summaries WHERE player IN ({names})"
            parts.append(f"((s.note != '' AND folded(s.note) {like}) OR s.id IN ({known}))")
            values += [_pattern(self.text)] * 2
        return " AND ".join(parts), values


def _pattern(text: str) -> str:
    plain = text.strip().casefold()
    for sign in ("\\", "%", "_"):
        plain = plain.replace(sign, f"\\{sign}")
    return f"%{plain}%"


@dataclass(frozen=True, slots=True)
class GameRow:
    """One game in the list. `place` and `of`: which game of its evening, of how many; `pictures` that are kept."""

    session: Session
    evening: str
    winner: str
    over: bool
    rounds: int
    wars: int
    longest_war: int
    seconds: float
    corrections: int
    place: int = 1
    of: int = 1
    pictures: int = 0

    @property
    def players(self) -> tuple[str, ...]:
        """Who played, in the order of the seats."""
        return tuple(self.session.game["players"])


@dataclass(frozen=True, slots=True)
class GamesFound:
    """A page of the list, newest first, and how many games there are in all; `damaged` ones cannot be read."""

    rows: tuple[GameRow, ...]
    total: int
    damaged: tuple[int, ...] = ()

    @property
    def evenings(self) -> list[tuple[str, tuple[GameRow, ...]]]:
        """The rows by evening, the newest first; within one, the last game first."""
        return [(day, tuple(rows)) for day, rows in groupby(self.rows, key=lambda row: row.evening)]


_COLUMNS = """s.*, m.winner, m.end_kind, m.rounds, m.wars, m.longest_war, m.seconds, m.corrections, m.shape,
    (SELECT count(*) FROM pictures AS i WHERE i.session = s.id) AS pictures"""
_FROM = "FROM sessions AS s LEFT JOIN summaries AS m ON m.session = s.id"
_ORDER = "ORDER BY s.evening DESC, s.opened DESC, s.id DESC"


def find_games(path: Path, wanted: GameFilter, page: int = 1, size: int = PAGE_OF_GAMES) -> GamesFound:
    """A page of the games that are wanted, counted from 1. Raises LogError."""
    if not is_there(path):
        return GamesFound((), 0)
    condition, values = wanted.condition()
    with open_reading(path) as db:
        if db is None:
            return GamesFound((), 0)
        db.conn.create_function("folded", 1, lambda text: str(text).casefold(), deterministic=True)
        (total,) = db.execute(f"SELECT count(*) FROM sessions AS s WHERE {condition}", values).fetchone()
        sql = f"SELECT {_COLUMNS} {_FROM} WHERE {condition} {_ORDER} LIMIT ? OFFSET ?"
        rows = list(db.query(sql, [*values, size, min((max(1, page) - 1) * size, total)]))
        evenings = {row["evening"] for row in rows}
        marks = ",".join("?" * len(evenings))
        order = f"SELECT evening, id FROM sessions WHERE removed IS NULL AND evening IN ({marks}) ORDER BY opened, id"
        places = _places(db.execute(order, list(evenings)))
    found, damaged = _game_rows(path, rows)
    return GamesFound(tuple(_placed(row, places) for row in found), total, damaged)


def _places(rows: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for evening, number in rows:
        found.setdefault(evening, []).append(number)
    return found


def _placed(row: GameRow, places: dict[str, list[int]]) -> GameRow:
    evening = places.get(row.evening, [])
    if row.session.id not in evening:
        return row
    return replace(row, place=evening.index(row.session.id) + 1, of=len(evening))


def _game_rows(path: Path, rows: Iterable[Json]) -> tuple[list[GameRow], tuple[int, ...]]:
    found, damaged = [], []
    for row in rows:
        try:
            found.append(_game_row(path, row))
        except LogError:
            damaged.append(int(row["id"]))
    return found, tuple(damaged)


#: What the list takes from a kept summary, and its type: one that is damaged is worked out from the game instead.
_SUMMED = {"winner": str, "rounds": int, "wars": int, "longest_war": int, "seconds": float, "corrections": int}


def _game_row(path: Path, row: Json) -> GameRow:
    """A row of the list; the numbers of a game that goes on are worked out as it stands."""
    session = parse_session(path, row)
    if row["shape"] == store.SUMMARY_SHAPE and all(isinstance(row[name], kind) for name, kind in _SUMMED.items()):
        known = {name: row[name] for name in _SUMMED} | {"over": bool(row["end_kind"])}
    else:
        it = store.load_summary(path, session)
        longest = it.longest["wars"] if it.longest else 0
        known = {"winner": it.winner, "rounds": it.rounds, "wars": len(it.wars), "longest_war": longest}
        known |= {"seconds": it.seconds, "corrections": it.corrections, "over": it.over is not None}
    return GameRow(session, str(row["evening"]), **known, pictures=row["pictures"])


@dataclass(frozen=True, slots=True)
class Choices:
    """What the list can be filtered by: players as often as they played, variants, years, the newest first."""

    players: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    removed: int = 0
    unfinished: int = 0


def list_choices(path: Path) -> Choices:
    """What the list of this log can be filtered by. Raises LogError."""
    if not is_there(path):
        return Choices()
    with open_reading(path) as db:
        if db is None:
            return Choices()

        def column(sql: str) -> tuple[str, ...]:
            return tuple(str(value) for (value,) in db.execute(sql) if value)

        # As the index of games that do not count is written, so that it is used.
        apart = "(removed IS NOT NULL OR ended IS NULL)"
        removed = f"SELECT id FROM sessions WHERE removed IS NOT NULL AND {apart}"
        players = f"SELECT player FROM player_summaries WHERE session NOT IN ({removed}) GROUP BY player"
        unfinished = f"SELECT count(*) FROM sessions WHERE ended IS NULL AND removed IS NULL AND {apart}"
        return Choices(
            column(f"{players} ORDER BY count(*) DESC, player"),
            column("SELECT DISTINCT variant FROM sessions ORDER BY variant"),
            column("SELECT DISTINCT substr(evening, 1, 4) AS year FROM sessions ORDER BY year DESC"),
            int(db.execute(f"SELECT count(*) FROM ({removed})").fetchone()[0]),
            int(db.execute(unfinished).fetchone()[0]),
        )


def count_unsummed(path: Path) -> int:
    """How many games that have ended lack the numbers that looking back adds up. Raises LogError."""
    if not is_there(path):
        return 0
    sql = """SELECT count(*) AS n FROM sessions AS s LEFT JOIN summaries AS m ON m.session = s.id
        WHERE s.ended IS NOT NULL AND (m.session IS NULL OR m.shape != ?)"""
    return sum(row["n"] for row in fetch_rows(path, sql, store.SUMMARY_SHAPE))


def sessions_of(path: Path, evening: str) -> tuple[int, ...]:
    """Numbers of the sessions of one evening (an ISO date), oldest first. Raises LogError."""
    rows = fetch_rows(path, "SELECT id FROM sessions WHERE evening = ? ORDER BY opened, id", evening)
    return tuple(row["id"] for row in rows)


def sessions_with(path: Path, player: str) -> tuple[int, ...]:
    """Numbers of all sessions that somebody of this name plays in, removed ones too. Raises LogError."""
    rows = fetch_rows(path, "SELECT session FROM player_summaries WHERE player = ? ORDER BY 1", player)
    return tuple(row["session"] for row in rows)


def last_rename(path: Path) -> Json | None:
    """The newest renaming that can be taken back: its `id`, `old` and `new` name; None where there is none."""
    rows = fetch_rows(path, "SELECT id, about FROM acts WHERE undone IS NULL ORDER BY id DESC LIMIT 1")
    return {"id": rows[0]["id"], **json.loads(rows[0]["about"])} if rows else None


def each_session(path: Path, wanted: GameFilter | None = None) -> Iterator[Session]:
    """Every readable session that is wanted, oldest first. Raises LogError."""
    page = 1
    numbers: list[Session] = []
    while True:
        found = find_games(path, wanted or GameFilter(), page, 1000)
        numbers += [row.session for row in found.rows]
        if page * 1000 >= found.total:
            break
        page += 1
    yield from reversed(numbers)
