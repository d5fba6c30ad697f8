"""Games of a file on their way into this log: exported as JSON, or those of another log; each once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from companion.errors import Fault, reason
from companion.log import store
from companion.log.database import derive_uid, fetch_rows, stored_text
from companion.log.importer import NotASession, Sent, check_sent, split_sessions
from companion.log.store import Log
from companion.referee.codec import Json
from companion.words import Words

#: How every SQLite file begins.
_SQLITE = b"SQLite format 3\0"
#: Bytes of an exported text; ten times a family's games of many years, and a device may never end.
LARGEST_EXPORT = 1_000_000_000
#: What makes two copies of a session the same; its number, notes and the program that wrote it may differ.
_SAME = ("opened", "ended", "end_reason", "source", "seats", "game", "inputs", "rulings")


class Arrival(StrEnum):
    """What became of a session: taken in, here already, or here otherwise and left as it is."""

    TAKEN = "taken"
    THERE = "there"
    OTHERWISE = "otherwise"


@dataclass(frozen=True, slots=True)
class Incoming:
    """One session of a file, its pictures as rows, and in words what this version rules otherwise."""

    session: Sent
    pictures: tuple[Json, ...] = ()
    difference: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A session of a file that cannot be taken in, and why, in words."""

    why: str


def read_incoming(file: Path, name: str, words: Words) -> Iterator[Incoming | LeftOut]:
    """The sessions of a file that people know as `name`, oldest first, checked and replayed.

    Raises NotASession or LogError where the whole file is nothing to take in, Fault where it cannot be opened.
    """
    found = _of_log(file, words) if _is_log(file) else _of_text(file, name, words)
    for whole in found:
        if isinstance(whole, LeftOut):
            yield whole
            continue
        try:
            session = check_sent(whole[0], words.ruling)
        except NotASession as error:
            yield LeftOut(words.say("import.refused", file=name, why=str(error)))
            continue
        yield Incoming(session, whole[1], _describe_difference(session, words))


def _is_log(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False  # said when it is read as text


def _of_log(file: Path, words: Words) -> Iterator[tuple[Json, tuple[Json, ...]] | LeftOut]:
    """The sessions of another log with their pictures. Raises LogError."""
    for number in store.list_damaged_sessions(file):
        yield LeftOut(words.say("sessions.damaged", n=number))
    for stored in reversed(store.list_sessions(file)):
        rows = fetch_rows(file, "SELECT look, name, jpeg FROM pictures WHERE session = ? ORDER BY id", stored.id)
        yield store.export_session(file, stored.id), tuple(rows)


def _of_text(file: Path, name: str, words: Words) -> Iterator[tuple[Json, tuple[Json, ...]]]:
    """The sessions of an exported text. Raises NotASession, and Fault where it cannot be opened."""
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST_EXPORT + 1)
    except OSError as error:
        raise Fault(f"{file} cannot be opened: {reason(error)}.") from None
    try:
        if len(data) > LARGEST_EXPORT:
            raise NotASession("it is no session that `warref export` wrote as json.")
        sessions = split_sessions(data.decode(json.detect_encoding(data)))
    except UnicodeDecodeError:
        raise NotASession(words.say("import.refused", file=name, why="it is not text.")) from None
    except NotASession as error:
        raise type(error)(words.say("import.refused", file=name, why=str(error))) from None
    yield from ((whole, ()) for whole in sessions)


def _describe_difference(session: Sent, words: Words) -> str:
    """The first ruling that this version makes otherwise, in words; empty where there is none."""
    if session.differing is None:
        return ""
    old, new = session.differing
    seq = (old or new or {})["seq"]
    there, here = (words.ruling(one) if one else words.say("import.no_ruling") for one in (old, new))
    if there == here:
        return words.say("import.differs_within", n=seq, there=there)
    return words.say("import.differs", n=seq, there=there, here=here)


def merge_session(log: Log, incoming: Incoming) -> tuple[Arrival, int]:
    """Take a session into the log unless it is there; what became of it, and its number here. Raises LogError."""
    whole, session = incoming.session.whole, incoming.session
    uid = whole.get("uid") or derive_uid(whole["opened"], whole["seats"], stored_text(whole["game"]))
    known = fetch_rows(log.path, "SELECT id FROM sessions WHERE uid = ?", uid)
    if not known:
        return Arrival.TAKEN, log.take_in(whole, session.inputs, session.rulings, incoming.pictures)
    number: int = known[0]["id"]
    here = store.export_session(log.path, number)
    if any(here[key] != whole[key] for key in _SAME):
        return Arrival.OTHERWISE, number
    if whole.get("note") and not here["note"]:
        log.write_note(number, whole["note"])
    return Arrival.THERE, number
