"""Random damage to bytes and to JSON values."""

from __future__ import annotations

import json
import random
from typing import Any

#: Values of every kind that a field is least ready for.
NASTY: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 2**31, 2**63 - 1, 2**63, 10**30, 1e308, -1e308, 0.5, -0.0),
    *(
        "",
        " ",
        "?",
        "9H",
        "KS",
        "JOKER",
        "Ana",
        "Ben",
        "draw",
        "auto",
        "yes",
        "null",
        "a" * 5000,
        "/etc/passwd",
        "../..",
    ),
    *(
        "\ud800",
        "\udfff",
        "\x00",
        "\x1b[2J",
        "\u2028",
        "\u202e",
        "\ufeff",
        "<b>&amp;{{7*7}}",
        "%s%n{0}{a.b}",
        "🂡👩\u200d👧",
    ),
    *([], {}, [[]], [None], {"": None}, {"Ana": ["9H"]}, {"Ana": None}, [["9H", 0.5, [["6H", 2]]]]),
)


def nasty(rng: random.Random) -> Any:
    """One of the nasty values."""
    return rng.choice(NASTY)


def damage_bytes(data: bytes, rng: random.Random) -> bytes:
    """The data with some bytes flipped, cut out, doubled or cut off."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        place = rng.randrange(len(changed)) if changed else 0
        match rng.randrange(5):
            case 0 | 1:
                changed[place : place + 1] = bytes([rng.randrange(256)])
            case 2:
                del changed[place : place + rng.choice((1, 10, 1000))]
            case 3:
                changed[place:place] = changed[place : place + rng.choice((1, 100))]
            case 4:
                changed[place : place + 8] = rng.randbytes(8)
    return bytes(changed[: rng.randrange(len(changed) + 1)] if rng.random() < 0.1 else changed)


def damage_json(value: Any, rng: random.Random) -> Any:
    """The value with one of its parts, at any depth, replaced by a nasty one, left out or doubled."""
    places = list(_places(value))
    if not places or rng.random() < 0.02:
        return nasty(rng)
    changed = json.loads(json.dumps(value))
    *way, last = rng.choice(places)
    inside = changed
    for key in way:
        inside = inside[key]
    match rng.randrange(6):
        case 0:
            del inside[last]
        case 1 if isinstance(inside, list):
            inside.insert(last, inside[last])
        case 2 if isinstance(inside, dict):
            inside[str(nasty(rng))] = inside[last]
        case _:
            inside[last] = nasty(rng)
    return changed


def _places(value: Any, way: tuple[Any, ...] = ()) -> Any:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*way, key)
        yield from _places(part, (*way, key))
