"""`warref replay`: all rulings derived again from the inputs."""

from __future__ import annotations

import argparse
from itertools import zip_longest
from pathlib import Path

from companion.commands._looks_files import folded, game_of, load_script
from companion.commands._ruling_printer import Speaker
from companion.commands.sessions import log_path
from companion.console import out
from companion.log import store
from companion.referee.codec import Json, Script, input_from_json, ruling_to_json
from companion.referee.reducer import State, rulings
from companion.words import Words


def run(options: argparse.Namespace, words: Words) -> int:
    """Print the rulings of the final history; for a session also what differs from the stored ones."""
    speak = Speaker(words, options.json)
    if options.what.isdecimal() and not Path(options.what).exists():
        path, number = log_path(options), int(options.what)
        state = _session(options, path, number)
        speak(rulings(state))
        _compare(options.json, state, store.load_rulings(path, number))
    else:
        script = load_script(options.what)
        state = folded(game_of(options, script), script.inputs, script.lines)
        speak(rulings(state))
    if options.summary:
        speak.summary(state)
    return 0


def _session(options: argparse.Namespace, path: Path, number: int) -> State:
    stored = store.load_session(path, number)
    entries = tuple(map(input_from_json, store.load_inputs(path, number)))
    script = Script(stored.game, entries, tuple(range(1, len(entries) + 1)))
    return folded(game_of(options, script), entries, script.lines)


def _compare(as_json: bool, state: State, stored: tuple[Json, ...]) -> None:
    derived = [ruling_to_json(ruled) for ruled in rulings(state)]
    for old, new in zip_longest(stored, derived):
        if old != new:
            seq = (old or new or {})["seq"]
            difference = {"ruling": "differs", "seq": seq, "stored": old, "derived": new}
            out(difference if as_json else f"Ruling {seq} differs: stored {old}, now {new}.")
