"""Table tops: felt, wood, carpet, woven cloth, stone and print, made from noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Image

_Field = NDArray[np.float32]
_SIZE = 1024


def cloud(rng: np.random.Generator, cells: tuple[int, int], size: int = _SIZE) -> _Field:
    """Smooth noise (size x size, about -1..1) with `cells` bumps across and down."""
    seed = rng.standard_normal((cells[1] + 2, cells[0] + 2)).astype(np.float32)
    return np.asarray(cv2.resize(seed, (size, size), interpolation=cv2.INTER_CUBIC), np.float32) * 0.6


def grain(rng: np.random.Generator, size: int = _SIZE) -> _Field:
    """White noise, one value a pixel."""
    return rng.standard_normal((size, size), dtype=np.float32)


def _any_colour(rng: np.random.Generator) -> NDArray[np.float32]:
    hue, sat, val = rng.uniform(0, 180), min(rng.uniform(0, 230, 2)), rng.uniform(15, 240)
    pixel = np.array([[[hue, sat, val]]], np.uint8)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0], np.float32)


def _paint(field: _Field, rng: np.random.Generator, spread: float) -> Image:
    """Colour a field: one colour, drifting towards a second with the field's value."""
    base = _any_colour(rng)
    other = base * rng.uniform(0.5, 1.4) + rng.uniform(-25, 25, 3).astype(np.float32)
    mix = np.clip(field[..., None] * spread, -1.5, 1.5)
    return np.asarray(np.clip(base + mix * (other - base), 0, 255), np.uint8)


def _felt(rng: np.random.Generator) -> Image:
    return _paint(grain(rng) * 0.25 + cloud(rng, (6, 6)), rng, rng.uniform(0.2, 0.7))


def _wood(rng: np.random.Generator) -> Image:
    rings = cloud(rng, (int(rng.integers(2, 5)), int(rng.integers(14, 60))))
    lines = np.sin(rings * rng.uniform(3, 14) + cloud(rng, (3, 200)))
    boards = (np.arange(_SIZE) // int(rng.integers(90, 400))) % 7
    tone = rng.uniform(-0.5, 0.5, 7).astype(np.float32)[boards]
    wood = _paint(lines.astype(np.float32) + tone[:, None], rng, rng.uniform(0.4, 1.0))
    warm = np.array([0.55, 0.8, 1.0]) if rng.random() < 0.7 else np.ones(3)
    return np.clip(wood * warm, 0, 255).astype(np.uint8)


def _carpet(rng: np.random.Generator) -> Image:
    tufts = cv2.GaussianBlur(grain(rng), (0, 0), float(rng.uniform(0.8, 3.5)))
    tufts = np.asarray(tufts / (tufts.std() + 1e-6), np.float32)
    return _paint(tufts * 0.6 + cloud(rng, (5, 5)), rng, rng.uniform(0.6, 1.4))


def _speckle(rng: np.random.Generator) -> Image:
    """Looped carpet, gravel, terrazzo: light and dark flecks of about one size, which finders take for small cards."""
    wide = float(rng.uniform(1.5, 7))
    flecks = cv2.GaussianBlur(grain(rng), (0, 0), wide) - cv2.GaussianBlur(grain(rng), (0, 0), wide * 1.7)
    flecks = np.asarray(np.tanh(flecks / (flecks.std() + 1e-6) * rng.uniform(0.6, 3)), np.float32)
    return _paint(flecks + grain(rng) * 0.15, rng, rng.uniform(0.8, 1.8))


def _weave(rng: np.random.Generator) -> Image:
    y, x = np.mgrid[0:_SIZE, 0:_SIZE].astype(np.float32)
    a, b = rng.uniform(0.15, 1.2, 2)
    field = np.sin(x * a) * np.sin(y * b) + cloud(rng, (4, 4)) + grain(rng) * 0.2
    return _paint(field.astype(np.float32), rng, rng.uniform(0.3, 1.0))


def _stone(rng: np.random.Generator) -> Image:
    veins = np.abs(cloud(rng, (7, 7)) + 0.5 * cloud(rng, (21, 21)) + 0.25 * cloud(rng, (60, 60)))
    return _paint(np.exp(-veins * rng.uniform(1, 6)).astype(np.float32) + grain(rng) * 0.1, rng, 1.2)


def _plain(rng: np.random.Generator) -> Image:
    return _paint(cloud(rng, (3, 3)) + grain(rng) * 0.05, rng, rng.uniform(0.05, 0.3))


def _stripes(rng: np.random.Generator) -> Image:
    colours = np.stack([_any_colour(rng) for _ in range(int(rng.integers(2, 6)))])
    y, x = np.mgrid[0:_SIZE, 0:_SIZE]
    bent = x + (cloud(rng, (4, 4)) * rng.uniform(0, 30)).astype(int)
    index = bent // int(rng.integers(10, 130))
    if rng.random() < 0.4:
        index = index + y // int(rng.integers(10, 130))
    return np.asarray(np.clip(colours[index % len(colours)] + grain(rng)[..., None] * 8, 0, 255), np.uint8)


def _print(rng: np.random.Generator) -> Image:
    """A printed cloth: one motif of random leaves and dots, again and again."""
    cell = int(rng.integers(90, 340))
    tile = np.empty((cell, cell, 3), np.uint8)
    tile[:] = _any_colour(rng)
    for _ in range(int(rng.integers(2, 9))):
        centre = tuple(int(v) for v in rng.integers(0, cell, 2))
        axes = tuple(int(v) for v in rng.integers(4, cell // 2, 2))
        colour = tuple(float(v) for v in _any_colour(rng))
        cv2.ellipse(tile, centre, axes, float(rng.uniform(0, 360)), 0, 360, colour, -1, cv2.LINE_AA)
    repeat = _SIZE // cell + 1
    cloth = np.tile(tile, (repeat, repeat, 1))[:_SIZE, :_SIZE]
    return np.clip(cloth + grain(rng)[..., None] * rng.uniform(0, 12), 0, 255).astype(np.uint8)


MAKERS: tuple[Callable[[np.random.Generator], Image], ...] = (
    _felt, _wood, _carpet, _weave, _stone, _plain, _stripes, _print, _wood, _carpet, _plain,
)  # fmt: skip
#: To train on: the same and more of what a finder takes for small cards.
HARDER = (*MAKERS, _speckle, _speckle, _speckle)


def any_surface(rng: np.random.Generator, makers: Sequence[Callable[[np.random.Generator], Image]] = MAKERS) -> Image:
    """One table top, SIZE x SIZE, BGR uint8."""
    return makers[int(rng.integers(len(makers)))](rng)


def photographed(folder: Path) -> tuple[Image, ...]:
    """The pictures of real surfaces in `folder`, SIZE x SIZE each; empty where none was fetched."""
    images = (cv2.imread(str(path), cv2.IMREAD_COLOR) for path in sorted(folder.glob("*.png")))
    return tuple(
        np.asarray(cv2.resize(i, (_SIZE, _SIZE), interpolation=cv2.INTER_AREA), np.uint8)
        for i in images
        if i is not None
    )


def dyed(surface: Image, rng: np.random.Generator) -> Image:
    """The same surface in another colour and turned: one bank of surfaces makes many tables.

    One table in six is as pale as the cards on it: white lacquer, paper, a bed sheet.
    """
    turned = np.rot90(surface, int(rng.integers(4)))
    gain, lift = rng.uniform(0.6, 1.25, 3), np.full(3, rng.uniform(-20, 20))
    if rng.random() < 1 / 6:
        gain *= rng.uniform(0.02, 0.2)
        lift = rng.uniform(195, 250) + rng.normal(0, 6, 3) - gain * float(surface.mean())
    levels = np.arange(256, dtype=np.float32)[:, None]
    table = np.clip(levels * gain + lift, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(np.ascontiguousarray(turned), table.reshape(1, 256, 3)), np.uint8)


def lay(surface: Image, homography: NDArray[np.float64], size: tuple[int, int], scale: float) -> Image:
    """The surface as a camera with `homography` sees it; `scale` is texture pixels a table unit."""
    middle = surface.shape[0] / 2
    to_table = np.array([[1 / scale, 0, -middle / scale], [0, 1 / scale, -middle / scale], [0, 0, 1]])
    seen = cv2.warpPerspective(
        surface, homography @ to_table, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    return np.asarray(seen, np.uint8)
