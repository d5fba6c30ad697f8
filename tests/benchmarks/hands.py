"""Hands that hold cards where nobody lays any: `python tests/benchmarks/hands.py [--films N] [--seconds S]`.

Renders films of hands that fan, riffle, peek at, deal out, gather and square cards without laying them: other hands,
sleeves, decks and tables in each. In every other film hands come and go: a grip for GRIP_S seconds, half of them still
and half of them wandering, and an empty table between them. In the others the same hands stay from the first frame to
the last, now moving their fingers and cards, now keeping still. Half of the films show two persons' hands. `warref
watch` referees them as a game of two. Prints a line a film and the sum: seconds filmed, rounds ruled (none is right),
questions and violations, and the sentences on stderr. Exit code 1 where more than ALLOWED rounds are ruled in all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.lamps import Game, watch  # noqa: E402
from vision.lab.render.decks.catalogue import load_deck  # noqa: E402
from vision.lab.render.decks.deck import Deck  # noqa: E402
from vision.lab.render.scenes import hands  # noqa: E402
from vision.lab.render.scenes.scene import Hold, any_hold, draw_hold  # noqa: E402
from vision.lab.render.scenes.table import SceneTable, any_table  # noqa: E402
from vision.types import Image  # noqa: E402

#: Width and height in pixels, and frames a second.
SIZE, FPS = (1280, 720), 5
#: Seconds that a grip lasts, of a pause without a hand before it, and that a wandering hand takes for its round.
GRIP_S, PAUSE_S, ROUND_S = 3.0, 0.75, 4.0
#: How far a wandering hand goes from its place, in card heights.
WANDER = 0.25
#: Seconds that hands which stay take for a movement, and that they keep still after it, from and to.
MOVE_S, STILL_S = (0.3, 1.5), (0.6, 4.0)
#: How unsteady a hand is that keeps still: how far it drifts from frame to frame, and is drawn back, in card heights.
DRIFT, BACK = 0.004, 0.1
#: Rounds that may be ruled in all films together.
ALLOWED = 1
#: Seed of the first film: far from those that were trained on.
FIRST = 3_300_000


def frames(seed: int, seconds: float) -> Iterator[Image]:
    """The frames of one film."""
    rng = np.random.default_rng([seed, 5])
    deck = load_deck(f"made-{seed}")
    table = any_table(deck, SIZE, rng)
    scene = _staying if seed % 2 else _visiting
    persons = [scene(rng, deck, table) for _ in range(2 if seed % 4 >= 2 else 1)]
    for holds in islice(zip(*persons, strict=True), round(seconds * FPS)):
        canvas = table.bare()
        for side, hold in zip((-1, 1), filter(None, holds), strict=False):
            # Two persons hold their cards where players lay them, one on either side.
            there = hold if len(persons) == 1 else replace(hold, x=side * max(0.9, abs(hold.x)))
            draw_hold(canvas, table.camera, there)
        yield table.shoot(canvas.image, rng)


def _visiting(rng: np.random.Generator, deck: Deck, table: SceneTable) -> Iterator[Hold | None]:
    """Hands that come and go, for ever; None where there is none."""
    for visit in count():
        hold = any_hold(rng, deck, table.camera)
        yield from [None] * round(PAUSE_S * FPS)
        drift = np.zeros(2)
        for number in range(round(GRIP_S * FPS)):
            angle = 2 * np.pi * number / (FPS * ROUND_S)
            drift = (1 - BACK) * drift + rng.normal(0, DRIFT, 2)
            far = WANDER * np.array([np.cos(angle), np.sin(angle)]) if visit % 2 else drift
            yield replace(hold, x=hold.x + far[0], y=hold.y + far[1])


def _staying(rng: np.random.Generator, deck: Deck, table: SceneTable) -> Iterator[Hold]:
    """One person's hands that never leave, from one pose to the next, for ever."""
    grip, (least, most) = hands.GRIPS[int(rng.integers(len(hands.GRIPS)))]
    cards = int(rng.integers(max(2, least), max(2, most) + 1))
    hold = replace(any_hold(rng, deck, table.camera), cards=_shown_cards(rng, deck, cards))
    hold = replace(hold, x=0.5 * hold.x, y=0.5 * hold.y, parts=grip(rng, cards))
    drift = np.zeros(2)
    while True:
        start, end = hold.parts, grip(rng, cards)
        moves, still = (max(1, round(rng.uniform(*span) * FPS)) for span in (MOVE_S, STILL_S))
        for number in range(1, moves + still):
            drift = (1 - BACK) * drift + rng.normal(0, DRIFT, 2)
            parts = hands.blend_grips(start, end, min(1.0, number / moves))
            yield replace(hold, x=hold.x + drift[0], y=hold.y + drift[1], parts=parts)
        hold = replace(hold, parts=end)


def _shown_cards(rng: np.random.Generator, deck: Deck, cards: int) -> list[tuple[str, Image]]:
    """So many faces of a deck by lot."""
    return [(str(code), deck.faces[str(code)]) for code in rng.permutation(sorted(deck.faces))[:cards]]


def main() -> int:
    """Render, referee and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--films", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each film")
    parser.add_argument("--first", type=int, default=FIRST, help="seed of the first film")
    parser.add_argument("--keep", type=Path, help="folder for the films")
    words = parser.parse_args()
    total = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = words.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(words.first, words.first + words.films):
            path = folder / f"hands-{seed}.mp4"
            writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), FPS, SIZE)
            for frame in frames(seed, words.seconds):
                writer.write(frame)
            writer.release()
            found = watch(path, Game("classic", f"made-{seed}", seed), None)
            ruled = [one["text"] for one in found.deciding()]
            total += len(ruled)
            print(f"{seed}: {words.seconds:.0f} s, {len(ruled)} ruled, {found.asked()} asked", *ruled, sep="\n    ")
            print(*(f"    {at:.1f} s: {sentence}" for at, sentence in found.sentences), sep="\n", flush=True)
    print(f"all: {words.films * words.seconds:.0f} s, {total} ruled")
    return int(total > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
