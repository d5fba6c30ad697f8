"""The list of games by evening, with search and filters, and what can be done with games, names and pictures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from companion.log import games
from companion.log.export import LOG_FORMATS
from companion.log.games import PAGE_OF_GAMES, Choices, GameFilter, GameRow, GamesFound
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
    WriteNote,
)
from companion.web.actions import ask
from companion.web.context import said, source, table_now
from companion.web.form_parsing import get_number, get_text, read_body
from companion.web.panels import context

game_pages = Blueprint("games", __name__)

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
