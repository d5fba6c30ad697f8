"""The family log: sessions, inputs, rulings and pictures in one SQLite file.

Writing is for one process at a time, through `Log`; reading is for everyone, through functions that open
a connection of their own. Nothing that was ruled is deleted: a ruling that a correction made untrue stays,
marked with the input that replaced it. Every failure a person can meet is a `LogError` with one sentence.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from os.path import samestat
from pathlib import Path

import msgspec
from sqlite_utils import Database

from companion.errors import Fault
from companion.log import database
from companion.log.database import fetch_rows, insert_row, is_there, load_object, now_with_zone, stored_text
from companion.log.errors import DamagedSession, LogBusy, damaged, explain_errors
from companion.log.errors import LogError as LogError
from companion.log.errors import NoSession as NoSession
from companion.log.protocol import Entry
from companion.log.renaming import rename_sessions
from companion.log.summary import PlayerSummary, Summary, summarize
from companion.referee.codec import BadInput, Json, game_from_json, ruling_from_json
from companion.referee.game import Game

#: The shape of `export`, counted up where an older program could not read it any more.
EXPORT = 1
#: The way summaries are worked out, counted up where their numbers mean something else.
SUMMARY_SHAPE = 1
_ABOUT_INPUTS = {"look": "look", "written": "written", "mark": "mark", "by": "by_whom"}
#: Tables with rows of a session, those first that others refer to last.
_OF_A_SESSION = ("inputs", "rulings", "pictures", "summaries", "player_summaries")


@dataclass(frozen=True, slots=True)
class Session:
    """One game as it stands in the log. `game` is the first line of a looks script.

    `uid` is its name in every log, `removed` when it was taken out of the list.
    """

    id: int
    opened: str
    ended: str | None
    end_reason: str | None
    game: Json
    source: str
    seats: str
    live: bool
    uid: str = ""
    note: str = ""
    removed: str | None = None
    program: str = ""


#: Why a session is over that gave way to the next.
ANOTHER_BEGUN = "another game was begun"


class Log:
    """The writing side. `lock` makes it the only one of its kind on the file."""

    def __init__(self, path: Path) -> None:
        """Open or create the log at `path`, bringing an older one up to date. Raises LogError."""
        self.path = path
        with explain_errors(path):
            path.parent.mkdir(mode=database.FOLDER_OWNER_ONLY, parents=True, exist_ok=True)
            self._open()

    def _open(self) -> None:
        with ExitStack() as opened:
            opened.callback(database.lock_log(self.path).release)
            database.protect_log(self.path)
            opened.callback(database.lock_identity(self.path).release)
            self._db = database.open_writable(self.path)
            opened.callback(self._db.close)
            self._file = self.path.stat()
            self.complete_summaries()
            self._locks = opened.pop_all()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction on the file that is called so now. Raises LogError."""
        with explain_errors(self.path):
            self._keep_file()
            with self._db.atomic():
                yield

    def _keep_file(self) -> None:
        """Write the log anew where its file was deleted or moved away; what is written to that is lost at the end."""
        if is_there(self.path):
            if not samestat(self._file, self.path.stat()):
                raise LogError(f"Another file was put in place of the log {self.path}: start again to use that.")
            return
        database.protect_log(self.path)
        with closing(sqlite3.connect(self.path)) as copy:
            self._db.conn.backup(copy)
        self._locks.close()
        self._open()

    def open_session(
        self, game: Json, source: str, seats: str, live: bool, program: str = "", ends: int | None = None
    ) -> int:
        """Begin a session and return its number; session `ends` is over in the same transaction."""
        with self._writing():
            if ends is not None:
                self._end(ends, ANOTHER_BEGUN)
            number = insert_row(
                self._db,
                "sessions",
                uid=database.new_uid(),
                opened=now_with_zone(),
                game=stored_text(game),
                source=source,
                seats=seats,
                live=live,
                program=program,
            )
            empty = Summary(tuple(game.get("players", ())), (), frozenset(), 0)
            _store_summary(self._db, number, empty, 0)
            return number

    def set_source(self, session: int, source: str) -> None:
        """Note the camera that the session is watched by now: it is reopened after a restart."""
        with self._writing():
            self._db.execute("UPDATE sessions SET source = ? WHERE id = ?", (source, session))

    def write(self, session: int, entry: Entry) -> dict[str, int]:
        """Store one input with all it caused, in one transaction; return the numbers of its pictures by name."""
        with self._writing():
            insert_row(
                self._db,
                "inputs",
                session=session,
                look=entry.look,
                written=now_with_zone(),
                mark=entry.mark,
                by_whom=entry.by,
                input=stored_text(entry.input),
            )
            # Numbers of a session that had ended are worked out anew when the log is opened next.
            self._db.execute("UPDATE summaries SET shape = 0 WHERE session = ? AND shape != 0", (session,))
            self._db.execute(
                "UPDATE rulings SET replaced_by = ? WHERE session = ? AND seq > ? AND replaced_by IS NULL",
                (entry.look, session, entry.keep),
            )
            for seq, look, ruling in entry.rulings:
                insert_row(
                    self._db,
                    "rulings",
                    session=session,
                    seq=seq,
                    look=look,
                    kind=ruling["ruling"],
                    ruling=stored_text(ruling),
                    model=entry.model,
                    made_by=entry.look,
                )
            return {
                name: insert_row(self._db, "pictures", session=session, look=entry.look, name=name, jpeg=jpeg)
                for name, jpeg in entry.pictures.items()
            }

    def take_in(
        self, whole: Json, inputs: Iterable[Json], rulings: Iterable[Json], pictures: Iterable[Json] = ()
    ) -> int:
        """Store a session of another log, or nothing; return its number here. It is none to go on with by itself.

        `whole` is as `export_session` gives it; the rest are the rows of the tables but for the session.
        """
        with self._writing():
            about = {name: whole[name] for name in ("opened", "ended", "end_reason", "source", "seats")}
            more = {name: whole.get(name, "") for name in ("note", "program")}
            uid = whole.get("uid") or database.derive_uid(about["opened"], about["seats"], stored_text(whole["game"]))
            number = insert_row(
                self._db, "sessions", **about, **more, uid=uid, game=stored_text(whole["game"]), live=False
            )
            for table, rows in (("inputs", inputs), ("rulings", rulings), ("pictures", pictures)):
                for row in rows:
                    insert_row(self._db, table, session=number, **row)
            self._summarize(number)
            return number

    def end_session(self, session: int, reason: str) -> None:
        """Mark the session as over; it will not be resumed, and its numbers are kept with it."""
        with self._writing():
            self._end(session, reason)

    def _end(self, session: int, reason: str) -> None:
        ended = self._db.execute(
            "UPDATE sessions SET ended = ?, end_reason = ? WHERE id = ? AND ended IS NULL",
            (now_with_zone(), reason, session),
        )
        if ended.rowcount:
            self._summarize(session)

    def complete_summaries(self) -> None:
        """Work out the numbers of every session that lacks them, as after an update; those of open ones come later."""
        sql = (
            "SELECT s.id FROM sessions AS s LEFT JOIN summaries AS m ON m.session = s.id WHERE m.session IS NULL "
            "OR (m.shape != ? AND s.ended IS NOT NULL)"
        )
        for (number,) in self._db.execute(sql, (SUMMARY_SHAPE,)).fetchall():
            with self._db.atomic():
                self._summarize(number)

    def _summarize(self, number: int) -> None:
        """Keep the numbers of a session as it stands; one that is damaged keeps none and stays."""
        rows = list(self._db.query("SELECT * FROM sessions WHERE id = ?", (number,)))
        try:
            stored = parse_session(self.path, rows[0])
            rulings = self._db.query(_IN_FORCE, (number,))
            inputs = self._db.query(_INPUTS, (number,))
            summary = summarize(
                stored.game["players"],
                [_ruling(self.path, row["ruling"]) for row in rulings],
                [load_object(self.path, row["input"]) for row in inputs],
            )
        except (Fault, IndexError):
            return
        shape = 0 if stored.ended is None else SUMMARY_SHAPE
        _store_summary(self._db, number, summary, shape, stored.game)

    def drop_pictures(self, session: int) -> int:
        """Delete the session's pictures for good, and return how many there were."""
        with self._writing():
            gone = self._db.execute("DELETE FROM pictures WHERE session = ?", (session,)).rowcount
        with explain_errors(self.path):
            # Without this the deleted pictures could still be read from the write-ahead file.
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return gone

    def drop_pictures_before(self, day: str) -> int:
        """Delete the pictures of every session opened before this ISO date that has ended; return how many."""
        sql = "SELECT id FROM sessions WHERE evening < ? AND ended IS NOT NULL AND id IN (SELECT session FROM pictures)"
        with explain_errors(self.path):
            old = [number for (number,) in self._db.execute(sql, (day,)).fetchall()]
        return sum(self.drop_pictures(number) for number in old)

    def write_note(self, session: int, note: str) -> None:
        """Keep a note with the session, in place of the one before."""
        self._set(session, note=note)

    def remove_session(self, session: int) -> None:
        """Take the session out of the list; it is kept until it is deleted for good."""
        self._set(session, removed=now_with_zone())

    def bring_back_session(self, session: int) -> None:
        """Take a removed session into the list again."""
        self._set(session, removed=None)

    def _set(self, session: int, **values: str | None) -> None:
        with self._writing():
            named = ", ".join(f"{name} = ?" for name in values)
            self._db.execute(f"UPDATE sessions SET {named} WHERE id = ?", (*values.values(), session))

    def delete_session(self, session: int) -> None:
        """Delete a session with everything that belongs to it, for good."""
        with self._writing():
            for table in _OF_A_SESSION:
                self._db.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
            self._db.execute("DELETE FROM sessions WHERE id = ?", (session,))
        with explain_errors(self.path):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def rename_player(self, old: str, new: str, sessions: Iterable[int]) -> None:
        """Give a player another name in these sessions, all or none; it is kept as an act, to be taken back."""
        numbers = tuple(sessions)
        with self._writing():
            rename_sessions(self._db, self.path, numbers, {old: new})
            about = stored_text({"old": old, "new": new, "sessions": list(numbers)})
            insert_row(self._db, "acts", at=now_with_zone(), act="renamed", about=about)

    def take_back_rename(self, act: int) -> Json:
        """Give the old name back where act number `act` had changed it; what it was. Raises LogError."""
        with self._writing():
            sql = "UPDATE acts SET undone = ? WHERE id = ? AND undone IS NULL RETURNING about"
            rows = self._db.execute(sql, (now_with_zone(), act)).fetchall()
            if not rows:
                raise LogError(f"The log {self.path} has no renaming {act} to take back.")
            about = load_object(self.path, rows[0][0])
            there = {number for (number,) in self._db.execute("SELECT id FROM sessions")}
            rename_sessions(self._db, self.path, there.intersection(about["sessions"]), {about["new"]: about["old"]})
            return about

    def forget_player(self, name: str, names: Mapping[int, str]) -> None:
        """Write another name for a player by session, and forget every act that knows the old one."""
        with self._writing():
            for number, other in names.items():
                rename_sessions(self._db, self.path, (number,), {name: other})
            for act, about in self._db.execute("SELECT id, about FROM acts").fetchall():
                if name in load_object(self.path, about).values():
                    self._db.execute("DELETE FROM acts WHERE id = ?", (act,))
        with explain_errors(self.path):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def replace_with(self, other: Database) -> None:
        """Put another log, which is open for reading, in place of what is here."""
        with explain_errors(self.path):
            other.conn.backup(self._db.conn)
        self.complete_summaries()

    def close(self) -> None:
        """Close the file and let other windows write."""
        self._locks.close()

    def __enter__(self) -> Log:
        """Use as `with Log(path) as log`."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the log."""
        self.close()


def _store_summary(db: Database, number: int, it: Summary, shape: int, game: Json | None = None) -> None:
    """Replace the rows of a session's numbers; without its `game` everybody's are those of a beginning."""
    for table in ("summaries", "player_summaries"):
        db.execute(f"DELETE FROM {table} WHERE session = ?", (number,))
    longest, biggest = it.longest or {}, it.biggest or {}
    insert_row(
        db,
        "summaries",
        session=number,
        shape=shape,
        winner=it.winner,
        end_kind=it.over["reason"] if it.over else "",
        rounds=it.rounds,
        wars=len(it.wars),
        longest_war=longest.get("wars", 0),
        longest_war_look=longest.get("look", 0),
        biggest_pot=biggest.get("pot", 0),
        biggest_pot_look=biggest.get("look", 0),
        seconds=it.seconds,
        corrections=it.corrections,
    )
    people = it.people(starting_counts_of(game), rules_of(game)) if game else map(PlayerSummary, it.players)
    ((opened,),) = db.execute("SELECT opened FROM sessions WHERE id = ?", (number,)).fetchall()
    about = {"session": number, "opened": opened, "finished": it.over is not None}
    for seat, one in enumerate(people, start=1):
        values = dict(zip((field.name for field in fields(one)), astuple(one), strict=True))
        won = one.name == it.winner
        insert_row(db, "player_summaries", **about, seat=seat, player=values.pop("name"), won=won, **values)


def starting_counts_of(game: Json) -> dict[str, int]:
    """The cards that everybody was dealt, as far as the stored game says so."""
    rules = rules_of(game)
    return dict(game.get("counts") or (rules.counts if rules else {}))


def rules_of(game: Json) -> Game | None:
    """The game by today's rules; None where they do not know it any more."""
    try:
        return game_from_json(game)
    except Fault:
        return None


# --- reading: every function opens and closes a connection of its own -------------------------------------


def list_sessions(path: Path, *, unended: bool = False) -> tuple[Session, ...]:
    """All sessions that can be read and are not removed, newest first; with `unended` only those still open.

    Empty where no log is begun yet. `list_damaged_sessions` has the numbers of the others. Raises LogError.
    """
    where = "WHERE removed IS NULL" + (" AND ended IS NULL" if unended else "")
    found = (_readable_session(path, row) for row in _session_rows(path, where))
    return tuple(entry for entry in found if entry is not None)


def list_damaged_sessions(path: Path) -> tuple[int, ...]:
    """Numbers of the sessions that stand in the log but cannot be read, newest first. Raises LogError."""
    return tuple(row["id"] for row in _session_rows(path) if _readable_session(path, row) is None)


def _session_rows(path: Path, where: str = "") -> list[Json]:
    return fetch_rows(path, f"SELECT * FROM sessions {where} ORDER BY id DESC") if is_there(path) else []


def _readable_session(path: Path, row: Json) -> Session | None:
    try:
        return parse_session(path, row)
    except DamagedSession:
        return None


def find_previous(path: Path, number: int | None) -> int | None:
    """The session that was played before session `number`; the newest where there is no number. Raises LogError."""
    if not is_there(path):
        return None
    earlier = "SELECT max(id) AS id FROM sessions WHERE removed IS NULL AND (? IS NULL OR id < ?)"
    rows = fetch_rows(path, earlier, number, number)
    return rows[0]["id"] if rows else None


def load_session(path: Path, number: int) -> Session:
    """One session. Raises NoSession."""
    rows = fetch_rows(path, "SELECT * FROM sessions WHERE id = ?", number) if is_there(path) else []
    if not rows:
        raise NoSession(f"There is no session {number} in the log {path}.")
    return parse_session(path, rows[0])


def load_inputs(path: Path, number: int) -> tuple[Json, ...]:
    """The inputs of a session in order, each a line of a looks script."""
    return tuple(load_object(path, row["input"]) for row in fetch_rows(path, _INPUTS, number))


_INPUTS = "SELECT input FROM inputs WHERE session = ? ORDER BY look"
_IN_FORCE = "SELECT ruling FROM rulings WHERE session = ? AND replaced_by IS NULL ORDER BY seq"


def load_marks(path: Path, number: int) -> tuple[float, ...]:
    """How far the source of a session has been read: the marks of its inputs in order."""
    sql = "SELECT mark FROM inputs WHERE session = ? AND mark IS NOT NULL ORDER BY look"
    return tuple(row["mark"] for row in fetch_rows(path, sql, number))


def load_requesters(path: Path, number: int) -> dict[int, str]:
    """Who asked for an input of a session, by its number, where that was said."""
    rows = fetch_rows(path, "SELECT look, by_whom FROM inputs WHERE session = ? AND by_whom != ''", number)
    return {row["look"]: row["by_whom"] for row in rows}


def load_rulings(path: Path, number: int) -> tuple[Json, ...]:
    """The rulings of a session that are in force, in order."""
    return tuple(_ruling(path, row["ruling"]) for row in fetch_rows(path, _IN_FORCE, number))


def load_summary(path: Path, stored: Session) -> Summary:
    """The summary of a session of the log at `path`, as it stands. Raises LogError."""
    return summarize(stored.game["players"], load_rulings(path, stored.id), load_inputs(path, stored.id))


def summarize_export(whole: Json) -> Summary:
    """The summary of a session as `export_session` gives it."""
    in_force = sorted((one for one in whole["rulings"] if one["replaced_by"] is None), key=lambda one: int(one["seq"]))
    return summarize(whole["game"]["players"], in_force, whole["inputs"])


def _ruling(path: Path, text: str) -> Json:
    found = load_object(path, text)
    try:
        ruling_from_json(found)
    except (BadInput, UnicodeEncodeError):
        # Garbled text can hold half a letter, which no JSON reader takes.
        raise damaged(path) from None
    return found


def list_evidence(path: Path, number: int) -> dict[tuple[int, str], int]:
    """Numbers of the stored pictures of a session by look and name."""
    rows = fetch_rows(path, "SELECT id, look, name FROM pictures WHERE session = ? ORDER BY id", number)
    return {(row["look"], row["name"]): row["id"] for row in rows}


def load_evidence_picture(path: Path, number: int) -> bytes | None:
    """The stored picture `number` as JPEG, or None."""
    rows = fetch_rows(path, "SELECT jpeg FROM pictures WHERE id = ?", number)
    return rows[0]["jpeg"] if rows else None


def load_table_picture(path: Path, number: int, look: int) -> bytes | None:
    """The table at input `look` of session `number` as JPEG, or None."""
    rows = fetch_rows(path, "SELECT jpeg FROM pictures WHERE session = ? AND look = ? AND name = 'table'", number, look)
    return rows[0]["jpeg"] if rows else None


def export_session(path: Path, number: int) -> Json:
    """Everything about a session but its pictures: the game, every input, and every ruling made. Raises LogError."""
    it = load_session(path, number)
    acts = fetch_rows(path, "SELECT * FROM inputs WHERE session = ? ORDER BY look", number)
    made = fetch_rows(path, "SELECT * FROM rulings WHERE session = ? ORDER BY id", number)
    return {
        "export": EXPORT,
        "session": it.id,
        "uid": it.uid,
        "opened": it.opened,
        "ended": it.ended,
        "end_reason": it.end_reason,
        "source": it.source,
        "seats": it.seats,
        "program": it.program,
        "note": it.note,
        "game": it.game,
        "inputs": [
            {**{key: row[name] for key, name in _ABOUT_INPUTS.items()}, **load_object(path, row["input"])}
            for row in acts
        ],
        "rulings": [
            {**_ruling(path, row["ruling"]), **{key: row[key] for key in ("model", "made_by", "replaced_by")}}
            for row in made
        ],
    }


def in_use(path: Path) -> bool:
    """Whether a window is writing to the log now; no log is created to find it out. Raises LogError."""
    if not is_there(path):
        return False
    try:
        with explain_errors(path):
            database.lock_identity(path).release()
    except LogBusy:
        return True
    return False


class _StoredGame(msgspec.Struct):
    """The shape of a stored game; whether its rules are still known is asked only to go on with it."""

    variant: str
    players: list[str]
    set: dict[str, bool | int | float | str] = {}
    counts: dict[str, int] = {}


def parse_session(path: Path, row: Json) -> Session:
    """A session from its row. Raises DamagedSession."""
    names = ("id", "opened", "ended", "end_reason", "source", "seats", "uid", "note", "removed", "program")
    try:
        game = json.loads(row["game"])
        msgspec.convert(game, _StoredGame)
        for moment in (row["opened"], row["opened"] if row["ended"] is None else row["ended"]):
            datetime.fromisoformat(moment)
    except (msgspec.MsgspecError, TypeError, ValueError):
        raise DamagedSession(
            f"Session {row['id']} in the log {path} is damaged and cannot be read; the other sessions can."
        ) from None
    return Session(**{name: row[name] for name in names}, game=game, live=bool(row["live"]))
