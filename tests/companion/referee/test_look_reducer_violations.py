"""What the referee says about the table itself: the T cases of tests/cases.yaml, played out look by look."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from companion.referee import reducer
from companion.referee.view import view
from companion.words import speak
from tests.companion.cases import CASES, Json, play

Played = tuple[reducer.State, list[Json]]
Case = Callable[[], None]


def table(variant: str, *lines: Json, players: str = "AB", **more: object) -> Played:
    """The state and the rulings after these looks; times are added."""
    game = {"variant": variant, "players": list(players), **more}
    return play(game, [{"at": float(number), **line} for number, line in enumerate(lines, start=1)])


def kinds(said: list[Json]) -> list[str]:
    return [one["ruling"] for one in said]


def look(**faces: list[object]) -> Json:
    return {"faces": faces}


def t01() -> None:
    state, said = table("classic", look(A=["KS"], B=[]))
    assert said == []
    assert view(state).waiting == ("B",)


def t02() -> None:
    _, said = table("classic", look(A=["KS", "4D"], B=["9H"]))
    (one,) = said
    assert (one["kind"], one["player"], one["cards"], one["holds"]) == ("too_many_cards", "A", ["KS", "4D"], True)


def t03() -> None:
    state, said = table("classic", look(A=["7H"], B=["7H"]))
    notice, war = said
    assert (notice["ruling"], notice["kind"]) == ("notice", "same_card_twice")
    assert (war["ruling"], war["rank"]) == ("war_declared", "7")
    assert [placed.card.code for (placed,) in view(state).faces.values()] == ["7H", "7?"]


def t04() -> None:
    _, said = table("classic", look(A=[["6C", 0.5, [["9C", 0.48]]]], B=["KH"]))
    assert [(one["ruling"], one.get("winner")) for one in said] == [("battle_won", "B")]


def t05() -> None:
    _, said = table("classic", look(A=[["6C", 0.5, [["9C", 0.48]]]], B=["7H"]))
    (one,) = said
    assert (one["ruling"], one["about"], one["choices"]) == ("question", "A", ["6C", "9C"])


def t06() -> None:
    _, said = table("classic", look(A=[["10H", 0.5, [["10D", 0.48]]]], B=["8C"]))
    (one,) = said
    assert (one["ruling"], one["winner"], one["faces"]["A"]) == ("battle_won", "A", ["10?"])


def t07() -> None:
    war = look(A=["5S"], B=["5H"])
    short = {**look(A=["5S", "KC"], B=["5H", "3C"]), "backs": {"A": 2, "B": 3}}
    _, said = table("classic", war, short, counts={"A": 20, "B": 32})
    assert kinds(said) == ["war_declared", "violation"]
    one = said[1]
    assert (one["kind"], one["player"], one["missing"], one["holds"]) == ("too_few_down", "A", 1, True)


def t08() -> None:
    before = look(A=["KS"], B=["9H"])
    _, said = table("classic", before, {"blind": [1.0, 3.0]}, before)
    assert kinds(said) == ["battle_won", "blind"]
    waiting = look(A=["KS"])
    _, said = table("classic", waiting, waiting)
    assert said == []


def t09() -> None:
    rounds = (look(A=["8S"], B=["9S"]), look(), look(A=["2S"], B=["3S"]), look())
    clash = look(A=["9S"], B=["4H"])
    state, said = table("classic", *rounds, clash)
    notice, won = said[2:]
    assert (notice["ruling"], notice["kind"], notice["cards"]) == ("notice", "not_owner", ["9S"])
    assert (won["ruling"], won["winner"], won["faces"]["A"]) == ("battle_won", "A", ["9?"])


def t09_no_other_nine() -> None:
    """Every nine was won by B: A cannot hold one."""
    nines = [(look(A=["2S"], B=["9S"]), look()), (look(A=["2H"], B=["9H"]), look()), (look(A=["2D"], B=["9D"]), look())]
    rounds = [one for pair in nines for one in pair] + [look(A=["2C"], B=["9C"]), look()]
    _, said = table("classic", *rounds, look(A=["9S"], B=["4H"]))
    violation, won = said[-2:]
    assert (violation["kind"], violation["player"], violation["holds"]) == ("not_owner", "A", False)
    assert (won["ruling"], won["winner"]) == ("battle_won", "A")


def t10() -> None:
    settled = look(A=["KS"], B=["9H"])
    _, said = table("classic", settled, look(B=["9H", "KS"]))
    assert kinds(said) == ["battle_won", "violation"]
    assert (said[1]["kind"], said[1]["player"], said[1]["holds"]) == ("wrong_taker", "B", True)


def t11() -> None:
    piles = {"B": ["KD", "7C"]}
    steal = {"steal": {"by": "A", "card": "7H", "from": ["B"]}}
    _, said = table("steal", steal, counts={"A": 20, "B": 24}, piles=piles)
    (one,) = said
    assert (one["ruling"], one["by"], one["from"], one["counts"]) == ("steal", "A", ["B"], {"A": 22, "B": 22})


def t12() -> None:
    _, said = table("razboi", look(A=["QS"], B=["QH"]))
    (one,) = said
    assert (one["ruling"], one["down"]) == ("war_declared", {"A": 9, "B": 9})


def t13() -> None:
    _, said = table("multi", look(A=["JS"], B=["JH"], C=["5D"], D=["2C"]), players="ABCD")
    (one,) = said
    assert (one["ruling"], one["who"], one["down"]) == ("war_declared", list("ABCD"), dict.fromkeys("ABCD", 1))
    assert (one["rule"], one["house_rules"]) == ("war_part", ["war_part=all", "multi_down=1"])


def t14() -> None:
    state, said = table("arneson", {**look(A=["KS"]), "backs": {"A": 0, "B": 1}})
    assert said == []
    assert view(state).waiting == ("B",)


SCENES: dict[str, tuple[Case, ...]] = {
    "T01": (t01,),
    "T02": (t02,),
    "T03": (t03,),
    "T04": (t04,),
    "T05": (t05,),
    "T06": (t06,),
    "T07": (t07,),
    "T08": (t08,),
    "T09": (t09, t09_no_other_nine),
    "T10": (t10,),
    "T11": (t11,),
    "T12": (t12,),
    "T13": (t13,),
    "T14": (t14,),
}


@pytest.mark.parametrize("case", CASES["table_cases"], ids=lambda case: case["id"])
def test_table(case: Json) -> None:
    for scene in SCENES[case["id"]]:
        scene()


@pytest.mark.parametrize("code", ["JR", "JB", "JOKER"])
def test_a_joker_where_the_game_has_none_is_said(code: str) -> None:
    _, said = table("classic", look(A=[code], B=["9H"]))
    violation, won = said
    assert (violation["kind"], violation["rule"], violation["holds"]) == ("not_owner", "jokers", False)
    assert speak("en").ruling(violation).startswith("This game has no jokers, but A laid the")
    assert (won["ruling"], won["winner"]) == ("battle_won", "A")
    _, said = table("classic", look(A=[code], B=["9H"]), set={"jokers": 2})
    assert kinds(said) == ["battle_won"]


def test_a_doubtful_joker_where_the_game_has_none_is_another_card_or_asked() -> None:
    _, said = table("classic", look(A=[["JOKER", 0.5, [["JS", 0.4]]]], B=["QH"]))
    assert [(one["ruling"], one.get("winner")) for one in said] == [("battle_won", "B")]
