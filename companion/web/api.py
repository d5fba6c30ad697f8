"""The table as data: once, or pushed at every change."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from flask import Blueprint, Response, current_app, jsonify, request

from companion.table.snapshot import Snapshot
from companion.web.context import now_in, source, viewer_language
from companion.web.panels import fragment, short_source
from companion.web.sharing.admission import from_network
from companion.web.streaming import BEAT, Live

state = Blueprint("state", __name__)
_Shown = TypeVar("_Shown")


def plain(value: Any) -> Any:
    """A snapshot, or a part of it, as JSON values; of a picture only whether there is one."""
    if isinstance(value, bytes):
        return bool(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list, frozenset)):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


@state.get("/state")
def whole() -> Response:
    """The table at this moment."""
    return jsonify(plain(as_seen_from(source().table.now, from_network())))


def as_seen_from(now: Snapshot, network: bool) -> Snapshot:
    """The snapshot for the laptop, or for the network: paths, and passwords in addresses, stay at the laptop."""
    if not network:
        return now
    return replace(now, camera=replace(now.camera, source=short_source(now.camera.source)))


@state.get("/healthz")
def healthz() -> Response:
    """That the program answers, and what it watches."""
    now = source().table.now
    return jsonify(ok=True, version=now.version, session=now.session, camera=now.camera.ok)


@state.get("/events")
def events() -> Response:
    """Server-sent events: the whole state at once and at every change; with `page`, that page's panels instead."""
    page, only, table = request.args.get("page"), request.args.get("only", ""), source().table
    app, network = current_app._get_current_object(), from_network()  # type: ignore[attr-defined]

    def panels(now: Snapshot) -> str:
        return event("page", {"version": now.version, "html": fragment(app, now, str(page), only)}, now.version)

    def data(now: Snapshot) -> str:
        return event("", plain(as_seen_from(now, network)), now.version)

    language = viewer_language()
    parts = news(lambda: now_in(table, language) if page else table.now, panels if page else data)
    return Response(Live(parts), mimetype="text/event-stream", direct_passthrough=True)


def news(now: Callable[[], _Shown], say: Callable[[_Shown], str]) -> Iterator[bytes]:
    """The parts of one viewer's stream of what is replaced whole. Changes while one is being sent are passed over."""
    shown: _Shown | None = None
    yield b"retry: 1000\n\n"
    spoke = time.monotonic()
    while True:
        newest = now()
        if newest is not shown:
            shown, spoke = newest, time.monotonic()
            yield say(newest).encode()
        elif time.monotonic() - spoke > BEAT:
            spoke = time.monotonic()
            # The comment keeps the line open; the event tells the script that it still is.
            yield b": still here\nevent: beat\ndata: {}\n\n"
        else:
            yield b""


def event(name: str, data: object, version: int) -> str:
    """One server-sent event on a single data line."""
    kind = f"event: {name}\n" if name else ""
    return f"{kind}id: {version}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
