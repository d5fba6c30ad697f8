"""Pictures: the newest frame, and those stored with the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import Blueprint, Response, abort, request

from companion.log import store
from companion.web.context import LiveTable, source, table_now
from companion.web.streaming import Live

pictures = Blueprint("pictures", __name__)

BOUNDARY = b"frame"
#: A stored picture never changes, but it can be deleted: kept by a browser for a short while only.
KEPT = "private, max-age=300"


def picture(table: LiveTable) -> tuple[int, bytes] | None:
    """The newest frame with its number; the last one of a source that is watched no more is not it."""
    return table.picture if table.now.camera.source else None


@pictures.get("/picture.jpg")
def newest() -> Response:
    """The newest frame."""
    found = picture(source().table)
    if found is None:
        abort(404)
    return Response(found[1], mimetype="image/jpeg")


@pictures.get("/picture.mjpg")
def moving() -> Response:
    """The newest frames as they come; a slow viewer misses some and is never behind."""
    table = source().table
    kind = f"multipart/x-mixed-replace; boundary={BOUNDARY.decode()}"
    return Response(Live(frames(lambda: picture(table))), content_type=kind, direct_passthrough=True)


def frames(newest: Callable[[], tuple[int, bytes] | None]) -> Iterator[bytes]:
    """The parts of one viewer's picture stream.

    Each part ends with the next boundary: browsers show a picture only when they have seen its end.
    """
    edge = b"--" + BOUNDARY + b"\r\n"
    shown = None
    yield edge
    while True:
        picture = newest()
        if picture is None or picture[0] == shown:
            yield b""
            continue
        shown, jpeg = picture
        yield b"Content-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n%b" % (len(jpeg), jpeg, edge)


@pictures.get("/cameras/<int:place>.jpg")
def thumbnail(place: int) -> Response:
    """What one of the cameras to choose from saw when they were looked for."""
    choices = source().table.now.camera.choices
    if not 0 <= place < len(choices) or not choices[place].picture:
        abort(404)
    return Response(choices[place].picture, mimetype="image/jpeg")


@pictures.get("/evidence/<int:look>.jpg")
def evidence(look: int) -> Response:
    """The table at one input of this session, or of `?session=N`."""
    path, now = source().log, table_now()
    if now.session is None and "session" not in request.args:
        return _stored(source().table.unkept.get(-look))
    session = request.args.get("session", now.session, type=int)
    if path is None or session is None:
        abort(404)
    return _stored(store.load_table_picture(path, session, look))


@pictures.get("/crops/<int:number>.jpg")
def crop(number: int) -> Response:
    """One stored picture by its number: a card as it was seen."""
    path = source().log
    if table_now().session is None and number in source().table.unkept:
        return _stored(source().table.unkept[number])
    if path is None:
        abort(404)
    return _stored(store.load_evidence_picture(path, number))


def _stored(jpeg: bytes | None) -> Response:
    if jpeg is None:
        abort(404)
    return Response(jpeg, mimetype="image/jpeg", headers={"Cache-Control": KEPT})
