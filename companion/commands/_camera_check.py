"""What a source shows of light and cards, for `warref doctor`: a few pictures, looked at as the watching does."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from companion.commands.demo import sample_film
from companion.seats.layout import parse_seats
from companion.table.snapshot import CardView, Spoilt
from companion.watching.feeds import open_feed
from companion.watching.look_builder import LookBuilder
from vision.background import BackgroundCall
from vision.images import load_picture
from vision.types import Detector, Frame, Look

#: Seconds for everything that is asked of a source, and pictures that are looked at, a second or more apart.
_LIMIT_S, _PICTURES, APART_S = 30.0, 6, 1.0
#: Mean brightness, 0..255, below and above which little can be read.
DARK, PALE = 45.0, 235.0
#: A picture that comes with the program, and what lies in it.
SAMPLE, SAMPLE_CARDS = "game/01.jpg", ("10H", "3C")
EVERYBODY = ("Ana", "Ben")


@dataclass(frozen=True, slots=True)
class SourceSample:
    """The picture that showed the most cards: its mean brightness, 0..255, and its faces."""

    brightness: float
    cards: tuple[CardView, ...]


def looked_at(source: str, eyes: Detector | None, limit_s: float = _LIMIT_S) -> SourceSample | None:
    """What the source shows, or None where it gives no picture within the limit. Raises VisionError.

    A driver may block for ever; the thread that waits for it is left behind.
    """
    call = BackgroundCall(lambda: _look(source, eyes, time.monotonic() + limit_s / 2), "camera check")
    try:
        return call.result(limit_s)
    except TimeoutError:
        return None


def _look(source: str, eyes: Detector | None, until: float) -> SourceSample | None:
    best: SourceSample | None = None
    due, looked = 0.0, 0
    with closing(open_feed(source)) as feed:
        while looked < _PICTURES and not feed.ended and time.monotonic() < until:
            frame = feed.next()
            if frame is None or (frame.at < due and not feed.still):
                continue
            due, looked = frame.at + APART_S, looked + 1
            best = max(filter(None, (best, _seen(frame, eyes))), key=_worth)
            if any(card.certainty == "sure" for card in best.cards) and not feed.live:
                break
    return best


def _worth(seen: SourceSample) -> tuple[int, int]:
    return sum(not card.spoilt for card in seen.cards), len(seen.cards)


def _seen(frame: Frame, eyes: Detector | None) -> SourceSample:
    found = () if eyes is None else tuple(eyes.detect(frame))
    views = LookBuilder(EVERYBODY, parse_seats("left-right", EVERYBODY)).views(Look(frame.at, found, frame.size))
    return SourceSample(float(np.mean(frame.image)), views)


def light_of(seen: SourceSample) -> str:
    """`well`, `dark`, `pale` or `glare`, as the words of the doctor have it."""
    if seen.brightness < DARK:
        return "dark"
    if seen.brightness > PALE:
        return "pale"
    return "glare" if any(card.spoilt is Spoilt.GLARE for card in seen.cards) else "well"


def sizes_of(seen: SourceSample) -> tuple[str, int, int]:
    """`well`, `small`, `unread` or `none`; the height in pixels that says so, and how many cards were read."""
    if not seen.cards:
        return "none", 0, 0
    unread = [card for card in seen.cards if card.certainty == "unreadable" and card.spoilt != Spoilt.GLARE]
    worst = min(unread or seen.cards, key=lambda card: card.height)
    state = "small" if any(card.spoilt is Spoilt.SMALL for card in unread) else "unread" if unread else "well"
    return state, worst.height, len(seen.cards) - len(unread)


def sample_read(eyes: Detector) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cards read in the program's sample picture, and those that lie in it. Raises Fault where it is missing."""
    picture = sample_film().parent / SAMPLE
    frame = Frame(load_picture(picture), at=0.0, name=picture.name)
    return tuple(sorted(card.code for card in eyes.detect(frame) if card.read and card.code)), SAMPLE_CARDS
