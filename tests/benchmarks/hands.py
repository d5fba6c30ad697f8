"""Hands that hold cards where nobody lays any: `python tests/benchmarks/hands.py [--films N] [--seconds S]`.

Renders films of hands that fan, riffle, peek at and deal out cards without laying them: other hands, sleeves, decks and
tables in each, a grip for GRIP_S seconds, half of them still and half of them wandering. `warref watch` referees them
as a game of two. Prints a line a film and the sum: seconds filmed, rounds ruled (none is right), questions and
violations, and the sentences on stderr. Exit code 1 where more than ALLOWED rounds are ruled in all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.lamps import Game, watch  # noqa: E402
from vision.lab.render.decks.catalogue import load_deck  # noqa: E402
from vision.lab.render.scenes.scene import any_hold, draw_hold  # noqa: E402
from vision.lab.render.scenes.table import any_table  # noqa: E402
from vision.types import Image  # noqa: E402

#: Width and height in pixels, and frames a second.
SIZE, FPS = (1280, 720), 8
#: Seconds that a grip lasts, of a pause without a hand before it, and that a wandering hand takes for its round.
GRIP_S, PAUSE_S, ROUND_S = 3.0, 0.75, 4.0
#: How far a wandering hand goes from its place, in card heights.
WANDER = 0.25
#: Rounds that may be ruled in all films together.
ALLOWED = 1
#: Seed of the first film: far from those that were trained on.
FIRST = 3_300_000


def frames(seed: int, seconds: float) -> Iterator[Image]:
    """The frames of one film."""
    rng = np.random.default_rng([seed, 5])
    deck = load_deck(f"made-{seed}")
    table = any_table(deck, SIZE, rng)
    each, pause = round(GRIP_S * FPS), round(PAUSE_S * FPS)
    for start in range(0, round(seconds * FPS), each + pause):
        hold, wanders = any_hold(rng, deck, table.camera), start // (each + pause) % 2 == 1
        for _ in range(pause):
            yield table.shoot(table.bare().image, rng)
        for number in range(each):
            angle = 2 * np.pi * number / (FPS * ROUND_S)
            far = WANDER * np.array([np.cos(angle), np.sin(angle)]) if wanders else rng.normal(0, 0.004, 2)
            canvas = table.bare()
            draw_hold(canvas, table.camera, replace(hold, x=hold.x + far[0], y=hold.y + far[1]))
            yield table.shoot(canvas.image, rng)


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
