"""Games by the thousand, every step checked: `python tests/benchmarks/simulate_many.py [--games N]`.

Every variant, number of players and setting, half of the games from small piles where wars run short. After every
input no card may be lost or doubled, the counts must be the cards really owned, and nothing may be found fault with at
an honest table; every game ends or stops at the cap. Prints one line of JSON; exit code 1 where anything failed, each
failure with the seed that plays it again (`--seed N --games 1`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from companion import referee, rules  # noqa: E402
from companion.cards import Card  # noqa: E402
from companion.events import Input, Notice, Question, Ruled, Shown, Violation  # noqa: E402
from companion.game import Game, new_game  # noqa: E402
from companion.position import Position  # noqa: E402
from companion.referee import State  # noqa: E402
from companion.rules import CollectOrder  # noqa: E402
from companion.tabletop import Order, Tabletop  # noqa: E402
from companion.variants import VARIANTS  # noqa: E402
from companion.wire import game_to_json  # noqa: E402

PLAYERS = ("Ana", "Ben", "Cai", "Dee")
CHOOSABLE = [one for one in rules.SETTINGS if one.key not in ("ask_above", "end_minutes", "end_rounds", "leftover")]
CHUNK = 100


class Failed(Exception):
    """A game broke a property."""


def any_game(rng: random.Random) -> Game:
    """Any variant with any settings."""
    variant = rng.choice(VARIANTS)
    players = PLAYERS[: rng.randint(*variant.players)]
    chosen = {one.key: rng.choice(one.values) for one in rng.sample(CHOOSABLE, rng.randint(0, 5))}
    small = {player: rng.randint(1, 7) for player in players} if rng.random() < 0.5 else None
    return new_game(variant.name, players, chosen, small)


def play(seed: int, cap: int) -> Counter[str]:
    """One game to its end or the cap. Raises Failed."""
    rng = random.Random(seed)
    game = any_game(rng)
    first = game.settings.collect_order is CollectOrder.WINNER_FIRST
    top = Tabletop(game, rng, Order.WINNER_FIRST if first else Order.SHUFFLE)
    dealt = Counter(_all_cards(top))
    _check(dealt.total() == game.total == len(dealt), "the deal is not of single cards")
    state = referee.start(game)
    while state.position.over is None and state.position.round.number <= cap:
        state = _round(top, state)
        _owned(top, state.position, dealt)
    over = state.position.over is not None
    return Counter(
        {"games": 1, "rounds": state.position.round.number, "inputs": state.looks, "over": over, "capped": not over}
        | {f"variant {game.variant.name} {len(game.players)}": 1}
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
    after, said = referee.step(state, entry, remember=False)
    _faultless(said)
    _conserved(after)
    return after


def _check(holds: bool, why: str) -> None:
    if not holds:
        raise Failed(why)


def _all_cards(top: Tabletop) -> list[Card]:
    return [card for player in top.game.players for card in top.owned(player)]


def _faultless(said: tuple[Ruled, ...]) -> None:
    faults = [one.ruling for one in said if isinstance(one.ruling, Violation | Notice | Question | Shown)]
    _check(not faults, f"said {faults}")


def _conserved(state: State) -> None:
    pos = state.position
    lying = pos.round.pot if pos.round.verdict is None or sum(pos.counts.values()) < state.game.total else 0
    _check(min(pos.counts.values()) >= 0, "a count is below nothing")
    _check(sum(pos.counts.values()) + lying == state.game.total, f"{pos.counts} and {lying} on the table")
    known = Counter(card for pile in pos.piles.values() for card in pile if card.suit)
    _check(max(known.values(), default=1) == 1, "a card lies on two piles")
    _check(all(len(pile) <= pos.counts[player] for player, pile in pos.piles.items()), "a pile is too high")


def _owned(top: Tabletop, pos: Position, dealt: Counter[Card]) -> None:
    """After a verdict the counts are the cards really owned, each once, and each is known to be possible."""
    if pos.round.verdict is None or pos.over:
        return
    _check(Counter(_all_cards(top)) == dealt, "the cards are not those that were dealt")
    for player in pos.game.players:
        _check(len(top.owned(player)) == pos.counts[player], f"{player} owns {len(top.owned(player))}")
        _check(all(pos.known.can_own(player, card.bits) for card in top.owned(player)), f"{player} owns the impossible")
        if pos.piles and top.face_up[player]:
            _check(top.face_up[player][-1] == pos.piles[player][-1], f"another top on the pile of {player}")


def chunk(first: int, games: int, cap: int) -> tuple[Counter[str], list[str]]:
    """Games of consecutive seeds."""
    total: Counter[str] = Counter()
    failures = []
    for seed in range(first, first + games):
        try:
            total += play(seed, cap)
        except Exception as error:
            told = json.dumps(game_to_json(any_game(random.Random(seed))))
            failures.append(f"seed {seed}: {type(error).__name__} {error} in {told}")
    return total, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cap", type=int, default=2000, help="rounds after which a game is stopped")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no chunk after so long")
    words = parser.parse_args()
    total: Counter[str] = Counter()
    failures: list[str] = []
    begun = time.monotonic()
    end = words.seed + words.games
    with ProcessPoolExecutor(words.workers) as pool:
        firsts = iter(range(words.seed, end, CHUNK))
        while batch := [first for _, first in zip(range(words.workers), firsts, strict=False)]:
            parts = [pool.submit(chunk, first, min(CHUNK, end - first), words.cap) for first in batch]
            for part in parts:
                counted, failed = part.result()
                total += counted
                failures += failed
            if time.monotonic() - begun > words.seconds:
                break
    took = time.monotonic() - begun
    for failure in failures[:20]:
        print(failure, file=sys.stderr)
    figures = {"seconds": round(took, 1), "rounds_per_s": round(total["rounds"] / took), "failures": len(failures)}
    print(json.dumps({**dict(sorted(total.items())), **figures}))
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
