"""A pack laid out in straight rows: which outline is which card, by where it lies. Pixels, x right and y down."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from vision.geometry import points, short_and_long, upright
from vision.types import BACK, CLASSES, JOKER_CLASS, RANKS, SUITS, Quad, Side, VisionError

#: The suits' rows from the top, and the ranks from the left, unless told otherwise.
ORDER = "SHDC"
#: The next card of a row lies at most so many cards' breadths on, and so many heights off the line.
REACH, OFF = 3.0, 0.45
#: A reading as sure as this speaks against the place a card lies in.
CONTRADICTS_FROM = 0.9
#: Jokers and backs in the row below the suits.
MOST_EXTRA = 4

_Points = NDArray[np.float64]


class LayoutFault(StrEnum):
    """Why the cards of a picture cannot be learned as they lie."""

    NOTHING = "nothing"
    ROW = "row"
    ROWS = "rows"
    MANY = "many"
    MISPLACED = "misplaced"


class LaidWrong(VisionError):
    """The cards of a picture cannot be learned as they lie. `values` are what `misfit` speaks of, as the text does."""

    def __init__(self, misfit: LayoutFault, text: str, **values: object) -> None:
        """Keep the reason by name and in words."""
        super().__init__(text)
        self.misfit, self.values = misfit, values


@dataclass(frozen=True, slots=True)
class ReadOutline:
    """One card of a picture: its outline, the side that lies up, and the reader's probabilities of CLASSES."""

    quad: Quad
    side: Side
    p: NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """One card by its place: what it must be, and what was seen there."""

    code: str
    seen: ReadOutline

    @property
    def support(self) -> float:
        """How well the reader's own opinion fits, as a logarithm: 0 at best."""
        return float(np.log(max(self.seen.p[CLASSES.index(self.code)], 1e-3)))


def parse_order(text: str = ORDER) -> tuple[tuple[str, ...], ...]:
    """The codes of each row, from `SHDC` (suits) or `SHDC:23456789TJQKA` (suits, and ranks from the left).

    Raises VisionError where it names no card, or one twice.

    >>> [row[0] + ".." + row[-1] for row in parse_order("HC")]
    ['AH..KH', 'AC..KC']
    >>> parse_order("S:7 8 9 10 J Q K A")[0][3:5]
    ('10S', 'JS')
    """
    suits, _, ranks = text.upper().replace(" ", "").replace(",", "").partition(":")
    named = re.findall("10|[2-9TJQKA]", ranks) if ranks else list(RANKS)
    whole = "".join(named) == ranks or not ranks
    named = [rank.replace("T", "10") for rank in named]
    good = suits and set(suits) <= set(SUITS) and len(set(suits)) == len(suits) and len(set(named)) == len(named)
    if not (good and named and whole):
        raise VisionError(f"The order {text} is not understood: write suits, as SHDC, or suits and ranks, as SHDC:23A.")
    return tuple(tuple(rank + suit for rank in named) for suit in suits)


def find_rows(quads: Sequence[Quad], turn: int = 0) -> list[list[int]]:
    """The outlines' numbers row by row, each from the left, as seen with the cards standing upright in the picture.

    `turn` turns the reading by so many quarters: the picture may have been taken from any side.
    """
    if not quads:
        return []
    across, down = _directions(quads, turn)
    centres = np.array([points(quad).mean(axis=0) for quad in quads], dtype=np.float64)
    x, y = centres @ across, centres @ down
    breadth, height = np.median([short_and_long(quad) for quad in quads], axis=0)
    if turn % 2:
        breadth, height = height, breadth
    after = [_next(i, x, y, REACH * breadth, OFF * height) for i in range(len(quads))]
    before = [_next(i, -x, y, REACH * breadth, OFF * height) for i in range(len(quads))]
    after = [j if j is not None and before[j] == i else None for i, j in enumerate(after)]
    starts = sorted(set(range(len(quads))) - {j for j in after if j is not None})
    return sorted((list(_chain(start, after)) for start in starts), key=lambda row: float(y[row].mean()))


def _directions(quads: Sequence[Quad], turn: int) -> tuple[_Points, _Points]:
    """Unit vectors along the rows and from row to row; the cards' long sides stand, before `turn`, nearest upright."""
    sides = [points(upright(quad)) for quad in quads]
    long = np.array([side[3] - side[0] for side in sides], dtype=np.float64)
    # Angles are doubled, since a long side points either way.
    doubled = np.angle(np.mean(((long[:, 0] + 1j * long[:, 1]) / np.hypot(*long.T)) ** 2)) / 2
    down = np.array([np.cos(doubled), np.sin(doubled)])
    down = -down if (down[1], down[0]) < (0.0, 0.0) else down
    for _ in range(turn % 4):
        down = np.array([-down[1], down[0]])
    return np.array([down[1], -down[0]]), down


def _next(i: int, x: NDArray[np.floating], y: NDArray[np.floating], reach: float, off: float) -> int | None:
    """The nearest one to the right of the i-th that lies in its line."""
    ahead = x - x[i]
    near = np.flatnonzero((ahead > 0) & (ahead < reach) & (np.abs(y - y[i]) < off))
    near = near[near != i]
    return int(near[np.argmin(ahead[near])]) if near.size else None


def _chain(start: int, after: Sequence[int | None]) -> Iterator[int]:
    at: int | None = start
    while at is not None:
        yield at
        at = after[at]


def assign_codes(seen: Sequence[ReadOutline], order: Sequence[Sequence[str]]) -> tuple[PlacedCard, ...]:
    """The cards of one picture by their places: rows in this order, then jokers, then cards face down.

    The picture may show the first rows alone. It may have been taken from any side: the way round that the
    reader's own opinion fits best is taken. Raises LaidWrong where the rows do not fit, as they lie in the picture.
    """
    fitting, complaints = [], []
    for turn in range(4):
        try:
            fitting.append(
                _assigned([[seen[i] for i in row] for row in find_rows([s.quad for s in seen], turn)], order)
            )
        except LaidWrong as error:
            complaints.append(error)
    if not fitting:
        raise complaints[0]
    return max(fitting, key=lambda places: sum(place.support for place in places))


def _assigned(laid: Sequence[Sequence[ReadOutline]], order: Sequence[Sequence[str]]) -> tuple[PlacedCard, ...]:
    """By place alone in the suits' rows: an unknown picture may well be taken for a back."""
    places: list[PlacedCard] = []
    for number, row in enumerate(laid, start=1):
        extra = tuple(BACK if card.side is Side.BACK else JOKER_CLASS for card in row)
        codes = order[number - 1] if number <= len(order) else extra
        if number > len(order) and (number > len(order) + 1 or len(row) > MOST_EXTRA):
            text = f"There are more rows than suits: row {number} has {_cards(len(row))}. {_REMEDY}"
            raise LaidWrong(LayoutFault.ROWS, text, row=number, n=len(row))
        if len(row) != len(codes):
            text = f"Row {number} has {_cards(len(row))}, not {len(codes)}. {_REMEDY}"
            raise LaidWrong(LayoutFault.ROW, text, row=number, n=len(row), wanted=len(codes))
        places += [PlacedCard(code, card) for code, card in zip(codes, row, strict=True)]
    if not places:
        raise LaidWrong(LayoutFault.NOTHING, f"No rows of cards are seen. {_REMEDY}")
    return tuple(places)


_REMEDY = "Lay the cards in straight rows with a little room between them, all of them in the picture."


def _cards(n: int) -> str:
    return "1 card" if n == 1 else f"{n} cards"


def find_contradictions(places: Sequence[PlacedCard]) -> list[tuple[str, str]]:
    """(code by its place, code surely read there) where the reader speaks against the order.

    An unknown pack may be misread surely, and that is why it is enrolled. So a reading only counts where the card
    in the place that it names is surely read as another one, too: then two cards, at least, have changed places.
    Or where most of a row is read as the same ranks of a suit that does not lie in the picture.
    """
    sure = {}
    for place in places:
        if place.seen.p.max() >= CONTRADICTS_FROM and place.code in CLASSES[:52]:
            sure[place.code] = CLASSES[int(place.seen.p.argmax())]
    changed = [(code, read) for code, read in sure.items() if read != code and sure.get(read, read) != read]
    return changed or list(_of_another_suit(sure, [place.code for place in places]))


def _of_another_suit(sure: Mapping[str, str], codes: Sequence[str]) -> Iterator[tuple[str, str]]:
    laid = {code[-1] for code in codes}
    for suit in laid & set(SUITS):
        row = [code for code in codes if code[-1] == suit]
        for other in set(SUITS) - laid:
            strange = [(code, sure[code]) for code in row if sure.get(code) == code[:-1] + other]
            if 2 * len(strange) > len(row):
                yield from strange
