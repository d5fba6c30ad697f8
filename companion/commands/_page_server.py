"""The page beside a command: its server in threads of its own, its address on stderr, a browser on a desktop."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from companion import defaults
from companion.commands._port import why_not
from companion.console import tell
from companion.errors import Fault
from companion.table.table import Table
from vision.images import shrink_jpeg
from vision.sources.phone import PHONES


@contextmanager
def serve_page(table: Table, log: Path | None, port: int, language: str = "") -> Iterator[None]:
    """Serve the page while the block runs; without a language in each browser's own.

    Raises Fault where the port is taken.
    """
    from companion.web import create_app  # Flask, which commands without a page need not load
    from companion.web.server import Server

    app = create_app(table, log, shrink_jpeg, language, defaults.keys_folder(), PHONES)
    server = Server(app, port)
    try:
        server.prepare()
    except OSError:
        server.stop()
        raise Fault(why_not(port)) from None
    address = f"http://127.0.0.1:{server.port}/"
    tell(address)
    threading.Thread(target=server.serve, name="page", daemon=True).start()
    threading.Thread(target=show_page, args=(address,), name="browser", daemon=True).start()
    try:
        yield
    finally:
        server.stop()


def show_page(address: str) -> None:
    """Open the page in a browser, where somebody sits in front of a screen."""
    if _desktop():
        webbrowser.open(address)


def _desktop() -> bool:
    """Whether somebody sits in front of a screen here: not over the network, not in a script."""
    if not sys.stderr.isatty() or "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
