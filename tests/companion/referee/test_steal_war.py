"""Steal War beyond the worked cases: what the camera sees of the piles, thieves in a war, robbed players."""

from __future__ import annotations

from companion.referee.view import GamePhase, view
from tests.companion.cases import of
from tests.companion.referee.test_look_reducer_violations import kinds, look, table

PILES = {"counts": {"A": 20, "B": 24}, "piles": {"A": ["2C"], "B": ["KD", "7C"]}}


def steal(by: str, card: str, *victims: str) -> dict[str, object]:
    return {"steal": {"by": by, "card": card, "from": list(victims)}}


def test_a_steal_is_inferred_from_the_tops() -> None:
    state, said = table("steal", {**look(), "piles": {"A": "7H", "B": None}}, **PILES)
    assert [(one["ruling"], one["by"], one["card"], one["from"]) for one in said] == [("steal", "A", "7H", ["B"])]
    assert [card.code for card in state.position.piles["A"]] == ["2C", "KD", "7C", "7H"]


def test_a_pile_that_a_war_needs_is_shuffled_before_its_cards_are_laid() -> None:
    piles = {"counts": {"A": 7, "B": 24}, "piles": {"A": ["4C", "9D", "KS", "5H"], "B": ["7C"]}}
    tie = look(A=["8S"], B=["8H"])
    state, _ = table("steal", tie, {**tie, "piles": {"A": None, "B": "7C"}}, **piles)
    assert view(state).split["A"] == {"pile": 6, "face_up": 0}
    state, _ = table("steal", {**look(), "piles": {"A": None, "B": "7C"}}, **piles)
    assert view(state).split["A"] == {"pile": 3, "face_up": 4}, "three cards to play from: no need to shuffle"


def test_piles_seen_while_a_question_is_open_wait_for_the_answer() -> None:
    tie = look(A=["8S"], B=[["8H", 0.6, [["6H", 0.4]]]])
    moved = {**tie, "piles": {"A": "7H", "B": None}}
    _, said = table("steal", tie, moved, {"answer": 1, "choice": "8H"}, moved, **PILES)
    assert kinds(said) == ["question", "war_declared", "steal"]


def test_tops_as_known_say_nothing() -> None:
    _, said = table("steal", {**look(), "piles": {"A": "2C", "B": "7C"}}, **PILES)
    assert said == []


def test_the_top_is_learnt_from_the_camera() -> None:
    lines = (look(A=["9S"], B=["4H"]), {**look(), "piles": {"A": "4H", "B": None}}, steal("B", "4D", "A"))
    state, said = table("steal", *lines)
    assert kinds(said) == ["battle_won", "steal"]
    assert said[1]["assumed"] == []


def test_a_steal_from_a_top_nobody_told_is_assumed() -> None:
    won = look(A=["9S"], B=["4H"])
    state, said = table("steal", won, look(), steal("B", "4D", "A"))
    assert said[1]["assumed"] == ["top"]
    assert [card.code for card in state.position.piles["B"]] == ["9S", "4H", "4D"]


def test_the_thiefs_card_on_its_way_is_no_won_card() -> None:
    tie, war = look(A=["8S"], B=["8H"]), look(A=["8S", "KC"], B=["8H", "3C"])
    reached, taken = {**look(), "piles": {"A": "5H", "B": None}}, {**look(), "piles": {"A": None, "B": "5H"}}
    state, said = table("steal", tie, war, look(), reached, taken)
    assert kinds(said) == ["war_declared", "battle_won", "steal"]
    assert (said[2]["by"], said[2]["card"], said[2]["assumed"]) == ("B", "5H", ["top"])
    pile = [card.code for card in state.position.piles["B"]]
    assert (len(pile), pile.count("5H")) == (11, 1)
    assert view(state).counts == {"A": 22, "B": 32}


def test_a_steal_that_no_top_can_match_is_illegal() -> None:
    won = look(A=["9S"], B=["4H"])
    state, said = table("steal", won, look(), steal("B", "KD", "A"))
    assert kinds(said) == ["battle_won", "violation"]
    assert view(state).phase is GamePhase.HELD
    assert view(state).counts == {"A": 28, "B": 26}


def test_an_illegal_steal_ends_with_piles_as_they_were_or_the_next_round() -> None:
    wrong = steal("A", "QH", "B")
    state, _ = table("steal", wrong, {**look(), "piles": {"A": "2C", "B": "7C"}}, **PILES)
    assert view(state).held is None
    state, said = table("steal", wrong, look(A=["QH"]), look(A=["QH"], B=["3D"]), **PILES)
    assert kinds(said) == ["violation", "battle_won"]
    state, _ = table("steal", wrong, {"undo": 1}, **PILES)
    assert view(state).held is None


def test_what_the_house_makes_equal_steals_too() -> None:
    """E22 asks for the same value, and E30 gives all pictures the value ten."""
    pictures = {"counts": {"A": 20, "B": 24}, "piles": {"B": ["2C", "KD"]}}
    _, said = table("steal", steal("A", "JH", "B"), **pictures)
    assert kinds(said) == ["violation"], "a jack is no king unless the house says so"
    state, said = table("steal", steal("A", "JH", "B"), set={"faces_equal": True}, **pictures)
    assert kinds(said) == ["steal"]
    assert [card.code for card in state.position.piles["A"]] == ["2C", "KD", "JH"]
    _, said = table("steal", {**look(), "piles": {"A": "10H", "B": None}}, set={"faces_equal": True}, **pictures)
    assert kinds(said) == ["steal"], "the camera infers the same"
    _, said = table("steal", steal("A", "9H", "B"), set={"faces_equal": True}, **pictures)
    assert kinds(said) == ["violation"]


def test_of_the_won_cards_the_one_that_matched_lay_on_top() -> None:
    lines = (look(A=["QS"], B=["4H"]), look(), steal("B", "10D", "A"))
    state, said = table("steal", *lines, set={"faces_equal": True})
    assert (said[1]["ruling"], said[1]["assumed"]) == ("steal", ["top"])
    assert [card.code for card in state.position.piles["B"]] == ["4H", "QS", "10D"]


def test_stealing_straight_back_can_be_forbidden() -> None:
    lines = (steal("A", "7H", "B"), steal("B", "7S", "A"))
    _, said = table("steal", *lines, **PILES)
    assert kinds(said) == ["steal", "steal"]
    _, said = table("steal", *lines, set={"steal_back": False}, **PILES)
    assert kinds(said) == ["steal", "violation"]


def test_a_thief_in_a_war_may_have_to_give_it_up() -> None:
    lines = (look(A=["8S"], B=["8H"]), steal("A", "7H", "B"))
    state, said = table("steal", *lines, set={"steal4": "forfeit"}, **PILES)
    assert kinds(said) == ["war_declared", "steal", "battle_won"]
    assert (said[2]["winner"], said[2]["pot"]) == ("B", 5)
    assert view(state).counts == {"A": 18, "B": 26}


def test_who_has_nothing_left_to_play_is_out_at_once() -> None:
    piles = {"counts": {"A": 20, "B": 2}, "piles": {"B": ["KD", "7C"]}}
    _, said = table("steal", steal("A", "7H", "B"), **piles)
    assert kinds(said) == ["steal", "player_out", "game_over"]
    assert (said[1]["player"], said[2]["winner"]) == ("B", "A")


def test_a_robbed_player_with_cards_plays_on() -> None:
    _, said = table("steal", steal("A", "7H", "B"), look(A=["3S"], B=["JH"]), **PILES)
    assert kinds(said) == ["steal", "battle_won"]
    assert said[1]["counts"] == {"A": 21, "B": 23}


def test_the_face_up_pile_is_shuffled_in_only_when_needed() -> None:
    piles = {"counts": {"A": 3, "B": 20}, "piles": {"A": ["4C", "9D", "KS"]}}
    state, said = table("steal", steal("B", "KH", "A"), **piles)
    assert kinds(said) == ["steal", "player_out", "game_over"]
    state, said = table("steal", look(A=["9D"], B=["2H"]), **piles)
    assert state.position.piles["A"][:0] == ()
    assert view(state).split["A"] == {"pile": 2, "face_up": 2}


def test_with_three_the_short_one_is_out_and_the_others_go_on() -> None:
    tie, war = look(A=["8S"], B=["8H"], C=["2D"]), look(A=["8S"], B=["8H", "JC"], C=["2D", "3D"])
    state, said = table("steal", tie, war, players="ABC", counts={"A": 3, "B": 20, "C": 20})
    assert kinds(said) == ["war_declared", "player_out", "battle_won"]
    assert of(said, "war_declared")[0]["down"] == {"A": 3, "B": 3, "C": 3}
    assert (said[2]["winner"], said[2]["pot"]) == ("B", 13)


def test_acts_of_steal_war_need_steal_war() -> None:
    try:
        table("classic", steal("A", "7H", "B"))
    except Exception as refused:
        assert str(refused) == "Classic War knows no face-up piles."
    else:
        raise AssertionError("a steal was taken in classic")


def test_a_steal_that_fits_what_the_top_may_be_does_not_stop_the_game() -> None:
    """A six that may be a nine lost to a king, and it did not matter; a nine steals it."""
    won = look(A=["KS"], B=[["6H", 0.8, [["9H", 0.19], ["8H", 0.01]]]])
    state, said = table("steal", won, {"top": {"A": "6H"}}, look(), steal("B", "9D", "A"))
    assert kinds(said) == ["battle_won", "steal"]
    assert said[1]["assumed"] == ["top"]
    assert [card.code for card in state.position.piles["B"]] == ["KS", "?", "9D"]
    state, said = table("steal", won, {"top": {"A": "6H"}}, look(), steal("B", "6D", "A"))
    assert (said[1]["ruling"], said[1]["assumed"]) == ("steal", [])
    _, said = table("steal", won, {"top": {"A": "6H"}}, look(), steal("B", "8D", "A"))
    assert kinds(said) == ["battle_won", "violation"], "nobody took it for an eight"


def test_who_may_steal_which_pile_is_known_before_a_card_is_played() -> None:
    piles = {"counts": {"A": 20, "B": 24}, "piles": {"A": [], "B": ["KD", "7C"]}}
    state, _ = table("steal", look(), **piles)
    assert view(state).thieves == {"A": (), "B": ("A",)}
    state, _ = table("steal", look(A=["8S"]), **piles)
    assert view(state).thieves == {"A": (), "B": ()}, "a card is played: too late"
    state, _ = table("steal", look(A=["8S"], B=["8H"]), **piles)
    assert view(state).thieves["B"] == ("A",), "the fourth card of a war may steal"


def test_a_top_that_nobody_told_is_one_of_the_cards_won_just_now() -> None:
    won = look(A=["9S"], B=["7C"])
    empty = {"counts": {"A": 27, "B": 27}}
    state, _ = table("steal", won, **empty)
    assert {card.code for card in view(state).untold["A"]} == {"9S", "7C"} and view(state).untold["B"] == ()
    state, _ = table("steal", won, {"top": {"A": "7C"}}, **empty)
    assert view(state).untold["A"] == ()
