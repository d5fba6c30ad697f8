"""What time adds to a reading: `python tests/benchmarks/glare.py [--looks N] [--frames N]`.

Rendered looks of four cards in a row along which four spots of glare wander, so that hardly a frame shows all four
well; through the real networks. Prints one line of JSON: the share of ranks that are right, of `cards` and of whole
`looks` (all four right), in

* `first`, `last`: the look's first and last frame;
* `surest_frame`: the frame that is surest of its four readings together, the best that one picture can do by itself;
* `surest_each`: for each card the frame that is surest of it, the simplest way to use several;
* `fused`: all frames together, as the program joins them.

A card that a frame does not show is wrong in it. Exit code 1 where the frames together are not better than the surest
one. WARREF_WEIGHTS names other networks than those in models/.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from companion.simulation.film import FilmScript, make_film  # noqa: E402
from vision.detection.engines import open_detector  # noqa: E402
from vision.geometry import as_quad, overlap, points  # noqa: E402
from vision.lab.render.decks.catalogue import load_deck  # noqa: E402
from vision.lab.render.films.film import Film  # noqa: E402
from vision.lab.render.films.staging import TableLook  # noqa: E402
from vision.lab.render.scenes import photograph  # noqa: E402
from vision.light import measure_glare  # noqa: E402
from vision.tracking.fusion import fuse_sightings  # noqa: E402
from vision.types import RANKS, SUITS, Detector, FoundCard, Frame, Quad, Side  # noqa: E402

PLAYERS = ("Ana", "Ben", "Cai", "Dee")
#: Small pictures, in which an index is a few pixels wide: where every frame is read, time adds nothing.
SIZE = (512, 288)
#: Looks on one table and with one deck.
EACH = 8
#: An outline is that card's from this overlap on.
THIS = 0.4


#: Spots of glare at once: as many as cards.
SPOTS = 4

#: What each frame shows of one card, None where it is not found or not as a face; in the order of the frames.
Sightings = tuple[FoundCard | None, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """Glare that wanders along the row of cards: where it is in the first frame, how far it comes until the last, its
    radius (all in pixels), and how bright it is (0..255 and beyond)."""

    begins: np.ndarray
    comes: float
    radius: float
    strength: float

    def at(self, share: float) -> tuple[float, float]:
        """Where it is after a share (0..1) of the look; what leaves the picture comes in again on the other side."""
        return float((self.begins[0] + share * self.comes) % SIZE[0]), float(self.begins[1])


@dataclass(frozen=True, slots=True)
class Watched:
    """One look: its cards' codes, and what the frames show of each."""

    codes: tuple[str, ...]
    sightings: tuple[Sightings, ...]


def watched(detector: Detector, looks: int, frames: int, seed: int = 1) -> Iterator[Watched]:
    """So many looks under glare."""
    rng = np.random.default_rng(seed)
    codes = [rank + suit for rank in RANKS for suit in SUITS]
    for first in range(0, looks, EACH):
        hands = [rng.choice(codes, len(PLAYERS), replace=False) for _ in range(min(EACH, looks - first))]
        shown = [{p: (str(code),) for p, code in zip(PLAYERS, hand, strict=True)} for hand in hands]
        script = FilmScript(PLAYERS, tuple(TableLook(at, faces) for at, faces in enumerate(shown, start=1)))
        table = 100 + seed + first // EACH
        film = make_film(script, load_deck(f"made-{table}"), seed=table, size=SIZE)
        for number in range(len(hands)):
            yield _look(detector, film, number, frames, rng)


def _look(detector: Detector, film: Film, number: int, frames: int, rng: np.random.Generator) -> Watched:
    stage = film.stages[number]
    still, cards = film.table.with_cards(stage).image, film.table.truth(stage)
    quads = [as_quad(card.placed.quad) for card in cards]
    spots = [_spot(quads, rng) for _ in range(SPOTS)]
    found: list[list[FoundCard | None]] = [[] for _ in cards]
    for frame in range(frames):
        image = film.table.shoot(still, rng)
        for spot in spots:
            photograph.glare(image, spot.at(frame / max(1, frames - 1)), spot.radius, spot.strength)
        for sightings, card in zip(found, _detected(detector, image, quads), strict=True):
            sightings.append(card)
    return Watched(tuple(card.placed.code for card in cards), tuple(map(tuple, found)))


def _spot(quads: Sequence[Quad], rng: np.random.Generator) -> Spot:
    corners = np.stack([points(quad) for quad in quads])
    tall = float(np.linalg.norm(corners[0, 0] - corners[0, 3]))
    begins = np.array([rng.uniform(0, SIZE[0]), corners[..., 1].mean() + rng.normal(0, 0.25) * tall])
    comes = float(rng.choice([-1, 1]) * rng.uniform(0.2, 0.6) * SIZE[0])
    return Spot(begins, comes, float(rng.uniform(0.9, 1.6)) * tall, float(rng.uniform(200, 400)))


def _detected(detector: Detector, image: np.ndarray, quads: Sequence[Quad]) -> Iterator[FoundCard | None]:
    cards = [card for card in detector.detect(Frame(image, 0.0)) if card.side is Side.FACE and card.readings]
    for quad in quads:
        best = max(cards, key=lambda card: overlap(card.quad, quad)[0], default=None)
        near = best is not None and overlap(best.quad, quad)[0] > THIS
        yield replace(best, glare=measure_glare(image, best.quad)) if best is not None and near else None


def rank_of(code: str | None) -> str:
    """The rank of a code."""
    return (code or "")[:-1]


def frame_of(look: Watched, number: int) -> list[str]:
    """The ranks that one frame shows."""
    return [rank_of(card.code) if (card := seen[number]) else "" for seen in look.sightings]


def surest_frame(look: Watched) -> list[str]:
    """The ranks of the frame in which all cards together are the likeliest to be right by its own word."""
    sure = [prod(card.p if card else 0.01 for card in shown) for shown in zip(*look.sightings, strict=True)]
    return frame_of(look, int(np.argmax(sure)))


def surest_each(look: Watched) -> list[str]:
    """The ranks that each card is the surest read as."""
    return [
        rank_of(max(filter(None, seen), key=lambda one: one.p).code) if any(seen) else "" for seen in look.sightings
    ]


def fused(look: Watched) -> list[str]:
    """The ranks as the program joins a settling look's frames."""
    return [rank_of(fuse_sightings(found).code) if (found := [*filter(None, seen)]) else "" for seen in look.sightings]


WAYS: dict[str, Callable[[Watched], list[str]]] = {
    "first": lambda look: frame_of(look, 0),
    "last": lambda look: frame_of(look, -1),
    "surest_frame": surest_frame,
    "surest_each": surest_each,
    "fused": fused,
}


def figures(looks: Sequence[Watched]) -> dict[str, dict[str, float]]:
    """How many there are, and for each way to read them the share of cards and of whole looks with the right ranks."""
    cards = sum(len(look.codes) for look in looks)
    found: dict[str, dict[str, float]] = {"counted": {"cards": cards, "looks": len(looks)}}
    for name, way in WAYS.items():
        right = [[rank_of(code) == rank for code, rank in zip(look.codes, way(look), strict=True)] for look in looks]
        shares = sum(map(sum, right)) / cards, sum(map(all, right)) / len(looks)
        found[name] = {"cards": round(shares[0], 4), "looks": round(shares[1], 4)}
    return found


def time_helps(found: dict[str, dict[str, float]]) -> bool:
    """Whether the frames together are better than the best of them."""
    return all(found["fused"][what] > found["surest_frame"][what] for what in ("cards", "looks"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--looks", type=int, default=100, help="of four cards each")
    parser.add_argument("--frames", type=int, default=8, help="of each look")
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    weights = os.environ.get("WARREF_WEIGHTS")
    detector = open_detector(Path(weights) if weights else None)
    result = figures(list(watched(detector, words.looks, words.frames, words.seed)))
    print(json.dumps(result))
    return 0 if time_helps(result) else 1


if __name__ == "__main__":
    raise SystemExit(main())
