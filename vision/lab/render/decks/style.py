"""The design of a made deck, drawn by lot: lettering, index, pips, inks. Lengths in pixels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from vision.lab.render.decks.deck import HEIGHT
from vision.lab.render.decks.glyphs import SKELETONS, GlyphStyle, glyph_mask
from vision.lab.render.decks.ink import Colour, Mask
from vision.lab.render.decks.pips import FRENCH, PIP_LAYOUTS, PipStyle

#: What stands for ace, jack, queen, king in decks of other languages.
_LETTERS = (
    {"J": "B", "Q": "D"},
    {"J": "V", "Q": "D", "K": "R"},
    {"J": "V", "Q": "D", "K": "R", "A": "1"},
    {"J": "W", "Q": "D"},
    {"J": "B", "Q": "V", "K": "H"},
)
_CYRILLIC = {"A": "Т", "J": "В", "Q": "Д", "K": "К"}
#: The same for widened decks: German, Austrian and Danish, French, Dutch, Polish, Scandinavian (ace E in Sweden),
#: Italian-French and Russian packs.
_MORE_LETTERS = (
    *_LETTERS,
    {"J": "Kn", "Q": "D"},
    {"J": "Kn", "Q": "D", "A": "E"},
    {"J": "B", "Q": "D", "A": "E"},
    {"J": "F", "Q": "D", "K": "R"},
    {"J": "F", "Q": "D", "K": "R", "A": "1"},
    _CYRILLIC,
)


@dataclass(frozen=True, slots=True)
class Index:
    """Rank and suit in the corners: `x` is the middle and `y` the top of the rank; two or four `corners`.

    `suit_shift` is how far the small suit's middle stands beside the rank's, towards the card's middle.
    """

    height: int
    width: int
    x: int
    y: int
    suit: int
    suit_gap: int
    suit_shift: int
    corners: int

    @property
    def suit_y(self) -> float:
        """The middle of the small suit."""
        return self.y + self.height + self.suit_gap + self.suit / 2

    @property
    def end(self) -> float:
        """The lower end of rank and suit."""
        return self.suit_y + self.suit / 2


@dataclass(frozen=True, slots=True)
class DeckDesign:
    """What the cards of one made deck have in common."""

    width: int
    radius: float
    paper: Colour
    inks: Mapping[str, Colour]
    lettering: Lettering
    letters: Mapping[str, str]
    index: Index
    pip: PipStyle
    pip_height: int
    column: int
    first_row: int
    layouts: Mapping[str, tuple[tuple[float, float], ...]]
    rim: Colour | None


def any_deck_design(rng: np.random.Generator, fonts: Sequence[Path] = (), two_colours: bool = False) -> DeckDesign:
    """Draw a deck design by lot; `fonts` are font files the index may be set in."""
    width = int(rng.choice([360, 360, 360, 354, 326]))
    letters, lettering = _letters(rng, fonts)
    index = _index(rng, width, lettering)
    pip_height = _pip_height(rng, index)
    return DeckDesign(
        width=width,
        radius=width * rng.uniform(0.035, 0.075),
        paper=_paper(rng),
        inks=_inks(rng, two_colours),
        lettering=lettering,
        letters=letters,
        index=index,
        pip=PipStyle(rng.random(), rng.random() ** 2, rng.uniform(0.14, 0.26), rng.uniform(0.9, 1.08)),
        pip_height=pip_height,
        column=_column(rng, width, index, pip_height),
        first_row=round(max(HEIGHT * rng.uniform(0.14, 0.19), pip_height * 0.5 + HEIGHT * 0.05)),
        layouts=FRENCH if rng.random() < 0.12 else PIP_LAYOUTS,
        rim=_rim(rng),
    )


def widen_deck_design(design: DeckDesign, rng: np.random.Generator, fonts: Sequence[Path] = ()) -> DeckDesign:
    """The design with what few packs have: foreign letters, four colours, very large or four indices.

    Drawn from a generator of its own, so that a deck that is not widened keeps its looks.
    """
    if rng.random() < 0.35:
        letters = _MORE_LETTERS[int(rng.integers(len(_MORE_LETTERS)))]
        style = glyph_style(rng)
        usable = [font for font in fonts if has_cyrillic(font)] if letters is _CYRILLIC else list(fonts)
        lettering = drawn(style)
        if usable and rng.random() < 0.6:
            lettering = with_fallback(from_font(usable[int(rng.integers(len(usable)))], style.aspect), style)
        design = replace(design, letters=letters, lettering=lettering)
    if rng.random() < 0.25:
        design = replace(design, inks=_four_inks(rng, design.inks))
    if rng.random() < 0.3:
        kind = str(rng.choice(["jumbo", "magnum", "low vision"]))
        index = _index(rng, design.width, design.lettering, kind)
        pip_height = _pip_height(rng, index)
        column = _column(rng, design.width, index, pip_height)
        design = replace(design, index=index, pip_height=pip_height, column=column)
    elif rng.random() < 0.3:
        design = replace(design, index=replace(design.index, corners=4))
    return design


def _letters(rng: np.random.Generator, fonts: Sequence[Path]) -> tuple[Mapping[str, str], Lettering]:
    style = glyph_style(rng)
    letters: Mapping[str, str] = _LETTERS[rng.integers(len(_LETTERS))] if rng.random() < 0.06 else {}
    if fonts and rng.random() < 0.6:
        font = fonts[int(rng.integers(len(fonts)))]
        if not letters and rng.random() < 0.06 and has_cyrillic(font):
            letters = _CYRILLIC
        return letters, with_fallback(from_font(font, style.aspect), style)
    if rng.random() < 0.08:
        return letters, built_in(int(rng.choice([300, 500, 700])), style.aspect)
    return letters, drawn(style)


def glyph_style(rng: np.random.Generator) -> GlyphStyle:
    """Draw a style of figures by lot: sans, slab letters with plain figures (as most decks have), or serif."""
    aspect, square = rng.uniform(0.44, 0.72), rng.uniform(2.0, 3.2)
    pen = min(rng.uniform(0.085, 0.19), aspect * 0.29)
    flat_three, swash = rng.random() < 0.25, rng.random() < 0.4
    slant = rng.uniform(0.05, 0.18) if rng.random() < 0.04 else 0.0
    kind = rng.random()
    if kind < 0.4:
        return GlyphStyle(aspect, pen, rng.uniform(0.8, 1.0), square, 0.0, False, flat_three, swash, slant)
    slab = rng.uniform(0.06, 0.13)
    if kind < 0.8:
        return GlyphStyle(aspect, pen, rng.uniform(0.75, 1.0), square, slab, False, flat_three, swash, slant)
    return GlyphStyle(aspect, pen * 1.1, rng.uniform(0.35, 0.65), 2.0, slab, True, flat_three, swash, slant)


#: Heights of the ranks of an index, as shares of the card's height.
_INDEX_HEIGHTS = {
    "standard": (0.075, 0.11),
    "wide": (0.1, 0.14),
    "jumbo": (0.14, 0.2),
    "magnum": (0.24, 0.32),
    "low vision": (0.3, 0.42),
}


def _index(rng: np.random.Generator, width: int, lettering: Lettering, kind: str = "") -> Index:
    kind = kind or str(rng.choice(["standard", "wide", "jumbo", "magnum"], p=[0.5, 0.2, 0.25, 0.05]))
    part = _INDEX_HEIGHTS[kind]
    height = round(HEIGHT * rng.uniform(*part))
    widest = max(lettering(text, height).shape[1] for text in ("10", "Q", "K", "8"))
    widest = min(widest, round(height * 0.95), round(width * 0.3))
    inset = rng.uniform(0.018, 0.035) * width
    large = kind in ("magnum", "low vision")
    corners = 4 if not large and rng.random() < 0.35 else 2
    suit = round(height * (0.5 if large else rng.uniform(0.55, 0.85)))
    shift = round(widest * rng.uniform(0.2, 0.5)) if corners == 4 and rng.random() < 0.45 else 0
    return Index(
        height, widest, round(inset + widest / 2), round(HEIGHT * rng.uniform(0.02, 0.045)),
        suit, round(HEIGHT * rng.uniform(0.004, 0.016)), shift, corners,
    )  # fmt: skip


def _column(rng: np.random.Generator, width: int, index: Index, pip_height: int) -> int:
    """Pixels from the card's middle to that of an outer column of pips, clear of the index where there is room."""
    room = width / 2 - (index.x + index.width / 2) - pip_height * 0.48 - width * 0.015
    return round(max(min(room, width * rng.uniform(0.18, 0.225)), pip_height * 0.62))


def _pip_height(rng: np.random.Generator, index: Index) -> int:
    if index.height < HEIGHT * 0.14:
        return round(HEIGHT * rng.uniform(0.115, 0.165))
    return round(HEIGHT * rng.uniform(0.085, 0.135))


def _paper(rng: np.random.Generator) -> Colour:
    light = rng.integers(243, 256) if rng.random() < 0.8 else rng.integers(222, 244)
    warmth = rng.exponential(4) if rng.random() < 0.75 else rng.exponential(14)
    return int(max(light - warmth, 150)), int(max(light - warmth * 0.35, 150)), int(light)


def _inks(rng: np.random.Generator, two_colours: bool) -> Mapping[str, Colour]:
    shade = int(rng.integers(0, 24))
    black = (shade + int(rng.integers(0, 24)), shade + int(rng.integers(0, 16)), shade + int(rng.integers(0, 16)))
    red = ink(rng.uniform(-7, 6), rng.uniform(0.8, 1.0), rng.uniform(0.68, 0.95))
    if rng.random() > 0.06 or two_colours:
        return {"C": black, "S": black, "D": red, "H": red}
    return _four_inks(rng, {"S": black, "H": red})


def _four_inks(rng: np.random.Generator, inks: Mapping[str, Colour]) -> Mapping[str, Colour]:
    """Four colours, spades and hearts mostly as they are."""
    black, red = inks["S"], inks["H"]
    green = ink(rng.uniform(52, 72), rng.uniform(0.7, 1), rng.uniform(0.4, 0.65))
    blue = ink(rng.uniform(104, 120), rng.uniform(0.7, 1), rng.uniform(0.55, 0.9))
    yellow = ink(rng.uniform(14, 24), rng.uniform(0.8, 1), rng.uniform(0.75, 0.92))
    if rng.random() < 0.7:
        return {"C": green, "S": black, "D": blue, "H": red}
    return {"C": green, "S": blue, "D": yellow, "H": red}


def ink(hue: float, saturation: float, value: float) -> Colour:
    """Return the colour at `hue` (0..180 as OpenCV counts it), `saturation` and `value` 0..1."""
    hsv = np.array([[[round(hue) % 180, round(saturation * 255), round(value * 255)]]], np.uint8)
    blue, green, red = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0]
    return int(blue), int(green), int(red)


def _rim(rng: np.random.Generator) -> Colour | None:
    """Return the colour of a line along the card's edge, which few decks have."""
    return ink(rng.uniform(0, 180), rng.uniform(0.2, 1), rng.uniform(0.1, 0.7)) if rng.random() < 0.05 else None


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
