"""How well the picture serves: light, size, glare, sharpness, rate and mirroring, each judged in a word. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.table.snapshot import CardView, Spoilt
from vision.tracking.obstacles import SMALL_PX

#: Mean brightness, 0..255, below which little can be read.
DARK = 45.0
#: Mean brightness, 0..255, above which little can be read.
PALE = 235.0
#: Steepest change of light from one pixel to the next, as a share of the contrast, below which a card is blurred:
#: the sample pictures have 0.39 to 0.46, and 0.11 to 0.15 when blurred by a Gaussian of three pixels.
_BLURRED = 0.15
#: Frames a second below which a quick hand is missed.
_SLOW = 5.0

#: Name of a meter, its state (`well`, or what is wrong), and the number that says so.
Measure = tuple[str, str, int]


def judge_picture(
    brightness: float, sharpness: float, rate: float, live: bool, mirrored: bool, cards: Iterable[CardView]
) -> tuple[Measure, ...]:
    """All meters of one picture, in the order in which they are put right.

    >>> judge_picture(120, 0.4, 30, True, False, ())[:2]
    (('light', 'well', 120), ('sharpness', 'well', 40))
    """
    seen = tuple(cards)
    edges = "none" if not sharpness else "blurred" if sharpness < _BLURRED else "well"
    return (
        ("light", "dark" if brightness < DARK else "pale" if brightness > PALE else "well", round(brightness)),
        ("sharpness", edges, round(100 * sharpness)),
        ("glare", "glare" if any(card.spoilt == Spoilt.GLARE for card in seen) else "well", 0),
        _size(seen),
        ("rate", "slow" if live and rate < _SLOW else "well", round(rate)),
        ("mirrored", "turned" if mirrored else "well", 0),
    )


def _size(cards: tuple[CardView, ...]) -> Measure:
    heights = [card.height for card in cards if card.height]
    if not heights:
        return "size", "none", 0
    return "size", "small" if min(heights) < SMALL_PX else "well", min(heights)


def note_tried(tried: Mapping[str, str], cards: Iterable[CardView]) -> dict[str, str]:
    """The places tried so far with those of these cards that were read for sure.

    >>> note_tried({"Ana": "KS"}, [CardView("Ben", "9H", 0.99, "sure"), CardView("Cai", "4?", 0.5, "check")])
    {'Ana': 'KS', 'Ben': '9H'}
    """
    return {**tried, **{card.player: card.code for card in cards if card.certainty == "sure"}}
