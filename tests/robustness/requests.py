"""Requests to the page, made from its description, against a live table; and bytes that are no requests."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from companion.commands.watch import restore_session
from companion.log.store import Log
from companion.log_requests import LogRequests
from companion.referee.game import new_game
from companion.table.presenter import Presenter
from companion.table.table import Table
from companion.web import create_app
from companion.web.server import Server
from companion.words import speak
from tests.robustness.mutations import damage_bytes, nasty
from tests.robustness.tally import ROOT, Tally, own_home, time_limit

DESCRIPTION = json.loads((ROOT / "companion" / "web" / "openapi.json").read_text("utf-8"))
OPERATIONS = [(path, verb, said) for path, verbs in DESCRIPTION["paths"].items() for verb, said in verbs.items()]
#: Endless answers; `streams` and `soak` open them.
ENDLESS = ("/events", "/picture.mjpg", "/share/events")
CARDS = ("9H", "KS", "2C", "10D", "9?", "JOKER", "?", "XX")
#: Values that a field of each name may well have.
LIKELY: dict[str, tuple[Any, ...]] = {
    "player": ("Ana", "Ben"),
    "by": ("Ana", "Ben", ""),
    "variant": ("classic", "multi", "razboi", "steal", "arneson"),
    "seats": ("left-right", "near-far", "auto"),
    "card": CARDS,
    "choice": (*CARDS, "Ana", "yes"),
    "filename": ("page.js", "page.css", "../app.py", "%2e%2e/app.py"),
    "name": ("json", "csv", "html", "bgstats", "family", "classic", "steal", "Ana"),
    "from": (["Ana"], ["Ben"], ["Ana", "Ben"]),
    "count": ({"Ana": 24, "Ben": 27}, {"Ana": 0}, {"Ben": "9"}),
    "mirror": ("auto", "yes", "no"),
    "source": ("0", "nothing.mp4"),
    "place": (0, 1, "new"),
}


@contextlib.contextmanager
def live_table(folder: Path) -> Iterator[tuple[Table, Path]]:
    """A table with a log and a game, served by a thread of its own as in the program."""
    path, stop, ready = folder / "page.db", threading.Event(), threading.Event()
    tables: list[Table] = []

    def run() -> None:
        with Log(path) as keeper:
            table = Table(keeper, Presenter(speak("en")))
            reload = partial(restore_session, path)
            table.add_handlers(LogRequests(keeper, table, speak("en"), reload).handlers)
            table.open(new_game("classic", ("Ana", "Ben")), "", "left-right", live=True)
            tables.append(table)
            ready.set()
            while not stop.is_set():
                table.serve(wait_s=0.05)
            table.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield tables[0], path
    finally:
        stop.set()
        thread.join(10)


def attack_requests(rng: random.Random, count: int, folder: Path) -> Tally:
    """Ask for everything that is described, with likely and nasty values; what is refused must change nothing."""
    tally = Tally()
    with own_home(folder), live_table(folder) as (table, path):
        browser = create_app(table, path).test_client()
        for number in range(count):
            address, verb, more = _request(rng)
            before = table.now
            about = f"requests {number}: {verb} {address} {more}"[:700]
            try:
                with time_limit():
                    answer = browser.open(address, method=verb.upper(), **more)
            except Exception as error:
                tally.fail(f"{about}: {error!r}")
                continue
            tally.tried += 1
            _judge(tally, about, answer, unchanged=table.now is before or table.now.log == before.log)
            if answer.status_code == 503:
                return tally  # the table has stopped
            if number % 25 == 0:
                for page in ("/", "/log", "/state", "/screen", "/settings", "/sessions"):
                    if browser.get(page).status_code != 200:
                        tally.fail(f"{about}: {page} is broken from then on")
                        return tally
        _send_garbage(tally, rng, create_app(table, path), max(1, count // 50))
    return tally


def _judge(tally: Tally, about: str, answer: Any, unchanged: bool) -> None:
    if answer.status_code >= 500:
        tally.fail(f"{about}: {answer.status_code}")
    if answer.status_code >= 400:
        tally.refused += 1
        if not unchanged:
            tally.fail(f"{about}: refused with {answer.status_code}, but the game has changed")
        said = (answer.get_json(silent=True) or {}).get("error", "one line")
        if len(str(said).splitlines()) != 1:
            tally.fail(f"{about}: not one sentence: {said!r}")


def _request(rng: random.Random) -> tuple[str, str, dict[str, Any]]:
    path, verb, said = rng.choice([one for one in OPERATIONS if one[0] not in ENDLESS])
    query = []
    for parameter in said.get("parameters", ()):
        found = _escape(_value(parameter["name"], parameter["schema"], rng))
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", found or "0")
        elif rng.random() < 0.7:
            query.append(f"{parameter['name']}={found}")
    more: dict[str, Any] = {}
    if verb == "post":
        more = _body(said["requestBody"]["content"]["application/json"]["schema"], rng)
    if rng.random() < 0.3:
        more["headers"] = {"Accept": "text/html"}
    return f"{path}?{'&'.join(query)}" if query else path, rng.choice((verb,) * 20 + ("put", "delete")), more


def _escape(value: object) -> str:
    """A value as it stands in an address or a form, halves of letters too."""
    return quote(str(value).encode("utf-8", "surrogatepass"), safe="")


def _body(schema: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    fields = {name: _value(name, part, rng) for name, part in schema["properties"].items() if rng.random() < 0.7}
    if rng.random() < 0.1:
        fields[str(nasty(rng))] = nasty(rng)
    whole = json.dumps(fields if rng.random() < 0.95 else nasty(rng)).encode()
    match rng.randrange(6):
        case 0:
            pairs = (f"{_escape(name)}={_escape(part)}" for name, part in fields.items())
            return {"data": "&".join(pairs), "content_type": "application/x-www-form-urlencoded"}
        case 1:
            return {"data": damage_bytes(whole, rng), "content_type": "application/json"}
        case _:
            return {"data": whole, "content_type": "application/json"}


def _value(name: str, schema: dict[str, Any], rng: random.Random) -> Any:
    if rng.random() < 0.3:
        return nasty(rng)
    if name in LIKELY:
        return rng.choice(LIKELY[name])
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match schema.get("type"):
        case "integer":
            return rng.choice((0, 1, 2, 3, 5, 9, rng.randrange(40)))
        case "boolean":
            return rng.random() < 0.5
        case "array":
            return [rng.choice(("Ana", "Ben", *CARDS)) for _ in range(rng.randrange(4))]
        case "object" if name == "faces":
            return {player: [rng.choice(CARDS)] * rng.randrange(3) for player in rng.choice((("Ana", "Ben"), ("Ana",)))}
        case "object":
            return {rng.choice(("war_down", "short", "end", "Ana", "by", "card")): nasty(rng)}
    return rng.choice(("Ana", "x", "", "9H"))


# --- the server itself --------------------------------------------------------------------------------


def _send_garbage(tally: Tally, rng: random.Random, app: Any, count: int) -> None:
    server = Server(app, 0)
    server.prepare()
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    for number in range(count):
        data = _garbage(server.port, rng)
        tally.tried += 1
        first = _ask(server.port, data)
        if b" 500 " in (first or b""):
            tally.fail(f"requests, garbage {number}: {first!r} to {data[:300]!r}")
        tally.refused += not (first or b"").startswith(b"HTTP/1.1 2")
    if b" 200 " not in (_ask(server.port, b"GET /state HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port) or b""):
        tally.fail("requests, garbage: no answer any more")
    server.stop()
    thread.join(10)
    if thread.is_alive():
        tally.fail("requests, garbage: the server does not stop")


def _garbage(port: int, rng: random.Random) -> bytes:
    """A request with a damaged head, a strange one, or a chunked body with a strange size."""
    host = b"Host: 127.0.0.1:%d\r\n" % port
    whole = b"POST /pause HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\n"
    size = rng.choice((b"2", b"FFFFFFFFFFFFFFFF", b"-1", b"zz", b"", b"99999999999999999999", b"2;x=" + b"y" * 9000))
    return rng.choice(
        (
            damage_bytes(whole + b"Content-Length: 2\r\n\r\n{}", rng),
            whole + b"Transfer-Encoding: chunked\r\n\r\n" + size + b"\r\n{}\r\n0\r\n\r\n",
            whole + b"Content-Length: " + rng.choice((b"-1", b"1e9", b"99999999999999999999", b"2, 3")) + b"\r\n\r\n{}",
            b"GET /%s HTTP/1.1\r\n%s\r\n"
            % (rng.choice((b"%ff%fe", b"\xff\xfe", b"a" * 30000, b"%00", b"..//..")), host),
            b"GET /state HTTP/1.1\r\nHost: %s\r\n\r\n"
            % rng.choice((b"localhost:", b"[", b"a b", b"\xff", b"[::1]:x", b"")),
        )
    )


def _ask(port: int, data: bytes) -> bytes | None:
    """The first line of the answer; empty where the connection is closed, None where more is waited for."""
    with socket.create_connection(("127.0.0.1", port), timeout=1) as sock:
        try:
            sock.sendall(data)
            return sock.recv(4000).split(b"\r\n")[0]
        except ConnectionError:
            return b""
        except TimeoutError:
            return None
