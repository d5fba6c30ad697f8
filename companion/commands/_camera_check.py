"""Light and card sizes in a few pictures of a source, for `warref doctor`."""

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
from companion.watching.meters import DARK, PALE
from vision.background import BackgroundCall
from vision.images import load_picture
from vision.types import Detector, Frame, Look

#: Seconds for all pictures of a source, opening included.
_LIMIT_S = 30.0
#: Pictures that are looked at.
_PICTURES = 6
#: Least seconds between two of them.
_APART_S = 1.0
#: A picture that comes with the program.
_SAMPLE = "game/01.jpg"
#: The cards that lie in it.
_SAMPLE_CARDS = ("10H", "3C")
#: Owners for the places of the picture; who sits there does not matter.
_PLAYERS = ("Ana", "Ben")


@dataclass(frozen=True, slots=True)
class SourceSample:
    """The picture that showed the most cards: its mean brightness, 0..255, and its faces."""

    brightness: float
    cards: tuple[CardView, ...]


def sample_source(source: str, detector: Detector | None, limit_s: float = _LIMIT_S) -> SourceSample | None:
    """The picture of the source with the most cards; None where it gives none within `limit_s`. Raises VisionError.

    A driver may block for ever; the thread that waits for it is left behind.
    """
    call = BackgroundCall(lambda: _look(source, detector, time.monotonic() + limit_s / 2), "camera check")
    try:
        return call.result(limit_s)
    except TimeoutError:
        return None


def _look(source: str, detector: Detector | None, until: float) -> SourceSample | None:
    best: SourceSample | None = None
    due, looked = 0.0, 0
    with closing(open_feed(source)) as feed:
        while looked < _PICTURES and not feed.ended and time.monotonic() < until:
            frame = feed.next()
            if frame is None or (frame.at < due and not feed.still):
                continue
            due, looked = frame.at + _APART_S, looked + 1
            best = max(filter(None, (best, _seen(frame, detector))), key=_worth)
            if any(card.certainty == "sure" for card in best.cards) and not feed.live:
                break
    return best


def _worth(seen: SourceSample) -> tuple[int, int]:
    return sum(not card.spoilt for card in seen.cards), len(seen.cards)


def _seen(frame: Frame, detector: Detector | None) -> SourceSample:
    found = () if detector is None else tuple(detector.detect(frame))
    views = LookBuilder(_PLAYERS, parse_seats("left-right", _PLAYERS)).views(Look(frame.at, found, frame.size))
    return SourceSample(float(np.mean(frame.image)), views)


def judge_light(seen: SourceSample) -> str:
    """`well`, `dark`, `pale` or `glare`, as the words of the doctor have it."""
    if seen.brightness < DARK:
        return "dark"
    if seen.brightness > PALE:
        return "pale"
    return "glare" if any(card.spoilt is Spoilt.GLARE for card in seen.cards) else "well"


def judge_sizes(seen: SourceSample) -> tuple[str, int, int]:
    """`well`, `small`, `unread` or `none`; the height in pixels that says so, and how many cards were read."""
    if not seen.cards:
        return "none", 0, 0
    unread = [card for card in seen.cards if card.certainty == "unreadable" and card.spoilt != Spoilt.GLARE]
    worst = min(unread or seen.cards, key=lambda card: card.height)
    state = "small" if any(card.spoilt is Spoilt.SMALL for card in unread) else "unread" if unread else "well"
    return state, worst.height, len(seen.cards) - len(unread)


def read_sample(detector: Detector) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cards read in the program's sample picture, and those that lie in it. Raises Fault where it is missing."""
    picture = sample_film().parent / _SAMPLE
    frame = Frame(load_picture(picture), at=0.0, name=picture.name)
    return tuple(sorted(card.code for card in detector.detect(frame) if card.read and card.code)), _SAMPLE_CARDS
