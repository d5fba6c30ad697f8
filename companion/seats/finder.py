"""Shows the players to their seats: keeps the first looks back until it is clear who sits where."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import hypot

from companion.seats.arrangement import Arrangement, arrange
from vision.types import FoundCard, Look, Side

#: A card counts when the finder is this sure of it.
FOUND = 0.5
#: Two players' first cards lie at least so many times a card's shorter side apart.
APART = 1.2
#: So many looks are kept with their pictures, and so many without.
_PICTURES, LOOKS = 10, 200


class Usher:
    """Finds the seats of one session. `held` are the looks so far, `arrangement` what is known of the seats."""

    def __init__(self, players: tuple[str, ...]) -> None:
        """Begin with nobody seated."""
        self.held: list[Look] = []
        self.arrangement: Arrangement | None = None
        self._players = players

    def take(self, look: Look) -> Arrangement | None:
        """Keep a look; the arrangement, as soon as it is clear who sits where."""
        shown = look if len(self.held) < _PICTURES else replace(look, frame=None)
        self.held = [*self.held, shown][-LOOKS:]
        points = first_cards(look, len(self._players))
        if points:
            found = arrange(points, self._players, look.size[0] / look.size[1])
            if self.arrangement is None or len(found.orders) == 1:
                self.arrangement = found
        return self.arrangement if self.arrangement and len(self.arrangement.orders) == 1 else None


def first_cards(look: Look, players: int) -> tuple[tuple[float, float], ...]:
    """Where one card of each of so many players lies, in fractions of the picture; empty where something else lies."""
    faces = [card for card in look.cards if card.side is Side.FACE and card.readings and card.found >= FOUND]
    if len(faces) != players or not all(_apart(a, b) for a, b in combinations(faces, 2)):
        return ()
    width, height = look.size
    return tuple((x / width, y / height) for x, y in (card.centre for card in faces))


def _apart(a: FoundCard, b: FoundCard) -> bool:
    (ax, ay), (bx, by) = a.centre, b.centre
    return hypot(ax - bx, ay - by) >= APART * max(_shorter_side(a), _shorter_side(b))


def _shorter_side(card: FoundCard) -> float:
    (ax, ay), (bx, by), (cx, cy), _ = card.quad
    return min(hypot(bx - ax, by - ay), hypot(cx - bx, cy - by))
