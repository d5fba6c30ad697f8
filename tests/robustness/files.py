"""Damaged scripts, exported sessions and logs."""

from __future__ import annotations

import contextlib
import functools
import json
import random
import shutil
import sqlite3
from pathlib import Path

from flask.testing import FlaskClient

from companion.log import store
from companion.web import create_app
from tests.companion.web.fake_table import VERDICT, FakeTable
from tests.robustness.mutations import damage_bytes, damage_json, nasty
from tests.robustness.tally import ROOT, Tally, call, judge

FORMATS = ("json", "csv", "html", "bgstats")
GAMES = sorted((ROOT / "tests" / "games").glob("*.looks"))


def attack_scripts(rng: random.Random, count: int, folder: Path) -> Tally:
    """Replay games with damaged lines; the same game, replayed twice, must say the same."""
    tally, path = Tally(), folder / "damaged.looks"
    for number in range(count):
        path.write_bytes(_script(rng))
        code, out, err = call("replay", path, "--json")
        done = judge(tally, f"scripts {number}", code, err)
        if done and number % 50 == 0 and call("replay", path, "--json")[1] != out:
            tally.fail(f"scripts {number}: two replays differ")
    return tally


def _script(rng: random.Random) -> bytes:
    lines = rng.choice(GAMES).read_text("utf-8").splitlines()
    if rng.random() < 0.2:
        return damage_bytes("\n".join(lines).encode(), rng)
    for _ in range(rng.choice((1, 1, 2, 8))):
        place = rng.randrange(len(lines))
        match rng.randrange(4):
            case 0:
                lines.insert(place, rng.choice(lines))
            case 1:
                lines.insert(place, json.dumps(rng.choice(EXTRA)(rng)))
            case _ if lines[place].strip():
                lines[place] = json.dumps(damage_json(json.loads(lines[place]), rng))
    return "\n".join(lines).encode("utf-8", "replace")


#: Lines that no golden game has much of.
EXTRA = (
    lambda rng: {"at": 5, "undo": rng.randrange(20)},
    lambda rng: {"at": 5, "correct": rng.randrange(20), "faces": {"Ana": [rng.choice(("9H", "KS", "2C"))]}},
    lambda rng: {"at": 5, "swap": ["Ana", "Ben"]},
    lambda rng: {"at": 5, "appeal": rng.randrange(20), "by": "Ana"},
    lambda rng: {"at": 5, "answer": rng.randrange(20), "choice": rng.choice(("9H", "6H", "Ana", "yes"))},
    lambda rng: {"at": 5, "blind": [1, nasty(rng)]},
    lambda rng: {"at": 5, "set": {rng.choice(("war_down", "short", "end", "ask_above", "x")): nasty(rng)}},
    lambda rng: {"at": 5, "seats": nasty(rng)},
    lambda rng: {"at": 5, "faces": {"Ana": [nasty(rng)]}, "backs": {"Ana": nasty(rng)}},
)


def _sessions(folder: Path, rng: random.Random) -> Path:
    """A log with three short games in it."""
    log = folder / "whole.db"
    if not log.exists():
        for game in GAMES[:3]:
            call("watch", "--source", game, "--no-page", "--log", log)
    return log


def attack_imports(rng: random.Random, count: int, folder: Path) -> Tally:
    """Import damaged exports; what is taken in must be shown and exported, what is refused leaves no session."""
    tally, whole = Tally(), _sessions(folder, rng)
    exports = [json.loads(call("export", number, "--log", whole)[1]) for number in (1, 2, 3)]
    path, log = folder / "damaged.json", folder / "taken.db"
    for number in range(count):
        if number % 200 == 0:
            log.unlink(missing_ok=True)
        damaged = rng.choice(exports)
        if rng.random() < 0.5:  # what only --as-told takes in, and every reader must stand
            damaged = {**damaged, "opened": f"{2000 + number}-01-01T10:00:00+01:00", "uid": f"{number:032x}"}
            damaged["rulings"] = [damage_json(one, rng) if rng.random() < 0.1 else one for one in damaged["rulings"]]
        else:
            for _ in range(rng.choice((1, 1, 2, 5))):
                damaged = damage_json(damaged, rng) or {}
        path.write_text(json.dumps(damaged), "utf-8", "replace")
        before = len(store.list_sessions(log)) if log.exists() else 0
        code, _, err = call("import", path, "--log", log, *(("--as-told",) if rng.random() < 0.5 else ()))
        done = judge(tally, f"imports {number}", code, err)
        after = store.list_sessions(log) if log.exists() else ()
        if not done and len(after) != before:
            tally.fail(f"imports {number}: refused, but a session more")
        if done and len(after) > before:
            _look_through(tally, f"imports {number}", log, after[0].id, rng)
    return tally


def _look_through(tally: Tally, about: str, log: Path, session: int, rng: random.Random) -> None:
    """Everything that reads a session, on the command line and on the page."""
    form = rng.choice(FORMATS)
    reads = (("export", session, "--format", form), ("replay", session), ("explain", 1, "--session", session))
    for words in (*reads, ("sessions",)):
        code, _, err = call(*words, "--log", log)
        # A log of several damaged sessions has a sentence for each.
        if code not in (0, 1, 2) or "Traceback" in err:
            tally.fail(f"{about}, {words}: exit {code}, {err.strip()[-600:]!r}")
    browser = _browser(log)
    for address in ("/", "/sessions", f"/sessions/{session}", f"/sessions/{session}.{form}", "/correct?look=1"):
        answer = browser.get(address)
        if answer.status_code >= 500:
            tally.fail(f"{about}, page {address}: {answer.status_code}")


@functools.cache
def _browser(log: Path) -> FlaskClient:
    """A page over this log, made once: what is read anew at each request is the log."""
    return create_app(FakeTable(VERDICT), log).test_client()


def attack_logs(rng: random.Random, count: int, folder: Path) -> Tally:
    """Read logs with bytes, values and JSON damaged."""
    tally, whole, log = Tally(), _sessions(folder, rng), folder / "damaged.db"
    for number in range(count):
        for part in folder.glob("damaged.db*"):
            part.unlink()
        shutil.copy(whole, log)
        if rng.random() < 0.4:
            log.write_bytes(damage_bytes(log.read_bytes(), rng))
        else:
            _damage_rows(log, rng)
        tally.tried += 1
        _look_through(tally, f"logs {number}", log, rng.choice((1, 2, 3, 2**63, 99)), rng)
        tally.refused += call("export", 1, "--log", log)[0] != 0
    return tally


def _damage_rows(log: Path, rng: random.Random) -> None:
    with sqlite3.connect(log) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for _ in range(rng.choice((1, 2, 5))):
            table = rng.choice(tables)
            columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
            column = rng.choice(columns)
            found = list(database.execute(f'SELECT "{column}" FROM "{table}"'))
            if not found:
                continue
            (old,) = rng.choice(found)
            with contextlib.suppress(
                sqlite3.Error, OverflowError, UnicodeEncodeError
            ):  # the database itself refuses it
                database.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE "{column}" = ?', (_value(old, rng), old))
    database.close()


def _value(old: object, rng: random.Random) -> object:
    if isinstance(old, str) and old.startswith("{"):
        return json.dumps(damage_json(json.loads(old), rng)) if rng.random() < 0.7 else old[: len(old) // 2]
    found = nasty(rng)
    return json.dumps(found) if isinstance(found, dict | list) else found
