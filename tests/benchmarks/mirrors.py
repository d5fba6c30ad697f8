"""How well a mirrored picture is told: `python tests/benchmarks/mirrors.py MANIFEST [--every N] [--draws N]`.

Looks at the surely read cards of labelled photographs, which are no mirror images, and deals them out by lot, source
by source, as a game would show them: how often the picture is found to be as it should be, how often (wrongly)
mirrored, how often nothing is said, and after how many different cards. A mirrored picture is the same turned round.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from vision.detection.engines import open_detector  # noqa: E402
from vision.images import load_picture  # noqa: E402
from vision.tracking.mirror import ENOUGH, LEAST_CARDS, TELLING, Facing, Mirror, measure_lean  # noqa: E402
from vision.types import JOKER_CLASS, Frame, Side  # noqa: E402

#: A source with fewer different cards cannot decide anything.
LEAST = LEAST_CARDS
#: So many cards are shown in a game before it is over.
SHOWN = 3 * ENOUGH


def leans(manifest: Path, every: int) -> dict[str, list[tuple[str, float]]]:
    """By source, the code and the lean of every surely read card."""
    found: dict[str, list[tuple[str, float]]] = defaultdict(list)
    detector = open_detector()
    for line in manifest.read_text("utf-8").splitlines()[::every]:
        photo = json.loads(line)
        image = load_picture(manifest.parent / photo["file"])
        for card in detector.detect(Frame(image, 0.0)):
            if card.side is Side.FACE and card.code and card.code != JOKER_CLASS and card.p >= TELLING:
                found[photo["source"]].append((card.code, measure_lean(image, card.quad)))
    return found


def dealt(cards: list[tuple[str, float]], rng: random.Random) -> tuple[str, int]:
    """What comes of one game with these cards, and the number of different ones it took."""
    mirror, shown = Mirror(Facing.AUTO), set()
    for code, leaning in rng.choices(cards, k=SHOWN):
        shown.add(code)
        mirror.note(code, leaning)
        if not mirror.open:
            break
    decided = "mirrored" if mirror.mirrored else "nothing said" if not mirror.settled else "as it should be"
    return decided, len(shown)


def main() -> int:
    """Deal the cards of every source and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--every", type=int, default=1, help="look at every N-th photograph")
    parser.add_argument("--draws", type=int, default=1000, help="games a source")
    args = parser.parse_args()
    for source, cards in sorted(leans(args.manifest, args.every).items()):
        if len({code for code, _ in cards}) < LEAST:
            continue
        games = [dealt(cards, random.Random(f"{source} {n}")) for n in range(args.draws)]
        came = Counter(decided for decided, _ in games)
        took = [number for decided, number in games if decided != "nothing said"]
        told = ", ".join(f"{came[key]} {key}" for key in ("as it should be", "mirrored", "nothing said"))
        print(
            f"{source}: {len(cards)} cards, {told}; after {median(took) if took else 0:.0f} different cards", flush=True
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
