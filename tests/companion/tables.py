"""Strategies: agreed games of every variant, what happens at an honest table, and looks that make no sense."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from companion.referee import settings
from companion.referee.cards import CARDS, JOKER, Card
from companion.referee.codec import game_to_json
from companion.referee.events import Answer, Blind, Correct, Face, Input, Seen, Undo
from companion.referee.game import Game, new_game
from companion.referee.settings import CollectOrder
from companion.referee.variants import VARIANTS
from companion.simulation import simulate
from companion.simulation.dealer import Order

PLAYERS = ("Ana", "Ben", "Cai", "Dee")
#: Settings that shape the play itself.
CHOOSABLE = [s for s in settings.SETTINGS if s.key not in ("ask_above", "end_minutes", "end_rounds", "leftover")]


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Any variant with any settings; half of the games from small piles, where wars run short."""
    variant = draw(st.sampled_from(VARIANTS))
    players = PLAYERS[: draw(st.integers(*variant.players))]
    keys = draw(st.lists(st.sampled_from(CHOOSABLE), max_size=5, unique=True))
    chosen = {s.key: draw(st.sampled_from(s.values)) for s in keys}
    small = st.fixed_dictionaries({p: st.integers(1, 7) for p in players})
    return new_game(variant.name, players, chosen, draw(st.none() | small))


def order_of(game: Game) -> Order:
    """How the players of this game put won cards back."""
    first = game.settings.collect_order is CollectOrder.WINNER_FIRST
    return Order.WINNER_FIRST if first else Order.SHUFFLE


def played(game: Game, seed: int, inputs: int) -> list[Input]:
    """The first inputs of an honest game."""
    found: list[Input] = []
    for entry, _, _ in simulate.history(game, random.Random(seed), order_of(game)):
        found.append(entry)
        if len(found) >= inputs:
            break
    return found


@dataclass(frozen=True, repr=False)
class Honest:
    """An agreed game and the first things that happen at an honest table."""

    game: Game
    seed: int
    inputs: list[Input]

    def __repr__(self) -> str:
        return f"played({game_to_json(self.game)}, seed={self.seed})"


@st.composite
def honest(draw: st.DrawFn, inputs: int = 30) -> Honest:
    """An agreed game and what happens at an honest table."""
    game, seed = draw(games()), draw(st.integers(0, 10_000))
    return Honest(game, seed, played(game, seed, inputs))


def piecemeal(entries: list[Input], rng: random.Random) -> Iterator[Input]:
    """The same table seen as it grows: one player after another, tied cards covered or not, some looks twice."""
    before: dict[str, tuple[Face, ...]] = {}
    for entry in entries:
        if not isinstance(entry, Seen):
            yield entry
            continue
        shown = {p: f for p, f in before.items() if f and f == entry.faces.get(p, ())[: len(f)]}
        fresh = [p for p, f in entry.faces.items() if f != shown.get(p, ())]
        rng.shuffle(fresh)
        for player in fresh[:-1]:
            shown = {**shown, player: entry.faces[player]}
            yield replace(entry, faces=_covered(shown, rng), backs=None)
        if rng.random() < 0.3 and fresh:
            yield replace(entry, faces={}, backs=None) if before and shown else entry
        yield entry
        before = dict(entry.faces)


def _covered(shown: dict[str, tuple[Face, ...]], rng: random.Random) -> dict[str, tuple[Face, ...]]:
    return {p: f[-1:] if rng.random() < 0.5 else f for p, f in shown.items()}


ANY_CARD = st.sampled_from((*CARDS[:12], *CARDS[13:20], JOKER, Card.parse("9?"), Card.parse("2C")))
CHANCE = st.sampled_from((1.0, 0.99, 0.9, 0.6, 0.5))
FACES = st.builds(
    Face, ANY_CARD, CHANCE, st.lists(st.tuples(ANY_CARD, st.sampled_from((0.4, 0.1, 0.01))), max_size=2).map(tuple)
)


@st.composite
def nonsense(draw: st.DrawFn, game: Game, number: int, at: float) -> Input:
    """Something that a confused camera or person might send as input `number`."""
    players = st.sampled_from(game.players)
    faces = st.dictionaries(players, st.lists(FACES, max_size=2).map(tuple), max_size=len(game.players))
    backs = st.none() | st.dictionaries(players, st.integers(0, 5), max_size=2)
    looks = st.builds(Seen, st.just(at), faces, backs, backs, st.none(), st.frozensets(players, max_size=2))
    acts = [looks] * 8 + [st.just(Blind(at, at - 2.0, at))]
    if number > 1:
        acts += [st.builds(Undo, st.just(at), st.integers(1, number - 1))]
        acts += [st.builds(Correct, st.just(at), st.integers(1, number - 1), faces)]
        acts += [st.builds(Answer, st.just(at), st.integers(1, 2 * number), ANY_CARD.map(str))]
    return draw(st.one_of(acts))
