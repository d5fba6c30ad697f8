"""A family sees that two cards tie and fights on, though the program has asked which card one of them is."""

from __future__ import annotations

from typing import Any

import pytest

from companion.referee import reducer
from companion.referee.codec import read_script, ruling_to_json, script_game

GAME = '{"game": {"variant": "classic", "players": ["Ana", "Ben"]}}'
ASKED = '{"at": 2, "faces": {"Ana": [["9D", 0.98, [["10D", 0.009], ["8D", 0.006]]]], "Ben": ["9C"]}}'


def ruled(*lines: str) -> list[dict[str, Any]]:
    script = read_script([GAME, *lines])
    return [ruling_to_json(one) for one in reducer.fold(script_game(script), script.inputs)[1]]


def test_a_question_offers_at_least_two_answers() -> None:
    (question,) = ruled(ASKED)
    assert (question["ruling"], question["about"], question["choices"]) == ("question", "Ana", ["9D", "10D"])


@pytest.mark.parametrize(
    "war",
    [
        '{"at": 6, "faces": {"Ana": ["9D", "KS"], "Ben": ["9C", "3H"]}}',
        '{"at": 6, "faces": {"Ana": ["KS"], "Ben": ["3H"]}}',
    ],
)
def test_cards_laid_on_a_tie_that_was_asked_about_are_its_war(war: str) -> None:
    question, tie, won = ruled(ASKED, war)
    assert (question["ruling"], tie["ruling"], tie["rank"]) == ("question", "war_declared", "9")
    assert (won["ruling"], won["winner"], won["pot"]) == ("battle_won", "Ana", 10)


def test_one_card_more_is_no_answer() -> None:
    said = ruled(ASKED, ASKED.replace('"9C"', '"9C", "3H"'))
    assert "war_declared" not in [one["ruling"] for one in said]


def test_a_better_reading_is_the_same_card() -> None:
    said = ruled(ASKED, '{"at": 6, "faces": {"Ana": ["9D"], "Ben": ["9C"]}}')
    assert [one["ruling"] for one in said] == ["question", "war_declared"]
    assert not said[1].get("assumed")
