"""The nouns of the eyes: frames, outlines, found cards, looks. No cv2, no threads, no clock.

Coordinates are pixels of the frame, x to the right and y down. Probabilities are 0..1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

#: Four corners in pixels, in order round the card, starting anywhere.
Quad = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("C", "D", "H", "S")
JOKER_CLASS, BACK, NOT_A_CARD = "JOKER", "back", "not-a-card"

#: The reader's classes, in the order of its output: 52 card codes, then joker, back and not-a-card.
CLASSES = (*(rank + suit for suit in SUITS for rank in RANKS), JOKER_CLASS, BACK, NOT_A_CARD)
#: What can run the networks, as `--engine` names it, and the processor threads each network is given: enough for a
#: laptop, and the capture thread and the page still get their share.
ENGINES, THREADS = ("auto", "ultralytics"), 2
#: Seconds between the frames of a camera that are looked at: a card is laid no faster, and the processor stays cool.
EVERY_S = 0.1
#: Seconds by which a camera's frames come early or late; none is passed over for that.
SLACK_S = 0.01
#: Readings handed on with a card: at most so many.
MOST_READINGS = 5


class VisionError(Exception):
    """Something a person can put right; the message is one plain sentence that says how."""


def describe_os_error(error: OSError) -> str:
    """The system's reason in lower case, to stand inside a sentence."""
    return (error.strerror or str(error)).lower()


class Side(StrEnum):
    """Which side of a card lies up."""

    FACE = "face"
    BACK = "back"


#: A BGR picture, height x width x 3, or one channel of one, 0..255.
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Reading:
    """One card code and how likely the reader holds it, 0..1."""

    code: str
    p: float


@dataclass(frozen=True, slots=True)
class FoundCard:
    """One card in a frame.

    `quad` outlines the card as far as it is seen, in pixels; `found` is the finder's confidence, 0..1; `readings` are
    the reader's card codes, most likely first (empty for a back). Whether the first reading is good
    enough to stand by without knowing a game is `read`: the threshold is the model manifest's. `moved`
    says whether anything may have moved in the card's place since the look before; only a settled look of
    a camera or film can say no. `glare` is the share of the outline, 0..1, that light has burnt out.
    """

    quad: Quad
    side: Side
    found: float
    readings: tuple[Reading, ...] = ()
    read: bool = False
    moved: bool = True
    glare: float = 0.0

    @property
    def area(self) -> float:
        """What the outline holds, in square pixels."""
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = self.quad
        return abs((cx - ax) * (dy - by) - (dx - bx) * (cy - ay)) / 2

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the outline, in pixels."""
        return sum(x for x, _ in self.quad) / 4, sum(y for _, y in self.quad) / 4

    @property
    def code(self) -> str | None:
        """The most likely card code, or None for a back."""
        return self.readings[0].code if self.readings else None

    @property
    def p(self) -> float:
        """Probability of `code`; for a back the finder's confidence."""
        return self.readings[0].p if self.readings else self.found


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture: `image` is BGR, uint8, HxWx3; `at` is seconds since the source was opened."""

    image: Image
    at: float
    name: str = ""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.image.shape[1], self.image.shape[0]


@dataclass(frozen=True, slots=True)
class Look:
    """The whole settled table at one time, never a delta. `frame` is the picture it was read from.

    `moved` says whether things were seen to move since the look before (a camera knows; between the
    pictures of a folder everything may have moved, so there it is always true).
    """

    at: float
    cards: tuple[FoundCard, ...]
    size: tuple[int, int]
    moved: bool = True
    frame: Frame | None = field(default=None, compare=False, repr=False)


class Source(Protocol):
    """Where frames come from. Iterating ends with the file; a live source ends only when closed."""

    #: True for cameras and streams: frames come in real time and late ones are dropped.
    live: bool
    #: True where each frame is one settled look (a folder of pictures).
    still: bool

    def __iter__(self) -> Iterator[Frame]:
        """Yield frames in order. Raises VisionError where the source fails for good."""
        ...

    def close(self) -> None:
        """Let go of the device or file; iterating stops."""
        ...


class Detector(Protocol):
    """Finds and reads the cards of one frame."""

    #: Short hash of the weights that answer, logged beside every ruling.
    model_hash: str

    def detect(self, frame: Frame) -> tuple[FoundCard, ...]:
        """Return every card found in `frame`, in no particular order."""
        ...


@runtime_checkable
class CarefulDetector(Protocol):
    """A detector that can take more time for a single picture."""

    def detect_carefully(self, frame: Frame) -> tuple[FoundCard, ...]:
        """Return every card found in `frame`, in no particular order."""
        ...


def detect_carefully(detector: Detector, frame: Frame) -> tuple[FoundCard, ...]:
    """What a detector finds in a single picture, for which there is time."""
    return detector.detect_carefully(frame) if isinstance(detector, CarefulDetector) else detector.detect(frame)
