"""The rule behind a verdict is the one that decided it: every value of every setting, each at a table of its own."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from companion.cli import main
from companion.referee.codec import ruling_to_json
from companion.referee.game import Game, new_game
from companion.referee.rulebook import RULEBOOK, Rule, rule_sources, setting_sources, value_sources
from companion.referee.settings import SETTINGS, Setting
from companion.referee.variants import PRESETS, VARIANTS, matters, settings_for
from companion.simulation.simulate import history
from companion.table.presenter import Presenter
from companion.words import speak
from companion.words.speech import SITES
from tests.companion.cases import Json
from tests.companion.referee.test_settings_every_value import NUMBERS, UNSEEN, VALUES

WORDS = speak("en")
#: Rulings of one game that are looked at; a game may be endless.
MOST = 80


def rulings(game: Game, seed: int) -> Iterator[Json]:
    """The first rulings of a game that is dealt by chance."""
    made = 0
    for _, _, said in history(game, random.Random(seed)):
        yield from map(ruling_to_json, said)
        made += len(said)
        if made > MOST:
            return


def check(ruling: Json, game: Game) -> None:
    """The sentence behind a ruling names the values in force, and a house rule only where something differs."""
    reason, usual = WORDS.reason(ruling), settings_for(game.variant.name, {})
    in_force, differs = WORDS.in_force(ruling), ruling.get("differs", ())
    for house in in_force:
        key, _, value = house.partition("=")
        assert value == str(getattr(game.settings, key)).lower(), ruling
        assert (house in differs) == (getattr(game.settings, key) != getattr(usual, key)) or key == "end", ruling
        rule = Rule(ruling["rule"])
        told = WORDS.rule(rule, in_force) if RULEBOOK[rule].setting == key else WORDS.house(house)
        assert told.lower().rstrip(".") in reason.lower(), (reason, house)
    assert ("House rule" in reason) == bool(differs), reason
    for other in [text for text, _ in RULEBOOK[Rule(ruling["rule"])].values.values()] if ruling.get("rule") else []:
        assert other not in reason or other == WORDS.rule(ruling["rule"], in_force), reason


def games() -> Iterator[tuple[str, str, str]]:
    for entry in VARIANTS:
        for one in SETTINGS:
            values = one.values if one.span is None else (*one.values, NUMBERS[one.key][0])
            yield from ((entry.name, one.key, str(value).lower()) for value in values if matters(one.key, entry))


@pytest.mark.parametrize(("name", "key", "value"), list(games()))
def test_the_sentence_behind_every_verdict_has_the_value_in_force(name: str, key: str, value: str) -> None:
    entry = next(entry for entry in VARIANTS if entry.name == name)
    more = {"end": "time"} if key == "end_minutes" else {"end": "rounds"} if key == "end_rounds" else {}
    game = new_game(name, tuple("ABCD"[: entry.players[1]]), {**more, key: value})
    found = list(rulings(game, 1))
    assert any(one["ruling"] == "battle_won" for one in found)
    for ruling in found:
        check(ruling, game)
    # What is in force is said from the beginning where it is not as usual.
    house = WORDS.setting(key, float(value) if "." in value else value)
    told = Presenter(WORDS).house_rules(game)
    assert getattr(game.settings, key) == getattr(settings_for(name, {}), key) or house in told


@pytest.mark.parametrize(("key", "value"), VALUES, ids=str)
def test_a_setting_is_said_where_it_decides(key: str, value: object) -> None:
    table, _ = VALUES[key, value]
    for chosen in ({key: value}, {}):
        state, said = table.played(**chosen)
        for ruling in said:
            check(ruling, state.game)


def test_only_what_nobody_sees_is_never_behind_a_verdict() -> None:
    all_values = {(one.key, value) for one in SETTINGS if one.span is None for value in one.values[1:]}
    assert all_values == set(VALUES) | set(UNSEEN)


@pytest.mark.parametrize("entry", SETTINGS, ids=lambda entry: entry.key)
def test_every_value_has_a_sentence_and_a_source_of_its_own(entry: Setting, capsys: pytest.CaptureFixture[str]) -> None:
    phrases = [WORDS.setting(entry.key, value) for value in entry.values]
    assert len(set(phrases)) == len(entry.values)
    assert all(value_sources(entry.key, str(value).lower()) for value in entry.values)
    assert main(["explain", entry.key]) == 0
    told = capsys.readouterr().out
    for value, phrase in zip(entry.values, phrases, strict=True):
        line = next(line for line in told.splitlines() if line.startswith(f"{entry.key}={str(value).lower()}:"))
        assert phrase in line
        assert ("unless told otherwise" in line) == (value == entry.values[0])
    rules = [rule for rule in Rule if RULEBOOK[rule].setting == entry.key and RULEBOOK[rule].values]
    for rule in rules:
        says = {WORDS.rule(rule, [f"{entry.key}={str(value).lower()}"]) for value in entry.values}
        assert len(says) == 1 + len(RULEBOOK[rule].values)


@pytest.mark.parametrize("name", [*Rule, *(entry.name for entry in (*VARIANTS, *PRESETS))])
def test_explain_knows_every_rule_variant_and_preset(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 0
    told = capsys.readouterr().out
    assert "Source: " in told
    assert not re.search(r"\b[EMLF]\d{1,2}\b|source\.|PAGAT", told), "a mark is no quotation"


def test_explain_never_contradicts_the_engine() -> None:
    told = {
        entry.name: " ".join(Presenter(WORDS).house_rules(new_game(entry.name, ("A", "B", "C")[: entry.players[0]])))
        for entry in VARIANTS
    }
    assert "under the pile" not in told["steal"]
    assert "second tie" not in told["arneson"]
    assert all("same war again" not in text for text in told.values())


def test_every_source_is_quoted_or_named() -> None:
    marks = {mark for entry in (*VARIANTS, *PRESETS) for mark in entry.sources}
    marks |= {mark for entry in SETTINGS for mark in setting_sources(entry)}
    marks |= {mark for rule in Rule for mark in rule_sources(rule)}
    marks |= {mark for text in RULEBOOK.values() for _, sources in text.values.values() for mark in sources}
    for mark in marks:
        quote = WORDS.quotes([mark])[0]
        assert quote and not quote.startswith("source."), mark
        assert mark in SITES or mark == "house" or "“" in quote
