"""Only this computer's own pages may speak to the program, and devices that were let in over the network.

Any web site can make a browser send requests to 127.0.0.1, or point a name of its own there. So every
request must name this server as its host, and one that changes something must come from its own page.
What comes over the network is judged by `sharing.admission`.
"""

from __future__ import annotations

from flask import Flask, Response, current_app, request
from flask.typing import ResponseReturnValue

from companion.web.sharing.admission import from_network, refuse_outsiders

_NAMES = ("127.0.0.1", "localhost", "[::1]")

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def guard_requests(app: Flask) -> None:
    """Check every request of `app`, those for static files and unknown addresses too."""
    app.before_request(refuse_strangers)
    app.after_request(_add_headers)


def refuse_strangers() -> ResponseReturnValue | None:
    """The refusal of a foreign host or origin, else None. Nothing has been done by then."""
    if from_network():
        return refuse_outsiders()
    port = current_app.config.get("PORT")
    if not is_ours(request.environ.get("HTTP_HOST", ""), port):
        return _refused("This address is not the War Referee's own.")
    origin = request.environ.get("HTTP_ORIGIN")
    changes = request.method not in ("GET", "HEAD", "OPTIONS")
    if changes and origin is not None and not is_ours(origin.removeprefix(f"{request.scheme}://"), port):
        return _refused("Another page tried to change the game.")
    return None


def is_ours(host: str, port: int | None) -> bool:
    """Whether `host` (with its port, as in a Host header) is this server.

    `port` is None before the server listens, as in tests; then any port will do.

    >>> is_ours("localhost:8000", 8000), is_ours("localhost:9", 8000), is_ours("evil.example:8000", 8000)
    (True, False, False)
    >>> is_ours("[::1]:8000", 8000), is_ours("127.0.0.1", 8000), is_ours("127.0.0.1", 80)
    (True, False, True)
    """
    name, colon, given = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if not colon:
        name, given = host, "80"
    if name not in _NAMES or not given.isascii() or not given.isdigit():
        return False
    return port is None or given == str(port)


def _refused(sentence: str) -> Response:
    return Response(sentence + "\n", 403, mimetype="text/plain")


def _add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")
    return response
