"""A session exported from another log: parsed, checked, and derived again from its inputs. Pure but for the parsing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from companion.errors import Fault
from companion.log.store import EXPORT
from companion.referee.codec import Json, game_from_json, game_to_json, input_from_json, input_to_json, ruling_to_json
from companion.referee.codec import ruling_from_json as checked_ruling
from companion.referee.game import Game
from companion.referee.reducer import RefereeError, start, step
from companion.seats.layout import parse_seats
from companion.text import BadText, parse_json

#: What an export says of a ruling beside the ruling itself.
_BESIDE = ("model", "made_by", "replaced_by")


class NotASession(Fault):
    """The text is no exported session; the text of the error says what is missing."""


class OtherVersion(NotASession):
    """A newer program exported it."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A checked session: `whole` as `log.export` would give it, `inputs` and `rulings` as rows of the log.

    `derived` are the rulings that this program makes of the inputs, in the shape of `whole["rulings"]`.
    """

    whole: Json
    inputs: tuple[Json, ...]
    derived: tuple[Json, ...]

    @property
    def rulings(self) -> tuple[Json, ...]:
        """The rulings as they came, as rows."""
        return tuple(map(_row, self.whole["rulings"]))

    @property
    def differing(self) -> tuple[Json | None, Json | None] | None:
        """The first ruling that came, and the one that is derived in its place, where the two are not the same."""
        came, derived = self.whole["rulings"], self.derived
        for number in range(max(len(came), len(derived))):
            old, new = (side[number] if number < len(side) else None for side in (came, derived))
            if old is None or new is None or {**old, "model": ""} != {**new, "model": ""}:
                return old, new
        return None


def sent(text: str, speakable: Callable[[Json], object] = lambda _: None) -> Sent:
    """The one session that this text holds; `speakable` is asked for each ruling's sentence. Raises NotASession."""
    return check_sent(_object(text), speakable)


def split_sessions(text: str) -> tuple[Json, ...]:
    """The sessions of an exported text, one or all of a log, still to be checked. Raises NotASession."""
    whole = _object(text)
    _check_version(whole)
    sessions = whole.get("sessions", [whole])
    if not isinstance(sessions, list) or not all(isinstance(one, dict) for one in sessions):
        raise NotASession("it is no session that `warref export` wrote as json.")
    return tuple(sessions)


def check_sent(whole: Json, speakable: Callable[[Json], object]) -> Sent:
    """A session, checked and replayed. Raises NotASession."""
    _check_version(whole)
    try:
        return _checked(whole, speakable)
    except Fault as fault:
        raise NotASession(str(fault)) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
        raise NotASession("it is no session that `warref export` wrote as json.") from None


def _check_version(whole: Json) -> None:
    version = whole.get("export", EXPORT)
    if type(version) is not int or version > EXPORT:
        raise OtherVersion("it was exported by a newer War Referee; update this one to take it in.")


def _object(text: str) -> Json:
    try:
        found = parse_json(text)
    except BadText:
        raise NotASession("it is not JSON.") from None
    if not isinstance(found, dict):
        raise NotASession("it is no session that `warref export` wrote as json.")
    return found


def _checked(whole: Json, speakable: Callable[[Json], object]) -> Sent:
    game = game_from_json(whole["game"])
    parse_seats(_text(whole["seats"]), game.players)
    datetime.fromisoformat(whole["opened"])
    if whole["ended"] is not None:
        datetime.fromisoformat(whole["ended"])
        _text(whole["end_reason"])
    came = [_told(ruling) for ruling in whole["rulings"]]
    for ruling in came:
        speakable(ruling)
    _check_numbers(came)
    inputs, derived = _replayed(game, whole["inputs"])
    about = {key: whole[key] for key in ("opened", "ended", "end_reason", "seats")}
    more = {key: _text(whole.get(key, "")) for key in ("uid", "note", "program")}
    kept = {**about, **more, "source": _text(whole["source"]), "game": game_to_json(game), "rulings": came}
    return Sent({**whole, **kept}, inputs, derived)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**63:
        raise TypeError
    return value


def _told(ruling: Mapping[str, Any]) -> Json:
    """A ruling as it came, without what no ruling of this program has."""
    said = ruling_to_json(checked_ruling(ruling))
    _whole(said["seq"]), _whole(said["look"])
    replaced = ruling["replaced_by"]
    beside = (_text(ruling["model"]), _whole(ruling["made_by"]), None if replaced is None else _whole(replaced))
    return {**said, **dict(zip(_BESIDE, beside, strict=True))}


def _check_numbers(came: Iterable[Mapping[str, Any]]) -> None:
    standing = [ruling["seq"] for ruling in came if ruling["replaced_by"] is None]
    if standing != sorted(set(standing)):
        raise NotASession("two of its rulings have one number.")


def _replayed(game: Game, lines: Iterable[Mapping[str, Any]]) -> tuple[tuple[Json, ...], tuple[Json, ...]]:
    """The inputs as rows, and every ruling ever made on them, each with the input that made and that replaced it."""
    state = start(game)
    rows: list[Json] = []
    made: list[Json] = []
    for number, line in enumerate(lines, start=1):
        if line["look"] != number:
            raise NotASession(f"its input {number} is missing.")
        try:
            state, ruled = step(state, input_from_json(line))
        except RefereeError as error:
            raise NotASession(f"its input {number} makes no sense: {error}") from None
        rows.append(_input_row(number, line, input_to_json(state.cause) if state.cause else {}))
        for old in made:
            if old["replaced_by"] is None and old["seq"] > state.keep:
                old["replaced_by"] = number
        beside: Json = {"model": "", "made_by": number, "replaced_by": None}
        made += [{**ruling_to_json(one), **beside} for one in ruled]
    return tuple(rows), tuple(made)


def _input_row(number: int, line: Mapping[str, Any], said: Json) -> Json:
    mark = line.get("mark")
    return {
        "look": number,
        "written": datetime.fromisoformat(line["written"]).isoformat(),
        "mark": None if mark is None else float(mark),
        "by_whom": _text(line["by"]),
        "input": json.dumps(said, ensure_ascii=False, separators=(",", ":")),
    }


def _row(ruling: Mapping[str, Any]) -> Json:
    said = {key: value for key, value in ruling.items() if key not in _BESIDE}
    return {
        "seq": ruling["seq"],
        "look": ruling["look"],
        "kind": ruling["ruling"],
        "ruling": json.dumps(said, ensure_ascii=False, separators=(",", ":")),
        **{key: ruling[key] for key in _BESIDE},
    }
