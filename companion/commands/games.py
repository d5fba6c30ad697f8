"""`warref games`: the games of the log, and what can be done with them: the same requests as the page's."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from companion.commands._options import GAMES_ACTS
from companion.commands.sessions import list_games, log_path
from companion.commands.watch import open_table
from companion.console import out
from companion.errors import Fault, WrongWords
from companion.log.database import is_there
from companion.log.games import GameFilter, last_rename
from companion.table.requests import (
    BringBackGame,
    DeleteGame,
    DropPictures,
    DropPicturesBefore,
    DropPicturesOf,
    EndGame,
    ForgetPlayer,
    Refused,
    RemoveGame,
    RenamePlayer,
    Request,
    TakeBackRename,
    WriteNote,
)
from companion.words import Words

#: What prints the games, where no other act is named.
LIST = "list"
#: Kinds of a word that an act takes, as a pattern.
_WORDS = {"N": r"[0-9]{1,9}", "DAYS": r"[0-9]{1,5}", "YYYY-MM-DD": r"\d{4}-\d\d-\d\d", "NAME": ".*", "TEXT": ".*"}


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do with the log: kinds of its words, and the request they make; the log's path goes first."""

    kinds: tuple[str, ...]
    request: Callable[..., Request]

    def fits(self, given: list[str]) -> bool:
        """Whether these are words of the act."""
        patterns = ["|".join(_WORDS[one] for one in kind.strip("[]").split("|")) for kind in self.kinds]
        least = sum(not kind.startswith("[") for kind in self.kinds)
        fit = (re.fullmatch(pattern, word, re.DOTALL) for pattern, word in zip(patterns, given, strict=False))
        return least <= len(given) <= len(patterns) and all(fit)


def _drop(_: Path, which: str) -> Request:
    return DropPictures(int(which)) if which.isdecimal() else DropPicturesOf(which)


def _take_back(path: Path) -> Request:
    return TakeBackRename((last_rename(path) or {"id": 0})["id"])


def _keep_days(_: Path, days: str) -> Request:
    return DropPicturesBefore((date.today() - timedelta(days=int(days))).isoformat())


#: What can be done, by its word.
ACTS: Mapping[str, Act] = {
    "end": Act(("N",), lambda _, n: EndGame(int(n))),
    "note": Act(("N", "[TEXT]"), lambda _, n, text="": WriteNote(int(n), text)),
    "remove": Act(("N",), lambda _, n: RemoveGame(int(n))),
    "bring-back": Act(("N",), lambda _, n: BringBackGame(int(n))),
    "delete": Act(("N",), lambda _, n: DeleteGame(int(n))),
    "rename": Act(("NAME", "NAME"), lambda _, old, new: RenamePlayer(old, new)),
    "take-back": Act((), _take_back),
    "forget": Act(("NAME",), lambda _, name: ForgetPlayer(name)),
    "drop-pictures": Act(("N|YYYY-MM-DD",), _drop),
    "keep-pictures": Act(("DAYS",), _keep_days),
}


def run(options: argparse.Namespace, words: Words) -> int:
    """Print the games that are asked for, or do one thing with the log. Raises Fault, WrongWords."""
    path = log_path(options)
    if options.act == LIST:
        if options.words:
            raise WrongWords(words.say("games.list_takes_none"))
        return list_games(options, words, _filter(options))
    act = ACTS.get(options.act)
    if act is None:
        raise WrongWords(words.say("games.unknown", act=options.act, acts=GAMES_ACTS))
    if not act.fits(options.words):
        raise WrongWords(words.say("games.words", act=" ".join((options.act, *act.kinds))))
    if not is_there(path):
        raise Fault(words.say("sessions.none", path=path))
    with open_table(options, words, lambda _: None) as table:
        answer = table.send(act.request(path, *options.words))
        table.serve()
        try:
            said = answer.result(0)
        except Refused as refused:
            raise Fault(str(refused)) from None
    out({"said": said} if options.json else said)
    return 0


def _filter(options: argparse.Namespace) -> GameFilter:
    return GameFilter(options.text, options.player, options.variant, options.year, options.unfinished, options.removed)
