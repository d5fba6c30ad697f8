"""What an attack counts, and the program called as a person calls it, in this process or in one of its own."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from companion.cli import main

ROOT = Path(__file__).parents[2]
#: Seconds for one input on an idle machine.
LIMIT_S = 5.0
#: Seconds after which an input is said to hang, on a busy machine too.
HANG_S = 20.0
#: Megabytes of resident memory that no input may make the program take.
LARGEST_MB = 400


@dataclass
class Tally:
    """Inputs tried; those refused in one sentence; what went wrong, each with what brings it about again."""

    tried: int = 0
    refused: int = 0
    failed: list[str] = field(default_factory=list)
    #: What was measured, as (input, seconds, MB at the highest).
    measured: list[tuple[str, float, int]] = field(default_factory=list)

    def fail(self, what: str) -> None:
        """Note a failure."""
        self.failed.append(what)

    def note(self, about: str, seconds: float, memory_mb: int) -> None:
        """Note what an input cost; more than LARGEST_MB is a failure. Seconds are told, as machines differ."""
        self.measured.append((about, seconds, memory_mb))
        if memory_mb > LARGEST_MB:
            self.fail(f"{about}: {memory_mb} MB")


class Hang(BaseException):
    """An input took longer than it may."""


@contextlib.contextmanager
def time_limit(seconds: float = HANG_S) -> Iterator[None]:
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


def home_variables(folder: Path) -> dict[str, str]:
    """The environment that puts the program's home into `folder`, so that nothing of a person's own is touched."""
    names = ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    return {**dict.fromkeys(names, str(folder)), "WARREF_SETTINGS": str(folder / "settings.toml"), "LANG": "C"}


@contextlib.contextmanager
def own_home(folder: Path) -> Iterator[None]:
    """Let this process have its home in `folder` while the block runs."""
    before = dict(os.environ)
    os.environ.update(home_variables(folder))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def call(*words: object) -> tuple[int, str, str]:
    """Exit code, output and sentences of one call in this process. What escapes it is part of the sentences."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            with time_limit():
                code = main(list(map(str, words)))
        except Hang:
            code = -1
            err.write(f"Hang after {HANG_S} s\n")
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


def is_sentences(err: str) -> bool:
    """Whether everything beside the answer is sentences: no traceback, no line of a library's own."""
    return all(line.endswith((".", "/")) and "Traceback" not in line and len(line) < 600 for line in err.splitlines())
