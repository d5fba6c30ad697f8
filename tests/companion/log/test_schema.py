"""The page on the log's tables names every table and column that there is, and no other; its examples run."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from companion.log import schema
from companion.log.store import Log

PAGE = (Path(schema.__file__).parent / "SCHEMA.md").read_text("utf-8")


@pytest.fixture
def db(path: Path) -> sqlite3.Connection:
    Log(path).close()
    return sqlite3.connect(path)


def test_every_table_and_column_is_described(db: sqlite3.Connection) -> None:
    described = {
        table: re.findall(r"^\| `(\w+)` \| (\w+) \| .+ \|$", text, re.MULTILINE)
        for table, text in re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    }
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    real = {
        table: [(row[1], row[2].split(" ")[0]) for row in db.execute(f"PRAGMA table_xinfo({table})")]
        for table in tables
        if not table.startswith(("sqlite_", "_"))
    }
    assert described == real


def test_the_view_has_the_columns_it_is_said_to_have(db: sqlite3.Connection) -> None:
    view = PAGE.split("## `games`, a view")[1].partition("```")[0]
    assert re.findall(r"`(\w+)`", view) == [row[1] for row in db.execute("PRAGMA table_xinfo(games)")]


def test_the_examples_run(db: sqlite3.Connection) -> None:
    (script,) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    assert script.count(";") >= 2
    db.executescript(script)


def test_reading_needs_only_columns_that_there_are(db: sqlite3.Connection) -> None:
    for table, columns in schema.COLUMNS.items():
        assert columns <= {row[1] for row in db.execute(f"PRAGMA table_xinfo({table})")}
