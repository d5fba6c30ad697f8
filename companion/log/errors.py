"""What can go wrong with the log, each as one sentence that says what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from companion.errors import Fault, reason


class LogError(Fault):
    """The log cannot be used; the text is one plain sentence."""


class LogNewer(LogError):
    """A later version of the program wrote this log."""


class LogBusy(LogError):
    """Another window has the log open for writing."""


class DamagedSession(LogError):
    """A session stands in the log but cannot be read."""


class NoSession(LogError):
    """There is no session of that number."""


_DAMAGED = "The log {path} is damaged; choose another file with --log."
_SENTENCES = {
    sqlite3.SQLITE_FULL: "The disk is full, the log {path} cannot grow: make room, or choose another file with --log.",
    sqlite3.SQLITE_IOERR: "The disk refuses to keep the log {path}: make room, or choose another file with --log.",
    sqlite3.SQLITE_BUSY: "Another program is using the log {path}; close it and try again.",
    sqlite3.SQLITE_LOCKED: "Another program is using the log {path}; close it and try again.",
    sqlite3.SQLITE_READONLY: "The log {path} cannot be written: allow it in its folder, or choose another with --log.",
    sqlite3.SQLITE_CANTOPEN: "The log {path} cannot be opened: choose another file with --log.",
    sqlite3.SQLITE_NOTADB: "{path} is not a War Referee log: choose another file with --log.",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    # What we ask for is there in every whole log.
    sqlite3.SQLITE_ERROR: _DAMAGED,
}


def damaged(path: Path) -> LogError:
    """What to raise where the log holds what no log can hold."""
    return LogError(_DAMAGED.format(path=path))


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Turn errors of the database and the file system into a LogError of one sentence."""
    try:
        if path.is_dir():
            raise LogError(f"{path} is a folder, not a log: name a file with --log, as {path / 'family.db'}.")
        yield
    except sqlite3.Error as error:
        # The low byte is the kind of fault, the rest its detail.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        sentence = _SENTENCES.get(code, "The log {path} cannot be used ({error}): choose another file with --log.")
        raise LogError(sentence.format(path=path, error=error)) from error
    except UnicodeDecodeError as error:  # a name in the database's own tables
        raise damaged(path) from error
    except OSError as error:
        why = reason(error)
        raise LogError(f"The log {path} cannot be opened ({why}): choose another file with --log.") from error
