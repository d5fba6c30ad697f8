"""Every worked case of tests/cases.yaml, through `referee.step`; the parameter id is the case id."""

from __future__ import annotations

import pytest

from companion.referee import reducer
from companion.referee.cards import deal
from companion.referee.codec import input_from_json
from companion.referee.position import Position
from companion.referee.verdict import won_pile
from tests.companion.cases import (
    CASES,
    Json,
    arneson_game,
    arneson_lines,
    check_arneson,
    check_round,
    check_steal,
    plain,
    play,
    round_game,
    round_lines,
    steal_game,
    steal_lines,
)

ROUNDS = CASES["round_cases"]


def ids(cases: list[Json]) -> list[str]:
    return [case["id"] for case in cases]


@pytest.mark.parametrize("case", ROUNDS, ids=ids(ROUNDS))
def test_round(case: Json) -> None:
    state, said = play(round_game(case), list(round_lines(case)))
    check_round(case, said, state)
    if "bottom" in case:
        assert bottom(state.position, case["winner"]) == [plain(code) for code in case["bottom"]]


def bottom(pos: Position, winner: str) -> list[str]:
    return [card.code for card in won_pile(pos, winner)]


@pytest.mark.parametrize("case", ROUNDS, ids=ids(ROUNDS))
def test_round_without_backs(case: Json) -> None:
    """The camera covers the tied cards and sees no face-down ones: the same verdict, their number assumed."""
    lines = [{"at": line["at"], "faces": {p: f[-1:] for p, f in line["faces"].items()}} for line in round_lines(case)]
    state, said = play(round_game(case), lines)
    check_round(case, said, state)


STEALS = CASES["steal_cases"]


@pytest.mark.parametrize("case", STEALS, ids=ids(STEALS))
def test_steal(case: Json) -> None:
    state, said = play(steal_game(case), steal_lines(case))
    check_steal(case, said, state)


@pytest.mark.parametrize("case", [case for case in STEALS if "illegal" in case], ids=lambda case: case["id"])
def test_steal_is_refused(case: Json) -> None:
    *before, act = steal_lines(case)
    state, _ = play(steal_game(case), before)
    assert not reducer.can(state, input_from_json(act))
    with pytest.raises(reducer.RefereeError, match=case["illegal"]):
        reducer.verify(state, input_from_json(act))


ARNESONS = CASES["arneson_cases"]


@pytest.mark.parametrize("case", ARNESONS, ids=ids(ARNESONS))
def test_arneson(case: Json) -> None:
    state, said = play(arneson_game(case), arneson_lines(case))
    check_arneson(case, said, state)


DEALS = CASES["deal_cases"]


@pytest.mark.parametrize("case", DEALS, ids=ids(DEALS))
def test_deal(case: Json) -> None:
    assert deal(case["players"], case["pack"]) == (case["each"], case["left"])
