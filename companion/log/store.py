"""The family log: sessions, inputs, rulings and pictures in one SQLite file.

Writing is for one process at a time, through `Log`; reading is for everyone, through functions that open
a connection of their own. Nothing that was ruled is deleted: a ruling that a correction made untrue stays,
marked with the input that replaced it. Every failure a person can meet is a `LogError` with one sentence.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import filelock
import msgspec
import platformdirs

# sqlite-utils over SQLAlchemy: numbered migrations and plain SQL are all that four tables need.
from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from companion.log.errors import DamagedSession, LogBusy, LogNewer, explain_errors
from companion.log.errors import LogError as LogError
from companion.log.errors import NoSession as NoSession
from companion.log.protocol import Entry
from companion.log.schema import APPLICATION_ID, COLUMNS, STEPS
from companion.referee.codec import BadInput, Json, ruling_from_json

#: Mode of the log's files: read and written by their owner alone.
_OWNER_ONLY = 0o600
#: Mode of the folder that holds nothing else.
_FOLDER_OWNER_ONLY = 0o700
#: Name of the program's own data folder; a folder that a person chose keeps its mode.
_OWN_FOLDER = "war-referee"
#: The shape of `export`, counted up where an older program could not read it any more.
EXPORT = 1
_ABOUT_INPUTS = {"look": "look", "written": "written", "mark": "mark", "by": "by_whom"}


@dataclass(frozen=True, slots=True)
class Session:
    """One game as it stands in the log. `game` is the first line of a looks script."""

    id: int
    opened: str
    ended: str | None
    end_reason: str | None
    game: Json
    source: str
    seats: str
    live: bool


class Log:
    """The writing side. `lock` makes it the only one of its kind on the file."""

    def __init__(self, path: Path) -> None:
        """Open or create the log at `path`, bringing an older one up to date. Raises LogError."""
        self.path = path
        with explain_errors(path), ExitStack() as opened:
            path.parent.mkdir(mode=_FOLDER_OWNER_ONLY, parents=True, exist_ok=True)
            opened.callback(_locked(path).release)
            _protect(path)
            opened.callback(_locked_by_identity(path).release)
            self._db = _writable(path)
            self._locks = opened.pop_all()

    def open_session(self, game: Json, source: str, seats: str, live: bool, program: str = "") -> int:
        """Begin a session and return its number."""
        with explain_errors(self.path), self._db.atomic():
            return _insert(
                self._db,
                "sessions",
                opened=_now(),
                game=_text(game),
                source=source,
                seats=seats,
                live=live,
                program=program,
            )

    def set_source(self, session: int, source: str) -> None:
        """Note the camera that the session is watched by now: it is reopened after a restart."""
        with explain_errors(self.path), self._db.atomic():
            self._db.execute("UPDATE sessions SET source = ? WHERE id = ?", (source, session))

    def write(self, session: int, entry: Entry) -> dict[str, int]:
        """Store one input with all it caused, in one transaction; return the numbers of its pictures by name."""
        with explain_errors(self.path), self._db.atomic():
            _insert(
                self._db,
                "inputs",
                session=session,
                look=entry.look,
                written=_now(),
                mark=entry.mark,
                by_whom=entry.by,
                input=_text(entry.input),
            )
            self._db.execute(
                "UPDATE rulings SET replaced_by = ? WHERE session = ? AND seq > ? AND replaced_by IS NULL",
                (entry.look, session, entry.keep),
            )
            for seq, look, ruling in entry.rulings:
                _insert(
                    self._db,
                    "rulings",
                    session=session,
                    seq=seq,
                    look=look,
                    kind=ruling["ruling"],
                    ruling=_text(ruling),
                    model=entry.model,
                    made_by=entry.look,
                )
            return {
                name: _insert(self._db, "pictures", session=session, look=entry.look, name=name, jpeg=jpeg)
                for name, jpeg in entry.pictures.items()
            }

    def take_in(self, whole: Json, inputs: Iterable[Json], rulings: Iterable[Json]) -> int:
        """Store a session of another log, or nothing; return its number here. It is none to go on with by itself.

        `whole` is as `export` gives it; `inputs` and `rulings` are the rows of the two tables but for the session.
        """
        with explain_errors(self.path), self._db.atomic():
            names = ("opened", "ended", "end_reason", "source", "seats")
            about = {name: whole[name] for name in names}
            number = _insert(self._db, "sessions", **about, game=_text(whole["game"]), live=False, program="imported")
            for table, rows in (("inputs", inputs), ("rulings", rulings)):
                for row in rows:
                    _insert(self._db, table, session=number, **row)
            return number

    def end_session(self, session: int, reason: str) -> None:
        """Mark the session as over; it will not be resumed."""
        with explain_errors(self.path), self._db.atomic():
            self._db.execute(
                "UPDATE sessions SET ended = ?, end_reason = ? WHERE id = ? AND ended IS NULL",
                (_now(), reason, session),
            )

    def drop_pictures(self, session: int) -> int:
        """Delete the session's pictures for good, and return how many there were."""
        with explain_errors(self.path):
            with self._db.atomic():
                gone = self._db.execute("DELETE FROM pictures WHERE session = ?", (session,)).rowcount
            # Without this the deleted pictures could still be read from the write-ahead file.
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return gone

    def close(self) -> None:
        """Close the file and let other windows write."""
        self._db.close()
        self._locks.close()

    def __enter__(self) -> Log:
        """Use as `with Log(path) as log`."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the log."""
        self.close()


# --- reading: every function opens and closes a connection of its own -------------------------------------


def list_sessions(path: Path, *, unended: bool = False) -> tuple[Session, ...]:
    """All sessions that can be read, newest first; with `unended` only those still open.

    Empty where no log is begun yet. `list_damaged_sessions` has the numbers of the others. Raises LogError.
    """
    where = "WHERE ended IS NULL" if unended else ""
    found = (_readable_session(path, row) for row in _session_rows(path, where))
    return tuple(entry for entry in found if entry is not None)


def list_damaged_sessions(path: Path) -> tuple[int, ...]:
    """Numbers of the sessions that stand in the log but cannot be read, newest first. Raises LogError."""
    return tuple(row["id"] for row in _session_rows(path) if _readable_session(path, row) is None)


def _session_rows(path: Path, where: str = "") -> list[Json]:
    return _rows(path, f"SELECT * FROM sessions {where} ORDER BY id DESC") if _there(path) else []


def _readable_session(path: Path, row: Json) -> Session | None:
    try:
        return _session(path, row)
    except DamagedSession:
        return None


def find_previous(found: Iterable[Session], number: int | None) -> Session | None:
    """Of the sessions found, the one that was played before session `number`; the newest where there is no number."""
    earlier = (one for one in found if number is None or one.id < number)
    return max(earlier, key=lambda one: one.id, default=None)


def load_session(path: Path, number: int) -> Session:
    """One session. Raises NoSession."""
    rows = _rows(path, "SELECT * FROM sessions WHERE id = ?", number) if _there(path) else []
    if not rows:
        raise NoSession(f"There is no session {number} in the log {path}.")
    return _session(path, rows[0])


def load_inputs(path: Path, number: int) -> tuple[Json, ...]:
    """The inputs of a session in order, each a line of a looks script."""
    rows = _rows(path, "SELECT input FROM inputs WHERE session = ? ORDER BY look", number)
    return tuple(_read(path, row["input"]) for row in rows)


def load_marks(path: Path, number: int) -> tuple[float, ...]:
    """How far the source of a session has been read: the marks of its inputs in order."""
    sql = "SELECT mark FROM inputs WHERE session = ? AND mark IS NOT NULL ORDER BY look"
    return tuple(row["mark"] for row in _rows(path, sql, number))


def load_requesters(path: Path, number: int) -> dict[int, str]:
    """Who asked for an input of a session, by its number, where that was said."""
    rows = _rows(path, "SELECT look, by_whom FROM inputs WHERE session = ? AND by_whom != ''", number)
    return {row["look"]: row["by_whom"] for row in rows}


def load_rulings(path: Path, number: int) -> tuple[Json, ...]:
    """The rulings of a session that are in force, in order."""
    sql = "SELECT ruling FROM rulings WHERE session = ? AND replaced_by IS NULL ORDER BY seq"
    return tuple(_ruling(path, row["ruling"]) for row in _rows(path, sql, number))


def _ruling(path: Path, text: str) -> Json:
    found = _read(path, text)
    try:
        ruling_from_json(found)
    except BadInput:
        raise LogError(f"The log {path} is damaged; choose another file with --log.") from None
    return found


def list_evidence(path: Path, number: int) -> dict[tuple[int, str], int]:
    """Numbers of the stored pictures of a session by look and name."""
    rows = _rows(path, "SELECT id, look, name FROM pictures WHERE session = ? ORDER BY id", number)
    return {(row["look"], row["name"]): row["id"] for row in rows}


def load_evidence_picture(path: Path, number: int) -> bytes | None:
    """The stored picture `number` as JPEG, or None."""
    rows = _rows(path, "SELECT jpeg FROM pictures WHERE id = ?", number)
    return rows[0]["jpeg"] if rows else None


def load_table_picture(path: Path, number: int, look: int) -> bytes | None:
    """The table at input `look` of session `number` as JPEG, or None."""
    rows = _rows(path, "SELECT jpeg FROM pictures WHERE session = ? AND look = ? AND name = 'table'", number, look)
    return rows[0]["jpeg"] if rows else None


def export_session(path: Path, number: int) -> Json:
    """Everything about a session but its pictures: the game, every input, and every ruling ever made on it."""
    it = load_session(path, number)
    acts = _rows(path, "SELECT * FROM inputs WHERE session = ? ORDER BY look", number)
    made = _rows(path, "SELECT * FROM rulings WHERE session = ? ORDER BY id", number)
    return {
        "export": EXPORT,
        "session": it.id,
        "opened": it.opened,
        "ended": it.ended,
        "end_reason": it.end_reason,
        "source": it.source,
        "seats": it.seats,
        "game": it.game,
        "inputs": [
            {**{key: row[name] for key, name in _ABOUT_INPUTS.items()}, **_read(path, row["input"])} for row in acts
        ],
        "rulings": [
            {**_read(path, row["ruling"]), **{key: row[key] for key in ("model", "made_by", "replaced_by")}}
            for row in made
        ],
    }


def in_use(path: Path) -> bool:
    """Whether a window is writing to the log now; no log is created to find it out. Raises LogError."""
    if not _there(path):
        return False
    try:
        with explain_errors(path):
            _locked_by_identity(path).release()
    except LogBusy:
        return True
    return False


# --- the file -----------------------------------------------------------------------------------------------


def _locked(path: Path) -> filelock.FileLock:
    """The lock beside the log, which programs on other machines see, too."""
    real = path.resolve()
    return _acquired(filelock.FileLock(f"{real}.lock", mode=_OWNER_ONLY), path)


def _locked_by_identity(path: Path) -> filelock.FileLock:
    """The lock of the file whatever it is called: links to one log share it."""
    folder = platformdirs.user_cache_path(_OWN_FOLDER, ensure_exists=True)
    known = path.stat()
    return _acquired(filelock.FileLock(folder / f"log-{known.st_dev:x}-{known.st_ino:x}.lock", mode=_OWNER_ONLY), path)


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


def _protect(path: Path) -> None:
    """Let nobody but the owner read the log, which has pictures of the room; SQLite's own files beside it follow."""
    path.touch(mode=_OWNER_ONLY)
    if path.parent.name == _OWN_FOLDER:
        path.parent.chmod(_FOLDER_OWNER_ONLY)
    for file in (path, *(Path(f"{path.resolve()}{suffix}") for suffix in ("-wal", "-shm", ".lock"))):
        with suppress(FileNotFoundError, PermissionError):  # another's log stays as its owner has it
            file.chmod(_OWNER_ONLY)


def _writable(path: Path) -> Database:
    db = Database(sqlite3.connect(path, timeout=5.0), execute_plugins=False)
    _begun(db, path)
    db.execute("PRAGMA journal_mode = WAL").fetchall()
    # FULL, not NORMAL: a ruling that was said must outlast a power cut as well as a crash.
    for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
        db.execute(f"PRAGMA {pragma}").fetchall()
    with db.atomic():
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        _migrations().apply(db)
    return db


def _migrations() -> Migrations:
    steps = Migrations("war-referee")
    for name, statements in STEPS:

        def step(db: Database, statements: tuple[str, ...] = statements) -> None:
            for statement in statements:
                db.execute(statement)

        steps(name=name)(step)
    return steps


def _begun(db: Database, path: Path) -> bool:
    """Whether the file is a log that was begun; one that is empty becomes one. Raises LogError where it is another."""
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    if mark != APPLICATION_ID and db.table_names():
        raise LogError(f"{path} is a database of another program: choose another file with --log.")
    known = {name for name, _ in STEPS}
    if any(step.name not in known for step in _migrations().applied(db)):
        raise LogNewer(f"The log {path} was written by a newer War Referee; update this one to use it.")
    return bool(mark == APPLICATION_ID)


@contextmanager
def _reading(path: Path) -> Iterator[Database | None]:
    """The log for reading, or None where the file is as empty as a log is before its first session."""
    with explain_errors(path):
        db = _readable(path)
        try:
            begun = _begun(db, path)
            if begun and any(columns - db[table].columns_dict.keys() for table, columns in COLUMNS.items()):
                raise LogError(f"The log {path} is damaged; choose another file with --log.")
            yield db if begun else None
        finally:
            db.close()


def _readable(path: Path) -> Database:
    """The log for reading, also from a disk or folder on which nothing can be written."""
    address = path.resolve().as_uri()
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


def _there(path: Path) -> bool:
    with explain_errors(path):
        return path.exists()


def _rows(path: Path, sql: str, *values: object) -> list[Json]:
    if any(isinstance(value, int) and abs(value) >= 2**63 for value in values):
        return []  # a number that no row can have
    with _reading(path) as db:
        return list(db.query(sql, values)) if db else []


class _StoredGame(msgspec.Struct):
    """The shape of a stored game; whether its rules are still known is asked only to go on with it."""

    variant: str
    players: list[str]
    set: dict[str, bool | int | float | str] = {}
    counts: dict[str, int] = {}


def _session(path: Path, row: Json) -> Session:
    names = ("id", "opened", "ended", "end_reason", "source", "seats")
    try:
        game = json.loads(row["game"])
        msgspec.convert(game, _StoredGame)
        for moment in filter(None, (row["opened"], row["ended"])):
            datetime.fromisoformat(moment)
    except (msgspec.MsgspecError, TypeError, ValueError):
        raise DamagedSession(
            f"Session {row['id']} in the log {path} is damaged and cannot be read; the other sessions can."
        ) from None
    return Session(**{name: row[name] for name in names}, game=game, live=bool(row["live"]))


def _insert(db: Database, table: str, **values: object) -> int:
    columns, places = ", ".join(values), ", ".join("?" * len(values))
    # Half a letter, as in the name of a foreign file, stays as its escape: a database takes no such text.
    rows = (one.encode(errors="backslashreplace").decode() if isinstance(one, str) else one for one in values.values())
    cursor = db.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", tuple(rows))
    return int(cursor.lastrowid or 0)


def _read(path: Path, text: str) -> Json:
    try:
        found = json.loads(text)
    except (ValueError, TypeError):
        found = None
    if not isinstance(found, dict):
        raise LogError(f"The log {path} is damaged; choose another file with --log.")
    return found


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
