"""Every sentence is said in every language: none is missing, none left over, none beyond the reach of a catalogue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from companion.cli import main
from companion.words import languages, speak
from companion.words.__main__ import FOLDER, collect_coded, collect_messages
from companion.words.catalogue import CODE, load_catalogue, placeholders

ROOT = Path(__file__).parent.parent
TRANSLATIONS = languages()[1:]
ENGLISH = load_catalogue("en").templates
PAGES = sorted((ROOT / "companion").rglob("*.html"))
#: Letters that a page shows and nobody translates: a card's own print, examples of what is typed, names.
SHOWN = ("JOKER", "http", "SHDC", "A23456789TJQK", "War Referee", "utf-8", "BG Stats")
#: Sentences whose keys no code writes out: they are found by what they are about.
BY_NAME = ("card.", "count.", "rule.", "way.", "setting.", "variant.", "preset.", "source.text.", "choice.", "suit.")


def messages(language: str) -> dict[tuple[str, object], object]:
    with (FOLDER / f"{language}.po").open("rb") as file:
        found = read_po(file, locale=language)
    told = {(one.context, one.id if one.context == CODE else None): one for one in found if one.context}
    return {key: one.string for key, one in told.items() if not one.fuzzy and any(one.string or ())}


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_no_sentence_is_left_in_english(language: str) -> None:
    wanted = {(key, english if key == CODE else None) for key, english in collect_messages()}
    lacking = wanted - messages(language).keys()
    assert not lacking, f"python -m companion.words {language}, then translate {len(lacking)}"


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_no_sentence_is_left_over(language: str) -> None:
    own = load_catalogue(language).templates
    assert all(key.startswith(("card.", "count.")) for key in set(own) - set(ENGLISH))
    assert not {english for key, english in messages(language) if key == CODE} - set(collect_coded())


# --- sentences that stand in code -------------------------------------------------------------------


def filled(template: str) -> str:
    for name in placeholders(template):
        template = template.replace(f"{{{name}}}", f"7{name}")
    return template


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_sentence_in_code_is_reached(language: str) -> None:
    words, coded = speak(language), load_catalogue(language).coded
    lost = [one for one in collect_coded() if words.retell(filled(one)) != filled(coded[one])]
    # Templates whose words are those of another one, as "There is no pack {name}.", may be said by it.
    assert not [one for one in lost if words.retell(filled(one)) == filled(one) != filled(coded[one])]
    assert len(lost) <= 3, lost


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_sentence_in_code_keeps_its_placeholders(language: str) -> None:
    coded = load_catalogue(language).coded
    bare = {english for english in coded if not placeholders_of(english)}
    assert not [one for one in coded if one not in bare and placeholders_of(one) != placeholders_of(coded[one])]


def placeholders_of(template: str) -> frozenset[str]:
    try:
        return placeholders(template)
    except ValueError:  # braces that are meant
        return frozenset()


def test_a_new_sentence_in_code_is_found() -> None:
    from companion.words.__main__ import _coded

    source = """
def run():
    "A docstring is read by nobody at a table."
    log.warning("The program's own log stays English.")
    tell(f"The film {path!r:.40} is over.")
    raise Fault("There is no such thing" if bad else "")
    return "A new game begins."
    parser.add_argument("--x", help="another way")
"""
    assert set(_coded(ast.parse(source))) == {"The film {path} is over.", "A new game begins.", "another way"}


def test_errors_are_said_in_the_language_of_the_call(capsys: pytest.CaptureFixture[str]) -> None:
    for language, says in (("fi", "Muunnosta poker ei ole; on classic"), ("mk", "Нема варијанта poker; има classic")):
        assert main(["rules", "poker", "--lang", language]) == 2
        assert says in capsys.readouterr().err
    assert main(["--lang", "ro", "read"]) == 2
    assert "Lipsesc aceste argumente: PATH" in capsys.readouterr().err
    assert main(["rules", "poker", "--lang", "tlh"]) == 2
    assert "en, eo, fi" in capsys.readouterr().err


def test_help_is_in_the_language_of_the_call(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["watch", "--help", "--lang", "lv"])
    told = capsys.readouterr().out
    assert told.startswith("lietošana: ") and "tiesāt vienu galdu" in told and "only the terminal" not in told


# --- the pages --------------------------------------------------------------------------------------


def bare_text(page: str) -> Iterator[str]:
    """Letters of a template that stand in no expression, tag or comment: text, and what a browser shows of a tag."""
    page = re.sub(r"{#.*?#}|<!--.*?-->|<style.*?</style>|<script.*?</script>", " ", page, flags=re.DOTALL)
    shown = re.findall(r'(?:title|alt|aria-label|placeholder)="([^"]*)"', re.sub(r"{{.*?}}|{%.*?%}", "", page))
    text = re.sub(r"<[^>]*>", " ", re.sub(r"{{.*?}}|{%.*?%}", " ", page, flags=re.DOTALL))
    for part in (text, *shown):
        for known in SHOWN:
            part = part.replace(known, "")
        yield from re.findall(r"[^\W\d_]{2,}", part)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_has_no_words_of_its_own(path: Path) -> None:
    assert not list(bare_text(path.read_text("utf-8")))


def test_the_script_of_the_page_has_no_sentences() -> None:
    scripts = [path.read_text("utf-8") for path in (ROOT / "companion/web/static").glob("*.js")]
    code = re.sub(r"(?m)^\s*//.*$|(?<=\s)// .*$", "", "\n".join(scripts))
    texts = [text for _, text in re.findall(r"([\"'`])((?:(?!\1).)*)\1", code)]
    assert not [text for text in texts if re.fullmatch(r"[A-Z][^<>{}=]* [^<>{}=]*[.!?…]", text)]


# --- keys -------------------------------------------------------------------------------------------


def written_keys() -> tuple[set[str], set[str]]:
    """Keys that code and pages write out whole, and the beginnings of those that they put together."""
    whole, begun = set(), set()
    for path in (ROOT / "companion").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole.add(node.value)
            elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                begun.add(str(node.values[0].value))
    for path in PAGES:
        for text in re.findall(r"[\"']([a-z_]+\.[\w.-]*)[\"']", path.read_text("utf-8")):
            (begun if text.endswith((".", "_")) else whole).add(text)
    return whole, {text for text in begun if re.fullmatch(r"[a-z_]+\.([\w-]+\.)*\w*", text)}


def test_every_key_is_reached() -> None:
    whole, begun = written_keys()
    lost = [key for key in ENGLISH if key not in whole and not key.startswith((*BY_NAME, *begun))]
    # Keys put together in parts, as `f"page.{self.section}.{name}"`: their last part is written somewhere.
    assert not [key for key in lost if key.rpartition(".")[2] not in whole]


def test_every_key_that_is_written_has_a_sentence() -> None:
    heads = {key.partition(".")[0] for key in ENGLISH}
    found = set()
    for path in (*(ROOT / "companion").rglob("*.py"), *PAGES):
        found |= set(re.findall(r"\bsay\(\s*(?:now, )?[\"']([\w.-]+)[\"']", path.read_text("utf-8")))
    keys = {key for key in found if key.partition(".")[0] in heads and not key.endswith((".", "_"))}
    assert len(keys) > 100
    assert not [key for key in keys if key not in ENGLISH]


# --- the main job -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_game_is_told_in_every_language(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    for script in sorted((ROOT / "tests/games").glob("*.looks")):
        told = {}
        for lang in ("en", language):
            assert main(["replay", str(script), "--lang", lang, "--summary"]) == 0
            told[lang] = capsys.readouterr().out.splitlines()
        both = set(told["en"]) & set(told[language])
        # A card shown and named alike, as "Ana: joker.", may be.
        assert len(told["en"]) == len(told[language]) and not [line for line in both if len(line.split()) > 4], both


@pytest.mark.slow
@pytest.mark.parametrize("language", TRANSLATIONS)
def test_the_sample_photos_are_refereed_in_every_language(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The README's main job without a camera: a folder of photographs, watched."""
    call = ["watch", "--source", str(ROOT / "sample_images/game"), "--variant", "classic", "--players", "Ana,Ben"]
    told = {}
    for lang in ("en", language):
        assert main([*call, "--no-page", "--summary", "--lang", lang]) == 0
        told[lang] = capsys.readouterr().out.splitlines()
    assert len(told["en"]) == len(told[language]) > 5
    assert not set(told["en"]) & set(told[language])
