"""A card that moves is one card: nudged, slid, shoved over the middle, before the verdict and in a war."""

from __future__ import annotations

from companion.referee.view import view
from tests.companion.cases import Json
from tests.companion.referee.test_look_reducer_violations import kinds, look, table


def whose(said: list[Json]) -> list[tuple[list[str], str]]:
    return [(one["choices"], one["card"]) for one in said if one.get("why") == "whose"]


def test_a_king_that_slides_over_the_middle_and_back_is_one_king() -> None:
    state, said = table("classic", look(A=["KS"]), look(B=["KS"]), look(A=["KS"]), look(A=["KS"], B=["9H"]))
    assert kinds(said) == ["battle_won"]
    assert said[0]["winner"] == "A" and view(state).counts == {"A": 27, "B": 25}


def test_a_king_that_slid_over_is_still_waited_upon() -> None:
    state, said = table("classic", look(A=["KS"]), look(B=["KS"]))
    assert said == [] and view(state).waiting == ("B",)


def test_beside_a_king_that_slid_over_the_other_card_is_the_other_players() -> None:
    _, said = table("classic", look(A=["KS"]), look(B=["KS"]), look(B=["KS", "9H"]), look(B=["KS", "9H"]))
    assert [(one["ruling"], one["winner"]) for one in said] == [("battle_won", "A")]


def test_whose_is_the_king_is_asked_where_another_card_lies_in_its_place() -> None:
    _, said = table("classic", look(A=["KS"]), look(B=["KS"]), look(A=["5S"], B=["KS"]))
    assert kinds(said) == ["question"] and whose(said) == [(["A", "B"], "KS")]


def test_the_answer_says_whose_the_king_is() -> None:
    looks = (look(A=["KS"]), look(A=["5S"], B=["KS"]))
    for owner, faces in (("A", {"A": ["KS"], "B": ["5S"]}), ("B", {"A": ["5S"], "B": ["KS"]})):
        state, said = table("classic", *looks, {"answer": 1, "choice": owner})
        won = said[-1]
        assert (won["ruling"], won["winner"], won["faces"]) == ("battle_won", owner, faces)
        assert sum(view(state).counts.values()) == 52


def test_a_late_answer_puts_the_round_right_that_was_assumed() -> None:
    looks = (look(A=["KS"]), look(A=["5S"], B=["KS"]), look(), look(A=["6S"], B=["JS"]))
    _, said = table("classic", *looks)
    assert [(one.get("winner"), one.get("assumed")) for one in said[1:]] == [("B", ["reading"]), ("B", [])]
    state, said = table("classic", *looks, {"answer": 1, "choice": "a"})
    assert [one["winner"] for one in said[-2:]] == ["A", "B"]
    assert view(state).counts == {"A": 26, "B": 26}


def test_only_the_owner_is_taken_for_the_owner() -> None:
    """Ben won the king of spades a moment ago and has it at the bottom; Ana owns none of his cards."""
    begun = (look(A=["QS"], B=["KS"]), look())
    _, said = table("classic", *begun, look(A=["KS"]), look(A=["5S"], B=["KS"]), counts={"A": 26, "B": 1})
    assert [one["winner"] for one in said if one["ruling"] == "battle_won"] == ["B", "B"]
    assert whose(said) == []


def test_whose_card_it_is_is_not_asked_where_a_third_card_beats_both() -> None:
    looks = (look(A=["4S"], C=["AH"]), look(A=["5S"], B=["4S"], C=["AH"]))
    _, said = table("multi", *looks, players="ABC")
    assert [(one["ruling"], one["winner"]) for one in said] == [("battle_won", "C")]


def test_a_second_card_of_the_same_code_is_believed_while_both_lie_there() -> None:
    _, said = table("classic", look(A=["7H"]), look(A=["7H"], B=["7H"]))
    assert kinds(said) == ["notice", "war_declared"]


def test_an_unsure_card_that_moves_is_one_card_too() -> None:
    first, there = [["KS", 0.6, [["KC", 0.3]]]], [["KC", 0.7, [["KS", 0.2]]]]
    state, said = table("classic", look(A=first), look(B=there), look(A=first), look(A=first, B=["9H"]))
    assert [(one["ruling"], one["winner"]) for one in said] == [("battle_won", "A")]
    assert view(state).counts == {"A": 27, "B": 25}


def test_a_tied_card_shoved_over_in_a_war_is_no_fourth_card() -> None:
    state, said = table("classic", look(A=["8S"], B=["8H"]), look(B=["8H", "8S"]), look(A=["8H"], B=["8S"]))
    assert kinds(said) == ["war_declared"] and view(state).waiting == ("A", "B")
    _, said = table("classic", look(A=["8S"], B=["8H"]), look(B=["8H", "8S"]), look(A=["QS"], B=["4H"]))
    assert [(one["ruling"], one.get("winner")) for one in said] == [("war_declared", None), ("battle_won", "A")]


def test_a_fourth_card_shoved_over_is_still_its_players() -> None:
    looks = (look(A=["8S"], B=["8H"]), look(A=["QS"], B=["8H"]), look(B=["8H", "QS"]), look(A=["QS"], B=["4H"]))
    _, said = table("classic", *looks)
    assert [(one["ruling"], one.get("winner")) for one in said] == [("war_declared", None), ("battle_won", "A")]


def test_a_won_card_that_lay_in_the_other_place_already_is_not_wrongly_taken() -> None:
    looks = (look(A=["KS"]), look(B=["KS"]), look(B=["KS", "9H"]), look(B=["KS", "9H"]), look())
    _, said = table("classic", *looks, look(A=["3H"], B=["4S"]))
    assert [(one["ruling"], one["winner"]) for one in said] == [("battle_won", "A"), ("battle_won", "B")]


def test_beside_a_tied_card_shoved_over_the_next_card_is_its_owners_fourth() -> None:
    looks = (look(A=["5S"]), look(B=["5S"]), look(B=["5S", "5D"]), look(B=["5S", "5D", "7C"]))
    _, said = table("arneson", *looks, look(A=["7C"], B=["5S", "5D"]), look(A=["7C", "JD"], B=["5S", "5D"]))
    assert [(one["ruling"], one.get("winner"), one.get("faces")) for one in said] == [
        ("war_declared", None, None),
        ("battle_won", "A", {"A": ["5S", "JD"], "B": ["5D", "7C"]}),
    ]


def test_cards_of_three_players_in_one_place_are_three_players_cards() -> None:
    looks = (look(B=["5C"]), look(A=["5C"]), look(A=["5C"], C=["8H"]), look(A=["8H", "5C"]), look(A=["8H", "5C", "5H"]))
    _, said = table("multi", *looks, players="ABC")
    assert [(one["winner"], one["assumed"]) for one in said] == [("C", [])]
    assert said[0]["faces"] == {"A": ["5H"], "B": ["5C"], "C": ["8H"]}
