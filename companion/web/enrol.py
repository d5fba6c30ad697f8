"""Enrolling the family's own pack: its page and what is asked there."""

from __future__ import annotations

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from companion.table.requests import (
    BeginEnrolling,
    ForgetPack,
    KeepPack,
    LeaveOut,
    Request,
    ShowEach,
    StopEnrolling,
    TakeBack,
    TakePicture,
    UsePack,
)
from companion.web.actions import ask
from companion.web.context import table_now
from companion.web.form_parsing import get_choice, get_text, read_body
from companion.web.panels import context

enrol = Blueprint("enrol", __name__)


@enrol.get("/enrol")
def page() -> str:
    """The packs there are, and the way to another."""
    return render_template("enrol.html", events="/events?page=enrol", **context(table_now(), name="enrol"))


def _ask(wanted: Request) -> ResponseReturnValue:
    return ask(wanted, then="/enrol")


@enrol.post("/enrol/begin")
def begin() -> ResponseReturnValue:
    """Begin, with rows in the usual order or another."""
    return _ask(BeginEnrolling(get_text(read_body(), "order", "")))


@enrol.post("/enrol/way")
def way() -> ResponseReturnValue:
    """Card by card, or whole rows."""
    return _ask(ShowEach(bool(get_choice(read_body(), "each"))))


@enrol.post("/enrol/take")
def take() -> ResponseReturnValue:
    """Learn the cards as they lie; `sure` where they lie rightly whatever is read."""
    return _ask(TakePicture(bool(get_choice(read_body(), "sure"))))


@enrol.post("/enrol/leave-out")
def leave_out() -> ResponseReturnValue:
    """The pack has no jokers, or its back need not be known."""
    return _ask(LeaveOut())


@enrol.post("/enrol/back")
def back() -> ResponseReturnValue:
    """One step back."""
    return _ask(TakeBack())


@enrol.post("/enrol/keep")
def keep() -> ResponseReturnValue:
    """Keep the pack under a name and use it."""
    return _ask(KeepPack(get_text(read_body(), "name")))


@enrol.post("/enrol/stop")
def stop() -> ResponseReturnValue:
    """Leave it; nothing is kept."""
    return _ask(StopEnrolling())


@enrol.post("/enrol/use")
def use() -> ResponseReturnValue:
    """Look with another pack; without a name, with none."""
    return _ask(UsePack(get_text(read_body(), "name", "")))


@enrol.post("/enrol/forget")
def forget() -> ResponseReturnValue:
    """Delete a pack."""
    return _ask(ForgetPack(get_text(read_body(), "name")))
