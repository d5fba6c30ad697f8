"""Answers that are not a page of their own: what went wrong, for programs and for people."""

from __future__ import annotations

from flask import Flask, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from companion.errors import Fault
from companion.table.requests import Refused
from companion.text import one_line
from companion.web.context import table_now, viewer_language
from companion.web.form_parsing import BadBody, check_address
from companion.web.template_helpers import say, saying, words

_KEYS = {404: "not_found", 405: "method", 413: "too_large", 500: "broken"}


def wants_page() -> bool:
    """Whether a person's browser asks, by a plain link or form, rather than a program or our script."""
    return request.accept_mimetypes.best_match(["application/json", "text/html"]) == "text/html"


def failed(status: int, sentence: str) -> ResponseReturnValue:
    """One plain sentence with its status; in one line, whatever names it speaks of."""
    now, sentence = table_now(), one_line(sentence)
    if wants_page():
        title = say(now, "page.error.title")
        return render_template("message.html", title=title, sentence=sentence, **saying(now.language)), status
    return jsonify(ok=False, error=sentence), status


def register_error_pages(app: Flask) -> None:
    """Answer what the framework, the gate for text or the table refuses in the page's words."""
    app.before_request(check_address)
    for status, key in _KEYS.items():

        def answer(_: Exception, status: int = status, key: str = key) -> ResponseReturnValue:
            return failed(status, say(table_now(), f"page.error.{key}"))

        app.register_error_handler(status, answer)
    app.register_error_handler(BadBody, _bad_body)
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(Fault, _refused)  # of the log: damaged, or locked by another program


def _bad_body(error: BadBody) -> ResponseReturnValue:
    return failed(400, say(table_now(), error.key, **error.values))


def _refused(refusal: Refused | Fault) -> ResponseReturnValue:
    return failed(409, words(viewer_language()).retell(str(refusal)))
