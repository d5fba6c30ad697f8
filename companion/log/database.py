"""The log's file: who may write to it, bringing it up to date, and connections for reading."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from uuid import NAMESPACE_OID, uuid4, uuid5

import filelock
import platformdirs

# sqlite-utils over SQLAlchemy: numbered migrations and plain SQL are all that seven tables need.
from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from companion.log.errors import LogBusy, LogError, LogNewer, damaged, explain_errors
from companion.log.schema import APPLICATION_ID, COLUMNS, STEPS, UID_FUNCTION
from companion.referee.codec import Json

#: Mode of the log's files: read and written by their owner alone.
_OWNER_ONLY = 0o600
#: Mode of the folder that holds nothing else.
FOLDER_OWNER_ONLY = 0o700
#: Name of the program's own data folder; a folder that a person chose keeps its mode.
_OWN_FOLDER = "war-referee"


# --- for one writer -----------------------------------------------------------------------------------------


def lock_log(path: Path) -> filelock.FileLock:
    """Hold the lock beside the log, which programs on other machines see, too. Raises LogBusy, LogError."""
    return _acquired(filelock.FileLock(f"{os.path.realpath(path)}.lock", mode=_OWNER_ONLY), path)


def lock_identity(path: Path) -> filelock.FileLock:
    """Hold the lock of the file whatever it is called: links to one log share it. Raises LogBusy, LogError."""
    known = path.stat()
    name = f"log-{known.st_dev:x}-{known.st_ino:x}.lock"
    return _acquired(filelock.FileLock(_lock_folder() / name, mode=_OWNER_ONLY), path)


def _lock_folder() -> Path:
    """Where a person's programs keep locks; where no cache can be written, as in a kiosk, the temporary files."""
    with suppress(OSError):
        folder = platformdirs.user_cache_path(_OWN_FOLDER, ensure_exists=True)
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.gettempdir())


def _acquired(lock: filelock.FileLock, path: Path) -> filelock.FileLock:
    # The system lets go of this lock when a process dies, so a crash never leaves the log locked.
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        if not Path(lock.lock_file).exists():
            raise LogError(f"No log can be written to {path.parent}: choose another file with --log.") from None
        raise LogBusy(
            f"Another War Referee window is writing to the log {path}; close it or choose another file with --log."
        ) from None
    return lock


def protect_log(path: Path) -> None:
    """Let nobody but the owner read the log, which has pictures of the room; SQLite's own files beside it follow."""
    path.touch(mode=_OWNER_ONLY)
    if path.parent.name == _OWN_FOLDER:
        path.parent.chmod(FOLDER_OWNER_ONLY)
    for file in (path, *(Path(f"{os.path.realpath(path)}{suffix}") for suffix in ("-wal", "-shm", ".lock"))):
        with suppress(FileNotFoundError, PermissionError):  # another's log stays as its owner has it
            file.chmod(_OWNER_ONLY)


def open_writable(path: Path) -> Database:
    """The log for writing, of today's shape. Raises LogError where it is no log of ours, or a newer one."""
    db = Database(sqlite3.connect(path, timeout=5.0), execute_plugins=False)
    try:
        if check_begun(db, path) and _migrations().pending(db):
            # Before it is brought up to date, so that a damaged one stays as it was.
            check_whole(db, path)
        db.execute("PRAGMA journal_mode = WAL").fetchall()
        # FULL, not NORMAL: a ruling that was said must outlast a power cut as well as a crash.
        for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
            db.execute(f"PRAGMA {pragma}").fetchall()
        _bring_up_to_date(db)
    except BaseException:
        db.close()
        raise
    return db


def check_whole(db: Database, path: Path) -> None:
    """Raise LogError where the file is damaged."""
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise damaged(path)


def _bring_up_to_date(db: Database) -> None:
    """Apply the steps that are missing, all or none."""
    db.conn.create_function(UID_FUNCTION, 4, derive_uid, deterministic=True)
    with db.atomic():
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        _migrations().apply(db)


def _migrations() -> Migrations:
    steps = Migrations("war-referee")
    for name, statements in STEPS:

        def step(db: Database, statements: tuple[str, ...] = statements) -> None:
            for statement in statements:
                db.execute(statement)

        steps(name=name)(step)
    return steps


def check_begun(db: Database, path: Path) -> bool:
    """Whether the file is a log that was begun; one that is empty becomes one. Raises LogError where it is another."""
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    if mark != APPLICATION_ID and db.table_names():
        raise LogError(f"{path} is a database of another program: choose another file with --log.")
    known = {name for name, _ in STEPS}
    if any(step.name not in known for step in _migrations().applied(db)):
        raise LogNewer(f"The log {path} was written by a newer War Referee; update this one to use it.")
    return bool(mark == APPLICATION_ID)


def new_uid() -> str:
    """A name for a new session that no other session in any log has."""
    return uuid4().hex


def derive_uid(opened: str, seats: str, game: str, before: int = 0) -> str:
    """The name of a session that was opened before sessions had one: the same in every copy of its log.

    `game` is its JSON text, `before` how many sessions opened in the same second stand before it.
    """
    return uuid5(NAMESPACE_OID, json.dumps([opened, seats, game, before], default=str)).hex


# --- for every reader ---------------------------------------------------------------------------------------


@contextmanager
def open_reading(path: Path) -> Iterator[Database | None]:
    """The log for reading, or None where the file is as empty as a log is before its first session. Raises LogError."""
    with explain_errors(path):
        db = _readable(path)
        try:
            begun = check_begun(db, path)
            if begun and _migrations().pending(db):
                db = _copy_up_to_date(db)
            if begun and any(columns - db[table].columns_dict.keys() for table, columns in COLUMNS.items()):
                raise damaged(path)
            yield db if begun else None
        finally:
            db.close()


def _copy_up_to_date(db: Database) -> Database:
    """An older log as this program would bring it up to date, in memory: reading never changes the file."""
    copy = Database(memory=True, execute_plugins=False)
    db.conn.backup(copy.conn)
    db.close()
    _bring_up_to_date(copy)
    return copy


def _readable(path: Path) -> Database:
    """The log for reading, also from a disk or folder on which nothing can be written."""
    address = Path(os.path.realpath(path)).as_uri()
    connection = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=5.0)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if not path.is_file():
            raise
        # Readers of a write-ahead log note themselves beside it; where they cannot, nobody can be writing either.
        connection = sqlite3.connect(f"{address}?immutable=1", uri=True)
    return Database(connection, execute_plugins=False)


def is_there(path: Path) -> bool:
    """Whether there is a file of that name. Raises LogError."""
    with explain_errors(path):
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True


def fetch_rows(path: Path, sql: str, *values: object) -> list[Json]:
    """The rows of a query, each by column; none where no log is begun. Raises LogError."""
    if any(isinstance(value, int) and abs(value) >= 2**63 for value in values):
        return []  # a number that no row can have
    with open_reading(path) as db:
        return list(db.query(sql, values)) if db else []


def insert_row(db: Database, table: str, **values: object) -> int:
    """Insert one row and return its number."""
    columns, places = ", ".join(values), ", ".join("?" * len(values))
    # Half a letter, as in the name of a foreign file, stays as its escape: a database takes no such text.
    rows = (one.encode(errors="backslashreplace").decode() if isinstance(one, str) else one for one in values.values())
    cursor = db.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", tuple(rows))
    return int(cursor.lastrowid or 0)


def load_object(path: Path, text: str) -> Json:
    """The JSON object of a stored text. Raises LogError where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, TypeError):
        found = None
    if not isinstance(found, dict):
        raise damaged(path)
    return found


def stored_text(value: Json) -> str:
    """The text that a JSON object is stored as."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def now_with_zone() -> str:
    """Local date and time to the second, with its offset."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
