"""The page at the table: a thin reader of the live table, and a way to ask it for things."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from flask import Flask

from companion.text import LARGEST_INTEGER
from companion.web import error_pages, same_origin
from companion.web.actions import posts
from companion.web.api import state
from companion.web.context import LiveTable, PageSource, PhonePictures, remember_language
from companion.web.enrol import enrol
from companion.web.family import family_pages
from companion.web.games import game_pages
from companion.web.pages import pages
from companion.web.pictures import pictures
from companion.web.server import serve
from companion.web.sessions import session_pages
from companion.web.sharing import admission
from companion.web.sharing.listening import Sharing
from companion.web.sharing.pages import sharing_pages
from companion.web.sharing.phone import phone_pages

__all__ = ["create_app", "serve"]

#: Bytes of a request's body; a correction or a new game is far smaller.
_LARGEST = 64 * 1024


def create_app(
    table: LiveTable,
    log: Path | None = None,
    shrink: Callable[[bytes], bytes] = lambda jpeg: jpeg,
    language: str = "",
    keys: Path | None = None,
    phones: PhonePictures | None = None,
) -> Flask:
    """The page of one live table; `log` is the file with its sessions and pictures, None where there is none.

    `shrink` makes a JPEG smaller, for the page to keep; without it the pictures stay as they are. `language` is what
    the program was started in; without it every browser is answered in its own. `keys` is the folder of the
    certificate with which the table is shared on the network; without it it cannot be.
    `phones` takes the pictures of phones that are cameras.
    """
    app = Flask(__name__)
    app.config.update(MAX_CONTENT_LENGTH=_LARGEST, PORT=None)
    app.extensions["war-referee"] = PageSource(table, log, shrink, language, phones)
    app.extensions["war-referee-fragments"] = {}
    app.extensions["war-referee-sharing"] = Sharing(keys)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    # A number that the log's database cannot hold is no page.
    app.url_map.converters["int"] = partial(app.url_map.converters["int"], max=LARGEST_INTEGER)  # type: ignore[assignment]
    app.after_request(remember_language)
    same_origin.guard_requests(app)
    error_pages.register_error_pages(app)
    app.context_processor(lambda: {"acts_as": admission.role(), "at_laptop": not admission.from_network()})
    app.register_blueprint(sharing_pages)
    app.register_blueprint(phone_pages)
    for part in (pages, state, pictures, posts, game_pages, family_pages, session_pages, enrol):
        app.register_blueprint(part)
    return app
