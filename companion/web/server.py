"""The web server: cheroot for requests that end, one thread for all that stay open."""

from __future__ import annotations

from cheroot import wsgi
from flask import Flask

from companion.web.streaming import Live, Viewers

#: Threads for requests that end; a screen that only watches holds none.
THREADS = 8
#: Connections that may wait to be accepted, as when every screen comes back at once.
WAITING = 128


class Server(wsgi.Server):
    """Serves one application on this computer only. `port` 0 takes a free one, known after `prepare`."""

    def __init__(self, app: Flask, port: int) -> None:
        """Keep the application; `prepare` binds the port and `serve` answers until `stop`."""
        super().__init__(("127.0.0.1", port), app, numthreads=THREADS, request_queue_size=WAITING)
        self.gateway = _Gateway
        self.viewers = Viewers()

    def prepare(self) -> None:
        """Bind the port. Raises OSError where it is taken."""
        super().prepare()
        self.wsgi_app.config["PORT"] = self.bind_addr[1]

    def error_log(self, msg: str = "", level: int = 20, traceback: bool = False) -> None:
        """Leave the terminal to the program's own words; the faults of a request are logged by the application."""


class _Gateway(wsgi.Gateway_10):
    """Hands a live body's connection over to the viewers' thread and frees the worker at once."""

    def respond(self) -> None:
        """Answer one request."""
        body = self.req.server.wsgi_app(self.env, self.start_response)
        if isinstance(body, Live):
            self._hand_over(body)
            return
        try:
            for part in filter(None, body):
                self.write(part)
        finally:
            self.req.ensure_headers_sent()
            if hasattr(body, "close"):
                body.close()

    def _hand_over(self, body: Live) -> None:
        lines = [b"HTTP/1.1 " + self.req.status, b"Connection: close"]
        lines += [name + b": " + value for name, value in self.req.outheaders]
        head = b"\r\n".join(lines) + b"\r\n\r\n"
        self.req.server.viewers.take(self.req.conn.socket.dup(), head, body)
        self.req.sent_headers = self.req.close_connection = True
        # The worker lets go of the connection without shutting it down: it is ours now.
        self.req.conn.linger = True


def serve(app: Flask, port: int) -> None:
    """Answer requests on 127.0.0.1 until the program is interrupted. Raises OSError where the port is taken."""
    server = Server(app, port)
    server.prepare()
    try:
        server.serve()
    finally:
        server.stop()
