"""How far long work is, for whoever waits for it: on stderr, with the time that is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")

#: Seconds that nobody minds waiting without a word.
_FIRST_S = 2.0
#: Seconds between two drawings of the line on a terminal, and between two lines elsewhere, as in a file.
_TERMINAL_S, _ELSEWHERE_S = 0.5, 10.0
#: Back to the beginning of the line, and nothing on it.
_CLEARED = "\r\x1b[K"


def follow_progress(things: Iterable[_T], total: int) -> Iterator[_T]:
    """Pass on `total` things; say on stderr how many are done: one line drawn anew on a terminal, else plain lines."""
    began = said = time.monotonic()
    terminal = bool(sys.stderr and sys.stderr.isatty())
    for done, thing in enumerate(things, start=1):
        yield thing
        now = time.monotonic()
        if now - began < _FIRST_S or now - said < (_TERMINAL_S if terminal else _ELSEWHERE_S):
            continue
        said = now
        line = progress_line(done, total, now - began)
        _write(f"{_CLEARED}{line}" if terminal else f"{line}\n")
    if terminal and said > began:
        _write(_CLEARED)


def progress_line(done: int, total: int, seconds: float) -> str:
    """What part is done after so many seconds, and about how long the rest takes.

    >>> progress_line(250, 1000, 30.0)
    ' 25 %  250/1000  -1:30'
    """
    minutes, left = divmod(round(seconds / done * max(0, total - done)), 60)
    return f"{min(100, 100 * done // max(1, total)):3} %  {done}/{total}  -{minutes}:{left:02}"


def _write(text: str) -> None:
    if sys.stderr:
        sys.stderr.write(text)
        sys.stderr.flush()
