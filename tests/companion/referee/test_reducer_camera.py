"""A whole game through a camera's looks: without misreadings every verdict is right, with them nearly every one."""

from __future__ import annotations

import random
from difflib import SequenceMatcher

import pytest

from companion.referee import reducer
from companion.referee.events import BattleWon, Input, Question, Violation
from companion.referee.game import Game, new_game
from tests.companion.camera_looks import Camera
from tests.companion.tables import played


def verdicts(game: Game, entries: list[Input]) -> list[tuple[str, int]]:
    won = [one.ruling for one in reducer.fold(game, entries)[1] if isinstance(one.ruling, BattleWon)]
    return [(one.winner, one.pot) for one in won]


def seen(game: Game, entries: list[Input], seed: int, noise: float) -> list[Input]:
    return list(Camera(game.players, random.Random(seed), noise).looks(entries))


@pytest.mark.parametrize(
    ("variant", "players"), [("classic", "AB"), ("multi", "ABC"), ("razboi", "AB"), ("arneson", "AB")]
)
def test_a_sure_camera_rules_every_round_right(variant: str, players: str) -> None:
    game = new_game(variant, tuple(players))
    for seed in range(4):
        entries = played(game, seed, 100)
        looks = seen(game, entries, seed, noise=0.0)
        assert verdicts(game, looks) == verdicts(game, entries)
        said = [one.ruling for one in reducer.fold(game, looks)[1]]
        assert not [one for one in said if isinstance(one, Question | Violation)]


@pytest.mark.parametrize(("variant", "players", "right"), [("classic", "AB", 0.97), ("multi", "ABC", 0.9)])
def test_a_flickering_camera_rules_nearly_every_round_right(variant: str, players: str, right: float) -> None:
    game = new_game(variant, tuple(players))
    found, true, asked = 0, 0, 0
    for seed in range(6):
        entries = played(game, seed, 100)
        looks = seen(game, entries, seed, noise=0.01)
        truth, ruled = verdicts(game, entries), verdicts(game, looks)
        matcher = SequenceMatcher(None, truth, ruled, autojunk=False)
        found += sum(block.size for block in matcher.get_matching_blocks())
        true += len(truth)
        asked += sum(isinstance(one.ruling, Question) for one in reducer.fold(game, looks)[1])
    assert found >= right * true
    assert asked < 0.05 * true
