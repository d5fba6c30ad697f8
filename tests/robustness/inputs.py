"""Every input that once broke the program, each given to the program in a process of its own and measured."""

from __future__ import annotations

import random
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from companion.log.export import FORMATS
from tests.robustness.programs import Ended, command, run_to_end
from tests.robustness.tally import LARGEST_MB, LIMIT_S, Tally, is_sentences

INPUTS = Path(__file__).parent / "inputs"


@dataclass(frozen=True, slots=True)
class Case:
    """A call with one input, FILE among its words, the exit code, and what is said or answered."""

    words: str
    code: int
    says: str


#: What is refused has left no session that could be exported.
EXPORTS = tuple(Case(f"export 1 --format {form}", 1, "There is no session 1") for form in FORMATS)
#: File -> calls with it, in this order and in one folder.
CASES: dict[str, tuple[Case, ...]] = {
    "as_told_at_text.json": (Case("import --as-told FILE", 1, "no ruling of this program"), *EXPORTS),
    "as_told_counts_number.json": (Case("import --as-told FILE", 1, "no ruling of this program"), *EXPORTS),
    "bitflips.jpg": (Case("read FILE", 1, "is damaged"),),
    "bomb_20000.png": (Case("read FILE", 1, "more than 64 million pixels"),),
    "corrupt_1.db": (Case("sessions --log FILE", 0, "Steal War"),),
    "corrupt_3.db": (Case("sessions --log FILE", 0, "Arneson"),),
    "corrupt_5.db": (Case("sessions --log FILE", 1, "damaged"), Case("export 5 --log FILE", 1, "damaged")),
    "explode_swap.looks": (Case("replay FILE", 0, "takes"),),
    "looks_replay_12_0.looks": (Case("replay FILE", 2, "There is no variant classi"),),
    "name_draw.looks": (Case("replay FILE", 0, "draw wins the game!"),),
}


def run_case(name: str, case: Case, folder: Path, limit_s: float) -> Ended:
    """Give the program one input, copied into `folder`."""
    shutil.copy(INPUTS / name, folder)
    words = case.words.replace("FILE", name).split()
    log = () if "--log" in words or words[0] == "read" else ("--log", "family.db")
    return run_to_end(folder, command(*words, *log), limit_s)


def find_fault(case: Case, ended: Ended) -> str:
    """What is not right about how a call ended; empty where all is."""
    told = len(ended.err.splitlines())
    if ended.code != case.code or not is_sentences(ended.err):
        return f"exit {ended.code}, {ended.err[-500:]!r}"
    # The answer about each picture stands on stdout, where the others' answers are.
    if not re.search(case.says, ended.out + ended.err) or not (case.code != 0) <= told <= 1:
        return f"said {told} sentences, {ended.out[-300:]!r} {ended.err[-300:]!r}"
    return f"{ended.peak_mb} MB" if ended.peak_mb > LARGEST_MB else ""


def attack_by_known_inputs(rng: random.Random, count: int, folder: Path) -> Tally:
    """Every known input `count` times in an order made at random: sentence, exit code, processor time, memory."""
    tally = Tally()
    for name in rng.sample([*CASES] * count, len(CASES) * count):
        for case in CASES[name]:
            ended = run_case(name, case, folder, 4 * LIMIT_S)
            tally.tried += 1
            tally.refused += ended.code in (1, 2)
            tally.note(f"inputs {case.words.replace('FILE', name)}", ended.worked, ended.peak_mb)
            fault = find_fault(case, ended) or (f"{ended.worked:.1f} s" if ended.worked > LIMIT_S else "")
            if fault:
                tally.fail(f"inputs {case.words} {name}: {fault}")
    return tally
