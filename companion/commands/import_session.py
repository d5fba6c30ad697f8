"""`warref import`: games that were exported elsewhere, or those of another log, into this log, each once."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.commands.sessions import log_path
from companion.console import NotText, out, read_text, tell
from companion.log import store
from companion.log.database import derive_uid, fetch_rows, stored_text
from companion.log.importer import NotASession, Sent, check_sent, split_sessions
from companion.log.store import Log
from companion.referee.codec import Json
from companion.words import Words

#: How every SQLite file begins.
_SQLITE = b"SQLite format 3\0"
#: What makes two copies of a session the same; its number, notes and the program that wrote it may differ.
_SAME = ("opened", "ended", "end_reason", "source", "seats", "game", "inputs", "rulings")


@dataclass(frozen=True, slots=True)
class Incoming:
    """One session of a file, its pictures as rows, and in words what this version rules otherwise."""

    session: Sent
    pictures: tuple[Json, ...] = ()
    difference: str = ""


def run(options: argparse.Namespace, words: Words) -> int:
    """Take games in, each whole or not at all; one that is there already stays as it is. Raises Fault.

    Of several games those that are off are told of and left out, and the rest are taken in; then the result is 1.
    """
    with Log(log_path(options)) as keeper:
        known = _known(keeper.path)
        done: Counter[str] = Counter()
        for file in options.files:
            for incoming in _incoming(file, options, words, done):
                key, number = _take(keeper, incoming, known)
                done[key] += 1
                if key == "taken" and incoming.difference:
                    tell(incoming.difference)
                _tell(key, number, options, words)
    if sum(done.values()) > 1 and not options.json:
        out(words.say("import.many", taken=done["taken"], there=done["there"], off=done["off"] + done["otherwise"]))
    return 1 if done["off"] or done["otherwise"] else 0


def _incoming(file: Path, options: argparse.Namespace, words: Words, done: Counter[str]) -> Iterator[Incoming]:
    """The sessions of a file that can be taken in; what is off is told of and counted."""
    found = _of_log(file, words, done) if _is_log(file) else _of_text(file, words)
    for whole, pictures in found:
        try:
            session = check_sent(whole, words.ruling)
        except NotASession as error:
            tell(words.say("import.refused", file=file, why=str(error)))
            done["off"] += 1
            continue
        difference = _describe_difference(session, words)
        if difference and not options.as_told:
            tell(f"{difference} {words.say('import.as_told')}")
            done["off"] += 1
        else:
            yield Incoming(session, pictures, difference)


def _is_log(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False  # said when it is read as text


def _of_log(file: Path, words: Words, done: Counter[str]) -> Iterator[tuple[Json, tuple[Json, ...]]]:
    """The sessions of another log with their pictures, oldest first. Raises LogError."""
    for number in store.list_damaged_sessions(file):
        tell(words.say("sessions.damaged", n=number))
        done["off"] += 1
    for stored in reversed(store.list_sessions(file)):
        rows = fetch_rows(file, "SELECT look, name, jpeg FROM pictures WHERE session = ? ORDER BY id", stored.id)
        yield store.export_session(file, stored.id), tuple(rows)


def _of_text(file: Path, words: Words) -> Iterator[tuple[Json, tuple[Json, ...]]]:
    """The sessions of an exported text. Raises NotASession."""
    try:
        sessions = split_sessions(read_text(file))
    except NotText:
        raise NotASession(words.say("import.refused", file=file, why="it is not text.")) from None
    except NotASession as error:
        raise type(error)(words.say("import.refused", file=file, why=str(error))) from None
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


def _known(path: Path) -> dict[str, int]:
    """The numbers of this log's sessions by their name in every log, removed ones too."""
    return {row["uid"]: row["id"] for row in fetch_rows(path, "SELECT id, uid FROM sessions")}


def _take(keeper: Log, incoming: Incoming, known: dict[str, int]) -> tuple[str, int]:
    """What became of a session, and its number here."""
    whole, session = incoming.session.whole, incoming.session
    uid = whole.get("uid") or derive_uid(whole["opened"], whole["seats"], stored_text(whole["game"]))
    if uid not in known:
        known[uid] = keeper.take_in(whole, session.inputs, session.rulings, incoming.pictures)
        return "taken", known[uid]
    here = store.export_session(keeper.path, known[uid])
    if any(here[key] != whole[key] for key in _SAME):
        return "otherwise", known[uid]
    if whole.get("note") and not here["note"]:
        keeper.write_note(known[uid], whole["note"])
    return "there", known[uid]


def _tell(key: str, number: int, options: argparse.Namespace, words: Words) -> None:
    """Say what became of a session."""
    if key == "otherwise":
        tell(words.say("import.otherwise", n=number))
    elif options.json:
        out({"session": number, "taken": key == "taken"})
    else:
        out(words.say(f"import.{key}", n=number))
