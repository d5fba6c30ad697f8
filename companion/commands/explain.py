"""`warref explain`: a rule, a setting or a ruling in words, where it comes from, the other common ways."""

from __future__ import annotations

import argparse
import difflib

from companion.commands.sessions import log_path
from companion.console import out
from companion.errors import Fault, WrongWords
from companion.log import store
from companion.referee.codec import Json
from companion.referee.game import new_game
from companion.referee.rulebook import RULEBOOK, Rule
from companion.referee.settings import SETTINGS, setting
from companion.referee.variants import VARIANTS, variant
from companion.table.presenter import Presenter
from companion.words import Words


def run(options: argparse.Namespace, words: Words) -> int:
    """Explain what was asked for."""
    records = _look(options, words) if options.what.isdecimal() else [_named(options.what, words)]
    for record in records:
        for line in [record] if options.json else _in_words(record, words):
            out(line)
    return 0


def _named(name: str, words: Words) -> Json:
    if name in tuple(Rule):
        return _rule(Rule(name), words)
    if name in {entry.key for entry in SETTINGS}:
        return _setting(name, words)
    if name in {entry.name for entry in VARIANTS}:
        return _variant(name, words)
    known = list(dict.fromkeys((*Rule, *(entry.key for entry in SETTINGS), *(entry.name for entry in VARIANTS))))
    near = difflib.get_close_matches(name, known) or [one for one in known if name in one] or known
    raise WrongWords(f"There is no rule {name}; there are {', '.join(near)}.")


def _variant(name: str, words: Words) -> Json:
    """A game: how its wars go, and how it is played where families differ."""
    entry = variant(name)
    game = new_game(name, tuple(map(str, range(min(entry.players)))))
    says = f"{words.say(f'variant.{name}')}: {words.rule(entry.war_rule)}"
    houses = list(Presenter(words).house_rules(game))
    return {"variant": name, "says": says, "house_rules": houses, "sources": list(entry.sources), "ways": []}


def _rule(rule: Rule, words: Words) -> Json:
    text = RULEBOOK[rule]
    line: Json = {"rule": str(rule), "says": words.rule(rule), "sources": list(text.sources)}
    return {**line, "setting": text.setting, "ways": list(words.ways(rule))}


def _setting(key: str, words: Words) -> Json:
    entry = setting(key)
    first, *others = (words.setting(key, value) for value in entry.values)
    says = f"{words.say(f'setting.{key}.title')}: {first}"
    return {"setting": key, "says": says, "sources": list(entry.sources), "ways": others}


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
    said: Json = {"ruling": ruling["ruling"], "text": words.ruling(ruling), "reason": words.reason(ruling)}
    name = str(ruling.get("rule", ""))
    return {**said, **(_rule(Rule(name), words) if name in tuple(Rule) else {})}


def _in_words(record: Json, words: Words) -> list[str]:
    lines = [record[key] for key in ("text", "says") if key in record]
    lines += record.get("house_rules", ())
    if record.get("sources"):
        lines.append(words.say("explain.sources", sources=", ".join(record["sources"])))
    if record.get("ways"):
        lines.append(words.say("explain.ways", ways=" ".join(record["ways"])))
    if record.get("setting") and "rule" in record:
        lines.append(words.say("explain.setting", key=record["setting"]))
    return lines
