"""The games that were played: list, one game to keep, and everything to take away."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, jsonify, render_template, request

from companion.log import store
from companion.log.export import bgstats, html
from companion.log.export.summary import Evening, Ruling, evening, when
from companion.referee.codec import input_from_json
from companion.referee.effects import undone
from companion.table.snapshot import Snapshot
from companion.web.context import source
from companion.web.error_pages import failed
from companion.web.panels import context
from companion.web.template_helpers import say, words

sessions = Blueprint("sessions", __name__)


@dataclass(frozen=True, slots=True)
class Row:
    """One game in the list."""

    id: int
    when: str
    players: tuple[str, ...]
    variant: str
    ended: str


@sessions.errorhandler(store.NoSession)
def no_session(_: store.NoSession) -> Any:
    """A game that is not in the log."""
    return failed(404, say(source().table.now, "page.error.no_game", n=(request.view_args or {}).get("number", "")))


def _path() -> Path:
    path = source().log
    if path is None:
        abort(404)
    return path


@sessions.get("/sessions")
def every() -> str:
    """All games, newest first."""
    now, path = source().table.now, source().log
    found = store.sessions(path) if path else ()
    rows = [_row(now, entry) for entry in found]
    return render_template("sessions.html", **(context(now, name="sessions") | {"rows": rows}))


@sessions.get("/sessions/<int:number>")
def one(number: int) -> str:
    """One game: how it went, in numbers and round by round."""
    now, path = source().table.now, _path()
    stored = store.session(path, number)
    row, played, pictures = _row(now, stored), _evening(path, stored), store.pictures(path, number)
    whole = store.export(path, number)
    it = {
        **{name: getattr(row, name) for name in ("id", "when", "variant", "ended")},
        "final": words(now.language).ruling(played.over) if played.over else "",
        "stats": numbers(played),
        "people": played.people({}),
        "pictures": len(pictures),
        "play": bgstats.link(bgstats.play(stored, played, words(now.language))),
    }
    removed = undone([input_from_json(entry) for entry in store.inputs(path, number)])
    fixed = {it["correct"]: it for it in whole["inputs"] if "correct" in it and it["look"] not in removed}
    told = [(ruling, False) for ruling in played.rulings]
    told += [(ruling, True) for ruling in whole["rulings"] if removed.get(ruling["look"], -1) == ruling["replaced_by"]]
    told.sort(key=lambda pair: (pair[0]["look"], pair[0]["seq"]), reverse=True)
    lines = [
        _line(now, ruling, pictures) | {"corrected": fixed.get(ruling["look"]), "undone": undone}
        for ruling, undone in told
    ]
    return render_template("session.html", **(context(now, name="session") | {"it": it, "lines": lines}))


@sessions.get("/sessions/<int:number>.json")
def as_json(number: int) -> Response:
    """Everything about a game but its pictures."""
    return jsonify(store.export(_path(), number))


@sessions.get("/sessions/<int:number>.csv")
def as_csv(number: int) -> Response:
    """The rulings of a game as a table."""
    path, spoken = _path(), words(source().table.now.language)
    players = tuple(store.session(path, number).game["players"])
    rows = ((*cells(ruling, players), spoken.ruling(ruling)) for ruling in store.rulings(path, number))
    return Response(table(players, rows), mimetype="text/csv")


@sessions.get("/sessions/<int:number>.html")
def as_page(number: int) -> Response:
    """A game as one page to keep, as `warref export --format html` writes it."""
    path, small = _path(), source().small
    stored = store.session(path, number)
    numbers = store.pictures(path, number).items()
    tables = {look: store.picture(path, picture) for (look, name), picture in numbers if name == "table"}
    shots = {look: small(jpeg) for look, jpeg in tables.items() if jpeg}
    text = html.page(stored, _evening(path, stored), shots, words(source().table.now.language))
    # Its own rules, not the page's: it brings its style and its pictures with it.
    return _to_keep(text, f"war-{number}.html", "text/html", {"Content-Security-Policy": html.POLICY})


@sessions.get("/sessions/<int:number>.bgstats")
def as_play(number: int) -> Response:
    """A game as a play link for BG Stats, to be opened on the device that has the app."""
    path = _path()
    stored = store.session(path, number)
    play = bgstats.play(stored, _evening(path, stored), words(source().table.now.language))
    return _to_keep(bgstats.link(play) + "\n", f"war-{number}-bgstats.txt", "text/plain", {})


def _to_keep(text: str, name: str, kind: str, headers: Mapping[str, str]) -> Response:
    return Response(text, mimetype=kind, headers={**headers, "Content-Disposition": f'attachment; filename="{name}"'})


def _evening(path: Path, stored: store.Session) -> Evening:
    return evening(stored.game["players"], store.rulings(path, stored.id), store.inputs(path, stored.id))


def table(players: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    """CSV text with a heading; a column of cards and one of counts for each player."""
    out = io.StringIO()
    writer = csv.writer(out)
    named = [safe(f"{what} {player}") for what in ("cards", "count") for player in players]
    writer.writerow(["seq", "look", "at", "ruling", "round", "winner", "pot", *named, "text"])
    writer.writerows([safe(cell) for cell in row] for row in rows)
    return out.getvalue()


def cells(ruling: Ruling, players: tuple[str, ...]) -> tuple[object, ...]:
    """One ruling as a row, without its sentence."""
    faces, counts = ruling.get("faces", {}), ruling.get("counts", {})
    fixed = [ruling.get(key, "") for key in ("seq", "look", "at", "ruling", "round", "winner", "pot")]
    return (*fixed, *(" ".join(faces.get(name, ())) for name in players), *(counts.get(name, "") for name in players))


def safe(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula: names are typed by anybody.

    >>> safe("=1+1"), safe("Ana"), safe(-3)
    ("'=1+1", 'Ana', -3)
    """
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _row(now: Snapshot, entry: store.Session) -> Row:
    ended = when(entry.ended) if entry.ended else say(now, "page.sessions.open")
    title = say(now, f"variant.{entry.game['variant']}")
    return Row(entry.id, when(entry.opened), tuple(entry.game["players"]), title, ended)


def numbers(it: Evening) -> list[tuple[str, int]]:
    """The game in a few numbers, each with the key of its label."""
    return [
        ("rounds", len(it.won)),
        ("wars", len(it.wars)),
        ("longest", it.longest["wars"] if it.longest else 0),
        ("biggest", max((ruling["pot"] for ruling in it.won), default=0)),
        ("corrections", it.corrections),
    ]


def _line(now: Snapshot, ruling: Ruling, pictures: Mapping[tuple[int, str], int]) -> dict[str, Any]:
    return {
        "look": ruling["look"],
        "at": ruling["at"],
        "ruling": ruling["ruling"],
        "round": ruling.get("round"),
        "text": words(now.language).ruling(ruling),
        "faces": ruling.get("faces", {}),
        "counts": ruling.get("counts", {}),
        "picture": pictures.get((ruling["look"], "table")),
    }
