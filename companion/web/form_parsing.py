"""What comes with a POST: JSON, or the fields of a plain HTML form, read into one shape.

A body that cannot be meant is a `BadBody`: the key of one plain sentence and what it speaks of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request

from companion.text import BadText, NotWriting, check_text, parse_json

Body = dict[str, Any]


class BadBody(Exception):
    """The body is not what this address takes. `key` names the sentence, `values` fill it."""

    def __init__(self, key: str, **values: object) -> None:
        """Keep the sentence's key and values."""
        super().__init__(key)
        self.key = f"page.error.{key}"
        self.values = values


def read_body() -> Body:
    """The body of the request by name; a form's repeated fields are lists. Raises BadBody."""
    raw = request.get_data(cache=True)
    # `curl -d` calls everything a form, so what looks like JSON is read as JSON.
    if request.is_json or raw.lstrip()[:1] in (b"{", b"["):
        return _object(raw)
    if raw and not request.form:
        raise BadBody("bad_body")
    for name, field in request.form.items(multi=True):
        _check(name, field)
    return {name: values[0] if len(values) == 1 else values for name, values in request.form.lists()}


def check_address() -> None:
    """Refuse an address with signs that are no writing, before anything is done. Raises BadBody."""
    _check(request.path, *request.args, *request.args.values())


def _check(*texts: str) -> None:
    try:
        for text in texts:
            check_text(text)
    except NotWriting:
        raise BadBody("writing") from None


def _object(raw: bytes) -> Body:
    try:
        body = parse_json(raw or b"{}")
    except NotWriting:
        raise BadBody("writing") from None
    except BadText:
        raise BadBody("bad_body") from None
    if not isinstance(body, dict):
        raise BadBody("bad_body")
    return body


def get_number(body: Mapping[str, Any], name: str, *, needed: bool = True) -> int | None:
    """A whole number, as such or as text; None where it is missing and not needed. Raises BadBody."""
    value = body.get(name)
    if value is None or value == "":
        if needed:
            raise BadBody("missing", name=name)
        return None
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadBody("number", name=name)
    return int(text)


def get_text(body: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A text; `default` where it is missing. Raises BadBody where it is missing without one, or is no text."""
    value = body.get(name, default)
    if value is None:
        raise BadBody("missing", name=name)
    if not isinstance(value, str):
        raise BadBody("text", name=name)
    return value.strip()


def get_texts(body: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """A list of texts, one text standing for a list of itself. Raises BadBody."""
    value = body.get(name, [])
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise BadBody("text", name=name)
    return tuple(one.strip() for one in found)


def get_choice(body: Mapping[str, Any], name: str) -> bool | None:
    """Yes, no, or None where nothing is said. Raises BadBody."""
    value = body.get(name)
    said = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return value
    if str(value).lower() not in said:
        raise BadBody("text", name=name)
    return said[str(value).lower()]
