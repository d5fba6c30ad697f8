"""Another name for a player, everywhere it is written: in the game, its seats, inputs, rulings and pictures.

A name is not part of what happened at the table, so a renaming rewrites it wherever it stands, in one transaction: the
inputs replayed give the rulings that are stored. Were it only noted as a fact beside the history, every reader of the
log would have to know of it, and a name that somebody wants gone would still be in the file. That it was done, and in
which games, is kept as an act, so that two players who were made one can be told apart again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import tomlkit
from sqlite_utils import Database

from companion.log.database import load_object, stored_text
from companion.referee.codec import Json
from companion.referee.events import DRAW, QuestionKind
from companion.seats.layout import AUTO

#: Values whose keys are players, in inputs and rulings.
_KEYED = ("faces", "backs", "backs_seen", "piles", "top", "count", "takes", "counts", "down", "before", "wars_won")
#: Values that are lists of players.
_LISTS = ("players", "swap", "unmoved", "waiting", "who", "short", "stands", "from")
#: Values that are a player.
_TEXTS = ("reshuffle", "winner", "by", "player", "about")

Names = Mapping[str, str]


def rename_game(game: Json, names: Names) -> Json:
    """The first line of a script with other names."""
    return _renamed(game, names)


def rename_ruling(ruling: Json, names: Names) -> Json:
    """A ruling with other names.

    >>> rename_ruling({"ruling": "battle_won", "winner": "Ana", "faces": {"Ana": ["9H"]}}, {"Ana": "Anna"})
    {'ruling': 'battle_won', 'winner': 'Anna', 'faces': {'Anna': ['9H']}}
    """
    renamed = _renamed(ruling, names)
    if ruling.get("why") == QuestionKind.WHOSE:
        renamed["choices"] = [names.get(one, one) for one in ruling["choices"]]
    if ruling["ruling"] == "game_over" and _is_drawn(ruling):
        renamed["winner"] = DRAW
    return renamed


def _is_drawn(ruling: Json) -> bool:
    """Whether "draw" is no player's name there."""
    counts = ruling.get("counts", {})
    mine = counts.get(DRAW)
    return bool(ruling["winner"] == DRAW and (mine is None or list(counts.values()).count(mine) > 1))


def rename_input(line: Json, names: Names, whose: Iterable[int] = ()) -> Json:
    """An input with other names; `whose` are the numbers of the questions that were answered with a player.

    >>> rename_input({"at": 1.0, "steal": {"by": "Ana", "card": "7H", "from": ["Ben"]}}, {"Ben": "Bea"})
    {'at': 1.0, 'steal': {'by': 'Ana', 'card': '7H', 'from': ['Bea']}}
    """
    renamed = _renamed(line, names)
    if "steal" in line:
        renamed["steal"] = _renamed(line["steal"], names)
    if line.get("answer") in tuple(whose):
        renamed["choice"] = names.get(line["choice"], line["choice"])
    if "seats" in line:
        renamed["seats"] = rename_seats(line["seats"], names)
    return renamed


def _renamed(line: Json, names: Names) -> Json:
    return {key: _value(key, value, names) for key, value in line.items()}


def _value(key: str, value: Any, names: Names) -> Any:
    match value:
        case dict() if key in _KEYED:
            return {names.get(name, name): one for name, one in value.items()}
        case list() if key in _LISTS:
            return [names.get(one, one) for one in value]
        case str() if key in _TEXTS or key == "from":
            return names.get(value, value)
    return value


def rename_seats(seats: str, names: Names) -> str:
    """A text of seats with other names; seats by name stay.

    >>> rename_seats("left-right", {"Ana": "Anna"}), rename_seats("[Ana]\\nplay = [[0, 0]]", {"Ana": "Anna Bo"})
    ('left-right', '["Anna Bo"]\\nplay = [[0, 0]]')
    """
    if "=" not in seats:
        return seats
    found = seats.startswith(f"{AUTO}\n")
    text = _HEADING.sub(lambda line: _heading(line, names), seats.removeprefix(f"{AUTO}\n"))
    if names.keys() & tomlkit.parse(text).keys():  # written otherwise, as dotted keys
        document = tomlkit.document()
        for name, table in tomlkit.parse(text).items():
            document.add(names.get(name, name), table)
        text = tomlkit.dumps(document)
    return (f"{AUTO}\n" if found else "") + text


#: The line of a TOML table; its key is a player.
_HEADING = re.compile(r"^\[(.+)\]$", re.MULTILINE)


def _heading(line: re.Match[str], names: Names) -> str:
    (name,) = tomlkit.parse(f"{line[1]} = 0").keys() or ("",)
    if name not in names:
        return line[0]
    new = names[name]
    return f"[{new}]" if new.isascii() and new.isalnum() else f"[{json.dumps(new, ensure_ascii=False)}]"


def rename_sessions(db: Database, path: Any, numbers: Iterable[int], names: Names) -> None:
    """Rewrite the names in these sessions; within a transaction of the caller. Raises LogError for a damaged one."""
    for number in numbers:
        _rename_session(db, path, number, names)


def _rename_session(db: Database, path: Any, number: int, names: Names) -> None:
    ((game, seats),) = db.execute("SELECT game, seats FROM sessions WHERE id = ?", (number,)).fetchall()
    renamed = stored_text(rename_game(load_object(path, game), names)), rename_seats(seats, names)
    db.execute("UPDATE sessions SET game = ?, seats = ? WHERE id = ?", (*renamed, number))
    whose = set()
    for row, text in db.execute("SELECT id, ruling FROM rulings WHERE session = ?", (number,)).fetchall():
        ruling = load_object(path, text)
        if ruling.get("why") == QuestionKind.WHOSE:
            whose.add(ruling["seq"])
        db.execute("UPDATE rulings SET ruling = ? WHERE id = ?", (stored_text(rename_ruling(ruling, names)), row))
    inputs = db.execute("SELECT look, input, by_whom FROM inputs WHERE session = ?", (number,)).fetchall()
    for look, text, by_whom in inputs:
        line = stored_text(rename_input(load_object(path, text), names, whose))
        sql = "UPDATE inputs SET input = ?, by_whom = ? WHERE session = ? AND look = ?"
        db.execute(sql, (line, names.get(by_whom, by_whom), number, look))
    _rename_beside(db, number, names)


def _rename_beside(db: Database, number: int, names: Names) -> None:
    """The names of pictures, and those in the numbers kept with the session."""
    for row, name in db.execute("SELECT id, name FROM pictures WHERE session = ?", (number,)).fetchall():
        player, space, place = name.rpartition(" ")
        db.execute("UPDATE pictures SET name = ? WHERE id = ?", (names.get(player, player) + space + place, row))
    for old, new in names.items():
        db.execute("UPDATE player_summaries SET player = ? WHERE session = ? AND player = ?", (new, number, old))
        db.execute("UPDATE summaries SET winner = ? WHERE session = ? AND winner = ?", (new, number, old))
