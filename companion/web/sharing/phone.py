"""A phone as the camera: its page, and the pictures that it sends one after the other, paced by the answers."""

from __future__ import annotations

import re
from typing import Any

from flask import Blueprint, jsonify, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.table.requests import SelectCamera
from companion.table.snapshot import Snapshot
from companion.web.context import PhonePictures, source, table_now, viewer_language
from companion.web.error_pages import failed
from companion.web.form_parsing import BadBody, get_choice, get_text, read_body
from companion.web.sharing.admission import from_network, guest
from companion.web.template_helpers import say, saying

phone_pages = Blueprint("phone_pages", __name__)

#: Milliseconds between two pictures of the phone that is the table's camera: no more are looked at.
WATCHED_MS = 100
#: Milliseconds between two pictures of a phone that waits to be picked, or while the table is paused.
SPARE_MS = 1000
#: Bytes of one picture; JPEG of 1920x1080 has less than a quarter.
LARGEST_PICTURE = 4 * 1024 * 1024
_ID = re.compile("[a-z0-9-]{8,40}")


@phone_pages.get("/phone")
def phone_page() -> ResponseReturnValue:
    """The page that a phone shows while it is the camera; at the laptop the code for it."""
    if not from_network():
        return redirect("/share?as=camera", 303)
    return render_template("phone.html", name="phone", **saying(viewer_language()))


@phone_pages.post("/phone/begin")
def begin_phone() -> ResponseReturnValue:
    """A phone sends pictures; `first`: its page was just opened. `take`: whatever is watched now. Raises BadBody.

    It becomes the table's camera unless another phone is; one that comes back takes nothing from a camera that sees.
    """
    body = read_body()
    phone, here = _checked(get_text(body, "phone")), guest()
    spec = _pictures().begin(phone, here.name if here is not None else "")
    now = source().table.now
    free = not _other_phone(now) and (get_choice(body, "first") or not now.camera.ok)
    if not _is_watched(now, phone) and (get_choice(body, "take") or free):
        source().table.send(SelectCamera(spec))
    return jsonify(ok=True, **_state(table_now(), phone))


@phone_pages.post("/phone/picture")
def take_picture() -> ResponseReturnValue:
    """One picture, JPEG; the answer says when the next one is wanted, and what is made of it."""
    request.max_content_length = LARGEST_PICTURE
    phone = _checked(request.args.get("phone", ""))
    if not _pictures().push(phone, request.get_data(cache=False)):
        return failed(400, say(table_now(), "page.phone.no_picture"))
    return jsonify(ok=True, **_state(table_now(), phone))


@phone_pages.post("/phone/away")
def phone_away() -> ResponseReturnValue:
    """No pictures will come: the screen went off (`hidden`), a call has the camera (`camera`), the page was closed."""
    body = read_body()
    _pictures().leave(_checked(get_text(body, "phone")), get_text(body, "why", "left"))
    return jsonify(ok=True)


def _checked(phone: str) -> str:
    if not _ID.fullmatch(phone):
        raise BadBody("text", name="phone")
    return phone


def _pictures() -> PhonePictures:
    """Raises BadBody where this page has no use for phones."""
    phones = source().phones
    if phones is None:
        raise BadBody("unknown", name="phone", example="{}")
    return phones


def _is_watched(now: Snapshot, phone: str) -> bool:
    return now.camera.source.startswith(f"phone:{phone}:")


def _other_phone(now: Snapshot) -> bool:
    """Whether another phone is the table's camera, and sends."""
    return now.camera.source.startswith("phone:") and now.camera.ok


def _state(now: Snapshot, phone: str) -> dict[str, Any]:
    """What the phone is told: when the next picture is wanted, in milliseconds, and how it stands, in words."""
    watched = _is_watched(now, phone)
    key = "paused" if watched and now.paused else "watched" if watched else "other" if _other_phone(now) else "spare"
    wait = WATCHED_MS if watched and not now.paused else SPARE_MS
    return {"next_ms": wait, "state": key, "says": say(now, f"page.phone.{key}"), "table": now.chip_text}
