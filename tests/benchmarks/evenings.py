"""How quick the family's log is with many games in it: list, search, family page, exports.

    python -m tests.benchmarks.evenings [--games 10000] [--log FILE]

Simulates a hundred games of all variants, writes them again and again through the log's own store under other dates and
names, then asks every page of the list as the page does and every export as the command does, and prints the median of
several calls in milliseconds, and the size of a game. Exits with 1 where a median is above
the limit.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from companion.log.database import fetch_rows, stored_text
from companion.log.export import FORMATS
from companion.log.games import GameFilter, find_games
from companion.log.renaming import rename_game, rename_input, rename_ruling
from companion.log.store import Log
from companion.referee import reducer
from companion.referee.codec import game_to_json, input_to_json, ruling_to_json
from companion.referee.game import new_game
from companion.simulation.dealer import Order
from companion.simulation.simulate import history
from companion.web import create_app
from companion.words import speak
from tests.companion.web.fake_table import VERDICT, FakeTable

#: Milliseconds that the median of every question may take.
LIMIT_MS = 200.0
#: Different games that are simulated; the log has them over and over.
TEMPLATES = 100
#: Calls of each question.
CALLS = 9
#: What families play: variant, players, house rules; short games are the most common.
PLAYED: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("classic", 2, {"end": "three_wars"}),
    ("classic", 2, {}),
    ("multi", 3, {"end": "rounds", "end_rounds": "60"}),
    ("razboi", 2, {"end": "three_wars"}),
    ("razboi", 3, {"end": "rounds", "end_rounds": "60"}),
    ("classic", 2, {"end": "rounds", "end_rounds": "50"}),
    ("arneson", 2, {"end": "rounds", "end_rounds": "40"}),
)
FAMILY = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Grandmother", "Hugo")
_SEATS = ("A", "B", "C", "D")
#: Inputs of a game at most; a few games never end.
_LONGEST = 1200
_ZONE = timezone(timedelta(hours=1))

Template = tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]


def simulated(number: int) -> Template:
    """The game, inputs and rulings of a simulated game."""
    variant, players, chosen = PLAYED[number % len(PLAYED)]
    game = new_game(variant, _SEATS[:players], chosen)
    state = reducer.start(game)
    inputs, made = [], []
    for entry, _, _ in history(game, random.Random(number), Order.SHUFFLE):
        state, ruled = reducer.step(state, entry, remember=False)
        inputs.append(input_to_json(entry))
        made += [ruling_to_json(one) for one in ruled]
        if len(inputs) >= _LONGEST:
            break
    return game_to_json(game), inputs, made


def write_games(path: Path, games: int) -> None:
    """Fill a log with this many games, three an evening, from 2010 on; one that is there already grows.

    The first ones are written by the log itself, the rest are copies of their rows under other dates and names.
    """
    rng, begun = random.Random(1), min(TEMPLATES, games)
    templates = [_rows(number, rng) for number in range(begun)]
    with Log(path) as log:
        log._db.execute("PRAGMA synchronous = OFF").fetchall()  # this log is thrown away
        for number in range(find_games(path, GameFilter()).total, games):
            if number < begun:
                game, inputs, made = templates[number]
                about = {"end_reason": "the game is over", "source": "0", "seats": "left-right", "game": game}
                log.take_in({**about, **_particulars(number)}, inputs, made)
            else:
                _copy_game(log, number)


def _particulars(number: int) -> dict[str, str]:
    """What a game has for itself."""
    first = datetime(2010, 1, 1, 19, tzinfo=_ZONE)
    opened = (first + timedelta(hours=13 * (number // 3), minutes=40 * (number % 3))).isoformat()
    note = "rain, and cake" if number % 500 == 0 else ""
    return {"opened": opened, "ended": opened, "note": note, "uid": f"{number}"}


def _copy_game(log: Log, number: int) -> None:
    """Write the game of this number, from 0, as a copy of its template, which has all but what is its own."""
    own = {**_particulars(number), "id": number + 1, "session": number + 1}
    with log._db.atomic():
        for table in ("sessions", "inputs", "rulings", "summaries", "player_summaries"):
            key = "id" if table == "sessions" else "session"
            names = [name for name in log._db[table].columns_dict if (table, name) != ("rulings", "id")]
            taken = ", ".join(f":{name}" if name in own else name for name in names)
            sql = f"INSERT INTO {table} ({', '.join(names)}) SELECT {taken} FROM {table} WHERE {key} = :template"
            log._db.execute(sql, {**own, "template": number % TEMPLATES + 1})


def _rows(number: int, rng: random.Random) -> Template:
    """A simulated game played by some of the family, its inputs and rulings as rows of the log."""
    game, inputs, made = simulated(number)
    names = dict(zip(_SEATS, rng.sample(FAMILY, len(game["players"])), strict=False))
    return rename_game(game, names), list(_input_rows(inputs, names)), list(_ruling_rows(made, names))


def _input_rows(inputs: list[dict[str, Any]], names: dict[str, str]) -> Iterator[dict[str, Any]]:
    for look, line in enumerate(inputs, start=1):
        text = stored_text(rename_input(line, names))
        yield {"look": look, "written": "2010-01-01T19:00:00+01:00", "mark": float(look), "by_whom": "", "input": text}


def _ruling_rows(made: list[dict[str, Any]], names: dict[str, str]) -> Iterator[dict[str, Any]]:
    for one in made:
        stamp = {key: one[key] for key in ("seq", "look")}
        beside = {"kind": one["ruling"], "ruling": stored_text(rename_ruling(one, names)), "model": ""}
        yield {**stamp, **beside, "made_by": one["look"], "replaced_by": None}


def questions(path: Path) -> dict[str, Callable[[], object]]:
    """Everything that is asked, by its name."""
    browser, words = create_app(FakeTable(VERDICT), path).test_client(), speak("en")
    middle = find_games(path, GameFilter(), page=3).rows[0].session.id

    def page(address: str) -> Callable[[], object]:
        def ask() -> None:
            answer = browser.get(address)
            assert answer.status_code == 200, address

        return ask

    asked: dict[str, Callable[[], object]] = {
        "list": page("/sessions"),
        "list, last page": page("/sessions?page=200"),
        "search": page("/sessions?text=cake"),
        "player and year": page("/sessions?player=Cleo&year=2015"),
        "unfinished": page("/sessions?unfinished=1"),
        "family": page("/family"),
        "player": page("/family/Ana"),
        "one game": page(f"/sessions/{middle}"),
    }
    for name, form in FORMATS.items():
        asked[f"export {name}"] = lambda form=form: form.export(path, middle, words, lambda jpeg: jpeg)  # type: ignore[misc]
    return asked


def median_ms(ask: Callable[[], object]) -> tuple[float, float]:
    """The medians of some calls, by the clock and by the processor, after one that is not counted."""
    ask()
    times = []
    for _ in range(CALLS):
        begun = time.perf_counter(), time.process_time()
        ask()
        times.append((1000 * (time.perf_counter() - begun[0]), 1000 * (time.process_time() - begun[1])))
    return statistics.median(one for one, _ in times), statistics.median(one for _, one in times)


def main() -> int:
    """Make the log where it is not there, ask, print; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.log or Path(folder) / "many.db"
        begun = time.perf_counter()
        write_games(path, options.games)
        print(f"written up to {options.games} games in {time.perf_counter() - begun:.0f} s")
        games = find_games(path, GameFilter()).total
        (rounds,) = fetch_rows(path, "SELECT avg(rounds) AS mean FROM summaries")
        size = path.stat().st_size / games / 1000
        print(f"{games} games, {rounds['mean']:.0f} rounds on average, {size:.1f} kB a game without pictures")
        found = {name: median_ms(ask) for name, ask in questions(path).items()}
        for name, (took, worked) in found.items():
            above = "  above the limit" if took > LIMIT_MS else ""
            print(f"{name:18} {took:7.1f} ms, {worked:7.1f} ms of the processor{above}")
    return int(any(took > LIMIT_MS for took, _ in found.values()))


if __name__ == "__main__":
    sys.exit(main())
