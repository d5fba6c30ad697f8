"""What an attack counts, and the program called as a person calls it, in this process or in one of its own."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from companion.cli import main

ROOT = Path(__file__).parents[2]
#: Seconds for one input.
LIMIT_S = 20


@dataclass
class Tally:
    """Inputs tried; those refused in one sentence; what went wrong, each with what brings it about again."""

    tried: int = 0
    refused: int = 0
    failed: list[str] = field(default_factory=list)

    def fail(self, what: str) -> None:
        """Note a failure."""
        self.failed.append(what)


class Hang(BaseException):
    """An input took longer than it may."""


@contextlib.contextmanager
def time_limit(seconds: float = LIMIT_S) -> Iterator[None]:
    """Raise Hang in this (main) thread once the time is over, where the system has alarms."""

    def ring(*_: object) -> None:
        raise Hang

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def call(*words: object) -> tuple[int, str, str]:
    """Exit code, output and sentences of one call in this process. What escapes it is part of the sentences."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            with time_limit():
                code = main(list(map(str, words)))
        except Hang:
            code = -1
            err.write(f"Hang after {LIMIT_S} s\n")
        except SystemExit as leave:
            code = int(leave.code or 0)
        except Exception:
            code = -2
            err.write(traceback.format_exc())
    return code, out.getvalue(), err.getvalue()


def judge(tally: Tally, about: str, code: int, err: str) -> bool:
    """Count one call: done, or refused with exit 1 or 2 in one sentence. Whether it was done."""
    tally.tried += 1
    if code not in (0, 1, 2) or "Traceback" in err or (code and len(err.splitlines()) != 1):
        tally.fail(f"{about}: exit {code}, {err.strip()[-600:]!r}")
    tally.refused += code in (1, 2)
    return code == 0


def command(*words: object) -> list[str]:
    """The words that start the program in a process of its own."""
    return [sys.executable, "-m", "companion", *map(str, words)]


def environment(folder: Path) -> dict[str, str]:
    """A home in `folder` for a process of its own."""
    home = str(folder)
    more = {"PYTHONPATH": str(ROOT), "HOME": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home, "LANG": "C"}
    return {**os.environ, **more}
