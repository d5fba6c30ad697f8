"""Render synthetic scenes, cards of a deck on a table before a camera, with their exact labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lab.render.decks.deck import PAINTED_JOKERS, Deck
from vision.lab.render.scenes import clutter, hands, photograph, surfaces
from vision.lab.render.scenes.camera import PinholeCamera, any_camera
from vision.lab.render.scenes.layout import Spot, any_layout
from vision.types import BACK, NOT_A_CARD, Image

#: The code of a hand that holds cards.
HAND = "hand"
#: A card's own grid, columns and rows, on which what is seen of it is measured; and the narrowest strip that counts.
_GRID, _STRIP = (50, 70), 5
#: Flat pieces that a bent card is made of, across and down.
_PIECES = (4, 6)
#: How often a card of a widened scene is bowed, and its rise at most, in card heights.
_BOWED, _MOST_BOW = 0.18, 0.11
#: How often a hand of a widened scene holds cards.
_HOLDING = 0.3
#: How often a scene's first cards are the deck's jokers: by lot they are one card in 27, and no two packs' are alike.
_JOKER_LEADS = 0.12
#: Where a card prints its index, in fractions of its width and height; the other one is opposite.
_INDEX_CORNER = np.array([[0.02, 0.02], [0.24, 0.02], [0.24, 0.27], [0.02, 0.27]])


@dataclass(frozen=True, slots=True)
class RenderedCard:
    """One card in a scene: its code (or "back"), outline (4x2 px), and what can be seen of it, 0..1.

    `visible` is the share of the whole card (what leaves the picture counts as hidden); `index` the
    share of its better visible index corner. `part` (4x2 px) outlines what is seen, along the card's own
    sides: the whole card where nothing lies over it. A thing that is no card has the code NOT_A_CARD. `held` cards are
    in a hand: nobody has laid them.
    """

    code: str
    quad: NDArray[np.float64]
    visible: float
    index: float
    part: NDArray[np.float64]
    held: bool = False


@dataclass(slots=True)
class Canvas:
    """A picture in the making: what it shows, and which card each pixel belongs to (0: none)."""

    image: Image
    owner: NDArray[np.uint8]
    quads: list[NDArray[np.float64]] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    things: list[NDArray[np.float64]] = field(default_factory=list)
    #: Numbers of the cards that are in a hand, counted from 1, and the outlines of hands.
    held: set[int] = field(default_factory=set)
    hands: list[NDArray[np.float64]] = field(default_factory=list)

    def paste(self, art: Image, quad: NDArray[np.float64], owner: int) -> None:
        """Warp a BGRA picture onto `quad` (its corners clockwise from top left) and own those pixels."""
        height, width = self.image.shape[:2]
        left, top = np.clip(np.floor(quad.min(0)).astype(int), 0, (width, height))
        right, bottom = np.clip(np.ceil(quad.max(0)).astype(int) + 1, 0, (width, height))
        if right - left < 2 or bottom - top < 2:
            return
        corners = np.array([[0, 0], [art.shape[1], 0], [art.shape[1], art.shape[0]], [0, art.shape[0]]], np.float32)
        warp = cv2.getPerspectiveTransform(corners, (quad - (left, top)).astype(np.float32))
        seen = cv2.warpPerspective(art, warp, (int(right - left), int(bottom - top)), flags=cv2.INTER_LINEAR)
        self._blend(np.asarray(seen, np.uint8), int(left), int(top), owner)

    def paste_bent(self, art: Image, grid: NDArray[np.float64], owner: int) -> None:
        """Bend a BGRA picture onto a grid of points (RxCx2 px, its own rows and columns) and own those pixels."""
        height, width = self.image.shape[:2]
        left, top = np.clip(np.floor(grid.min((0, 1))).astype(int), 0, (width, height))
        right, bottom = np.clip(np.ceil(grid.max((0, 1))).astype(int) + 1, 0, (width, height))
        if right - left < 2 or bottom - top < 2:
            return
        places = _bent_places(grid - (left, top), (int(right - left), int(bottom - top)), art.shape)
        seen = np.asarray(cv2.remap(art, places[..., 0], places[..., 1], cv2.INTER_LINEAR), np.uint8)
        self._blend(seen, int(left), int(top), owner)

    def _blend(self, seen: Image, left: int, top: int, owner: int) -> None:
        """Lay a BGRA picture over the pixels from (left, top) on."""
        rows, columns = slice(top, top + seen.shape[0]), slice(left, left + seen.shape[1])
        part = self.image[rows, columns]
        alpha = cv2.merge([seen[..., 3]] * 3).astype(np.float32) / 255
        part[:] = (part + (seen[..., :3] - part.astype(np.float32)) * alpha).astype(np.uint8)
        self.owner[rows, columns][seen[..., 3] > 127] = owner

    def shade(self, quad: NDArray[np.float64], shift: NDArray[np.float64], soft: int, dark: float) -> None:
        """A card's shadow: its outline moved by `shift` pixels, blurred, multiplied in."""
        height, width = self.image.shape[:2]
        moved = quad + shift
        left, top = np.clip(np.floor(moved.min(0)).astype(int) - soft, 0, (width, height))
        right, bottom = np.clip(np.ceil(moved.max(0)).astype(int) + soft, 0, (width, height))
        if right - left < 2 or bottom - top < 2:
            return
        mask = np.ones((bottom - top, right - left), np.float32)
        cv2.fillConvexPoly(mask, np.round(moved - (left, top)).astype(np.int32), 1 - dark)
        mask = np.asarray(cv2.blur(mask, (soft, soft)), np.float32)
        part = self.image[top:bottom, left:right]
        part[:] = cv2.multiply(part, cv2.merge([mask] * 3), dtype=cv2.CV_8U)


def _bent_places(grid: NDArray[np.float64], size: tuple[int, int], art: tuple[int, ...]) -> NDArray[np.float32]:
    """For each pixel of a picture of `size` the point (x, y) of the art that the grid puts there; outside -9."""
    rows, columns = grid.shape[0] - 1, grid.shape[1] - 1
    places = np.full((size[1], size[0], 2), -9, np.float32)
    xs, ys = np.linspace(0, art[1], columns + 1), np.linspace(0, art[0], rows + 1)
    for row in range(rows):
        for column in range(columns):
            quad = grid[[row, row, row + 1, row + 1], [column, column + 1, column + 1, column]].astype(np.float32)
            box = np.array([(xs[column + i], ys[row + j]) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))], np.float32)
            left, top = np.maximum(np.floor(quad.min(0)).astype(int), 0)
            right, bottom = np.minimum(np.ceil(quad.max(0)).astype(int) + 1, size)
            if right <= left or bottom <= top or cv2.contourArea(quad) < 0.5:
                continue
            inside = np.zeros((bottom - top, right - left), np.uint8)
            cv2.fillConvexPoly(inside, np.round(quad - (left, top)).astype(np.int32), 1)
            y, x = np.nonzero(inside)
            if not len(x):
                continue
            pixels = np.stack([x + left, y + top], axis=-1).astype(np.float32)
            back = cv2.perspectiveTransform(pixels[None], cv2.getPerspectiveTransform(quad, box))[0]
            places[y + top, x + left] = back - 0.5
    return places


def near_size(art: Image, quad: NDArray[np.float64]) -> Image:
    """Shrink first where the card is far smaller than its art: warping alone would alias."""
    tall = max(np.linalg.norm(quad[0] - quad[3]), np.linalg.norm(quad[1] - quad[2]))
    factor = float(tall) / art.shape[0]
    if factor > 0.75:
        return art
    size = max(8, round(art.shape[1] * factor * 1.15)), max(8, round(art.shape[0] * factor * 1.15))
    return np.asarray(cv2.resize(art, size, interpolation=cv2.INTER_AREA), np.uint8)


def _worn(art: Image, rng: np.random.Generator) -> Image:
    """A card lies in its own light: a slope of brightness, now and then a crease or a smudge."""
    height, width = art.shape[:2]
    top, bottom, left, right = rng.uniform((0.82, 0.82, 0.92, 0.92), (1.08, 1.08, 1.05, 1.05))
    down = np.linspace(top, bottom, height, dtype=np.float32)[:, None]
    slope = down * np.linspace(left, right, width, dtype=np.float32)
    worn = cv2.multiply(art, cv2.merge([slope, slope, slope, np.ones_like(slope)]), dtype=cv2.CV_8U)
    if rng.random() < 0.1:
        a, b = rng.integers(0, width, 2)
        cv2.line(worn, (int(a), 0), (int(b), height), (170, 170, 170, 255), 1, cv2.LINE_AA)
    return np.asarray(worn, np.uint8)


def corners(spot: Spot, aspect: float) -> NDArray[np.float64]:
    """Table corners (4x2, clockwise from the card's own top left) of a card one unit high."""
    half = np.array([[-aspect, -1], [aspect, -1], [aspect, 1], [-aspect, 1]]) / 2 * spot.size
    c, s = np.cos(spot.turn), np.sin(spot.turn)
    return np.asarray(half @ np.array([[c, s], [-s, c]]) + (spot.x, spot.y))


def _index_shares(canvas: Canvas, quad: NDArray[np.float64], owner: int) -> float:
    """Share still seen of the better of a card's two index corners."""
    warp = cv2.getPerspectiveTransform(np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32), quad.astype(np.float32))
    shares = []
    for corner in (_INDEX_CORNER, 1 - _INDEX_CORNER):
        region = cv2.perspectiveTransform(corner[None].astype(np.float32), warp)[0]
        mask = np.zeros(canvas.owner.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(region).astype(np.int32), 1)
        area = max(1.0, cv2.contourArea(region.astype(np.float32)))
        shares.append(float(np.count_nonzero((canvas.owner == owner) & (mask > 0))) / area)
    return min(1.0, max(shares))


def _part(canvas: Canvas, quad: NDArray[np.float64], owner: int) -> NDArray[np.float64]:
    """Outline of what is seen of a card, in the picture, along the card's sides; slivers do not count."""
    across, down = _GRID
    grid = np.array([[0, 0], [across, 0], [across, down], [0, down]], np.float32)
    onto = cv2.getPerspectiveTransform(quad.astype(np.float32), grid)
    seen = cv2.warpPerspective(canvas.owner, onto, _GRID, flags=cv2.INTER_NEAREST) == owner
    seen = cv2.morphologyEx(seen.astype(np.uint8), cv2.MORPH_OPEN, np.ones((_STRIP, _STRIP), np.uint8))
    left, top, wide, tall = cv2.boundingRect(seen)
    if not wide:
        return quad
    corners = np.array([[left, top], [left + wide, top], [left + wide, top + tall], [left, top + tall]], np.float32)
    return np.asarray(cv2.perspectiveTransform(corners[None], np.linalg.inv(onto))[0], np.float64)


def labels(canvas: Canvas) -> tuple[RenderedCard, ...]:
    """What can be seen of every card once all is laid."""
    counts = np.bincount(canvas.owner.ravel(), minlength=len(canvas.quads) + 1)
    placed = []
    for owner, (quad, code) in enumerate(zip(canvas.quads, canvas.codes, strict=True), start=1):
        area = max(1.0, cv2.contourArea(quad.astype(np.float32)))
        visible = min(1.0, float(counts[owner]) / area)
        index, part = (
            (0.0, quad) if visible < 0.02 else (_index_shares(canvas, quad, owner), _part(canvas, quad, owner))
        )
        placed.append(RenderedCard(code, quad, visible, index, part, owner in canvas.held))
    return tuple(placed)


def _lay_things(
    canvas: Canvas,
    camera: PinholeCamera,
    rng: np.random.Generator,
    things: Sequence[Image],
    most: int,
    cards: Sequence[Spot] = (),
) -> None:
    """Up to `most` things anywhere, or every other time beside and partly over one of `cards`."""
    for _ in range(int(rng.integers(0, most + 1))):
        art = clutter.any_thing(rng, things)
        reach = 0.5 * camera.width / camera.card
        x, y, turn, scale = rng.uniform((-reach, -reach, 0, 0.3), (reach, reach, 2 * np.pi, 1.8))
        if cards and rng.random() < 0.5:
            card, angle = cards[int(rng.integers(len(cards)))], rng.uniform(0, 2 * np.pi)
            far = 0.5 * scale + rng.uniform(-0.15, 0.4)
            x, y = card.x + far * np.cos(angle), card.y + far * np.sin(angle)
        spot = Spot(float(x), float(y), float(turn), float(scale))
        quad = camera.project(corners(spot, art.shape[1] / art.shape[0]))
        canvas.paste(near_size(art, quad), quad, 0)
        canvas.things.append(quad)


def _lay_hand(canvas: Canvas, rng: np.random.Generator, card: float) -> None:
    """A hand from the picture's edge; it hides what it covers."""
    height, width = canvas.image.shape[:2]
    reach = card * float(rng.uniform(0.9, 2.2))
    angle = float(rng.uniform(0, 2 * np.pi))
    middle = np.array([width, height]) * rng.uniform(0.2, 0.8, 2)
    half = np.array([[-0.38, 0], [0.38, 0], [0.38, 1], [-0.38, 1]]) * reach
    c, s = np.cos(angle), np.sin(angle)
    canvas.paste(clutter.hand(rng), half @ np.array([[c, s], [-s, c]]) + middle, 0)


def bent_grid(
    camera: PinholeCamera, spot: Spot, aspect: float, bow: tuple[float, float], lift: float = 0.0
) -> NDArray[np.float64]:
    """Points (RxCx2 px) of a bent card's rows and columns.

    `bow`: how high the middle lies over the edges across and along the card (negative: under them), `lift` how high
    the card is held; in card heights.
    """
    across, down = _PIECES
    u, v = np.meshgrid(np.linspace(-1, 1, across + 1), np.linspace(-1, 1, down + 1))
    height = bow[0] * (1 - u**2) + bow[1] * (1 - v**2)
    height = height - height.min() + lift
    c, s = np.cos(spot.turn), np.sin(spot.turn)
    x, y = u * aspect / 2 * spot.size, v / 2 * spot.size
    flat = np.stack([spot.x + c * x - s * y, spot.y + s * x + c * y, height], axis=-1)
    return camera.project_raised(flat.reshape(-1, 3)).reshape(down + 1, across + 1, 2)


@dataclass(frozen=True, slots=True)
class Hold:
    """A hand over the table: the parts of its grip, its looks, and the cards (code and picture) that it holds.

    It holds at (x, y), its forearm turned by `turn` radians; lengths in card heights.
    """

    parts: Sequence[hands.HeldCard | hands.Limb]
    look: hands.HandLook
    cards: Sequence[tuple[str, Image]]
    x: float
    y: float
    turn: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        """The point of the table under a point of the grip."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        return self.x + c * x - s * y, self.y + s * x + c * y


def any_hold(rng: np.random.Generator, deck: Deck, camera: PinholeCamera) -> Hold:
    """A hand of anybody that fans, riffles, peeks at or is about to lay cards, anywhere over the table."""
    grip, (least, most) = hands.GRIPS[int(rng.integers(len(hands.GRIPS)))]
    count = int(rng.integers(least, most + 1))
    down = rng.random() < (0.8 if grip is hands.riffle_packs else 0.3)
    dealt = _deal([Spot(0, 0, face_down=down)] * count, deck, rng)
    x, y = rng.uniform(-0.35, 0.35, 2) * (camera.width / camera.card, camera.height / camera.card)
    turn, look = float(rng.uniform(-np.pi, np.pi)), hands.any_look(rng)
    return Hold(grip(rng, count), look, [(code, art) for _, code, art in dealt], float(x), float(y), turn)


def draw_hold(canvas: Canvas, camera: PinholeCamera, hold: Hold) -> None:
    """Draw a hand with its cards over what is there; parts that would come too near to the lens are left out."""
    for part in hold.parts:
        if isinstance(part, hands.HeldCard):
            _draw_held_card(canvas, camera, hold, part)
            continue
        c, s = np.cos(hold.turn + part.turn), np.sin(hold.turn + part.turn)
        half = np.array([[-part.wide, 0], [part.wide, 0], [part.wide, part.long], [-part.wide, part.long]])
        outline = half * (0.5, 1) @ np.array([[c, s], [-s, c]]) + hold.place(part.x, part.y)
        raised = np.c_[outline, np.full(4, part.lift)]
        if not camera.has_before_it(raised):
            continue
        quad = camera.project_raised(raised)
        canvas.paste(hands.limb_picture(part, hold.look), quad, 0)
        if part.kind == "palm":
            canvas.hands.append(quad)


def _draw_held_card(canvas: Canvas, camera: PinholeCamera, hold: Hold, card: hands.HeldCard) -> None:
    code, art = hold.cards[card.number]
    spot = Spot(*hold.place(card.x, card.y), hold.turn + card.turn)
    if not camera.has_before_it(np.array([[spot.x, spot.y, card.lift + 1]])):
        return
    grid = bent_grid(camera, spot, art.shape[1] / art.shape[0], card.bow, card.lift)
    canvas.quads.append(grid[[0, 0, -1, -1], [0, -1, -1, 0]])
    canvas.codes.append("JOKER" if code in PAINTED_JOKERS else code)
    canvas.held.add(len(canvas.quads))
    canvas.paste_bent(near_size(art, canvas.quads[-1]), grid, len(canvas.quads))


def _deal(spots: Sequence[Spot], deck: Deck, rng: np.random.Generator) -> list[tuple[Spot, str, Image]]:
    codes = list(rng.permutation(sorted(deck.faces)))
    if rng.random() < _JOKER_LEADS:
        codes.sort(key=PAINTED_JOKERS.__contains__)
    back = deck.backs[int(rng.integers(len(deck.backs)))]
    dealt = []
    for spot in spots:
        code = BACK if spot.face_down else str(codes.pop())
        dealt.append((spot, code, back if spot.face_down else deck.faces[code]))
    return dealt


def compose(
    rng: np.random.Generator,
    deck: Deck,
    surface: Image,
    size: tuple[int, int],
    card: float,
    things: Sequence[Image] = (),
    wide: bool = False,
) -> tuple[Image, tuple[RenderedCard, ...]]:
    """One picture of `size` (width, height) on `surface`, with cards about `card` pixels high at its middle.

    `things` are pictures (BGRA) of what may lie about, beside the simplest shapes. `wide` adds low cameras, bowed
    cards, hands that hold cards and lamps that are not white. Returns the photograph (BGR uint8) and every
    card in it, also those hardly seen, then the things that are none and the hands.
    """
    camera = any_camera(rng, *size, card, low=wide)
    ground = surfaces.lay(surfaces.dyed(surface, rng), camera.homography(), size, float(rng.uniform(60, 420)))
    canvas = Canvas(ground, np.zeros(size[::-1], np.uint8))
    _lay_things(canvas, camera, rng, things, 4 if rng.random() < 0.5 else 0)
    shadow = _any_shadow(rng, card)
    spots = any_layout(rng, size, card)
    _lay_cards(canvas, camera, rng, _deal(spots, deck, rng), shadow, wide)
    if rng.random() < 0.25:
        _lay_things(canvas, camera, rng, things, 3, spots)
    if rng.random() < 0.12:
        _lay_hand(canvas, rng, card)
    if wide and rng.random() < _HOLDING:
        draw_hold(canvas, camera, any_hold(rng, deck, camera))
    for quad in canvas.quads:
        if rng.random() < 0.06:
            photograph.glare(
                canvas.image,
                tuple(rng.uniform(quad.min(0), quad.max(0))),
                card * float(rng.uniform(0.15, 0.7)),
                float(rng.uniform(60, 230)),
            )
    no_cards = tuple(RenderedCard(NOT_A_CARD, quad, 0.0, 0.0, quad) for quad in canvas.things)
    no_cards += tuple(RenderedCard(HAND, quad, 1.0, 0.0, quad) for quad in canvas.hands)
    return photograph.photograph(canvas.image, rng, card, wide), labels(canvas) + no_cards


@dataclass(frozen=True, slots=True)
class _Shadow:
    """Shadows of cards: where they fall (x, y) and how soft they are, in pixels, and how dark, 0..1."""

    shift: NDArray[np.float64]
    soft: int
    dark: float


def _any_shadow(rng: np.random.Generator, card: float) -> _Shadow:
    shift = rng.normal(0, 1, 2) * card * float(rng.uniform(0.0, 0.06))
    return _Shadow(shift, max(2, int(card * rng.uniform(0.01, 0.15))), float(rng.uniform(0.1, 0.7)))


def _lay_cards(
    canvas: Canvas,
    camera: PinholeCamera,
    rng: np.random.Generator,
    dealt: Sequence[tuple[Spot, str, Image]],
    shadow: _Shadow,
    wide: bool,
) -> None:
    for spot, code, art in dealt:
        quad = camera.project(corners(spot, art.shape[1] / art.shape[0]))
        canvas.shade(quad, shadow.shift, shadow.soft, shadow.dark)
        canvas.codes.append("JOKER" if code in PAINTED_JOKERS else code)
        if wide and rng.random() < _BOWED:
            across, along = map(float, rng.uniform(-_MOST_BOW, _MOST_BOW, 2))
            grid = bent_grid(camera, spot, art.shape[1] / art.shape[0], (across, along))
            canvas.quads.append(grid[[0, 0, -1, -1], [0, -1, -1, 0]])
            canvas.paste_bent(_worn(near_size(art, quad), rng), grid, len(canvas.quads))
        else:
            canvas.quads.append(quad)
            canvas.paste(_worn(near_size(art, quad), rng), quad, len(canvas.quads))


#: Room for a card, as multiples of its height: across a row, and from row to row.
_ACROSS, _DOWN = 0.8, 1.12


def compose_rows(
    rng: np.random.Generator,
    deck: Deck,
    surface: Image,
    rows: Sequence[Sequence[str]],
    size: tuple[int, int] = (1280, 720),
    tilt: float | None = None,
) -> tuple[Image, tuple[RenderedCard, ...]]:
    """A photograph (BGR uint8) of cards in straight rows, the first row farthest; `tilt` in radians, or by lot.

    `rows` holds the codes from left to right, BACK for a card face down. Some cards lie the other way up.
    """
    widest = max(map(len, rows))
    card = min(size[0] / (_ACROSS * widest + 0.5), size[1] / (_DOWN * len(rows) + 0.4))
    lean = float(rng.uniform(0, 0.35)) if tilt is None else tilt
    camera = PinholeCamera(*size, card * (1 - 0.25 * lean), lean, float(rng.normal(0, 0.02)), 1.4)
    canvas = Canvas(
        surfaces.lay(surfaces.dyed(surface, rng), camera.homography(), size, float(rng.uniform(60, 420))),
        np.zeros(size[::-1], np.uint8),
    )
    shift, soft = rng.normal(0, 1, 2) * card * 0.02, max(2, round(card * 0.05))
    for down, row in enumerate(rows):
        for across, code in enumerate(row):
            art = deck.backs[0] if code == BACK else deck.faces[code]
            quad = camera.project(corners(_spot(rng, across, down, widest, len(rows)), art.shape[1] / art.shape[0]))
            canvas.quads.append(quad)
            canvas.codes.append(code)
            canvas.shade(quad, shift, soft, 0.3)
            canvas.paste(near_size(art, quad), quad, len(canvas.quads))
    return photograph.photograph(canvas.image, rng, card), labels(canvas)


def _spot(rng: np.random.Generator, across: int, down: int, widest: int, rows: int) -> Spot:
    x, y = (across - (widest - 1) / 2) * _ACROSS, (down - (rows - 1) / 2) * _DOWN
    turned = np.pi * int(rng.integers(2))
    return Spot(x + float(rng.normal(0, 0.012)), y + float(rng.normal(0, 0.02)), turned + float(rng.normal(0, 0.03)))
