"""Simulated games through the referee: their length, and how often wars run short."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from companion.referee import reducer
from companion.referee.events import BattleWon, Input, Ruled, Seen, WarDeclared
from companion.referee.game import Game
from companion.referee.reducer import State
from companion.referee.settings import BothOut, Collect
from companion.simulation.dealer import Order, Tabletop

#: Rounds after which a game counts as endless.
CAP = 5000


@dataclass(frozen=True, slots=True)
class Played:
    """One game: its rounds, whether it ended, and its wars as the number of ties in each, with the short ones."""

    rounds: int
    over: bool
    winner: str | None
    ties: tuple[int, ...]
    short: int
    third_war: int | None


@dataclass(frozen=True, slots=True)
class Report:
    """Many games together. Shares are 0..1; medians and 95 % values are rounds; None where nothing was counted."""

    games: int
    endless: int
    rounds_median: int | None
    rounds_95: int | None
    wars_per_game: float
    second_tie: float
    third_tie: float
    short_wars: float
    games_with_short_war: float
    third_war_median: int | None
    third_war_95: int | None


def simulate(
    game: Game,
    games: int,
    seed: int,
    order: Order = Order.SHUFFLE,
    cap: int = CAP,
    follow: Callable[[range, int], Iterable[int]] = lambda numbers, _: numbers,
) -> Report:
    """Play this many games; the same seed plays the same games. `follow` passes their numbers on, and may count them.

    >>> from companion.referee.game import new_game
    >>> simulate(new_game("classic", ("A", "B")), games=2, seed=1).games
    2
    """
    rng = random.Random(seed)
    return summarize_games([play(game, rng, order, cap) for _ in follow(range(games), games)])


def play(game: Game, rng: random.Random, order: Order = Order.SHUFFLE, cap: int = CAP) -> Played:
    """Play one game to its end, or until the cap."""
    ruled: list[Ruled] = []
    top, state = Tabletop(game, rng, order), reducer.start(game)
    fixed, tables = _no_chance(game, order), set[object]()
    for entry, after, said in _history(top):
        ruled += said
        state = after
        if state.position.round.number > cap:
            break
        if fixed and isinstance(entry, Seen) and not any(entry.faces.values()):
            table = tuple(map(tuple, top.piles.values()))
            if table in tables and _third_war(ruled) is not None:
                # Nothing here is left to chance: a table that was there before comes again for ever.
                break
            tables.add(table)
    return _played(state, ruled)


def _no_chance(game: Game, order: Order) -> bool:
    """Whether the deal decides everything that follows."""
    chosen = game.variant.hand or game.variant.stealing
    shuffled = game.settings.collect is Collect.HEAP_SHUFFLE or game.settings.both_out is BothOut.RESHUFFLE
    return order is not Order.SHUFFLE and not chosen and not shuffled


def history(
    game: Game, rng: random.Random, order: Order = Order.SHUFFLE
) -> Iterator[tuple[Input, State, tuple[Ruled, ...]]]:
    """Every input of a game as it happens, with the state after it and what was ruled.

    The states remember nothing of those before.
    """
    yield from _history(Tabletop(game, rng, order))


def _history(top: Tabletop) -> Iterator[tuple[Input, State, tuple[Ruled, ...]]]:
    state = reducer.start(top.game)
    while state.position.over is None:
        before = state.position.round
        for entry in top.inputs(state):
            state, said = reducer.step(state, entry, remember=False)
            yield entry, state, said
            if state.position.over:
                break
        if state.position.round.verdict and state.position.round.verdict is not before.verdict:
            put = top.collect(state.position)
            if put is not None:
                state, said = reducer.step(state, put, remember=False)
                yield put, state, said


def _played(state: State, ruled: list[Ruled]) -> Played:
    wars = [one.ruling for one in ruled if isinstance(one.ruling, WarDeclared)]
    fought = [list(ties) for _, ties in groupby(wars, key=lambda war: war.round)]
    over = state.position.over
    return Played(
        rounds=state.position.round.number,
        over=over is not None,
        winner=over.winner if over else None,
        ties=tuple(len(ties) for ties in fought),
        short=sum(any(tie.short for tie in ties) for ties in fought),
        third_war=_third_war(ruled),
    )


def _third_war(ruled: list[Ruled]) -> int | None:
    """The round in which a player first had won three wars."""
    won: dict[str, int] = {}
    for one in ruled:
        if isinstance(one.ruling, BattleWon) and one.ruling.wars:
            winner = one.ruling.winner
            won[winner] = won.get(winner, 0) + 1
            if won[winner] == 3:
                return one.ruling.round
    return None


def summarize_games(played: list[Played]) -> Report:
    """The figures of many games."""
    ended = sorted(game.rounds for game in played if game.over)
    thirds = sorted(game.third_war for game in played if game.third_war is not None)
    ties = [n for game in played for n in game.ties]
    return Report(
        games=len(played),
        endless=sum(not game.over for game in played),
        rounds_median=_at_share(ended, 0.5),
        rounds_95=_at_share(ended, 0.95),
        wars_per_game=_share(len(ties), len(played)),
        second_tie=_share(sum(n >= 2 for n in ties), len(ties)),
        third_tie=_share(sum(n >= 3 for n in ties), len(ties)),
        short_wars=_share(sum(game.short for game in played), len(ties)),
        games_with_short_war=_share(sum(bool(game.short) for game in played), len(played)),
        third_war_median=_at_share(thirds, 0.5),
        third_war_95=_at_share(thirds, 0.95),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _at_share(values: list[int], share: float) -> int | None:
    return values[min(len(values) - 1, int(share * len(values)))] if values else None
