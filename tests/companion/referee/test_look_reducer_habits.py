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


# --- cards of the round before that lie there still, or again -----------------------------------------


def test_cards_picked_up_after_the_verdict_and_put_back_are_no_second_round() -> None:
    both = look(A=["KS"], B=["9H"])
    state, said = table("classic", both, look(), both, look(), look(A=["2S"], B=["3H"]))
    assert won(said) == ["A", "B"] and notices(said) == [] and view(state).counts == {"A": 26, "B": 26}


def test_the_winners_card_alone_that_was_put_back_is_not_turned_again() -> None:
    looks = (look(A=["KS"], B=["9H"]), look(), look(A=["KS"]), look(), look(A=["2S"], B=["3H"]))
    assert won(table("classic", *looks)[1]) == ["A", "B"]


def test_a_card_that_can_be_turned_again_is_no_card_put_back() -> None:
    looks = (look(A=["KS"], B=["9H"]), look(), look(A=["KS"]), look(A=["KS"], B=["7H"]))
    state, said = table("classic", *looks, counts={"A": 1, "B": 3})
    assert won(said) == ["A", "A"] and view(state).counts == {"A": 3, "B": 1}


def test_the_next_round_is_judged_beside_cards_that_nobody_collected() -> None:
    looks = (look(A=["KS"], B=["9H"]), look(A=["KS", "3S"], B=["9H"]), look(A=["KS", "3S"], B=["9H", "5D"]))
    state, said = table("classic", *looks, look(), look(A=["2S"], B=["4H"]))
    assert won(said) == ["A", "B", "B"] and view(state).counts == {"A": 25, "B": 27}
    assert [one.get("kind") for one in said if one["ruling"] != "battle_won"] == ["early_card", "heap"]


def test_a_war_is_fought_beside_cards_that_nobody_collected() -> None:
    looks = (look(A=["KS"], B=["9H"]), look(A=["KS", "3S"], B=["9H", "3D"]), look(A=["KS", "7S"], B=["9H", "8D"]))
    _, said = table("classic", *looks)
    assert won(said) == ["A", "B"] and said[-1]["faces"] == {"A": ["3S", "7S"], "B": ["3D", "8D"]}


def test_laying_beside_uncollected_cards_is_said_once_in_a_game() -> None:
    first = (look(A=["KS"], B=["9H"]), look(A=["KS", "3S"], B=["9H"]), look(A=["KS", "3S"], B=["9H", "5D"]), look())
    again = (look(A=["QS"], B=["8H"]), look(A=["QS"], B=["8H", "6D"]), look(A=["QS", "7S"], B=["8H", "6D"]))
    _, said = table("classic", *first, *again)
    assert [one["kind"] for one in said if one["ruling"] == "violation"] == ["early_card"]


def test_the_next_card_beside_won_ones_with_their_winner_is_not_too_early() -> None:
    looks = (look(A=["KS"], B=["9H"]), look(A=["KS"]), look(A=["KS"], B=["5D"]), look(A=["KS", "3S"], B=["5D"]))
    _, said = table("classic", *looks)
    assert won(said) == ["A", "B"] and [one["kind"] for one in said if one["ruling"] != "battle_won"] == ["heap"]


def test_a_card_in_the_place_of_one_that_was_collected_is_no_new_reading_of_it() -> None:
    looks = (look(A=["8C"], B=["9S"]), look(B=["9S"]), look(A=["AC"], B=["9S"]), look(A=["AC"], B=["9S", "7C"]))
    _, said = table("classic", *looks)
    assert won(said) == ["B", "A"] and kinds(said) == ["battle_won", "notice", "battle_won"]


# --- cards taken back --------------------------------------------------------------------------------


def test_a_tie_with_a_card_that_was_taken_back_is_no_war() -> None:
    looks = (look(B=["7C"]), look(), look(A=["7S"]), look(A=["7S"], B=["6D"]))
    _, said = table("classic", *looks)
    assert won(said) == ["A"] and "war_declared" not in kinds(said)


def test_a_tied_card_that_lies_there_again_is_a_war() -> None:
    looks = (look(B=["7C"]), look(), look(A=["7S"]), look(A=["7S"], B=["7C"]))
    assert kinds(table("classic", *looks)[1]) == ["war_declared"]


def test_a_card_exchanged_after_the_verdict_is_noticed_and_is_nobodys_early_card() -> None:
    looks = (look(B=["4H"]), look(A=["KC"]), look(A=["KC"], B=["JD"]), look(), look(A=["2S"], B=["4H"]))
    state, said = table("classic", *looks)
    assert won(said) == ["A", "B"] and notices(said) == [("exchanged", "B")]
    assert view(state).counts == {"A": 26, "B": 26}


def test_an_exchange_that_changes_the_winner_is_asked_about() -> None:
    looks = (look(B=["10H"]), look(A=["9H"]), look(A=["9H"], B=["6S"]))
    _, said = table("classic", *looks)
    assert [(one["ruling"], one.get("choices")) for one in said] == [
        ("battle_won", None),
        ("question", ["10H", "6S"]),
    ]
    state, _ = table("classic", *looks, {"answer": 2, "choice": "6S"})
    assert view(state).verdict.winner == "A"


# --- war cards laid face up, one by one ----------------------------------------------------------------


def test_war_cards_laid_face_up_one_by_one_are_no_fourth_cards() -> None:
    tie = look(A=["8S"], B=["8H"])
    steps = [look(A=["8S", "2D", "5D", "6C", "AC"][:n], B=["8H"]) for n in (2, 3, 4, 5)]
    state, said = table("classic", tie, *steps, look(A=["8S", "2D", "5D", "6C", "AC"], B=["8H", "KC"]))
    assert won(said) == ["A"] and said[-1]["faces"] == {"A": ["8S", "AC"], "B": ["8H", "KC"]}
    assert notices(said) == [("face_up", "A")] and view(state).counts == {"A": 31, "B": 21}


def test_a_war_that_was_ruled_by_the_first_of_them_is_asked_about() -> None:
    tie, all_ = look(A=["8S"], B=["8H"]), ["8S", "2D", "5D", "6C", "AC"]
    looks = (tie, look(A=["8S"], B=["8H", "KC"]), look(A=all_[:2], B=["8H", "KC"]), look(A=all_, B=["8H", "KC"]))
    _, said = table("classic", *looks)
    assert won(said) == ["B"] and said[-1]["why"] == "reread" and said[-1]["choices"] == ["2D", "AC"]
    state, _ = table("classic", *looks, {"answer": said[-1]["seq"], "choice": "AC"})
    assert view(state).verdict.winner == "A"


def test_a_war_of_ten_laid_face_up_is_fought_by_the_last() -> None:
    down = ["2D", "3D", "4D", "5D", "6D", "7D", "9D", "10D", "JD"]
    looks = (look(A=["KS"], B=["KH"]), look(A=["KS", *down, "AC"], B=["KH", "QC"]))
    _, said = table("razboi", *looks, {"answer": 2, "choice": "2D"})
    assert won(said) == ["A"] and said[-1]["faces"] == {"A": ["KS", "AC"], "B": ["KH", "QC"]}


# --- who took what, and who has how many ---------------------------------------------------------------


def test_a_wrong_taker_stops_no_round_once_the_table_is_cleared() -> None:
    looks = (look(A=["KS"], B=["9H"]), look(B=["KS", "9H"]), look(), look(B=["5H"]), look(A=["3S"], B=["5H"]))
    _, said = table("classic", *looks)
    assert won(said) == ["A", "B"] and [one.get("kind") for one in said] == [None, "wrong_taker", None]


def test_a_card_over_the_border_says_nothing_of_its_owner_before_all_have_laid() -> None:
    begun = (look(A=["KS"], B=["9H"]), look(), look(A=["2S"], B=["3H"]), look())
    _, said = table("classic", *begun, look(B=["KS"]), look(A=["KS"]), look(A=["KS"], B=["7H"]))
    assert won(said) == ["A", "B", "A"] and kinds(said) == ["battle_won"] * 3


def test_a_won_card_left_face_up_where_its_winner_plays_is_no_new_card() -> None:
    """Ana's pile is no longer known, and a card she has just won lies there: forty others come before it."""
    strange = (look(A=["KS"], B=["AS"]), look(), look(A=["KS"], B=["3D"]), look())
    looks = (look(A=["5H"], B=["2H"]), look(A=["2H"], B=["JH"]), look(A=["2H", "KC"], B=["JH"]))
    _, said = table("classic", *strange, *looks, counts={"A": 39, "B": 13})
    assert won(said) == ["B", "A", "A", "A"] and said[-1]["faces"] == {"A": ["KC"], "B": ["JH"]}


def test_war_cards_put_back_in_arnesons_game_are_no_new_battle_though_both_took_cards() -> None:
    looks = (look(A=["5S"], B=["5H"]), look(A=["2H"], B=["5C"]), look(), look(A=["2H"], B=["5C"]), look())
    _, said = table("arneson", *looks, counts={"A": 4, "B": 6})
    assert won(said) == ["B"]


def test_a_war_card_laid_face_up_that_ties_with_the_other_players_is_asked_about() -> None:
    """One down, one up: Ana lays jack and ten, both face up. Did the jack fight Cai's jack, or the ten?"""
    looks = (look(A=["KS"], B=["7D"], C=["KH"]), look(A=["KS", "JD"], B=["7D"], C=["KH"]))
    last = look(A=["KS", "JD", "10D"], B=["7D", "3S"], C=["KH", "JS"])
    _, said = table("multi", *looks, last, players="ABC")
    asked = [(one["about"], one["choices"]) for one in said if one["ruling"] == "question"]
    assert asked == [("A", ["JD", "10D"])] and ("face_up", "A") in notices(said)
