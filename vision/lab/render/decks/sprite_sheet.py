"""Turns artwork into card pictures once, and keeps them as one PNG sheet a deck.  [edge: rsvg-convert]

Every sheet, the artwork's and ours, has thirteen columns A, 2..K and the rows clubs, diamonds, hearts,
spades, then the two jokers and the backs; an empty cell is a card the artwork does not have.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from vision.lab.render.decks.artwork import Artwork
from vision.lab.render.decks.deck import CODES, HEIGHT, PAINTED_JOKERS, rounded
from vision.types import RANKS, Image, VisionError

_COLUMNS = len(RANKS)
_DARK = 150
_CORNER = 0.052


def sliced(name: str, artwork: Artwork, art: Path, cache: Path) -> tuple[dict[str, Image], tuple[Image, ...]]:
    """Return the faces by code and the backs of one artwork deck, from `cache` where it was sliced before.

    Raises VisionError where the artwork is missing or the cached picture cannot be read.
    """
    kept = cache / f"{name}.png"
    if not kept.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        # A half-written sheet must never be taken for a whole one, also with two renderers at work.
        fresh = cache / f".{name}.{id(kept)}.png"
        cv2.imwrite(str(fresh), _pack(*_slice(artwork, art)), [cv2.IMWRITE_PNG_COMPRESSION, 1])
        fresh.replace(kept)
    sheet = cv2.imread(str(kept), cv2.IMREAD_UNCHANGED)
    if sheet is None or sheet.ndim != 3 or sheet.shape[2] != 4:
        raise VisionError(f"The sliced deck {kept} cannot be read; delete it and it is sliced again.")
    return _unpack(np.asarray(sheet, np.uint8))


def _slice(artwork: Artwork, art: Path) -> tuple[dict[str, Image], tuple[Image, ...]]:
    place = art / artwork.place
    if not place.exists():
        raise VisionError(f"The card artwork {place} is missing; fetch it first.")
    if artwork.cards is None:
        faces, backs = _unpack(rasterised(place, width=_COLUMNS * 400))
        # Behind its backs one sheet has blanks for further cards.
        backs = backs[:2]
    else:
        read = _reader(place)
        faces = {code: read(card) for code, card in artwork.cards.items()}
        backs = tuple(read(back) for back in artwork.backs)
    return _tidy(faces, backs)


def _reader(place: Path) -> Callable[[str], Image]:
    """Return how one named card of `place` is read: a file of a folder, or a part of a drawing."""
    if place.is_dir():
        return lambda name: rasterised(place / name, height=HEIGHT + 24)
    return lambda part: rasterised(place, height=HEIGHT + 24, part=part)


def rasterised(path: Path, width: int = 0, height: int = 0, part: str = "") -> Image:
    """Return a drawing (or the `part` of it with that id) as BGRA, `width` or `height` pixels large.

    Raises VisionError where rsvg-convert is missing or cannot draw it.
    """
    if path.suffix == ".png":
        return _decoded(path.read_bytes(), path)
    size = [f"--width={width}"] if width else [f"--height={height}"]
    part_wanted = [f"--export-id=#{part}"] if part else []
    command = ["rsvg-convert", "--keep-aspect-ratio", "--unlimited", *size, *part_wanted, str(path)]
    try:
        done = subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError as error:
        raise VisionError("rsvg-convert is missing; install librsvg2-bin to use card artwork.") from error
    except subprocess.CalledProcessError as error:
        raise VisionError(f"{path} {part} cannot be drawn: {error.stderr.decode(errors='replace')}") from error
    return _decoded(done.stdout, path)


def _decoded(data: bytes, path: Path) -> Image:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise VisionError(f"{path} is not a picture.")
    if image.shape[2] == 3:
        image = cv2.cvtColor(image, cv2.COLOR_BGR2BGRA)
    return np.asarray(image, np.uint8)


def _tidy(faces: dict[str, Image], backs: tuple[Image, ...]) -> tuple[dict[str, Image], tuple[Image, ...]]:
    """Cut every picture to its card, without the outline drawings have and cards have not, at one size."""
    faces = {code: _cut(image) for code, image in faces.items()}
    height, width = faces["2D"].shape[:2]
    size = (2 * round(HEIGHT * width / height / 2), HEIGHT)
    outline = _outline(faces["2D"])
    fitted = {code: _fit(image, outline, size) for code, image in faces.items()}
    return fitted, tuple(_fit(_cut(image), outline * image.shape[0] // faces["2D"].shape[0], size) for image in backs)


def _cut(image: Image) -> Image:
    x, y, width, height = cv2.boundingRect((image[:, :, 3] > 40).astype(np.uint8))
    return image[y : y + height, x : x + width]


def _outline(card: Image) -> int:
    """Return how many pixels wide the dark line round `card` is."""
    middle = card[card.shape[0] * 45 // 100, : card.shape[1] // 12]
    dark = np.flatnonzero((middle[:, :3].min(axis=1) < _DARK) | (middle[:, 3] < 250))
    return int(dark[-1]) + 1 if len(dark) else 0


def _fit(image: Image, outline: int, size: tuple[int, int]) -> Image:
    height, width = image.shape[:2]
    inner = image[outline : height - outline, outline : width - outline]
    alpha = inner[:, :, 3:].astype(np.float32) / 255
    paper = _edge_colour(inner)
    solid = (inner[:, :, :3] * alpha + paper * (1 - alpha)).astype(np.uint8)
    fitted = cv2.resize(solid, size, interpolation=cv2.INTER_AREA if height > HEIGHT else cv2.INTER_CUBIC)
    return np.dstack([fitted, rounded(*size, size[0] * _CORNER)])


def _edge_colour(image: Image) -> np.ndarray:
    """Return the blue, green, red just inside the edge: what the rounded corners are filled up with."""
    ring = np.concatenate([image[4:9].reshape(-1, 4), image[-9:-4].reshape(-1, 4), image[:, 4:9].reshape(-1, 4)])
    return np.asarray(np.median(ring[ring[:, 3] > 250][:, :3], axis=0))


def _pack(faces: dict[str, Image], backs: tuple[Image, ...]) -> Image:
    height, width = faces["2D"].shape[:2]
    sheet = np.zeros((5 * height, _COLUMNS * width, 4), np.uint8)
    order = [faces.get(code) for code in (*CODES, *PAINTED_JOKERS)] + list(backs)
    for index, image in enumerate(order):
        if image is not None:
            y, x = index // _COLUMNS * height, index % _COLUMNS * width
            sheet[y : y + height, x : x + width] = image
    return sheet


def _unpack(sheet: Image) -> tuple[dict[str, Image], tuple[Image, ...]]:
    rows, width = 5, sheet.shape[1] / _COLUMNS
    height = sheet.shape[0] / rows
    cells = []
    for index in range(rows * _COLUMNS):
        y, x = index // _COLUMNS, index % _COLUMNS
        cells.append(sheet[round(y * height) : round((y + 1) * height), round(x * width) : round((x + 1) * width)])
    faces = {code: cell for code, cell in zip((*CODES, *PAINTED_JOKERS), cells, strict=False) if _holds_card(cell)}
    return faces, tuple(cell for cell in cells[len(CODES) + len(PAINTED_JOKERS) :] if _holds_card(cell))


def _holds_card(cell: Image) -> bool:
    return float(np.mean(cell[:, :, 3] > 128)) > 0.5
