"""Every worked case through the path of `warref replay`: the text of a script, folded."""

from __future__ import annotations

import pytest

from companion import referee
from companion.script import read_script, script_game
from tests.companion.cases import CASES, Json, as_json, check_round, round_game, round_lines, script_text

ROUNDS = CASES["round_cases"]


def replay(lines: list[str]) -> tuple[referee.State, list[Json]]:
    script = read_script(lines)
    state, ruled = referee.fold(script_game(script), script.inputs)
    return state, as_json(ruled)


@pytest.mark.parametrize("case", ROUNDS, ids=[case["id"] for case in ROUNDS])
def test_round(case: Json) -> None:
    state, said = replay(script_text(round_game(case), list(round_lines(case))))
    check_round(case, said, state)
