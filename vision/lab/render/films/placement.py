"""Places of each player's cards in the picture: where the first card lies, and the line along which a war spreads.

The places are the ones the referee divides a table into: columns, halves, edges, or drawn polygons.
All lengths here are pixels of the picture, x to the right and y down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import VisionError

Pixel = NDArray[np.float64]
_Mask = NDArray[np.bool_]

#: Pixels of the picture a cell of the search for a free line.
_CELL = 4
#: A war spreads over at most this many cards' widths (or heights, where it spreads up and down).
_LONGEST = 3.2
#: A line this share of the longest one in a place is long enough.
_LONG = 0.7
#: How much of a card must fit into its owner's place; less is tried where a drawn place is narrow.
_FITS = (1.2, 0.8, 0.3)
_EDGES = {"bottom": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0), "top": (0.0, -1.0)}


@dataclass(frozen=True, slots=True, eq=False)
class Seat:
    """Where a player's first card lies (`home`) and how far a war may spread from there (`reach`).

    `side` points from the table towards the player, length 1; `pile` is where his won cards lie face up.
    """

    home: Pixel
    reach: Pixel
    side: Pixel
    pile: Pixel | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """Whose place a point of the picture is, x and y in fractions of its width and height; None where nobody's.

    `play` is where cards are played, `pile` where won cards lie face up.
    """

    players: tuple[str, ...]
    play: Callable[[float, float], str | None]
    pile: Callable[[float, float], str | None] = lambda _x, _y: None


def find_seats(places: Places, size: tuple[int, int], card: tuple[float, float]) -> dict[str, Seat]:
    """The seats for pictures of `size` pixels and cards of `card` pixels (width, height).

    Raises VisionError for a place too small to hold a card.
    """
    plays, piles = _masks(places.play, size), _masks(places.pile, size)
    seats = {}
    for player in places.players:
        mask = plays.get(player)
        line = None if mask is None else _line(mask, card)
        if mask is None or line is None:
            raise VisionError(f"The place of {player} is too small for a card: give it more of the table.")
        side = _side(mask)
        home, reach = _directed(*line, side, np.array(size) / 2)
        seats[player] = Seat(home, reach, side, _middle(piles[player]) if player in piles else None)
    return seats


def _masks(owner: Callable[[float, float], str | None], size: tuple[int, int]) -> dict[str, _Mask]:
    """For each player the cells that are theirs."""
    width, height = size[0] // _CELL, size[1] // _CELL
    owners = np.array([[owner((x + 0.5) / width, (y + 0.5) / height) for x in range(width)] for y in range(height)])
    return {player: np.asarray(owners == player, bool) for player in set(owners.flat) - {None}}


def _middle(mask: _Mask) -> Pixel:
    y, x = np.nonzero(mask)
    return np.array([x.mean() + 0.5, y.mean() + 0.5]) * _CELL


def _side(mask: _Mask) -> Pixel:
    """Towards the edge of the picture nearest to the place's middle; the lower one where it is as near."""
    x, y = _middle(mask) / (np.array(mask.shape[::-1]) * _CELL)
    away = {"bottom": 1 - y, "left": x, "right": 1 - x, "top": y}
    nearest = min(away, key=lambda edge: round(away[edge], 2))
    return np.array(_EDGES[nearest])


def _line(mask: _Mask, card: tuple[float, float]) -> tuple[Pixel, Pixel] | None:
    """The two ends of the longest line, across or down, along which a card fits into the place."""
    width, height = card
    for share in _FITS:
        room = _eroded(mask, (width * share, height * share))
        if not room.any():
            continue
        across, down = _longest(room), _longest(room.T)
        if (across[2] - across[1]) / width >= (down[2] - down[1]) / height:
            row, start, end = across
            return _ends((start, row), (end, row), width)
        column, start, end = down
        return _ends((column, start), (column, end), height)
    return None


def _eroded(mask: _Mask, card: tuple[float, float]) -> _Mask:
    """The cells where the middle of a card may lie so that all of it is inside."""
    kernel = np.ones((max(1, round(card[1] / _CELL)), max(1, round(card[0] / _CELL))), np.uint8)
    inside = cv2.erode(mask.astype(np.uint8), kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(inside, bool)


def _longest(room: _Mask) -> tuple[int, int, int]:
    """A row with a long unbroken run of free cells, the run's first cell and its last.

    The middle one of all such rows: the longest alone may lie at the edge of the picture.
    """
    runs = [_run(row) for row in room]
    lengths = np.array([end - start for start, end in runs])
    long = np.flatnonzero(lengths >= _LONG * lengths.max())
    row = int(long[len(long) // 2])
    return row, *runs[row]


def _run(row: _Mask) -> tuple[int, int]:
    """First and last cell of the longest run; the last lies before the first where there is none.

    >>> _run(np.array([True, False, True, True]))
    (2, 3)
    """
    steps = np.flatnonzero(np.diff(np.r_[False, row, False].astype(np.int8)))
    if not len(steps):
        return 0, -1
    starts, ends = steps[::2], steps[1::2] - 1
    longest = int(np.argmax(ends - starts))
    return int(starts[longest]), int(ends[longest])


def _ends(start: tuple[int, int], end: tuple[int, int], extent: float) -> tuple[Pixel, Pixel]:
    """Both ends in pixels, drawn together about their middle where the line is longer than a war needs."""
    a, b = (np.array(start) + 0.5) * _CELL, (np.array(end) + 0.5) * _CELL
    length = float(np.linalg.norm(b - a))
    keep = min(1.0, _LONGEST * extent / length) if length else 1.0
    middle = (a + b) / 2
    return middle + (a - middle) * keep, middle + (b - middle) * keep


def _directed(a: Pixel, b: Pixel, side: Pixel, centre: Pixel) -> tuple[Pixel, Pixel]:
    """Home and reach of a line: down, or across from its end far from the table's middle, else to the right hand."""
    nearer = float(np.linalg.norm(a - centre) - np.linalg.norm(b - centre))
    across = (b - a)[0] * (nearer if abs(nearer) > 2 * _CELL else side[1])
    return (b, a - b) if across < 0 else (a, b - a)
