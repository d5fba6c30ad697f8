"""Carry the English sentences into every translation, for translators: `python -m companion.words [xx]` (xx: begin it).

A new sentence arrives empty, one whose English has changed is marked fuzzy, one that English has no longer goes;
forms of cards that only this language has (`card.K.genitive`) stay.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from companion.words.catalogue import ENGLISH, languages, load_catalogue

FOLDER = Path(__file__).parent
WIDTH = 120


def collect_messages() -> Iterator[tuple[str, str | tuple[str, str]]]:
    """Key and English of every sentence; a counted thing is one key with its singular and plural."""
    templates = load_catalogue(ENGLISH).templates
    for key, text in templates.items():
        if not key.startswith("count."):
            yield key, text
        elif key.endswith(".one"):
            counted = key.removesuffix(".one")
            yield counted, (text, templates[f"{counted}.other"])


def update(old: Catalog) -> Catalog:
    """The translation with exactly the English sentences of today, and its own forms of cards."""
    kept: dict[str, Message] = {message.context: message for message in old if message.context}
    new = Catalog(
        locale=old.locale, project="War Referee", charset="utf-8", fuzzy=False, creation_date=old.creation_date
    )
    for key, english in collect_messages():
        message = kept.pop(key, None)
        changed = message is not None and message.id != english
        flags = ("fuzzy",) if message is not None and (changed or message.fuzzy) and any(message.string or ()) else ()
        new.add(english, message.string if message else None, context=key, flags=flags)
    for key, message in kept.items():
        if key.startswith("card."):
            new.add(message.id, message.string, context=key)
    return new


def write(language: str) -> int:
    """Write the file of a language anew; return how many sentences it lacks."""
    path = FOLDER / f"{language}.po"
    if path.exists():
        with path.open("rb") as file:
            catalogue = update(read_po(file, locale=language))
    else:
        catalogue = update(Catalog(locale=language))
    with path.open("wb") as file:
        write_po(file, catalogue, width=WIDTH, omit_header=False)
    return sum(1 for message in catalogue if message.context and (message.fuzzy or not any(message.string or ())))


def main(arguments: list[str]) -> None:
    """Update the languages named, or all there are."""
    for language in arguments or languages()[1:]:
        sys.stdout.write(f"{language}: {write(language)} sentences to translate\n")


if __name__ == "__main__":
    main(sys.argv[1:])
