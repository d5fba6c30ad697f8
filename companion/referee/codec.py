"""Inputs and rulings as plain JSON objects, both ways, as written in INTERFACES: pure, no text parsing.

>>> look = input_from_json({"at": 3.0, "faces": {"Ana": ["9H"], "Ben": [["9C", 0.6, [["6C", 0.3]]]]}})
>>> input_to_json(look)["faces"]["Ben"]
[['9C', 0.6, [['6C', 0.3]]]]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import msgspec

from companion.errors import Fault
from companion.referee.cards import BadCard, Card
from companion.referee.events import (
    Agree,
    Answer,
    Appeal,
    Blind,
    Correct,
    Count,
    Face,
    Input,
    Missed,
    Reshuffle,
    Ruled,
    Ruling,
    Seated,
    Seen,
    Steal,
    Swap,
    Top,
    Undo,
)
from companion.referee.game import Game, new_game
from companion.referee.settings import RulesError
from companion.referee.variants import settings_for
from companion.text import BadText, NotWriting, check_values, parse_json

Json = dict[str, Any]


#: Seconds beyond any evening.
_LONGEST = 1e9


class BadInput(Fault):
    """The object is no input; the text is one plain sentence."""


# --- inputs -----------------------------------------------------------------------------------------


def input_from_json(line: Mapping[str, Any]) -> Input:
    """The input that this object describes. Raises BadInput."""
    said = [key for key in _READERS if key in line]
    if not said:
        raise BadInput(f"a line needs one of {', '.join(_READERS)}.")
    # A correction and a missed round have faces as well; otherwise one of the two would be passed over in silence.
    if len(said) > 1 and said not in (["correct", "faces"], ["missed", "faces"]):
        raise BadInput(f"a line says one thing, not {' and '.join(said)}: write two lines.")
    key = said[0]
    try:
        return _READERS[key](_second(line.get("at", 0.0)), line)
    except BadCard as bad:
        raise BadInput(str(bad)) from None
    except KeyError as missing:
        raise BadInput(f"the {key} line lacks {missing}: write it as {EXAMPLES[key]}.") from None
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError):
        raise BadInput(f"the {key} line is not understood: write it as {EXAMPLES[key]}.") from None


def _second(at: Any) -> float:
    """A second of the session; a number that is none would make no JSON again."""
    if isinstance(at, bool) or not isinstance(at, int | float) or not abs(at) < _LONGEST:
        raise BadInput("at is a number of seconds since the session was opened.")
    return float(at)


def _card(code: Any) -> Card:
    return Card.parse(code)


def _face(read: Any) -> Face:
    code, *more = _list(read) if not isinstance(read, str) else (read,)
    if len(more) > 2:
        raise TypeError
    p = _chance(more[0]) if more else 1.0
    alternatives = more[1] if len(more) > 1 else ()
    return _known(Face(_card(code), p, tuple((_card(c), _chance(q)) for c, q in map(_list, _list(alternatives)))))


def _known(face: Face) -> Face:
    if face.card.code == "?":
        raise BadCard("'?' is a face-down card: it belongs in backs, not in faces.")
    return face


def _chance(p: Any) -> float:
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0.0 <= p <= 1.0:
        raise BadInput(f"a probability lies between 0 and 1, not at {str(p):.40}.")
    return float(p)


# --- what is of the wrong kind is a TypeError, never read as something else ----------------------------


def _list(value: Any) -> list[Any] | tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise TypeError
    return value


def _names(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, _list(value)))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise TypeError
    return int(value)


def _faces(read: Mapping[str, Any]) -> dict[str, tuple[Face, ...]]:
    for player, laid in read.items():
        if not isinstance(laid, list | tuple):
            raise BadInput(f'the faces of {player:.40} are a list of cards, as ["9H"] or [].')
    return {player: tuple(map(_face, laid)) for player, laid in read.items()}


def _numbers(read: Mapping[str, Any] | None) -> dict[str, int] | None:
    if read is None:
        return None
    numbers = {player: _whole(n) for player, n in read.items()}
    if any(n < 0 for n in numbers.values()):
        raise BadInput("a number of cards cannot be below 0.")
    return numbers


def _piles(read: Mapping[str, Any] | None) -> dict[str, Card | None] | None:
    if read is None:
        return None
    return {player: None if code is None else _card(code) for player, code in read.items()}


def _seen(at: float, line: Mapping[str, Any]) -> Input:
    return Seen(
        at,
        _faces(line["faces"]),
        _numbers(line.get("backs")),
        _numbers(line.get("backs_seen")),
        _piles(line.get("piles")),
        frozenset(_names(line.get("unmoved", ()))),
    )


def _blind(at: float, line: Mapping[str, Any]) -> Input:
    since, until = map(_second, _list(line["blind"]))
    return Blind(at, since, until)


def _steal(at: float, line: Mapping[str, Any]) -> Input:
    act = line["steal"]
    victims = (act["from"],) if isinstance(act["from"], str) else _names(act["from"])
    return Steal(at, _text(act["by"]), _card(act["card"]), victims)


def _swap(at: float, line: Mapping[str, Any]) -> Input:
    one, other = _names(line["swap"])
    return Swap(at, (one, other))


def _agree(at: float, line: Mapping[str, Any]) -> Input:
    return Agree(at, {key: str(value).lower() for key, value in line["set"].items()})


# `correct` and `missed` come before `faces`: all three lines have faces.
_READERS: dict[str, Callable[[float, Mapping[str, Any]], Input]] = {
    "correct": lambda at, line: Correct(at, _whole(line["correct"]), _faces(line["faces"])),
    "missed": lambda at, line: Missed(at, _whole(line["missed"]), _faces(line["faces"])),
    "undo": lambda at, line: Undo(at, _whole(line["undo"])),
    "appeal": lambda at, line: Appeal(at, _whole(line["appeal"]), _text(line["by"])),
    "blind": _blind,
    "answer": lambda at, line: Answer(at, _whole(line["answer"]), _text(line["choice"])),
    "steal": _steal,
    "top": lambda at, line: Top(at, {player: _card(code) for player, code in line["top"].items()}),
    "reshuffle": lambda at, line: Reshuffle(at, _text(line["reshuffle"])),
    "swap": _swap,
    "seats": lambda at, line: Seated(at, _text(line["seats"]), line.get("mirrored") is True),
    "set": _agree,
    "count": lambda at, line: Count(at, _numbers(line["count"]) or {}),
    "faces": _seen,
}
#: How a line of each kind is written, for whoever wrote it otherwise.
EXAMPLES = {
    "correct": '{"correct": 4, "faces": {"Ben": ["6C"]}}',
    "missed": '{"missed": 4, "faces": {"Ana": ["8S", "KC"], "Ben": ["8H", "3D"]}}',
    "undo": '{"undo": 4}',
    "appeal": '{"appeal": 4, "by": "Ana"}',
    "blind": '{"blind": [12.0, 15.5]}',
    "answer": '{"answer": 7, "choice": "6C"}',
    "steal": '{"steal": {"by": "Ana", "card": "7H", "from": ["Ben"]}}',
    "top": '{"top": {"Ana": "9S"}}',
    "reshuffle": '{"reshuffle": "Ana"}',
    "swap": '{"swap": ["Ana", "Ben"]}',
    "seats": '{"seats": "left-right"}',
    "set": '{"set": {"war_down": 1}}',
    "count": '{"count": {"Ana": 24, "Ben": 28}}',
    "faces": '{"faces": {"Ana": ["9H"], "Ben": [["9C", 0.61, [["6C", 0.37]]]]}, "backs": {"Ana": 0}}',
}


def input_to_json(entry: Input) -> Json:
    """The object of a `.looks` line."""
    return {"at": entry.at, **_act(entry)}


def _act(entry: Input) -> Json:
    match entry:
        case Seen():
            return _look(entry)
        case Correct():
            return {"correct": entry.look, "faces": _plain_faces(entry.faces)}
        case Missed():
            return {"missed": entry.look, "faces": _plain_faces(entry.faces)}
        case Undo():
            return {"undo": entry.look}
        case Appeal():
            return {"appeal": entry.look, "by": entry.by}
        case Blind():
            return {"blind": [entry.since, entry.until]}
        case Answer():
            return {"answer": entry.question, "choice": entry.choice}
        case Steal():
            return {"steal": {"by": entry.by, "card": entry.card.code, "from": list(entry.victims)}}
        case Top():
            return {"top": _plain(entry.cards)}
        case Reshuffle():
            return {"reshuffle": entry.player}
        case Swap():
            return {"swap": list(entry.players)}
        case Seated():
            return {"seats": entry.seats, **({"mirrored": True} if entry.mirrored else {})}
        case Agree():
            return {"set": dict(entry.rules)}
        case Count():
            return {"count": dict(entry.counts)}


def _look(look: Seen) -> Json:
    known: Json = {"faces": _plain_faces(look.faces)}
    for key in ("backs", "backs_seen", "piles"):
        if getattr(look, key) is not None:
            known[key] = _plain(getattr(look, key))
    if look.unmoved:
        known["unmoved"] = sorted(look.unmoved)
    return known


def _plain_faces(faces: Mapping[str, tuple[Face, ...]]) -> Json:
    return {player: [_plain_face(face) for face in laid] for player, laid in faces.items()}


def _plain_face(face: Face) -> Any:
    if face.p == 1.0 and not face.alternatives:
        return face.card.code
    return [face.card.code, face.p, [[card.code, p] for card, p in face.alternatives]]


# --- rulings ----------------------------------------------------------------------------------------


def _code_of(card: Any) -> str:
    return str(card)


def _card_of(kind: type[Any], code: Any) -> Card:
    return Card.parse(code)


_RULINGS: dict[str, type[Ruling]] = {str(kind.__struct_config__.tag): kind for kind in get_args(Ruling)}
_ENCODER = msgspec.json.Encoder(enc_hook=_code_of)


def ruling_name(ruling: Ruling) -> str:
    """The word of the JSON key `ruling`."""
    return str(ruling.__struct_config__.tag)


def ruling_to_json(ruled: Ruled) -> Json:
    """The object of a `watch --json` line; the sentence `text` is added by whoever speaks a language."""
    plain: Json = msgspec.json.decode(_ENCODER.encode(ruled.ruling))
    return {"seq": ruled.seq, "look": ruled.look, "at": ruled.at, **plain}


class _Stamp(msgspec.Struct):
    """What every stored ruling has beside its own fields."""

    ruling: str
    seq: int
    look: int
    at: float


def ruling_from_json(line: Mapping[str, Any]) -> Ruled:
    """The ruling of a stored line; `text` is ignored. Raises BadInput."""
    try:
        stamp = msgspec.convert(line, _Stamp)
        ruling: Ruling = msgspec.convert(line, _RULINGS[stamp.ruling], dec_hook=_card_of)
        return Ruled(stamp.seq, stamp.look, stamp.at, ruling=ruling)
    except (KeyError, msgspec.ValidationError):
        raise BadInput("the line is no ruling of this program.") from None


# --- the game ---------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    if isinstance(value, Card):
        return value.code
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


def game_to_json(game: Game) -> Json:
    """The object behind `game` in the first line of a script."""
    changed = game.settings.changed(settings_for(game.variant.name, {}))
    return {
        "variant": game.variant.name,
        "players": list(game.players),
        "set": {key: _plain(value) for key, value in changed.items()},
        "counts": dict(game.counts),
        **({"piles": _plain(game.piles)} if game.piles else {}),
        **({"wars_won": dict(game.wars_won)} if any(game.wars_won.values()) else {}),
    }


def game_from_json(line: Mapping[str, Any]) -> Game:
    """The game of a script's first line. Raises RulesError or BadInput."""
    try:
        piles = {player: tuple(map(_card, _list(pile))) for player, pile in line.get("piles", {}).items()}
        rest = [_object(line, key) for key in ("set", "counts", "wars_won")]
        return new_game(_text(line["variant"]), tuple(_list(line["players"])), rest[0], rest[1], piles, rest[2])
    except BadCard as bad:
        raise BadInput(str(bad)) from None
    except (KeyError, TypeError, AttributeError):
        raise BadInput(f"the game needs a variant and a list of players: write it as {_GAME}.") from None


def _object(line: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    if not isinstance(line.get(key), dict | None):
        raise TypeError
    return line.get(key)


_GAME = '{"game": {"variant": "classic", "players": ["Ana", "Ben"], "set": {}, "counts": {"Ana": 26, "Ben": 26}}}'


# --- scripts ----------------------------------------------------------------------------------------


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
        line = _parse_line(number, text)
        if "game" in line and not inputs and game is None:
            # What is no name of a player, or of a variant, is said by those who know the names.
            game = _script_game(number, line["game"])
            continue
        inputs.append(_script_input(number, line))
        numbers.append(number)
    return Script(game, tuple(inputs), tuple(numbers))


def _script_game(number: int, game: object) -> Mapping[str, Any]:
    if not isinstance(game, dict) or not isinstance(game.get("set", {}), dict):
        raise BadScript(f"Line {number}: the game is an object with variant, players and, if you like, set.")
    if not isinstance(game.get("players", []), list):
        raise BadScript(f"Line {number}: players are a list of names.")
    return game


def _parse_line(number: int, text: str) -> Mapping[str, Any]:
    try:
        line = parse_json(text, any_text=True)
    except BadText:
        line = None
    if not isinstance(line, dict):
        raise BadScript(f"Line {number} is not a JSON object.")
    return line


def _script_input(number: int, line: Mapping[str, Any]) -> Input:
    try:
        return input_from_json(check_values(line))
    except NotWriting:
        raise BadScript(f"Line {number} holds signs that are no writing: leave them out.") from None
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
