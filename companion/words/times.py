"""Times as people read them: seconds of a session as a clock, stored dates without their zone."""

from __future__ import annotations

from datetime import datetime


def format_clock(seconds: float) -> str:
    """Seconds since the session opened as a clock shows them.

    >>> format_clock(75.4), format_clock(3675)
    ('1:15', '1:01:15')
    """
    minutes, left = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def format_date(text: str) -> str:
    """A stored ISO 8601 date with time, to the minute.

    >>> format_date("2026-01-31T19:30:05+01:00")
    '2026-01-31 19:30'
    """
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M")
