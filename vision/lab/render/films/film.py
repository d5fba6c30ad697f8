"""Films of a table: cards that are laid, swept up, stolen and shuffled in, with exact labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from vision.lab.render.decks.deck import Deck
from vision.lab.render.films.gestures import Gesture, gestures
from vision.lab.render.films.placement import Places, find_seats
from vision.lab.render.films.staging import CardStack, TableLook, staged
from vision.lab.render.scenes.layout import Spot
from vision.lab.render.scenes.scene import Canvas
from vision.lab.render.scenes.table import SceneTable, ShownCard, any_table
from vision.progress import follow_progress
from vision.types import Image, VisionError

SIZE, FPS = (1280, 720), 10.0
#: Seconds that a movement lasts, that every look lies still at least, and the last look at the end.
MOVE_S, STILL_S, LAST_S = 0.5, 1.7, 2.2
#: Seconds from the end of a movement to the time the script gives: only a table at rest is a look.
SETTLED_S = 0.6
#: How high a card is carried, in card heights; between how many places a moving card is smeared in one frame.
_CARRIED, _SMEAR = 0.12, 4
#: Works in every build of the library, and plays everywhere.
_CODEC = "mp4v"


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of one look, and every card in it in the order laid, also those hardly seen."""

    image: Image
    cards: tuple[ShownCard, ...]


class Film:
    """Looks on one table; the same seed gives the same frames.

    `stages` are the cards of each look, `seats` where each player lays theirs.
    """

    def __init__(
        self,
        looks: Sequence[TableLook],
        deck: Deck,
        places: Places,
        seed: int = 1,
        size: tuple[int, int] = SIZE,
        fps: float = FPS,
    ) -> None:
        """Set the table. Raises VisionError where a place is too small or the deck lacks a card."""
        rng = np.random.default_rng([seed, 17])
        self.size, self.fps, self._seed = size, fps, seed
        self.table: SceneTable = any_table(deck, size, rng)
        self.seats = find_seats(places, size, self.table.card)
        self.stages = staged(looks, self.seats, self.table, rng)
        self._times = [look.at for look in looks]

    def shot(self, look: int) -> Shot:
        """The picture of a look lying still, counted from 0, with its truth."""
        stage = self.stages[look]
        image = self.table.shoot(self.table.with_cards(stage).image, self._sensor())
        return Shot(image, self.table.truth(stage))

    def still_frames(self) -> list[range]:
        """For each look the numbers of the frames in which it lies still, counted from 0."""
        return [still for _, still in self._timeline()]

    def frames(self) -> Iterator[Image]:
        """Every frame of the film, BGR uint8: the empty table first."""
        rng, canvas = self._sensor(), self.table.bare()
        number = 0
        for (moves, still), stage in zip(self._timeline(), self.stages, strict=True):
            each = round(MOVE_S * self.fps)
            for _ in range(number, still.start - each * len(moves)):
                yield self.table.shoot(canvas.image, rng)
            for move in moves:
                for image in _moved(move, each, self.table):
                    yield self.table.shoot(image, rng)
            canvas = self.table.with_cards(stage)
            for _ in still:
                yield self.table.shoot(canvas.image, rng)
            number = still.stop

    def _timeline(self) -> Iterator[tuple[list[Gesture], range]]:
        """For each look the movements that lead to it and the frames in which it then lies still."""
        before: CardStack = ()
        moves, each, free = [], round(MOVE_S * self.fps), round(STILL_S * self.fps / 2)
        starts = []
        for at, stage in zip(self._times, self.stages, strict=True):
            moves.append(gestures(before, stage, self.seats, self.table))
            arrived = max(round((at - SETTLED_S) * self.fps), free + each * len(moves[-1]))
            starts.append(arrived)
            free, before = arrived + round(STILL_S * self.fps), stage
        ends = [start - each * len(move) for start, move in zip(starts[1:], moves[1:], strict=True)]
        last = starts[-1] + round(LAST_S * self.fps)
        stills = (range(start, end) for start, end in zip(starts, [*ends, last], strict=True))
        yield from zip(moves, stills, strict=True)

    def _sensor(self) -> np.random.Generator:
        return np.random.default_rng([self._seed, 99])


def _moved(move: Gesture, frames: int, table: SceneTable) -> Iterator[Image]:
    """The frames of one movement; a moving card is smeared as far as it comes while the shutter is open."""
    rest = table.with_cards(move.rest)
    for frame in range(frames):
        shares = (frame + 0.5 * (part + 0.5) / _SMEAR for part in range(_SMEAR))
        parts = [_midway(move, share / frames, rest, table).image.astype(np.uint16) for share in shares]
        yield np.asarray(sum(parts[1:], parts[0]) // _SMEAR, np.uint8)


def _midway(move: Gesture, share: float, rest: Canvas, table: SceneTable) -> Canvas:
    """The table when a part of the movement, 0..1, is done."""
    canvas = Canvas(rest.image.copy(), rest.owner.copy())
    done = share * share * (3 - 2 * share)
    for card, away in zip(move.moving, move.away, strict=True):
        near = done if move.coming else 1 - done
        table.add(canvas, replace(card, spot=_between(away, card.spot, near)), lift=_CARRIED * (1 - near))
    return canvas


def _between(a: Spot, b: Spot, share: float) -> Spot:
    x, y, turn = (p + (q - p) * share for p, q in ((a.x, b.x), (a.y, b.y), (a.turn, b.turn)))
    return Spot(x, y, turn, b.size)


def write_film(film: Film, path: Path) -> None:
    """Write the film as MP4. VisionError where it cannot be written or not as a whole."""
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*_CODEC), film.fps, film.size)
    if not writer.isOpened():
        raise VisionError(f"The film {path} cannot be written: is the folder there, and does the name end in .mp4?")
    count = 0
    for frame in follow_progress(film.frames(), film.still_frames()[-1].stop):
        writer.write(frame)
        count += 1
    writer.release()
    written = int(cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FRAME_COUNT))
    if written < count:
        raise VisionError(f"The film {path} could not be written to its end: is the disk full?")
