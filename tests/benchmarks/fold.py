"""How fast the referee folds 5,000 looks: `python tests/benchmarks/fold.py [--against CHECKOUT]`.

Prints one line of JSON with processor seconds, the best of several runs: a fold from nothing, a correction of the first
look, and all inputs and rulings to JSON and back. With `--against` the same file is run on the code of another checkout
right after, and `ratio` has this checkout's seconds divided by the other's: below 1 is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

if __name__ == "__main__" and "PYTHONPATH" not in os.environ:
    sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.referee import codec, reducer
from companion.referee.cards import Card
from companion.referee.events import Correct, Face, Input, Seen
from companion.referee.game import new_game
from companion.simulation import simulate
from companion.simulation.dealer import Order

LOOKS = 5000
RUNS = 5
GAME = new_game("classic", ("A", "B"))


def long_game() -> list[Input]:
    """The first looks of one game that never ends: where nobody shuffles, about every second one is such."""
    for seed in range(100):
        entries = simulate.history(GAME, random.Random(seed), Order.SEATS)
        found = [entry for entry, _, _ in islice(entries, LOOKS)]
        if len(found) == LOOKS:
            return found
    raise AssertionError("every game ended")


def best(work: Callable[[], object]) -> float:
    """Processor seconds of the fastest run."""
    seconds = []
    for _ in range(RUNS):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def measure() -> dict[str, float]:
    """Processor seconds by what was done."""
    looks = long_game()
    state, _ = reducer.fold(GAME, looks)
    first = next(n for n, look in enumerate(looks, start=1) if isinstance(look, Seen) and look.faces)
    two = Correct(1e6, first, {"A": (Face(Card.parse("2S")),)})
    inputs, said = list(map(codec.input_to_json, looks)), reducer.rulings(state)
    lines = list(map(codec.ruling_to_json, said))
    return {
        "fold_s": best(lambda: reducer.fold(GAME, looks)),
        "correct_first_s": best(lambda: reducer.step(state, two)),
        "inputs_to_json_s": best(lambda: list(map(codec.input_to_json, looks))),
        "inputs_from_json_s": best(lambda: list(map(codec.input_from_json, inputs))),
        "rulings_to_json_s": best(lambda: list(map(codec.ruling_to_json, said))),
        "rulings_from_json_s": best(lambda: list(map(codec.ruling_from_json, lines))),
    }


def main() -> None:
    """Measure, and compare where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path)
    other = parser.parse_args().against
    here = measure()
    found: dict[str, object] = {key: round(value, 4) for key, value in here.items()}
    if other:
        environment = {**os.environ, "PYTHONPATH": str(other.resolve())}
        done = subprocess.run([sys.executable, __file__], env=environment, cwd=other, capture_output=True, check=True)
        there = json.loads(done.stdout)
        found["ratio"] = {key: round(value / there[key], 2) for key, value in here.items()}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
