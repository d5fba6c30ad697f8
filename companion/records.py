"""Changing a frozen record: as `dataclasses.replace`, but made for records that are replaced ten times a look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

Record = TypeVar("Record")
Shape = tuple[Callable[[Any], tuple[Any, ...]], dict[str, int]]
#: How to take a record of each type apart; filled as types are met.
_SHAPES: dict[type[Any], Shape] = {}


def changed(record: Record, **parts: Any) -> Record:
    """The record with these fields changed; it has two fields or more, all of them positional.

    >>> from companion.cards import Card, Rank, Suit
    >>> str(changed(Card(Rank.TEN, Suit.HEARTS), suit=Suit.SPADES))
    '10S'
    """
    kind = type(record)
    values_of, places = _SHAPES.get(kind) or _shape(kind)
    values = list(values_of(record))
    for name, value in parts.items():
        values[places[name]] = value
    return kind(*values)


def _shape(kind: type[Any]) -> Shape:
    names = [part.name for part in fields(kind)]
    return _SHAPES.setdefault(kind, (attrgetter(*names), {name: place for place, name in enumerate(names)}))
