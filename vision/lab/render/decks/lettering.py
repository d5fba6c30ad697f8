"""Index lettering: our own figures, the text built into OpenCV, or a font file where one is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from vision.lab.render.decks.glyphs import SKELETONS, GlyphStyle, glyph_mask
from vision.lab.render.decks.ink import Mask

#: Draws a text so many pixels high, cropped to its ink.
Lettering = Callable[[str, int], Mask]

#: Texts are drawn this high and brought down to size, so that small ones keep clean edges.
_LARGE = 160


def drawn(style: GlyphStyle) -> Lettering:
    """Return lettering in our own figures."""
    return lambda text, height: glyph_mask(text, height, style)


def built_in(weight: int, aspect: float) -> Lettering:
    """Return lettering in OpenCV's own sans, `weight` 100..900; `aspect` is the width of one figure to its height."""

    def mask(text: str, height: int) -> Mask:
        large = np.zeros((3 * _LARGE, 5 * _LARGE), np.uint8)
        # Its nought has a stroke through it, which no card's nought has.
        text = text.replace("0", "O")
        cv2.putText(large, text, (_LARGE // 2, 2 * _LARGE), cv2.FONT_HERSHEY_DUPLEX, 6, 255, weight // 40, cv2.LINE_AA)
        return _fitted(large, text, height, aspect)

    return mask


def from_font(path: Path, aspect: float) -> Lettering:
    """Return lettering in a font file. Needs Pillow; raises OSError where it is no font."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.truetype(str(path), _LARGE)

    def mask(text: str, height: int) -> Mask:
        large = Image.new("L", (_LARGE * (len(text) + 2), _LARGE * 3))
        ImageDraw.Draw(large).text((_LARGE, _LARGE // 2), text, fill=255, font=font)
        return _fitted(np.asarray(large, np.uint8), text, height, aspect)

    return mask


def has_cyrillic(path: Path) -> bool:
    """Say whether a font file draws the letters of a Russian deck each differently."""
    lettering = from_font(path, 0.6)
    pictures = {lettering(letter, 24).tobytes() for letter in "ТДКВ"}
    return len(pictures) == 4


def with_fallback(lettering: Lettering, style: GlyphStyle) -> Lettering:
    """Return `lettering`, but our own figures for a text it leaves blank."""

    def mask(text: str, height: int) -> Mask:
        got = lettering(text, height)
        if got.max() > 0 or any(letter not in SKELETONS for letter in text):
            return got
        return glyph_mask(text, height, style)

    return mask


def _fitted(large: Mask, text: str, height: int, aspect: float) -> Mask:
    x, y, width, tall = cv2.boundingRect((large > 100).astype(np.uint8))
    if not width:
        return np.zeros((height, height // 2), np.uint8)
    narrow = 0.75 if len(text) > 1 else 1.0
    fitted = max(2, round(height * min(width / tall, aspect * 1.25 * len(text) * narrow)))
    cropped = large[y : y + tall, x : x + width]
    return np.asarray(cv2.resize(cropped, (fitted, height), interpolation=cv2.INTER_AREA), np.uint8)
