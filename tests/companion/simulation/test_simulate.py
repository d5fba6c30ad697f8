"""Games without a table agree with the figures of RULES.md A5, within what few games can show."""

from __future__ import annotations

import random
from collections import deque

import pytest

from companion.referee.cards import cards_in, pack
from companion.referee.events import Violation
from companion.referee.game import new_game
from companion.simulation.dealer import Order
from companion.simulation.simulate import Report, history, play, simulate


def report(variant: str, players: str, order: Order = Order.SHUFFLE, games: int = 40) -> Report:
    return simulate(new_game(variant, tuple(players)), games, seed=7, order=order, cap=1200)


def test_the_same_seed_plays_the_same_games() -> None:
    game = new_game("classic", ("A", "B"))
    assert simulate(game, 3, seed=5) == simulate(game, 3, seed=5)


def plain_war(seed: int, order: Order, cap: int) -> tuple[int, str | None, int | None]:
    """Classic War in a fixed order, told once more without a referee: rounds, winner, round of the third war.

    Three down and one up, the last card up for who is short, and it stands (E12, E13); nothing but ranks.
    """
    cards = list(cards_in(pack()))
    random.Random(seed).shuffle(cards)
    deal = [card.rank.strength for card in reversed(cards)]
    piles, won, third = (deque(deal[:26]), deque(deal[26:])), [0, 0], None
    for number in range(1, cap + 1):
        laid: tuple[list[int], list[int]] = ([piles[0].popleft()], [piles[1].popleft()])
        war = laid[0][-1] == laid[1][-1]
        while laid[0][-1] == laid[1][-1]:
            if not any(piles):
                return number, "draw", third
            for pile, mine in zip(piles, laid, strict=True):
                mine += [pile.popleft() for _ in range(min(4, len(pile)))]
        winner = int(laid[1][-1] > laid[0][-1])
        won[winner] += war
        third = number if third is None and won[winner] == 3 and war else third
        first = winner if order is Order.WINNER_FIRST else 0
        piles[winner].extend(laid[first] + laid[1 - first])
        if not all(piles):
            return number, "AB"[winner], third
    return cap + 1, None, third


@pytest.mark.parametrize("order", [Order.SEATS, Order.WINNER_FIRST])
def test_the_same_deal_told_without_a_referee_goes_the_same_way(order: Order) -> None:
    """47 % of two-player games in fixed seat order are not over after 5,000 rounds."""
    game, endless = new_game("classic", ("A", "B")), 0
    for seed in range(6):
        played = play(game, random.Random(seed), order, cap=2000)
        rounds, winner, third = plain_war(seed, order, cap=2000)
        endless += winner is None
        assert (played.winner, played.third_war) == (winner, third)
        assert winner is None or played.rounds == rounds
    assert endless < 6 and bool(endless) is (order is Order.SEATS)


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
