"""Response bodies that never end, and the one thread that feeds them all.

A family leaves screens open for hours. A thread for each would be a thread that sleeps, so a body is
an iterator that never waits: it gives the newest part, or nothing. One thread asks every body in turn
and writes without blocking; who reads slowly misses parts and delays nobody.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

#: Seconds between two rounds of the feeding thread: how late a change may reach a screen.
TICK = 0.04
#: Seconds of silence after which a sign of life is sent.
BEAT = 5.0
#: Bytes the kernel may hold for one slow viewer: about one picture, so that it never sees an old one.
HELD = 64 * 1024

_log = logging.getLogger(__name__)


class Live:
    """An endless body. `parts` gives the newest part, or empty bytes where nothing is new; it never waits.

    Iterating waits instead, for servers that give every response a thread of its own.
    """

    def __init__(self, parts: Iterator[bytes]) -> None:
        """Keep `parts` until a server takes it over or iterates."""
        self.parts = parts

    def __iter__(self) -> Iterator[bytes]:
        """Give the parts as they come, waiting in between."""
        for part in self.parts:
            if part:
                yield part
            else:
                time.sleep(TICK)


@dataclass(slots=True)
class _Viewer:
    """One open connection and what has not left yet of the part being sent."""

    sock: socket.socket
    parts: Iterator[bytes]
    rest: memoryview

    def feed(self) -> bool:
        """Send what there is and the connection takes now; False once it is gone."""
        try:
            while self.rest or (part := next(self.parts, b"")):
                self.rest = self.rest or memoryview(part)
                self.rest = self.rest[self.sock.send(self.rest) :]
        except BlockingIOError:
            return True
        except OSError:
            return False
        except Exception:
            _log.exception("A live view ended by an error")
            return False
        return True


class Viewers:
    """All live connections, fed by one thread that sleeps while there are none."""

    def __init__(self) -> None:
        """Start feeding; the thread ends with the program."""
        self._viewers: list[_Viewer] = []
        self._some = threading.Event()
        threading.Thread(target=self._run, name="viewers", daemon=True).start()

    def __len__(self) -> int:
        """How many connections are open."""
        return len(self._viewers)

    def take(self, sock: socket.socket, head: bytes, body: Live) -> None:
        """Own `sock` from now on: send `head`, then the parts of `body` as they come."""
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, HELD)
        self._viewers.append(_Viewer(sock, body.parts, memoryview(head)))
        self._some.set()

    def _run(self) -> None:
        while self._some.wait():
            for viewer in tuple(self._viewers):
                if not viewer.feed():
                    self._drop(viewer)
            time.sleep(TICK)

    def _drop(self, viewer: _Viewer) -> None:
        viewer.sock.close()
        self._viewers.remove(viewer)
        if not self._viewers:
            self._some.clear()
