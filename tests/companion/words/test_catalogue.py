"""The catalogues of the languages: the same keys, placeholders and forms; English behind every gap."""

import logging
import string

import pytest
from babel import Locale
from babel.messages.pofile import read_po

from companion.words import catalogue as unit
from companion.words import languages, speak
from companion.words.__main__ import FOLDER, collect_messages, update
from companion.words.catalogue import Catalogue, load_catalogue, placeholders

TRANSLATIONS = languages()[1:]


def _read(language):
    with (FOLDER / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


def _counted(template):
    return {spec for _, _, spec, _ in string.Formatter().parse(template) if spec}


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_has_the_placeholders_of_english(language):
    english, own = load_catalogue("en").templates, load_catalogue(language).templates
    shared = {key for key in own if key in english and not key.startswith("count.")}
    assert not [key for key in shared if placeholders(own[key]) != placeholders(english[key])]
    forms = {key.rpartition(".")[2] for key in own if key.startswith(("card.", "count."))}
    counted = {key.split(".")[1] for key in english if key.startswith("count.")}
    assert not [key for key in own for form in _counted(own[key]) if form not in forms | counted]


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_plural_form_of_the_language_is_there(language):
    wanted = {Locale.parse(language).plural_form(number) for number in range(200)}
    counted = {key.split(".")[1] for key in load_catalogue("en").templates if key.startswith("count.")}
    own = load_catalogue(language).templates
    assert not [f"count.{thing}.{form}" for thing in counted for form in wanted if f"count.{thing}.{form}" not in own]


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", ("0 rounds", "1 round", "2 rounds", "11 rounds", "20 rounds", "21 rounds")),
        ("eo", ("0 rondoj", "1 rondo", "2 rondoj", "11 rondoj", "20 rondoj", "21 rondoj")),
        ("fi", ("0 kierrosta", "1 kierros", "2 kierrosta", "11 kierrosta", "20 kierrosta", "21 kierrosta")),
        ("lv", ("0 raundu", "1 raunds", "2 raundi", "11 raundu", "20 raundu", "21 raunds")),
        ("mk", ("0 рунди", "1 рунда", "2 рунди", "11 рунди", "20 рунди", "21 рунда")),
        ("ro", ("0 runde", "1 rundă", "2 runde", "11 runde", "20 de runde", "21 de runde")),
    ],
)
def test_numbers_take_the_forms_of_the_language(language, says):
    words = speak(language)
    assert tuple(words.say("sessions.rounds", n=number) for number in (0, 1, 2, 11, 20, 21)) == says


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("eo", "Ana prenas ambaŭ: reĝo venkas naŭon."),
        ("fi", "Ana saa molemmat: kuningas voittaa yhdeksikön."),
        ("lv", "Ana ņem abas: kungs pārspēj devītnieku."),
        ("mk", "Ana ги зема двете: поп победува деветка."),
        ("ro", "Ana ia ambele cărți: popă bate nouă."),
    ],
)
def test_a_battle_is_told_in_every_language(language, says):
    faces = {"Ana": ["KS"], "Ben": ["9H"]}
    won = {"ruling": "battle_won", "winner": "Ana", "faces": faces, "pot": 2, "takes": {"Ana": 2}, "wars": 0}
    assert speak(language).ruling(won) == says


@pytest.mark.parametrize("language", languages())
def test_every_sentence_can_be_filled(language, caplog):
    words = load_catalogue(language)
    values = {"n": 3, "m": 2}
    with caplog.at_level(logging.INFO):
        unit._tell.cache_clear()
        for key, template in words.templates.items():
            if not key.startswith(("count.", "card.")):
                words.say(key, **{name: _value(template, name, values) for name in placeholders(template)})
    assert not [record.getMessage() for record in caplog.records if "cannot be filled" in record.getMessage()]


def _value(template, wanted, values):
    counted = {key.split(".")[1] for key in load_catalogue("en").templates if key.startswith("count.")}
    spec = next(spec for _, name, spec, _ in string.Formatter().parse(template) if name == wanted)
    return 3 if spec in counted else unit.Name("K") if spec else values.get(wanted, "Ana")


def test_a_gap_is_english_and_a_line_in_the_log(caplog):
    english = load_catalogue("en")
    torn = Catalogue("xx", {"chip.war": "{nobody}", "chip.hand": "{", "chip.paused": "Pauza"}, english.locale, english)
    unit._tell.cache_clear()
    with caplog.at_level(logging.INFO):
        assert [torn.say(f"chip.{key}") for key in ("war", "hand", "settling", "paused", "settling")] == [
            *("War: lay cards", "Hand over the table", "Hold still …", "Pauza", "Hold still …")
        ]
        assert english.say("no.such_key") == "no.such_key"
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 4
    assert all(
        part in line for part, line in zip(("chip.war", "chip.hand", "chip.settling", "no.such"), told, strict=True)
    )


def test_a_translation_of_an_older_english_is_not_said():
    finnish, english = _read("fi"), load_catalogue("en").templates
    told = dict(unit.read_templates(finnish, english))
    changed = dict(
        unit.read_templates(finnish, {**english, "chip.war": "War!", "count.card.other": "{n} of the cards"})
    )
    assert told["chip.war"] == "Sota: kortit pöytään"
    assert set(told) - set(changed) == {"chip.war", "count.card.one", "count.card.other"}


def test_new_english_arrives_empty_and_changed_english_is_fuzzy():
    old = _read("fi")
    key, english = next(collect_messages())
    old.add("An older sentence.", "Vanha lause.", context="rule.goal")
    for message in old:
        if message.context == "chip.war":
            message.id = "War"
    old.delete("Ready", context="chip.hand")
    new = {message.context: message for message in update(old) if message.context}
    assert new["chip.war"].fuzzy
    assert new["chip.war"].id == "War: lay cards"
    assert new["card.K.gen"].string == "kuninkaan"
    assert new[key].id == english
