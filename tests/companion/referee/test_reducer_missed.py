"""A round that was never seen is entered by hand afterwards, in its place: counts and all that is later follow."""

from __future__ import annotations

import pytest

from companion.referee.codec import input_from_json, input_to_json
from companion.referee.events import Missed
from companion.referee.reducer import Mistake, RefereeError
from companion.referee.view import view
from tests.companion.cases import Json
from tests.companion.referee.test_look_reducer_violations import look, table

FIRST, THIRD = look(A=["KS"], B=["9H"]), look(A=["2S"], B=["3H"])


def missed(after: int, **faces: list[str]) -> Json:
    return {"missed": after, "faces": faces}


def test_a_missed_round_is_written_as_it_is_read() -> None:
    line = {"at": 3.0, "missed": 2, "faces": {"Ana": ["9H"], "Ben": ["6C"]}}
    entry = input_from_json(line)
    assert isinstance(entry, Missed) and input_to_json(entry) == line


def test_a_missed_round_counts_in_its_place_and_what_is_later_follows() -> None:
    state, said = table("classic", FIRST, look(), THIRD, missed(2, A=["QS"], B=["7H"]))
    assert view(state).counts == {"A": 27, "B": 25} and view(state).round == 3
    assert [(one["round"], one["winner"], one["look"]) for one in said[-2:]] == [(2, "A", 2), (3, "B", 3)]


def test_the_place_may_be_any_look_while_the_cards_of_the_round_lay_there() -> None:
    looks = (FIRST, FIRST, look(), THIRD)
    for after in (1, 2):
        state, _ = table("classic", *looks, missed(after, A=["QS"], B=["7H"]))
        assert view(state).counts == {"A": 27, "B": 25}


def test_a_missed_first_round_comes_before_everything() -> None:
    state, said = table("classic", look(), THIRD, missed(0, A=["QS"], B=["7H"]))
    assert view(state).counts == {"A": 26, "B": 26}
    assert [(one["round"], one["winner"]) for one in said[-2:]] == [(1, "A"), (2, "B")]


def test_a_missed_war_is_told_by_the_cards_that_were_turned_up() -> None:
    state, said = table("classic", FIRST, look(), THIRD, missed(2, A=["8S", "KC"], B=["8H", "3D"]))
    won = said[-2]
    assert (won["winner"], won["pot"], won["wars"]) == ("A", 10, 1)
    assert view(state).counts == {"A": 31, "B": 21}


def test_two_missed_rounds_come_in_the_order_told() -> None:
    both = (missed(2, A=["QS"], B=["7H"]), missed(2, A=["4S"], B=["5H"]))
    state, said = table("classic", FIRST, look(), THIRD, *both)
    assert [(one["round"], one["winner"]) for one in said[-2:]] == [(3, "B"), (4, "B")]
    assert view(state).counts == {"A": 26, "B": 26}


def test_a_missed_round_can_be_undone_and_a_correction_reaches_past_it() -> None:
    state, _ = table("classic", FIRST, look(), THIRD, missed(2, A=["QS"], B=["7H"]), {"undo": 4})
    assert view(state).counts == {"A": 26, "B": 26} and view(state).round == 2
    fix = {"correct": 1, "faces": {"B": ["AH"]}}
    state, _ = table("classic", FIRST, look(), THIRD, missed(2, A=["QS"], B=["7H"]), fix)
    assert view(state).counts == {"A": 25, "B": 27}


def test_a_round_lies_between_two_rounds() -> None:
    with pytest.raises(RefereeError) as refused:
        table("classic", look(A=["8S"], B=["8H"]), missed(1, A=["QS"], B=["7H"]))
    assert refused.value.mistake is Mistake.MID_ROUND
    with pytest.raises(RefereeError) as refused:
        table("classic", FIRST, missed(7, A=["QS"], B=["7H"]))
    assert refused.value.mistake is Mistake.NO_SUCH_LINE


def test_the_next_look_after_a_missed_round_that_was_told_last_is_the_next_round() -> None:
    state, said = table("classic", FIRST, missed(1, A=["QS"], B=["7H"]), look(), THIRD)
    assert [one["winner"] for one in said] == ["A", "A", "B"] and view(state).round == 3


def test_who_plays_under_another_name_is_renamed_in_a_missed_round_as_well() -> None:
    state, _ = table("classic", FIRST, look(), THIRD, missed(2, a=["QS"], b=["7H"]), {"swap": ["A", "B"]})
    assert view(state).counts == {"A": 25, "B": 27}
