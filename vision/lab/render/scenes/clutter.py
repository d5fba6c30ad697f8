"""Things on the table that are no cards: shapes, papers, prints, cut-outs, hands.

Everything is a BGRA picture, so that one function pastes cards and clutter alike.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from vision.lab.render.scenes.printed_props import Stock, any_print
from vision.types import Image

#: Folders of Debian's openclipart-svg (public domain) whose pictures lie on family tables.
CUTOUT_FOLDERS = (
    "food",
    "animals",
    "recreation/toys",
    "people",
    "electronics",
    "office",
    "plants",
    "tools",
    "decorations",
)


def cutouts(art: Path, cache: Path, most: int = 160) -> tuple[Path, ...]:
    """Clip art as PNG files, rasterised once into `cache`; empty where none was fetched."""
    root = art / "usr/share/openclipart/svg"
    svgs = [p for folder in CUTOUT_FOLDERS for p in sorted((root / folder).rglob("*.svg"))]
    chosen = svgs[:: max(1, len(svgs) // most)][:most]
    cache.mkdir(parents=True, exist_ok=True)
    return tuple(png for svg in chosen if (png := _rasterised(svg, cache)) is not None)


def _rasterised(svg: Path, cache: Path) -> Path | None:
    png = cache / f"{svg.parent.name}-{svg.stem}.png"
    if not png.exists():
        call = ["rsvg-convert", "-w", "300", "-h", "300", "-a", "-o", str(png), str(svg)]
        if subprocess.run(call, capture_output=True, check=False, timeout=30).returncode:
            return None
    return png


def _opaque(image: Image) -> Image:
    return np.dstack([image, np.full(image.shape[:2], 255, np.uint8)])


def _blob(rng: np.random.Generator) -> Image:
    """A cup, coin, chip or phone from above: an ellipse or box with a rim and a shine."""
    side = 220
    image = np.zeros((side, side, 4), np.uint8)
    colour = [float(v) for v in rng.uniform(0, 255, 3)]
    rim = [min(255.0, v * float(rng.uniform(0.4, 1.5))) for v in colour]
    half = (int(rng.integers(30, 105)), int(rng.integers(30, 105)))
    if rng.random() < 0.6:
        half = (half[0], half[0]) if rng.random() < 0.7 else half
        cv2.ellipse(image, (110, 110), half, 0, 0, 360, (*rim, 255), -1, cv2.LINE_AA)
        cv2.ellipse(
            image, (110, 110), (int(half[0] * 0.8), int(half[1] * 0.8)), 0, 0, 360, (*colour, 255), -1, cv2.LINE_AA
        )
    else:
        cv2.rectangle(image, (110 - half[0], 110 - half[1]), (110 + half[0], 110 + half[1]), (*rim, 255), -1)
        cv2.rectangle(image, (116 - half[0], 116 - half[1]), (104 + half[0], 104 + half[1]), (*colour, 255), -1)
    return image


def _paper(rng: np.random.Generator) -> Image:
    """A note, receipt, envelope or score sheet: near-white, with lines of writing. The shape is no card's."""
    height, width = int(rng.integers(120, 420)), int(rng.integers(160, 420))
    page = np.full((height, width, 3), rng.uniform(190, 255, 3), np.uint8)
    ink = [float(v) for v in rng.uniform(0, 120, 3)]
    step, y = int(rng.integers(12, 34)), 16
    while y < height - 10 and rng.random() < 0.97:
        x = 12
        while x < width * rng.uniform(0.5, 1.0) - 20:
            word = int(rng.integers(6, 40))
            cv2.line(page, (x, y), (x + word, y + int(rng.integers(-2, 3))), ink, int(rng.integers(1, 4)), cv2.LINE_AA)
            x += word + int(rng.integers(5, 14))
        y += step
    return _opaque(page)


def any_thing(rng: np.random.Generator, bank: Sequence[Image] = ()) -> Image:
    """One thing that is no card, BGRA, a few hundred pixels wide; most are from `bank` where there is one."""
    if len(bank) and rng.random() < 0.75:
        return bank[int(rng.integers(len(bank)))]
    if rng.random() < 0.3:
        return any_print(rng, Stock())
    return (_blob, _paper)[int(rng.integers(2))](rng)


def bank(pictures: Sequence[Path]) -> tuple[Image, ...]:
    """The cut-outs among these files, BGRA."""
    images = (cv2.imread(str(path), cv2.IMREAD_UNCHANGED) for path in pictures)
    return tuple(np.asarray(i, np.uint8) for i in images if i is not None and i.ndim == 3 and i.shape[2] == 4)


def hand(rng: np.random.Generator) -> Image:
    """A forearm with a sleeve, a palm and fingers, reaching up; 400x300 BGRA, blurred at the edge."""
    image = np.zeros((400, 300, 4), np.uint8)
    tone = np.array([[[rng.uniform(5, 16), rng.uniform(60, 150), rng.uniform(70, 245)]]], np.uint8)
    skin = [float(v) for v in cv2.cvtColor(tone, cv2.COLOR_HSV2BGR)[0, 0]]
    darker = [v * 0.8 for v in skin]
    for finger in range(int(rng.integers(2, 6))):
        base, tip = 95 + finger * 28, 90 + finger * 30 + int(rng.integers(-25, 25))
        reach = int(rng.integers(15, 120))
        cv2.line(image, (base, 200), (tip, reach), (*darker, 255), 30, cv2.LINE_AA)
        cv2.line(image, (base, 200), (tip, reach), (*skin, 255), 24, cv2.LINE_AA)
    cv2.ellipse(image, (150, 220), (80, 65), 0, 0, 360, (*skin, 255), -1, cv2.LINE_AA)
    sleeve = [float(v) for v in rng.uniform(0, 255, 3)]
    cv2.line(image, (150, 240), (150, 330), (*skin, 255), 90, cv2.LINE_AA)
    cv2.line(image, (150, int(rng.integers(310, 380))), (150, 420), (*sleeve, 255), 120, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 1.5), np.uint8)
