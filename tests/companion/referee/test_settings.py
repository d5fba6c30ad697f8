"""Settings, rules, variants and presets: every one is checked, has a source, and is said somewhere."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from companion.referee.codec import _RULINGS
from companion.referee.events import Ruling, ViolationKind
from companion.referee.game import BadCounts, new_game
from companion.referee.rulebook import RULEBOOK, Rule, setting_sources
from companion.referee.settings import SETTINGS, BadSetting, RulesError, Settings, UnknownSetting, settings
from companion.referee.variants import PRESETS, VARIANTS, UnknownVariant, WrongPlayers, settings_for
from companion.words import speak

#: A line of a source text, a public source of the rules document, or a choice of this product.
SOURCE = re.compile(r"[EMLF]\d{1,2}|PAGAT|BIKE|WIKI|DUM|ROM|ENC|GTG|FRA|HEL|MUS|PGC|CGP|SHR|NZ|MAS|VERB|ILT|SIMS|house")


def test_every_setting_of_the_record_is_described() -> None:
    assert [setting.key for setting in SETTINGS] == [f.name for f in fields(Settings)]
    plain = Settings()
    assert all(getattr(plain, setting.key) == setting.values[0] for setting in SETTINGS)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_has_a_source(setting: object) -> None:
    sources = setting_sources(setting)  # type: ignore[arg-type]
    assert sources and all(SOURCE.fullmatch(source) for source in sources)


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_has_a_sentence_and_a_source(rule: Rule) -> None:
    text = RULEBOOK[rule]
    assert text.says.endswith(".")
    assert text.sources and all(SOURCE.fullmatch(source) for source in text.sources)
    assert text.setting is None or text.setting in {setting.key for setting in SETTINGS}


@pytest.mark.parametrize("entry", (*VARIANTS, *PRESETS), ids=lambda entry: entry.name)
def test_every_variant_and_preset_has_a_source(entry: object) -> None:
    assert entry.sources and all(SOURCE.fullmatch(source) for source in entry.sources)  # type: ignore[attr-defined]


def test_presets_can_be_played() -> None:
    for preset in PRESETS:
        assert settings_for(preset.variant, preset.set)


def test_every_kind_of_ruling_has_a_name_on_the_wire() -> None:
    assert set(_RULINGS.values()) == set(Ruling.__args__)


@pytest.mark.parametrize("kind", ViolationKind)
def test_every_violation_has_a_sentence(kind: ViolationKind) -> None:
    line = {"ruling": "violation", "kind": kind, "player": "Ana", "cards": ["9S"], "holds": True, "missing": 1}
    assert speak("en").ruling({**line, "rule": "top_card"})


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("short", "never", "short can be last_card, lose, equal_force, not never."),
        ("war_down", 7, "war_down can be 3, 1, 2, 4, not 7."),
        ("faces_equal", "perhaps", "faces_equal can be false, true, not perhaps."),
        ("end_rounds", 0, "end_rounds must be a number from 1 to 1e+06, not 0."),
        ("end_rounds", "3.7", "end_rounds must be a whole number, not 3.7."),
        ("ask_above", "nan", "ask_above must be a number from 0 to 1, not nan."),
    ],
)
def test_a_bad_value_is_one_plain_sentence(key: str, value: object, sentence: str) -> None:
    with pytest.raises(BadSetting, match=re.escape(sentence)):
        settings({key: value})


def test_what_cannot_be_set_up_is_named() -> None:
    with pytest.raises(UnknownSetting):
        settings({"speed": 3})
    with pytest.raises(UnknownVariant):
        new_game("whist", ("A", "B"))
    with pytest.raises(WrongPlayers):
        new_game("classic", ("A", "B", "C"))
    with pytest.raises(WrongPlayers):
        new_game("multi", ("A", "B", "A"))
    for counts in ({"A": 26}, {"A": -1, "B": 3}, {"A": 50, "B": 50}, {"A": 26, "B": 26, "C": 0}):
        with pytest.raises(BadCounts):
            new_game("classic", ("A", "B"), counts=counts)
    assert issubclass(UnknownVariant, RulesError)
