"""Looks scripts: read from a file, played into the table or folded at once."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from companion import defaults
from companion.console import read_text
from companion.errors import Fault
from companion.referee.codec import Script, read_script, script_game
from companion.referee.events import Input
from companion.referee.game import Game
from companion.referee.reducer import RefereeError, State, start, step

SUFFIX = ".looks"


def load_script(path: str) -> Script:
    """The script in a file. Raises Fault where it cannot be read."""
    # Only `\n` ends a line: a text in JSON may hold what else counts as a line end.
    return read_script(read_text(Path(path)).split("\n"))


def game_of(options: argparse.Namespace, script: Script | None = None) -> Game:
    """The game that the call and the script name. Raises WrongWords."""
    flags = {"variant": options.variant, "players": options.players, "set": defaults.parse_settings(options.set)}
    return script_game(script or Script(None, (), ()), flags)


def folded(game: Game, entries: Iterable[Input], lines: Iterable[int]) -> State:
    """The state after all inputs; `lines` are their numbers in the file. Raises Fault naming the line."""
    state = start(game)
    for entry, line in zip(entries, lines, strict=True):
        try:
            state, _ = step(state, entry)
        except RefereeError as error:
            raise at_line(line, error) from None
    return state


def at_line(line: int, error: RefereeError) -> Fault:
    """The referee's objection with the place in the file."""
    return Fault(f"Line {line}: {error}")
