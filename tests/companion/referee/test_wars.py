"""Shortage, running out, and the ends of a game, beyond the worked cases (RULES.md A3 no. 11b, 14, 14b, 29-32)."""

from __future__ import annotations

import pytest

from companion.referee.view import view
from tests.companion.cases import Json, of
from tests.companion.referee.test_look_reducer_violations import kinds, look, table

# --- short, under `lose`, with three or four (11b) ---------------------------------------------------


def test_a_short_fighter_is_out_and_the_rest_fight_on() -> None:
    tie = look(A=["9S"], B=["9H"], C=["9D"])
    war = look(A=["9S", "KC"], B=["9H", "4C"], C=["9D"])
    counts = {"A": 20, "B": 20, "C": 2}
    state, said = table("multi", tie, war, players="ABC", set={"short": "lose"}, counts=counts)
    assert kinds(said) == ["war_declared", "player_out", "battle_won"]
    assert (said[0]["who"], said[0]["down"], said[0]["short"]) == (["A", "B", "C"], {"A": 1, "B": 1, "C": 1}, ["C"])
    assert (said[2]["winner"], said[2]["pot"], said[2]["counts"]) == ("A", 8, {"A": 25, "B": 17, "C": 0})


def test_a_single_fighter_left_wins_the_war_at_once() -> None:
    tie = look(A=["9S"], B=["9H"], C=["9D"])
    _, said = table("multi", tie, players="ABC", set={"short": "lose"}, counts={"A": 20, "B": 2, "C": 2})
    assert kinds(said) == ["war_declared", "battle_won", "player_out", "player_out", "game_over"]
    assert (said[1]["winner"], said[1]["pot"], said[1]["counts"]["A"]) == ("A", 5, 24)


def test_of_all_short_ones_only_the_shortest_are_out() -> None:
    tie = look(A=["8S"], B=["8H"], C=["8D"])
    war = look(A=["8S", "KC"], B=["8H", "4C"], C=["8D"])
    counts = {"A": 5, "B": 5, "C": 3}
    state, said = table("razboi", tie, war, players="ABC", set={"short": "lose"}, counts=counts)
    assert kinds(said) == ["war_declared", "player_out", "battle_won", "player_out", "game_over"]
    assert (said[1]["player"], said[2]["winner"], said[2]["counts"]["A"]) == ("C", "A", 13)


# --- all out at once (14, 14b) -----------------------------------------------------------------------

LAST_CARDS = {"A": 3, "B": 3}
BOTH_OUT = (look(A=["4H"], B=["4C"]), look(A=["4H", "9H"], B=["4C", "9C"]))


def test_both_out_reshuffle_gives_everyone_his_cards_back() -> None:
    state, said = table(
        "classic", *BOTH_OUT, look(), look(A=["9H"], B=["4C"]), counts=LAST_CARDS, set={"both_out": "reshuffle"}
    )
    assert kinds(said) == ["war_declared", "war_declared", "battle_drawn", "battle_won"]
    assert said[2]["counts"] == {"A": 3, "B": 3}
    assert view(state).counts == {"A": 4, "B": 2}


def test_both_out_reveal_compares_face_down_cards() -> None:
    turned = look(A=["4H", "9H", "2H"], B=["4C", "9C", "3C"])
    state, said = table("classic", *BOTH_OUT, turned, counts=LAST_CARDS, set={"both_out": "reveal"})
    assert kinds(said) == ["war_declared", "war_declared", "battle_won", "player_out", "game_over"]
    assert (said[2]["winner"], said[2]["pot"]) == ("B", 6)


def test_both_out_reveal_that_ties_too_is_a_draw() -> None:
    turned = look(A=["4H", "9H", "2H"], B=["4C", "9C", "2C"])
    _, said = table("classic", *BOTH_OUT, turned, counts=LAST_CARDS, set={"both_out": "reveal"})
    assert kinds(said)[-2:] == ["battle_drawn", "game_over"]
    assert said[-1]["winner"] == "draw"


def test_the_others_fight_where_they_tie_for_what_the_tied_lost() -> None:
    tie = look(A=["QH"], B=["QS"], C=["8H"], D=["8D"])
    war = look(A=["QH"], B=["QS"], C=["8H", "2H"], D=["8D", "5D"])
    counts = {"A": 1, "B": 1, "C": 25, "D": 25}
    state, said = table("multi", tie, war, players="ABCD", set={"war_part": "tied"}, counts=counts)
    assert [(one["rank"], one["who"]) for one in of(said, "war_declared")] == [("Q", ["A", "B"]), ("8", ["C", "D"])]
    assert (of(said, "battle_won")[0]["winner"], view(state).counts) == ("D", {"A": 0, "B": 0, "C": 22, "D": 30})


# --- the ends ----------------------------------------------------------------------------------------


def test_after_the_agreed_rounds_most_cards_win() -> None:
    rounds = [look(A=["KS"], B=["2S"]), look(), look(A=["KH"], B=["2H"]), look(), look(A=["KD"], B=["2D"])]
    _, said = table("classic", *rounds, set={"end": "rounds", "end_rounds": 2})
    assert kinds(said) == ["battle_won", "battle_won", "game_over"]
    assert (said[2]["winner"], said[2]["reason"], said[2]["counts"]) == ("A", "rounds", {"A": 28, "B": 24})


def test_equal_counts_at_the_end_are_a_draw() -> None:
    rounds = [look(A=["KS"], B=["2S"]), look(), look(A=["2H"], B=["KH"])]
    _, said = table("classic", *rounds, set={"end": "rounds", "end_rounds": 2})
    assert said[-1]["winner"] == "draw"


@pytest.mark.parametrize("later", [{"faces": {}}, look(A=["KS"], B=["2S"])])
def test_when_time_is_over_no_new_round_begins(later: Json) -> None:
    _, said = table("classic", look(A=["KS"], B=["2S"]), {**later, "at": 60.0}, set={"end": "time", "end_minutes": 1})
    assert kinds(said) == ["battle_won", "game_over"]
    assert (said[1]["winner"], said[1]["reason"]) == ("A", "time")


@pytest.mark.parametrize("between", [(), ({"at": 20.0, **look()},)])
def test_the_round_that_lies_there_when_time_is_over_is_the_last(between: tuple[Json, ...]) -> None:
    """The same ending with and without an empty table before it."""
    looks = (
        look(A=["KS"], B=["2S"]),
        *between,
        {"at": 61.0, **look(A=["QH"])},
        {"at": 63.0, **look(A=["QH"], B=["3H"])},
    )
    _, said = table("classic", *looks, set={"end": "time", "end_minutes": 1})
    assert kinds(said)[-4:] == ["battle_won", "notice", "battle_won", "game_over"]
    assert said[-3]["kind"] == "time"


def test_a_round_that_is_fought_when_time_ends_is_finished() -> None:
    late = {**look(A=["KS"], B=["2S"]), "at": 75.0}
    _, said = table("classic", look(A=["KS"]), late, set={"end": "time", "end_minutes": 1})
    assert kinds(said) == ["battle_won", "game_over"]


# --- settings that size a war ------------------------------------------------------------------------


def test_the_first_tie_may_size_every_war_of_a_round() -> None:
    ties = (look(A=["4S"], B=["4H"]), look(A=["4S", "QC"], B=["4H", "QD"]))
    _, said = table("razboi", *ties, set={"razboi_retie": "first"})
    assert [one["down"] for one in of(said, "war_declared")] == [{"A": 3, "B": 3}, {"A": 3, "B": 3}]


def test_a_joker_tie_counts_as_an_ace() -> None:
    _, said = table("razboi", look(A=["JR"], B=["JB"]), set={"jokers": 2})
    assert (said[0]["rank"], said[0]["down"]) == ("joker", {"A": 10, "B": 10})


def test_a_verdict_names_the_house_rules_of_its_wars() -> None:
    _, said = table("classic", *BOTH_OUT[:1], counts=LAST_CARDS)
    assert (said[0]["rule"], said[0]["house_rules"]) == ("war", ["war_down=3", "short=last_card"])
