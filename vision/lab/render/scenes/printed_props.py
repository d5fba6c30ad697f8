"""Printed things that are no playing cards: book covers, boxes, newspapers, magazines, cards of other games.

They are put together from photographs and cut-outs fetched as packages; without those, from colours and letters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.types import Image

_FACES = (
    cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
)  # fmt: skip
_LETTERS = list("abcdefghijklmnoprstuvwyz")


@dataclass(frozen=True, slots=True)
class Stock:
    """What prints are made from: files of cut-outs (with alpha) and of photographs."""

    cutouts: Sequence[Path] = ()
    photos: Sequence[Path] = ()


def any_print(rng: np.random.Generator, stock: Stock) -> Image:
    """One printed thing, BGRA, a few hundred pixels wide."""
    page = _MAKERS[int(rng.choice(len(_MAKERS), p=[0.4, 0.2, 0.2, 0.2]))](rng, stock)
    opaque = np.full(page.shape[:2], 255, np.uint8)
    return np.dstack([page, opaque])


def _cover(rng: np.random.Generator, stock: Stock) -> Image:
    """A book, a box, a magazine, a film: a picture that fills it, figures before it, a title."""
    page = _picture(rng, stock, _size(rng, 0.55, 0.9))
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.3, 0.4, 0.2, 0.1]))):
        _stick(rng, page, stock, float(rng.uniform(0.25, 0.9)))
    for _ in range(int(rng.integers(0, 4))):
        _title(rng, page, float(rng.uniform(0.4, 2.6)))
    return page


def _game_card(rng: np.random.Generator, stock: Stock) -> Image:
    """A card to collect or of another game: a border, a window with a picture, lines of text."""
    height, width = _size(rng, 0.6, 0.75)
    page = _flat(rng, (height, width), bright=rng.random() < 0.6)
    rim = int(rng.integers(8, 26))
    foot = int(height * rng.choice([0.05, rng.uniform(0.3, 0.5)]))
    window = page[rim * 2 : height - foot - rim, rim : width - rim]
    window[:] = _picture(rng, stock, window.shape[:2])
    if rng.random() < 0.6:
        _stick(rng, window, stock, float(rng.uniform(0.5, 0.95)))
    if foot > 60:
        _writing(rng, page[height - foot : height - rim, rim : width - rim], int(rng.integers(10, 16)))
    return page


def _newspaper(rng: np.random.Generator, stock: Stock) -> Image:
    """A page of print: a headline, columns, a picture in one of them."""
    page = _flat(rng, _size(rng, 0.6, 1.5), bright=True)
    height, width = page.shape[:2]
    for _ in range(int(rng.integers(1, 3))):
        _title(rng, page, float(rng.uniform(0.9, 2.2)), dark=True)
    columns, top = int(rng.integers(1, 5)), int(height * rng.uniform(0.1, 0.4))
    for column in range(columns):
        left, right = (round(width * (column + k) / columns) for k in (0.06, 0.94))
        part = page[top : height - 8, left:right]
        if rng.random() < 0.4 and part.shape[0] > 80:
            tall = int(part.shape[0] * rng.uniform(0.3, 0.7))
            part[:tall] = _picture(rng, stock, (tall, right - left))
            part = part[tall + 6 :]
        _writing(rng, part, int(rng.integers(7, 14)))
    return page


def _label(rng: np.random.Generator, stock: Stock) -> Image:
    """A plain page, lid or bag with one thing on it, which of all prints looks most like a card."""
    page = _flat(rng, _size(rng, 0.6, 1.0), bright=rng.random() < 0.75)
    for _ in range(int(rng.choice([1, 2], p=[0.75, 0.25]))):
        _stick(rng, page, stock, float(rng.uniform(0.3, 0.85)))
    for _ in range(int(rng.integers(0, 4))):
        _title(rng, page, float(rng.uniform(0.3, 1.6)), dark=rng.random() < 0.6)
    return page


_MAKERS: tuple[Callable[[np.random.Generator, Stock], Image], ...] = (_cover, _game_card, _newspaper, _label)


def _size(rng: np.random.Generator, narrow: float, wide: float) -> tuple[int, int]:
    """Height and width; `narrow` and `wide` bound the short side over the long one."""
    long = int(rng.integers(240, 420))
    short = int(long * rng.uniform(narrow, min(wide, 1.0)))
    return (long, short) if wide <= 1 or rng.random() < 0.5 else (short, long)


def _flat(rng: np.random.Generator, size: tuple[int, int], bright: bool) -> Image:
    colour = rng.uniform(185, 255) + rng.normal(0, 8, 3) if bright else rng.uniform(0, 255, 3)
    page = np.empty((*size, 3), np.uint8)
    page[:] = np.clip(colour, 0, 255)
    return page


def _picture(rng: np.random.Generator, stock: Stock, size: tuple[int, int]) -> Image:
    """A part of a photograph, or colours that run into one another, `size` (height, width)."""
    image = cv2.imread(str(stock.photos[int(rng.integers(len(stock.photos)))])) if len(stock.photos) else None
    if image is None or rng.random() < 0.15:
        image = rng.integers(0, 256, (*rng.integers(2, 9, 2), 3), np.uint8)
    else:
        share = rng.uniform(0.25, 1.0)
        height, width = (max(8, int(side * share)) for side in image.shape[:2])
        top, left = (
            int(rng.integers(0, side - part + 1)) for side, part in zip(image.shape[:2], (height, width), strict=True)
        )
        image = image[top : top + height, left : left + width]
        if rng.random() < 0.2:
            image = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return np.asarray(cv2.resize(image, size[::-1], interpolation=cv2.INTER_AREA), np.uint8)


def _stick(rng: np.random.Generator, page: Image, stock: Stock, share: float) -> None:
    """Lay a cut-out on the page, its longer side `share` of the page's shorter one."""
    if not stock.cutouts:
        return
    figure = cv2.imread(str(stock.cutouts[int(rng.integers(len(stock.cutouts)))]), cv2.IMREAD_UNCHANGED)
    if figure is None or figure.ndim != 3 or figure.shape[2] != 4:
        return
    factor = share * min(page.shape[:2]) / max(figure.shape[:2])
    figure = cv2.resize(figure, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    room = [side - part for side, part in zip(page.shape[:2], figure.shape[:2], strict=True)]
    if min(room) < 0:
        return
    top, left = (int(side * np.clip(rng.normal(0.5, 0.2), 0, 1)) for side in room)
    part = page[top : top + figure.shape[0], left : left + figure.shape[1]]
    alpha = figure[..., 3:].astype(np.float32) / 255
    part[:] = part + (figure[..., :3] - part.astype(np.float32)) * alpha


def _title(rng: np.random.Generator, page: Image, scale: float, dark: bool = False) -> None:
    words = [_word(rng).title() if rng.random() < 0.6 else _word(rng).upper() for _ in range(int(rng.integers(1, 4)))]
    ink = rng.uniform(0, 70 if dark else 255, 3)
    place = (int(rng.integers(0, page.shape[1] // 3 + 1)), int(rng.integers(20, page.shape[0])))
    face, thick = _FACES[int(rng.integers(len(_FACES)))], max(1, round(scale * rng.uniform(0.8, 3)))
    cv2.putText(page, " ".join(words), place, face, scale, [float(v) for v in ink], thick, cv2.LINE_AA)


def _writing(rng: np.random.Generator, part: Image, step: int) -> None:
    """Fill a part of a page with small lines of words, `step` pixels apart."""
    ink, scale = [float(rng.uniform(0, 90))] * 3, step / 30
    for y in range(step, part.shape[0], step):
        line = " ".join(_word(rng) for _ in range(max(1, part.shape[1] // (step * 2))))
        cv2.putText(part, line, (0, y), cv2.FONT_HERSHEY_SIMPLEX, scale, ink, 1, cv2.LINE_AA)


def _word(rng: np.random.Generator) -> str:
    return "".join(rng.choice(_LETTERS, int(rng.integers(2, 9))))
