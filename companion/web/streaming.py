"""Response bodies that never end.

A family leaves screens open for hours. A thread for each would be a thread that sleeps, so a body is an iterator that
never waits: it gives the newest part, or nothing, and the server asks again after `TICK`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

#: Seconds between two questions for news: how late a change may reach a screen.
TICK = 0.04
#: Seconds of silence after which a sign of life is sent.
BEAT = 5.0


class Live:
    """An endless body. `parts` gives the newest part, or empty bytes where nothing is new; it never waits.

    Iterating waits instead, for servers that give every response a thread of its own.
    """

    def __init__(self, parts: Iterator[bytes]) -> None:
        """Keep `parts` for the server that asks for them, or iterates."""
        self.parts = parts

    def __iter__(self) -> Iterator[bytes]:
        """Give the parts as they come, waiting in between."""
        for part in self.parts:
            if part:
                yield part
            else:
                time.sleep(TICK)
