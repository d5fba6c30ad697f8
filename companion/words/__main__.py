"""Carry the English sentences into every translation, for translators: `python -m companion.words [xx]` (xx: begin it).

A new sentence arrives empty, one whose English has changed is marked fuzzy, one that English has no longer goes;
forms of cards that only this language has (`card.K.genitive`) stay.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from companion.words.catalogue import CODE, ENGLISH, LEAST_LETTERS, languages, load_catalogue

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
WIDTH = 120


def collect_messages() -> Iterator[tuple[str, str | tuple[str, str]]]:
    """Key and English of every sentence; a counted thing is one key with its singular and plural."""
    yield from collect_keyed()
    yield from ((CODE, english) for english in collect_coded())


def collect_keyed() -> Iterator[tuple[str, str | tuple[str, str]]]:
    """The sentences of en.toml and of the rulebook."""
    templates = load_catalogue(ENGLISH).templates
    for key, text in templates.items():
        if not key.startswith("count."):
            yield key, text
        elif key.endswith(".one"):
            counted = key.removesuffix(".one")
            yield counted, (text, templates[f"{counted}.other"])


def update(old: Catalog) -> Catalog:
    """The translation with exactly the English sentences of today, and its own forms of cards."""
    kept = {_identity(message.context, message.id): message for message in old if message.context}
    new = Catalog(
        locale=old.locale, project="War Referee", charset="utf-8", fuzzy=False, creation_date=old.creation_date
    )
    for key, english in collect_messages():
        message = kept.pop(_identity(key, english), None)
        changed = message is not None and message.id != english
        flags = ("fuzzy",) if message is not None and (changed or message.fuzzy) and any(message.string or ()) else ()
        new.add(english, message.string if message else None, context=key, flags=flags)
    for message in kept.values():
        if message.context and message.context.startswith("card."):
            new.add(message.id, message.string, context=message.context)
    return new


def _identity(key: str, english: object) -> tuple[str, object]:
    """What makes a message the same one: its key, and of a sentence in code its English."""
    return key, english if key == CODE else None


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


# --- sentences that stand in code -------------------------------------------------------------------

#: What is looked through: the program; not what is never used at a table.
PACKAGES = ("companion", "vision")
LEFT_OUT = (
    *("vision/lab/", "vision/__main__.py", "companion/words/", "companion/simulation/samples.py"),
    # The catalogue has these under keys.
    "companion/referee/rulebook.py",
)
#: A text of at least two words that ends as a sentence does, or that an argument's help consists of.
_PROSE = re.compile(
    r"(?!.*[=<>] \?|SELECT |INSERT |UPDATE |DELETE |CREATE ).*[^\W\d_]{2,}.* .*[.!?:…]”?|[A-Z][a-z]+\.", re.DOTALL
)
#: Constants whose texts are parts of a sentence.
_PHRASES = ("COMMANDS", "_KINDS", "_EXPORTS")
_FILLED = re.compile(r"\{\w*\}")
_HELP = ("help", "description")
#: What takes a part of a sentence: its words are prose however they end.
_TOLD = ("tell", "ArgumentTypeError", "BadSeats", "RefereeError", "Refusal", "LaidWrong")
#: What argparse says by itself.
ARGPARSE = (
    *("usage: ", "positional arguments", "options", "show this help message and exit", "everywhere"),
    *("show program's version number and exit", "the following arguments are required: {names}"),
    *("argument {name}: {why}", "unrecognized arguments: {names}", "expected one argument"),
    *(
        "invalid choice: {value} (choose from {choices})",
        "invalid {kind} value: {value}",
        "expected at least one argument",
    ),
    *("ambiguous option: {option} could match {names}", "not allowed with argument {name}"),
    *("ignored explicit argument {value}", "expected {n} arguments"),
)
#: What the system says of a file or an address, in the middle of our sentences.
SYSTEM = (
    *("no such file or directory", "permission denied", "is a directory", "not a directory", "file exists"),
    *("no space left on device", "read-only file system", "input/output error", "file name too long"),
    *("device or resource busy", "connection refused", "no route to host", "address already in use"),
)


@cache
def collect_coded() -> tuple[str, ...]:
    """The English of every sentence that stands in code, with its values as placeholders, in the order of the files."""
    found = dict.fromkeys((*ARGPARSE, *SYSTEM))
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not str(path.relative_to(ROOT)).startswith(LEFT_OUT):
                found |= dict.fromkeys(_coded(ast.parse(path.read_text("utf-8"))))
    return tuple(text for text in found if sum(map(str.isalpha, _FILLED.sub("", text))) >= LEAST_LETTERS)


def _coded(tree: ast.Module) -> Iterator[str]:
    """The sentences of one module."""
    silent = set(_silent(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Raise(exc=ast.Call() as call):
                silent |= {id(within) for argument in call.args for within in ast.walk(argument)}
                yield from _told(call)
            case ast.Call(func=function) if _name_of(function) in _TOLD:
                silent |= {id(within) for argument in node.args for within in ast.walk(argument)}
                yield from _told(node)
            case ast.keyword(arg=name) if name in _HELP:
                yield from filter(str.strip, [template(node.value)])
            case ast.Dict():
                named = zip(node.keys, node.values, strict=True)
                yield from (template(value) for key, value in named if getattr(key, "value", "") in _HELP)
            case ast.Assign(targets=targets) if any(_name_of(one) in _PHRASES for one in targets):
                texts = [template(part) for part in ast.walk(node.value)]
                yield from (text for text in texts if text.count(" ") > 1)
    for node in ast.walk(tree):
        text = template(node) if id(node) not in silent else ""
        if text and _PROSE.fullmatch(text):
            yield text


def _told(call: ast.Call) -> Iterator[str]:
    texts = (template(argument) for argument in call.args)
    yield from (text for text in texts if " " in text.strip() or text.endswith("."))


def template(node: ast.AST) -> str:
    """The text of a string as a template: what is filled in becomes a placeholder named for it.

    >>> template(ast.parse("f'There is no pack {name!r:.40}: {len(packs)} of {a.b}.'").body[0].value)
    'There is no pack {name}: {packs} of {b}.'
    """
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    said = ""
    names: list[str] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            said += str(part.value).replace("{", "{{").replace("}", "}}")
        else:
            names.append(_placeholder(part, names))
            said += f"{{{names[-1]}}}"
    return said if names else said.replace("{{", "{").replace("}}", "}")


def _placeholder(node: ast.AST, taken: list[str]) -> str:
    words = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
    words = [one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)][:1] + words[::-1]
    name = next((word.strip("_").lower() for word in words if word not in ("self", "str", "len", "join")), "value")
    return name if name not in taken else f"{name}_{len(taken) + 1}"


def _name_of(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _silent(tree: ast.Module) -> Iterator[int]:
    """Strings that nobody reads: docstrings and other bare texts, the log of the program, parts of f-strings, SQL."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield id(node.value)
        elif isinstance(node, ast.JoinedStr):
            yield from (id(part) for part in node.values)
        elif isinstance(node, ast.Call) and _name_of(node.func) in _UNREAD:
            yield from (id(within) for argument in node.args for within in ast.walk(argument))
        elif isinstance(node, ast.Assert):
            yield from map(id, ast.walk(node))


#: Calls whose texts are for programs: the program's log, regular expressions, SQL.
_UNREAD = ("debug", "info", "warning", "exception", "compile", "execute", "executescript", "query", "search")


def main(arguments: list[str]) -> None:
    """Update the languages named, or all there are."""
    for language in arguments or languages()[1:]:
        sys.stdout.write(f"{language}: {write(language)} sentences to translate\n")


if __name__ == "__main__":
    main(sys.argv[1:])
