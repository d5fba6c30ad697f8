"""Every worked case through the path of `warref replay`: the text of a script, folded."""

from __future__ import annotations

import pytest

from companion.referee import reducer
from companion.referee.codec import read_script, script_game
from tests.companion.cases import (
    CASES,
    Json,
    arneson_game,
    arneson_lines,
    as_json,
    check_arneson,
    check_round,
    check_steal,
    round_game,
    round_lines,
    script_text,
    steal_game,
    steal_lines,
)

ROUNDS = CASES["round_cases"]


def replay(lines: list[str]) -> tuple[reducer.State, list[Json]]:
    script = read_script(lines)
    state, ruled = reducer.fold(script_game(script), script.inputs)
    return state, as_json(ruled)


@pytest.mark.parametrize("case", ROUNDS, ids=[case["id"] for case in ROUNDS])
def test_round(case: Json) -> None:
    state, said = replay(script_text(round_game(case), list(round_lines(case))))
    check_round(case, said, state)


STEALS = CASES["steal_cases"]


@pytest.mark.parametrize("case", STEALS, ids=[case["id"] for case in STEALS])
def test_steal(case: Json) -> None:
    state, said = replay(script_text(steal_game(case), steal_lines(case)))
    check_steal(case, said, state)


ARNESONS = CASES["arneson_cases"]


@pytest.mark.parametrize("case", ARNESONS, ids=[case["id"] for case in ARNESONS])
def test_arneson(case: Json) -> None:
    state, said = replay(script_text(arneson_game(case), arneson_lines(case)))
    check_arneson(case, said, state)
