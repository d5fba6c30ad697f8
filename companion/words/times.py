"""Times as people read them: seconds of a session as a clock, stored dates and times with their zone."""

from __future__ import annotations

from datetime import date, datetime

from babel import Locale
from babel.dates import format_date, format_datetime, format_time


def format_clock(seconds: float) -> str:
    """Seconds since the session opened as a clock shows them.

    >>> format_clock(75.4), format_clock(3675)
    ('1:15', '1:01:15')
    """
    minutes, left = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def format_day(text: str, locale: Locale) -> str:
    """A stored ISO 8601 date with its weekday, without the time that may follow it.

    >>> format_day("2026-01-31", Locale("en")), format_day("2026-01-31T19:30:05+01:00", Locale("fi"))
    ('Saturday, January 31, 2026', 'lauantai 31. tammikuuta 2026')
    """
    return str(format_date(date.fromisoformat(text[:10]), "full", locale))


def format_short_day(text: str, locale: Locale) -> str:
    """A stored ISO 8601 date in few letters.

    >>> format_short_day("2026-01-31T19:30:05+01:00", Locale("en"))
    'Jan 31, 2026'
    """
    return str(format_date(date.fromisoformat(text[:10]), "medium", locale))


def format_hour(text: str, locale: Locale) -> str:
    """The time of a stored ISO 8601 date with time, to the minute, as the clock showed it there.

    >>> format_hour("2026-01-31T19:30:05+01:00", Locale("fi"))
    '19.30'
    """
    moment = datetime.fromisoformat(text)
    return _plain(format_time(moment, "short", tzinfo=moment.tzinfo, locale=locale))


def format_zone(text: str, locale: Locale) -> str:
    """The zone of a stored ISO 8601 date with time; empty where it has none.

    >>> format_zone("2026-01-31T19:30:05+01:00", Locale("en"))
    'GMT+01:00'
    """
    moment = datetime.fromisoformat(text)
    return str(format_datetime(moment, "ZZZZ", tzinfo=moment.tzinfo, locale=locale)) if moment.tzinfo else ""


def format_moment(text: str, locale: Locale) -> str:
    """A stored ISO 8601 date with time, to the minute, with its zone.

    >>> format_moment("2026-01-31T19:30:05+01:00", Locale("en"))
    'Jan 31, 2026, 7:30 PM GMT+01:00'
    """
    return f"{format_short_day(text, locale)}, {format_hour(text, locale)} {format_zone(text, locale)}".rstrip()


def _plain(text: object) -> str:
    """With plain spaces: a narrow one is no sign of every typeface."""
    return str(text).replace("\u202f", " ").replace("\xa0", " ")
