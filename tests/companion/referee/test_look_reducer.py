"""How looks become rounds, point by point as in INTERFACES (a) to (f); what a camera and a person may send."""

from __future__ import annotations

from companion.referee.view import GamePhase, view
from tests.companion.cases import Json, of
from tests.companion.referee.test_look_reducer_violations import kinds, look, table


def backs(seen: Json, **numbers: int) -> Json:
    return {**seen, "backs": numbers}


def unmoved(seen: Json, *players: str) -> Json:
    return {**seen, "unmoved": list(players)}


EMPTY = look()


# --- (a) until the verdict ----------------------------------------------------------------------------


def test_a_face_once_shown_stays_in_play() -> None:
    _, said = table("classic", look(A=["KS"]), EMPTY, look(B=["9H"]))
    assert [(one["ruling"], one["winner"]) for one in said] == [("battle_won", "A")]


def test_before_a_tie_the_likelier_reading_stands() -> None:
    _, said = table("classic", look(A=[["9H", 0.6, [["6H", 0.35]]]]), look(A=[["6H", 0.995]], B=["7C"]))
    assert kinds(said) == ["shown", "battle_won"]
    assert (said[1]["winner"], said[1]["faces"]) == ("B", {"A": ["6H"], "B": ["7C"]})


def test_a_less_likely_reading_changes_nothing() -> None:
    _, said = table("classic", look(A=[["9H", 0.995]]), look(A=[["6H", 0.6]], B=["7C"]))
    assert [one["winner"] for one in said] == ["A"]


def test_a_better_reading_of_the_same_card_ends_the_question() -> None:
    doubtful, sure = [["6C", 0.5, [["9C", 0.48]]]], [["6C", 0.995, [["9C", 0.004]]]]
    state, said = table("classic", look(A=doubtful, B=["7H"]), look(A=sure, B=["7H"]))
    assert kinds(said) == ["question", "battle_won"]
    assert view(state).questions == ()


def test_a_face_that_is_as_good_as_unread_is_asked_about_though_all_that_is_named_wins() -> None:
    unread = [["9C", 0.22, [["AC", 0.11], ["8C", 0.1]]]]
    _, said = table("multi", look(A=["5C"], B=unread, C=["3C"]), players="ABC")
    assert [(one["ruling"], one["about"]) for one in said] == [("question", "B")]
    named = [["9C", 0.7, [["AC", 0.15], ["8C", 0.1]]]]
    assert kinds(table("multi", look(A=["5C"], B=named, C=["3C"]), players="ABC")[1]) == ["battle_won"]


def test_in_a_war_another_code_over_the_tied_card_is_the_next_card() -> None:
    war = look(A=["8S"], B=["8H"])
    _, said = table("classic", war, look(A=["KC"], B=["8H"]), look(A=["KC"], B=["3D"]))
    assert kinds(said) == ["war_declared", "battle_won"]
    assert said[1]["faces"] == {"A": ["8S", "KC"], "B": ["8H", "3D"]}


def test_each_may_lay_in_a_look_of_his_own() -> None:
    war = look(A=["8S"], B=["8H"])
    state, said = table("classic", war, look(A=["8S", "KC"], B=["8H"]))
    assert kinds(said) == ["war_declared"]
    assert view(state).waiting == ("B",)


def test_where_nothing_moved_another_code_is_a_rereading() -> None:
    war = look(A=["8S"], B=["8H"])
    state, said = table("classic", war, unmoved(look(A=["3S"], B=["8H"]), "A", "B"))
    assert kinds(said) == ["war_declared", "question"]
    assert (said[1]["about"], said[1]["choices"]) == ("A", ["8S", "3S"])
    assert view(state).faces["A"][-1].card.code == "8S"


def test_where_nothing_moved_another_suit_is_taken_quietly() -> None:
    war = look(A=["8S"], B=["8H"])
    state, said = table("classic", war, unmoved(look(A=["8C"], B=["8H"]), "A", "B"))
    assert kinds(said) == ["war_declared"]
    assert view(state).faces["A"][-1].card.code == "8C"
    assert view(state).waiting == ("A", "B")


def test_a_plausible_alternative_of_the_tied_card_is_a_rereading() -> None:
    war = look(A=[["8S", 0.85, [["8C", 0.14]]]], B=["8H"])
    state, said = table("classic", war, look(A=["8C"], B=["8H"]))
    assert kinds(said) == ["war_declared"]
    assert view(state).waiting == ("A", "B")


def test_an_unlikely_alternative_is_the_next_card() -> None:
    war = look(A=[["8S", 0.95, [["8C", 0.04]]]], B=["8H"])
    state, _ = table("classic", war, look(A=["8C"], B=["8H"]))
    assert view(state).waiting == ("B",)


def test_the_answer_to_a_rereading_counts_from_the_first_look_on() -> None:
    lines = (look(A=["8S"], B=["8H"]), unmoved(look(A=["3S"], B=["8H"]), "A", "B"))
    state, said = table("classic", *lines, {"answer": 2, "choice": "3S"})
    assert kinds(said)[:2] == ["war_declared", "question"]
    assert [one["winner"] for one in of(said, "battle_won")] == ["B"]
    assert view(state).counts == {"A": 25, "B": 27}
    state, said = table("classic", *lines, {"answer": 2, "choice": "8S"})
    assert view(state).phase is GamePhase.WAR
    assert not of(said, "battle_won")


# --- (b) who must lay ---------------------------------------------------------------------------------


def test_nobody_without_cards_is_waited_for() -> None:
    state, said = table("multi", look(A=["QS"], B=["7H"]), players="ABC", counts={"A": 30, "B": 21, "C": 0})
    assert kinds(said) == ["battle_won"]
    assert view(state).players == ("A", "B")


def test_a_face_of_one_who_must_not_lay_is_early_and_stays_out() -> None:
    war = look(A=["JS"], B=["JH"], C=["5D"])
    more = look(A=["JS", "3S"], B=["JH", "4S"], C=["5D", "AC"])
    _, said = table("multi", war, more, players="ABC", set={"war_part": "tied"})
    assert kinds(said) == ["war_declared", "battle_won", "violation"]
    assert (said[2]["kind"], said[2]["player"], said[2]["holds"]) == ("early_card", "C", False)
    assert said[1]["faces"]["C"] == ["5D"]
    assert said[1]["pot"] == 7


def test_an_early_card_is_said_once() -> None:
    war = look(A=["JS"], B=["JH"], C=["5D"])
    early = look(A=["JS"], B=["JH"], C=["5D", "AC"])
    _, said = table("multi", war, early, early, players="ABC", set={"war_part": "tied"})
    assert kinds(said) == ["war_declared", "violation"]


# --- (c) after the verdict ----------------------------------------------------------------------------

WON = look(A=["KS"], B=["9H"])


def test_settled_faces_change_nothing() -> None:
    _, said = table("classic", WON, WON, look(A=["KS"]), look(B=["9H"]))
    assert kinds(said) == ["battle_won"]


def test_cleared_table_then_the_next_round() -> None:
    _, said = table("classic", WON, EMPTY, look(A=["2S"], B=["3H"]))
    assert [(one["round"], one["winner"]) for one in said] == [(1, "A"), (2, "B")]


def test_without_clearing_all_new_cards_are_the_next_round() -> None:
    _, said = table("classic", WON, look(A=["2S"], B=["3H"]))
    assert [(one["round"], one["winner"]) for one in said] == [(1, "A"), (2, "B")]


def test_new_faces_beside_settled_ones_are_early_and_count_later() -> None:
    _, said = table("classic", WON, look(A=["KS"], B=["9H", "3H"]), look(B=["3H"]), look(A=["2S"], B=["3H"]))
    assert kinds(said) == ["battle_won", "violation", "battle_won"]
    assert (said[1]["kind"], said[1]["player"], said[1]["cards"]) == ("early_card", "B", ["3H"])
    assert (said[2]["round"], said[2]["winner"]) == (2, "B")


def test_a_rereading_that_would_change_the_verdict_is_asked_about() -> None:
    state, said = table("classic", look(A=["9H"], B=["7C"]), look(A=["6H"], B=["7C"]))
    assert kinds(said) == ["battle_won", "question"]
    assert (said[1]["about"], said[1]["choices"]) == ("A", ["9H", "6H"])
    assert view(state).counts == {"A": 27, "B": 25}


def test_a_rereading_that_changes_nothing_is_quiet() -> None:
    _, said = table("classic", look(A=["9H"], B=["7C"]), look(A=["9D"], B=["7C"]), EMPTY)
    assert kinds(said) == ["battle_won"]


def test_the_answer_to_a_verdict_in_doubt_is_the_verdict() -> None:
    lines = (look(A=["9H"], B=["7C"]), look(A=["6H"], B=["7C"]))
    state, _ = table("classic", *lines, {"answer": 2, "choice": "6H"})
    assert view(state).counts == {"A": 25, "B": 27}
    state, _ = table("classic", *lines, {"answer": 2, "choice": "9H"})
    assert view(state).counts == {"A": 27, "B": 25}
    assert view(state).questions == ()


def test_an_unanswered_question_about_a_verdict_ends_with_the_round() -> None:
    state, said = table("classic", look(A=["9H"], B=["7C"]), look(A=["6H"], B=["7C"]), EMPTY, look(A=["KS"], B=["9S"]))
    assert kinds(said) == ["battle_won", "question", "battle_won"]
    assert view(state).questions == ()


def test_picking_up_is_not_a_new_round() -> None:
    _, said = table("classic", WON, look(A=["KS", "9H"]), look(A=["9H"]), EMPTY)
    assert kinds(said) == ["battle_won"]


def test_a_wrong_taker_holds_until_put_right() -> None:
    wrong = look(B=["9H", "KS"])
    state, said = table("classic", WON, wrong, wrong, EMPTY)
    assert kinds(said) == ["battle_won", "violation"]
    assert view(state).phase is GamePhase.HELD
    state, said = table("classic", WON, wrong, look(A=["KS", "9H"]), EMPTY, look(A=["2S"], B=["3H"]))
    assert kinds(said) == ["battle_won", "violation", "battle_won"]


def test_a_complete_new_look_ends_a_hold() -> None:
    _, said = table("classic", WON, look(B=["9H", "KS"]), EMPTY, look(B=["3H"]), look(A=["2S"], B=["3H"]))
    assert kinds(said) == ["battle_won", "violation", "battle_won"]
    assert said[2]["round"] == 2


def test_undoing_the_look_ends_a_hold() -> None:
    state, _ = table("classic", WON, look(B=["9H", "KS"]), {"undo": 2})
    assert view(state).held is None


# --- (d) the end, and two faces at once -----------------------------------------------------------------


def test_after_the_end_looks_change_nothing() -> None:
    """Where everybody lays on all the same, the counts are asked for; nothing else follows."""
    state, said = table("classic", WON, EMPTY, look(A=["2S"]), look(A=["2S"], B=["3H"]), counts={"A": 51, "B": 1})
    assert kinds(said) == ["battle_won", "player_out", "game_over", "notice"]
    assert said[-1]["kind"] == "count_now" and view(state).counts == {"A": 52, "B": 0}


def test_two_faces_first_seen_at_once_in_the_order_that_needs_both() -> None:
    war = look(A=["5S"], B=["5H"])
    both = look(A=["KH", "9C"], B=["9D", "3S"])
    _, said = table("classic", war, both)
    assert kinds(said) == ["war_declared", "war_declared", "battle_won"]
    assert said[2]["faces"] == {"A": ["5S", "9C", "KH"], "B": ["5H", "9D", "3S"]}


def test_the_order_of_two_faces_is_asked_only_where_it_matters() -> None:
    war = look(A=["5S"], B=["5H"])
    _, said = table("classic", war, look(A=["KH", "QC"], B=["3S"]))
    assert kinds(said) == ["war_declared", "battle_won", "violation"]
    state, said = table("classic", war, look(A=["KH", "4C"], B=["9S"]))
    assert kinds(said) == ["war_declared", "question"]
    assert (said[1]["about"], said[1]["choices"]) == ("A", ["KH", "4C"])
    assert view(state).phase is GamePhase.QUESTION


def test_the_answer_to_an_order() -> None:
    lines = (look(A=["5S"], B=["5H"]), look(A=["KH", "4C"], B=["9S"]))
    for first, winner in (("KH", "A"), ("4C", "B")):
        _, said = table("classic", *lines, {"answer": 2, "choice": first})
        assert [one["winner"] for one in of(said, "battle_won")] == [winner]


def test_two_faces_wait_for_the_other_player() -> None:
    war = look(A=["5S"], B=["5H"])
    state, said = table("classic", war, look(A=["KH", "9C"], B=["5H"]))
    assert kinds(said) == ["war_declared"]
    assert view(state).waiting == ("A", "B")


# --- (e) clashes --------------------------------------------------------------------------------------


def test_too_many_cards_is_put_right_by_taking_one_back() -> None:
    crowd = look(A=["KS", "4D"], B=["9H"])
    _, said = table("classic", crowd, crowd, look(A=["4D"], B=["9H"]))
    assert kinds(said) == ["violation", "battle_won"]
    assert said[1]["winner"] == "B"


def test_a_card_swapped_after_too_many_is_asked_about() -> None:
    crowd = look(A=["4D", "KS"], B=["9H"])
    _, said = table("classic", look(A=["4D"]), crowd, look(A=["KS"], B=["9H"]))
    assert kinds(said) == ["violation", "question"]
    assert said[1]["choices"] == ["4D", "KS"]
    _, said = table("classic", look(A=["4D"]), crowd, look(A=["KS"], B=["9H"]), {"answer": 2, "choice": "4D"})
    assert [one["winner"] for one in of(said, "battle_won")] == ["B"]


def test_two_jokers_are_no_duplicate() -> None:
    _, said = table("classic", look(A=["JOKER"], B=["JOKER"]), set={"jokers": 2})
    assert [(one["ruling"], one["rank"]) for one in said] == [("war_declared", "joker")]


def test_the_colour_of_a_joker_is_asked_where_it_decides() -> None:
    rules = {"jokers": 2, "joker_tie": "big_beats_little"}
    _, said = table("classic", look(A=["JOKER"], B=["AS"]), set=rules)
    assert kinds(said) == ["battle_won"]
    _, said = table("classic", look(A=["JOKER"], B=["JR"]), set=rules)
    assert [(one["ruling"], one["winner"]) for one in said] == [("battle_won", "B")]
    lines = (look(A=["JOKER"], B=["JOKER"]), {"answer": 1, "choice": "JB"})
    _, said = table("classic", *lines, set=rules)
    assert [one["choices"] for one in of(said, "question")] == [["JR", "JB"]]
    assert [one["winner"] for one in of(said, "battle_won")] == ["B"]


def test_a_card_that_lies_elsewhere_is_a_misread() -> None:
    """6C lies before B already, so A's 6-or-9 of clubs is the nine: no question."""
    _, said = table("classic", look(B=["6C"]), look(A=[["6C", 0.55, [["9C", 0.44]]]], B=["6C"]))
    assert [(one["ruling"], one.get("winner")) for one in said] == [("battle_won", "A")]
    assert said[0]["faces"] == {"A": ["9C"], "B": ["6C"]}


def test_same_card_twice_is_a_violation_where_no_suit_explains_it() -> None:
    sevens = [look(A=["8S"], B=["7S"]), EMPTY, look(A=["8H"], B=["7D"]), EMPTY, look(A=["8D"], B=["7C"]), EMPTY]
    _, said = table("classic", *sevens, look(A=["7H"], B=["7H"]))
    assert kinds(said[3:]) == ["violation", "war_declared"]
    assert (said[3]["kind"], said[3]["player"], said[3]["holds"]) == ("same_card_twice", "B", False)


# --- (f) face-down cards ------------------------------------------------------------------------------

WAR = look(A=["5S"], B=["5H"])
FOUGHT = look(A=["5S", "KC"], B=["5H", "3C"])


def test_exact_backs_that_fit_are_seen() -> None:
    _, said = table("classic", WAR, backs(FOUGHT, A=3, B=3))
    assert (said[1]["seen"], said[1]["assumed"]) == (["faces", "face_down"], [])


def test_what_a_camera_sees_of_backs_stays_assumed() -> None:
    state, said = table("classic", WAR, {**look(A=["5S"], B=["5H"]), "backs_seen": {"A": 2}})
    war = view(state).war
    assert war is not None
    assert (dict(war.seen), dict(war.down), war.size) == ({"A": 2}, {"A": 3, "B": 3}, 3)
    _, said = table("classic", WAR, {**FOUGHT, "backs_seen": {"A": 1, "B": 1}})
    assert (said[1]["winner"], said[1]["seen"], said[1]["assumed"]) == ("A", ["faces"], ["face_down"])


def test_too_few_down_is_put_right_by_laying_them() -> None:
    state, said = table("classic", WAR, backs(FOUGHT, A=2, B=3), FOUGHT)
    assert kinds(said) == ["war_declared", "violation"]
    assert view(state).phase is GamePhase.HELD
    _, said = table("classic", WAR, backs(FOUGHT, A=2, B=3), backs(FOUGHT, A=3, B=3))
    assert kinds(said) == ["war_declared", "violation", "battle_won"]


def test_playing_on_after_too_few_down_rules_by_what_lay_there() -> None:
    _, said = table("classic", WAR, backs(FOUGHT, A=2, B=3), EMPTY, look(A=["2S"], B=["4H"]))
    assert kinds(said) == ["war_declared", "violation", "battle_won", "battle_won"]
    assert [(one["round"], one["winner"]) for one in said[2:]] == [(1, "A"), (2, "B")]


def test_too_many_down_is_said_and_judged() -> None:
    _, said = table("classic", WAR, backs(FOUGHT, A=3, B=4))
    assert kinds(said) == ["war_declared", "violation", "battle_won"]
    assert (said[1]["kind"], said[1]["player"], said[1]["holds"]) == ("too_many_down", "B", False)
    assert (said[2]["pot"], said[2]["counts"]) == (11, {"A": 32, "B": 20})


# --- blindness ----------------------------------------------------------------------------------------

BLIND = {"blind": [1.0, 20.0]}


def test_after_blindness_what_fits_is_ruled() -> None:
    _, said = table("classic", look(A=["KS"]), BLIND, look(A=["KS"], B=["9H"]))
    assert kinds(said) == ["blind", "battle_won"]


def test_after_blindness_another_card_is_asked_about() -> None:
    lines = (look(A=["KS"]), BLIND, look(A=["4D"], B=["9H"]))
    state, said = table("classic", *lines)
    assert kinds(said) == ["blind", "question"]
    assert (said[1]["about"], said[1]["choices"]) == ("A", ["KS", "4D"])
    for choice, winner in (("KS", "A"), ("4D", "B")):
        _, said = table("classic", *lines, {"answer": 2, "choice": choice})
        assert [one["winner"] for one in of(said, "battle_won")] == [winner]


def test_after_blindness_the_old_cards_end_the_question() -> None:
    lines = (look(A=["KS"]), BLIND, look(A=["4D"], B=["9H"]), look(A=["KS"], B=["9H"]))
    state, said = table("classic", *lines)
    assert kinds(said) == ["blind", "question", "battle_won"]
    assert view(state).questions == ()


# --- questions that nobody answers -----------------------------------------------------------------------


def test_the_next_round_is_not_kept_waiting_for_an_answer() -> None:
    doubtful = look(A=[["6C", 0.55, [["9C", 0.44]]]], B=["7H"])
    state, said = table("classic", doubtful, EMPTY, look(A=["KS"], B=["9H"]))
    assert kinds(said) == ["question", "battle_won", "battle_won"]
    assert (said[1]["round"], said[1]["winner"], said[1]["assumed"]) == (1, "B", ["reading"])
    assert (said[2]["round"], said[2]["winner"]) == (2, "A")
    _, said = table("classic", doubtful, EMPTY, look(A=["KS"], B=["9H"]), {"answer": 1, "choice": "9C"})
    assert view(state).questions == ()


def test_a_late_answer_still_counts() -> None:
    doubtful = look(A=[["6C", 0.55, [["9C", 0.44]]]], B=["7H"])
    state, _ = table("classic", doubtful, EMPTY, look(A=["KS"], B=["9H"]), {"answer": 1, "choice": "9C"})
    assert view(state).counts == {"A": 28, "B": 24}


def test_a_correction_is_stronger_than_what_is_read_later() -> None:
    misread, again = look(A=["9H"], B=["7C"]), look(A=["9H"], B=["7C"])
    state, _ = table("classic", misread, {"correct": 1, "faces": {"A": ["6H"]}}, again, again)
    assert view(state).counts == {"A": 25, "B": 27}
    assert view(state).questions == ()


def test_a_card_that_was_never_there_stays_away() -> None:
    ghost = look(A=["KS", "4D"], B=["9H"])
    state, _ = table("classic", ghost, {"correct": 1, "faces": {"A": ["KS"]}}, ghost)
    assert view(state).counts == {"A": 27, "B": 25}
    assert view(state).held is None


def test_who_is_never_seen_is_not_waited_for_for_ever() -> None:
    """By the page C has cards, at the table he has none: the others' rounds are ruled by what was seen."""
    first, second = look(A=["KS"], B=["9H"]), look(A=["2S"], B=["3H"])
    _, said = table("multi", first, EMPTY, second, EMPTY, look(A=["4S"]), players="ABC")
    assert [(one["ruling"], one["winner"], one["assumed"]) for one in said] == [
        ("battle_won", "A", ["players"]),
        ("battle_won", "B", ["players"]),
    ]


def test_a_card_won_may_be_the_next_one() -> None:
    lines = (look(A=["KS"], B=["9H"]), look(A=["9H"], B=["4C"]))
    _, said = table("classic", *lines, counts={"A": 1, "B": 51})
    assert [(one["round"], one["winner"]) for one in of(said, "battle_won")] == [(1, "A"), (2, "A")]


def test_a_tied_card_misread_beside_the_next_one_is_no_second_card() -> None:
    war = look(A=["8S"], B=["8H"])
    _, said = table("classic", war, look(A=[["8C", 0.6], "KC"], B=["8H", "3D"]))
    assert kinds(said) == ["war_declared", "battle_won"]
    assert said[1]["faces"]["A"] == ["8S", "KC"]


def test_a_better_reading_may_bring_the_war_that_is_fought_already() -> None:
    doubtful = look(A=["6C"], B=[["9D", 0.6, [["6D", 0.35]]]])
    _, said = table("classic", doubtful, look(A=["6C", "JS"], B=["6D", "AD"]))
    assert kinds(said) == ["question", "shown", "war_declared", "battle_won"]
    assert said[3]["winner"] == "B"
