"""Card codes as the page draws them: rank, suit, a name for ears, and what they are often mistaken for.

>>> face("10H"), face("JB").rank, face("9?").suit
(CardFace(code='10H', rank='10', suit='H'), 'joker', '')
>>> likely("6H", (("9H", 0.3), ("8H", 0.1)))
('9H', '8H', '5H')
>>> likely("K?"), likely("4S")
(('J?', 'Q?'), ('AS', '5S'))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.referee.cards import JOKER_CODES, RANKS_BY_NAME, SUIT_SIGNS

_SUITS = tuple(map(str, SUIT_SIGNS))
#: What cameras and eyes mix up, likeliest first; beside it only neighbours are offered.
CONFUSED = {
    "6": ("9", "5", "8"),
    "9": ("6", "8", "10"),
    "10": ("7", "9", "Q"),
    "7": ("10", "2", "A"),
    "J": ("K", "Q", "10"),
    "K": ("J", "Q"),
    "Q": ("J", "K"),
    "A": ("4", "2", "J"),
    "4": ("A", "5"),
    "3": ("8", "2"),
    "8": ("3", "6", "9"),
    "5": ("6", "3"),
    "2": ("3", "A", "7"),
}
#: How many likely cards the correction offers first.
OFFERED = 4


@dataclass(frozen=True, slots=True)
class CardFace:
    """A card as it is drawn. `suit` is a letter, empty where unknown; a joker's is its colour R or B."""

    code: str
    rank: str
    suit: str


def face(code: str) -> CardFace:
    """The face of a card code; "?" is a card that lies face down."""
    if code in JOKER_CODES:
        return CardFace(code, "joker", code[1] if len(code) == 2 else "")
    if code == "?":
        return CardFace(code, "?", "")
    return CardFace(code, code[:-1], code[-1].replace("?", ""))


def likely(code: str, alternatives: Iterable[tuple[str, float]] = ()) -> tuple[str, ...]:
    """Codes that `code` may really be, likeliest first: what the camera thought of, then known confusions."""
    read = face(code)
    known = (rank + (read.suit or "?") for rank in CONFUSED.get(read.rank, ()))
    found = [other for other, _ in sorted(alternatives, key=lambda pair: -pair[1])]
    return tuple(dict.fromkeys(other for other in (*found, *known) if other != code))[:OFFERED]


def is_card(text: str) -> bool:
    """Whether a question's choice is a card that can be drawn, not a word.

    >>> is_card("10H"), is_card("JB"), is_card("yes"), is_card("")
    (True, True, False, False)
    """
    return text in JOKER_CODES or (text[:-1] in RANKS_BY_NAME and text[-1:] in (*_SUITS, "?"))
