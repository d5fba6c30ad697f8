"""Knowing the game helps: who can own which card outweighs a misreading, and people are seldom asked."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from typing import Any

from companion.referee import ownership, reducer
from companion.referee.cards import CARDS, Card, pack
from companion.referee.codec import read_script, ruling_to_json, script_game
from companion.referee.ownership import Knowledge, Lot
from tests.benchmarks.misreads import Reader, figures, measure


def bits(*codes: str) -> int:
    return sum(Card.parse(code).bits for code in codes)


def known(*lots: Lot, unseen: int = 0, **parts: int) -> Knowledge:
    """What is known of Ana's pile; Ben owns everything else that was seen."""
    mine = sum(lot.cards for lot in lots)
    rest = pack() & ~mine & ~unseen
    return Knowledge(unseen, {"Ana": lots, "Ben": (Lot(rest, rest.bit_count()),)}, pack=pack(), **parts)


# --- the figures of the benchmark, small --------------------------------------------------------------


def test_a_tenth_of_the_wrong_verdicts_is_left_and_people_are_seldom_asked() -> None:
    found = figures(measure(20, cap=160)["all"])
    assert 0.025 < found["misread"] < 0.035
    assert found["wrong_by_top_reading"] >= 20
    assert found["left"] <= 0.1
    # The first pass through the pack, where nothing is known yet, is a larger part of games cut short.
    assert found["asked_in_100_rounds"] <= 3
    assert found["held"] == 0


def test_the_reader_of_the_benchmark_is_right_as_often_as_it_says() -> None:
    reader, rng = Reader(random.Random(5)), random.Random(6)
    said: dict[int, list[float]] = defaultdict(list)
    true: dict[int, int] = defaultdict(int)
    for _ in range(30_000):
        card = rng.choice(CARDS[:52])
        face = reader.read(card)
        for read, p in ((face.card, face.p), *face.alternatives):
            said[int(p * 10)].append(p)
            true[int(p * 10)] += read == card
    for tenth, chances in said.items():
        if len(chances) > 300:
            assert abs(true[tenth] / len(chances) - sum(chances) / len(chances)) < 0.05
    assert min(sum(len(c) for t, c in said.items() if t in some) for some in ((5, 6, 7, 8), (9,), (0,))) > 300


# --- how likely a card is turned ----------------------------------------------------------------------


def test_a_card_of_the_next_lot_is_far_likelier_than_one_further_down_and_than_a_stranger() -> None:
    here = known(Lot(bits("AD", "7S"), 2), Lot(bits("4C", "KC"), 2))
    next_, later, strange = (here.chance("Ana", bits(code)) for code in ("AD", "4C", "4D"))
    assert 0.5 <= next_ < 0.6
    assert later < next_ / 10 and strange < later / 10


def test_of_a_lot_that_is_partly_unseen_the_known_cards_are_the_likelier() -> None:
    unseen = bits(*(f"{rank}H" for rank in ("2", "3", "4", "5", "6", "7", "8", "9")))
    here = known(Lot(bits("AD", "7S"), 4, unseen=2), unseen=unseen)
    assert here.chance("Ana", bits("AD")) > 3 * here.chance("Ana", bits("9H")) > 0
    total = sum(here.chance("Ana", card.bits) for card in CARDS[:52])
    assert 1 <= total < 1.1


def test_a_lot_that_lost_a_card_still_knows_the_others() -> None:
    here = known(Lot(bits("6C", "JH", "QS"), 3))
    after = ownership.note_played(here, "Ben", bits("6C"))
    (lot,) = after.piles["Ana"]
    assert (lot.cards, lot.size, lot.strays) == (bits("JH", "QS"), 3, 1)
    assert after.chance("Ana", bits("JH")) > 0.3 > 0.02 > after.chance("Ana", bits("9C")) > 0.005


def test_a_table_that_keeps_no_order_is_learned() -> None:
    here = known(*(Lot(bits(f"{rank}S"), 1) for rank in ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J")))
    orderly = here.chance("Ana", bits("JS"))
    for rank in ("4", "6", "8", "10"):
        here = ownership.note_played(here, "Ana", bits(f"{rank}S"))
    assert (here.turned, here.early, here.strange) == (4, 4, 0)
    assert here.chance("Ana", bits("JS")) > 2 * orderly


# --- in a game ----------------------------------------------------------------------------------------

GAME = '{"game": {"variant": "classic", "players": ["Ana", "Ben"]}}'


def ruled(*lines: str) -> list[dict[str, Any]]:
    script = read_script([GAME.replace("]}", '], "counts": {"Ana": 2, "Ben": 2}}'), *lines])
    return [ruling_to_json(one) for one in reducer.fold(script_game(script), script.inputs)[1]]


EMPTY = '{"at": 4, "faces": {}}'
#: Ana wins a king and a four in the first round, Ben a queen and a nine in the second: all four are known.
FIRST = (
    '{"at": 2, "faces": {"Ana": ["KD"], "Ben": ["4C"]}}',
    EMPTY,
    '{"at": 6, "faces": {"Ana": ["9D"], "Ben": ["QS"]}}',
)


def test_a_card_nobody_has_left_is_a_misread_even_where_it_was_read_almost_surely() -> None:
    """Ana owns KD and 4C alone: the ace that is read is her four."""
    last = '{"at": 9, "faces": {"Ana": [["AC", 0.93, [["4C", 0.06]]]], "Ben": ["QS"]}}'
    said = ruled(*FIRST, EMPTY, last)
    assert [(one["ruling"], one.get("winner")) for one in said][:3] == [
        ("battle_won", w) for w in ("Ana", "Ben", "Ben")
    ]
    assert said[2]["faces"]["Ana"] == ["4C"]


def test_a_doubt_that_decided_nothing_is_remembered_as_a_doubt() -> None:
    """Ana's six-or-nine beat a two; when the nine turns up at Ben's, hers was the six."""
    doubtful = '{"at": 2, "faces": {"Ana": [["9H", 0.6, [["6H", 0.4]]]], "Ben": ["2C"]}}'
    lines = (doubtful, EMPTY, '{"at": 6, "faces": {"Ana": ["3D"], "Ben": ["9H"]}}', EMPTY)
    script = read_script([GAME, *lines])
    here = reducer.fold(script_game(script), script.inputs)[0].position.known
    assert here.piles["Ana"][-1].cards == bits("6H", "2C")


def test_the_card_of_a_war_comes_from_behind_the_cards_laid_face_down() -> None:
    """Both own what they won in known order; the fifth card, not the second, is the one that fights."""
    order = ("7S", "9S", "JH", "8H", "6S", "2H")
    lots = tuple(Lot(bits(code), 1) for code in order)
    here = ownership.lay_down(ownership.note_played(known(*lots), "Ana", bits("7S")), "Ana", 3)
    assert here.chance("Ana", bits("6S")) > 10 * here.chance("Ana", bits("9S"))


# --- each card exists once ----------------------------------------------------------------------------


def faces_of(*lines: str, **game: Any) -> tuple[reducer.State, list[dict[str, Any]]]:
    script = read_script([json.dumps({"game": {"variant": "steal", "players": ["Ana", "Ben"], **game}}), *lines])
    state, said = reducer.fold(script_game(script), script.inputs)
    return state, [ruling_to_json(one) for one in said]


def test_a_card_that_another_surely_shows_is_none_that_a_face_may_be() -> None:
    """Ana's face may be her two or a three; Ben shows the two, and the faces are those that were judged by."""
    reread = '{"at": 6, "faces": {"Ana": [["3S", 1.0, [["2S", 0.4]]]], "Ben": ["2S"]}}'
    state, said = faces_of('{"at": 3, "faces": {"Ana": ["2S"]}}', reread)
    assert [(one["ruling"], one["winner"], one["faces"]) for one in said] == [
        ("battle_won", "Ana", {"Ana": ["3S"], "Ben": ["2S"]})
    ]
    assert [card.code for card in state.position.piles["Ana"]] == ["3S", "2S"]


def test_a_rank_stays_possible_when_one_of_its_suits_lies_elsewhere() -> None:
    """Ana's nine of hearts or diamonds is the one of diamonds once Ben shows the other: a tie, or a six; not a six."""
    doubtful = '{"at": 3, "faces": {"Ana": [["9H", 0.5, [["9D", 0.3], ["6H", 0.2]]]]}}'
    _, said = faces_of(doubtful, '{"at": 6, "faces": {"Ana": [["9H", 0.5]], "Ben": ["9H"]}}')
    assert [(one["ruling"], one["choices"]) for one in said] == [("question", ["9D", "6H"])]


def test_two_faces_in_doubt_are_never_both_the_same_card() -> None:
    look = {"Ana": [["2S", 0.7, [["3S", 0.3]]]], "Ben": [["2S", 0.6, [["4S", 0.4]]]], "Cai": ["KH"]}
    lines = json.dumps({"at": 3, "faces": look})
    state, said = faces_of(lines, variant="multi", players=["Ana", "Ben", "Cai"])
    assert (said[0]["winner"], said[0]["faces"]["Ana"] == said[0]["faces"]["Ben"]) == ("Cai", False)
    suits = {"Ana": [["9S", 0.95, [["9C", 0.05]]]], "Ben": [["9S", 0.93, [["9C", 0.07]]]]}
    _, said = faces_of(json.dumps({"at": 3, "faces": suits}))
    assert said[-1]["ruling"] == "war_declared"


def test_a_card_on_a_pile_that_is_shown_by_another_is_not_known_any_more() -> None:
    """Ben's pile has the seven of clubs on top; Ana turns a seven whose suit is in doubt, and says that it is hers."""
    piles = {"counts": {"Ana": 20, "Ben": 24}, "piles": {"Ben": ["KD", "7C"]}}
    look = '{"at": 3, "faces": {"Ana": ["7C"], "Ben": ["4H"]}}'
    state, said = faces_of(look, **piles)
    assert [card.code for card in state.position.piles["Ana"]] == ["7?", "4H"]
    state, _ = faces_of(look, '{"at": 5, "correct": 1, "faces": {"Ana": ["7C"]}}', **piles)
    assert [card.code for card in state.position.piles["Ben"]] == ["KD", "?"]
    assert [card.code for card in state.position.piles["Ana"]] == ["7C", "4H"]
