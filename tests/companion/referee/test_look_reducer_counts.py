"""Counts can be put right: a pack of 51, a lost card, a player who is out by the count and lays a card."""

from __future__ import annotations

import pytest

from companion.referee.codec import input_from_json, input_to_json
from companion.referee.events import Count
from companion.referee.reducer import Mistake, RefereeError
from companion.referee.view import view
from tests.companion.cases import Json
from tests.companion.referee.test_look_reducer_violations import kinds, look, table


def notices(said: list[Json]) -> list[tuple[str, str]]:
    return [(one["kind"], one.get("player", "")) for one in said if one["ruling"] == "notice"]


def test_a_count_is_written_as_it_is_read() -> None:
    count = input_from_json({"at": 3, "count": {"Ana": 24}})
    assert count == Count(3.0, {"Ana": 24}) and input_to_json(count) == {"at": 3.0, "count": {"Ana": 24}}


def test_who_has_how_many_is_as_people_count_and_everything_later_follows() -> None:
    state, said = table("classic", {"count": {"A": 24, "B": 27}}, look(A=["KS"], B=["9H"]))
    assert said[0]["counts"] == {"A": 24, "B": 27} and said[0]["before"] == {"A": 26, "B": 26}
    now = view(state)
    assert now.counts == {"A": 25, "B": 26} and now.total == 51


def test_one_players_count_leaves_the_others_and_the_cards_on_the_table() -> None:
    state, _ = table("classic", look(A=["8S"], B=["8H"]), {"count": {"a": 20}}, look(A=["KS"], B=["9H"]))
    assert view(state).counts == {"A": 16 + 10, "B": 21}


def test_a_count_can_be_undone() -> None:
    state, _ = table("classic", {"count": {"A": 2}}, {"undo": 1})
    assert view(state).counts == {"A": 26, "B": 26}


def test_more_cards_than_the_pack_has_are_counted_again() -> None:
    with pytest.raises(RefereeError) as refused:
        table("classic", {"count": {"A": 30, "B": 30}})
    assert refused.value.mistake is Mistake.BAD_COUNT


def test_who_is_out_by_the_count_and_lays_a_card_is_asked_about_and_plays_on() -> None:
    counts = {"A": 30, "B": 20, "C": 1}
    first = (look(A=["KS"], B=["QH"], C=["5D"]), look(), look(A=["2S"], B=["3H"], C=["4D"]))
    _, said = table("multi", *first, players="ABC", counts=counts)
    assert kinds(said)[2:] == ["question"] and (said[-1]["why"], said[-1]["about"]) == ("count", "C")
    state, said = table("multi", *first, {"count": {"C": 1}}, players="ABC", counts=counts)
    assert (said[-1]["ruling"], said[-1]["winner"], said[-1]["pot"]) == ("battle_won", "C", 3)
    assert view(state).counts == {"A": 31, "B": 18, "C": 4} and view(state).out == ()


def test_where_nobody_counts_the_round_is_ruled_without_who_is_out() -> None:
    first = (look(A=["KS"], B=["QH"], C=["5D"]), look(), look(A=["2S"], B=["3H"], C=["4D"]), look())
    _, said = table("multi", *first, look(A=["7S"], B=["6H"]), players="ABC", counts={"A": 30, "B": 20, "C": 1})
    assert [(one["winner"], one["assumed"]) for one in said if one["ruling"] == "battle_won"][1:] == [
        ("B", ["reading"]),
        ("A", []),
    ]
    assert notices(said) == [("count_now", "C")]


def test_a_game_that_was_over_by_the_count_goes_on_once_it_is_put_right() -> None:
    looks = (look(A=["9S"], B=["8D"]), look(), look(A=["7S"], B=["5D"]), look(), look(A=["6S"], B=["4D"]))
    state, said = table("classic", *looks, counts={"A": 50, "B": 2})
    assert view(state).over and notices(said) == [("count_now", "B")]
    state, said = table("classic", *looks, {"count": {"A": 50, "B": 1}}, looks[-1], counts={"A": 50, "B": 2})
    assert not view(state).over or view(state).over.winner == "A"
    assert [one["winner"] for one in said if one["ruling"] == "battle_won"] == ["A", "A", "A"]


def test_who_has_none_left_of_a_pack_of_51_is_counted_out() -> None:
    looks = (look(A=["9S"], B=["8D"]), look(), look(A=["7S"]), look(), look(A=["6S"]))
    _, said = table("classic", *looks, counts={"A": 50, "B": 2})
    assert notices(said) == [("count_now", "B")]
    state, said = table("classic", *looks, {"count": {"B": 0}}, counts={"A": 50, "B": 2})
    assert view(state).over and kinds(said)[-1] == "game_over"
