"""A page that is shared as on a network: at an address of this computer that is not the page's own."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from companion.web import create_app
from companion.web.server import Server
from companion.web.sharing.admission import COOKIE
from companion.web.sharing.guests import Role
from companion.web.sharing.listening import Sharing

#: Stands for the laptop's address in the network; all of 127/8 leads to this computer.
ADDRESS = "127.0.0.2"


@dataclass
class Shared:
    """A running page that is shared, and its sharing."""

    server: Server
    sharing: Sharing

    @property
    def home(self) -> str:
        """The laptop's own address."""
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def origin(self) -> str:
        """The shared address."""
        return self.sharing.view.origin

    def link(self, role: Role) -> str:
        """What the code of a role leads to."""
        return f"{self.origin}/join?code={self.sharing.guests.codes[role]}"


def share_app(app: Any) -> Sharing:
    """The sharing of an application, with `ADDRESS` as the only one in the network."""
    here: Sharing = app.extensions["war-referee-sharing"]
    here._addresses = lambda: (ADDRESS,)
    return here


@contextmanager
def shared_page(table: Any, keys: Path, **more: Any) -> Iterator[Shared]:
    """The page of a table, shared."""
    app = create_app(table, keys=keys, **more)
    here, server = share_app(app), Server(app, 0)
    server.prepare()
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    while server._loop is None:
        pass
    try:
        here.start()
        yield Shared(server, here)
    finally:
        server.stop()
        thread.join(5)
        assert not thread.is_alive()


class Device:
    """A device in the network, which takes whatever certificate it is shown, as people do."""

    def __init__(self, shared: Shared) -> None:
        """Not joined yet."""
        self.shared, self.token = shared, ""
        self.tls = ssl.create_default_context()
        self.tls.check_hostname, self.tls.verify_mode = False, ssl.CERT_NONE

    def open(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Ask, and give the answer with its body unread."""
        host = self.shared.origin.removeprefix("https://")
        self.line = http.client.HTTPSConnection(host, timeout=5, context=self.tls)
        sent = {"Accept": "application/json"} | ({"Cookie": f"{COOKIE}={self.token}"} if self.token else {})
        sent |= {"Origin": self.shared.origin} if method == "POST" else {}
        data = json.dumps(body) if isinstance(body, dict) else body
        self.line.request(method, path, data, sent | {name.replace("_", "-"): value for name, value in headers.items()})
        return self.line.getresponse()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON (or bytes) of the answer."""
        answer = self.open(method, path, body, **headers)
        data = answer.read()
        self.line.close()
        kind = answer.headers.get_content_type()
        return answer.status, json.loads(data) if kind == "application/json" else data

    def join(self, role: Role, name: str = "Ana's phone") -> Device:
        """Join by the code of a role."""
        answer = self.open("POST", "/join", {"code": self.shared.sharing.guests.codes[role], "name": name})
        assert answer.status == 200, answer.read()
        cookie = answer.headers["Set-Cookie"]
        assert all(word in cookie for word in ("Secure", "HttpOnly", "SameSite=Lax")), cookie
        self.token = cookie.split(";")[0].partition("=")[2]
        self.line.close()
        return self


def wrong(code: str) -> str:
    """A code that is none, as an address."""
    return f"/join?{urlencode({'code': code})}"
