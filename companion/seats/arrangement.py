"""Infer who sits where from the positions of one card per player. Pure.

Points are fractions of the picture's width and height, x to the right and y down. A wrong owner is a wrong
verdict, so an arrangement that can be meant in several ways is not decided here: `orders` has them all.

>>> found = arrange(((0.7, 0.5), (0.2, 0.45)), ("Ana", "Ben"))
>>> found.layout.value, found.orders
('columns', (('Ana', 'Ben'),))
>>> found.points
((0.2, 0.45), (0.7, 0.5))
>>> arrange(((0.25, 0.25), (0.6, 0.8)), ("Ana", "Ben")).orders
(('Ana', 'Ben'), ('Ben', 'Ana'))
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import atan2, degrees, hypot, pi, tau

from companion.seats.layout import AUTO, Place, Point, Polygon, Zone, middle, zones_of

#: Width to height of a picture, where nothing else is known.
ASPECT = 16 / 9
#: Degrees between two cards' line and the picture's edge: up to here they lie side by side, or one above the other.
LEVEL = 40.0
#: Beyond so many degrees from the edge it matters whether the first player is the left or the near one.
ASLANT = 35.0
#: Several cards lie in a line when they stray across it less than this share of how they stray along it …
IN_LINE = 0.35
#: … and around the table when they stray more than this one; both in fractions of the picture, which the table fills.
AROUND = 0.5
#: So much nearer to the lower edge, in fractions of the picture, the nearest of several cards must lie.
NEARER = 0.1
#: A wider gap than this, in degrees, lies open on one side of the players.
_OPEN = 215.0
_WHOLE: Polygon = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


class Layout(StrEnum):
    """How the players' places divide the picture."""

    COLUMNS = "columns"
    ROWS = "rows"
    AROUND = "around"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where the cards lie, and who may sit there.

    Each of `orders` names the players of `points` in turn; it is clear who sits where when there is only one.
    """

    points: tuple[Point, ...]
    layout: Layout
    orders: tuple[tuple[str, ...], ...]


def arrange(points: Sequence[Point], players: tuple[str, ...], aspect: float = ASPECT) -> Arrangement:
    """The arrangement of one card of each player, `aspect` being the picture's width divided by its height."""
    return _pair(points, players, aspect) if len(points) == 2 else _several(points, players)


def format_seats(players: Sequence[str], arrangement: Arrangement) -> str:
    """The seats file of `players`, who sit at the arrangement's points in this order, for `seats.layout.parse`."""
    places = zip(players, zones(arrangement.points, arrangement.layout), strict=True)
    tables = (f"[{json.dumps(name, ensure_ascii=False)}]\nplay = {_written(zone)}\n" for name, zone in places)
    return f"{AUTO}\n{''.join(tables)}"


def _written(zone: Polygon) -> list[list[float]]:
    return [[round(x, 4), round(y, 4)] for x, y in zone]


# --- two players ------------------------------------------------------------------------------------


def _pair(points: Sequence[Point], players: tuple[str, ...], aspect: float) -> Arrangement:
    left, right = sorted(points)
    dx, dy = (right[0] - left[0]) * aspect, right[1] - left[1]
    slant = degrees(atan2(abs(dy), dx))
    near_first = slant > 45.0
    ordered = (right, left) if near_first and dy > 0 else (left, right)
    both = (players, players[::-1])
    # The left one is the first of a pair side by side, the near one of a pair face to face; here both may be meant.
    contrary = dy > 0 and ASLANT < slant < 90.0 - ASLANT
    layout = Layout.COLUMNS if slant < LEVEL else Layout.ROWS if slant > 90.0 - LEVEL else Layout.AROUND
    return Arrangement(ordered, layout, both if contrary else both[:1])


# --- three and more ---------------------------------------------------------------------------------


def _several(points: Sequence[Point], players: tuple[str, ...]) -> Arrangement:
    in_line = sorted(points)
    stray, tilt = _spread(points)
    across = tilt < LEVEL
    if stray < IN_LINE:
        return Arrangement(tuple(in_line), Layout.COLUMNS, (players,)) if across else _up_and_down(points, players)
    ring = _clockwise(points)
    turned = _turns(players)
    if stray < AROUND:
        rows = tuple(_seen_from(ring, in_line, order) for order in (players, players[::-1]))
        return Arrangement(ring, Layout.AROUND, tuple(dict.fromkeys((*rows, *turned))))
    lowest, next_lowest = sorted((y for _, y in points), reverse=True)[:2]
    return Arrangement(ring, Layout.AROUND, turned[:1] if lowest - next_lowest >= NEARER else turned)


def _up_and_down(points: Sequence[Point], players: tuple[str, ...]) -> Arrangement:
    near_first = tuple(sorted(points, key=lambda point: -point[1]))
    return Arrangement(near_first, Layout.ROWS, (players, players[::-1]))


def _seen_from(ring: Sequence[Point], line: Sequence[Point], players: tuple[str, ...]) -> tuple[str, ...]:
    """The players of a line, named in the order of a ring."""
    sits = dict(zip(line, players, strict=True))
    return tuple(sits[point] for point in ring)


def _turns(players: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(players[-n:] + players[:-n] if n else players for n in range(len(players)))


def _spread(points: Sequence[Point]) -> tuple[float, float]:
    """How far points stray across their line as a share of how far along it, and its slant in degrees, 0 to 90."""
    mx, my = middle(points)
    away = [(x - mx, y - my) for x, y in points]
    xx, yy, xy = (sum(one) for one in zip(*((x * x, y * y, x * y) for x, y in away), strict=True))
    half, root = (xx + yy) / 2, hypot((xx - yy) / 2, xy)
    angle = abs(degrees(atan2(2 * xy, xx - yy) / 2))
    return (max(0.0, half - root) / (half + root)) ** 0.5, min(angle, 180.0 - angle)


def _clockwise(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points around the table as a clock runs, beginning with the one nearest to the lower edge."""
    ring = sorted(points, key=lambda point: _turn(point, (0.5, 0.5)))
    turns = [_turn(point, (0.5, 0.5)) for point in ring]
    gaps = [(after - before) % tau for before, after in zip(turns, turns[1:] + turns[:1], strict=True)]
    if degrees(max(gaps)) > _OPEN:
        # Everybody lies to one side of the picture's middle: the table's is between them.
        ring = sorted(points, key=lambda point: _turn(point, middle(points)))
    first = max(range(len(ring)), key=lambda n: ring[n][1])
    return tuple(ring[first:] + ring[:first])


def _turn(point: Point, centre: Point) -> float:
    """The direction from the centre, 0 towards the lower edge, growing to the left, up and right."""
    return atan2(centre[0] - point[0], point[1] - centre[1]) % (2 * pi)


# --- places -----------------------------------------------------------------------------------------


def zones(points: Sequence[Point], layout: Layout) -> tuple[Polygon, ...]:
    """Each point's place: all that lies nearer to it than to another point, across or down the picture, or both ways.

    >>> zones(((0.2, 0.4), (0.6, 0.5)), Layout.COLUMNS)[0]
    ((0.0, 0.0), (0.4, 0.0), (0.4, 1.0), (0.0, 1.0))
    """
    match layout:
        case Layout.COLUMNS:
            points = [(x, 0.5) for x, _ in points]
        case Layout.ROWS:
            points = [(0.5, y) for _, y in points]
    return tuple(_nearest(point, points) for point in points)


def _nearest(point: Point, points: Sequence[Point]) -> Polygon:
    zone = _WHOLE
    for other in points:
        if other != point:
            zone = _cut(zone, point, other)
    return zone


def _cut(zone: Polygon, point: Point, other: Point) -> Polygon:
    """The part of a convex zone that lies nearer to `point` than to `other`."""
    ax, ay = other[0] - point[0], other[1] - point[1]
    mx, my = middle((point, other))
    beyond = [(x - mx) * ax + (y - my) * ay for x, y in zone]
    kept: list[Point] = []
    for n, corner in enumerate(zone):
        here, before = beyond[n], beyond[n - 1]
        if (here > 0) != (before > 0):
            kept.append(_between(zone[n - 1], corner, before / (before - here)))
        if here <= 0:
            kept.append(corner)
    return tuple(dict.fromkeys(kept))


def _between(start: Point, end: Point, share: float) -> Point:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def add_pile(text: str, players: tuple[str, ...], player: str, pile: Polygon) -> str:
    """The text of found or drawn seats with the place of a player's face-up pile, instead of the one there may be.

    >>> text = format_seats(("A", "B"), arrange(((0.2, 0.5), (0.6, 0.5)), ("A", "B")))
    >>> add_pile(text, ("A", "B"), "A", ((0.0, 0.0), (0.1, 0.0), (0.1, 0.1))).splitlines()[3]
    'pile = [[0.0, 0.0], [0.1, 0.0], [0.1, 0.1]]'
    """
    drawn = dict(zones_of(text, players)) | {Place(player, Zone.PILE): pile}
    return _write_places(drawn.items())


def flip_seats_text(text: str, players: tuple[str, ...], names: Mapping[str, str] | None = None) -> str:
    """Places that were drawn or found, for the picture turned round: everybody keeps the cards before him.

    `names` says who sits now where a player sat.

    >>> text = format_seats(("A", "B"), arrange(((0.2, 0.5), (0.6, 0.5)), ("A", "B")))
    >>> flip_seats_text(text, ("A", "B")).splitlines()[2]
    'play = [[1.0, 0.0], [0.6, 0.0], [0.6, 1.0], [1.0, 1.0]]'
    """
    flipped = (
        (Place((names or {}).get(place.player, place.player), place.zone), tuple((1 - x, y) for x, y in zone))
        for place, zone in zones_of(text, players)
    )
    return _write_places(flipped)


def _write_places(places: Iterable[tuple[Place, Polygon]]) -> str:
    lines: dict[str, list[str]] = {}
    for place, zone in places:
        lines.setdefault(place.player, []).append(f"{place.zone} = {_written(zone)}\n")
    tables = (f"[{json.dumps(name, ensure_ascii=False)}]\n{''.join(said)}" for name, said in lines.items())
    return f"{AUTO}\n{''.join(tables)}"


# --- in words ---------------------------------------------------------------------------------------


def sides(middles: Mapping[str, Point]) -> dict[str, str]:
    """Where each player sits, as the key of a phrase.

    >>> sides({"Ana": (0.25, 0.5), "Ben": (0.75, 0.55)})
    {'Ana': 'left', 'Ben': 'right'}
    >>> sides({"Ana": (0.5, 0.8), "Ben": (0.2, 0.5), "Cai": (0.5, 0.2)})
    {'Ana': 'near', 'Ben': 'left', 'Cai': 'far'}
    """
    if len(middles) < 2:
        return {}
    stray, tilt = _spread(tuple(middles.values()))
    if stray < IN_LINE or len(middles) == 2:
        words = _ALONG[tilt < 45.0][len(middles)]
        order = sorted(middles, key=lambda name: middles[name][0] if tilt < 45.0 else -middles[name][1])
        placed = dict(zip(order, words, strict=True))
        return {name: placed[name] for name in middles}
    return {name: _direction(point) for name, point in middles.items()}


_ALONG = {
    True: {2: ("left", "right"), 3: ("left", "middle", "right"), 4: ("left", "left_2", "right_2", "right")},
    False: {2: ("near", "far"), 3: ("near", "middle", "far"), 4: ("near", "near_2", "far_2", "far")},
}
_AROUND = ("near", "near_left", "left", "far_left", "far", "far_right", "right", "near_right")


def _direction(point: Point) -> str:
    return _AROUND[round(_turn(point, (0.5, 0.5)) / (pi / 4)) % 8]
