"""A game script: the looks of a `.looks` file, as what has to lie on the table."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vision.lab.render.decks.deck import CODES, JOKERS
from vision.lab.render.films.piles import Piles
from vision.types import JOKER, VisionError

#: Every code a picture exists for; a joker of unknown colour is painted in one of them.
_PAINTED = {code: code for code in (*CODES, *JOKERS)} | {JOKER: JOKERS[-1]}
#: Lines with one of these are what people say or do; a film cannot show them.
_ACTS = ("correct", "undo", "appeal", "blind", "answer")


@dataclass(frozen=True, slots=True)
class TableLook:
    """What lies on the table at `at` seconds.

    `faces` are each player's face-up cards in the order laid, `backs` the number of his face-down ones
    where it is known, `piles` his won cards that lie face up, as far as they are known, bottom first.
    While `thief` steals, the top of the pile to be stolen is his card.
    """

    at: float
    faces: Mapping[str, tuple[str, ...]]
    backs: Mapping[str, int] = field(default_factory=dict)
    piles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    thief: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """The players in the order of their seats, and the looks in the order of time."""

    players: tuple[str, ...]
    looks: tuple[TableLook, ...]


def read_script(path: Path) -> Script:
    """Read a `.looks` file; VisionError, one sentence with the line's number, where it cannot be filmed."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise VisionError(f"The script {path} cannot be opened: {(error.strerror or str(error)).lower()}.") from None
    except UnicodeDecodeError:
        raise VisionError(f"{path} is no script: give a .looks file, one line of JSON a look.") from None
    players: tuple[str, ...] = ()
    looks: list[TableLook] = []
    piles = Piles()
    for number, entry in _entries(path, lines):
        try:
            if "game" in entry:
                players = _players(entry["game"])
            for look in _shown(entry, looks, piles):
                looks.append(_in_time(look, looks))
        except (ValueError, TypeError, AttributeError) as error:
            raise VisionError(f"Line {number} of {path} cannot be filmed: {error}.") from None
    if not looks:
        raise VisionError(f"The script {path} shows no look: write lines such as {_EXAMPLE}.")
    return Script(_all_players(path, players, looks), tuple(looks))


_EXAMPLE = '{"at": 3.0, "faces": {"Ana": ["9H"], "Ben": ["9C"]}}'


def _entries(path: Path, lines: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict):
            raise VisionError(f"Line {number} of {path} is not JSON: write lines such as {_EXAMPLE}.")
        yield number, entry


def _players(game: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(name) for name in game.get("players", ()))


def _shown(entry: Mapping[str, Any], before: list[TableLook], piles: Piles) -> tuple[TableLook, ...]:
    """The looks of a line: none for what people say, two for a steal, whose cards move twice."""
    if "game" in entry or any(act in entry for act in _ACTS):
        return ()
    if "steal" in entry:
        return _stealing(entry, before, piles)
    if {"top", "reshuffle"} & entry.keys():
        # The next look shows it.
        piles.show(_tops(entry.get("top", {})) if "top" in entry else {str(entry["reshuffle"]): None})
        return ()
    return (_look(entry, piles),)


def _look(entry: Mapping[str, Any], piles: Piles) -> TableLook:
    if not {"faces", "backs", "piles"} & entry.keys():
        raise ValueError('it shows no "faces"')
    faces = {player: tuple(_code(face) for face in shown) for player, shown in entry.get("faces", {}).items()}
    backs = {player: _count(number) for player, number in entry.get("backs", {}).items()}
    return TableLook(_time(entry.get("at")), faces, backs, piles.show(_tops(entry.get("piles", {}))))


def _tops(tops: Mapping[str, object]) -> dict[str, str | None]:
    return {player: None if top is None else _code(top) for player, top in tops.items()}


def _stealing(entry: Mapping[str, Any], before: list[TableLook], piles: Piles) -> tuple[TableLook, ...]:
    """The thief's card on the pile to be stolen, then all of it on the thief's own."""
    act, at = entry["steal"], _time(entry.get("at"))
    try:
        thief, card, victims = str(act["by"]), _code(act["card"]), [str(name) for name in act["from"]]
    except KeyError as missing:
        raise ValueError(f"its steal has no {missing}") from None
    if not victims:
        raise ValueError("it steals from nobody")
    faces, backs = (before[-1].faces, before[-1].backs) if before else ({}, {})
    reached, moved = piles.steal(thief, card, victims)
    return TableLook(at, faces, backs, reached, thief), TableLook(at, faces, backs, moved)


def _code(face: object) -> str:
    """The card of a face, which is a code or a list of a code, its probability and others.

    >>> _code("10H"), _code(["9H", 0.61, [["6H", 0.37]]]), _code("JOKER")
    ('10H', '9H', 'JR')
    """
    code = face[0] if isinstance(face, list) and face else face
    if not isinstance(code, str) or code not in _PAINTED:
        raise ValueError(f"{code!r} is no card that can be shown; write 9H, 10S, QD, JR or JB")
    return _PAINTED[code]


def _count(number: object) -> int:
    if not isinstance(number, int) or not 0 <= number <= 60:
        raise ValueError(f"{number!r} is no number of face-down cards")
    return number


def _time(at: object) -> float:
    if not isinstance(at, int | float) or isinstance(at, bool) or not math.isfinite(at) or at < 0:
        raise ValueError('it has no time: write "at" and the seconds')
    return float(at)


def _in_time(look: TableLook, before: list[TableLook]) -> TableLook:
    if before and look.at < before[-1].at:
        raise ValueError(f"its time {look.at:g} lies before that of the look above")
    return look


def _all_players(path: Path, named: tuple[str, ...], looks: list[TableLook]) -> tuple[str, ...]:
    """The players of the first line, or else everybody in the order in which they first appear."""
    seen = tuple(dict.fromkeys(player for look in looks for player in (*look.faces, *look.backs, *look.piles)))
    strangers = [player for player in seen if player not in named]
    if named and strangers:
        raise VisionError(f"The script {path} shows cards of {strangers[0]}, who is not among its players.")
    if not (named or seen):
        raise VisionError(f"The script {path} shows no card of anybody.")
    return named or seen
