"""The page of sharing at the laptop, with the code to scan, and the page that a device joins by."""

from __future__ import annotations

import time
from typing import Any

import segno
from flask import Blueprint, Response, current_app, jsonify, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.web.api import event, news
from companion.web.context import table_now, viewer_language
from companion.web.error_pages import failed, wants_page
from companion.web.form_parsing import BadBody, get_choice, get_number, get_text, read_body
from companion.web.sharing.admission import COOKIE, guest
from companion.web.sharing.guests import LONGEST_DEVICE, Guest, NotJoined, Role, format_code
from companion.web.sharing.listening import CannotShare, SharingView, sharing
from companion.web.streaming import Live
from companion.web.template_helpers import say, saying

sharing_pages = Blueprint("sharing_pages", __name__)

#: Seconds that a browser keeps a token: longer than any evening; it is stale once the sharing ends anyhow.
_KEPT_S = 24 * 3600
#: Where a device goes once it has joined.
_START = {Role.VIEWER: "/", Role.REFEREE: "/", Role.CAMERA: "/phone"}
#: What browsers call the devices they run on, the first that fits.
_DEVICES = ("iPhone", "iPad", "Android", "Macintosh", "Windows", "CrOS", "Linux")


# --- at the laptop ----------------------------------------------------------------------------------


@sharing_pages.get("/share")
def share() -> str:
    """Share the table, and the code of one role to scan."""
    role = _asked_role()
    return render_template("share.html", events=f"/share/events?as={role}", **_shown(sharing().view, role))


@sharing_pages.get("/share/events")
def share_events() -> Response:
    """Server-sent events: the panels of the page of sharing, at once and at every change."""
    here, role, app = sharing(), _asked_role(), current_app._get_current_object()  # type: ignore[attr-defined]
    language = viewer_language()

    def panels(view: SharingView) -> str:
        html = app.jinja_env.get_template("parts/share.html").render(_shown(view, role, language))
        return event("page", {"html": html}, 0)

    parts = news(lambda: here.view, panels)
    return Response(Live(parts), mimetype="text/event-stream", direct_passthrough=True)


@sharing_pages.post("/share")
def switch_sharing() -> ResponseReturnValue:
    """Begin to share, at one of the laptop's addresses, or end it. Raises BadBody where neither is said."""
    body = read_body()
    on, address = get_choice(body, "on"), get_text(body, "address", "")
    if on is None:
        raise BadBody("missing", name="on")
    try:
        sharing().start(address) if on else sharing().stop()
    except CannotShare as error:
        return failed(409, say(table_now(), f"page.share.refused.{error.key}"))
    return _done("begun" if on else "ended")


@sharing_pages.post("/share/remove")
def remove_guest() -> ResponseReturnValue:
    """Send a device away: it sees nothing more from this moment on."""
    known = sharing().remove(get_number(read_body(), "device") or 0)
    return _done("removed") if known else failed(409, say(table_now(), "page.share.refused.gone"))


def _done(key: str) -> ResponseReturnValue:
    if wants_page():
        return redirect("/share", 303)
    return jsonify(ok=True, said=say(table_now(), f"page.share.{key}"))


def _asked_role() -> Role:
    asked = request.args.get("as", "")
    return Role(asked) if asked in tuple(Role) else Role.VIEWER


def _shown(view: SharingView, role: Role, language: str = "") -> dict[str, Any]:
    """What the templates of the page of sharing use."""
    code = view.codes.get(role, "")
    link = f"{view.origin}/join?code={code}" if code else ""
    return {
        **saying(language or viewer_language()),
        "name": "share",
        "view": view,
        "role_shown": role,
        "roles": tuple(Role),
        "code": format_code(code) if code else "",
        "link": link,
        "square": draw_square(link) if link else "",
        "since": _clock_time,
    }


def draw_square(text: str) -> str:
    """The QR code of a text as SVG, black on white whatever the page's colours."""
    return segno.make(text, error="m", micro=False).svg_inline(border=4, light="#fff", omitsize=True)


def _clock_time(guest: Guest) -> str:
    return time.strftime("%H:%M", time.localtime(guest.since))


# --- on the device that joins -----------------------------------------------------------------------


@sharing_pages.get("/join")
def join() -> ResponseReturnValue:
    """What the code lets this device do, and what it is called; nothing is joined before somebody says so."""
    code = request.args.get("code", "")
    try:
        role = sharing().guests.role_of(code, request.remote_addr or "")
    except NotJoined as refusal:
        return _not_joined(refusal)
    here = guest()
    if here is not None and here.role is role:
        return redirect(_START[role], 303)
    shown = {"code": code, "role": role, "device": _device(), "longest": LONGEST_DEVICE}
    return render_template("join.html", **shown, **saying(viewer_language()))


@sharing_pages.post("/join")
def enter() -> ResponseReturnValue:
    """Join by a code. The device gets a token of its own in a cookie that no script can read."""
    body = read_body()
    name = get_text(body, "name", "") or _device()
    before = guest()
    try:
        token, here = sharing().guests.join(get_text(body, "code", ""), name, request.remote_addr or "")
    except NotJoined as refusal:
        return _not_joined(refusal)
    if before is not None:
        sharing().remove(before.number)
    to = _START[here.role]
    answer = make_response(redirect(to, 303) if wants_page() else jsonify(ok=True, role=str(here.role), to=to))
    answer.set_cookie(COOKIE, token, max_age=_KEPT_S, secure=True, httponly=True, samesite="Lax")
    return answer


@sharing_pages.post("/leave")
def leave() -> ResponseReturnValue:
    """Leave the table with this device."""
    here = guest()
    if here is not None:
        sharing().remove(here.number)
    return jsonify(ok=True, said=say(table_now(), "page.join.left"))


def _not_joined(refusal: NotJoined) -> ResponseReturnValue:
    now = table_now()
    status = {"wrong_code": 403, "too_many": 429, "full": 503}[refusal.key]
    sentence = say(now, f"page.join.{refusal.key}")
    if not wants_page():
        return jsonify(ok=False, error=sentence), status
    return render_template("refused.html", sentence=sentence, asks=True, **saying(viewer_language())), status


def _device() -> str:
    """What this device is called as long as nobody says otherwise."""
    agent = request.user_agent.string
    return next((name for name in _DEVICES if name in agent), "")
