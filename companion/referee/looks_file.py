"""Reads a `.looks` script: JSON lines, the first of which may name the game (INTERFACES, ".looks")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.errors import Fault
from companion.referee.codec import BadInput, game_from_json, input_from_json
from companion.referee.events import Input
from companion.referee.game import Game
from companion.referee.settings import RulesError
from companion.text import BadText, NotWriting, parse_json


class BadScript(Fault):
    """A line of a script cannot be read; the text is one plain sentence with the number of the line."""


class NoGame(RulesError):
    """Neither the script nor the call says which game is played."""


@dataclass(frozen=True, slots=True)
class Script:
    """A script as read: the object behind `game`, where there is one, and the inputs with their file lines."""

    game: Mapping[str, Any] | None
    inputs: tuple[Input, ...]
    lines: tuple[int, ...]


def read_script(lines: Iterable[str]) -> Script:
    """The script in these lines of text; empty lines do not count. Raises BadScript.

    >>> script = read_script(['{"game": {"variant": "classic", "players": ["A", "B"]}}', '{"at": 1, "faces": {}}'])
    >>> script.game["variant"], len(script.inputs), script.lines
    ('classic', 1, (2,))
    """
    game: Mapping[str, Any] | None = None
    inputs: list[Input] = []
    numbers: list[int] = []
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        line = _object(number, text)
        if "game" in line and not inputs and game is None:
            game = _game(number, line["game"])
            continue
        inputs.append(_input(number, line))
        numbers.append(number)
    return Script(game, tuple(inputs), tuple(numbers))


def _game(number: int, game: object) -> Mapping[str, Any]:
    if not isinstance(game, dict) or not isinstance(game.get("set", {}), dict):
        raise BadScript(f"Line {number}: the game is an object with variant, players and, if you like, set.")
    if not isinstance(game.get("players", []), list):
        raise BadScript(f"Line {number}: players are a list of names.")
    return game


def _object(number: int, text: str) -> Mapping[str, Any]:
    try:
        line = parse_json(text)
    except NotWriting:
        raise BadScript(f"Line {number} holds signs that are no writing: leave them out.") from None
    except BadText:
        line = None
    if not isinstance(line, dict):
        raise BadScript(f"Line {number} is not a JSON object.")
    return line


def _input(number: int, line: Mapping[str, Any]) -> Input:
    try:
        return input_from_json(line)
    except BadInput as bad:
        raise BadScript(f"Line {number}: {bad}") from None


def script_game(script: Script, flags: Mapping[str, Any] | None = None) -> Game:
    """The game of a script, with flags (`variant`, `players`, `set`) over its first line.

    Raises NoGame where neither says the variant and the players, else RulesError.
    """
    known = {**(script.game or {}), **{key: value for key, value in (flags or {}).items() if value}}
    known["set"] = {**(script.game or {}).get("set", {}), **((flags or {}).get("set") or {})}
    if not known.get("variant") or not known.get("players"):
        raise NoGame("Say which game it is with --variant and --players.")
    return game_from_json(known)
