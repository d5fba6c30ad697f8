"""One language's sentences: a TOML file of keys and templates, with English behind every gap.

A template is filled as `{winner} takes both: {high:name} beats {low:name}.`. What stands behind the colon
depends on the value: for a number the counted thing (`{n:card}` gives "1 card", "3 cards", from
`[count.card]`), for a card or rank one of its forms (`{high:plural}` gives "kings", from `[card.K]`), so that a
language can add as many cases as its grammar has. A tuple is joined as the language joins lists.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

# Babel carries the plural rules and list joining of every language, so that a catalogue is only text.
from babel import Locale, UnknownLocaleError
from babel.lists import format_list

from companion.errors import WrongWords
from companion.referee.rulebook import RULEBOOK
from companion.referee.variants import PRESETS, VARIANTS

ENGLISH = "en"


class NoLanguage(WrongWords):
    """There is no catalogue of that language; the text names those there are."""


class Name(str):
    """A card or rank code, said in the language's own word for it."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The templates of one language by dotted key, and the language itself."""

    language: str
    templates: Mapping[str, str]
    locale: Locale
    behind: Catalogue | None = None

    def __contains__(self, key: str) -> bool:
        """Whether this language or English has the key."""
        return key in self.templates or (self.behind is not None and key in self.behind)

    def say(self, key: str, /, **values: object) -> str:
        """The sentence of `key` with `values` filled in. Raises KeyError where even English has none."""
        if key not in self.templates and self.behind is not None:
            return self.behind.say(key, **values)
        return _Filling(self).vformat(self.templates[key], (), values)

    def join(self, parts: tuple[str, ...]) -> str:
        """The parts joined by "and"."""
        # CLDR's English has a comma before "and"; said aloud it is only a pause too many.
        return format_list(parts, locale=self.locale).replace(", and ", " and ")

    def either(self, choices: tuple[str, ...]) -> str:
        """The choices joined by "or"."""
        return format_list(choices, style="or", locale=self.locale).replace(", or ", " or ")

    def form(self, prefix: str, form: str, fallback: str) -> str:
        """The template of `prefix.form`, else of `prefix.fallback`, here or in English. Raises KeyError."""
        for key in (f"{prefix}.{form}", f"{prefix}.{fallback}"):
            if key in self.templates:
                return self.templates[key]
        if self.behind is None:
            raise KeyError(f"{prefix}.{form}")
        return self.behind.form(prefix, form, fallback)


class _Filling(string.Formatter):
    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def format_field(self, value: object, format_spec: str) -> str:
        match value:
            case Name():
                return self.catalogue.form(f"card.{value}", format_spec or "name", "name")
            case tuple():
                return self.catalogue.join(tuple(self.format_field(part, format_spec) for part in value))
            case int() if format_spec:
                category = str(self.catalogue.locale.plural_form(value))
                return self.catalogue.form(f"count.{format_spec}", category, "other").format(n=value)
        return str(value)


@cache
def load_catalogue(language: str) -> Catalogue:
    """The catalogue of a language code as `en` or `fi`. Raises NoLanguage."""
    known = languages()
    if language not in known:
        raise NoLanguage(f"There is no language {language!r}; there are: {', '.join(known)}.")
    text = files(__package__).joinpath(f"{language}.toml").read_text("utf-8")
    templates = dict(_flat(tomllib.loads(text)))
    if language == ENGLISH:
        return Catalogue(language, {**dict(_of_the_engine()), **templates}, _locale(language))
    return Catalogue(language, templates, _locale(language), load_catalogue(ENGLISH))


def _of_the_engine() -> Iterator[tuple[str, str]]:
    """The English that stands beside the rules themselves, under the keys a translation gives it."""
    for rule, text in RULEBOOK.items():
        yield f"rule.{rule}", text.says
        yield from ((f"rule.{rule}.{value}", says) for value, (says, _) in text.values.items())
        for number, way in enumerate(text.ways, start=1):
            yield f"way.{rule}.{number}", way
    for variant in VARIANTS:
        yield f"variant.{variant.name}", variant.title
    for preset in PRESETS:
        yield f"preset.{preset.name}", preset.title


def languages() -> tuple[str, ...]:
    """The codes of the languages there is a catalogue for."""
    names = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def placeholders(template: str) -> frozenset[str]:
    """The names of the values a template uses."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(template) if name)


def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        return Locale.parse(ENGLISH)


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, str(value)
