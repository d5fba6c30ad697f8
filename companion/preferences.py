"""The program's own settings: defaults, then one file, then the environment; what a call says goes before them all.

The file is TOML, `settings.toml` in the user's configuration folder; its keys are the long options of the command line.
It is read and written with its comments kept. A file that cannot be meant is one sentence with the line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from platformdirs import user_config_path
from tomlkit.exceptions import ParseError

from companion.console import read_text
from companion.defaults import PORT, SEATS
from companion.errors import Fault, WrongWords, reason
from companion.text import check_text
from companion.words import languages

#: The file of another place, for those who keep it there.
FILE_VARIABLE = "WARREF_SETTINGS"
#: Before the name of a setting in capitals.
_PREFIX = "WARREF_"
#: The largest number of days that pictures can be kept for: ten years.
_LONGEST_DAYS = 3660

#: Turns a value of the file, or the text of the environment, into the setting's own; raises ValueError.
Read = Callable[[Any], Any]


class BadPreferences(Fault):
    """The settings file, or a variable of the environment, cannot be meant."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One setting: its key, its value where nothing is said, how it is read, and what it can be, for a sentence."""

    key: str
    default: Any
    read: Read
    wanted: str
    choices: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return _PREFIX + self.key.upper()


@dataclass(frozen=True, slots=True)
class Chosen:
    """A setting's value and where it comes from: `default`, `file`, `environment` or `call`; `where` names it."""

    preference: Preference
    value: Any
    source: str = "default"
    where: str = ""


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return check_text(value).strip()


def _path(value: Any) -> Path:
    return Path(_text(value)).expanduser()


def _number(most: int) -> Read:
    def read(value: Any) -> int:
        text = str(value)
        if isinstance(value, bool) or not text.isdecimal() or int(text) > most:
            raise ValueError
        return int(text)

    return read


def _one_of(choices: tuple[str, ...]) -> Read:
    def read(value: Any) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    return read


def _choice(key: str, default: Any, choices: tuple[str, ...]) -> Preference:
    return Preference(key, default, _one_of(choices), ", ".join(choices), choices)


#: Every setting, in the order they are told.
PREFERENCES: tuple[Preference, ...] = (
    _choice("lang", None, languages()),
    Preference("log", None, _path, "log.db"),
    Preference("port", PORT, _number(65535), "0-65535"),
    Preference("seats", SEATS, _text, "auto, left-right, near-far, clockwise, FILE.toml"),
    _choice("mirror", "no", ("no", "yes", "auto")),
    _choice("engine", "auto", ("auto", "ultralytics")),
    Preference("weights", None, _path, "manifest.toml, weights.pt"),
    Preference("pack", None, _text, "family, none"),
    Preference("keep_pictures_days", 0, _number(_LONGEST_DAYS), f"0-{_LONGEST_DAYS}"),
)


def settings_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the settings file lies, or would lie."""
    named = environment.get(FILE_VARIABLE)
    return Path(named) if named else user_config_path("war-referee", appauthor=False) / "settings.toml"


def load_preferences(environment: Mapping[str, str] = os.environ) -> dict[str, Chosen]:
    """Every setting by its key, with where it comes from. Raises BadPreferences."""
    written, path = _read_file(environment), settings_file(environment)
    return {one.key: _chosen(one, written, path, environment) for one in PREFERENCES}


def _chosen(one: Preference, written: Mapping[str, Any], path: Path, environment: Mapping[str, str]) -> Chosen:
    if (text := environment.get(one.variable, "")) != "":
        return Chosen(one, _value(one, text, one.variable), "environment", one.variable)
    if one.key in written:
        line = _line_of(path, one.key)
        return Chosen(one, _value(one, written[one.key], f"{path}, line {line}"), "file", f"{path}, line {line}")
    return Chosen(one, one.default)


def _value(one: Preference, value: Any, where: str) -> Any:
    try:
        return one.read(value)
    except (ValueError, TypeError):
        raise BadPreferences(f"{where}: {one.key} cannot be {str(value)[:40]!r}; it can be {one.wanted}.") from None


def _read_file(environment: Mapping[str, str]) -> dict[str, Any]:
    """What stands in the file, checked for unknown keys; empty where there is none."""
    path = settings_file(environment)
    if not path.exists():
        return {}
    try:
        written = tomlkit.parse(read_text(path)).unwrap()
    except ParseError as error:
        why = str(error).partition(" at line")[0]
        raise BadPreferences(f"{path}, line {error.line}: that is no TOML ({why[:80]}).") from None
    known = [one.key for one in PREFERENCES]
    for key in written:
        if key not in known:
            line = _line_of(path, key)
            raise BadPreferences(f"{path}, line {line}: there is no setting {key[:40]}; there are {', '.join(known)}.")
    return dict(written)


def _line_of(path: Path, key: str) -> int:
    """The line of the file that a key stands in, from 1; 0 where it is written in another way."""
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        name = line.partition("=")[0].strip().strip("\"'[]").partition(".")[0]
        if name == key:
            return number
    return 0


def write_preferences(values: Mapping[str, str | None], environment: Mapping[str, str] = os.environ) -> None:
    """Write these settings into the file, or take them out (None): all, or none where one cannot be meant.

    Raises WrongWords where there is no such setting or value, and BadPreferences where the file cannot be meant.
    """
    known = {one.key: one for one in PREFERENCES}
    path = settings_file(environment)
    _read_file(environment)
    document = tomlkit.parse(read_text(path)) if path.exists() else tomlkit.document()
    for key, value in values.items():
        if key not in known:
            raise WrongWords(f"There is no setting {key:.40}; there are {', '.join(known)}.")
        if value is None:
            document.pop(key, None)
        else:
            document[key] = _plain(known[key], value)
    _replace(path, tomlkit.dumps(document))


def _plain(one: Preference, value: str) -> str | int:
    """The value as it is written, checked. Raises WrongWords."""
    try:
        read = one.read(value)
    except (ValueError, TypeError):
        raise WrongWords(f"{one.key} cannot be {value[:40]!r}; it can be {one.wanted}.") from None
    return read if isinstance(read, int) else value.strip()


def _replace(path: Path, text: str) -> None:
    """The file whole, or as it was before. Raises Fault."""
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, "utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Fault(f"{path} cannot be written: {reason(error)}.") from None
