"""Whether a camera's driver gives the picture as in a mirror, and the picture turned round where it does.

Told from the cards themselves: each is read as it lies and once more from the turned picture. A card is read more
surely the right way round, mirrored figures being rare; one card proves nothing, several do. What is decided stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from math import log

from vision.settle import same_place
from vision.types import FoundCard, Frame, Look, Side

#: A card tells something when it is read this surely at least one way round.
TELLING = 0.9
#: So many different cards decide it, and so much evidence (natural logarithm of odds) in all and for each of them.
#: On photographs of three sources four cards with ten in all were wrong once in 14,500 decisions, these never in
#: 8,500; rather nothing is said than the wrong thing.
CARDS, EVIDENCE, EACH = 8, 16.0, 1.0
#: The most that one card can say; probabilities beyond this one say no more.
MOST, SUREST = 4.0, 0.999
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
        return self.facing is Facing.AUTO and not self.mirrored and len(self._said) < ENOUGH and not self._settled

    @property
    def evidence(self) -> float:
        """How much speaks for the picture as it is, in natural logarithm of odds; below 0 it is its mirror image."""
        return sum(self._said.values())

    @property
    def _settled(self) -> bool:
        cards = len(self._said)
        return cards >= CARDS and abs(self.evidence) >= max(EVIDENCE, EACH * cards)

    def turned(self, frame: Frame) -> Frame:
        """The frame the right way round."""
        return flipped(frame) if self.mirrored else frame

    def weigh(self, cards: Iterable[FoundCard], again: Iterable[FoundCard], width: int) -> bool:
        """Compare a frame's cards with those of the frame turned round; True when it is now known to be mirrored.

        Pictures are `width` pixels wide. Each card counts once, however often it is shown.
        """
        other = [_turned(card, width) for card in again if card.side is Side.FACE and card.readings]
        for card in cards:
            twin = next((one for one in other if same_place(card, one)), None)
            if card.side is Side.FACE and card.readings and twin is not None and max(card.p, twin.p) >= TELLING:
                surer = card if card.p >= twin.p else twin
                self._said.setdefault(str(surer.code), _evidence(card.p, twin.p))
        self.mirrored = self._settled and self.evidence < 0
        return self.mirrored


def flipped(frame: Frame) -> Frame:
    """The frame as a mirror shows it."""
    return replace(frame, image=frame.image[:, ::-1].copy())


def turned_look(look: Look) -> Look:
    """The look as if its picture had been turned round before."""
    cards = tuple(_turned(card, look.size[0]) for card in look.cards)
    return replace(look, cards=cards, frame=look.frame and flipped(look.frame))


def _turned(card: FoundCard, width: int) -> FoundCard:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = card.quad
    return replace(card, quad=((width - ax, ay), (width - bx, by), (width - cx, cy), (width - dx, dy)))


def _evidence(p: float, turned: float) -> float:
    """For the picture as it is, where positive.

    >>> round(_evidence(0.997, 0.687), 1), round(_evidence(0.997, 0.999), 1)
    (4.0, -1.1)
    """
    return max(-MOST, min(MOST, _odds(p) - _odds(turned)))


def _odds(p: float) -> float:
    within = min(SUREST, max(1 - SUREST, p))
    return log(within / (1 - within))
