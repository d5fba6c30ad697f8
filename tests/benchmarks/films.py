"""Filmed games on decks that nothing was trained on: `python tests/benchmarks/films.py [--decks N] [--art FOLDER]`.

Every script of tests/films is filmed on decks of our maker, with `--art` on held-out artwork too, each on a table of
its own, and refereed by `warref watch`; the rulings are put beside those that were worked out from the rules by hand.
Prints a line a film and what they come to together: rounds won as they should be, **wrong** (another winner or another
pot, whatever was asked about it), not ruled at all, and questions and violations said at an honest table. Exit code 1
where a verdict is wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FILMS = ROOT / "tests" / "films"
#: Seeds of the decks: far from those that were trained on, and from those that chose the thresholds.
FIRST_DECK = 3_000_000
#: Artwork that is held out of the training, one name a family.
ARTWORK = ("cardsjs", "atlasnye", "orell")

Rulings = list[dict[str, Any]]


def judged(name: str, deck: str, seed: int, art: Path | None) -> Counter[str]:
    """What the referee made of the script filmed on a deck and a table."""
    game = json.loads((FILMS / f"{name}.expected.json").read_text("utf-8"))
    seats = game.get("seats", "left-right")
    seats = str(FILMS / seats) if seats.endswith(".toml") else seats
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "game.mp4"
        render = ["-m", "companion", "film", FILMS / f"{name}.looks", film, "--seats", seats, "--deck", deck]
        _run(*render, "--seed", seed, "--fps", 8, *(["--art", art] if art else []))
        words = ["--variant", game["variant"], "--players", ",".join(game["players"]), "--seats", seats]
        words += [f"--set={choice}" for choice in game.get("set", ())]
        out = _run(
            "-m", "companion", "watch", "--source", film, *words, "--json", "--no-page", "--log", f"{folder}/log"
        )
    return compared([json.loads(line) for line in out.splitlines()], game["expected"])


def _run(*words: object) -> str:
    called = [sys.executable, *map(str, words)]
    return subprocess.run(called, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def compared(said: Rulings, wanted: Rulings) -> Counter[str]:
    """Rounds by how they were ruled, and what was said that an honest table gives no cause for."""
    ours, truth = _won(said), _won(wanted)
    found = Counter(_compared(ours.get(number), right) for number, right in truth.items())
    found["wrong"] += sum(number not in truth for number in ours)
    for kind in ("question", "violation"):
        found[kind] += sum(one["ruling"] == kind for one in said) - sum(one["ruling"] == kind for one in wanted)
    return found


def _won(rulings: Rulings) -> dict[int, tuple[str, int]]:
    """By round, who won how many cards: the last word counts."""
    return {one["round"]: (one["winner"], one["pot"]) for one in rulings if one["ruling"] == "battle_won"}


def _compared(ours: tuple[str, int] | None, right: tuple[str, int]) -> str:
    if ours is None:
        return "not ruled"
    return "right" if ours == right else "wrong"


def main() -> int:
    """Film and judge every script on every deck asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decks", type=int, default=4, help="decks of our maker a script")
    parser.add_argument("--art", type=Path, help="folder of fetched artwork: films held-out artwork as well")
    parser.add_argument("--scripts", default=",".join(sorted(path.stem for path in FILMS.glob("*.looks"))))
    parser.add_argument("--first", type=int, default=FIRST_DECK, help="seed of the first deck and table")
    args = parser.parse_args()
    total: Counter[str] = Counter()
    for name in args.scripts.split(","):
        decks = [(f"made-{args.first + n}", args.first + n) for n in range(args.decks)]
        decks += [(deck, args.first + n) for n, deck in enumerate(ARTWORK)] if args.art else []
        for deck, seed in decks:
            found = judged(name, deck, seed, args.art)
            total += found
            print(f"{name:10} {deck:14} {_said(found)}", flush=True)
    print(f"all of them: {_said(total)}")
    return int(total["wrong"] > 0)


def _said(found: Counter[str]) -> str:
    return ", ".join(f"{found[key]} {key}" for key in ("right", "wrong", "not ruled", "question", "violation"))


if __name__ == "__main__":
    sys.exit(main())
