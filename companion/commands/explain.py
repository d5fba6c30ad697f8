"""`warref explain` and `rules`: a rule, a setting, a game or a ruling in words, where it comes from, the other ways."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Iterator
from typing import Any

from companion.commands.sessions import log_path
from companion.console import out
from companion.errors import Fault, WrongWords
from companion.log import store
from companion.referee.codec import Json
from companion.referee.game import new_game
from companion.referee.rulebook import RULEBOOK, Rule, rule_sources, setting_sources, value_sources
from companion.referee.settings import SETTINGS, Setting, setting
from companion.referee.variants import PRESETS, VARIANTS, matters, settings_for, variant
from companion.table.presenter import Presenter
from companion.words import Words
from companion.words.sentences import as_sentence
from companion.words.speech import how_to_play


def run(options: argparse.Namespace, words: Words) -> int:
    """Explain what was asked for."""
    records = _look(options, words) if options.what.isdecimal() else list(_named(options.what, words))
    for record in records:
        for line in [record] if options.json else _in_words(record, words):
            out(line)
    return 0


def _named(name: str, words: Words) -> Iterator[Json]:
    """Everything of that name: a rule with the setting that changes it, else the setting; a game; a ready rule set."""
    known: list[tuple[tuple[str, ...], Callable[[str, Words], Json]]] = [
        (tuple(Rule), _rule),
        (tuple(entry.key for entry in SETTINGS if entry.key not in tuple(Rule)), _setting),
        (tuple(entry.name for entry in VARIANTS), _variant),
        (tuple(entry.name for entry in PRESETS if entry.name not in {it.name for it in VARIANTS}), _preset),
    ]
    found = [explain(name, words) for names, explain in known if name in names]
    if not found:
        names = list(dict.fromkeys(one for names, _ in known for one in names))
        near = difflib.get_close_matches(name, names) or [one for one in names if name in one] or names
        raise WrongWords(f"There is no rule {name}; there are {', '.join(near)}.")
    yield from found


def _variant(name: str, words: Words) -> Json:
    """A game: how its wars go, and how it is played where families differ."""
    entry = variant(name)
    game = new_game(name, tuple(map(str, range(min(entry.players)))))
    says = f"{words.say(f'variant.{name}')}: {words.rule(entry.war_rule)}"
    houses = list(Presenter(words).house_rules(game))
    sources = _sources(entry.sources, words)
    return {"variant": name, "says": says, "house_rules": houses, **sources, "ways": []}


def _preset(name: str, words: Words) -> Json:
    """A ready rule set: its game, and how it is played where families differ."""
    entry = next(one for one in PRESETS if one.name == name)
    title, game = words.say(f"preset.{name}"), words.say(f"variant.{entry.variant}")
    says = words.say("explain.preset", title=title, variant=game, says=words.say(f"page.preset.{name}"))
    players = tuple(map(str, range(min(variant(entry.variant).players))))
    chosen = {key: str(value) for key, value in entry.set.items()}
    houses = list(Presenter(words).house_rules(new_game(entry.variant, players, chosen)))
    sources = _sources(entry.sources, words)
    return {"preset": name, "variant": entry.variant, "says": says, "house_rules": houses, **sources, "ways": []}


def _rule(name: str, words: Words) -> Json:
    rule = Rule(name)
    text = RULEBOOK[rule]
    line: Json = {"rule": name, "says": words.rule(rule), **_sources(text.sources, words), "setting": text.setting}
    # What the setting of its name may be says the same as the other ways, and how to choose them.
    about = _values(setting(name), words) if name in {entry.key for entry in SETTINGS} else {}
    return {**line, "ways": list(words.ways(rule)), **about}


def _setting(key: str, words: Words) -> Json:
    entry = setting(key)
    first, *others = (words.setting(key, value) for value in entry.values)
    says = f"{words.say(f'setting.{key}.title')}: {first}"
    return {
        "setting": key,
        "says": says,
        **_sources(setting_sources(entry), words),
        "ways": others,
        **_values(entry, words),
    }


def _values(entry: Setting, words: Words) -> Json:
    """Each value in words with its sources, and the games that are played by another than the first."""
    values = [
        {
            "value": str(value).lower(),
            "says": words.setting(entry.key, value),
            "usual": number == 0,
            "sources": list(value_sources(entry.key, str(value).lower())),
            "quotes": list(words.value_quotes(entry, value)),
        }
        for number, value in enumerate(entry.values)
    ]
    usual = {it.name: getattr(settings_for(it.name, {}), entry.key) for it in VARIANTS if matters(entry.key, it)}
    other = {name: words.setting(entry.key, value) for name, value in usual.items() if value != entry.values[0]}
    span = {"span": list(entry.span)} if entry.span else {}
    return {"values": values, "usual_in": other, **span}


def _sources(marks: tuple[str, ...], words: Words) -> Json:
    return {"sources": list(marks), "quotes": list(words.quotes(marks))}


def _look(options: argparse.Namespace, words: Words) -> list[Json]:
    path, look = log_path(options), int(options.what)
    newest = store.list_sessions(path)
    if not newest:
        raise Fault(f"The log {path} holds no session yet.")
    number = options.session or newest[0].id
    store.load_session(path, number)
    made = [ruling for ruling in store.load_rulings(path, number) if ruling["look"] == look]
    if not made:
        raise Fault(f"Look {look} of session {number} has no ruling.")
    return [_ruling(ruling, words) for ruling in made]


def _ruling(ruling: Json, words: Words) -> Json:
    """A ruling, and the rule it cites as it is played in that game."""
    said: Json = {"ruling": ruling["ruling"], "text": words.ruling(ruling), "reason": words.reason(ruling)}
    name, in_force = str(ruling.get("rule", "")), words.in_force(ruling)
    if name not in tuple(Rule):
        return said
    rule = Rule(name)
    line = {"rule": name, "says": words.rule(name, in_force), **_sources(rule_sources(rule, in_force), words)}
    return {**said, **line, "setting": RULEBOOK[rule].setting, "ways": list(words.ways(rule))}


# --- as text ----------------------------------------------------------------------------------------


def _in_words(record: Json, words: Words) -> list[str]:
    # The reason of a ruling has its rule within.
    lines = [record["text"], record["reason"]] if "text" in record else [record["says"]]
    lines += map(as_sentence, record.get("house_rules", ()))
    if "values" in record:
        key = record.get("setting") or record["rule"]
        return lines + list(_values_in_words(key, record, words))
    lines += [words.say("explain.source", quote=quote) for quote in record.get("quotes", ())]
    if record.get("ways"):
        lines.append(words.say("explain.ways", ways=" ".join(record["ways"])))
    if record.get("setting") and "rule" in record:
        lines.append(words.say("explain.setting", key=record["setting"]))
    return [line for line in lines if line]


def _values_in_words(key: str, record: Json, words: Words) -> Iterator[str]:
    low, high = record.get("span", (0, 0))
    for one in record["values"]:
        values: dict[str, Any] = {"key": key, "value": one["value"], "says": one["says"], "low": low, "high": high}
        form = "number" if "span" in record else "usual" if one["usual"] else "value"
        yield words.say(f"explain.{form}", **values)
        yield from (f"  {words.say('explain.source', quote=quote)}" for quote in one["quotes"])
    for name, says in record["usual_in"].items():
        yield words.say("explain.usual_in", variant=words.say(f"variant.{name}"), says=says)


# --- how to play ------------------------------------------------------------------------------------


def tell_rules(options: argparse.Namespace, words: Words) -> int:
    """Tell how a game is played, from dealing to the end. Raises WrongWords for an unknown variant."""
    name = variant(options.variant).name
    sections = list(how_to_play(words, name))
    if options.json:
        texts = [{"heading": heading, "text": text} for heading, text in sections]
        out({"variant": name, "title": words.say(f"variant.{name}"), "sections": texts})
        return 0
    out(words.say(f"variant.{name}"))
    for heading, text in sections:
        out(f"\n{heading}\n{text}")
    return 0
