"""Playing cards as this game names them: ranks, suits, codes, and sets of cards as bit masks.

>>> Card.parse("10H").rank, Card.parse("10H").suit
(<Rank.TEN: '10'>, <Suit.HEARTS: 'H'>)
>>> [str(Card.parse(code)) for code in ("JR", "JOKER", "9?", "?")]
['JR', 'JOKER', '9?', '?']
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Final


class Rank(StrEnum):
    """Ace high, two low (E4, E34, M12); a joker beats them all (E19). HIDDEN is a card seen only from behind."""

    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "10"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"
    ACE = "A"
    JOKER = "joker"
    HIDDEN = "?"

    # Cards are looked up by hash all the time; that of an enum is computed anew, that of a string is remembered.
    __hash__ = str.__hash__

    @property
    def strength(self) -> int:
        """2..14 for two..ace, 15 for a joker, 0 for a hidden card.

        >>> Rank.ACE.strength, Rank.TWO.strength, Rank.JOKER.strength
        (14, 2, 15)
        """
        return _STRENGTH[self]


class Suit(StrEnum):
    """The four suits, and the two colours of jokers. Suits never decide a battle."""

    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    CLUBS = "C"
    RED = "R"
    BLACK = "B"

    __hash__ = str.__hash__


_RANKS = tuple(rank for rank in Rank if rank not in (Rank.JOKER, Rank.HIDDEN))
_SUITS = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
_STRENGTH = {rank: value for value, rank in enumerate((*_RANKS, Rank.JOKER), start=2)} | {Rank.HIDDEN: 0}


class BadCard(ValueError):
    """The text is no card code."""


class Card:
    """One card; `suit` is None where it is not known (`9?`, `JOKER`, `?`). No dataclass: JSON knows it by its code.

    `bits` is the set of cards this may be, one bit a card; two cards with the same bits are equal.

    >>> Card.parse("9?").bits == sum(Card.parse(c).bits for c in ("9S", "9H", "9D", "9C"))
    True
    """

    __slots__ = ("bits", "rank", "suit")

    def __init__(self, rank: Rank, suit: Suit | None = None) -> None:
        """The card of this rank and suit; its bits are worked out once, as they are asked for all the time."""
        self.rank: Final = rank
        self.suit: Final = suit
        self.bits: Final = _bits(rank, suit)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same card, or as little is known of both."""
        return self.bits == other.bits if isinstance(other, Card) else NotImplemented

    def __hash__(self) -> int:
        """The bits."""
        return self.bits

    def __repr__(self) -> str:
        """How the card is made from its code."""
        return f"Card.parse({_CODES[self]!r})"

    @classmethod
    def parse(cls, code: str) -> Card:
        """The card with this code.

        Raises `BadCard` for anything else.

        >>> Card.parse("1H")
        Traceback (most recent call last):
        companion.referee.cards.BadCard: '1H' is no card code: write 9H, 10S, JR, JOKER or 9?.
        """
        try:
            return _BY_CODE[code]
        except (KeyError, TypeError):
            raise BadCard(f"{code!r:.40} is no card code: write 9H, 10S, JR, JOKER or 9?.") from None

    @property
    def code(self) -> str:
        """The code, as in INTERFACES: `10H`, `JR`, `JOKER`, `9?`, `?`."""
        return _CODES[self]

    def without_suit(self) -> Card:
        """The same rank, suit unknown."""
        return Card(self.rank)

    def may_be(self, other: Card) -> bool:
        """Whether both may be the same piece of cardboard.

        >>> Card.parse("9?").may_be(Card.parse("9H")), Card.parse("9S").may_be(Card.parse("9H"))
        (True, False)
        """
        return bool(self.bits & other.bits)

    def __str__(self) -> str:
        """The code."""
        return _CODES[self]


def _bits(rank: Rank, suit: Suit | None) -> int:
    """One bit for a single card, in the order of CARDS; all that it may be for a card not known."""
    if rank is Rank.HIDDEN:
        return (1 << 54) - 1
    if rank is Rank.JOKER:
        return {Suit.RED: 1 << 52, Suit.BLACK: 1 << 53}[suit] if suit else 3 << 52
    suits = (suit,) if suit else _SUITS
    return sum(1 << (13 * _SUITS.index(one) + _RANKS.index(rank)) for one in suits)


def _code(card: Card) -> str:
    if card.rank is Rank.JOKER:
        return f"J{card.suit}" if card.suit else "JOKER"
    if card.rank is Rank.HIDDEN:
        return "?"
    return f"{card.rank}{card.suit or '?'}"


#: How a suit is printed; what draws text in colour adds its own selector.
SUIT_SIGNS = {Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"}
HIDDEN = Card(Rank.HIDDEN)
JOKER = Card(Rank.JOKER)
JOKERS = (Card(Rank.JOKER, Suit.RED), Card(Rank.JOKER, Suit.BLACK))
#: Codes of a joker, with and without its colour.
JOKER_CODES = ("JR", "JB", "JOKER")
#: The ranks of a suit as people list them, ace first.
RANKS_BY_NAME = (str(Rank.ACE), *map(str, _RANKS[:-1]))
#: Every single card, in the order of its bit: 52, then the red and the black joker.
CARDS = (*(Card(rank, suit) for suit in _SUITS for rank in _RANKS), *JOKERS)
_CODES = {card: _code(card) for card in (*CARDS, *map(Card, _RANKS), JOKER, HIDDEN)}
_BY_CODE = {code: card for card, code in _CODES.items()}


@cache
def pack(jokers: int = 0) -> int:
    """The cards of one pack as a bit mask: 52 and as many jokers.

    >>> pack().bit_count(), pack(2).bit_count()
    (52, 54)
    """
    return (1 << (52 + jokers)) - 1


def cards_in(mask: int) -> tuple[Card, ...]:
    """The single cards of a bit mask.

    >>> [str(card) for card in cards_in(Card.parse("JOKER").bits)]
    ['JR', 'JB']
    """
    return tuple(card for card in CARDS if mask & card.bits)


def deal(players: int, cards: int) -> tuple[int, int]:
    """How many each player gets, dealt one by one to equal piles, and how many are left over (E5, E16).

    >>> deal(2, 52), deal(3, 52), deal(4, 54)
    ((26, 0), (17, 1), (13, 2))
    """
    return divmod(cards, players)


def short_name(code: str) -> str:
    """A card as printed on its corner.

    >>> short_name("8S"), short_name("10H"), short_name("JR"), short_name("9?")
    ('8♠', '10♥', 'joker', '9')
    """
    card = Card.parse(code)
    if card.rank is Rank.JOKER:
        return "joker"
    return card.rank + (SUIT_SIGNS[card.suit] if card.suit else "")
