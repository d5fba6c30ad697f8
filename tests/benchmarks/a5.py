"""How often things happen in War, played through the referee: `python tests/benchmarks/a5.py [--games N] [--rows 1,2]`.

Plays whole games of seven kinds and prints, beside the figures of the rules document (section A5, 1,500 games a row,
stopped after 5,000 rounds), what this program finds and the difference. A game in a fixed order that comes back to a
table it had before is endless and is stopped there.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from companion.referee.game import new_game  # noqa: E402
from companion.simulation import simulate  # noqa: E402
from companion.simulation.dealer import Order  # noqa: E402
from companion.simulation.simulate import Played, Report  # noqa: E402

CHUNK = 25


@dataclass(frozen=True)
class Row:
    """One kind of game, and its figures in the rules document; None where it gives none."""

    name: str
    variant: str
    players: int
    order: Order
    #: Rounds (median, 95 %), wars a game, wars with a 2nd and a 3rd tie in %, games with a short war in %,
    #: short wars in %, round of the third war (median, 95 %), endless games in %.
    figures: tuple[float | None, ...]


ROWS = (
    Row("2 players, shuffled", "classic", 2, Order.SHUFFLE, (211, 752, 16.7, 5.8, 0.36, 52, 4.3, 63, 137, None)),
    Row(
        "2 players, winner first", "classic", 2, Order.WINNER_FIRST, (149, 486, 13.3, 6.9, 0.4, 45, 3.8, 56, 113, None)
    ),
    Row("2 players, fixed seats", "classic", 2, Order.SEATS, (*[None] * 7, 85, 369, 47)),
    Row("3 players, all fight", "multi", 3, Order.SHUFFLE, (319, 1201, 27.9, 6.3, 0.38, 45, 2.1, 53, 115, None)),
    Row("4 players, all fight", "multi", 4, Order.SHUFFLE, (336, 1165, 28.1, 6.2, 0.49, 62, 3.3, 49, 112, None)),
    Row("Război, 2 players", "razboi", 2, Order.SHUFFLE, (95, 345, 7.6, 5.7, 0.29, 73, 15, 62, 129, None)),
    Row("Război, 3 players", "razboi", 3, Order.SHUFFLE, (104, 342, 8.9, 5.5, 0.44, 90, 22, 55, 120, None)),
)
NAMES = (
    "rounds",
    "95 %",
    "wars",
    "2nd tie %",
    "3rd tie %",
    "short games %",
    "short wars %",
    "3rd war",
    "95 %",
    "endless %",
)


def chunk(row: Row, first: int, games: int, cap: int) -> list[Played]:
    """Games of consecutive seeds."""
    game = new_game(row.variant, tuple("ABCD"[: row.players]))
    return [simulate.play(game, random.Random(seed), row.order, cap) for seed in range(first, first + games)]


def figures(report: Report) -> tuple[float | None, ...]:
    """A report in the order of the rules document."""
    return (
        report.rounds_median,
        report.rounds_95,
        report.wars_per_game,
        100 * report.second_tie,
        100 * report.third_tie,
        100 * report.games_with_short_war,
        100 * report.short_wars,
        report.third_war_median,
        report.third_war_95,
        100 * report.endless / report.games,
    )


def say(row: Row, played: list[Played], took: float) -> None:
    rounds = sum(one.rounds for one in played)
    print(f"{row.name}: {len(played)} games, {rounds} rounds, {rounds / took:.0f} rounds/s")
    for name, ours, theirs in zip(NAMES, figures(simulate.summarise(played)), row.figures, strict=True):
        if ours is not None and theirs is not None:
            print(f"  {name:15} {ours:9.2f}   rules {theirs:8.2f}   {100 * (ours / theirs - 1):+6.1f} %")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1500, help="games a row")
    parser.add_argument("--rows", default="1,2,3,4,5,6,7")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cap", type=int, default=5000, help="rounds after which a game is called endless")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    words = parser.parse_args()
    with ProcessPoolExecutor(words.workers) as pool:
        for row in (ROWS[int(number) - 1] for number in words.rows.split(",")):
            begun = time.monotonic()
            firsts = range(words.seed, words.seed + words.games, CHUNK)
            sizes = [min(CHUNK, firsts.stop - first) for first in firsts]
            parts = [pool.submit(chunk, row, first, size, words.cap) for first, size in zip(firsts, sizes, strict=True)]
            played = [one for part in parts for one in part.result()]
            say(row, played, time.monotonic() - begun)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
