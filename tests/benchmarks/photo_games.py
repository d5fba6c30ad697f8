"""Games made of real photographs: `python tests/benchmarks/photo_games.py MANIFEST [--source NAME] [--games N]`.

Cards that lie free in the labelled photographs of one source are cut out with what lies round them and laid side by
side, one column a player, 1280 x 720, one picture a look; a tie is followed by a picture of the next two cards alone.
`warref watch` referees the pictures, `warref replay` the cards as they are labelled. Prints, a source, the games whose
rulings are the same to the last count, and the questions asked; exit code 1 unless every game is exact.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
WIDTH, HEIGHT = 1280, 720
#: As much of the table is left round a card, in card heights, where no other card is in the way.
ROUND = 0.4
#: A card in a column is at most this share of the picture's height.
TALLEST = 0.75
GAMES = (("classic", ("Ana", "Ben")), ("multi", ("Ana", "Ben", "Cai")), ("razboi", ("Ana", "Ben")))
DECIDING = {"battle_won", "war_declared", "battle_drawn", "game_over"}
KEYS = ("ruling", "round", "winner", "pot", "counts", "rank", "down")

Image = NDArray[np.uint8]
Box = tuple[float, float, float, float]


class Card(NamedTuple):
    """A card that lies free in a photograph: its code, the file, its box and the window to cut, in pixels."""

    code: str
    file: Path
    box: Box
    window: Box


def free_cards(manifest: Path) -> dict[str, list[Card]]:
    """By source, the labelled cards that no other one touches."""
    found: dict[str, list[Card]] = defaultdict(list)
    for line in manifest.read_text("utf-8").splitlines():
        photo = json.loads(line)
        cards = [card for card in photo["cards"] if card["box"] and card.get("box_is") == "card"]
        if not photo["complete"] or len(cards) < len(photo["cards"]):
            continue
        for card in cards:
            others = [other["box"] for other in cards if other is not card]
            window = _window(card["box"], others, photo["width"], photo["height"])
            if window:
                found[photo["source"]].append(Card(card["code"], manifest.parent / photo["file"], card["box"], window))
    return found


def _window(box: Box, others: Sequence[Box], width: int, height: int) -> Box | None:
    """The largest margin round a box that meets no other; None where they touch or the card leaves the picture."""
    left, top, right, bottom = box
    if left < 2 or top < 2 or right > width - 2 or bottom > height - 2:
        return None
    tall = max(right - left, bottom - top)
    for margin in np.linspace(ROUND, 0.02, 20) * tall:
        window = (left - margin, top - margin, right + margin, bottom + margin)
        if not any(_meet(window, other) for other in others):
            return max(0, window[0]), max(0, window[1]), min(width, window[2]), min(height, window[3])
    return None


def _meet(a: Box, b: Box) -> bool:
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def script(cards: Sequence[Card], players: Sequence[str], rng: random.Random) -> Iterator[dict[str, Card]]:
    """Looks that show every code once at most, in any order: a column a player."""
    by_code: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        by_code[card.code].append(card)
    codes = rng.sample(sorted(by_code), len(by_code))
    for start in range(0, len(codes) - len(players) + 1, len(players)):
        yield {player: rng.choice(by_code[codes[start + i]]) for i, player in enumerate(players)}


def picture(look: dict[str, Card]) -> Image:
    """The photographs of a look side by side."""
    wide = WIDTH // len(look)
    columns = [_column(card, wide) for card in look.values()]
    image = np.hstack(columns)
    return np.asarray(cv2.resize(image, (WIDTH, HEIGHT)) if image.shape[1] != WIDTH else image, np.uint8)


def _column(card: Card, wide: int) -> Image:
    """One photograph cut to the card's surroundings, as large as fits, on the colour of its edge."""
    image = cv2.imread(str(card.file))
    left, top, right, bottom = (round(v) for v in card.window)
    cut = image[top:bottom, left:right]
    scale = min(wide / cut.shape[1], HEIGHT / cut.shape[0], TALLEST * HEIGHT / (card.box[3] - card.box[1]))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    cut = cv2.resize(cut, None, fx=scale, fy=scale, interpolation=how)[:HEIGHT, :wide]
    edge = np.concatenate([cut[0], cut[-1], cut[:, 0], cut[:, -1]])
    column = np.empty((HEIGHT, wide, 3), np.uint8)
    column[:] = np.median(edge, axis=0)
    y, x = (HEIGHT - cut.shape[0]) // 2, (wide - cut.shape[1]) // 2
    column[y : y + cut.shape[0], x : x + cut.shape[1]] = cut
    return column


def play(looks: Sequence[dict[str, Card]], variant: str, players: Sequence[str], folder: Path) -> tuple[str, int]:
    """The first ruling that differs (empty: none), and how many questions the pictures raised."""
    for number, look in enumerate(looks, start=1):
        cv2.imwrite(str(folder / f"{number:02d}.png"), picture(look))
    lines = [json.dumps({"game": {"variant": variant, "players": list(players)}})]
    lines += [
        json.dumps({"at": 5.0 * n, "faces": {player: [card.code] for player, card in look.items()}})
        for n, look in enumerate(looks, start=1)
    ]
    (folder / "truth.looks").write_text("\n".join(lines) + "\n", encoding="utf-8")
    game = ["--variant", variant, "--players", ",".join(players)]
    log = ["--log", str(folder / "log.db")]
    seen = _rulings("watch", "--source", str(folder), *game, "--no-page", *log)
    true = _rulings("replay", str(folder / "truth.looks"))
    asked = sum(ruling["ruling"] == "question" for ruling in seen)
    pairs = itertools.zip_longest(_told(seen), _told(true))
    return next((f"{said} instead of {right}" for said, right in pairs if said != right), ""), asked


def _rulings(*words: str) -> list[dict[str, Any]]:
    call = [sys.executable, "-m", "companion", *words, "--json"]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _told(rulings: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: r[key] for key in KEYS if key in r} for r in rulings if r["ruling"] in DECIDING]


def main() -> int:
    """Play the games of every source asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--source", help="only sources whose name begins so")
    parser.add_argument("--games", type=int, default=1, help="games a source and variant")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    exact = True
    for source, cards in sorted(free_cards(args.manifest).items()):
        if args.source and not source.startswith(args.source):
            continue
        for (variant, players), number in ((game, n) for game in GAMES for n in range(args.games)):
            looks = list(script(cards, players, random.Random(f"{args.seed} {source} {variant} {number}")))
            with tempfile.TemporaryDirectory() as folder:
                fault, asked = play(looks, variant, players, Path(folder))
            exact &= not fault
            said = f"NOT exact: {fault}" if fault else "exact"
            print(f"{source} {variant}: {len(looks)} looks, {asked} questions, {said}", flush=True)
    return 0 if exact else 1


if __name__ == "__main__":
    sys.exit(main())
