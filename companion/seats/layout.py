"""Seats: which player's place a point of the picture belongs to. Pure.

Points are fractions of the picture's width and height, x to the right and y down.

>>> seats = parse_seats("left-right", ("Ana", "Ben"))
>>> seats.at(0.2, 0.5)
Place(player='Ana', zone=<Zone.PLAY: 'play'>)
>>> parse_seats("clockwise", ("Ana", "Ben", "Cai")).at(0.1, 0.4).player
'Ben'
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from companion.errors import WrongWords
from companion.referee.variants import called

Point = tuple[float, float]
Polygon = tuple[Point, ...]

#: Seats that are to be found from the first cards; once found, this word is the first line before their places.
AUTO = "auto"


class BadSeats(WrongWords):
    """The text of a seats file does not say who sits where; `reason` goes on after its name."""

    def __init__(self, reason: str) -> None:
        """Speak of the file without its name."""
        super().__init__(f"The seats file {reason}")
        self.reason = reason


class Zone(StrEnum):
    """What lies in a place: cards being played, or the face-up pile of won cards (Steal War)."""

    PLAY = "play"
    PILE = "pile"


@dataclass(frozen=True, slots=True)
class Place:
    """A player's zone."""

    player: str
    zone: Zone = Zone.PLAY


@dataclass(frozen=True, slots=True)
class Seats:
    """A division of the table. `at` tells whose place a card's centre lies in; None where nobody's."""

    at: Callable[[float, float], Place | None]
    #: Everything outside is not the table: left, top, right, bottom in fractions.
    table: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    #: Who has a place for a face-up pile.
    piles: frozenset[str] = frozenset()
    #: The middle of each player's place to play in; empty while it is not known who sits where.
    middles: Mapping[str, Point] = field(default_factory=dict)


def parse_seats(text: str, players: tuple[str, ...]) -> Seats:
    """Seats by name, or from the text of a TOML file. Raises WrongWords."""
    match text:
        case "auto":
            return Seats(lambda *_: None)
        case "left-right":
            share = 1 / len(players)
            return Seats(_columns(players), middles={p: ((n + 0.5) * share, 0.5) for n, p in enumerate(players)})
        case "near-far":
            return Seats(_halves(players), middles=dict(zip(players, ((0.5, 0.75), (0.5, 0.25)), strict=True)))
        case "clockwise":
            edges = ((0.5, 0.8), (0.2, 0.5), (0.5, 0.2), (0.8, 0.5))
            return Seats(_edges(players), middles=dict(zip(players, edges, strict=False)))
    if "=" not in text:
        raise WrongWords(f"Unknown seats {text!r:.40}: use auto, left-right, near-far, clockwise or a .toml file.")
    return parse_drawn_seats(text, players)


def exchange_names(seats: Seats, names: Mapping[str, str]) -> Seats:
    """The same places with other people in them: `names` says who now sits where a player sat."""
    if not names:
        return seats

    def at(x: float, y: float) -> Place | None:
        place = seats.at(x, y)
        return place and Place(names.get(place.player, place.player), place.zone)

    piles = frozenset(names.get(name, name) for name in seats.piles)
    return Seats(at, seats.table, piles, {names.get(name, name): at_ for name, at_ in seats.middles.items()})


def middle(points: Iterable[Point]) -> Point:
    """The point between all these."""
    xs, ys = zip(*points, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def _columns(players: tuple[str, ...]) -> Callable[[float, float], Place]:
    last = len(players) - 1
    return lambda x, _: Place(players[max(0, min(int(x * len(players)), last))])


def _halves(players: tuple[str, ...]) -> Callable[[float, float], Place]:
    if len(players) != 2:
        raise WrongWords("Seats near-far are for two players; use left-right or clockwise for more.")
    return lambda _, y: Place(players[0 if y >= 0.5 else 1])


def _edges(players: tuple[str, ...]) -> Callable[[float, float], Place]:
    def nearest(x: float, y: float) -> Place:
        away = (1 - y, x, y, 1 - x)[: len(players)]
        return Place(players[away.index(min(away))])

    return nearest


def zones_of(text: str, players: tuple[str, ...]) -> tuple[tuple[Place, Polygon], ...]:
    """The drawn or found places in a text of seats. Raises BadSeats."""
    return tuple(
        (Place(player, zone), _polygon(player, zone, table[zone]))
        for player, table in _tables(text.removeprefix(f"{AUTO}\n"), players)
        for zone in Zone
        if zone in table
    )


def parse_drawn_seats(text: str, players: tuple[str, ...]) -> Seats:
    """Seats from the text of a file. Raises BadSeats."""
    # Where the two overlap, what lies there is the pile: it is the smaller place.
    zones = sorted(zones_of(text, players), key=lambda one: one[0].zone is Zone.PLAY)

    def inside(x: float, y: float) -> Place | None:
        return next((place for place, polygon in zones if _holds(polygon, x, y)), None)

    xs, ys = zip(*(point for _, polygon in zones for point in polygon), strict=True)
    piles = frozenset(place.player for place, _ in zones if place.zone is Zone.PILE)
    middles = {place.player: middle(polygon) for place, polygon in zones if place.zone is Zone.PLAY}
    return Seats(inside, (min(xs), min(ys), max(xs), max(ys)), piles, middles)


def _tables(text: str, players: tuple[str, ...]) -> list[tuple[str, dict[str, Any]]]:
    try:
        written = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadSeats(f"is not valid TOML, {_at(error)}: {_as(players[0])}.") from None
    tables = {called(players, name): table for name, table in written.items()}
    for player in players:
        if not isinstance(tables.get(player), dict) or Zone.PLAY not in tables[player]:
            raise BadSeats(f"has no place for {player}: {_as(player)}.")
    strangers = [name for name in tables if name not in players]
    if strangers:
        raise BadSeats(f"names {strangers[0]:.40}, who does not play: the players are {', '.join(players)}.")
    if len(tables) < len(written):
        raise BadSeats("names one player in two ways: write each once.")
    unknown = [(player, key) for player in players for key in tables[player] if key not in tuple(Zone)]
    if unknown:
        raise BadSeats(f"says {unknown[0][1]!r:.40} of {unknown[0][0]}: there are {' and '.join(Zone)}.")
    return [(player, tables[player]) for player in players]


def _at(error: Exception) -> str:
    """What the reader of TOML says, with its place, in one line."""
    what, _, where = str(error).partition(" (at ")
    where = where.rstrip(")").replace("end of document", "its end")
    return f"at {where} ({what[:1].lower()}{what[1:]!s:.80})" if where else "it is nested too deeply"


def _as(player: str) -> str:
    key = player if player.isascii() and player.isalnum() else json.dumps(player, ensure_ascii=False)
    return f"write [{key}] and below it play = [[0, 0], [0.5, 0], [0.5, 1], [0, 1]]"


def _polygon(player: str, zone: Zone, value: object) -> Polygon:
    try:
        points = tuple((float(x), float(y)) for x, y in value)  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        points = ()
    if len(points) < 3 or not all(0 <= part <= 1 for point in points for part in point):
        raise BadSeats(f"needs at least three points [x, y] from 0 to 1 for {player}'s {zone}.")
    if not _area(points):
        raise BadSeats(f"has all points of {player}'s {zone} in one line: no card can lie there.")
    return points


def _area(polygon: Polygon) -> float:
    sides = zip(polygon, polygon[1:] + polygon[:1], strict=True)
    return round(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in sides), 9)


def _holds(polygon: Polygon, x: float, y: float) -> bool:
    """Whether the point lies inside, by counting the sides to its right."""
    sides = zip(polygon, polygon[1:] + polygon[:1], strict=True)
    crossed = ((x1, y1, x2, y2) for (x1, y1), (x2, y2) in sides if (y1 > y) != (y2 > y))
    return sum(x < x1 + (y - y1) * (x2 - x1) / (y2 - y1) for x1, y1, x2, y2 in crossed) % 2 == 1
