"""Court cards whole: the picture in its frame, drawn or borrowed, with the suit's signs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from vision.lab.render.decks.borrowed_courts import Borrowed, any_borrowing
from vision.lab.render.decks.court_figures import court
from vision.lab.render.decks.deck import HEIGHT, Deck
from vision.lab.render.decks.figure import CourtStyle, any_court_style
from vision.lab.render.decks.ink import Colour, Paper, stamp, stamp_twice
from vision.lab.render.decks.pips import pip_mask
from vision.lab.render.decks.style import DeckDesign


@dataclass(frozen=True, slots=True, eq=False)
class CourtPrinter:
    """Prints the courts of one deck. `left` and `top` are the frame's place in pixels, `line` its width (0: none).

    `figures` names the rank whose figure a court shows, where that is another's.
    """

    design: DeckDesign
    style: CourtStyle
    borrowed: Borrowed | None
    left: int
    top: int
    line: int
    colour: Colour
    letter_only: bool
    sign: int
    sign_right: bool
    figures: Mapping[str, str]

    def print(self, paper: Paper, rank: str, suit: str) -> None:
        """Print the court of `rank` and `suit` on blank `paper`, without its index."""
        size = (self.design.width - 2 * self.left, HEIGHT - 2 * self.top)
        if self.letter_only:
            self._letter(paper, rank, suit)
            return
        picture = self._picture(rank, suit, size)
        paper[self.top : self.top + size[1], self.left : self.left + size[0]] = picture
        if self.line:
            corner = (self.design.width - 1 - self.left, HEIGHT - 1 - self.top)
            cv2.rectangle(paper, (self.left, self.top), corner, self.colour, self.line)
        if self.borrowed is None:
            self._signs(paper, suit)

    def _picture(self, rank: str, suit: str, size: tuple[int, int]) -> Paper:
        rank = self.figures.get(rank, rank)
        if self.borrowed is None:
            drawn = court(rank, suit, size[0], size[1], self.style)
            return np.asarray(drawn[:, ::-1]) if self.sign_right else drawn
        picture = self.borrowed.picture(rank + suit, self.design.paper)
        return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)

    def _signs(self, paper: Paper, suit: str) -> None:
        mask = pip_mask(suit, self.sign, self.design.pip)
        x = self.left + self.line + mask.shape[1] * 0.5 + self.design.width * 0.015
        y = self.top + self.line + self.sign * 0.5 + self.design.width * 0.015
        if self.design.index.end > y - self.sign / 2:
            x = max(x, self.design.index.x * 2 + mask.shape[1] * 0.5)
        x = self.design.width - x if self.sign_right else x
        around = cv2.dilate(np.pad(mask, 3), np.ones((5, 5), np.uint8))
        stamp_twice(paper, np.asarray(around, np.uint8), self.design.paper, x, y)
        stamp_twice(paper, mask, self.design.inks[suit], x, y)

    def _letter(self, paper: Paper, rank: str, suit: str) -> None:
        letter = self.design.lettering(self.design.letters.get(rank, rank), round(HEIGHT * 0.36))
        stamp(paper, letter, self.design.inks[suit], self.design.width / 2, HEIGHT / 2)
        mask = pip_mask(suit, self.design.pip_height, self.design.pip)
        x = self.design.width / 2 - self.design.column
        stamp_twice(paper, mask, self.design.inks[suit], x, self.design.first_row)


def any_court_printer(
    design: DeckDesign, courts_from: Deck | None, rng: np.random.Generator, figures: Mapping[str, str]
) -> CourtPrinter:
    """Draw by lot how the courts of a deck are printed; borrowed ones where `courts_from` is given."""
    style = any_court_style(rng, design.paper, design.inks["S"], design.inks["H"])
    beside_index = (design.index.x + design.index.width / 2) / design.width + 0.02
    left = round(design.width * (float(np.clip(beside_index, 0.13, 0.22)) + rng.uniform(0, 0.015)))
    return CourtPrinter(
        design=design,
        style=style,
        borrowed=any_borrowing(courts_from, rng) if courts_from else None,
        left=left,
        top=round(HEIGHT * rng.uniform(0.055, 0.1)),
        line=int(rng.choice([0, 1, 2, 3], p=[0.12, 0.3, 0.4, 0.18])),
        colour=style.line if rng.random() < 0.7 else design.inks["S"],
        # A letter alone must be one whose meaning is known: V is jack in France and queen in Holland.
        letter_only=bool(rng.random() < 0.07) and courts_from is None and not design.letters,
        sign=round(HEIGHT * rng.uniform(0.1, 0.15) * (0.75 if design.index.height > 0.14 * HEIGHT else 1)),
        sign_right=bool(rng.random() < 0.12),
        # Where the letters are foreign, the figures are all there is to go by.
        figures={} if design.letters else figures,
    )
