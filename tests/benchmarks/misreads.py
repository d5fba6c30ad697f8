"""How often a misread card becomes a wrong verdict: `python tests/benchmarks/misreads.py [--games N]`.

Simulated games of every variant in which 3 % of all readings are swapped for a likely confusion. The readings are
those of a calibrated reader: of all that are called at p, a share p is right, whichever they are, and how surely they
are called is spread as the shipped reader's on photographs (models/README.md). A person answers every question with
the truth, and the family does what the referee says. Counted are decisions (a verdict, a tie) that come out otherwise
than the real cards say, beside those of whoever believes the top reading alone, and how often people are asked.
Prints one line of JSON a variant; exit code 1 where more than a tenth of the wrong decisions is left, or more than two
questions are asked in a hundred rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from companion.referee import reducer  # noqa: E402
from companion.referee.cards import CARDS, HIDDEN, JOKER, Card, Rank  # noqa: E402
from companion.referee.events import (  # noqa: E402
    Answer,
    Correct,
    Face,
    Input,
    Notice,
    Question,
    QuestionKind,
    Ruled,
    Seen,
    Violation,
    ViolationKind,
)
from companion.referee.game import Game, new_game  # noqa: E402
from companion.referee.position import Round  # noqa: E402
from companion.referee.reducer import State  # noqa: E402
from companion.referee.settings import Settings  # noqa: E402
from companion.referee.variants import VARIANTS, settings_for  # noqa: E402
from companion.referee.wars import highest, strength  # noqa: E402
from companion.simulation.dealer import Tabletop  # noqa: E402

PLAYERS = ("Ana", "Ben", "Cai", "Dee")
#: Share of all readings whose top card is not the card that lies there.
SWAPPED = 0.03
#: Readings between two probabilities and how many of a hundred are called so surely, as the shipped reader calls
#: cards on photographs. What is below 0.99 is thinned out until SWAPPED are wrong.
CALLED = ((0.5, 0.7, 8), (0.7, 0.9, 9), (0.9, 0.95, 6), (0.95, 0.99, 21), (0.99, 0.999, 44), (0.999, 1.0, 12))
SURE = 0.99
#: What is taken for what, of one suit, and how readily; suits of one colour are 1.
RANKS = {
    "6 9": 1.0,
    "3 8": 0.9,
    "J K": 0.8,
    "9 10": 0.8,
    "3 5": 0.7,
    "J Q": 0.7,
    "Q K": 0.7,
    "A 4": 0.6,
    "6 8": 0.5,
    "7 10": 0.4,
    "7 9": 0.4,
    "8 9": 0.4,
    "5 6": 0.3,
    "2 3": 0.3,
    "2 7": 0.2,
    "joker A": 0.1,
    "joker J": 0.1,
    "joker K": 0.1,
}
#: Rank and suit wrong at once (the same colour), and another colour.
BOTH, OTHER_COLOUR = 0.2, 0.05
#: The second reading's share of what the first leaves; the third has the rest.
SECOND = 0.85

Weights = Mapping[Card, Mapping[Card, float]]


# --- a calibrated reader ----------------------------------------------------------------------------


def alike(a: Card, b: Card) -> float:
    """How readily one card is taken for the other, the same both ways."""
    if a == b:
        return 0.0
    ranks = next((w for pair, w in RANKS.items() if {str(a.rank), str(b.rank)} == set(pair.split())), 0.0)
    if JOKER in (a, b):
        return ranks
    if a.rank is b.rank:
        return 1.0 if _red(a) == _red(b) else OTHER_COLOUR
    return ranks * (1.0 if a.suit is b.suit else BOTH if _red(a) == _red(b) else BOTH * OTHER_COLOUR)


def _red(card: Card) -> bool:
    return str(card.suit) in "HD"


@cache
def confusions() -> Weights:
    """Chances that a misread card is taken for each other one; symmetric, so that a reading says what it means.

    A reader that calls two cards alike must meet each as often as the other: rows and columns all add up to one.
    """
    cards = (*CARDS[:52], JOKER)
    table = {a: {b: alike(a, b) for b in cards if alike(a, b)} for a in cards}
    for _ in range(200):
        root = {a: sum(row.values()) ** 0.5 for a, row in table.items()}
        table = {a: {b: w / root[a] / root[b] for b, w in row.items()} for a, row in table.items()}
    return table


class Reader:
    """Reads cards as surely as CALLED says, and is right as often as it says."""

    def __init__(self, rng: random.Random, swapped: float = SWAPPED) -> None:
        self.rng, self._taken_for = rng, confusions()
        missing = [(1 - (low + high) / 2) * share for low, high, share in CALLED]
        unsure = [low < SURE for low, _, _ in CALLED]
        shares = [share for _, _, share in CALLED]
        # What is not called SURE is thinned out by a factor f: (sum + f * sum) misread of (sum + f * sum) cards.
        sure_wrong = sum(m for m, u in zip(missing, unsure, strict=True) if not u)
        unsure_wrong = sum(m for m, u in zip(missing, unsure, strict=True) if u)
        sure_all = sum(s for s, u in zip(shares, unsure, strict=True) if not u)
        unsure_all = sum(s for s, u in zip(shares, unsure, strict=True) if u)
        factor = (swapped * sure_all - sure_wrong) / (unsure_wrong - swapped * unsure_all)
        self._shares = [s * factor if u else s for s, u in zip(shares, unsure, strict=True)]

    def read(self, card: Card) -> Face:
        """One reading of the card: it stands first, second or third as often as these are called likely."""
        card = JOKER if card.rank is Rank.JOKER else card
        low, high, _ = self.rng.choices(CALLED, self._shares)[0]
        p = self.rng.uniform(low, high)
        chances = [p, (1 - p) * SECOND, (1 - p) * (1 - SECOND)]
        others = self._others(card)
        others.insert(self.rng.choices(range(3), chances)[0], card)
        return Face(others[0], p, tuple(zip(others[1:], chances[1:], strict=True)))

    def _others(self, card: Card) -> list[Card]:
        row = dict(self._taken_for[card])
        first = self.rng.choices(list(row), list(row.values()))[0]
        del row[first]
        return [first, self.rng.choices(list(row), list(row.values()))[0]]


# --- one game ---------------------------------------------------------------------------------------


@dataclass
class Played:
    """A game being played: what the table really holds, and what was counted."""

    top: Tabletop
    reader: Reader
    state: State
    counted: Counter[str] = field(default_factory=Counter)
    #: This round's readings, by player and place among the faces.
    faces: dict[tuple[str, int], Face] = field(default_factory=dict)
    trace: bool = False

    def true_faces(self, player: str) -> tuple[Card, ...]:
        """The face-up cards that the player has really laid, in the order laid."""
        return tuple(card for card, up in self.top.laid[player] if up)


def play(game: Game, seed: int, cap: int, trace: bool = False) -> Counter[str]:
    """One game to its end or the cap."""
    rng = random.Random(seed)
    table = Played(Tabletop(game, rng), Reader(random.Random(seed + 1)), reducer.start(game), trace=trace)
    while table.state.position.over is None and table.state.position.round.number <= cap:
        before = table.state.position.round.verdict
        for entry in table.top.inputs(table.state):
            _tell(table, entry)
            if table.state.position.over:
                break
        now = table.state.position.round.verdict
        if now is None or now is before:
            _check_progress(table)
            continue
        put = table.top.collect(table.state.position)
        if put is not None and not table.state.position.over:
            _tell(table, put)
    table.counted["games"] += 1
    table.counted["rounds"] += table.state.position.round.number
    return table.counted


def _check_progress(table: Played) -> None:
    table.counted["looks without verdict"] += 1
    if table.counted["looks without verdict"] > 10_000:
        raise RuntimeError("the game does not go on")


def _tell(table: Played, entry: Input) -> None:
    if isinstance(entry, Seen):
        if not any(entry.faces.values()):
            table.faces.clear()
        entry = Seen(entry.at, {p: tuple(_read_all(table, p)) for p in entry.faces}, None, entry.backs)
    before = table.state.position.round
    _step(table, entry)
    for _ in range(20):
        if not _put_right(table):
            break
    _judge(table, before)


def _read_all(table: Played, player: str) -> Iterator[Face]:
    for place, card in enumerate(table.true_faces(player)):
        if (player, place) not in table.faces:
            table.faces[player, place] = table.reader.read(card)
            table.counted["readings"] += 1
            table.counted["swapped"] += table.faces[player, place].card.bits & card.bits == 0
        yield table.faces[player, place]


def _step(table: Played, entry: Input) -> None:
    table.state, said = reducer.step(table.state, entry)
    for one in said:
        _count(table, one)


def _count(table: Played, one: Ruled) -> None:
    match one.ruling:
        case Question():
            table.counted["questions"] += 1
            table.counted[f"questions {one.ruling.why}"] += 1
        case Violation(holds=True):
            table.counted["held"] += 1
            table.counted[f"held {one.ruling.kind}"] += 1
        case Violation() | Notice():
            table.counted["remarks"] += 1
    if table.trace and isinstance(one.ruling, Question | Violation | Notice):
        print(table.state.position.round.number, one.ruling, dict(table.faces), file=sys.stderr)


def _put_right(table: Played) -> bool:
    """What a person does about an open question, or about a game that is stopped; False where there is neither."""
    pos = table.state.position
    if pos.asked:
        question = pos.asked[-1]
        seq = max(one.seq for one in reducer.rulings(table.state) if one.ruling == question)
        choice = _truth(table, question)
        if choice is not None:
            _step(table, Answer(table.state.at, seq, choice))
        else:
            table.counted["truth not offered"] += 1
            _correct(table)
        return True
    if pos.held and pos.held.kind is ViolationKind.ILLEGAL_STEAL:
        _tell_anew(table)
        return True
    if pos.held:
        _correct(table)
        return True
    return False


def _truth(table: Played, question: Question) -> str | None:
    """The right answer, where it is offered."""
    faces = table.true_faces(question.about)
    asked = faces if question.why == QuestionKind.ORDER else faces[question.face[1] :][:1]
    right = {card.code for card in asked} | {card.without_suit().code for card in asked}
    return next((choice for choice in question.choices if choice in right), None)


def _tell_anew(table: Played) -> None:
    """A steal was refused, because the top of the pile was misread: people tell how the game stands."""
    top, old = table.top, table.state
    table.counted["rounds"] += old.position.round.number
    piles = {p: (HIDDEN,) * (len(up) - 1) + tuple(up[-1:]) for p, up in top.face_up.items()}
    counts = {p: len(top.owned(p)) for p in top.game.players}
    rules = old.game.settings.changed(settings_for(old.game.variant.name, {}))
    table.state = reducer.start(new_game(old.game.variant.name, top.game.players, rules, counts, piles))


def _correct(table: Played) -> None:
    looks = [n for n, cause in _causes(table.state) if isinstance(cause, Seen) and any(cause.faces.values())]
    faces = {p: tuple(map(Face, table.true_faces(p))) for p in table.top.game.players}
    table.faces |= {(p, i): face for p, laid in faces.items() for i, face in enumerate(laid)}
    _step(table, Correct(table.state.at, looks[0], {p: laid for p, laid in faces.items() if laid}))


def _causes(state: State) -> Iterator[tuple[int, Input | None]]:
    here: State | None = state
    while here is not None:
        yield here.looks, here.cause
        here = here.past


# --- what came of it --------------------------------------------------------------------------------


def _judge(table: Played, before: Round) -> None:
    """Count the decisions that are new since `before`, and how they compare with the real cards."""
    now, rules = table.state.position.round, table.top.game.settings
    known = len(before.fought) if before.number == now.number else 0
    for fought in now.fought[known:]:
        real = {p: table.true_faces(p)[i] for p, i in fought.items()}
        ruled = {p: now.laid[p].faces[i].card for p, i in fought.items()}
        tops = {p: table.faces[p, i].card for p, i in fought.items()}
        table.counted["decisions"] += 1
        wrong = _outcome(ruled, rules) != _outcome(real, rules)
        table.counted["wrong"] += wrong
        table.counted["wrong by top reading"] += _outcome(tops, rules) != _outcome(real, rules)
        if wrong and table.trace:
            seen = {p: table.faces[p, i] for p, i in fought.items()}
            print(now.number, "WRONG", ruled, real, seen, file=sys.stderr)


def _outcome(faces: Mapping[str, Card], rules: Settings) -> tuple[tuple[str, ...], int]:
    best = highest(faces, rules)
    return best, strength(faces[best[0]], rules) if len(best) > 1 else 0


# --- many games -------------------------------------------------------------------------------------


def games_of(number: int) -> Iterator[tuple[str, Game, int]]:
    """So many games, the variants in turn, with every number of players."""
    for seed in range(number):
        variant = VARIANTS[seed % len(VARIANTS)]
        low, high = variant.players
        players = PLAYERS[: low + seed // len(VARIANTS) % (high - low + 1)]
        yield variant.name, new_game(variant.name, players), seed


def measure(number: int, cap: int, workers: int = 1, first: int = 0) -> dict[str, Counter[str]]:
    """What was counted in each variant, and in all."""
    total: dict[str, Counter[str]] = {}
    chosen = [(name, game, first + seed) for name, game, seed in games_of(number)]
    if workers == 1:
        played = [play(game, seed, cap) for _, game, seed in chosen]
    else:
        with ProcessPoolExecutor(workers) as pool:
            played = list(
                pool.map(play, [game for _, game, _ in chosen], [seed for _, _, seed in chosen], [cap] * number)
            )
    for (name, _, _), counted in zip(chosen, played, strict=True):
        for key in (name, "all"):
            total.setdefault(key, Counter()).update(counted)
    return total


def figures(counted: Counter[str]) -> dict[str, float]:
    """The two figures that count, and what they come of."""
    rounds, top = counted["rounds"], counted["wrong by top reading"]
    return {
        "games": counted["games"],
        "rounds": rounds,
        "misread": round(counted["swapped"] / counted["readings"], 4),
        "wrong_by_top_reading": top,
        "wrong": counted["wrong"],
        "left": round(counted["wrong"] / top, 3) if top else 0.0,
        "asked_in_100_rounds": round(100 * (counted["questions"] + counted["held"]) / rounds, 2),
        "remarks_in_100_rounds": round(100 * counted["remarks"] / rounds, 2),
        "held": counted["held"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cap", type=int, default=1000, help="rounds after which a game is stopped")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--trace", action="store_true", help="say every question, remark and wrong decision")
    words = parser.parse_args()
    begun = time.monotonic()
    if words.trace:
        for _, game, seed in games_of(words.games):
            play(game, words.seed + seed, words.cap, trace=True)
        return 0
    total = measure(words.games, words.cap, words.workers, words.seed)
    for name, counted in total.items():
        if name != "all":
            print(json.dumps({"variant": name, **figures(counted)}))
    result = figures(total["all"])
    print(json.dumps({"variant": "all", **result, "seconds": round(time.monotonic() - begun)}))
    return 0 if result["left"] <= 0.1 and result["asked_in_100_rounds"] <= 2 else 1


if __name__ == "__main__":
    raise SystemExit(main())
