"""The family's numbers over all evenings: from the numbers kept with each game, so that many games are quick.

What counts: games that are kept and have ended. Won, drawn and lost are games that came to their end; rounds and wars
count from games that were stopped, too. Luck is rounds won less the sum of the chances to win them with the card that
was turned (`log.summary.win_chance`): nobody chooses a card in War, so that is all there is to luck but the deal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby
from operator import itemgetter
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
_APART = "SELECT id FROM sessions WHERE removed IS NOT NULL OR ended IS NULL"
_COUNTS = f"session NOT IN ({_APART})"
_PLAYED = f"FROM player_summaries WHERE {_COUNTS}"
#: A number and the session that has it in one, so that one pass over the games finds all that was best.
_AT = "(1 << 40) + session"
_FAIR = "26.0 / (SELECT count(*) FROM player_summaries AS other WHERE other.session = player_summaries.session)"
_TOTALS = f"""
    SELECT player, count(*), sum(finished), sum(won), sum(rounds_won), sum(wars_fought), sum(wars_won),
        sum(wars_survived), sum(judged), sum(judged_won), sum(expected),
        max(CASE WHEN longest_war THEN longest_war * {_AT} END), max(CASE WHEN best_pot THEN best_pot * {_AT} END),
        -- Won after less than half of a fair share of the pack was left.
        min(CASE WHEN won AND low < {_FAIR} THEN low * {_AT} END)
    {_PLAYED} GROUP BY player"""
#: What the last columns are the best of, and the input that decided it.
_BESTS = (("longest_war", "longest_war_look"), ("best_catch", "best_pot_look"), ("comeback", "0"))
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
    finished = db.execute(f"SELECT opened, session, player, won {_PLAYED} AND finished").fetchall()
    finished.sort()
    rows = _streaks((player, won) for _, _, player, won in finished)
    bests: dict[str, dict[str, Best]] = {key: {} for key, _ in _BESTS}
    players = []
    for row in db.execute(_TOTALS).fetchall():
        for (key, look), packed in zip(_BESTS, row[11:], strict=True):
            if packed is not None:
                bests[key][row[0]] = _best(db, row[0], packed, look)
        war, catch, comeback = (found.get(row[0]) for found in bests.values())
        streak, best_streak = rows.get(row[0], (0, 0))
        one = replace(PlayerRecord(*row[:11]), longest_war=war, best_catch=catch, comeback=comeback)
        players.append(replace(one, streak=streak, best_streak=best_streak))
    players.sort(key=lambda one: (-one.won, -one.games, one.name))
    counted = f"SELECT count(*), count(DISTINCT evening), min(opened) FROM sessions WHERE id NOT IN ({_APART})"
    games, evenings, first = db.execute(counted).fetchone()
    return Family(tuple(players), _pairs(finished), _records(db, bests), games, evenings, first or "")


def _best(db: Database, player: str, packed: int, look: str) -> Best:
    """A player's best from its number and session in one."""
    value, session = divmod(packed, 1 << 40)
    sql = f"SELECT {look}, opened FROM player_summaries WHERE player = ? AND session = ?"
    decided, opened = db.execute(sql, (player, session)).fetchone()
    return Best(value, session, decided, opened, player)


def _streaks(rows: Iterable[tuple[str, int]]) -> dict[str, tuple[int, int]]:
    """By player, the row of games that goes on and the longest row won, from all finished games in order."""
    found: dict[str, tuple[int, int]] = {}
    for player, won in rows:
        now, best = found.get(player, (0, 0))
        now = max(now, 0) + 1 if won else min(now, 0) - 1
        found[player] = now, max(now, best)
    return found


def _pairs(finished: Iterable[tuple[str, int, str, int]]) -> tuple[Pair, ...]:
    """Who met whom, the most games first; `finished` are opened, session, player and won, in order of the sessions."""
    met: dict[tuple[str, str], list[int]] = {}
    for _, rows in groupby(finished, key=itemgetter(1)):
        together = [(player, won) for _, _, player, won in rows]  # by name, as they are sorted
        for (one, first), (other, second) in combinations(together, 2):
            known = met.setdefault((one, other), [0, 0, 0])
            known[0] += 1
            known[1] += first
            known[2] += second
    pairs = [Pair(one, other, *numbers) for (one, other), numbers in met.items()]
    return tuple(sorted(pairs, key=lambda pair: (-pair.games, pair.one, pair.other)))


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
