"""A small run of every attack, and every input that once broke the program."""

from __future__ import annotations

import random
import re
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.robustness.__main__ import SECTIONS
from tests.robustness.tally import command, environment

INPUTS = Path(__file__).parent / "inputs"
#: Section -> inputs in this small run.
FEW = {"scripts": 60, "imports": 10, "logs": 5, "requests": 250}
#: What is called with each input, the exit code, and what the sentence (of a refusal) or the output says.
CALLS = {
    "as_told_at_text.json": (("import", "--as-told"), 1, "no ruling of this program"),
    "as_told_counts_number.json": (("import", "--as-told"), 1, "no ruling of this program"),
    "corrupt_1.db": (("sessions", "--log"), 1, "damaged"),
    "corrupt_3.db": (("sessions", "--log"), 0, "Arneson"),
    "corrupt_5.db": (("sessions", "--log"), 1, "damaged"),
    "explode_swap.looks": (("replay",), 0, "takes"),
    "looks_replay_12_0.looks": (("replay",), 2, "There is no variant classi"),
    "name_draw.looks": (("replay",), 0, "draw wins the game!"),
}
#: Seconds on an idle machine; a busy one may take several times that.
LIMIT_S = 5
LARGEST_KB = 400_000


@pytest.mark.parametrize("section", FEW)
def test_a_few_attacks_break_nothing(section: str, tmp_path: Path) -> None:
    found = SECTIONS[section][0](random.Random(20), FEW[section], tmp_path)
    assert not found.failed and found.tried >= FEW[section] and found.refused


@pytest.mark.parametrize("name", CALLS)
def test_what_once_broke_the_program_gets_its_sentence(name: str, tmp_path: Path) -> None:
    words, code, says = CALLS[name]
    shutil.copy(INPUTS / name, tmp_path)
    logged = () if "--log" in words else ("--log", "family.db")
    line = [*command(*words, name, *logged)]
    run = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, env=environment(tmp_path), timeout=60)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (run.returncode, "Traceback" in run.stderr) == (code, False)
    assert re.search(says, run.stderr if code else run.stdout)
    assert len(run.stderr.splitlines()) == (1 if code else 0) or name.startswith("corrupt")
    assert used.ru_maxrss < LARGEST_KB or name == "explode_swap.looks"


@pytest.mark.slow
@pytest.mark.parametrize(("section", "count"), [("kills", 6), ("streams", 3), ("pictures", 5)])
def test_a_few_long_attacks_break_nothing(section: str, count: int, tmp_path: Path) -> None:
    found = SECTIONS[section][0](random.Random(21), count, tmp_path)
    assert not found.failed and found.tried >= count
