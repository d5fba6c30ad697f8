"""Whether a camera's driver gives the picture as in a mirror, and the picture turned round where it does.

Told from the cards themselves: their indices stand in the upper left and the lower right corner, in a mirror in the
other two. One card proves little, one under others nothing, several cards do; those with four indices are silent.
What is decided stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images import straighten
from vision.types import JOKER_CLASS, FoundCard, Frame, Image, Look, Quad, Side

#: A card is looked at when it is read this surely.
TELLING = 0.9
#: Side in pixels of the straightened card whose corners are compared, and where in it the index of the upper left
#: corner is looked for: from where to where, as shares of the sides.
_CARD, _DOWN, _ACROSS = 160, slice(6, 40), slice(6, 29)
#: So far (in lightness and colour together) from the paper is ink.
INK = 60.0
#: So many different cards decide it. `python tests/benchmarks/mirrors.py MANIFEST` tells how often that is right, and
#: how often nothing is said.
LEAST_CARDS = 8
#: The least mean lean of those cards, -1..1.
LEAN = 0.2
#: The least lean in standard errors of that mean.
ERRORS = 3.0
#: After so many different cards without an answer the picture is taken as it comes.
ENOUGH = 24


class Facing(StrEnum):
    """What a person said about the picture: find it out, it is mirrored, or it is not."""

    AUTO = "auto"
    YES = "yes"
    NO = "no"


class Mirror:
    """Knows which way round the pictures of one source are. `mirrored` is what is believed so far."""

    def __init__(self, facing: Facing = Facing.NO) -> None:
        """Begin with what was said."""
        self.facing = facing
        self.mirrored = facing is Facing.YES
        self._said: dict[str, float] = {}

    def say(self, facing: Facing) -> None:
        """A person says which way round it is; told to find out, what is found already stays."""
        self.facing = facing
        self.mirrored = self.mirrored if facing is Facing.AUTO else facing is Facing.YES

    def remember(self, mirrored: bool) -> None:
        """It was found out before, or said."""
        if self.facing is Facing.AUTO and mirrored:
            self.mirrored = True

    @property
    def open(self) -> bool:
        """Whether it is still to be found out."""
        return self.facing is Facing.AUTO and not self.mirrored and len(self._said) < ENOUGH and not self.settled

    @property
    def lean(self) -> float:
        """Which way the cards lean on the whole, -1..1: above 0 as they should, below 0 as in a mirror."""
        return float(np.mean(list(self._said.values()))) if self._said else 0.0

    @property
    def settled(self) -> bool:
        """Whether the cards have decided it, the one way or the other."""
        if len(self._said) < LEAST_CARDS:
            return False
        error = float(np.std(list(self._said.values()), ddof=1)) / float(np.sqrt(len(self._said)))
        return abs(self.lean) >= max(LEAN, ERRORS * error)

    def turned(self, frame: Frame) -> Frame:
        """The frame the right way round."""
        return flip_frame(frame) if self.mirrored else frame

    def note(self, code: str, leaning: float) -> None:
        """A card that leans so; the first time counts."""
        self._said.setdefault(code, leaning)
        self.mirrored = self.settled and self.lean < 0

    def weigh(self, image: Image, cards: Iterable[FoundCard]) -> bool:
        """Look at the cards of a BGR picture; True when it is now known to be mirrored.

        Each card counts once, however often it is shown.
        """
        for card in cards:
            if card.side is Side.FACE and card.code and card.code != JOKER_CLASS and card.p >= TELLING and self.open:
                self.note(card.code, measure_lean(image, card.quad))
        return self.mirrored


def measure_lean(image: Image, quad: Quad) -> float:
    """Where a card of a BGR picture has its indices, -1..1: above 0 where they belong, below 0 as in a mirror."""
    colours = cv2.cvtColor(straighten(image, quad, _CARD), cv2.COLOR_BGR2LAB).astype(np.float32)
    inner = colours[_CARD // 20 : -_CARD // 20, _CARD // 20 : -_CARD // 20].reshape(-1, 3)
    paper = np.median(inner[inner[:, 0] >= np.percentile(inner[:, 0], 60)], axis=0)
    ink = np.clip(np.abs(colours - paper).sum(axis=-1) / INK, 0, 1)
    here, there = _inked(ink) + _inked(ink[::-1, ::-1]), _inked(ink[:, ::-1]) + _inked(ink[::-1])
    return (here - there) / (here + there + 0.05)


def _inked(card: NDArray[np.float32]) -> float:
    """How much ink there is in the upper left corner, 0..1."""
    return float(card[_DOWN, _ACROSS].mean())


def flip_frame(frame: Frame) -> Frame:
    """The frame as a mirror shows it."""
    return replace(frame, image=frame.image[:, ::-1].copy())


def flip_look(look: Look) -> Look:
    """The look as if its picture had been turned round before."""
    cards = tuple(_turned(card, look.size[0]) for card in look.cards)
    return replace(look, cards=cards, frame=look.frame and flip_frame(look.frame))


def _turned(card: FoundCard, width: int) -> FoundCard:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = card.quad
    return replace(card, quad=((width - ax, ay), (width - bx, by), (width - cx, cy), (width - dx, dy)))
