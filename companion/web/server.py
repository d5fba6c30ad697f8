"""The web server: Tornado answers on 127.0.0.1 and, while the table is shared, at one address of the network.

The Flask application decides what is answered.

Tornado reads heads and bodies, with limits in bytes and seconds, on one thread: an idle or slow connection holds
nothing but its socket. A whole request is then answered by Flask on one of `WORKERS`; an endless answer (`Live`) is
sent on from Tornado's thread, so that viewers hold no thread either.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import Any, cast

from flask import Flask
from tornado.http1connection import HTTP1Connection
from tornado.httpserver import HTTPServer
from tornado.httputil import (
    HTTPConnection,
    HTTPHeaders,
    HTTPMessageDelegate,
    HTTPServerRequest,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.iostream import StreamClosedError
from tornado.netutil import bind_sockets
from tornado.wsgi import WSGIContainer

from companion.web.games import IMPORT_MB
from companion.web.same_origin import is_ours
from companion.web.sharing.admission import COOKIE, FROM_NETWORK, GUEST
from companion.web.sharing.guests import Guest, Role
from companion.web.sharing.listening import Sharing
from companion.web.sharing.phone import LARGEST_PICTURE
from companion.web.streaming import TICK, Live

#: Threads for requests that end; a screen that only watches holds none.
WORKERS = 8
#: Connections that may wait to be accepted, as when every screen comes back at once.
_BACKLOG = 512
#: Bytes of a request's head; the longest that our pages send has less than 2,000.
LARGEST_HEAD = 16 * 1024
#: Bytes of a body that is read at all; between the application's own limit and this one it is refused in words.
LARGEST_BODY = 1024 * 1024
#: Bytes of a body that comes over the network; only a phone that is the camera may send more.
LARGEST_GUEST_BODY = 64 * 1024
#: Bytes of a file of games with the form around it; the application refuses a larger file in words.
_LARGEST_IMPORT = IMPORT_MB * 1_000_000 + LARGEST_BODY
#: Seconds for the next head, and for a body, to arrive whole.
_ARRIVAL_S = 30.0
#: Bytes the kernel may hold for one slow viewer: about one picture, so that it never sees an old one.
_SEND_BUFFER = 64 * 1024
#: Seconds for the server's thread to begin or stop to listen on the network.
_LISTEN_S = 5.0
#: Open connections at once, where the system allows them.
_CONNECTIONS = 8192


class Server:
    """Serves one application on this computer only. `port` 0 takes a free one, known after `prepare`.

    With `tls` it speaks HTTPS.
    """

    def __init__(self, app: Flask, port: int, tls: ssl.SSLContext | None = None) -> None:
        """Keep the application; `prepare` binds the port and `serve` answers until `stop`."""
        self.port = port
        #: Who reads an endless answer: request and, over the network, device.
        self.viewers: dict[HTTPServerRequest, Guest | None] = {}
        self._app, self._tls = app, tls
        self._sockets: list[socket.socket] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = asyncio.Event()
        self._pool = ThreadPoolExecutor(WORKERS, "page")
        self._network: _LimitedServer | None = None
        self._sharing = cast(Sharing, app.extensions["war-referee-sharing"])
        self._sharing.listener = self

    def prepare(self) -> None:
        """Bind the port. Raises OSError where it is taken."""
        _allow_connections()
        logging.getLogger("tornado.general").setLevel(logging.CRITICAL)  # what strangers send is no news to a family
        self._sockets = _bind(self.port, "127.0.0.1")
        self.port = self._sockets[0].getsockname()[1]
        self._app.config["PORT"] = self.port

    def serve(self) -> None:
        """Answer requests until `stop`."""
        asyncio.run(self._serve())

    def stop(self) -> None:
        """Close all connections, from any thread; `serve` ends."""
        if self._loop is None:
            for bound in self._sockets:
                bound.close()
            self._stopped.set()
        else:
            with suppress(RuntimeError):  # it has ended already
                self._loop.call_soon_threadsafe(self._stopped.set)

    # --- the network ----------------------------------------------------------------------------------

    def listen(self, address: str, port: int, tls: ssl.SSLContext) -> int:
        """Listen at an address of the network as well; gives the port. Raises OSError."""
        sockets = _bind(port, address)
        self._within(self._listen(sockets, tls))
        bound: int = sockets[0].getsockname()[1]
        return bound

    def stop_listening(self) -> None:
        """Listen there no more; every connection that came that way is cut."""
        self._within(self._stop_listening())

    def cut(self) -> None:
        """Cut the streams of devices that are not joined any more, also where one is read so slowly that it waits."""
        self._within(self._cut())

    def _within(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it on the server's thread, and wait for it. Raises OSError where the server does not run."""
        if self._loop is None:
            work.close()
            raise OSError("the server does not run")
        try:
            asyncio.run_coroutine_threadsafe(work, self._loop).result(_LISTEN_S)
        except RuntimeError:  # the server has just ended, and with it every connection
            work.close()

    async def _listen(self, sockets: list[socket.socket], tls: ssl.SSLContext) -> None:
        limits = {**_LIMITS, "max_body_size": LARGEST_GUEST_BODY}
        self._network = _LimitedServer(_Bridge(self, self._app, network=True), ssl_options=tls, **limits)
        self._network.allowance = self._allow_guest
        self._network.add_sockets(sockets)

    async def _stop_listening(self) -> None:
        network, self._network = self._network, None
        if network is not None:
            network.stop()
            await self._cut()
            await network.close_all_connections()

    async def _cut(self) -> None:
        for request, guest in tuple(self.viewers.items()):
            if not self.welcome(guest):
                _connection(request).stream.close()

    def welcome(self, guest: Guest | None) -> bool:
        """Whether a stream may go on: the laptop's own always, a device's as long as it is joined."""
        return guest is None or self._sharing.guests.has(guest)

    def _allow_guest(self, path: str, headers: HTTPHeaders) -> int:
        """A camera's pictures."""
        cookies = SimpleCookie()
        with suppress(CookieError):
            cookies.load(headers.get("Cookie", ""))
        guest = self._sharing.guests.find(cookies[COOKIE].value) if COOKIE in cookies else None
        return LARGEST_PICTURE if guest is not None and guest.role is Role.CAMERA else 0

    def _allow_laptop(self, path: str, headers: HTTPHeaders) -> int:
        """A file of games, which our own page sends."""
        origin = headers.get("Origin", "").removeprefix("http://")
        return _LARGEST_IMPORT if path == "/import" and is_ours(origin, self.port) else 0

    # --- within ---------------------------------------------------------------------------------------

    async def _serve(self) -> None:
        server = _LimitedServer(_Bridge(self, self._app), ssl_options=self._tls, **_LIMITS)
        server.allowance = self._allow_laptop
        self._loop = asyncio.get_running_loop()
        if not self._stopped.is_set():
            server.add_sockets(self._sockets)
        await self._stopped.wait()
        self._sharing.guests.close()
        await self._stop_listening()
        server.stop()
        await server.close_all_connections()
        self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def pool(self) -> ThreadPoolExecutor:
        """The threads for requests that end."""
        return self._pool


#: How much may come, and how long it may take.
_LIMITS: dict[str, Any] = {
    "max_header_size": LARGEST_HEAD,
    "max_body_size": LARGEST_BODY,
    "idle_connection_timeout": _ARRIVAL_S,
    "body_timeout": _ARRIVAL_S,
}


def _bind(port: int, address: str) -> list[socket.socket]:
    sockets = bind_sockets(port, address, backlog=_BACKLOG)
    sockets[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)  # its connections inherit it
    return sockets


#: Bytes of a body that an address takes from whoever sends this head; 0: as many as of any.
_Allowance = Callable[[str, HTTPHeaders], int]


class _LimitedServer(HTTPServer):
    """Reads nothing large of a stranger: a body's limit is known before it is read, by the head."""

    allowance: _Allowance

    def start_request(self, server_conn: object, request_conn: HTTPConnection) -> HTTPMessageDelegate:
        """The reader of one request."""
        inner = super().start_request(server_conn, request_conn)
        return _Limited(inner, cast(HTTP1Connection, request_conn), self.allowance)


class _Limited(HTTPMessageDelegate):
    """Passes a request on; some may be larger than others."""

    def __init__(self, inner: HTTPMessageDelegate, connection: HTTP1Connection, allowance: _Allowance) -> None:
        self._inner, self._connection, self._allowance = inner, connection, allowance
        self.data_received, self.finish = inner.data_received, inner.finish  # type: ignore[method-assign]
        self.on_connection_close = inner.on_connection_close  # type: ignore[method-assign]

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> Awaitable[None] | None:
        if allowed := self._allowance(cast(RequestStartLine, start_line).path, headers):
            self._connection.set_max_body_size(allowed)
        return self._inner.headers_received(start_line, headers)


class _Bridge(WSGIContainer):
    """Tornado's requests to Flask and Flask's answers back; unlike the library's own, also answers that never end."""

    def __init__(self, server: Server, app: Flask, network: bool = False) -> None:
        super().__init__(app, server.pool)
        self._server, self._network = server, network

    async def handle_request(self, request: HTTPServerRequest) -> None:
        """Answer one request. A viewer that has gone is no fault."""
        try:
            environ = self.environ(request)
        except ValueError:  # "localhost:" has a port that is no number
            _begin(request, "400 Bad Request", [("Content-Length", "0")])
            _connection(request).finish()
            return
        environ[FROM_NETWORK] = self._network
        status, headers, body = await asyncio.wrap_future(self._server.pool.submit(self._answer, environ))
        with suppress(StreamClosedError):
            _begin(request, status, headers)
            if isinstance(body, Live):
                await self._stream(request, body, environ.get(GUEST))
            else:
                await _connection(request).write(body)
        _connection(request).finish()

    def _answer(self, environ: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes | Live]:
        """Status, headers and body of the application's answer."""
        begun: list[tuple[str, list[tuple[str, str]]]] = []

        def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> Callable[[bytes], object]:
            begun.append((status, headers))
            return bytes  # the old way to write, which Flask does not use

        body = self.wsgi_application(environ, start_response)
        if isinstance(body, Live):
            return (*begun[-1], body)
        try:
            return (*begun[-1], b"".join(body))
        finally:
            getattr(body, "close", lambda: None)()

    async def _stream(self, request: HTTPServerRequest, body: Live, guest: Guest | None) -> None:
        """Send parts as they come, each when the one before has left: who reads slowly misses some, delays nobody."""
        connection = _connection(request)
        self._server.viewers[request] = guest
        try:
            for part in body.parts:
                if connection.stream.closed() or not self._server.welcome(guest):
                    return
                if part:
                    await connection.write(part)
                else:
                    await asyncio.sleep(TICK)
        finally:
            del self._server.viewers[request]


def _connection(request: HTTPServerRequest) -> HTTP1Connection:
    return cast(HTTP1Connection, request.connection)


def _begin(request: HTTPServerRequest, status: str, headers: Iterable[tuple[str, str]]) -> None:
    code, _, reason = status.partition(" ")
    found = HTTPHeaders()
    for name, value in headers:
        found.add(name, value)
    _connection(request).write_headers(ResponseStartLine("HTTP/1.1", int(code), reason), found)


def _allow_connections() -> None:
    """Ask the system for as many open connections as it allows; macOS gives 256 files unless asked."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows, which counts otherwise

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < _CONNECTIONS:
            wanted = _CONNECTIONS if hard == resource.RLIM_INFINITY else min(_CONNECTIONS, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def serve(app: Flask, port: int) -> None:
    """Answer requests on 127.0.0.1 until the program is interrupted. Raises OSError where the port is taken."""
    server = Server(app, port)
    server.prepare()
    server.serve()
