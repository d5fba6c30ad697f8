"""Seats found from where the first cards lie: every way to sit, crooked and shaken, and what is asked instead."""

from __future__ import annotations

import random
from math import cos, pi, sin

import pytest

from companion.seats.arrangement import Layout, arrange, flip_seats_text, format_seats, sides
from companion.seats.layout import parse_seats
from companion.watching.session import SeatFinder, locate_first_cards
from vision.types import FoundCard, Look, Reading, Side

NAMES = ("Ana", "Ben", "Cai", "Dee")
#: One card of each player, first seat first, and how they sit.
SEATINGS = {
    "a pair side by side": (((0.25, 0.5), (0.75, 0.5)), Layout.COLUMNS),
    "a pair close together at one side": (((0.5, 0.42), (0.7, 0.42)), Layout.COLUMNS),
    "a pair face to face": (((0.5, 0.75), (0.5, 0.25)), Layout.ROWS),
    "a pair face to face, each to the right": (((0.56, 0.78), (0.44, 0.2)), Layout.ROWS),
    "three in a row": (((0.17, 0.5), (0.5, 0.45), (0.84, 0.5)), Layout.COLUMNS),
    "four in a row": (((0.13, 0.4), (0.38, 0.45), (0.63, 0.4), (0.88, 0.45)), Layout.COLUMNS),
    "three around": (((0.5, 0.8), (0.2, 0.5), (0.5, 0.2)), Layout.AROUND),
    "three around, the first to the right": (((0.74, 0.8), (0.11, 0.5), (0.74, 0.2)), Layout.AROUND),
    "four around": (((0.5, 0.82), (0.15, 0.5), (0.5, 0.18), (0.85, 0.5)), Layout.AROUND),
    "four around, each to the right": (((0.41, 0.88), (0.11, 0.5), (0.6, 0.14), (0.89, 0.5)), Layout.AROUND),
}
JITTER = 0.03


def shaken(points, rng, turn=0.0):
    """The points moved a little each, the table turned by some radians about the picture's middle."""
    moved = ((x + rng.uniform(-JITTER, JITTER) - 0.5, y + rng.uniform(-JITTER, JITTER) - 0.5) for x, y in points)
    return [(0.5 + x * cos(turn) - y * sin(turn), 0.5 + x * sin(turn) + y * cos(turn)) for x, y in moved]


@pytest.mark.parametrize("name", SEATINGS)
def test_everybody_is_found_where_he_sits(name):
    points, layout = SEATINGS[name]
    players = NAMES[: len(points)]
    rng = random.Random(name)
    asked = 0
    for _ in range(200):
        lie = shaken(points, rng, turn=rng.uniform(-0.15, 0.15))
        found = arrange(rng.sample(lie, len(lie)), players)
        true = dict(zip(players, lie, strict=True))
        assert true in [dict(zip(order, found.points, strict=True)) for order in found.orders], (found, lie)
        asked += len(found.orders) > 1
        assert found.layout is layout or len(found.orders) > 1
    assert asked <= 10, "asked about what is clear"


@pytest.mark.parametrize("name", SEATINGS)
def test_the_places_that_are_found_hold_the_cards_that_follow(name):
    points, _ = SEATINGS[name]
    players = NAMES[: len(points)]
    rng = random.Random(name)
    found = arrange(shaken(points, rng), players)
    seats = parse_seats(format_seats(players, found), players)
    for _ in range(200):
        for player, (x, y) in zip(players, shaken(points, rng), strict=True):
            assert seats.at(x, y).player == player
    assert all(seats.at(rng.random(), rng.random()) for _ in range(200)), "the whole table belongs to somebody"


def turned(points, degrees):
    return shaken(points, random.Random(0), degrees * pi / 180)


@pytest.mark.parametrize(
    ("points", "orders"),
    [
        (((0.3, 0.25), (0.6, 0.8)), 2),
        (((0.3, 0.25), (0.5, 0.5), (0.7, 0.75)), 2),
        (((0.5, 0.2), (0.5, 0.5), (0.5, 0.8)), 2),
        (((0.2, 0.75), (0.5, 0.2), (0.8, 0.75)), 3),
        (((0.2, 0.2), (0.8, 0.2), (0.2, 0.8), (0.8, 0.8)), 4),
        (turned(SEATINGS["four around"][0], 45), 4),
    ],
)
def test_what_can_be_meant_in_several_ways_is_asked(points, orders):
    players = NAMES[: len(points)]
    found = arrange(points, players)
    assert len(found.orders) >= orders
    assert all(sorted(order) == sorted(players) for order in found.orders)
    assert len(set(found.orders)) == len(found.orders)


def test_a_pair_on_the_slant_is_asked_about_only_where_left_and_near_are_two():
    assert len(arrange(((0.35, 0.7), (0.6, 0.25)), NAMES[:2]).orders) == 1
    assert len(arrange(((0.35, 0.3), (0.6, 0.7)), NAMES[:2]).orders) == 2


def test_a_turned_picture_leaves_everybody_his_cards():
    found = arrange(SEATINGS["four around"][0], NAMES)
    seats, other = (
        parse_seats(text(NAMES), NAMES)
        for text in (lambda n: format_seats(n, found), lambda n: flip_seats_text(format_seats(n, found), n))
    )
    rng = random.Random(3)
    for x, y in ((rng.random(), rng.random()) for _ in range(100)):
        assert seats.at(x, y) == other.at(1 - x, y)


def test_names_of_any_kind_and_where_they_sit_in_words():
    players = ('Ána "the ace"', "Бен", "= [x]")
    found = arrange(SEATINGS["three in a row"][0], players)
    seats = parse_seats(format_seats(players, found), players)
    assert sides(seats.middles) == dict(zip(players, ("left", "middle", "right"), strict=True))


# --- from looks ---------------------------------------------------------------------------------------

SIZE = (1280, 720)


def card(x, y, side=Side.FACE, read=True, found=0.9):
    x, y = x * SIZE[0], y * SIZE[1]
    quad = ((x - 40, y - 60), (x + 40, y - 60), (x + 40, y + 60), (x - 40, y + 60))
    return FoundCard(quad, side, found, (Reading("9H", 0.9),) if side is Side.FACE else (), read=read)


def look(*cards, at=1.0):
    return Look(at, cards, SIZE)


def test_only_one_card_of_each_tells_where_they_sit():
    left, right, pile = card(0.2, 0.5), card(0.8, 0.5), card(0.5, 0.1, Side.BACK)
    assert len(locate_first_cards(look(left, right, pile), 2)) == 2
    assert locate_first_cards(look(left), 2) == ()
    assert locate_first_cards(look(left, right, card(0.5, 0.5)), 2) == ()
    assert locate_first_cards(look(left, card(0.23, 0.52)), 2) == (), "two cards that touch may be one player's"
    assert len(locate_first_cards(look(left, right, card(0.5, 0.5, found=0.2)), 2)) == 2


def test_looks_are_kept_until_it_is_clear():
    usher = SeatFinder(("Ana", "Ben"))
    assert usher.take(look(card(0.2, 0.5), at=1.0)) is None
    assert usher.arrangement is None
    assert usher.take(look(card(0.35, 0.3), card(0.6, 0.7), at=2.0)) is None
    assert len(usher.arrangement.orders) == 2
    assert usher.take(look(card(0.2, 0.5), card(0.6, 0.5), at=3.0)).orders == (("Ana", "Ben"),)
    assert [one.at for one in usher.held] == [1.0, 2.0, 3.0]


def test_outlines_that_nobody_can_read_seat_nobody_and_are_no_round():
    finder = SeatFinder(("Ana", "Ben"))
    assert finder.take(look(card(0.2, 0.52, read=False), card(0.8, 0.48, read=False), at=1.0)) is None
    assert finder.take(look(at=2.0)) is None
    assert finder.take(look(card(0.2, 0.5), card(0.8, 0.5), at=3.0)).orders == (("Ana", "Ben"),)
    assert [one.at for one in finder.held] == [2.0, 3.0]
