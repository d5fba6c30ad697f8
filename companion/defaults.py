"""The program's defaults, and the parsers of option values that several commands share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from platformdirs import user_data_path

from companion.console import read_text
from companion.errors import Fault, WrongWords
from companion.seats.layout import BadSeats, parse_drawn_seats, parse_seats
from companion.words import languages

#: The page's port on this computer.
PORT = 8765
SEATS = "left-right"
#: The word of `--pack` for looking without one.
NO_PACK = "none"


def default_log() -> Path:
    """The family log in the user's data folder."""
    return user_data_path("war-referee", appauthor=False) / "family.db"


def packs_folder() -> Path:
    """Where enrolled packs lie, in the user's data folder."""
    return user_data_path("war-referee", appauthor=False) / "packs"


def keys_folder() -> Path:
    """Where key and certificate of this laptop lie, in the user's data folder."""
    return user_data_path("war-referee", appauthor=False) / "keys"


def default_language(environment: Mapping[str, str] = os.environ) -> str:
    """The language of the desktop where there is a catalogue for it, else English.

    >>> default_language({"LANG": "en_GB.UTF-8"}), default_language({"LC_ALL": "C"})
    ('en', 'en')
    """
    names = (environment.get(key, "") for key in ("LC_ALL", "LC_MESSAGES", "LANG"))
    code = next(filter(None, names), "").partition("_")[0].lower()
    return code if code in languages() else "en"


def parse_settings(pairs: Iterable[str]) -> dict[str, str]:
    """The settings written as `key=value`. Raises WrongWords.

    >>> parse_settings(["war_down=1", "end = three_wars"])
    {'war_down': '1', 'end': 'three_wars'}
    """
    found = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not (key and equals and value):
            raise WrongWords(f"Write settings as key=value, not {pair!r}.")
        found[key] = value
    return found


def parse_names(text: str) -> tuple[str, ...]:
    """The players written as `A,B,C`.

    >>> parse_names("Ana, Ben")
    ('Ana', 'Ben')
    """
    return tuple(name.strip() for name in text.split(","))


def read_seats(seats: str, players: tuple[str, ...]) -> str:
    """Seats by name, or the text of the TOML file they name; checked for these players.

    Raises WrongWords for the words of the call, and Fault where a file is missing or not understood.
    """
    if not seats.lower().endswith(".toml"):
        parse_seats(seats, players)
        return seats
    text = read_text(Path(seats))
    try:
        parse_drawn_seats(text, players)
    except BadSeats as error:
        raise Fault(f"The seats file {seats} {error.reason}") from None
    return text
