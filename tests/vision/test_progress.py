"""What is said of long work, on a terminal and elsewhere."""

import io
import itertools

import pytest

from vision import progress
from vision.progress import follow_progress


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    """Each look at the clock finds one second gone."""
    seconds = itertools.count()
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(seconds)))


def test_a_file_gets_a_plain_line_now_and_then(clock, monkeypatch):
    told = io.StringIO()
    monkeypatch.setattr("sys.stderr", told)
    assert list(follow_progress(range(25), 25)) == list(range(25))
    assert told.getvalue().splitlines() == [" 40 %  10/25  -0:15", " 80 %  20/25  -0:05"]


def test_a_terminal_gets_one_line_that_is_gone_at_the_end(clock, monkeypatch):
    told = Screen()
    monkeypatch.setattr("sys.stderr", told)
    assert list(follow_progress("abcd", 4)) == ["a", "b", "c", "d"]
    assert "\n" not in told.getvalue() and " 50 %  2/4  -0:02" in told.getvalue()
    assert told.getvalue().endswith("\r\x1b[K")


def test_short_work_says_nothing(monkeypatch):
    told = Screen()
    monkeypatch.setattr("sys.stderr", told)
    assert list(follow_progress([1, 2], 2)) == [1, 2] and not told.getvalue()
