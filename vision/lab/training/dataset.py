"""Training data from rendered scenes: pictures with outlines for the finder, straightened cards for the reader.

    OUT/finder/{images,labels}/{train,val}/   JPEG and ultralytics' OBB labels (0 face, 1 back)
    OUT/reader/{train,val}/NNNNN.npz          crops uint8 Nx160x160x3 BGR, labels uint8 (index into CLASSES)

Training and validation share no deck family, no made deck and no table.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import area, as_quad, shared_area, short_and_long
from vision.images import straighten
from vision.lab.render.decks.catalogue import BORROWABLE, HELD_OUT, Deck, deck_names, family_of, load_deck
from vision.lab.render.decks.generate import AS_NAMED, made_deck
from vision.lab.render.scenes import clutter, surfaces
from vision.lab.render.scenes.printed_props import Stock, any_print
from vision.lab.render.scenes.scene import HAND, RenderedCard, compose
from vision.progress import follow_progress
from vision.types import BACK, CLASSES, NOT_A_CARD, Image

CROP = 160
COURTS = ("J", "Q", "K")
#: Where a rendered folder names the finder's classes, a JSON list in the order of their numbers.
FINDER_CLASS_FILE = "finder/classes.json"
#: The finder's classes by number; the last two only where a recipe asks for hands.
FINDER_CLASSES = ("face", "back", "held", "hand")
SIZES = ((960, 540), (1280, 720), (640, 480), (640, 640), (480, 640), (800, 600), (504, 378), (378, 504))
#: Cards smaller than this in the finder's picture, in pixels, cannot be told from flecks of a carpet.
_LEAST_TALL = 16
#: A strip of a covered card is outlined from this width in the finder's picture, in pixels, and this share of it on.
LEAST_WIDE, LEAST_SEEN = 6, 0.12
#: Seeds of made decks and tables from here on are for validation alone.
VAL_SEED = 1_000_000


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to render. `finder_side` is the longer side of the finder's pictures in pixels.

    `wide`: also rare decks and lamps, low cameras, bowed cards and hands that hold cards (see `compose`,
    `widen_deck_design`).
    `hands`: held cards and hands are classes of the finder of their own (FINDER_CLASSES), instead of cards and nothing.
    """

    out: Path
    art: Path | None = None
    textures: Path | None = None
    fonts: tuple[Path, ...] = ()
    photos: Path | None = None
    scenes: int = 10_000
    val_scenes: int = 600
    made: int = 60
    tables: int = 120
    prints: int = 400
    finder_side: int = 416
    seed: int = 0
    workers: int = 2
    shard: int = 100
    wide: bool = False
    hands: bool = False


@dataclass(frozen=True, slots=True)
class Props:
    """What scenes are made of: decks with how often each is drawn, tables, things that are no cards (BGRA)."""

    decks: tuple[Deck, ...]
    weights: tuple[float, ...]
    tables: tuple[Image, ...]
    things: tuple[Image, ...]


def render(recipe: Recipe) -> None:
    """Render everything `recipe` names into its folder; shards that are there already are kept."""
    # OpenCV's own threads do not survive a fork: a child that waits for one waits for ever.
    cv2.setNumThreads(1)
    for split, scenes in (("val", recipe.val_scenes), ("train", recipe.scenes)):
        (recipe.out / "finder").mkdir(parents=True, exist_ok=True)
        classes = FINDER_CLASSES if recipe.hands else FINDER_CLASSES[:2]
        (recipe.out / FINDER_CLASS_FILE).write_text(json.dumps(classes), "utf-8")
        for folder in (f"finder/images/{split}", f"finder/labels/{split}", f"reader/{split}"):
            (recipe.out / folder).mkdir(parents=True, exist_ok=True)
        shards = [n for n in range(-(-scenes // recipe.shard)) if not _shard_file(recipe, split, n).exists()]
        if not shards:
            continue
        with multiprocessing.Pool(recipe.workers) as pool:
            props = collect(recipe, split, pool)
        _render_shards(recipe, split, shards, props)


def _shard_file(recipe: Recipe, split: str, shard: int) -> Path:
    return recipe.out / "reader" / split / f"{shard:05d}.npz"


#: Set before the workers are forked, so that they share the decks' memory.
_PROPS: list[Props] = []


def _render_shards(recipe: Recipe, split: str, shards: Sequence[int], props: Props) -> None:
    _PROPS[:] = [props]
    context = multiprocessing.get_context("fork")
    with context.Pool(recipe.workers) as pool:
        for _ in follow_progress(pool.imap_unordered(partial(_render_shard, recipe, split), shards), len(shards)):
            pass


def collect(recipe: Recipe, split: str, pool: multiprocessing.pool.Pool) -> Props:
    """Load artwork decks of the split's families, make decks, tables and prints."""
    val = split == "val"
    names = [n for n in deck_names(recipe.art)[1:] if (family_of(n) in HELD_OUT) == val]
    bought = pool.map(partial(load_deck, art=recipe.art), names)
    first = recipe.seed * 1000 + (VAL_SEED if val else 0)
    count = -(-recipe.made // 10) if val else recipe.made
    lenders = [deck for deck in bought if deck.name in BORROWABLE]
    donors = [lenders[i % len(lenders)] if lenders and i % 2 else None for i in range(count)]
    make = partial(_make, fonts=recipe.fonts, wide=recipe.wide)
    made = pool.starmap(make, zip(range(first, first + count), donors, strict=True), 1)
    tables = pool.map(_table, range(first, first + (max(4, recipe.tables // 6) if val else recipe.tables)))
    real = surfaces.photographed(recipe.textures) if recipe.textures else ()
    tables += real[::5] if val else [t for i, t in enumerate(real) if i % 5]
    stock = _stock(recipe, val)
    count = -(-recipe.prints // 10) if val else recipe.prints
    things = pool.map(partial(_print, stock=stock), range(first, first + count))
    weights = [1.0] * len(bought) + [max(1.0, len(bought)) / max(1, len(made))] * len(made)
    return Props(
        (*bought, *made),
        tuple(w / sum(weights) for w in weights),
        tuple(tables),
        (*clutter.bank(stock.cutouts), *things),
    )


def _stock(recipe: Recipe, val: bool) -> Stock:
    """The cut-outs and photographs of a split: every other one, every fifth."""
    cutouts = clutter.cutouts(recipe.art / "debian", recipe.out / "cutouts") if recipe.art else ()
    photos = tuple(sorted(recipe.photos.glob("*.jpg"))) if recipe.photos else ()
    return (
        Stock(cutouts[::2], photos[::5])
        if val
        else Stock(cutouts[1::2], tuple(photo for i, photo in enumerate(photos) if i % 5))
    )


def _print(seed: int, stock: Stock) -> Image:
    return any_print(np.random.default_rng((8, seed)), stock)


def _make(seed: int, donor: Deck | None, fonts: tuple[Path, ...], wide: bool = False) -> Deck:
    """A made deck; in three of ten the figures of the courts change places, so that the index alone names them.

    What passes for a king differs from pack to pack, and a reader that goes by hats is lost at the next family's.
    """
    rng = np.random.default_rng((9, seed))
    figures = dict(zip(COURTS, rng.permutation(COURTS).tolist(), strict=True)) if rng.random() < 0.3 else AS_NAMED
    return made_deck(seed, fonts, donor, figures, wide)


def _table(seed: int) -> Image:
    return surfaces.any_surface(np.random.default_rng((7, seed)), surfaces.HARDER)


def _render_shard(recipe: Recipe, split: str, shard: int) -> None:
    rng = np.random.default_rng((recipe.seed, split == "val", shard))
    props = _PROPS[0]
    crops: list[Image] = []
    codes: list[str] = []
    for i in range(recipe.shard):
        image, cards = _any_scene(rng, props, recipe.wide)
        for code, crop in reader_crops(image, cards, rng):
            codes.append(code)
            crops.append(crop)
        _write_finder(recipe, split, shard * recipe.shard + i, image, cards)
    labels = np.array([CLASSES.index(code) for code in codes], np.uint8)
    file = _shard_file(recipe, split, shard)
    np.savez(part := file.with_name(f"part-{file.name}"), crops=np.stack(crops), labels=labels)
    part.rename(file)


def _any_scene(rng: np.random.Generator, props: Props, wide: bool) -> tuple[Image, tuple[RenderedCard, ...]]:
    deck = props.decks[int(rng.choice(len(props.decks), p=props.weights))]
    table = props.tables[int(rng.integers(len(props.tables)))]
    size = SIZES[int(rng.integers(len(SIZES)))]
    # From cards lost in the room to one that fills the picture; most as a laptop or phone would see them.
    share = float(np.exp(rng.uniform(np.log(0.09), np.log(0.95))))
    return compose(rng, deck, table, size, share * size[1], props.things, wide=wide)


def _write_finder(recipe: Recipe, split: str, number: int, image: Image, cards: Sequence[RenderedCard]) -> None:
    height, width = image.shape[:2]
    factor = recipe.finder_side / max(height, width)
    small = cv2.resize(
        image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    )
    base = recipe.out / "finder"
    cv2.imwrite(str(base / f"images/{split}/{number:06d}.jpg"), small, [cv2.IMWRITE_JPEG_QUALITY, 92])
    shown = [card for card in cards if findable(card, factor) and (card.code != HAND or recipe.hands)]
    lines = [_label(card, width, height, recipe.hands) for card in shown]
    (base / f"labels/{split}/{number:06d}.txt").write_text("".join(lines))


def findable(card: RenderedCard, factor: float) -> bool:
    """Whether enough of a card is seen to outline it in a picture shrunk by `factor`."""
    short, long = short_and_long(as_quad(card.part))
    return card.visible > LEAST_SEEN and long * factor > _LEAST_TALL and short * factor > LEAST_WIDE


def _label(card: RenderedCard, width: int, height: int, hands: bool) -> str:
    """One line of an OBB label: what is seen of a card, within the picture.

    What lies under other cards cannot be outlined, only guessed; and ultralytics silently drops every picture
    whose labels leave it.
    """
    corners = np.clip(rectangle(card.part) / (width, height), 0, 1)
    kind = finder_class(card, hands)
    return f"{FINDER_CLASSES.index(kind)} {' '.join(f'{v:.5f}' for v in corners.ravel())}\n"


def finder_class(card: RenderedCard, hands: bool) -> str:
    """The finder's class (FINDER_CLASSES) of a card or hand; `hands`: held cards are a class of their own."""
    if hands and (card.held or card.code == HAND):
        return "held" if card.held else "hand"
    return "back" if card.code == BACK else "face"


def rectangle(quad: NDArray[np.float64]) -> NDArray[np.float64]:
    """The smallest turned rectangle round an outline, which is what the finder can say of a card."""
    return np.asarray(cv2.boxPoints(cv2.minAreaRect(quad.astype(np.float32))), np.float64)


def _tall(card: RenderedCard) -> float:
    return float(np.linalg.norm(card.quad[0] - card.quad[3]))


def reader_crops(image: Image, cards: Sequence[RenderedCard], rng: np.random.Generator) -> list[tuple[str, Image]]:
    """Straightened cards with their class, cut as loosely as a finder would, either way up."""
    crops = []
    for card in cards:
        code = reader_class(card)
        if code is not None and _tall(card) > 26:
            crops.append((code, cut(image, jittered(card.part, rng), rng)))
    boxes = [_nowhere(image, cards, rng)] if rng.random() < 0.5 else []
    boxes += [jittered(thing.part, rng) for thing in cards if thing.code == NOT_A_CARD and rng.random() < 0.5]
    return crops + [(NOT_A_CARD, cut(image, box, rng)) for box in boxes if box is not None and _is_empty(box, cards)]


def reader_class(card: RenderedCard) -> str | None:
    """What a reader should say of a card that is seen so far; None where even a person would dispute it."""
    if card.code in (NOT_A_CARD, HAND):
        return None
    if card.code == BACK:
        return BACK if card.visible > 0.5 else None
    if card.index > 0.65 or card.visible > 0.75:
        return card.code
    if card.index < 0.1 and card.visible < 0.3:
        return NOT_A_CARD
    return None


def jittered(quad: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """A card's outline as a finder would give it: mostly a rectangle, a little off in place, size and turn."""
    box = rectangle(quad) if rng.random() < 0.8 else quad
    middle = box.mean(0)
    side = np.sqrt(max(1.0, cv2.contourArea(box.astype(np.float32))))
    angle, scale = rng.normal(0, 0.035), rng.normal(1.02, 0.045, 2)
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray((box - middle) * scale @ np.array([[c, s], [-s, c]]) + middle + rng.normal(0, 0.025, 2) * side)


def cut(image: Image, box: NDArray[np.float64], rng: np.random.Generator) -> Image:
    """The straightened card, turned half round every other time: a card has no right way up."""
    card = straighten(image, as_quad(box), CROP)
    return np.ascontiguousarray(card[::-1, ::-1]) if rng.random() < 0.5 else card


def _nowhere(image: Image, cards: Sequence[RenderedCard], rng: np.random.Generator) -> NDArray[np.float64] | None:
    """A box that holds no whole card: bare table, a thing or a part of it, half a card, two halves."""
    height, width = image.shape[:2]
    tall = float(np.exp(rng.uniform(np.log(30), np.log(height * 0.8))))
    middle = rng.uniform(0, 1, 2) * (width, height)
    if cards and rng.random() < 0.6:
        # The things come last and are the likeliest to be taken for cards.
        card = cards[-1 - int(len(cards) * rng.random() ** 2)]
        tall = _tall(card) * rng.uniform(0.35, 1.6)
        corner = card.quad[int(rng.integers(4))]
        beside = card.quad.mean(0) if card.code == NOT_A_CARD and rng.random() < 0.6 else corner
        middle = np.clip(beside + rng.normal(0, 0.15, 2) * tall, 0, (width, height))
    half = np.array([[-0.36, -0.5], [0.36, -0.5], [0.36, 0.5], [-0.36, 0.5]]) * tall
    angle = rng.uniform(0, np.pi)
    c, s = np.cos(angle), np.sin(angle)
    box = half @ np.array([[c, s], [-s, c]]) + middle
    return np.asarray(box) if tall >= 16 else None


def _is_empty(box: NDArray[np.float64], cards: Sequence[RenderedCard]) -> bool:
    """Whether no card lies in the box by half."""
    parts = [as_quad(card.part) for card in cards if card.code not in (NOT_A_CARD, HAND)]
    return not any(shared_area(as_quad(box), part) > 0.45 * max(1.0, abs(area(part))) for part in parts)
