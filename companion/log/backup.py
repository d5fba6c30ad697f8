"""The whole log with its pictures as one file, and back again."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from companion.log import database
from companion.log.database import check_begun, check_whole, open_reading
from companion.log.errors import LogError, explain_errors
from companion.log.store import Log


class BackupThere(LogError):
    """A file of that name is there already; it stays as it is."""


def back_up_log(path: Path, target: Path) -> int:
    """Copy the log at `path` into the new file `target`, also while a window writes to it; how many sessions it has.

    The copy is one file, whole or not there. Raises LogError, BackupThere.
    """
    if target.exists():
        raise BackupThere(f"{target} is there already: choose another name.")
    part = target.with_name(f"{target.name}.part")
    with explain_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open_reading(path) as db:
            if db is None:
                raise LogError(f"The log {path} holds no session yet.")
            with explain_errors(target), closing(sqlite3.connect(part)) as copy:
                db.conn.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE").fetchall()
                (count,) = copy.execute("SELECT count(*) FROM sessions").fetchone()
        with explain_errors(target):
            database.protect_log(part)
            part.replace(target)
        return int(count)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def restore_log(source: Path, path: Path) -> Path | None:
    """Put the log of the backup `source` in place of the one at `path`; where that one lies now, if there was one.

    Nothing is touched until the backup is found whole and of this program's making. Raises LogError.
    """
    _check_backup(source)
    if source.exists() and path.exists() and source.samefile(path):
        raise LogError(f"{source} is the log itself: name the backup.")
    before = _set_aside(path) if path.exists() else None
    try:
        with Log(path) as log, explain_errors(source), open_reading(source) as db:
            assert db is not None  # checked above
            log.replace_with(db)
    except LogError:
        if before is not None:
            before.replace(path)
        raise
    return before


def _check_backup(source: Path) -> None:
    with open_reading(source) as db:
        if db is None or not check_begun(db, source):
            raise LogError(f"{source} is no backup of a War Referee log.")
        check_whole(db, source)


def _set_aside(path: Path) -> Path:
    """Give the log another name, with all that was written to it, while nobody else has it. Raises LogError."""
    Log(path).close()
    stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    aside = path.with_name(f"{path.stem}.before-{stamp}{path.suffix}")
    with explain_errors(path):
        path.rename(aside)
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
    return aside
