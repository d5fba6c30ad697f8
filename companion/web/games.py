"""The list of games by evening, with search and filters, and what can be done with games, names and pictures."""

from __future__ import annotations

import tempfile
from collections import Counter
from concurrent.futures import TimeoutError as TookTooLong
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, jsonify, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.errors import Fault
from companion.log import games
from companion.log.export import LOG_FORMATS
from companion.log.games import PAGE_OF_GAMES, Choices, GameFilter, GameRow, GamesFound
from companion.log.incoming import Incoming, LeftOut, read_incoming
from companion.table.requests import (
    BringBackGame,
    DeleteGame,
    DropPictures,
    DropPicturesOf,
    EndGame,
    ForgetPlayer,
    RemoveGame,
    RenamePlayer,
    TakeBackRename,
    TakeIn,
    WriteNote,
)
from companion.web.actions import ask, marked
from companion.web.context import PATIENCE, said, source, table_now, viewer_language
from companion.web.error_pages import failed, wants_page
from companion.web.form_parsing import BadBody, get_number, get_text, read_body
from companion.web.panels import context
from companion.web.template_helpers import say, words
from companion.words import Words

game_pages = Blueprint("games", __name__)

#: Bytes of a file that the page takes in, in millions; the command line takes larger ones.
IMPORT_MB = 64
#: Why games were left out is told of so many.
_REASONS = 3
#: Fields of the filter's form that are texts.
_TEXTS = ("text", "player", "variant", "year")
#: Fields of the filter's form that are ticked.
_TICKS = ("unfinished", "removed")


@dataclass(frozen=True, slots=True)
class Evening:
    """One evening in the list: its ISO date, its games, the pictures kept of them, and who won how often."""

    day: str
    rows: tuple[GameRow, ...]
    won: tuple[tuple[str, int], ...]

    @property
    def pictures(self) -> int:
        """How many pictures are kept of these games."""
        return sum(row.pictures for row in self.rows)


def read_filter() -> GameFilter:
    """The filter in the address of this request."""
    text, player, variant, year = (request.args.get(name, "").strip() for name in _TEXTS)
    unfinished, removed = (request.args.get(name, "") == "1" for name in _TICKS)
    return GameFilter(text, player, variant, year, unfinished, removed)


def filter_address(wanted: GameFilter, **more: object) -> str:
    """The address of the list with this filter.

    >>> filter_address(GameFilter(player="Ána", unfinished=True), page=2)
    '/sessions?player=%C3%81na&unfinished=1&page=2'
    """
    fields = {name: getattr(wanted, name) for name in _TEXTS if getattr(wanted, name)}
    fields |= {name: "1" for name in _TICKS if getattr(wanted, name)}
    query = urlencode({**fields, **more})
    return "/sessions" + (f"?{query}" if query else "")


@game_pages.get("/sessions")
def every() -> str:
    """A page of the games that are asked for, newest first."""
    now, path, wanted = table_now(), source().log, read_filter()
    page = max(1, request.args.get("page", 1, type=int))
    found = games.find_games(path, wanted, page) if path else GamesFound((), 0)
    pages = max(1, -(-found.total // PAGE_OF_GAMES))
    around = {"newer": page - 1 if page > 1 else 0, "older": page + 1 if page < pages else 0}
    shown: dict[str, Any] = {
        "wanted": wanted,
        "found": found,
        "evenings": [_evening(day, rows) for day, rows in found.evenings],
        "choices": games.list_choices(path) if path else Choices(),
        "around": {key: filter_address(wanted, page=number) for key, number in around.items() if number},
        "page": page,
        "pages": pages,
        "renamed": games.last_rename(path) if path else None,
        "said": said(),
        "log_formats": LOG_FORMATS,
        "import_mb": IMPORT_MB,
    }
    return render_template("sessions.html", **(context(now, name="sessions") | shown))


def _evening(day: str, rows: tuple[GameRow, ...]) -> Evening:
    return Evening(day, rows, tuple(Counter(row.winner for row in rows if row.winner).most_common()))


# --- what can be done ---------------------------------------------------------------------------------


@game_pages.post("/sessions/<int:number>/drop-pictures")
def drop_pictures(number: int) -> ResponseReturnValue:
    """Delete a game's pictures for good."""
    return ask(DropPictures(number), f"/sessions/{number}")


@game_pages.post("/sessions/<int:number>/end")
def end(number: int) -> ResponseReturnValue:
    """End a game that was left open."""
    return ask(EndGame(number), f"/sessions/{number}")


@game_pages.post("/sessions/<int:number>/note")
def note(number: int) -> ResponseReturnValue:
    """Keep a note with a game."""
    return ask(WriteNote(number, get_text(read_body(), "note", "")), f"/sessions/{number}")


@game_pages.post("/sessions/<int:number>/remove")
def remove(number: int) -> ResponseReturnValue:
    """Take a game out of the list; it can be brought back."""
    return ask(RemoveGame(number), "/sessions")


@game_pages.post("/sessions/<int:number>/bring-back")
def bring_back(number: int) -> ResponseReturnValue:
    """Take a removed game into the list again."""
    return ask(BringBackGame(number), f"/sessions/{number}")


@game_pages.post("/sessions/<int:number>/delete")
def delete(number: int) -> ResponseReturnValue:
    """Delete a removed game for good."""
    return ask(DeleteGame(number), "/sessions?removed=1")


@game_pages.post("/evenings/<day>/drop-pictures")
def drop_pictures_of(day: str) -> ResponseReturnValue:
    """Delete the pictures of all games of an evening, an ISO date, for good."""
    return ask(DropPicturesOf(day), "/sessions")


@game_pages.post("/people/rename")
def rename() -> ResponseReturnValue:
    """Give a player another name in every game, or make two players one."""
    body = read_body()
    return ask(RenamePlayer(get_text(body, "old"), get_text(body, "new")), "/sessions#people")


@game_pages.post("/people/take-back")
def take_back() -> ResponseReturnValue:
    """Take the newest renaming back."""
    return ask(TakeBackRename(get_number(read_body(), "act") or 0), "/sessions#people")


@game_pages.post("/people/forget")
def forget() -> ResponseReturnValue:
    """Write a name that says nothing for a player in every game, for good."""
    return ask(ForgetPlayer(get_text(read_body(), "name")), "/sessions#people")


# --- games of another log -----------------------------------------------------------------------------


@dataclass(slots=True)
class Intake:
    """What became of the games of a file: how many by the key of its sentence, and all sentences."""

    counts: Counter[str] = field(default_factory=Counter)
    sentences: list[str] = field(default_factory=list)
    off: list[str] = field(default_factory=list)

    def take(self, one: Incoming | LeftOut, as_told: bool) -> None:
        """Ask the table for one of the games. Raises Refused, LogError, TookTooLong."""
        if isinstance(one, LeftOut):
            self.off.append(one.why)
        elif one.difference and not as_told:
            self.off.append(one.difference)
        else:
            told = source().table.send(TakeIn(one)).result(PATIENCE)
            self.counts[getattr(told, "key", "")] += 1
            self.sentences.append(told)

    def describe(self, spoken: Words) -> str:
        """It in words: of several games in numbers, with the first reasons why games were left out."""
        said = [spoken.retell(one) for one in self.sentences]
        otherwise = self.counts["import.otherwise"]
        if len(said) + len(self.off) > 1:
            taken, there = (self.counts[f"import.{key}"] for key in ("taken", "there"))
            said = [spoken.say("import.many", taken=taken, there=there, off=len(self.off) + otherwise)]
        return " ".join([*said, *self.off[:_REASONS]])


@game_pages.post("/import")
def take_in() -> ResponseReturnValue:
    """Take games in from a file that was exported as JSON, or from another log; each once. Raises BadBody, Fault."""
    request.max_content_length = IMPORT_MB * 1_000_000
    sent = request.files.get("file")
    if sent is None or not sent.filename:
        raise BadBody("missing", name="file")
    intake, spoken = Intake(), words(viewer_language())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games"
        sent.save(path)
        try:
            for one in read_incoming(path, sent.filename, spoken):
                intake.take(one, request.form.get("as_told") == "on")
        except TookTooLong:
            return failed(503, say(table_now(), "page.error.busy"))
        except Fault as fault:  # it speaks of a file that nobody knows
            raise type(fault)(spoken.retell(str(fault)).replace(str(path), sent.filename)) from None
    told = intake.describe(spoken)
    if not intake.sentences and intake.off:
        return failed(409, told)
    if wants_page():
        return redirect(marked("/sessions", source().hold_sentence(told)), 303)
    return jsonify(ok=True, said=told, **{key: intake.counts[f"import.{key}"] for key in ("taken", "there")})
