"""README and docs are true: their commands exist, their examples parse, and what they say to type is what is run."""

from __future__ import annotations

import json
import re
import shlex
import stat
from pathlib import Path

import pytest

from companion.cli import COMMANDS, MAIN, main
from companion.commands._options import parser
from companion.referee.codec import input_from_json
from companion.referee.rulebook import RULEBOOK, setting_sources
from companion.referee.settings import SETTINGS
from companion.referee.variants import PRESETS, VARIANTS
from companion.words import speak
from vision.__main__ import _parser as vision_parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
INTERFACES = (ROOT / "companion" / "INTERFACES.md").read_text("utf-8")
SHELL = re.findall(r"^```sh\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
#: Each command line of the examples, without comments.
LINES = [line for block in SHELL for line in block.splitlines() if line and not line.startswith("#")]
PLAY, TEST = LINES[:2]


def examples(*start: str) -> list[list[str]]:
    """The words after `start` of every example that begins so."""
    words = [shlex.split(line) for line in LINES]
    return [line[len(start) :] for line in words if line[: len(start)] == list(start)]


def table(text: str, first: str) -> list[list[str]]:
    """The cells of the rows of the table whose head begins with `first`, without back-ticks."""
    rows = text.split(f"| {first} |")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().replace("`", "") for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


def subcommands(first_row: str) -> list[str]:
    """The second or later word of each command in the table, in its order."""
    found = [row for part in README.split("| command | does |")[1:] for row in part.split("\n\n")[0].splitlines()]
    calls = [match.group(1) for row in found if (match := re.match(rf"\| `{re.escape(first_row)}([^`]*)`", row))]
    return [call.split()[0] if call.split() else "" for call in calls]


def test_both_commands_make_their_own_environment() -> None:
    assert PLAY.startswith("python3 -m venv .venv && ") and PLAY.endswith(".venv/bin/warref")
    assert TEST.startswith("python3 -m venv .venv && ") and TEST.endswith("-m pytest")


def test_the_test_command_is_run_word_for_word() -> None:
    script = ROOT / ".ci" / "run"
    assert TEST in script.read_text("utf-8").splitlines()
    assert script.stat().st_mode & stat.S_IXUSR


def test_the_table_of_commands_is_the_programs() -> None:
    assert subcommands("warref") == ["", *COMMANDS]


def test_the_table_of_the_eyes_commands_is_theirs() -> None:
    (choices,) = (action.choices for action in vision_parser()._actions if action.dest == "command")
    assert subcommands("python -m vision") == list(choices or ())


@pytest.mark.parametrize("words", examples("warref"), ids=" ".join)
def test_every_example_parses(words: list[str]) -> None:
    options = parser(COMMANDS, MAIN, speak("en")).parse_args(words)
    assert getattr(options, "variant", None) in (None, *(variant.name for variant in VARIANTS))
    keys = {pair.partition("=")[0] for pair in getattr(options, "set", [])}
    assert keys <= {setting.key for setting in SETTINGS}


def test_examples_name_files_that_exist() -> None:
    ours = {word for line in LINES for word in shlex.split(line) if word.startswith(("tests/", "sample_images"))}
    assert ours
    assert not {word for word in ours if not (ROOT / word).exists()}


def test_the_table_of_variants_is_the_engines() -> None:
    assert [row[0] for row in table(README, "`--variant`")] == [variant.name for variant in VARIANTS]


@pytest.mark.parametrize("name", ["README.md", ".github/CONTRIBUTING.md"])
def test_files_and_links_that_the_text_names_exist(name: str) -> None:
    page = ROOT / name
    text = page.read_text("utf-8")
    named = {ROOT / path for path in re.findall(r"`((?:companion|vision|tests|models)/[\w./]*)`", text)}
    named |= {page.parent / link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link}
    assert named
    assert not {str(path) for path in named if not path.exists()}


def test_the_looks_script_is_ruled_as_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (script,) = re.findall(r"^```jsonl\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    said = README.split(script)[1].split("```text\n")[1].split("```")[0]
    (tmp_path / "table.looks").write_text(script, "utf-8")
    assert main(["replay", str(tmp_path / "table.looks"), "--lang", "en"]) == 0
    assert capsys.readouterr().out == said


def test_every_input_that_is_shown_can_be_read() -> None:
    shown = [json.loads(line) for line in re.findall(r"`(\{\"at\".*?\})`", README + INTERFACES, re.DOTALL)]
    assert len(shown) >= 10
    for line in shown:
        input_from_json(line)


def test_the_table_of_settings_is_the_engines() -> None:
    rows = table(INTERFACES, "key | values")
    told = {key: [value.split(" (")[0] for value in values.split(" · ")] for key, values, *_ in rows}
    assert told == {entry.key: [str(value).lower() for value in entry.values] for entry in SETTINGS}


def test_every_source_that_a_rule_names_is_listed() -> None:
    found = {mark for entry in (*RULEBOOK.values(), *VARIANTS, *PRESETS) for mark in entry.sources}
    found |= {mark for entry in SETTINGS for mark in setting_sources(entry)}
    marks = {mark for mark in found if not re.fullmatch(r"[EMLF]\d+", mark)}
    assert {row[0] for row in table((ROOT / "companion/SOURCES.md").read_text("utf-8"), "mark")} >= marks
