"""A game of thousands of looks is folded, undone and corrected; tests/benchmarks/fold.py says how fast."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from companion.referee import reducer
from companion.referee.cards import Card
from companion.referee.events import Correct, Face, Input, Seen, Undo
from companion.referee.game import new_game
from companion.simulation import simulate
from companion.simulation.dealer import Order

LOOKS = 5000


def long_game() -> list[Input]:
    """The first looks of one game that never ends: where nobody shuffles, about every second one is such."""
    for seed in range(100):
        entries = simulate.history(new_game("classic", ("A", "B")), random.Random(seed), Order.SEATS)
        found = [entry for entry, _, _ in islice(entries, LOOKS)]
        if len(found) == LOOKS:
            return found
    raise AssertionError("every game ended")


@pytest.fixture(scope="module")
def looks() -> list[Input]:
    return long_game()


def fold(looks: list[Input]) -> reducer.State:
    return reducer.fold(new_game("classic", ("A", "B")), looks)[0]


def test_fold_from_nothing(looks: list[Input]) -> None:
    state = fold(looks)
    assert state.looks == LOOKS
    assert state.position.over is None and state.position.round.number > LOOKS / 3


def test_undo_and_correct_in_the_middle(looks: list[Input]) -> None:
    state = fold(looks)
    number = next(n for n in range(LOOKS // 2, LOOKS) if isinstance(looks[n - 1], Seen) and looks[n - 1].faces)
    state, _ = reducer.step(state, Undo(1e6, number))
    state, _ = reducer.step(state, Correct(1e6, number + 2, {"A": (Face(Card.parse("2S")),)}))
    assert state.looks == LOOKS + 2
