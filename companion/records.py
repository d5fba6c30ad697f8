"""Changing a frozen record: as `dataclasses.replace`, but made for records that are replaced ten times a look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

Record = TypeVar("Record")
Shape = tuple[Callable[[Any], tuple[Any, ...]], dict[str, int], tuple[Callable[[Any, Any], None], ...]]
#: How to take a record of each type apart; filled as types are met.
_SHAPES: dict[type[Any], Shape] = {}


def changed(record: Record, **parts: Any) -> Record:
    """The record with these fields changed; it has slots and two fields or more, and checks nothing when it is made.

    >>> from companion.cards import Card, Rank, Suit
    >>> str(changed(Card(Rank.TEN, Suit.HEARTS), suit=Suit.SPADES))
    '10S'
    """
    kind = type(record)
    values_of, places, setters = _SHAPES.get(kind) or _shape(kind)
    values = list(values_of(record))
    for name, value in parts.items():
        values[places[name]] = value
    # The slots are filled one by one: a frozen record's own way looks each of them up by name.
    after = object.__new__(kind)
    for put, value in zip(setters, values, strict=True):
        put(after, value)
    return after


def _shape(kind: type[Any]) -> Shape:
    names = [part.name for part in fields(kind)]
    setters = tuple(getattr(kind, name).__set__ for name in names)
    return _SHAPES.setdefault(kind, (attrgetter(*names), {name: place for place, name in enumerate(names)}, setters))
