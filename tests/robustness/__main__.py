"""Attack the program with inputs made at random and count what becomes of them.

    python -m tests.robustness [SECTION ...] [--seed N] [--count N]

Sections: kills, logs, scripts, imports, requests, pictures, streams, soak; all where none is named. `--count` is the
number of inputs of each section (seconds for soak; all behaviours of a bad camera for streams). The counts of a
large run, about two hours on two cores:

    python -m tests.robustness kills --count 1000 --seed 1
    python -m tests.robustness requests --count 20000 --seed 1
    python -m tests.robustness scripts --count 10000 --seed 1
    python -m tests.robustness imports --count 5000 --seed 1
    python -m tests.robustness logs --count 2000 --seed 1
    python -m tests.robustness pictures --count 500 --seed 1
    python -m tests.robustness streams
    python -m tests.robustness soak --count 1800

A line for each section: inputs tried, refused in one sentence, and failed (a traceback, an answer of 500, a hang, more
than one sentence, a change on refusal, a ruling lost). Exit 1 where any failed; each failure is told with its input.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.robustness.files import attack_imports, attack_logs, attack_pictures, attack_scripts
from tests.robustness.processes import attack_by_kills, attack_streams, soak
from tests.robustness.requests import attack_requests
from tests.robustness.tally import Tally

#: Section -> what attacks, and how many inputs where none are asked for.
SECTIONS: dict[str, tuple[Callable[[random.Random, int, Path], Tally], int]] = {
    "kills": (attack_by_kills, 20),
    "logs": (attack_logs, 50),
    "scripts": (attack_scripts, 500),
    "imports": (attack_imports, 100),
    "requests": (attack_requests, 1000),
    "pictures": (attack_pictures, 20),
    "streams": (attack_streams, 0),
    "soak": (soak, 60),
}


def main() -> int:
    """Run the sections asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], metavar="SECTION")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int)
    args = parser.parse_args()
    print(f"{'section':10} {'tried':>7} {'refused':>7} {'failed':>7} {'seconds':>8}")
    bad: list[str] = []
    for name in args.sections or SECTIONS:
        attack, usual = SECTIONS[name]
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            found = attack(random.Random(args.seed), args.count or usual, Path(folder))
        lasted = time.monotonic() - began
        print(f"{name:10} {found.tried:7} {found.refused:7} {len(found.failed):7} {lasted:8.0f}", flush=True)
        bad += found.failed
    for line in bad[:50]:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
