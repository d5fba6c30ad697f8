"""One card out of its sightings over the frames of a settling look. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp, log

from vision.types import MOST_READINGS, FoundCard, Reading

#: What a code that a frame does not name is taken to be read at: no frame alone can rule a card out.
_LEAST = 0.01
#: How steeply a frame counts less for glare on the card, and for an unsure reading.
UNSPOILT, CERTAIN = 3, 8


def fuse_sightings(cards: Sequence[FoundCard]) -> FoundCard:
    """One card out of its sightings: the side most of them say, and what their readings say together.

    The mean of the logarithms of their probabilities, weighed by how clearly each frame shows the card and how
    surely it was read there; never their product: frames of one camera repeat the same mistake, they are no new
    witnesses.

    >>> from vision.types import Side
    >>> quad = ((0, 0), (2, 0), (2, 3), (0, 3))
    >>> a = FoundCard(quad, Side.FACE, 0.9, (Reading("6H", 0.6), Reading("9H", 0.3)))
    >>> b = FoundCard(quad, Side.FACE, 0.9, (Reading("9H", 0.8), Reading("6H", 0.1)), read=True)
    >>> [(reading.code, round(reading.p, 2)) for reading in fuse_sightings([a, b, b]).readings]
    [('9H', 0.79), ('6H', 0.11)]
    """
    side = Counter(card.side for card in cards).most_common(1)[0][0]
    alike = [card for card in cards if card.side is side]
    found = sum(card.found for card in alike) / len(alike)
    glare = sum(card.glare for card in alike) / len(alike)
    weights = _clarity(alike)
    readings = _fused(alike, weights)
    shares = zip(alike, weights, strict=True)
    agreeing = sum(share for card, share in shares if readings and card.read and card.code == readings[0].code)
    return FoundCard(alike[-1].quad, side, found, readings, read=agreeing >= 0.5, glare=glare)


def _clarity(cards: Sequence[FoundCard]) -> list[float]:
    """How much each frame's reading counts, adding up to 1: by what is seen of the card, unspoilt by light.

    An unsure reading is a frame's own word that it shows little.
    """
    largest = max(card.area for card in cards) or 1.0
    clear = [max(1e-6, (1 - card.glare) ** UNSPOILT * card.p**CERTAIN * card.area / largest) for card in cards]
    return [share / sum(clear) for share in clear]


def _fused(cards: Sequence[FoundCard], weights: Sequence[float]) -> tuple[Reading, ...]:
    """The codes with their probabilities, which together have the mass that the frames gave to codes."""
    mass = sum(w * sum(reading.p for reading in card.readings) for card, w in zip(cards, weights, strict=True))
    tables: list[Mapping[str, float]] = [{reading.code: reading.p for reading in card.readings} for card in cards]
    codes = dict.fromkeys(code for table in tables for code in table)
    scores = {
        code: exp(sum(w * log(max(_LEAST, table.get(code, 0.0))) for table, w in zip(tables, weights, strict=True)))
        for code in codes
    }
    total = sum(scores.values()) or 1.0
    best = sorted(scores, key=lambda code: -scores[code])[:MOST_READINGS]
    return tuple(Reading(code, mass * scores[code] / total) for code in best)
