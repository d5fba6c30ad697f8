"""The words of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from companion import defaults
from companion.errors import WrongWords
from companion.log.export import FORMATS, LOG_FORMATS
from companion.preferences import PREFERENCES
from companion.referee.variants import VARIANTS
from companion.text import NotWriting, check_text
from companion.words import Words, languages
from vision.types import ENGINES

FACINGS = ("auto", "yes", "no")
#: The word for all sessions of the log.
EVERY_SESSION = "all"
_EXPORTS = (
    "json (default): everything but the pictures, for `warref import`; csv: a table; html: one page to keep; "
    "png: the result as a picture to send; "
    "bgstats: the link that other programs hand plays to the app BG Stats by, "
    "bgstats://app.bgstatsapp.com/createPlay.html?data=..., as its maker documents it at bgstatsapp.com; "
    "of all sessions: json, or one of the tables games, players, rounds"
)


#: What can be done with the games of the log, as help writes it.
GAMES_ACTS = (
    "list, end N, note N [TEXT], remove N, bring-back N, delete N, rename NAME NAME, take-back, forget NAME, "
    "drop-pictures N|YYYY-MM-DD, keep-pictures DAYS"
)


class Parser(argparse.ArgumentParser):
    """Says what is wrong with a call in one sentence."""

    def error(self, message: str) -> NoReturn:
        """Raise WrongWords instead of printing the usage."""
        said = message[:1].upper() + message[1:]
        raise WrongWords(f"{said}; see {self.prog} --help.")


def asked_language(argv: Sequence[str]) -> str | None:
    """The language that a call asks for, before it is understood; None where it names none that there is.

    >>> asked_language(["rules", "--lang", "fi"]), asked_language(["--lang=ro"]), asked_language(["--lang"])
    ('fi', 'ro', None)
    """
    words = [part for word in argv for part in (word.split("=", 1) if word.startswith("--lang=") else [word])]
    named = next((after for word, after in pairwise(words) if word == "--lang"), None)
    return named if named in languages() else None


def parser(
    commands: Mapping[str, tuple[str, Any]], main: Any, words: Words, chosen: Mapping[str, Any] | None = None
) -> Parser:
    """The parser, whose help is in this language; each command's arguments are added by the function named for it.

    `chosen` are the values of the program's settings, in place of their defaults.
    """
    top = Parser(prog="warref", description="Referees the card game War on a real table through a camera.")
    usual = {one.key: one.default for one in PREFERENCES} | dict(chosen or {})
    top.set_defaults(run=main, json=False, **{key: value for key, value in usual.items() if key != "seats"})
    top.add_argument("--version", action="version", version=f"warref {_version()}")
    _mirror(top)
    everywhere = _everywhere()
    _add_everywhere(top)
    entries = top.add_subparsers(metavar="COMMAND")
    for name, (what, run) in commands.items():
        entry = entries.add_parser(name, help=what, description=what, parents=[everywhere])
        entry.set_defaults(run=run)
        _ARGUMENTS.get(name, lambda _: None)(entry)
        if name in _SEATED:
            entry.set_defaults(seats=usual["seats"])
        _translate(entry, words)
    _translate(top, words)
    return top


def _translate(entry: Parser, words: Words) -> None:
    """Say everything that `--help` tells in the language."""
    entry.description = words.retell(entry.description or "")
    for group in entry._action_groups:
        group.title = words.retell(group.title or "")
        for action in group._group_actions:
            action.help = words.retell(action.help) if action.help and action.help != argparse.SUPPRESS else action.help
            for choice in getattr(action, "_choices_actions", ()):
                choice.help = words.retell(choice.help)
    entry.formatter_class = partial(_Formatter, words.retell("usage: "))


class _Formatter(argparse.HelpFormatter):
    """Begins the usage with the language's word for it."""

    def __init__(self, usage: str, prog: str) -> None:
        super().__init__(prog)
        self._usage = usage

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        """Add the usage."""
        super().add_usage(usage, actions, groups, self._usage if prefix is None else prefix)


def _version() -> str:
    try:
        return version("war-referee")
    except PackageNotFoundError:
        return "from a checkout"


def _everywhere() -> Parser:
    common = Parser(add_help=False)
    _add_everywhere(common)
    return common


def _add_everywhere(entry: argparse.ArgumentParser) -> None:
    # Suppressed, so that an option before the command is not undone by its absence behind it.
    group = entry.add_argument_group("everywhere", argument_default=argparse.SUPPRESS)
    group.add_argument("--json", action="store_true", help="machine-readable output")
    group.add_argument("--log", type=_path, metavar="DB", help="the log file (default: in your data folder)")
    group.add_argument("--lang", metavar="XX", help="the language, as en")
    group.add_argument("--port", type=_port, metavar="N", help=f"the page's port (default {defaults.PORT}; 0: any)")
    group.add_argument("--engine", choices=ENGINES, help="what runs the networks")
    group.add_argument("--weights", type=_path, metavar="PATH", help="a folder with a manifest.toml, or one .pt file")
    group.add_argument(
        "--pack", type=_words, metavar="NAME", help="the enrolled pack to look with (default: the last), or none"
    )


def _named(text: str) -> str:
    # An empty name of a file would be the current folder.
    if not text.strip():
        raise argparse.ArgumentTypeError("it cannot be left empty")
    return text


def _words(text: str) -> str:
    try:
        return check_text(_named(text))
    except NotWriting:
        raise argparse.ArgumentTypeError("it holds signs that are no writing") from None


def _path(text: str) -> Path:
    return Path(_named(text))


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number up to 65535, not {text}")
    return int(text)


def _game(entry: argparse.ArgumentParser) -> None:
    entry.add_argument("--variant", type=_words, metavar="V", help=", ".join(variant.name for variant in VARIANTS))
    entry.add_argument(
        "--players", metavar="A,B", type=defaults.parse_names, help="the players' names, first seat first"
    )
    entry.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a house rule; may be repeated")


def _watch(entry: argparse.ArgumentParser) -> None:
    entry.add_argument(
        "--source", type=_words, required=True, metavar="SRC", help="camera, video, folder, stream or .looks file"
    )
    _game(entry)
    entry.add_argument("--seats", default=defaults.SEATS, metavar="S", help="auto, left-right (default), near-far, …")
    _mirror(entry)
    entry.add_argument("--no-page", action="store_true", help="only the terminal")
    entry.add_argument("--summary", action="store_true", help="a last line with rounds, wars and counts")


def _mirror(entry: argparse.ArgumentParser) -> None:
    # Suppressed, as above.
    words = {"choices": FACINGS, "default": argparse.SUPPRESS, "help": "is the picture mirrored? auto finds it out"}
    entry.add_argument("--mirror", **words)  # type: ignore[arg-type]


def _demo(entry: argparse.ArgumentParser) -> None:
    entry.add_argument("--no-page", action="store_true", help="only the terminal")


def _read(entry: argparse.ArgumentParser) -> None:
    entry.add_argument("paths", nargs="+", type=_path, metavar="PATH", help="a picture, or a folder of pictures")


def _replay(entry: argparse.ArgumentParser) -> None:
    entry.add_argument(
        "what", type=_named, metavar="FILE.looks|SESSION", help="a looks script, or the number of a session"
    )
    _game(entry)
    entry.add_argument("--summary", action="store_true", help="a last line with rounds, wars and counts")


def _simulate(entry: argparse.ArgumentParser) -> None:
    entry.add_argument("--variant", required=True, metavar="V", help=", ".join(variant.name for variant in VARIANTS))
    entry.add_argument("--players", required=True, type=_count, metavar="N", help="how many players")
    entry.add_argument("--games", type=_count, default=100, metavar="N", help="how many games (default 100)")
    entry.add_argument("--seed", type=int, default=0, metavar="N", help="another seed, other games")
    entry.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a house rule; may be repeated")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number from 1 on, not {text}")
    return int(text)


def _film(entry: argparse.ArgumentParser) -> None:
    entry.add_argument("file", type=_path, metavar="FILE.looks", help="the looks of a game, one line each")
    entry.add_argument("out", type=_path, metavar="OUT.mp4", help="the film to write")
    entry.add_argument(
        "--seats", type=_words, default="left-right", metavar="S", help="left-right, near-far, clockwise, FILE.toml"
    )
    entry.add_argument("--deck", type=_words, metavar="NAME", help="made, made-17, made-17-anglo or an artwork's name")
    entry.add_argument("--art", type=_path, metavar="FOLDER", help="where artwork was fetched to")
    entry.add_argument("--seed", type=_seed, default=1, metavar="N", help="another number is another table and camera")
    entry.add_argument("--fps", type=_fps, default=10.0, metavar="N", help="frames per second (default 10)")


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 10**9:
        raise argparse.ArgumentTypeError("the seed is a whole number from 0 to 999999999")
    return int(text)


def _fps(text: str) -> float:
    number = float(text)
    if not 4 <= number <= 60:
        raise argparse.ArgumentTypeError("between 4 and 60 frames per second")
    return number


def _enrol(entry: argparse.ArgumentParser) -> None:
    entry.add_argument("paths", nargs="*", type=_path, metavar="PATH", help="pictures of rows, or named as AS.jpg")
    entry.add_argument("--source", type=_words, metavar="SRC", help="a camera, video or folder to lay the cards before")
    entry.add_argument("--each", action="store_true", help="before the camera: one card after the other")
    entry.add_argument("--name", default="family", metavar="NAME", help="the pack's name (default: family)")
    entry.add_argument("--order", default="SHDC", metavar="O", help="the rows' suits, as SHDC, and ranks: SHDC:2345")
    entry.add_argument("--sure", action="store_true", help="the order is right, whatever is read")
    entry.add_argument("--list", action="store_true", help="the packs there are")
    entry.add_argument("--forget", metavar="NAME", help="forget a pack")


def _explain(entry: argparse.ArgumentParser) -> None:
    entry.add_argument(
        "what", type=_words, metavar="RULE|LOOK", help="a rule, a setting, a variant, or the number of a look"
    )
    entry.add_argument("--session", type=_count, metavar="N", help="the session of the look (default: the newest)")


def _rules(entry: argparse.ArgumentParser) -> None:
    entry.add_argument("variant", type=_words, metavar="V", help=", ".join(variant.name for variant in VARIANTS))


def _export(entry: argparse.ArgumentParser) -> None:
    entry.add_argument(
        "session", type=_session, metavar="SESSION|all", help="its number, as `warref sessions` tells, or all"
    )
    formats = tuple(dict.fromkeys((*FORMATS, *LOG_FORMATS)))
    entry.add_argument("--format", choices=formats, default="json", help=_EXPORTS)
    entry.add_argument("--out", type=_path, metavar="FILE", help="where to write (default: the terminal)")


def _session(text: str) -> int | str:
    return text if text == EVERY_SESSION else _count(text)


def _games(entry: argparse.ArgumentParser) -> None:
    entry.add_argument("act", nargs="?", metavar="ACT", default="list", help=GAMES_ACTS)
    entry.add_argument("words", nargs="*", type=_words, metavar="WORD", help="what the act is about")
    entry.add_argument("--text", type=_words, metavar="TEXT", help="a name, or words of a note")
    entry.add_argument("--player", type=_words, metavar="NAME", help="games of this player")
    entry.add_argument("--variant", type=_words, metavar="V", help="games that were played so")
    entry.add_argument("--year", type=_words, metavar="YYYY", help="games of this year")
    entry.add_argument("--unfinished", action="store_true", help="games that were left open")
    entry.add_argument("--removed", action="store_true", help="games that were removed")


def _import(entry: argparse.ArgumentParser) -> None:
    entry.add_argument(
        "files", nargs="+", type=_path, metavar="FILE", help="what `warref export` wrote as json, or another log"
    )
    entry.add_argument(
        "--as-told", action="store_true", help="keep its rulings even where this version rules otherwise"
    )


def _backup(entry: argparse.ArgumentParser) -> None:
    entry.add_argument(
        "file", nargs="?", type=_path, metavar="FILE", help="a new file, or a folder (default: here, with the date)"
    )


def _restore(entry: argparse.ArgumentParser) -> None:
    entry.add_argument("file", type=_path, metavar="FILE", help="what `warref backup` wrote")


def _doctor(entry: argparse.ArgumentParser) -> None:
    entry.add_argument(
        "--source", type=_words, metavar="SRC", help="the camera, film or folder to judge light and cards by"
    )


def _settings(entry: argparse.ArgumentParser) -> None:
    entry.add_argument("key", nargs="?", metavar="KEY", help="one setting")
    entry.add_argument("value", nargs="?", metavar="VALUE", help="what it is from now on, written into the file")
    entry.add_argument("--unset", action="store_true", help="take it out of the file")


#: Commands whose seats are those of the settings unless told otherwise.
_SEATED = ("watch", "settings")
_ARGUMENTS = {
    "watch": _watch,
    "demo": _demo,
    "read": _read,
    "replay": _replay,
    "simulate": _simulate,
    "film": _film,
    "enrol": _enrol,
    "explain": _explain,
    "rules": _rules,
    "export": _export,
    "games": _games,
    "import": _import,
    "backup": _backup,
    "restore": _restore,
    "settings": _settings,
    "doctor": _doctor,
}
