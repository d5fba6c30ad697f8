"""The web server: Tornado answers on 127.0.0.1, the Flask application decides what.

Tornado reads heads and bodies, with limits in bytes and seconds, on one thread: an idle or slow connection holds
nothing but its socket. A whole request is then answered by Flask on one of `WORKERS`; an endless answer (`Live`) is
sent on from Tornado's thread, so that viewers hold no thread either.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, cast

from flask import Flask
from tornado.http1connection import HTTP1Connection
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPHeaders, HTTPServerRequest, ResponseStartLine
from tornado.iostream import StreamClosedError
from tornado.netutil import bind_sockets
from tornado.wsgi import WSGIContainer

from companion.web.streaming import TICK, Live

#: Threads for requests that end; a screen that only watches holds none.
WORKERS = 8
#: Connections that may wait to be accepted, as when every screen comes back at once.
_BACKLOG = 512
#: Bytes of a request's head; the longest that our pages send has less than 2,000.
LARGEST_HEAD = 16 * 1024
#: Bytes of a body that is read at all; between the application's own limit and this one it is refused in words.
LARGEST_BODY = 1024 * 1024
#: Seconds for the next head, and for a body, to arrive whole.
_ARRIVAL_S = 30.0
#: Bytes the kernel may hold for one slow viewer: about one picture, so that it never sees an old one.
_SEND_BUFFER = 64 * 1024
#: Open connections at once, where the system allows them.
_CONNECTIONS = 8192


class Server:
    """Serves one application on this computer only. `port` 0 takes a free one, known after `prepare`.

    With `tls` it speaks HTTPS.
    """

    def __init__(self, app: Flask, port: int, tls: ssl.SSLContext | None = None) -> None:
        """Keep the application; `prepare` binds the port and `serve` answers until `stop`."""
        self.port = port
        self.viewers: set[HTTPServerRequest] = set()
        self._app, self._tls = app, tls
        self._sockets: list[socket.socket] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = asyncio.Event()

    def prepare(self) -> None:
        """Bind the port. Raises OSError where it is taken."""
        _allow_connections()
        logging.getLogger("tornado.general").setLevel(logging.CRITICAL)  # what strangers send is no news to a family
        self._sockets = bind_sockets(self.port, "127.0.0.1", backlog=_BACKLOG)
        self._sockets[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)  # its connections inherit it
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

    async def _serve(self) -> None:
        pool = ThreadPoolExecutor(WORKERS, "page")
        server = HTTPServer(
            _Bridge(self._app, pool, self.viewers),
            ssl_options=self._tls,
            max_header_size=LARGEST_HEAD,
            max_body_size=LARGEST_BODY,
            idle_connection_timeout=_ARRIVAL_S,
            body_timeout=_ARRIVAL_S,
        )
        self._loop = asyncio.get_running_loop()
        if not self._stopped.is_set():
            server.add_sockets(self._sockets)
        await self._stopped.wait()
        server.stop()
        await server.close_all_connections()
        pool.shutdown(wait=False, cancel_futures=True)


class _Bridge(WSGIContainer):
    """Tornado's requests to Flask and Flask's answers back; unlike the library's own, also answers that never end."""

    def __init__(self, app: Flask, pool: ThreadPoolExecutor, viewers: set[HTTPServerRequest]) -> None:
        super().__init__(app, pool)
        self._pool, self._viewers = pool, viewers

    async def handle_request(self, request: HTTPServerRequest) -> None:
        """Answer one request. A viewer that has gone is no fault."""
        try:
            environ = self.environ(request)
        except ValueError:  # "localhost:" has a port that is no number
            _begin(request, "400 Bad Request", [("Content-Length", "0")])
            _connection(request).finish()
            return
        status, headers, body = await asyncio.wrap_future(self._pool.submit(self._answer, environ))
        with suppress(StreamClosedError):
            _begin(request, status, headers)
            if isinstance(body, Live):
                await self._stream(request, body)
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

    async def _stream(self, request: HTTPServerRequest, body: Live) -> None:
        """Send parts as they come, each when the one before has left: who reads slowly misses some, delays nobody."""
        connection = _connection(request)
        self._viewers.add(request)
        try:
            for part in body.parts:
                if part:
                    await connection.write(part)
                elif connection.stream.closed():
                    return
                else:
                    await asyncio.sleep(TICK)
        finally:
            self._viewers.discard(request)


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
