"""The table of a film: one surface, lamp and camera; cards are laid on it and it is photographed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lab.render.decks.deck import Deck
from vision.lab.render.scenes.camera import PinholeCamera
from vision.lab.render.scenes.layout import Spot
from vision.lab.render.scenes.scene import Canvas, RenderedCard, corners, labels, near_size
from vision.lab.render.scenes.surfaces import any_surface, lay
from vision.types import BACK, JOKER_CLASS, Image, VisionError

_Field = NDArray[np.float32]

#: Height of a card in the middle of the picture, as a share of the picture's height.
_CARD = (0.285, 0.315)
#: Pixels of clear rim round a card's picture, so that its edges are smooth when it is turned.
_RIM = 3
#: Grey levels of the sensor's noise, and its blur in pixels of a 720 px high picture.
_NOISE, _BLUR = 1.1, 0.65


@dataclass(frozen=True, slots=True)
class LaidCard:
    """One card on the table: whose it is, its code (or "back"), where it lies, and whether that is a pile."""

    player: str
    code: str
    spot: Spot
    piled: bool = False


@dataclass(frozen=True, slots=True)
class ShownCard:
    """What a picture shows of one card: `box` (left, top, right, bottom) bounds its visible part, in pixels.

    `box` is None where all of it is hidden or outside.
    """

    player: str
    placed: RenderedCard
    box: tuple[int, int, int, int] | None

    @property
    def legible(self) -> bool:
        """Whether a face shows one of its corners with rank and suit as good as whole."""
        return self.placed.code != BACK and self.placed.index > 0.9


@dataclass(frozen=True, slots=True, eq=False)
class SceneTable:
    """Everything that stays the same for a whole film. `ground` is the bare table, `gain` the lamp on it.

    Shadows fall by `shadow` card heights.
    """

    camera: PinholeCamera
    deck: Deck
    back: Image
    ground: Image
    gain: _Field
    shadow: NDArray[np.float64]

    @property
    def card(self) -> tuple[float, float]:
        """Width and height of a card in the middle of the picture, in pixels."""
        width, height = self.deck.size
        return self.camera.card * width / height, self.camera.card * float(np.cos(self.camera.tilt))

    def bare(self) -> Canvas:
        """The table with nothing on it."""
        return Canvas(self.ground.copy(), np.zeros(self.ground.shape[:2], np.uint8))

    def with_cards(self, cards: Iterable[LaidCard]) -> Canvas:
        """The table with these cards laid on it, one after the other."""
        canvas = self.bare()
        for card in cards:
            self.add(canvas, card)
        return canvas

    def add(self, canvas: Canvas, card: LaidCard, lift: float = 0.0) -> None:
        """Lay one card more; `lift` is how high above the table it is held, in card heights."""
        face = self.back if card.code == BACK else self._face(card.code)
        quad = self.outline(card.spot)
        tall = float(np.linalg.norm(quad[0] - quad[3]))
        canvas.quads.append(quad)
        canvas.codes.append(JOKER_CLASS if card.code in ("JR", "JB") else card.code)
        canvas.shade(quad, self.shadow * tall * (0.4 + 5 * lift), max(3, round(tall * (0.035 + 0.4 * lift))), 0.3)
        canvas.shade(quad, self.shadow * tall * (1.6 + 9 * lift), max(4, round(tall * (0.11 + 0.5 * lift))), 0.22)
        art = _rimmed(face)
        wide = art.shape[1] / art.shape[0]
        spot = Spot(card.spot.x, card.spot.y, card.spot.turn, card.spot.size * art.shape[0] / face.shape[0])
        rim = self.camera.project(corners(spot, wide))
        canvas.paste(near_size(art, rim), rim, len(canvas.quads))

    def outline(self, spot: Spot) -> NDArray[np.float64]:
        """Corners in pixels (4x2) of a card at `spot`, clockwise from its own top left."""
        width, height = self.deck.size
        return self.camera.project(corners(spot, width / height))

    def at(self, pixel: NDArray[np.float64]) -> NDArray[np.float64]:
        """The point of the table that is seen at `pixel`, in card heights."""
        x, y, w = np.linalg.inv(self.camera.homography()) @ (*pixel, 1.0)
        return np.array([x / w, y / w])

    def shoot(self, image: Image, rng: np.random.Generator) -> Image:
        """What the camera makes of it: light, a little blur, a little noise."""
        lit = cv2.multiply(image, self.gain, dtype=cv2.CV_8U)
        seen = cv2.GaussianBlur(lit, (0, 0), _BLUR * max(0.5, image.shape[0] / 720))
        grain = rng.standard_normal(image.shape[:2], np.float32) * _NOISE
        return np.asarray(cv2.add(seen, cv2.merge([grain] * 3), dtype=cv2.CV_8U), np.uint8)

    def truth(self, cards: Sequence[LaidCard]) -> tuple[ShownCard, ...]:
        """Every card with its outline and how much of it can be seen, in the order laid."""
        canvas = self.with_cards(cards)
        return tuple(
            ShownCard(card.player, placed, _bounds(canvas.owner == owner))
            for owner, (card, placed) in enumerate(zip(cards, labels(canvas), strict=True), start=1)
        )

    def _face(self, code: str) -> Image:
        if code not in self.deck.faces:
            raise VisionError(f"The deck {self.deck.name} has no {code}: choose another deck or leave that card out.")
        return self.deck.faces[code]


def any_table(deck: Deck, size: tuple[int, int], rng: np.random.Generator) -> SceneTable:
    """A table such as a family has, seen from overhead or from a laptop's lid, for pictures of `size`."""
    width, height = size
    tilt = float(rng.uniform(0.05, 0.5))
    card = height * float(rng.uniform(*_CARD)) / float(np.cos(tilt)) ** 0.5
    camera = PinholeCamera(width, height, card, tilt, float(rng.normal(0, 0.02)), float(rng.uniform(1.0, 1.5)))
    ground = lay(quiet_surface(rng), camera.homography(), size, card * float(rng.uniform(0.6, 0.8)) * 720 / height)
    angle = rng.uniform(0, 2 * np.pi)
    shadow = np.array([np.cos(angle), np.sin(angle)]) * 0.012
    return SceneTable(camera, deck, deck.backs[int(rng.integers(len(deck.backs)))], ground, _lamp(size, rng), shadow)


def quiet_surface(rng: np.random.Generator, tries: int = 60) -> Image:
    """A table top of moderate brightness, colour and pattern; the last one tried where none is quiet."""
    surface = any_surface(rng)
    for _ in range(tries):
        if _quiet(surface):
            break
        surface = any_surface(rng)
    return surface


def _quiet(surface: Image) -> bool:
    small = cv2.resize(surface, (64, 64), interpolation=cv2.INTER_AREA)
    colourful = float(cv2.cvtColor(small, cv2.COLOR_BGR2HSV)[..., 1].mean())
    fine = float(np.abs(surface.astype(np.int16) - cv2.blur(surface, (9, 9))).mean())
    return 60 < small.mean() < 150 and small.std(axis=(0, 1)).mean() < 18 and fine < 6 and colourful < 135


def _bounds(mask: NDArray[np.bool_]) -> tuple[int, int, int, int] | None:
    y, x = np.nonzero(mask)
    return (int(x.min()), int(y.min()), int(x.max()) + 1, int(y.max()) + 1) if len(x) else None


def _lamp(size: tuple[int, int], rng: np.random.Generator) -> _Field:
    """How bright and how warm the light is in each pixel, HxWx3: a slope, a pool, a dim rim."""
    y, x = (np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32).T / size).T - 0.5
    angle, (cx, cy) = rng.uniform(0, 2 * np.pi), rng.uniform(-0.4, 0.4, 2)
    slope = 1 + rng.uniform(0, 0.2) * (x * np.cos(angle) + y * np.sin(angle))
    pool = 1 + rng.uniform(0, 0.15) * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / 0.15)
    rim = 1 - 0.18 * (x**2 + y**2)
    warm = np.array([rng.uniform(0.84, 1.02), 1.0, rng.uniform(0.98, 1.08)])
    gain = slope * pool * rim
    return np.asarray(gain[..., None] * warm * rng.uniform(0.78, 0.9) / gain.mean(), np.float32)


def _rimmed(art: Image) -> Image:
    """The picture with a rim of its own colours that cannot be seen."""
    wide = cv2.copyMakeBorder(art, _RIM, _RIM, _RIM, _RIM, cv2.BORDER_REPLICATE)
    wide[:_RIM, :, 3] = wide[-_RIM:, :, 3] = wide[:, :_RIM, 3] = wide[:, -_RIM:, 3] = 0
    return np.asarray(wide, np.uint8)
