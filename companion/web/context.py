"""What the page needs of the live table, and how a request reaches it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from flask import Response, current_app, request

from companion.table.requests import Request
from companion.table.snapshot import Snapshot
from companion.words import Words, languages, speak

#: Sentences that wait for the page that is loaded after a form was sent.
_WAITING = 32
#: Seconds a request waits for the table to carry out what it asks for.
PATIENCE = 5.0


class LiveTable(Protocol):
    """The table as the page sees it; read from any thread, changed only by `send`."""

    @property
    def now(self) -> Snapshot:
        """The table at this moment."""

    def speak(self, words: Words) -> Snapshot:
        """The table at this moment in another language than its own."""

    @property
    def picture(self) -> tuple[int, bytes] | None:
        """The newest picture and its number, as JPEG; None while there is none."""

    @property
    def unkept(self) -> Mapping[int, bytes]:
        """Pictures of a session that is not kept: crops by their number, the table at input N by -N."""

    def send(self, request: Request) -> Future[str]:
        """Ask for something; the future ends with one sentence, or with Refused."""


class PhonePictures(Protocol):
    """Where the pictures of phones go that are cameras."""

    def begin(self, phone: str, name: str) -> str:
        """Expect pictures of a phone; gives the source to select. Raises ValueError where `phone` is no ID."""

    def push(self, phone: str, jpeg: bytes) -> bool:
        """Take its newest picture; False where it is none, or is too large."""

    def leave(self, phone: str, why: str) -> None:
        """It says that no pictures will come, and why."""


@dataclass(frozen=True, slots=True)
class PageSource:
    """The table and the log file that this page shows. `log` is None where nothing is kept.

    `shrink` makes a stored JPEG smaller, for a page that is kept and sent. `language` is the one that was asked for
    when the program was started; empty where each browser is answered in its own. `phones` takes the pictures of
    phones that are cameras.
    """

    table: LiveTable
    log: Path | None
    shrink: Callable[[bytes], bytes] = lambda jpeg: jpeg
    language: str = ""
    phones: PhonePictures | None = None
    waiting: dict[str, str] = field(default_factory=dict)

    def hold_sentence(self, sentence: str) -> str:
        """Keep what came of a form for the page that is loaded next; its mark goes into that address as `said`."""
        while len(self.waiting) >= _WAITING:
            self.waiting.pop(next(iter(self.waiting)), None)
        mark = secrets.token_urlsafe(6)
        self.waiting[mark] = sentence
        return mark


def said() -> str:
    """What came of the form that led to this page; said once."""
    return source().waiting.pop(request.args.get("said", ""), "")


def source() -> PageSource:
    """The source of the page that answers this request."""
    return cast(PageSource, current_app.extensions["war-referee"])


# --- the viewer's language --------------------------------------------------------------------------

#: The cookie that remembers the language chosen on the page, and the argument of an address that chooses it.
LANGUAGE = "language"
#: Seconds that the choice is remembered: a year.
_REMEMBERED = 365 * 24 * 3600


def viewer_language() -> str:
    """The language of this request: chosen on the page, else as the program was started, else the browser's."""
    for chosen in (request.args.get(LANGUAGE), request.cookies.get(LANGUAGE), source().language):
        if chosen in languages():
            return str(chosen)
    return request.accept_languages.best_match(languages(), "") or source().table.now.language


def table_now() -> Snapshot:
    """The table at this moment, in the language of this request."""
    return now_in(source().table, viewer_language())


def now_in(table: LiveTable, language: str) -> Snapshot:
    """The table at this moment in this language."""
    return table.now if table.now.language == language else table.speak(speak(language))


def remember_language(response: Response) -> Response:
    """Remember a language that was chosen by the address."""
    if request.args.get(LANGUAGE) in languages():
        response.set_cookie(LANGUAGE, request.args[LANGUAGE], max_age=_REMEMBERED, samesite="Lax", httponly=True)
    return response
