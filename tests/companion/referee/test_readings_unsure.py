"""Readings that are hardly readings, and questions that nobody answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.referee import reducer
from companion.referee.codec import read_script, script_game
from companion.referee.events import Question
from companion.referee.view import view
from tests.companion.referee.test_look_reducer_violations import kinds, look, table

ROOT = Path(__file__).parents[3]


def test_a_card_hardly_read_is_asked_about_though_no_other_is_named() -> None:
    _, said = table("classic", look(A=[["6C", 0.4]], B=["7H"]))
    assert [(one["ruling"], one["about"], one["choices"]) for one in said] == [("question", "A", ["6C"])]
    _, said = table("classic", look(A=[["6C", 0.4]], B=["7H"]), {"answer": 1, "choice": "8C"})
    assert [(one["ruling"], one["winner"]) for one in said[1:]] == [("battle_won", "A")]


@pytest.mark.parametrize("p", [0.7, 0.75, 0.9])
def test_a_card_read_well_enough_needs_no_other_named(p: float) -> None:
    _, said = table("classic", look(A=[["6C", p]], B=["7H"]))
    assert kinds(said) == ["battle_won"]


def test_where_the_table_was_cleared_after_one_card_each_nobody_saw_a_tie() -> None:
    doubtful = look(A=[["6H", 0.7, [["9H", 0.29]]]], B=["6C"])
    state, said = table("classic", doubtful, look(), look(A=["KH"], B=["2C"]))
    assert kinds(said) == ["question", "battle_won", "battle_won"]
    nine, king = said[1:]
    assert (nine["winner"], nine["assumed"], nine["faces"]["A"]) == ("A", ["reading"], ["9H"])
    assert (king["winner"], king["assumed"]) == ("A", [])
    assert view(state).counts == {"A": 28, "B": 24}


def test_where_war_cards_were_laid_on_it_was_a_tie() -> None:
    doubtful = look(A=[["6H", 0.7, [["9H", 0.29]]]], B=["6C"])
    _, said = table("classic", doubtful, look(A=["KH"], B=["2C"]))
    assert kinds(said) == ["question", "war_declared", "battle_won"]


def test_two_suits_read_differently_a_moment_later_are_no_second_round() -> None:
    state, said = table("classic", look(A=["KS"], B=["9H"]), look(A=["KC"], B=["9D"]), look())
    assert kinds(said) == ["battle_won"] and view(state).counts == {"A": 27, "B": 25}
    _, said = table("classic", look(A=["KS"], B=["9H"]), look(A=["KC"]), look(A=["KC"], B=["5S"]))
    assert [one["round"] for one in said] == [1, 2]


def test_equal_ranks_after_a_cleared_table_are_the_next_round() -> None:
    _, said = table("classic", look(A=["KS"], B=["9H"]), look(), look(A=["KC"], B=["9D"]))
    assert [one["round"] for one in said] == [1, 2]


def test_what_is_known_of_the_piles_is_trusted_less_where_readings_contradicted_it() -> None:
    """A game in which three faces of ten were read in doubt: a likelier two is not silently ruled a six."""
    script = read_script((ROOT / "tests" / "cases_table" / "doubtful_steal_war.looks").read_text("utf-8").splitlines())
    _, said = reducer.fold(script_game(script), script.inputs)
    last = said[-1].ruling
    assert isinstance(last, Question) and (last.about, last.choices) == ("Ana", ("6S", "2C"))
