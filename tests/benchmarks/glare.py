"""What time adds to a reading: `python tests/benchmarks/glare.py [--looks N] [--frames N]`.

Rendered looks of four cards, each with a spot of glare that wanders over it from frame to frame, through the real
networks. Prints one line of JSON: the share of ranks that are right in a single frame on average, in the frame whose
reading is the surest, and in all frames together, as the program joins them. Exit code 1 where those are worse than
the surest frame. WARREF_WEIGHTS names other networks than those in models/.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from vision.detector import open_detector  # noqa: E402
from vision.fusing import joined  # noqa: E402
from vision.geometry import as_quad, overlap, points  # noqa: E402
from vision.glare import glare  # noqa: E402
from vision.render import lens  # noqa: E402
from vision.render.decks import load_deck  # noqa: E402
from vision.render.film import Film  # noqa: E402
from vision.render.script import Script, TableLook  # noqa: E402
from vision.types import RANKS, SUITS, Detector, FoundCard, Frame, Quad, Side  # noqa: E402

PLAYERS = ("Ana", "Ben", "Cai", "Dee")
#: Small pictures, in which an index is a few pixels wide: where every frame is read, time adds nothing.
SIZE = (512, 288)
#: Looks on one table and with one deck.
EACH = 8
#: An outline is that card's from this overlap on.
THIS = 0.4


@dataclass(frozen=True, slots=True)
class Spot:
    """Glare over one card: where it is in the middle of the look and how far it wanders in one frame, from the
    card's middle in card heights; its radius likewise, and how bright it is (0..255 and beyond)."""

    at: np.ndarray
    step: np.ndarray
    radius: float
    strength: float


@dataclass(frozen=True, slots=True)
class Watched:
    """One card: its code, and what was found of it in each frame that it was found and read in."""

    code: str
    sightings: tuple[FoundCard, ...]


def watched(detector: Detector, looks: int, frames: int, seed: int = 1) -> Iterator[Watched]:
    """Every card of so many looks under glare."""
    rng = np.random.default_rng(seed)
    codes = [rank + suit for rank in RANKS for suit in SUITS]
    for first in range(0, looks, EACH):
        hands = [rng.choice(codes, len(PLAYERS), replace=False) for _ in range(min(EACH, looks - first))]
        shown = [{p: (str(code),) for p, code in zip(PLAYERS, hand, strict=True)} for hand in hands]
        script = Script(PLAYERS, tuple(TableLook(at, faces) for at, faces in enumerate(shown, start=1)))
        table = 100 + seed + first // EACH
        film = Film(script, load_deck(f"made-{table}"), seed=table, size=SIZE)
        for number in range(len(hands)):
            yield from _look(detector, film, number, frames, rng)


def _look(detector: Detector, film: Film, number: int, frames: int, rng: np.random.Generator) -> Iterator[Watched]:
    stage = film.stages[number]
    still, cards = film.table.with_cards(stage).image, film.table.truth(stage)
    quads = [as_quad(card.placed.quad) for card in cards]
    spots = [_spot(rng) for _ in cards]
    found: list[list[FoundCard]] = [[] for _ in cards]
    for frame in range(frames):
        image = film.table.shoot(still, rng)
        for quad, spot in zip(quads, spots, strict=True):
            _shine(image, quad, spot, frame - frames / 2, rng)
        for sightings, card in zip(found, _detected(detector, image, quads), strict=True):
            sightings += [card] if card else []
    for card, sightings in zip(cards, found, strict=True):
        yield Watched(card.placed.code, tuple(sightings))


def _spot(rng: np.random.Generator) -> Spot:
    radius, strength = float(rng.uniform(0.5, 1.3)), float(rng.uniform(120, 360))
    return Spot(rng.uniform(-0.5, 0.5, 2), rng.uniform(-0.15, 0.15, 2), radius, strength)


def _shine(image: np.ndarray, quad: Quad, spot: Spot, frame: float, rng: np.random.Generator) -> None:
    corners = points(quad)
    tall = float(np.linalg.norm(corners[0] - corners[3]))
    x, y = corners.mean(0) + (spot.at + spot.step * frame + rng.normal(0, 0.03, 2)) * tall
    lens.glare(image, (float(x), float(y)), spot.radius * tall, spot.strength)


def _detected(detector: Detector, image: np.ndarray, quads: Sequence[Quad]) -> Iterator[FoundCard | None]:
    cards = [card for card in detector.detect(Frame(image, 0.0)) if card.side is Side.FACE and card.readings]
    for quad in quads:
        best = max(cards, key=lambda card: overlap(card.quad, quad)[0], default=None)
        near = best is not None and overlap(best.quad, quad)[0] > THIS
        yield replace(best, glare=glare(image, best.quad)) if best is not None and near else None


def rank_of(code: str | None) -> str:
    """The rank of a code."""
    return (code or "")[:-1]


def figures(cards: Sequence[Watched]) -> dict[str, float]:
    """How many ranks are right, over the cards that were found in two frames or more."""
    several = [card for card in cards if len(card.sightings) > 1]
    singles = [(card.code, one.code) for card in several for one in card.sightings]
    surest = [(card.code, max(card.sightings, key=lambda one: one.p).code) for card in several]
    together = [(card.code, joined(card.sightings).code) for card in several]
    pairs = {"single": singles, "surest": surest, "together": together}
    right = {name: sum(rank_of(a) == rank_of(b) for a, b in found) for name, found in pairs.items()}
    return {
        "cards": len(several),
        "frames_each": round(len(singles) / len(several), 1),
        **{name: round(right[name] / len(found), 4) for name, found in pairs.items()},
        "surest_right": right["surest"],
        "together_right": right["together"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--looks", type=int, default=100, help="of four cards each")
    parser.add_argument("--frames", type=int, default=8, help="of each look")
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    weights = os.environ.get("WARREF_WEIGHTS")
    detector = open_detector(Path(weights) if weights else None)
    result = figures(list(watched(detector, words.looks, words.frames, words.seed)))
    print(json.dumps(result))
    return 0 if result["together_right"] >= result["surest_right"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
