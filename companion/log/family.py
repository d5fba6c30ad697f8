"""The family's numbers over all evenings: from the numbers kept with each game, so that many games are quick.

What counts: games that are kept and have ended. Won, drawn and lost are games that came to their end; rounds and wars
count from games that were stopped, too. Luck is rounds won less the sum of the chances to win them with the card that
was turned (`log.summary.win_chance`): nobody chooses a card in War, so that is all there is to luck but the deal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlite_utils import Database

from companion.log.database import is_there, open_reading

#: Games in a row that are worth a word.
LEAST_STREAK = 2


@dataclass(frozen=True, slots=True)
class Best:
    """Something that was best: its number, the game, the input that decided it (0: none), when, and whose it is."""

    value: float
    session: int
    look: int
    opened: str
    player: str = ""


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """One player over all games.

    `streak` is the row of games that goes on, above 0 of won, below of not won ones; `best_streak` the longest row won.
    `longest_war`, `best_catch` and `comeback` (the fewest cards held in a game that was won) are None where there is
    none; `judged` rounds had a chance of `expected` to be won in all, and `judged_won` were.
    """

    name: str
    games: int
    finished: int
    won: int
    rounds_won: int
    wars_fought: int
    wars_won: int
    wars_survived: int
    judged: int
    judged_won: int
    expected: float
    longest_war: Best | None = None
    best_catch: Best | None = None
    comeback: Best | None = None
    streak: int = 0
    best_streak: int = 0

    @property
    def luck(self) -> float:
        """Rounds won beyond what the cards that were turned let expect; below 0: fewer."""
        return self.judged_won - self.expected


@dataclass(frozen=True, slots=True)
class Pair:
    """Two players in the finished games that both played: how many, and who won how many of them."""

    one: str
    other: str
    games: int
    one_won: int
    other_won: int


@dataclass(frozen=True, slots=True)
class Family:
    """Everybody's numbers, the most games won first; records by the key of their label."""

    players: tuple[PlayerRecord, ...] = ()
    pairs: tuple[Pair, ...] = ()
    records: dict[str, Best] = field(default_factory=dict)
    games: int = 0
    evenings: int = 0
    first: str = ""

    def player(self, name: str) -> PlayerRecord | None:
        """The record of a player; None for somebody who never played."""
        return next((one for one in self.players if one.name == name), None)


#: Games that do not count: removed ones, and those that go on.
_COUNTS = "session NOT IN (SELECT id FROM sessions WHERE removed IS NOT NULL OR ended IS NULL)"
_PLAYED = f"FROM player_summaries WHERE {_COUNTS}"
_TOTALS = f"""
    SELECT player, count(*), sum(finished), sum(won), sum(rounds_won), sum(wars_fought), sum(wars_won),
        sum(wars_survived), sum(judged), sum(judged_won), sum(expected)
    {_PLAYED} GROUP BY player"""
#: A player's best of each kind; SQLite gives the other columns of the row that has the max or min.
_BESTS = {
    "longest_war": f"SELECT player, max(longest_war), session, longest_war_look, opened {_PLAYED} AND longest_war > 0",
    "best_catch": f"SELECT player, max(best_pot), session, best_pot_look, opened {_PLAYED} AND best_pot > 0",
    # Won after less than half of a fair share of the pack was left.
    "comeback": f"SELECT player, min(low), session, 0, opened {_PLAYED} AND won AND low < 26.0 / "
    "(SELECT count(*) FROM player_summaries AS other WHERE other.session = player_summaries.session)",
}
#: Records of a whole game, each with who won it.
_RECORDS = {
    "longest_game": "max(rounds)",
    "most_wars": "max(wars)",
    "longest_evening": "max(seconds)",
}


def family_numbers(path: Path) -> Family:
    """The numbers of the log at `path`; empty where no game has ended. Raises LogError."""
    if not is_there(path):
        return Family()
    with open_reading(path) as db:
        return _family(db) if db else Family()


def _family(db: Database) -> Family:
    bests = {
        key: {row[0]: Best(row[1], row[2], row[3], row[4], row[0]) for row in db.execute(f"{sql} GROUP BY player")}
        for key, sql in _BESTS.items()
    }
    rows = _streaks(db.execute(f"SELECT player, won {_PLAYED} AND finished ORDER BY opened, session"))
    players = []
    for row in db.execute(_TOTALS):
        war, catch, comeback = (bests[key].get(row[0]) for key in ("longest_war", "best_catch", "comeback"))
        streak, best_streak = rows.get(row[0], (0, 0))
        one = PlayerRecord(*row)
        found = replace(one, longest_war=war, best_catch=catch, comeback=comeback)
        players.append(replace(found, streak=streak, best_streak=best_streak))
    players.sort(key=lambda one: (-one.won, -one.games, one.name))
    counted = "SELECT count(*), count(DISTINCT evening), min(opened) FROM sessions WHERE removed IS NULL"
    games, evenings, first = db.execute(f"{counted} AND ended IS NOT NULL").fetchone()
    return Family(tuple(players), _pairs(db), _records(db, bests), games, evenings, first or "")


def _streaks(rows: Iterable[tuple[str, int]]) -> dict[str, tuple[int, int]]:
    """By player, the row of games that goes on and the longest row won, from all finished games in order."""
    found: dict[str, tuple[int, int]] = {}
    for player, won in rows:
        now, best = found.get(player, (0, 0))
        now = max(now, 0) + 1 if won else min(now, 0) - 1
        found[player] = now, max(now, best)
    return found


def _pairs(db: Database) -> tuple[Pair, ...]:
    """Who met whom, the most games first."""
    sql = f"""
        SELECT min(a.player, b.player), max(a.player, b.player), count(*),
            sum(CASE WHEN a.player < b.player THEN a.won ELSE b.won END),
            sum(CASE WHEN a.player < b.player THEN b.won ELSE a.won END)
        FROM player_summaries AS a JOIN player_summaries AS b ON a.session = b.session AND a.seat < b.seat
        WHERE a.finished AND a.{_COUNTS} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"""
    return tuple(Pair(*row) for row in db.execute(sql))


def _records(db: Database, bests: dict[str, dict[str, Best]]) -> dict[str, Best]:
    """The best of the whole family; what nobody has done yet is left out."""
    found = {}
    for key, by_player in bests.items():
        if by_player:
            choose = min if key == "comeback" else max
            found[key] = choose(by_player.values(), key=lambda one: one.value)
    for key, most in _RECORDS.items():
        sql = f"SELECT {most}, session, winner FROM summaries WHERE end_kind != '' AND {_COUNTS}"
        row = db.execute(sql).fetchone()
        if row and row[0]:
            (opened,) = db.execute("SELECT opened FROM sessions WHERE id = ?", (row[1],)).fetchone()
            found[key] = Best(row[0], row[1], 0, opened, row[2])
    row = db.execute(f"SELECT max(wars_survived), session, opened, player {_PLAYED}").fetchone()
    if row and row[0]:
        found["most_survived"] = Best(row[0], row[1], 0, row[2], row[3])
    return found
