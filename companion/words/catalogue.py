"""One language's sentences by key, with English behind every gap.

English is `en.toml`, the source; every other language is one gettext file, `fi.po`, which translators' tools open:
the key is the context (msgctxt), the English sentence the msgid. A new sentence is written into en.toml;
`python -m companion.words` then carries it into every translation, still empty, and `python -m companion.words xx`
begins a language. A sentence that is missing, marked fuzzy, or cannot be filled is said in English, and so is one
whose English has changed since; the log has a line for each.

A template is filled as `{winner} takes both: {high:name} beats {low:name}.`. What stands behind the colon
depends on the value: for a number the counted thing (`{n:card}` gives "1 card", "3 cards", from
`[count.card]`), for a card or rank one of its forms (`{high:plural}` gives "kings", from `[card.K]`), so that a
language can add as many cases as its grammar has. A tuple is joined as the language joins lists.
"""

from __future__ import annotations

import logging
import re
import string
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from gettext import c2py
from importlib.resources import files
from typing import Any

# Babel carries the plural rules and list joining of every language, so that a catalogue is only text.
from babel import Locale, UnknownLocaleError
from babel.lists import format_list
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from companion.errors import WrongWords
from companion.referee.rulebook import RULEBOOK
from companion.referee.variants import PRESETS, VARIANTS

ENGLISH = "en"
# The context of sentences that stand in code, by their English.
CODE = "code"
# Every plural form of the languages shows itself below this number.
PLURALS_SHOWN = 200

_LOG = logging.getLogger(__name__)


class NoLanguage(WrongWords):
    """There is no catalogue of that language; the text names those there are."""


class Name(str):
    """A card or rank code, said in the language's own word for it."""


class Sentence(str):
    """A sentence with the key and values it was said by, so that it can be said again in another language."""

    key: str
    values: Mapping[str, object]
    language: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The templates of one language by dotted key, and the language itself.

    `coded` translates the English sentences that stand where they are raised: in the pure core and in the vision
    package, which know no catalogue.
    """

    language: str
    templates: Mapping[str, str]
    locale: Locale
    behind: Catalogue | None = None
    coded: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        """Whether this language or English has the key."""
        return key in self.templates or (self.behind is not None and key in self.behind)

    def say(self, key: str, /, **values: object) -> str:
        """The sentence of `key` with `values` filled in; English where that fails, and last the key itself."""
        if key in self.templates:
            try:
                said = Sentence(_Filling(self).vformat(self.templates[key], (), values))
                said.key, said.values, said.language = key, values, self.language
                return said
            except (KeyError, IndexError, ValueError, AttributeError, TypeError) as why:
                _tell(self.language, key, f"cannot be filled: {why!r}", logging.WARNING)
        else:
            # A gap of a translation is expected, one of English is a mistake.
            _tell(self.language, key, "is missing", logging.WARNING if self.behind is None else logging.INFO)
        return self.behind.say(key, **values) if self.behind is not None else key

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
            case Exception():
                return retell(self.catalogue, str(value))
            case tuple():
                return self.catalogue.join(tuple(self.format_field(part, format_spec) for part in value))
            case int() if format_spec:
                category = str(self.catalogue.locale.plural_form(value))
                return self.catalogue.form(f"count.{format_spec}", category, "other").format(n=value)
        return str(value)


# --- sentences that stand in code -------------------------------------------------------------------

#: Letters that a template must have beside its placeholders for its sentence to be known by it.
LEAST_LETTERS = 4


def retell(catalogue: Catalogue, text: str) -> str:
    """A sentence in another language: one that was said by a key, or the English of an error; else as it stands.

    An error is known by its template, as gettext knows it; what fills it may be a sentence itself.
    """
    if isinstance(text, Sentence):
        if text.language == catalogue.language:
            return text
        values = {name: retell(catalogue, one) if isinstance(one, str) else one for name, one in text.values.items()}
        return catalogue.say(text.key, **values)
    if not catalogue.coded or not text:
        return text
    return _retell_coded(catalogue, text) or text


def _retell_coded(catalogue: Catalogue, text: str) -> str:
    if found := catalogue.coded.get(text):
        return found
    for pattern, template in _patterns(catalogue.language):
        if match := pattern.fullmatch(text):
            said = catalogue.coded[template]
            for name, value in match.groupdict().items():
                said = said.replace(f"{{{name}}}", retell(catalogue, value))
            return said
    small = text[:1].lower() + text[1:]
    if small != text and (found := catalogue.coded.get(small) or _retell_coded(catalogue, small)):
        return found[:1].upper() + found[1:]
    before, colon, after = text.partition(": ")
    found = _retell_coded(catalogue, after) if colon else ""
    return f"{before}: {found}" if found else ""


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What each sentence with placeholders looks like once filled, the most telling first."""
    found = []
    for template in load_catalogue(language).coded:
        parts = list(string.Formatter().parse(template))
        letters = sum(sign.isalpha() for literal, *_ in parts for sign in literal)
        if any(name for _, name, _, _ in parts) and letters >= LEAST_LETTERS:
            shape = "".join(re.escape(literal) + (f"(?P<{name}>.+?)" if name else "") for literal, name, _, _ in parts)
            found.append((letters, re.compile(shape, re.DOTALL), template))
    return tuple((pattern, template) for _, pattern, template in sorted(found, key=lambda one: -one[0]))


@cache
def load_catalogue(language: str) -> Catalogue:
    """The catalogue of a language code as `en` or `fi`. Raises NoLanguage."""
    known = languages()
    if language not in known:
        raise NoLanguage(f"There is no language {language!r}; there are: {', '.join(known)}.")
    folder = files(__package__)
    if language == ENGLISH:
        templates = dict(_flat(tomllib.loads(folder.joinpath("en.toml").read_text("utf-8"))))
        return Catalogue(language, {**dict(_of_the_engine()), **templates}, _locale(language))
    with folder.joinpath(f"{language}.po").open("rb") as file:
        translation = read_po(file, locale=language)
    english = load_catalogue(ENGLISH)
    templates, locale = dict(read_templates(translation, english.templates)), _locale(language)
    return Catalogue(language, templates, locale, english, dict(_read_coded(translation)))


def read_templates(translation: Catalog, english: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Keys and templates of a gettext file; plural forms as `count.card.few`.

    Empty and fuzzy ones are left out, and translations of another English than today's.
    """
    locale = _locale(str(translation.locale_identifier or ENGLISH))
    index = c2py(translation.plural_expr)
    for message in translation:
        key, strings = message.context, message.string
        if not key or key == CODE or message.fuzzy or not strings:
            continue
        if isinstance(strings, str):
            if english.get(key, message.id) == message.id:
                yield key, strings
        elif (english.get(f"{key}.one"), english.get(f"{key}.other")) == tuple(message.id):
            shown = {str(locale.plural_form(number)): strings[index(number)] for number in range(PLURALS_SHOWN)}
            yield from ((f"{key}.{form}", text) for form, text in shown.items() if text)


def _read_coded(translation: Catalog) -> Iterator[tuple[str, str]]:
    for message in translation:
        if message.context == CODE and message.string and not message.fuzzy:
            yield str(message.id), str(message.string)


@cache
def _tell(language: str, key: str, what: str, level: int) -> None:
    """One line for each such sentence, however often it is said."""
    _LOG.log(level, "Words: the sentence %s of %s %s", key, language, what)


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
    return (ENGLISH, *sorted(name.removesuffix(".po") for name in names if name.endswith(".po")))


def name_language(code: str) -> str:
    """What a language calls itself.

    >>> name_language("fi"), name_language("mk")
    ('suomi', 'македонски')
    """
    return _locale(code).get_display_name(code) or code


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
