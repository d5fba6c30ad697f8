"""Habits of a table: open heaps, cards exchanged after being shown, war cards laid face up."""

from __future__ import annotations

import pytest

from companion.referee.events import StealFault
from companion.referee.view import view
from companion.words import speak
from tests.companion.cases import Json
from tests.companion.referee.test_look_reducer_violations import kinds, look, table


def won(said: list[Json]) -> list[str]:
    return [one["winner"] for one in said if one["ruling"] == "battle_won"]


def notices(said: list[Json]) -> list[tuple[str, str]]:
    return [(one["kind"], one.get("player", "")) for one in said if one["ruling"] == "notice"]


def test_won_cards_that_stay_face_up_stop_no_later_round_and_are_mentioned_once() -> None:
    first = (look(A=["KS"], B=["9H"]), look(A=["9H"]), look(A=["9H", "2D"], B=["JH"]), look(A=["9H"], B=[]))
    _, said = table("classic", *first, look(A=["9H", "3D"], B=["4H"]))
    assert won(said) == ["A", "B", "B"] and notices(said) == [("heap", "A")]
    _, said = table("classic", *first, look(A=["9H", "3D"], B=["2H"]), look(A=["9H", "3D", "4S"], B=["5S"]))
    assert won(said) == ["A", "B", "A", "B"] and notices(said) == [("heap", "A")]


def test_a_card_of_a_heap_that_was_turned_over_may_be_played_again() -> None:
    first = (look(A=["KS"], B=["9H"]), look(A=["9H", "2D"], B=["JH"]), look(), look(A=["9H"], B=["8H"]))
    _, said = table("classic", *first)
    assert won(said) == ["A", "B", "A"]


def test_a_shown_card_that_is_exchanged_is_noticed() -> None:
    _, said = table("classic", look(A=["KS"]), look(), look(A=["AS"]), look(A=["AS"], B=["9H"]))
    assert notices(said) == [("exchanged", "A")] and won(said) == ["A"]
    assert "king" in speak("en").ruling(said[1])


def test_war_cards_laid_face_up_are_face_down_cards_and_the_last_one_fights() -> None:
    war = (look(A=["8S"], B=["8H"]), look(A=["8S", "2D", "5D", "6C", "AC"], B=["8H", "KC"]))
    _, said = table("classic", *war)
    assert kinds(said) == ["war_declared", "question", "notice"] and said[1]["why"] == "order"
    state, said = table("classic", *war, {"answer": 2, "choice": "2D"}, look(A=["2D", "5D", "AC"]), look())
    assert won(said) == ["A"] and view(state).counts == {"A": 31, "B": 21}
    assert said[3]["faces"] == {"A": ["8S", "AC"], "B": ["8H", "KC"]}


def test_which_was_the_last_is_not_asked_where_it_does_not_matter() -> None:
    _, said = table("classic", look(A=["8S"], B=["8H"]), look(A=["8S", "2D", "5D", "6C", "QC"], B=["8H", "KC"]))
    assert [(one["ruling"], one.get("kind")) for one in said[1:]] == [("notice", "face_up"), ("battle_won", None)]


def test_who_does_not_fight_in_a_war_takes_the_card_back() -> None:
    looks = (look(A=["JS"], B=["JH"], C=["5D"]), look(A=["JS", "3S"], B=["JH", "4S"], C=["5D", "AC"]))
    _, said = table("multi", *looks, players="ABC", set={"war_part": "tied"})
    assert (said[-1]["kind"], said[-1]["rule"], won(said)) == ("early_card", "war_part", ["B"])
    assert speak("en").ruling(said[-1]).startswith("C does not fight in this war")


def test_a_round_ruled_without_a_card_says_whose_was_not_seen() -> None:
    _, said = table("multi", look(A=["JS"], B=["KH"]), look(), look(A=["2S"], B=["3H"], C=["4D"]), players="ABC")
    assert said[0]["assumed"] == ["players"] and "the card of C" in speak("en").ruling(said[0])


def steal(*lines: Json, **more: object) -> tuple[object, list[Json]]:
    piles = {"A": [], "B": ["6C", "QD"]}
    return table("steal", *lines, counts={"A": 27, "B": 27}, piles=piles, **more)


def test_a_steal_that_came_too_late_does_not_count_and_the_round_is_judged() -> None:
    late = {"steal": {"by": "A", "card": "QS", "from": ["B"]}}
    _, said = steal(look(A=["QS"]), late, look(A=["QS"], B=["3H"]), look())
    assert [(one["ruling"], one.get("rule")) for one in said] == [
        ("violation", "steal_timing"),
        ("battle_won", "higher_card"),
    ]
    assert speak("en").ruling(said[0]).startswith("Too late to steal")


def test_an_illegal_steal_put_right_beside_the_others_card_costs_no_round() -> None:
    wrong = {"steal": {"by": "A", "card": "7H", "from": ["B"]}}
    _, said = steal(look(B=["3H"]), wrong, look(A=["7H"], B=["3H"]), look(), look(A=["5S"], B=["4H"]))
    assert [one["round"] for one in said if one["ruling"] == "battle_won"] == [1, 2]


def test_the_face_down_cards_of_a_thief_who_gives_up_the_war_are_the_winners() -> None:
    thief = {"steal": {"by": "A", "card": "QH", "from": ["B"]}}
    back = {"steal": {"by": "A", "card": "8D", "from": ["B"]}}
    lines = (look(A=["8S"], B=["8H"]), thief, look(), {"top": {"B": "8S"}}, back)
    state, _ = steal(*lines, set={"steal4": "forfeit"})
    assert state.position.counts == {"A": 30, "B": 24}


def test_a_pile_that_is_stolen_straight_back_is_refused_with_that_reason() -> None:
    there, back = ({"steal": {"by": p, "card": c, "from": [o]}} for p, c, o in (("A", "QH", "B"), ("B", "QS", "A")))
    _, said = steal(there, back, set={"steal_back": False})
    assert said[-1]["why"] == "stolen_back" and "straight back" in speak("en").ruling(said[-1])


@pytest.mark.parametrize("fault", StealFault)
def test_every_fault_of_a_steal_has_a_sentence_of_its_own(fault: StealFault) -> None:
    line = {"ruling": "violation", "kind": "illegal_steal", "player": "A", "cards": ["QS"], "rule": "steal"}
    said = {speak("en").ruling({**line, "why": other}) for other in StealFault}
    assert len(said) == len(StealFault) and speak("en").ruling({**line, "why": fault})
