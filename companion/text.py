"""The gate for text from outside: what is writing, and what is JSON.

Bodies and forms of the page, the words of the command line, scripts and exported sessions pass here before anything is
made of them. What a player may be called is narrower: `referee.variants`.
"""

from __future__ import annotations

import json
import re
from typing import Any

#: Control signs but for tab and line ends, halves of letters, and code points that are no letters.
_NO_WRITING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
#: Largest whole number that the log's database can hold.
LARGEST_INTEGER = 2**63 - 1
#: Digits of that number.
_DIGITS = 19


class BadText(ValueError):
    """The text cannot be used; this class itself: it is not JSON."""


class NotWriting(BadText):
    """The text holds signs that no page and no file can show."""


def check_text(text: str) -> str:
    r"""The text itself. Raises NotWriting.

    >>> check_text("Ana\tБен 🂡")
    'Ana\tБен 🂡'
    >>> check_text("Ana\ud800")
    Traceback (most recent call last):
    companion.text.NotWriting: A text holds signs that are no writing.
    """
    if _NO_WRITING.search(text):
        raise NotWriting("A text holds signs that are no writing.")
    return text


def parse_json(text: str | bytes, *, any_text: bool = False) -> Any:
    r"""The value of a JSON text, whose texts are writing and whose numbers are finite and fit the log.

    With `any_text` the texts are still to be checked. Raises BadText.

    >>> parse_json('{"look": 4, "by": "Ana"}')
    {'look': 4, 'by': 'Ana'}
    >>> parse_json('{"by": "\\ud800"}')
    Traceback (most recent call last):
    companion.text.NotWriting: A text holds signs that are no writing.
    >>> parse_json('{"look": NaN}'), parse_json('{"look": 9223372036854775808}')
    Traceback (most recent call last):
    companion.text.BadText: It is not JSON.
    """
    try:
        found = json.loads(text, parse_constant=_integer, parse_int=_integer, parse_float=_float)
    except (ValueError, RecursionError):
        raise BadText("It is not JSON.") from None
    if any_text:
        return found
    return check_values(found)


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS + 1 or abs(number := int(digits)) > LARGEST_INTEGER:
        raise ValueError
    return number


def _float(digits: str) -> float:
    number = float(digits)
    if number - number != 0:  # 1e999 is infinite
        raise ValueError
    return number


def check_values(value: Any) -> Any:
    """The JSON value itself, once all texts in it are checked. Raises NotWriting."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                check_text(text)
            case dict() as found:
                waiting += found
                waiting += found.values()
            case list() as found:
                waiting += found
    return value


def one_line(sentence: str) -> str:
    r"""The sentence with what would end its line, or cannot be written, as escapes.

    >>> one_line("a\u2028b\ud800")
    'a\\u2028b\\ud800'
    """
    return "".join(sign if sign.isprintable() or _is_joiner(sign) else repr(sign)[1:-1] for sign in sentence)


def _is_joiner(sign: str) -> bool:
    """Whether a sign that cannot be seen belongs to writing: joiners of letters, wide spaces."""
    return sign > "\x9f" and sign not in "\u2028\u2029" and not "\ud800" <= sign <= "\udfff"
