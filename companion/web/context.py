"""What the page needs of the live table, and how a request reaches it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from flask import current_app

from companion.table.requests import Request
from companion.table.snapshot import Snapshot

#: Sentences that wait for the page that is loaded after a form was sent.
_WAITING = 32
#: Seconds a request waits for the table to carry out what it asks for.
PATIENCE = 5.0


class LiveTable(Protocol):
    """The table as the page sees it; read from any thread, changed only by `send`."""

    @property
    def now(self) -> Snapshot:
        """The table at this moment."""

    @property
    def picture(self) -> tuple[int, bytes] | None:
        """The newest picture and its number, as JPEG; None while there is none."""

    @property
    def unkept(self) -> Mapping[int, bytes]:
        """Pictures of a session that is not kept: crops by their number, the table at input N by -N."""

    def send(self, request: Request) -> Future[str]:
        """Ask for something; the future ends with one sentence, or with Refused."""


@dataclass(frozen=True, slots=True)
class PageSource:
    """The table and the log file that this page shows. `log` is None where nothing is kept.

    `shrink` makes a stored JPEG smaller, for a page that is kept and sent.
    """

    table: LiveTable
    log: Path | None
    shrink: Callable[[bytes], bytes] = lambda jpeg: jpeg
    waiting: dict[str, str] = field(default_factory=dict)

    def hold_sentence(self, sentence: str) -> str:
        """Keep what came of a form for the page that is loaded next; its mark goes into that address as `said`."""
        while len(self.waiting) >= _WAITING:
            self.waiting.pop(next(iter(self.waiting)), None)
        mark = secrets.token_urlsafe(6)
        self.waiting[mark] = sentence
        return mark


def source() -> PageSource:
    """The source of the page that answers this request."""
    return cast(PageSource, current_app.extensions["war-referee"])
