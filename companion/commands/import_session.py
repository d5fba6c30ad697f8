"""`warref import`: a session that was exported on another laptop, into this log."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.commands.sessions import log_path
from companion.console import NotText, out, read_text, tell
from companion.errors import Fault
from companion.log import store
from companion.log.importer import NotASession, Sent, sent
from companion.log.store import Log
from companion.referee.codec import Json
from companion.words import Words

#: What makes two sessions the same evening, in whatever log.
_EVENING = ("opened", "source", "seats", "game")


class RulingsDiffer(Fault):
    """This version rules otherwise than the one that refereed the session."""


class OtherState(Fault):
    """The evening is in the log already, but not as far or otherwise than in the file."""


def run(options: argparse.Namespace, words: Words) -> int:
    """Take a session in, whole or not at all; one that is there already stays as it is. Raises NotASession."""
    try:
        session = sent(read_text(options.file), words.ruling)
    except NotText:
        raise NotASession(words.say("import.refused", file=options.file, why="it is not text.")) from None
    except NotASession as error:
        raise type(error)(words.say("import.refused", file=options.file, why=str(error))) from None
    difference = _describe_difference(session, words)
    if difference and not options.as_told:
        raise RulingsDiffer(f"{difference} {words.say('import.as_told')}")
    with Log(log_path(options)) as keeper:
        there = _there(keeper.path, session.whole, words)
        number = keeper.take_in(session.whole, session.inputs, session.rulings) if there is None else there
    if difference:
        tell(difference)
    key = "import.taken" if there is None else "import.there"
    answer = {"session": number, "taken": there is None}
    out(answer if options.json else words.say(key, n=number))
    return 0


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


def _there(path: Path, whole: Json, words: Words) -> int | None:
    """The number of the very session in this log, or None. Raises OtherState."""
    same = [
        found.id for found in store.list_sessions(path) if all(getattr(found, key) == whole[key] for key in _EVENING)
    ]
    stored = {number: store.export_session(path, number) for number in same}
    for number, one in stored.items():
        if {**one, "session": 0} == {**whole, "export": store.EXPORT, "session": 0}:
            return number
    if same:
        raise OtherState(words.say("import.otherwise", n=same[0]))
    return None
