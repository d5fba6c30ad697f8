"""`warref settings`: every setting of the program, its value and where it comes from; writes one into the file."""

from __future__ import annotations

import argparse

from companion import defaults
from companion.console import out
from companion.errors import WrongWords
from companion.preferences import Chosen, load_preferences, settings_file, write_preferences
from companion.words import Words


def run(options: argparse.Namespace, words: Words) -> int:
    """Tell all settings, or one; with a value, or `--unset`, write it. Raises WrongWords."""
    if options.key is not None and (options.value is not None or options.unset):
        write_preferences({options.key: None if options.unset else options.value})
    known = load_preferences()
    if options.key is not None and options.key not in known:
        raise WrongWords(words.say("settings.unknown", key=options.key, keys=", ".join(known)))
    shown = [as_called(one, options) for key, one in known.items() if options.key in (None, key)]
    for one in shown:
        value = _value(one)
        if options.json:
            out({"key": one.preference.key, "value": value, "from": one.source, "where": one.where})
        else:
            came = words.say(f"settings.from.{one.source}", where=one.where)
            out(f"{one.preference.key} = {'-' if value is None else value}  ({came})")
    if not options.json and options.key is None:
        out(words.say("settings.file", path=settings_file()))
    return 0


def as_called(one: Chosen, options: argparse.Namespace) -> Chosen:
    """The setting as this very call has it."""
    said = getattr(options, one.preference.key, one.value)
    return one if said == one.value else Chosen(one.preference, said, "call", f"--{one.preference.key}")


def _value(one: Chosen) -> object:
    """The value as it is told: the log's default is a place that depends on the system."""
    if one.preference.key == "log" and one.value is None:
        return str(defaults.default_log())
    return str(one.value) if one.value is not None and not isinstance(one.value, int) else one.value
