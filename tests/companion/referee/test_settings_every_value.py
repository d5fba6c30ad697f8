"""Every value of every setting, and every rule, decides something at some table: shown here with one table each.

A new setting, value or rule without a table fails `test_nothing_is_left_out`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from companion.referee.cards import Rank
from companion.referee.game import new_game
from companion.referee.reducer import State
from companion.referee.rulebook import RULEBOOK, Rule
from companion.referee.settings import SETTINGS
from companion.referee.variants import VARIANTS
from companion.simulation.dealer import Tabletop
from companion.words import speak
from tests.companion.cases import Json, of
from tests.companion.referee.test_look_reducer_violations import kinds, look, table

Probe = Callable[[State, list[Json]], object]


@dataclass(frozen=True)
class Table:
    """What is seen at a table of this variant; `tells` is what the setting decides there."""

    tells: Probe
    variant: str
    lines: tuple[Json, ...]
    more: dict[str, Any] = field(default_factory=dict)

    def told(self, **chosen: object) -> object:
        return self.tells(*self.played(**chosen))

    def played(self, **chosen: object) -> tuple[State, list[Json]]:
        return table(self.variant, *self.lines, **self.more, set=chosen)


def what(_: State, said: list[Json]) -> object:
    return kinds(said)


def down(_: State, said: list[Json]) -> object:
    return [list(one["down"].values()) for one in of(said, "war_declared")]


def who(_: State, said: list[Json]) -> object:
    return ["".join(one["who"]) for one in of(said, "war_declared")]


def counts(state: State, _: list[Json]) -> object:
    return list(state.game.counts.values())


def lots(state: State, _: list[Json]) -> object:
    return [lot.size for lot in state.position.known.piles["A"]]


EIGHTS = look(A=["8S"], B=["8H"])
NINES = look(A=["8S", "9S"], B=["8H", "9H"])
WAR = look(A=["8S", "KC"], B=["8H", "3C"])
TWO_OF_THREE = look(A=["JS"], B=["JH"], C=["5D"])
PILES = {"counts": {"A": 20, "B": 24}, "piles": {"A": ["2C"], "B": ["KD", "7C"]}}
THREE: dict[str, Any] = {"players": "ABC"}
LATER = ({"at": 70.0, **look(A=["KS"], B=["9H"])}, {"at": 75.0, **look()})


def steal(by: str, card: str, *victims: str) -> Json:
    return {"steal": {"by": by, "card": card, "from": list(victims)}}


DOWN = Table(down, "classic", (EIGHTS,))
ACES = Table(down, "razboi", (look(A=["AS"], B=["AH"]),))
OUT = (look(A=["4H"], B=["4C"]), look(A=["4H", "9H"], B=["4C", "9C"]))
BOTH_OUT = Table(what, "classic", OUT, {"counts": {"A": 3, "B": 3}})
SHORT = Table(down, "classic", (EIGHTS,), {"counts": {"A": 48, "B": 4}})
WON = Table(lots, "classic", (look(A=["KS"], B=["9H"]), look(), look(A=["QS"], B=["2H"]), look()))

#: For each value: a table, and what it tells there. With the default it must tell something else.
VALUES: dict[tuple[str, object], tuple[Table, object]] = {
    ("jokers", 2): (Table(counts, "classic", ()), [27, 27]),
    ("war_down", 1): (DOWN, [[1, 1]]),
    ("war_down", 2): (DOWN, [[2, 2]]),
    ("war_down", 4): (DOWN, [[4, 4]]),
    ("multi_down", 3): (Table(down, "multi", (TWO_OF_THREE,), THREE), [[3, 3, 3]]),
    ("double_tie", "faceup"): (Table(down, "classic", (EIGHTS, NINES)), [[3, 3], [0, 0]]),
    ("war_part", "tied"): (Table(who, "multi", (TWO_OF_THREE,), THREE), ["AB"]),
    ("two_way", "classic"): (Table(down, "multi", (TWO_OF_THREE,), THREE), [[3, 3]]),
    ("short", "lose"): (SHORT, [[3, 3]]),
    ("short", "equal_force"): (SHORT, [[2, 2]]),
    ("both_out", "reshuffle"): (BOTH_OUT, ["war_declared", "war_declared", "battle_drawn"]),
    ("both_out", "reveal"): (BOTH_OUT, ["war_declared", "war_declared"]),
    ("leftover", "extra_card"): (Table(counts, "multi", (), THREE), [18, 17, 17]),
    ("razboi_count", "n_down"): (Table(down, "razboi", (EIGHTS,)), [[8, 8]]),
    ("razboi_ace", 1): (ACES, [[0, 0]]),
    ("razboi_ace", 10): (ACES, [[9, 9]]),
    ("razboi_ace", 14): (ACES, [[13, 13]]),
    ("razboi_retie", "first"): (Table(down, "razboi", (EIGHTS, NINES)), [[7, 7], [7, 7]]),
    ("faces_equal", True): (Table(what, "razboi", (look(A=["JS"], B=["KH"]),)), ["war_declared"]),
    ("joker_tie", "big_beats_little"): (Table(what, "steal", (look(A=["JR"], B=["JB"]),)), ["battle_won"]),
    ("collect", "heap_shuffle"): (WON, [24, 4]),
    ("collect_order", "winner_first"): (WON, [24, 1, 1, 1, 1]),
    ("show_spoils", True): (
        Table(what, "classic", (EIGHTS, WAR, look(A=["8S", "KC", "7D"], B=["8H", "3C"]))),
        ["war_declared", "battle_won", "shown"],
    ),
    ("end", "three_wars"): (
        Table(what, "classic", (EIGHTS, WAR), {"wars_won": {"A": 2}}),
        ["war_declared", "battle_won", "game_over"],
    ),
    ("end", "time"): (
        Table(what, "classic", ({"at": 2000.0, **look(A=["KS"], B=["9H"])},)),
        ["battle_won", "game_over"],
    ),
    ("end", "rounds"): (
        # No card is turned in two rounds one after the other: that would be the same card put back.
        Table(what, "classic", (look(A=["KS"], B=["9H"]), look(), look(A=["QS"], B=["8H"]), look()) * 50),
        ["battle_won", "game_over"],
    ),
    ("steal4", "forfeit"): (
        Table(what, "steal", (EIGHTS, steal("A", "7H", "B")), PILES),
        ["war_declared", "steal", "battle_won"],
    ),
    ("steal_back", False): (
        Table(what, "steal", (steal("A", "7H", "B"), steal("B", "7S", "A")), PILES),
        ["steal", "violation"],
    ),
}
#: What no referee can see, and who is asked to keep to it.
UNSEEN = {("collect_order", "shuffle"): "the winner shuffles", ("leftover", "remove_low"): "the dealer"}
#: Numbers: a value that is not the default, the table, what it tells, and the settings it needs.
NUMBERS: dict[str, tuple[object, Table, object, dict[str, object]]] = {
    "end_minutes": (1, Table(what, "classic", LATER), ["battle_won", "game_over"], {"end": "time"}),
    "end_rounds": (1, Table(what, "classic", LATER), ["battle_won", "game_over"], {"end": "rounds"}),
    "ask_above": (1.0, Table(what, "classic", (look(A=["KS"], B=[["9H", 0.6, [["AH", 0.4]]]]),)), ["battle_won"], {}),
}


@pytest.mark.parametrize(("key", "value"), VALUES, ids=lambda one: str(one))
def test_a_setting_decides(key: str, value: object) -> None:
    shown, tells = VALUES[key, value]
    found = shown.told(**{key: value})
    if (key, value) == ("end", "rounds"):
        assert isinstance(found, list)
        found = list(dict.fromkeys(one for one in found if one in ("battle_won", "game_over")))
    assert found == tells
    assert shown.told() != tells


@pytest.mark.parametrize("key", NUMBERS)
def test_a_number_decides(key: str) -> None:
    value, shown, tells, needs = NUMBERS[key]
    assert shown.told(**needs, **{key: value}) == tells
    assert shown.told(**needs) != tells


def test_low_cards_that_cannot_be_dealt_are_taken_out() -> None:
    for variant, left in (("multi", 3), ("steal", 2)):
        game = new_game(variant, tuple("ABC" if variant == "multi" else "ABCD"), {"leftover": "remove_low"})
        for seed in range(10):
            top = Tabletop(game, random.Random(seed))
            assert Counter(card.rank for p in game.players for card in top.piles[p])[Rank.TWO] == left


# --- rules ------------------------------------------------------------------------------------------

ROUND = look(A=["KS"], B=["9H"])
JOKERS = {"set": {"jokers": 2}}
STEALS = {**PILES, "counts": {"A": 3, "B": 24}, "piles": {"B": ["KD", "7C"]}}
#: For each rule: a variant, what is seen there, and what was agreed; a ruling then cites the rule.
RULES: dict[Rule, tuple[str, tuple[Json, ...], dict[str, Any]]] = {
    Rule.ONE_PACK: ("classic", (look(A=["JR"], B=["JR"]),), JOKERS),
    Rule.TOP_CARD: ("classic", (look(A=["KS", "4D"], B=["9H"]),), {}),
    Rule.HIGHER_CARD: ("classic", (ROUND,), {}),
    Rule.WAR: ("classic", (EIGHTS,), {}),
    Rule.DOUBLE_TIE: ("classic", (EIGHTS, NINES), {}),
    Rule.MULTI_WAR: ("multi", (look(A=["9S"], B=["9H"], C=["9D"]),), THREE),
    Rule.WAR_PART: ("multi", (TWO_OF_THREE,), THREE),
    Rule.TWO_WAY: ("multi", (TWO_OF_THREE,), {**THREE, "set": {"two_way": "classic"}}),
    Rule.SHORT: ("classic", (EIGHTS,), {"counts": {"A": 49, "B": 3}, "set": {"short": "lose"}}),
    Rule.STANDS: (
        "classic",
        (look(A=["7H"], B=["7C"]), look(A=["7H", "5D"], B=["7C"])),
        {"counts": {"A": 51, "B": 1}},
    ),
    Rule.BOTH_OUT: ("classic", OUT, {"counts": {"A": 3, "B": 3}}),
    Rule.OTHERS_TAKE: (
        "razboi",
        (look(A=["QH"], B=["QS"], C=["8H"]),),
        {**THREE, "counts": {"A": 1, "B": 1, "C": 49}},
    ),
    Rule.OUT: ("classic", (ROUND,), {"counts": {"A": 51, "B": 1}}),
    Rule.ALL_CARDS: ("classic", (ROUND,), {"counts": {"A": 51, "B": 1}}),
    Rule.THREE_WARS: ("classic", (EIGHTS, WAR), {"wars_won": {"A": 2}, "set": {"end": "three_wars"}}),
    Rule.MOST_CARDS: ("classic", (ROUND,), {"set": {"end": "rounds", "end_rounds": 1}}),
    Rule.RAZBOI_SIZE: ("razboi", (EIGHTS,), {}),
    Rule.RAZBOI_RETIE: ("razboi", (EIGHTS, NINES), {}),
    Rule.ARNESON_TIE: ("arneson", (EIGHTS, NINES), {}),
    Rule.STEAL: ("steal", (steal("A", "7H", "B"),), PILES),
    Rule.STEAL_TIMING: ("steal", (look(A=["3S"]), steal("A", "7H", "B")), PILES),
    Rule.STEAL_FOURTH: ("steal", (EIGHTS, steal("A", "7H", "B")), PILES),
    Rule.STEAL_SHORT: ("steal", (EIGHTS,), STEALS),
    Rule.ARNESON_WAR: ("arneson", (EIGHTS,), {}),
    Rule.ARNESON_SPLIT: ("arneson", (EIGHTS, look(A=["8S", "QH"], B=["8H", "5C"])), {}),
    Rule.OWN_CARD: ("classic", (look(A=["9H"], B=["JR"]), look(), look(A=["JR"], B=["2C"])), JOKERS),
    Rule.READING: ("classic", (look(A=["KS"], B=[["9H", 0.6, [["AH", 0.4]]]]),), {}),
}
#: Rules that no ruling rests on by name: what the game is, and what holds in every comparison.
TOLD = {Rule.GOAL, Rule.TIE_IS_WAR, Rule.SUITS, Rule.JOKERS, Rule.JOKER_TIE, Rule.FACES_EQUAL}


@pytest.mark.parametrize("rule", RULES)
def test_a_ruling_cites_the_rule(rule: Rule) -> None:
    variant, lines, agreed = RULES[rule]
    _, said = table(variant, *lines, **agreed)
    assert rule in [one.get("rule") for one in said]


def test_nothing_is_left_out() -> None:
    wanted = {(one.key, value) for one in SETTINGS for value in one.values[1:]}
    assert wanted == set(VALUES) | set(UNSEEN)
    assert {one.key for one in SETTINGS if one.span} == set(NUMBERS)
    assert set(Rule) == set(RULES) | TOLD


@pytest.mark.parametrize(("key", "value"), VALUES, ids=lambda one: str(one))
def test_the_sentence_behind_a_verdict_states_the_value_in_force(key: str, value: object) -> None:
    """A rule that the setting changes is cited with the sentence of this value, never with that of the default."""
    words, text = speak("en"), str(value).lower()
    shown, _ = VALUES[key, value]
    _, said = shown.played(**{key: value})
    for one in said:
        house = f"{key}={text}"
        if house not in one.get("house_rules", ()):
            continue
        assert house in one["differs"] and words.setting(key, value) in words.reason(one)
        rule = RULEBOOK[Rule(one["rule"])]
        if rule.setting == key:
            assert words.reason(one).startswith(rule.values[text][0])


@pytest.mark.parametrize("variant", [variant.name for variant in VARIANTS])
def test_a_game_as_it_is_chosen_has_no_house_rules(variant: str) -> None:
    low = next(entry.players[0] for entry in VARIANTS if entry.name == variant)
    players = "ABCD"[:low]
    tie = look(**dict(zip(players, (["8S"], ["8H"], ["2C"]), strict=False)))
    _, said = table(variant, tie, players=players)
    assert said[0]["house_rules"] and "differs" not in said[0]
    assert "House rule" not in speak("en").reason(said[0])
