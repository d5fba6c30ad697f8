"""`warref import`: games that were exported elsewhere, or those of another log, into this log, each once."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from companion.commands.sessions import log_path
from companion.console import out, tell
from companion.log.incoming import Arrival, LeftOut, merge_session, read_incoming
from companion.log.store import Log
from companion.words import Words

#: Under which a session that is left out is counted.
_OFF = "off"


def run(options: argparse.Namespace, words: Words) -> int:
    """Take games in, each whole or not at all; one that is there already stays as it is. Raises Fault.

    Of several games those that are off are told of and left out, and the rest are taken in; then the result is 1.
    """
    done: Counter[str] = Counter()
    with Log(log_path(options)) as keeper:
        for file in options.files:
            done.update(_take_in(keeper, file, options, words))
    off = done[_OFF] + done[Arrival.OTHERWISE]
    if done.total() > 1 and not options.json:
        out(words.say("import.many", taken=done[Arrival.TAKEN], there=done[Arrival.THERE], off=off))
    return 1 if off else 0


def _take_in(keeper: Log, file: Path, options: argparse.Namespace, words: Words) -> Counter[str]:
    """Take the sessions of a file in, say what became of each, and count them."""
    done: Counter[str] = Counter()
    for one in read_incoming(file, str(file), words):
        if isinstance(one, LeftOut):
            tell(one.why)
            done[_OFF] += 1
        elif one.difference and not options.as_told:
            tell(f"{one.difference} {words.say('import.as_told')}")
            done[_OFF] += 1
        else:
            arrival, number = merge_session(keeper, one)
            done[arrival] += 1
            if arrival is Arrival.TAKEN and one.difference:
                tell(one.difference)
            _tell(arrival, number, options, words)
    return done


def _tell(arrival: Arrival, number: int, options: argparse.Namespace, words: Words) -> None:
    """Say what became of a session."""
    if arrival is Arrival.OTHERWISE:
        tell(words.say("import.otherwise", n=number))
    elif options.json:
        out({"session": number, "taken": arrival is Arrival.TAKEN})
    else:
        out(words.say(f"import.{arrival}", n=number))
