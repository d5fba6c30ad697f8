"""Games by the thousand, every step checked: `python tests/benchmarks/simulate_many.py [--games N] [--file DONE]`.

Every variant, number of players and setting, half of the games from small piles where wars run short. After every
input no card may be lost or doubled, the counts must be the cards really owned, and nothing may be found fault with at
an honest table; every game ends or stops at the cap. Prints one line of JSON; exit code 1 where anything failed, each
failure with the seed that plays it again (`--seed N --games 1`).

With `--file` a run goes on where the last one stopped: each hundred games are a line of that file once they are
played, those that stand there are not played again, and the figures are of all of them together.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from companion.referee import reducer, settings  # noqa: E402
from companion.referee.cards import Card  # noqa: E402
from companion.referee.codec import game_to_json  # noqa: E402
from companion.referee.events import Input, Notice, Question, Ruled, Shown, Violation  # noqa: E402
from companion.referee.game import Game, new_game  # noqa: E402
from companion.referee.position import Position  # noqa: E402
from companion.referee.reducer import State  # noqa: E402
from companion.referee.settings import CollectOrder  # noqa: E402
from companion.referee.variants import VARIANTS  # noqa: E402
from companion.simulation.dealer import Order, Tabletop  # noqa: E402

PLAYERS = ("Ana", "Ben", "Cai", "Dee")
#: Every setting with the values that are tried: all there are, of a number the default and the ends of its span.
CHOICES: dict[str, tuple[Any, ...]] = {one.key: (*one.values, *(one.span or ())) for one in settings.SETTINGS}
CHUNK = 100


class Failed(Exception):
    """A game broke a property."""


def any_game(rng: random.Random) -> Game:
    """Any variant with any settings."""
    variant = rng.choice(VARIANTS)
    players = PLAYERS[: rng.randint(*variant.players)]
    chosen = {key: rng.choice(CHOICES[key]) for key in rng.sample(tuple(CHOICES), rng.randint(0, 5))}
    small = {player: rng.randint(1, 7) for player in players} if rng.random() < 0.5 else None
    return new_game(variant.name, players, chosen, small)


def play(seed: int, cap: int) -> Counter[str]:
    """One game to its end or the cap. Raises Failed."""
    rng = random.Random(seed)
    game = any_game(rng)
    first = game.settings.collect_order is CollectOrder.WINNER_FIRST
    top = Tabletop(game, rng, Order.WINNER_FIRST if first else Order.SHUFFLE)
    dealt = _owned(top)
    _check(_number(top) == game.total == sum(map(int.bit_count, dealt.values())), "the deal is not of single cards")
    state = reducer.start(game)
    while state.position.over is None and state.position.round.number <= cap:
        state = _round(top, state)
        _check_owned(top, state.position, _together(dealt))
    over = state.position.over is not None
    small = game.total < 52 // len(game.players) * len(game.players)
    return Counter(
        {"games": 1, "rounds": state.position.round.number, "inputs": state.looks, "over": over, "capped": not over}
        | {f"variant {game.variant.name} {len(game.players)}": 1, "small piles": small}
    )


def _round(top: Tabletop, state: State) -> State:
    before = state.position.round.verdict
    for entry in top.inputs(state):
        state = _step(state, entry)
        if state.position.over:
            return state
    now = state.position.round.verdict
    put = top.collect(state.position) if now is not None and now is not before else None
    return _step(state, put) if put is not None else state


def _step(state: State, entry: Input) -> State:
    after, said = reducer.step(state, entry, remember=False)
    _faultless(said)
    _conserved(after)
    return after


def _check(holds: bool, why: str) -> None:
    if not holds:
        raise Failed(why)


def _owned(top: Tabletop) -> dict[str, int]:
    """Every player's cards, but for those in the middle, as a mask; a card that is there twice is in it once."""
    return {player: _mask(top.owned(player)) for player in top.game.players}


def _mask(cards: list[Card]) -> int:
    found = 0
    for card in cards:
        found |= card.bits
    return found


def _together(owned: dict[str, int]) -> int:
    found = 0
    for mask in owned.values():
        found |= mask
    return found


def _number(top: Tabletop) -> int:
    return sum(len(top.owned(player)) for player in top.game.players)


def _faultless(said: tuple[Ruled, ...]) -> None:
    for one in said:
        if isinstance(one.ruling, Violation | Notice | Question | Shown):
            raise Failed(f"said {one.ruling}")


def _conserved(state: State) -> None:
    pos = state.position
    counted = sum(pos.counts.values())
    lying = pos.round.pot if pos.round.verdict is None or counted < state.game.total else 0
    _check(min(pos.counts.values()) >= 0, "a count is below nothing")
    if counted + lying != state.game.total:
        raise Failed(f"{pos.counts} and {lying} on the table")
    if pos.piles:
        known = Counter(card for pile in pos.piles.values() for card in pile if card.suit)
        _check(max(known.values(), default=1) == 1, "a card lies on two piles")
        _check(all(len(pile) <= pos.counts[player] for player, pile in pos.piles.items()), "a pile is too high")


def _check_owned(top: Tabletop, pos: Position, dealt: int) -> None:
    """After a verdict the counts are the cards really owned, each once, and each is known to be possible."""
    if pos.round.verdict is None or pos.over:
        return
    owned = _owned(top)
    _check(_together(owned) == dealt, "the cards are not those that were dealt")
    for player, cards in owned.items():
        number = len(top.owned(player))
        _check(number == pos.counts[player] == cards.bit_count(), f"{player} owns {number}")
        _check(pos.known.can_own(player, cards) == cards, f"{player} owns the impossible")
        if pos.piles and top.face_up[player]:
            _check(top.face_up[player][-1] == pos.piles[player][-1], f"another top on the pile of {player}")


@dataclass(frozen=True)
class Part:
    """What came of the games of these seeds, stopped after `cap` rounds, in so many processor seconds."""

    seeds: list[int]
    cap: int
    took: float
    counted: dict[str, int]
    failures: list[str]


def chunk(seeds: list[int], cap: int) -> Part:
    """The games of these seeds."""
    total: Counter[str] = Counter()
    failures = []
    begun = time.process_time()
    for seed in seeds:
        try:
            total += play(seed, cap)
        except Exception as error:
            told = json.dumps(game_to_json(any_game(random.Random(seed))))
            failures.append(f"seed {seed}: {type(error).__name__} {error} in {told}")
    return Part(seeds, cap, round(time.process_time() - begun, 2), dict(total), failures)


def done(file: Path | None, cap: int) -> list[Part]:
    """What a file tells of earlier runs with this cap; a line that a killed run did not finish is passed over."""
    parts = []
    for line in file.read_text("utf-8").splitlines() if file and file.exists() else []:
        try:
            parts.append(Part(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return [part for part in parts if part.cap == cap]


def left(seeds: range, parts: list[Part]) -> Iterator[list[int]]:
    """The seeds that no part has played yet, a hundred at a time."""
    played = {seed for part in parts for seed in part.seeds}
    for first in range(seeds.start, seeds.stop, CHUNK):
        fresh = [seed for seed in range(first, min(first + CHUNK, seeds.stop)) if seed not in played]
        if fresh:
            yield fresh


def run(seeds: Iterator[list[int]], cap: int, workers: int, seconds: float) -> Iterator[Part]:
    """Play them, as many at once as there are workers; begin none after so many seconds."""
    begun = time.monotonic()
    with ProcessPoolExecutor(workers) as pool:
        while batch := [pool.submit(chunk, fresh, cap) for _, fresh in zip(range(workers), seeds, strict=False)]:
            for part in batch:
                yield part.result()
            if time.monotonic() - begun > seconds:
                return


def figures(parts: list[Part]) -> dict[str, float]:
    """All games together, and how many of them a processor played in a second."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part.counted)
    took = sum(part.took for part in parts)
    speed = {key: round(total[key] / took, 1) if took else 0.0 for key in ("games", "rounds")}
    return {
        **dict(sorted(total.items())),
        "failures": sum(len(part.failures) for part in parts),
        "processor_s": round(took, 1),
        **{f"{key}_per_processor_s": value for key, value in speed.items()},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cap", type=int, default=2000, help="rounds after which a game is stopped")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no chunk after so long")
    parser.add_argument("--file", type=Path, help="go on with the games of this file; --games 0 only adds it up")
    words = parser.parse_args()
    parts = done(words.file, words.cap)
    seeds = left(range(words.seed, words.seed + words.games), parts)
    for part in run(seeds, words.cap, words.workers, words.seconds):
        parts.append(part)
        if words.file:
            with words.file.open("a", encoding="utf-8") as file:
                # The line end comes first, so that the unfinished line of a killed run stays alone.
                file.write("\n" + json.dumps(asdict(part)))
    for failure in [failure for part in parts for failure in part.failures][:20]:
        print(failure, file=sys.stderr)
    print(json.dumps(figures(parts)))
    return 1 if any(part.failures for part in parts) else 0


if __name__ == "__main__":
    raise SystemExit(main())
