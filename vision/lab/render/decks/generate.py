"""The deck maker: whole decks drawn by code, no two alike, needing no font and no artwork."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np

from vision.lab.render.decks.backs import any_back
from vision.lab.render.decks.court_cards import CourtPrinter, any_court_printer
from vision.lab.render.decks.deck import CODES, HEIGHT, PAINTED_JOKERS, Deck, rounded
from vision.lab.render.decks.ink import Colour, Mask, Paper, arc, shape_mask, stamp, stamp_twice, turned
from vision.lab.render.decks.jokers import print_joker
from vision.lab.render.decks.pips import PipStyle, pip_mask
from vision.lab.render.decks.style import DeckDesign, any_deck_design, widen_deck_design
from vision.types import Image

#: Every court shows the figure of its own rank.
AS_NAMED: Mapping[str, str] = MappingProxyType({})


def made_deck(
    seed: int,
    fonts: Sequence[Path] = (),
    courts_from: Deck | None = None,
    figures: Mapping[str, str] = AS_NAMED,
    wide: bool = False,
) -> Deck:
    """Return the made deck of `seed`: the same seed and arguments give the same pictures.

    `fonts` are font files the index may be set in (needs Pillow). With `courts_from` the court pictures
    are borrowed from that deck, and the made deck counts to its family. `figures` names, for a rank, the
    rank whose figure its courts show, where that is another's: {"J": "Q"}. `wide` decks may have what few packs
    have (`widen_deck_design`); where courts are borrowed they keep their two colours.
    """
    rng = np.random.default_rng(seed)
    # Borrowed courts bring their own red and black signs.
    design = any_deck_design(rng, fonts, two_colours=courts_from is not None)
    if wide:
        inks = design.inks
        design = widen_deck_design(design, np.random.default_rng([seed, 1]), fonts)
        design = design if courts_from is None else replace(design, inks=inks)
    courts = any_court_printer(design, courts_from, rng, figures)
    large_ace, ornaments = 1 + rng.exponential(0.35), bool(rng.random() < 0.55)
    mask = rounded(design.width, HEIGHT, design.radius)
    faces: dict[str, Image] = {}
    for code in CODES:
        face = _face(code, design, courts, large_ace if code[0] == "A" else 1.0)
        if code == "AS" and ornaments:
            face = _blank(design)
            ornamented_ace(face, design.pip, design.inks["S"], design.paper, rng)
            _print_index(face, "A", "S", design)
        faces[code] = np.dstack([face, mask])
    for code in PAINTED_JOKERS:
        face = _blank(design)
        print_joker(face, design, code == "JR", rng)
        faces[code] = np.dstack([face, mask])
    backs = [any_back(design.width, design.paper, rng) for _ in range(int(rng.integers(1, 4)))]
    name = f"made-{seed}" + (f"-{courts_from.name}" if courts_from else "")
    family = courts_from.family if courts_from else "made"
    return Deck(name, family, faces, tuple(np.dstack([back, mask]) for back in backs))


def _blank(design: DeckDesign) -> Paper:
    paper = np.empty((HEIGHT, design.width, 3), np.uint8)
    paper[:] = design.paper
    if design.rim is not None:
        inset = round(design.width * 0.012)
        cv2.rectangle(paper, (inset, inset), (design.width - 1 - inset, HEIGHT - 1 - inset), design.rim, 2, cv2.LINE_AA)
    return paper


def _face(code: str, design: DeckDesign, courts: CourtPrinter, enlarged: float) -> Paper:
    rank, suit = code[:-1], code[-1]
    paper = _blank(design)
    if rank in "JQK":
        courts.print(paper, rank, suit)
    else:
        _print_pips(paper, rank, suit, design, enlarged)
    _print_index(paper, rank, suit, design)
    return paper


def _print_pips(paper: Paper, rank: str, suit: str, design: DeckDesign, enlarged: float) -> None:
    mask = pip_mask(suit, round(design.pip_height * enlarged), design.pip)
    rows = HEIGHT - 2 * design.first_row
    for column, row in design.layouts[rank]:
        x, y = design.width / 2 + column * design.column, design.first_row + row * rows
        stamp(paper, turned(mask) if row > 0.5 else mask, design.inks[suit], x, y)


def _print_index(paper: Paper, rank: str, suit: str, design: DeckDesign) -> None:
    """Print rank and suit in two corners, or in all four."""
    index, colour = design.index, design.inks[suit]
    text = _narrowed(design.lettering(design.letters.get(rank, rank), index.height), index.width)
    sign = pip_mask(suit, index.suit, design.pip)
    text_y, sign_y = index.y + index.height / 2, index.suit_y
    for x, shift in ((index.x, index.suit_shift), (design.width - index.x, -index.suit_shift))[: index.corners // 2]:
        if rank in "JQK":
            _clear(paper, x, design)
        stamp_twice(paper, text, colour, x, text_y)
        stamp_twice(paper, sign, colour, x + shift, sign_y)


def _narrowed(text: Mask, width: int) -> Mask:
    if text.shape[1] <= width:
        return text
    return np.asarray(cv2.resize(text, (width, text.shape[0]), interpolation=cv2.INTER_AREA), np.uint8)


def _clear(paper: Paper, x: float, design: DeckDesign) -> None:
    """Leave a blank patch under the index where a court picture reaches so far."""
    patch = np.full((round(design.index.end + design.width * 0.015) * 2, design.index.x * 2), 255, np.uint8)
    stamp_twice(paper, patch, design.paper, x, 0)


_WORDS = ("WAR REFEREE", "MADE BY CODE", "POKER 808", "PLAYING CARDS", "TABLE No 17", "FINE CARDS")


def ornamented_ace(paper: Paper, style: PipStyle, ink: Colour, ground: Colour, rng: np.random.Generator) -> None:
    """Print a large ornamented spade in the middle of `paper`."""
    height, width = paper.shape[:2]
    size = round(height * rng.uniform(0.3, 0.52))
    x, y = width / 2, height / 2
    stamp(paper, pip_mask("S", size, style), ink, x, y)
    for step in range(1, int(rng.integers(1, 5))):
        # The sign's stem makes its middle lie lower than the leaf's.
        inner = pip_mask("S", round(size * (1 - 0.16 * step)), style)
        stamp(paper, inner, ground if step % 2 else ink, x, y - size * 0.02)
    _ornament(paper, size, ink, ground, rng)
    if rng.random() < 0.6:
        _small_print(paper, size, ink, rng)


def _ornament(paper: Paper, size: int, ink: Colour, ground: Colour, rng: np.random.Generator) -> None:
    height, width = paper.shape[:2]
    petals, reach = int(rng.integers(4, 13)), rng.uniform(0.06, 0.13)
    flower = [arc(0.5, 0.5, 0.12, 0.12, 0, 352)]
    for angle in np.linspace(0, 2 * np.pi, petals, endpoint=False):
        flower.append(arc(0.5 + 0.33 * np.cos(angle), 0.5 + 0.33 * np.sin(angle), 0.13, 0.13, 0, 352))
    rose = shape_mask(flower, round(size * 2 * reach), round(size * 2 * reach))
    middle = paper[round(height / 2 + size * 0.05), width // 2]
    on_ink = abs(int(middle.sum()) - sum(ink)) < abs(int(middle.sum()) - sum(ground))
    stamp(paper, rose, ground if on_ink else ink, width / 2, height / 2 + size * 0.06)
    if rng.random() < 0.5:
        dot = shape_mask([arc(0.5, 0.5, 0.5, 0.5, 0, 352)], 5, 5)
        for side in (-1, 1):
            for step in np.linspace(0.08, 0.4, 9):
                stamp(
                    paper,
                    dot,
                    ink,
                    width / 2 + side * size * (0.25 + step * 0.7),
                    height / 2 + size * (0.5 - step * 0.2),
                )


def _small_print(paper: Paper, size: int, ink: Colour, rng: np.random.Generator) -> None:
    height, width = paper.shape[:2]
    for y, scale in ((height / 2 + size * 0.62, 0.55), (height / 2 - size * 0.58, 0.4)):
        text = str(rng.choice(_WORDS))
        font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_COMPLEX]))
        (wide, _), _ = cv2.getTextSize(text, font, scale, 1)
        cv2.putText(paper, text, (round((width - wide) / 2), round(y)), font, scale, ink, 1, cv2.LINE_AA)
