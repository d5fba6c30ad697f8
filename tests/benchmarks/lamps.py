"""Games under ordinary lamps, on shaky tables, before low cameras: `python tests/benchmarks/lamps.py [--only KIND,…]`.

Four films (the two bundled ones and two scripts filmed on fresh decks) are changed frame by frame as `KINDS` says while
`warref watch` reads them, and the rulings are compared with those of the unchanged film. Prints a line a run:

* `same`: rulings as in the plain film, of the same cards, at most LATE_S later;
* `late`: the same rulings, but later than that, at the latest when the next was due;
* `invented`: rulings that the plain film does not have;
* `silent`: missing rulings for which the terminal gave no reason: nothing on stderr, and no question, violation or
  notice, between the last right ruling and WHY_S seconds after the missing one was due;
* `asked`: questions and violations beyond those of the plain film.

Only rulings that decide are compared (DECIDING). Exit code 1 where less than SHARE of the rulings are the same, one is
invented or one is missing silently. `--only pulses,casts --films classic` runs a part, `--list` names the parts,
`--jobs N` runs side by side, `--keep FOLDER` keeps the rendered films and the plain films' rulings between calls.
WARREF_WEIGHTS names other networks than those in models/.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from companion.cli import main as warref  # noqa: E402
from companion.simulation.film import make_film, read_film_script  # noqa: E402
from vision.lab.render.decks.catalogue import load_deck  # noqa: E402
from vision.lab.render.films.film import Film, write_film  # noqa: E402
from vision.lab.render.scenes.camera import PinholeCamera  # noqa: E402
from vision.sources.video import Video  # noqa: E402
from vision.types import Frame, Image  # noqa: E402

#: A ruling as `warref watch --json` prints it.
Ruling = dict[str, Any]

SCRIPTS, SAMPLES = ROOT / "tests" / "films", ROOT / "sample_images"
#: The rulings that decide, and the keys that make two of them the same; round numbers shift after a lost round.
DECIDING = {
    "battle_won": ("winner", "faces", "pot", "takes"),
    "war_declared": ("rank", "who", "down"),
    "battle_drawn": (),
    "game_over": ("winner",),
}
#: The kinds of ruling that say to people why there is no verdict.
TELLING = ("question", "violation", "notice")
#: Seconds: a ruling may come so much earlier or later than in the plain film.
EARLY_S, LATE_S = 0.6, 2.5
#: Seconds after a ruling was due within which the reason of its absence must be said.
WHY_S = 5.0
#: The share of rulings, 0..1, that must be as in the plain film.
SHARE = 0.98


# --- the films --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Game:
    """A filmed script. `table` is the seed of table and camera; `bundled` films lie in sample_images."""

    script: str
    deck: str
    table: int
    bundled: bool = False

    @property
    def facts(self) -> Mapping[str, Any]:
        """Variant, players, seats and settings."""
        found: dict[str, Any] = json.loads((SCRIPTS / f"{self.script}.expected.json").read_text("utf-8"))
        return found

    @property
    def seats(self) -> str:
        """Who sits where, as `--seats` takes it."""
        return str(self.facts.get("seats", "left-right"))

    def film(self, folder: Path) -> Path:
        """The path of the film, rendered into `folder` where it is not bundled and not there yet."""
        if self.bundled:
            return SAMPLES / f"{self.script}.mp4"
        path = folder / f"{self.script}-{self.deck}-{self.table}.mp4"
        if not path.exists():
            write_film(self.staged(), path)
        return path

    def staged(self) -> Film:
        """The film before it is rendered: its camera and where its cards lie."""
        script = read_film_script(SCRIPTS / f"{self.script}.looks")
        return make_film(script, load_deck(self.deck), self.seats, self.table)


GAMES = {
    "classic": Game("classic", "made-12", 29, bundled=True),
    "razboi": Game("razboi", "made-1", 25, bundled=True),
    "faceup": Game("faceup", "made-3100007", 3_100_007),
    "clockwise": Game("clockwise", "made-3100012", 3_100_012),
}


# --- what is done to a frame ------------------------------------------------------------------------


class Change:
    """What the changes of one film's frames need; the same seed the same frames."""

    def __init__(self, seed: int, staged: Callable[[], Film]) -> None:
        """`staged` gives the film's table and cards where they are needed."""
        self.rng, self.staged = np.random.default_rng(seed), staged


def lit(image: Image, gain: float | NDArray[np.floating]) -> Image:
    """The image under so many times the light: a number, BGR, or an array that broadcasts to the image."""
    return np.asarray(np.clip(image.astype(np.float32) * np.float32(gain), 0, 255), np.uint8)


@dataclass(frozen=True, slots=True)
class Pulse:
    """Brightness that swings by `depth` (share of 1) `hz` times a second; `square`: on and off instead of a sine."""

    depth: float
    hz: float
    square: bool = False

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        def apply(image: Image, at: float) -> Image:
            swing = np.sin(2 * np.pi * self.hz * at)
            return lit(image, 1 - self.depth / 2 + self.depth / 2 * (np.sign(swing) if self.square else swing))

        return apply


@dataclass(frozen=True, slots=True)
class Bands:
    """Mains light in a rolling shutter: `bands` dark stripes down the picture, `depth` deep, rolling by at `hz`."""

    depth: float
    bands: float
    hz: float

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        def apply(image: Image, at: float) -> Image:
            rows = np.arange(image.shape[0])[:, None, None] / image.shape[0]
            return lit(image, 1 - self.depth * (0.5 + 0.5 * np.sin(2 * np.pi * (self.bands * rows + self.hz * at))))

        return apply


@dataclass(frozen=True, slots=True)
class Cast:
    """Light of one colour: gains of blue, green and red. `flicker`: the depth of a flame's irregular swings."""

    blue: float
    green: float
    red: float
    flicker: float = 0.0

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        level = [1.0]

        def apply(image: Image, at: float) -> Image:
            level[0] += 0.35 * (1 - level[0]) + self.flicker * change.rng.normal(0, 0.5)
            return lit(image, np.array([self.blue, self.green, self.red]) * min(1.1, level[0]))

        return apply


@dataclass(frozen=True, slots=True)
class Mixed:
    """Daylight from one side and a warm lamp from the other: gains BGR at the left and at the right edge."""

    left: tuple[float, float, float]
    right: tuple[float, float, float]

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        def apply(image: Image, at: float) -> Image:
            share = np.linspace(0, 1, image.shape[1])[None, :, None]
            return lit(image, np.array(self.left) * (1 - share) + np.array(self.right) * share)

        return apply


@dataclass(frozen=True, slots=True)
class Screen:
    """A television beside the table: bluish light from the right, another scene every `every` seconds."""

    strength: float
    every: float

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        scene: dict[int, NDArray[np.float64]] = {}

        def apply(image: Image, at: float) -> Image:
            colour = scene.setdefault(int(at / self.every), change.rng.uniform(0.2, 1.0, 3) * (1.0, 0.8, 0.6))
            near = np.linspace(0, 1, image.shape[1])[None, :, None] ** 1.5
            return lit(image, 0.8 + self.strength * near * colour)

        return apply


@dataclass(frozen=True, slots=True)
class Dim:
    """Too little light: a gain, and the sensor's noise (standard deviation in grey levels of 255)."""

    gain: float
    noise: float

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        def apply(image: Image, at: float) -> Image:
            grain = change.rng.standard_normal(image.shape, np.float32) * self.noise
            return np.asarray(np.clip(image * np.float32(self.gain) + grain, 0, 255), np.uint8)

        return apply


@dataclass(frozen=True, slots=True)
class Steps:
    """Exposure that steps up and down between `low` and `high` every `every` seconds, over `takes` seconds each."""

    low: float
    high: float
    every: float
    takes: float

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        def apply(image: Image, at: float) -> Image:
            number, since = divmod(at, self.every)
            done = min(1.0, since / self.takes) if number else 1.0
            to, before = (self.high, self.low) if number % 2 else (self.low, self.high)
            return lit(image, before + (to - before) * done)

        return apply


@dataclass(frozen=True, slots=True)
class Shadow:
    """A shadow with an edge `soft` pixels wide that sways over half of the table, once in `period` seconds."""

    depth: float
    soft: float
    period: float

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        def apply(image: Image, at: float) -> Image:
            height, width = image.shape[:2]
            edge = width * (0.5 - 0.5 * np.cos(2 * np.pi * at / self.period)) * 0.8
            across = np.arange(width)[None, :] + 0.3 * np.arange(height)[:, None]
            return lit(image, 1 - self.depth / (1 + np.exp((across - edge) / self.soft))[..., None])

        return apply


@dataclass(frozen=True, slots=True)
class Cloud:
    """Daylight that sinks to `low` and comes back, once in `period` seconds."""

    low: float
    period: float

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        return lambda image, at: lit(image, 1 - (1 - self.low) * (0.5 - 0.5 * np.cos(2 * np.pi * at / self.period)))


def shifted(image: Image, x: float, y: float, turn: float = 0.0) -> Image:
    """The picture moved by so many pixels and turned by so many degrees about its middle."""
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    matrix[:, 2] += x, y
    moved = cv2.warpAffine(image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    return np.asarray(moved, np.uint8)


@dataclass(frozen=True, slots=True)
class Sway:
    """A camera on an arm: swings by `pixels` `hz` times a second, and by `turn` degrees with it."""

    pixels: float
    hz: float
    turn: float = 0.0

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        def apply(image: Image, at: float) -> Image:
            swing = np.sin(2 * np.pi * self.hz * at)
            return shifted(
                image, self.pixels * swing, 0.4 * self.pixels * np.cos(2.3 * self.hz * at), self.turn * swing
            )

        return apply


@dataclass(frozen=True, slots=True)
class Tremble:
    """A table on which somebody drums: each frame elsewhere, by `pixels` (standard deviation)."""

    pixels: float

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        return lambda image, at: shifted(image, *change.rng.normal(0, self.pixels, 2))


@dataclass(frozen=True, slots=True)
class Bump:
    """Somebody runs into the camera's stand every `every` seconds: it stands `pixels` and `turn` degrees elsewhere."""

    pixels: float
    turn: float
    every: float

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        places: dict[int, NDArray[np.float64]] = {0: np.zeros(3)}

        def apply(image: Image, at: float) -> Image:
            number, since = divmod(at, self.every)
            way = change.rng.choice([-1.0, 1.0], 3) * (self.pixels, 0.6 * self.pixels, self.turn)
            place = places.setdefault(int(number), places[max(places)] * 0 + way)
            jolt = change.rng.normal(0, 6, 2) if number and since < 0.3 else np.zeros(2)
            return shifted(image, place[0] + jolt[0], place[1] + jolt[1], place[2])

        return apply


@dataclass(frozen=True, slots=True)
class Tilt:
    """A camera so many degrees from straight above, as near as shows all cards of the film."""

    degrees: float

    def start(self, change: Change) -> Callable[[Image, float], Image]:
        film = change.staged()
        was, size = film.table.camera, film.size
        low = PinholeCamera(was.width, was.height, was.card, np.radians(self.degrees), was.turn, was.focal, was.squeeze)
        matrix = low.homography() @ np.linalg.inv(was.homography())
        matrix = _fit(matrix, film) @ matrix

        def apply(image: Image, at: float) -> Image:
            fill = tuple(float(v) for v in np.median(image[::16, ::16].reshape(-1, 3), axis=0))
            seen = cv2.warpPerspective(image, matrix, size, flags=cv2.INTER_CUBIC, borderValue=fill)
            return np.asarray(seen, np.uint8)

        return apply


def _fit(matrix: NDArray[np.float64], film: Film, inside: float = 0.86) -> NDArray[np.float64]:
    """The scale and shift (3x3) after which all cards of the film lie in that part of the picture's sides."""
    corners = np.concatenate([card.placed.quad for stage in film.stages for card in film.table.truth(stage)])
    seen = cv2.perspectiveTransform(corners[None].astype(np.float64), matrix)[0]
    low, high = seen.min(axis=0), seen.max(axis=0)
    scale = inside * (np.array(film.size) / (high - low)).min()
    dx, dy = np.array(film.size) / 2 - scale * (low + high) / 2
    return np.array([[scale, 0, dx], [0, scale, dy], [0, 0, 1.0]])


Degradation = Pulse | Bands | Cast | Mixed | Screen | Dim | Steps | Shadow | Cloud | Sway | Tremble | Bump | Tilt

KINDS: Mapping[str, Mapping[str, Degradation]] = {
    "pulses": {
        "pulse 4 % 4.3 Hz": Pulse(0.04, 4.3),
        "pulse 7 % 1.7 Hz": Pulse(0.07, 1.7),
        "pulse 10 % 3.1 Hz": Pulse(0.10, 3.1),
        "pulse 15 % 0.9 Hz": Pulse(0.15, 0.9),
        "pulse 25 % 0.3 Hz": Pulse(0.25, 0.3),
        "switching 8 % 2.2 Hz": Pulse(0.08, 2.2, square=True),
    },
    "bands": {
        "bands 5 %": Bands(0.05, 2.0, 0.7),
        "bands 10 %": Bands(0.10, 1.3, 1.9),
        "bands 18 %": Bands(0.18, 3.2, 0.4),
    },
    "casts": {
        "warm": Cast(0.45, 0.82, 1.0),
        "candle": Cast(0.30, 0.66, 0.95),
        "flickering candle": Cast(0.32, 0.68, 0.95, flicker=0.08),
        "sodium": Cast(0.20, 0.62, 1.0),
        "cold": Cast(1.0, 0.9, 0.7),
        "green": Cast(0.75, 1.0, 0.78),
        "blue LED": Cast(1.0, 0.7, 0.5),
        "pink LED": Cast(0.85, 0.6, 1.0),
        "window and lamp": Mixed((1.0, 0.92, 0.8), (0.45, 0.78, 1.0)),
    },
    "screens": {"screen 12 %": Screen(0.12, 1.1), "screen 30 %": Screen(0.30, 0.6)},
    "dim": {"dim": Dim(0.45, 6.0), "dark": Dim(0.28, 9.0)},
    "exposure": {
        "exposure steps 15 %": Steps(0.85, 1.0, 3.7, 0.1),
        "exposure steps 30 %": Steps(0.70, 1.0, 5.3, 0.4),
        "exposure hunts": Steps(0.88, 1.05, 1.3, 0.6),
    },
    "shadows": {
        "soft shadow": Shadow(0.30, 60.0, 17.0),
        "hard shadow": Shadow(0.45, 8.0, 41.0),
        "clouds": Cloud(0.6, 13.0),
    },
    "sways": {
        "sway 2 px": Sway(2.0, 0.6),
        "sway 4 px": Sway(4.0, 0.4),
        "sway 3 px and turn": Sway(3.0, 1.1, 0.15),
        "tremble 0.7 px": Tremble(0.7),
        "tremble 1.6 px": Tremble(1.6),
    },
    "bumps": {"bump 9 px": Bump(9.0, 0.3, 14.3), "bump 30 px": Bump(30.0, 1.5, 21.7)},
    "tilts": {"tilt 55": Tilt(55), "tilt 65": Tilt(65), "tilt 75": Tilt(75)},
}


# --- watching ---------------------------------------------------------------------------------------


class Stamped(io.StringIO):
    """Text with the film's second at which each line was written."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self.lines: list[tuple[float, str]] = []
        self._clock = clock

    def write(self, text: str) -> int:
        """Keep every line that is not empty."""
        self.lines += [(self._clock(), line) for line in text.splitlines() if line.strip()]
        return len(text)


@dataclass(frozen=True, slots=True)
class Watched:
    """What the program said of a film: rulings in order, and the sentences on stderr with the film's second."""

    rulings: Sequence[Ruling]
    sentences: Sequence[tuple[float, str]]

    def deciding(self) -> list[Ruling]:
        """The rulings that decide."""
        return [one for one in self.rulings if one["ruling"] in DECIDING]

    def asked(self) -> int:
        """The number of questions and violations."""
        return sum(one["ruling"] in ("question", "violation") for one in self.rulings)

    def reasons(self) -> list[float]:
        """The film's seconds at which people were told why there is no verdict."""
        return [*(at for at, _ in self.sentences), *(one["at"] for one in self.rulings if one["ruling"] in TELLING)]


def watch(film: Path, game: Game, degradation: Degradation | None) -> Watched:
    """Referee a film whose frames are changed on their way into the program."""
    second, plain = [0.0], Video.__iter__

    def frames(video: Video) -> Iterator[Frame]:
        change = degradation.start(Change(crc32(repr(degradation).encode()), game.staged)) if degradation else None
        for frame in plain(video):
            second[0] = frame.at
            yield Frame(change(frame.image, frame.at), frame.at, frame.name) if change else frame

    said, told = Stamped(lambda: second[0]), Stamped(lambda: second[0])
    facts = game.facts
    words = ["watch", "--source", film, "--variant", facts["variant"], "--players", ",".join(facts["players"])]
    words += ["--seats", game.seats, *(f"--set={choice}" for choice in facts.get("set", ()))]
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(said), redirect_stderr(told):
        words += ["--json", "--no-page", "--log", f"{folder}/log.db"]
        words += ["--weights", os.environ["WARREF_WEIGHTS"]] if "WARREF_WEIGHTS" in os.environ else []
        Video.__iter__ = frames  # type: ignore[method-assign]
        try:
            code = warref([*map(str, words)])
        finally:
            Video.__iter__ = plain  # type: ignore[method-assign]
    if code:
        raise SystemExit(f"{film}: {told.lines}")
    return Watched([json.loads(line) for _, line in said.lines], told.lines)


# --- comparing --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """Rulings of one or more runs, counted as the module's text says; `due` are those of the plain film."""

    due: int = 0
    same: int = 0
    late: int = 0
    invented: int = 0
    silent: int = 0
    asked: int = 0
    notes: list[str] = field(default_factory=list)

    def __iadd__(self, other: Tally) -> Tally:
        for name in ("due", "same", "late", "invented", "silent", "asked"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    @property
    def good(self) -> bool:
        """Whether this is what is asked for."""
        return self.same >= SHARE * self.due and not self.invented and not self.silent

    def __str__(self) -> str:
        return (
            f"{self.same}/{self.due} same, {self.late} late, {self.invented} invented, "
            f"{self.due - self.same - self.late} missing ({self.silent} silently or late), {self.asked} asked"
        )


def alike(one: Ruling, other: Ruling) -> bool:
    """Whether two rulings decide the same about the same cards, at about the same time."""
    return -EARLY_S <= other["at"] - one["at"] <= LATE_S and says_same(one, other)


def says_same(one: Ruling, other: Ruling) -> bool:
    """Whether two rulings decide the same about the same cards."""
    return all(one.get(key) == other.get(key) for key in ("ruling", *DECIDING[one["ruling"]]))


def compare(plain: Watched, changed: Watched) -> Tally:
    """Hold what was said of a changed film against what was said of the plain one."""
    left, found, late, silent = changed.deciding(), 0, 0, []
    reasons, before = changed.reasons(), 0.0
    wanted = plain.deciding()
    for due, end in zip(wanted, [*(float(one["at"]) for one in wanted[1:]), math.inf], strict=True):
        match = next((one for one in left if alike(due, one)), None)
        if match is not None:
            left.remove(match)
            found, before = found + 1, float(match["at"])
            continue
        tardy = next((one for one in left if due["at"] < one["at"] <= end and says_same(due, one)), None)
        if tardy is not None:
            left.remove(tardy)
            late += 1
        if not any(before < at <= due["at"] + WHY_S for at in reasons):
            silent.append(due)
    notes = [f"invented at {one['at']:.1f}: {one['text']}" for one in left]
    notes += [f"silent at {one['at']:.1f}: {one['text']}" for one in silent]
    asked = max(0, changed.asked() - plain.asked())
    return Tally(len(wanted), found, late, len(left), len(silent), asked, notes)


# --- the command ------------------------------------------------------------------------------------


def plain_rulings(name: str, folder: Path) -> Watched:
    """What is said of the unchanged film. Raises SystemExit where that is not what the rules say."""
    game, kept = GAMES[name], folder / f"{name}.plain.json"
    if kept.exists():
        return Watched(**json.loads(kept.read_text("utf-8")))
    found = watch(game.film(folder), game, None)
    wanted = [one for one in game.facts["expected"] if one["ruling"] in DECIDING]
    if [(one["ruling"], one["round"]) for one in wanted] != [(o["ruling"], o["round"]) for o in found.deciding()]:
        raise SystemExit(f"{name}: the plain film is not ruled as the rules say; choose another deck or table.")
    kept.write_text(json.dumps(asdict(found)), "utf-8")
    return found


def run(name: str, kind: str, label: str, folder: Path) -> tuple[str, str, str, Tally, float]:
    """One film under one change: names, what came of it, and the seconds it took."""
    began = time.monotonic()
    game = GAMES[name]
    tally = compare(plain_rulings(name, folder), watch(game.film(folder), game, KINDS[kind][label]))
    return name, kind, label, tally, time.monotonic() - began


def show(name: str, kind: str, label: str, folder: Path, at: float) -> None:
    """Write the frame at second `at` of a film under one change as a JPEG into the folder."""
    game, change = GAMES[name], KINDS[kind][label]
    apply = change.start(Change(crc32(repr(change).encode()), game.staged))
    for frame in Video(str(game.film(folder))):
        image = apply(frame.image, frame.at)
        if frame.at >= at:
            cv2.imwrite(str(folder / f"{name} {label}.jpg"), image)
            return


def main() -> int:
    """Run the parts asked for and print what came of each and of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, comma between them, or labels")
    parser.add_argument("--films", default=",".join(GAMES), help="names of films")
    parser.add_argument("--jobs", type=int, default=1, help="runs side by side")
    parser.add_argument("--keep", type=Path, help="folder for rendered films and plain rulings")
    parser.add_argument("--json", action="store_true", help="one JSON object a run instead of text")
    parser.add_argument("--list", action="store_true", help="print the kinds and strengths")
    parser.add_argument("--show", type=float, metavar="SECOND", help="only write that second's frame of each run")
    words = parser.parse_args()
    asked = words.only.split(",")
    chosen = [(kind, label) for kind, them in KINDS.items() for label in them if kind in asked or label in asked]
    if words.list:
        print("\n".join(f"{kind}: {label}" for kind, label in chosen))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = words.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        runs = [(name, kind, label, folder) for name in words.films.split(",") for kind, label in chosen]
        if words.show is not None:
            for one in runs:
                show(*one, words.show)
            return 0
        for name in words.films.split(","):
            plain_rulings(name, folder)
        return 0 if _run_all(runs, words.jobs, words.json).good else 1


def _run_all(runs: Sequence[tuple[str, str, str, Path]], jobs: int, as_json: bool) -> Tally:
    total: dict[str, Tally] = {}
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for name, kind, label, tally, seconds in pool.map(run, *zip(*runs, strict=True)):
            total.setdefault(kind, Tally()).__iadd__(tally)
            total.setdefault("all", Tally()).__iadd__(tally)
            if as_json:
                print(json.dumps({"film": name, "kind": kind, "label": label, **asdict(tally)}), flush=True)
            else:
                print(f"{name:10} {label:22} {tally}  [{seconds:.0f} s]", *tally.notes, sep="\n    ", flush=True)
    for kind, tally in total.items():
        print(json.dumps({"kind": kind, **asdict(tally)}) if as_json else f"{kind:10} {tally}")
    return total["all"]


if __name__ == "__main__":
    sys.exit(main())
