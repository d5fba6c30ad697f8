"""Who may do what over the network: host, origin, token and role, checked at every request.

At the laptop itself nothing of this holds (`same_origin` guards it); `FROM_NETWORK` in a request's environment says
that it came over the network. What is not named here is refused there.
"""

from __future__ import annotations

from typing import cast

from flask import Response, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from companion.web.context import table_now
from companion.web.error_pages import wants_page
from companion.web.sharing.guests import Guest, Role
from companion.web.sharing.listening import sharing
from companion.web.template_helpers import say, saying

#: In the environment of a request that came over the network: true; and the device that sent it.
FROM_NETWORK, GUEST = "war-referee.network", "war-referee.guest"
COOKIE = "war-referee-device"
#: What needs no token.
_JOIN, _STATIC = "/join", "/static/"
#: Whoever has joined may leave.
_LEAVE = "/leave"
#: What a phone that is the camera is for.
_PHONE = ("/phone", "/phone/picture", "/phone/begin", "/phone/away")
#: Pages of the laptop alone.
_AT_THE_LAPTOP = ("/share", "/enrol", "/preferences", "/export")
#: What a referee may change; a viewer and a camera change nothing of the game. Cameras, packs and stored games are
#: the laptop's: a source is a file or an address that the laptop would open.
CHANGES = frozenset(
    {
        *("/correct", "/undo", "/appeal", "/answer", "/look", "/collected", "/pause", "/reset-watching"),
        *("/steal", "/top", "/reshuffle", "/count", "/settings", "/seats", "/mirror", "/new-game", "/play-sample"),
        *("/try-places", "/missed"),
    }
)


def from_network() -> bool:
    """Whether this request came over the network."""
    return bool(request.environ.get(FROM_NETWORK))


def guest() -> Guest | None:
    """The device that sent this request; None for the laptop itself."""
    return cast("Guest | None", request.environ.get(GUEST))


def role() -> Role | None:
    """What this request may do: the laptop itself is always referee, a device that has not joined nothing."""
    here = guest()
    return here.role if here is not None else None if from_network() else Role.REFEREE


def refuse_outsiders() -> ResponseReturnValue | None:
    """For a request over the network: why it is refused, or None. Nothing has been done by then."""
    here = sharing()
    changes = request.method not in ("GET", "HEAD", "OPTIONS")
    if not here.is_host(request.environ.get("HTTP_HOST", "")):
        return _refused(403, "host")
    origin = request.environ.get("HTTP_ORIGIN")
    if (origin is None and changes) or (origin is not None and not _is_own_origin(origin)):
        return _refused(403, "origin")
    token = request.cookies.get(COOKIE, "")
    found = here.guests.find(token) if token else None
    request.environ[GUEST] = found
    if request.path == _JOIN or request.path.startswith(_STATIC):
        return None
    if found is None:
        return _refused(401, "stale" if token else "unknown")
    return None if _may(found.role, request.path, changes) else _refused(403, f"not_as_{found.role}")


def _is_own_origin(origin: str) -> bool:
    scheme, _, host = origin.partition("://")
    return scheme == "https" and sharing().is_host(host)


def _may(role: Role, path: str, changes: bool) -> bool:
    if path == _LEAVE:
        return True
    if path in _PHONE:
        return role is Role.CAMERA
    if role is Role.CAMERA or path.startswith(_AT_THE_LAPTOP) or path.endswith(".json"):
        return False
    return not changes or (role is Role.REFEREE and path in CHANGES)


def _refused(status: int, key: str) -> Response | tuple[Response | str, int]:
    """One sentence; a person without a token may type the code."""
    now = table_now()
    sentence = say(now, f"page.admission.{key}")
    if not wants_page():
        return jsonify(ok=False, error=sentence), status
    asks = status == 401
    return render_template("refused.html", sentence=sentence, asks=asks, **saying(now.language)), status
