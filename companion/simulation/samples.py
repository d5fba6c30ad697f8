"""`python -m companion.simulation.samples OUT`: render the sample pictures and films anew, from made decks."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2

from companion.errors import Fault
from companion.simulation.film import make_film, read_film_script, render_look
from vision.lab.render.decks.catalogue import load_deck
from vision.lab.render.films.film import Film, Shot, write_film
from vision.lab.render.films.staging import TableLook
from vision.types import BACK, VisionError

#: Where the scripts of the films lie in the checkout: the program itself never reads them.
SCRIPTS = Path(__file__).parents[2] / "tests" / "films"
#: What must be seen in each picture: one line a picture, the form that `python -m vision evaluate` reads.
SEEN = "seen.jsonl"
_QUALITY = 88


@dataclass(frozen=True, slots=True)
class Still:
    """One sample picture: what lies on the table, the deck's number and the table's."""

    name: str
    faces: Mapping[str, tuple[str, ...]]
    deck: int
    seed: int
    backs: Mapping[str, int] = field(default_factory=dict)
    seats: str = "left-right"


STILLS = (
    Still("one-card", {"Ana": ("7D",)}, deck=8, seed=0),
    Still("one-court-card", {"Ana": ("KH",)}, deck=17, seed=14),
    Still("one-joker", {"Ana": ("JR",)}, deck=12, seed=23),
    Still("pair", {"Ana": ("10C",), "Ben": ("6H",)}, deck=1, seed=3),
    Still("pair-across", {"Ana": ("9S",), "Ben": ("AD",)}, deck=11, seed=22, seats="near-far"),
    Still("pair-with-joker", {"Ana": ("JB",), "Ben": ("AS",)}, deck=7, seed=16),
    Still("tie", {"Ana": ("QS",), "Ben": ("QH",)}, deck=23, seed=13),
    Still("three", {"Ana": ("2C",), "Ben": ("JD",), "Cai": ("8H",)}, deck=5, seed=19),
    Still("three-round", {"Ana": ("KC",), "Ben": ("4D",), "Cai": ("10S",)}, deck=17, seed=9, seats="clockwise"),
    Still("four", {"Ana": ("5H",), "Ben": ("QC",), "Cai": ("3S",), "Dan": ("AH",)}, deck=12, seed=25),
    Still(
        "four-round", {"Ana": ("9D",), "Ben": ("6C",), "Cai": ("KD",), "Dan": ("2H",)},
        deck=1, seed=15, seats="clockwise",
    ),
    Still("war-laid", {"Ana": ("7S",), "Ben": ("7H",)}, deck=17, seed=20, backs={"Ana": 3, "Ben": 3}),
    Still("war", {"Ana": ("JS", "3D"), "Ben": ("JC", "KS")}, deck=12, seed=21, backs={"Ana": 3, "Ben": 3}),
    Still("war-of-eight", {"Ana": ("8D", "AC"), "Ben": ("8C", "5S")}, deck=2, seed=12, backs={"Ana": 7, "Ben": 7}),
    Still(
        "war-twice", {"Ana": ("4H", "10D", "9C"), "Ben": ("4S", "10H", "QD")},
        deck=11, seed=17, backs={"Ana": 6, "Ben": 6},
    ),
    Still(
        "war-of-three", {"Ana": ("2S", "JH"), "Ben": ("2D", "7C"), "Cai": ("2C", "AS")},
        deck=23, seed=27, backs={"Ana": 1, "Ben": 1, "Cai": 1},
    ),
    Still("backs", {}, deck=12, seed=29, backs={"Ana": 1, "Ben": 2}),
)  # fmt: skip
#: Name of the script, then the deck and the table it is filmed with.
FILMS = (("classic", 12, 29), ("razboi", 1, 25))
GAME = ("game", 23, 4)


def render_samples(out: Path, scripts: Path = SCRIPTS) -> None:
    """Write all samples into the folder `out`. Raises Fault for a missing script, VisionError where writing fails."""
    (out / GAME[0]).mkdir(parents=True, exist_ok=True)
    seen = [_write_shot(out, f"{still.name}.jpg", _still(still)) for still in STILLS]
    seen += [
        _write_shot(out, f"{GAME[0]}/{number:02}.jpg", shot) for number, shot in enumerate(_game(scripts), start=1)
    ]
    (out / SEEN).write_text("".join(json.dumps(line) + "\n" for line in seen), encoding="utf-8")
    for name, deck, seed in FILMS:
        write_film(_film(scripts, name, deck, seed), out / f"{name}.mp4")


def _still(still: Still) -> Shot:
    players = tuple(dict.fromkeys((*still.faces, *still.backs)))
    look = TableLook(0.0, still.faces, still.backs)
    return render_look(look, players, load_deck(f"made-{still.deck}"), still.seats, still.seed)


def _film(scripts: Path, name: str, deck: int, seed: int) -> Film:
    return make_film(read_film_script(scripts / f"{name}.looks"), load_deck(f"made-{deck}"), seed=seed)


def _game(scripts: Path) -> Iterator[Shot]:
    film = _film(scripts, *GAME)
    return (film.shot(look) for look in range(len(film.stages)))


def _write_shot(out: Path, name: str, shot: Shot) -> dict[str, Any]:
    """Write a picture and return its line of SEEN."""
    if not cv2.imwrite(str(out / name), shot.image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY]):
        raise VisionError(f"The picture {out / name} cannot be written.")
    height, width = shot.image.shape[:2]
    cards = [
        {"code": card.placed.code, "box": card.box, "polygon": card.placed.quad.round(1).tolist()}
        for card in shot.cards
        if card.legible
    ]
    backs = sum(card.placed.code == BACK for card in shot.cards)
    return {
        "file": name, "width": width, "height": height, "source": "samples", "complete": True,
        "cards": cards, "backs": backs,
    }  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Render the samples; gives 0, or 1 with a sentence on stderr."""
    parser = argparse.ArgumentParser(
        prog="python -m companion.simulation.samples", description="Renders the samples anew."
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write to")
    parser.add_argument("--scripts", type=Path, default=SCRIPTS, help="the folder of the films' scripts")
    words = parser.parse_args(argv)
    try:
        render_samples(words.out, words.scripts)
    except (Fault, VisionError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
