"""Attack the program with inputs made at random and count what becomes of them.

    python -m tests.robustness [SECTION ...] [--seed N] [--count N] [--measured]

| section | `--count` | what is attacked, and what must hold |
|---|---|---|
| kills | kills | games killed at any moment; nothing acknowledged is lost, each is gone on with |
| logs | logs | damaged databases; every command and page that reads them has its sentence |
| scripts | scripts | damaged looks scripts; two replays say the same |
| imports | exports | damaged exports; what is taken in can be shown and exported, what is refused leaves nothing |
| requests | requests | everything the description of the page names; what is refused changes nothing |
| pictures | files | damaged pictures and films; memory stays in bounds |
| streams | calls | network cameras that misbehave, on terminal and page; all where no count is given |
| inputs | times | every input that once broke the program, within 5 seconds and 400 MB |
| soak | seconds | viewers coming and going for long; memory, handles and threads stay |

All sections where none is named, in a small run of some minutes. A large run, about two hours on one core:

    python -m tests.robustness kills --count 1000 --seed 1
    python -m tests.robustness requests --count 20000 --seed 1
    python -m tests.robustness scripts --count 10000 --seed 1
    python -m tests.robustness imports --count 5000 --seed 1
    python -m tests.robustness logs --count 2000 --seed 1
    python -m tests.robustness pictures --count 500 --seed 1
    python -m tests.robustness streams inputs
    python -m tests.robustness soak --count 1800

A line for each section: inputs tried, refused in one sentence, and failed (a traceback, an answer of 500, a hang, more
than one sentence, a change on refusal, a ruling lost). Exit 1 where any failed; each failure is told with its input.
`--measured` tells the seconds and megabytes of each input that was measured.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.robustness.files import attack_imports, attack_logs, attack_scripts
from tests.robustness.inputs import attack_by_known_inputs
from tests.robustness.kills import attack_by_kills
from tests.robustness.pictures import attack_pictures
from tests.robustness.requests import attack_requests
from tests.robustness.soak import soak
from tests.robustness.streams import attack_streams
from tests.robustness.tally import Tally, own_home

#: Section -> what attacks, and how many inputs where none are asked for.
SECTIONS: dict[str, tuple[Callable[[random.Random, int, Path], Tally], int]] = {
    "kills": (attack_by_kills, 20),
    "logs": (attack_logs, 50),
    "scripts": (attack_scripts, 500),
    "imports": (attack_imports, 100),
    "requests": (attack_requests, 1000),
    "pictures": (attack_pictures, 20),
    "streams": (attack_streams, 0),
    "inputs": (attack_by_known_inputs, 1),
    "soak": (soak, 60),
}


def main() -> int:
    """Run the sections asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], metavar="SECTION")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--measured", action="store_true")
    args = parser.parse_args()
    print(f"{'section':10} {'tried':>7} {'refused':>7} {'failed':>7} {'seconds':>8}")
    bad: list[str] = []
    for name in args.sections or SECTIONS:
        attack, usual = SECTIONS[name]
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder, own_home(Path(folder)):
            found = attack(random.Random(args.seed), args.count or usual, Path(folder))
        lasted = time.monotonic() - began
        print(f"{name:10} {found.tried:7} {found.refused:7} {len(found.failed):7} {lasted:8.0f}", flush=True)
        bad += found.failed
        for about, seconds, memory_mb in found.measured if args.measured else ():
            print(f"    {seconds:5.1f} s {memory_mb:5} MB  {about}", flush=True)
    for line in bad[:50]:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
