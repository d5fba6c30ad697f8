"""Games without a table agree with the figures of RULES.md A5, within what few games can show."""

from __future__ import annotations

import random

import pytest

from companion.events import Violation
from companion.game import new_game
from companion.simulate import Report, history, play, simulate
from companion.tabletop import Order


def report(variant: str, players: str, order: Order = Order.SHUFFLE, games: int = 40) -> Report:
    return simulate(new_game(variant, tuple(players)), games, seed=7, order=order, cap=1200)


def test_the_same_seed_plays_the_same_games() -> None:
    game = new_game("classic", ("A", "B"))
    assert simulate(game, 3, seed=5) == simulate(game, 3, seed=5)


def test_a_fixed_order_may_never_end() -> None:
    """47 % of two-player games in fixed seat order are not over after 5,000 rounds."""
    game = new_game("classic", ("A", "B"))
    played = [play(game, random.Random(seed), Order.SEATS, cap=1500) for seed in range(8)]
    assert any(not one.over for one in played)
    assert any(one.over for one in played)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "players", "order", "median", "wars", "short_games"),
    [
        ("classic", "AB", Order.SHUFFLE, 211, 16.7, 0.52),
        ("classic", "AB", Order.WINNER_FIRST, 149, 13.3, 0.45),
        ("multi", "ABC", Order.SHUFFLE, 319, 27.9, 0.45),
        ("razboi", "AB", Order.SHUFFLE, 95, 7.6, 0.73),
        ("razboi", "ABC", Order.SHUFFLE, 104, 8.9, 0.90),
    ],
)
def test_lengths_are_those_of_the_rules_document(
    variant: str, players: str, order: Order, median: int, wars: float, short_games: float
) -> None:
    found = report(variant, players, order)
    assert found.rounds_median is not None
    assert 0.6 * median < found.rounds_median < 1.5 * median
    assert found.wars_per_game == pytest.approx(wars, rel=0.35)
    assert found.games_with_short_war == pytest.approx(short_games, abs=0.25)


def test_nobody_steals_straight_back_where_that_is_forbidden() -> None:
    game = new_game("steal", ("A", "B", "C", "D"), {"steal_back": False})
    said = [one.ruling for _, _, ruled in history(game, random.Random(34)) for one in ruled]
    assert not [ruling for ruling in said if isinstance(ruling, Violation)]
