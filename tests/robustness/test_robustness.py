"""A small run of every attack, and every input that once broke the program."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.robustness.__main__ import SECTIONS
from tests.robustness.inputs import CASES, INPUTS, find_fault, run_case

#: Section -> inputs in this small run.
FEW = {"scripts": 60, "imports": 10, "logs": 5, "requests": 250}
#: The same of the sections that take long.
LONG = {"kills": 10, "streams": 4, "pictures": 12}
#: Seconds for a call on a machine that does much else; `python -m tests.robustness inputs` measures.
LIMIT_S = 60.0


@pytest.mark.parametrize("section", FEW)
def test_a_few_attacks_break_nothing(section: str, tmp_path: Path) -> None:
    found = SECTIONS[section][0](random.Random(20), FEW[section], tmp_path)
    assert not found.failed and found.tried >= FEW[section] and found.refused


@pytest.mark.parametrize("name", CASES)
def test_what_once_broke_the_program_gets_its_sentence(name: str, tmp_path: Path) -> None:
    for case in CASES[name]:
        assert not find_fault(case, run_case(name, case, tmp_path, LIMIT_S)), case.words


def test_every_input_is_given_to_the_program() -> None:
    assert {path.name for path in INPUTS.iterdir()} == set(CASES)


@pytest.mark.slow
@pytest.mark.parametrize("section", LONG)
def test_a_few_long_attacks_break_nothing(section: str, tmp_path: Path) -> None:
    found = SECTIONS[section][0](random.Random(21), LONG[section], tmp_path)
    assert not found.failed and found.tried >= LONG[section]
