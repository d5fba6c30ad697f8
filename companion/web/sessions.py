"""One game that was played: its numbers and rounds, its replay, and everything to take away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, render_template, request

from companion.log import store
from companion.log.export import FORMATS, LOG_FORMATS, ExportFormat
from companion.log.export.bgstats import as_play, play_link
from companion.log.export.curve import draw_session_curve
from companion.log.summary import RulingRow, Summary
from companion.referee.codec import Json, input_from_json
from companion.referee.effects import undone
from companion.table.snapshot import Snapshot
from companion.web.context import said, source, table_now
from companion.web.error_pages import failed
from companion.web.panels import DISPUTES, context
from companion.web.template_helpers import say, words

session_pages = Blueprint("sessions", __name__)

#: Where a round of a stored game is replayed.
REPLAY = "/sessions/{session}/replay?look={look}"


@session_pages.errorhandler(store.NoSession)
def no_session(_: store.NoSession) -> Any:
    """A game that is not in the log."""
    return failed(404, say(table_now(), "page.error.no_game", n=(request.view_args or {}).get("number", "")))


def _path() -> Path:
    path = source().log
    if path is None:
        abort(404)
    return path


@session_pages.get("/sessions/<int:number>")
def one(number: int) -> str:
    """One game: how it went, in numbers and round by round."""
    now, path = table_now(), _path()
    stored, pictures, whole = store.load_session(path, number), store.list_evidence(path, number), _whole(number)
    played, spoken = store.summarize_export(whole), words(now.language)
    it = {
        "id": number,
        "stored": stored,
        "span": spoken.span(played.seconds) if played.rounds else "",
        "final": spoken.ruling(played.over) if played.over else "",
        "stats": numbers(played),
        "people": played.people(store.starting_counts_of(stored.game)),
        "pictures": len(pictures),
        "play": play_link(as_play(stored, played, spoken)),
    }
    curve = draw_session_curve(stored, played, spoken, REPLAY)
    only = request.args.get("only", "all")
    only = only if only in _ONLY else "all"
    lines = list(filter(_ONLY[only], _lines(now, whole, pictures)))
    shown = {"it": it, "lines": lines, "only": only, "curve": curve, "said": said(), "formats": FORMATS}
    return render_template("session.html", **(context(now, name="session") | shown))


#: Which lines of a game are shown: as in the log of the game at the table.
_ONLY: dict[str, Callable[[dict[str, Any]], bool]] = {
    "all": lambda line: True,
    "wars": lambda line: line["ruling"] == "war_declared" or any(len(laid) > 1 for laid in line["faces"].values()),
    "corrections": lambda line: bool(line["corrected"] or line["undone"]),
    "disputes": lambda line: line["ruling"] in DISPUTES,
}


def _whole(number: int) -> Json:
    return store.export_session(_path(), number)


def _lines(now: Snapshot, whole: Json, pictures: Mapping[tuple[int, str], int]) -> list[dict[str, Any]]:
    """The rulings in force and those that were taken back, the newest first."""
    inputs = [input_from_json(entry) for entry in whole["inputs"]]
    removed = undone(inputs)
    fixed = {it["correct"]: it for it in whole["inputs"] if "correct" in it and it["look"] not in removed}
    told = [(ruling, False) for ruling in whole["rulings"] if ruling["replaced_by"] is None]
    told += [(ruling, True) for ruling in whole["rulings"] if removed.get(ruling["look"], -1) == ruling["replaced_by"]]
    told.sort(key=lambda pair: (pair[0]["look"], pair[0]["seq"]), reverse=True)
    return [
        _line(now, ruling, pictures) | {"corrected": fixed.get(ruling["look"]), "undone": undone}
        for ruling, undone in told
    ]


@session_pages.get("/sessions/<int:number>/replay")
def replay(number: int) -> str:
    """One game step by step: `?step=N`, or the step of `?look=N`."""
    now, path = table_now(), _path()
    stored = store.load_session(path, number)
    played, pictures = store.load_summary(path, stored), store.list_evidence(path, number)
    lines = [_line(now, ruling, pictures) for ruling in played.told]
    asked = request.args.get("look", type=int)
    at = next((n for n, line in enumerate(lines) if line["look"] == asked), 0)
    step = max(0, min(request.args.get("step", at + 1, type=int) - 1, len(lines) - 1))
    line = lines[step] if lines else None
    curve = draw_session_curve(stored, played, words(now.language), REPLAY, line["round"] if line else None)
    shown = {"number": number, "line": line, "step": step + 1, "all": len(lines), "curve": curve}
    return render_template("replay.html", **(context(now, name="replay") | shown))


@session_pages.get("/sessions/<int:number>.<name>")
def export(number: int, name: str) -> Response:
    """A game in one of the formats of `warref export`."""
    form = FORMATS.get(name) or abort(404)
    made = form.export(_path(), number, words(table_now().language), source().shrink)
    return _download(form, made, form.file.format(number=number))


@session_pages.get("/export/<name>")
def export_all(name: str) -> Response:
    """All games in one of the formats of `warref export all`."""
    form = LOG_FORMATS.get(name) or abort(404)
    return _download(form, form.export_all(_path(), words(table_now().language)), form.file)


def _download(form: ExportFormat, made: bytes, name: str) -> Response:
    saved = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(made, mimetype=form.media_type, headers={**form.headers, **saved})


def numbers(it: Summary) -> list[tuple[str, int]]:
    """The game in a few numbers, each with the key of its label."""
    return [
        ("rounds", len(it.won)),
        ("wars", len(it.wars)),
        ("longest", it.longest["wars"] if it.longest else 0),
        ("biggest", max((ruling["pot"] for ruling in it.won), default=0)),
        ("corrections", it.corrections),
    ]


def _line(now: Snapshot, ruling: RulingRow, pictures: Mapping[tuple[int, str], int]) -> dict[str, Any]:
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
