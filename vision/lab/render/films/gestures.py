"""Movements of cards between two looks of a film: swept up, stolen, shuffled in, laid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vision.lab.render.films.placement import Seat
from vision.lab.render.films.staging import CardStack
from vision.lab.render.scenes.layout import Spot
from vision.lab.render.scenes.table import LaidCard, SceneTable
from vision.types import BACK

#: From lowest to highest: the cards are swept towards the player who laid the highest last.
_ORDER = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "joker")


@dataclass(frozen=True, slots=True)
class Gesture:
    """Cards that move at the same time, and where each comes from or goes to; `rest` lies still meanwhile."""

    rest: CardStack
    moving: CardStack
    away: tuple[Spot, ...]
    coming: bool


def gestures(before: CardStack, after: CardStack, seats: Mapping[str, Seat], table: SceneTable) -> list[Gesture]:
    """The movements from one look to the next.

    What was won is swept up, a pile to be shuffled is taken away, a stolen one moves; then each player lays.
    """
    rest = tuple(card for card in before if card in after)
    gone = [card for card in before if card not in after]
    new = [card for card in after if card not in before]
    stolen = [(old, now) for now in new for old in gone if now.piled and old.piled and now.code == old.code]
    gone = [card for card in gone if card not in [old for old, _ in stolen]]
    made = []
    for piled in (False, True):
        swept = tuple(card for card in gone if card.piled is piled)
        if swept:
            waiting = tuple(card for card in gone if card.piled and not piled) + tuple(old for old, _ in stolen)
            still = tuple(card for card in before if card in rest or card in waiting)
            swept, ends, reached = _swept(swept, new, seats, table)
            made.append(Gesture(still, swept, ends, coming=False))
            rest = _ordered(after, (*rest, *reached))
    if stolen:
        moving = tuple(now for _, now in stolen)
        made.append(Gesture(rest, moving, tuple(old.spot for old, _ in stolen), coming=True))
        rest = _ordered(after, (*rest, *moving))
    for wave in _waves([card for card in new if card not in rest]):
        starts = tuple(_outside(seats[card.player], table, card.spot) for card in wave)
        made.append(Gesture(rest, wave, starts, coming=True))
        rest = _ordered(after, (*rest, *wave))
    return made


def _ordered(stage: CardStack, cards: Sequence[LaidCard]) -> CardStack:
    return tuple(card for card in stage if card in cards)


def _swept(
    gone: CardStack, new: Sequence[LaidCard], seats: Mapping[str, Seat], table: SceneTable
) -> tuple[CardStack, tuple[Spot, ...], CardStack]:
    """Cards that are picked up, where they go, and what then lies on a pile: the winner's, if there is one."""
    if gone[0].piled:
        return gone, tuple(_outside(seats[card.player], table, card.spot) for card in gone), ()
    shown = {card.code for card in gone if card.code != BACK}
    tops = tuple(card for card in new if card.piled and card.code in shown)
    if tops:
        # The card that will lie on top is carried on top.
        carried = tuple(sorted(gone, key=lambda card: card.code == tops[-1].code))
        return carried, tuple(tops[-1].spot for _ in gone), tops
    taker = _taker(gone)
    return gone, tuple(_outside(seats[taker or card.player], table, card.spot) for card in gone), ()


def _waves(new: Sequence[LaidCard]) -> list[CardStack]:
    """What is laid at the same time: all the face-down cards up to a player's next face, then the face."""
    number: dict[str, int] = {}
    last: dict[str, str] = {}
    waves: dict[int, list[LaidCard]] = {}
    for card in new:
        together = card.code == last.get(card.player) == BACK
        number[card.player] = number.get(card.player, -1) + (not together)
        last[card.player] = card.code
        waves.setdefault(number[card.player], []).append(card)
    return [tuple(waves[wave]) for wave in sorted(waves)]


def _taker(gone: CardStack) -> str | None:
    """The player whose last face is the highest; None where nobody's is, and each takes his own."""
    last = {card.player: _height(card.code) for card in gone if card.code != BACK}
    best = max(last.values(), default=0)
    holders = [player for player, height in last.items() if height == best]
    return holders[0] if len(holders) == 1 else None


def _height(code: str) -> int:
    return _ORDER.index("joker" if code in ("JR", "JB") else code[:-1])


def _outside(seat: Seat, table: SceneTable, spot: Spot) -> Spot:
    """Where a card is just out of the picture on the player's side, seen from its place on the table."""
    size = np.array([table.camera.width, table.camera.height])
    middle = seat.home + seat.reach * 0.3
    edge = np.where(seat.side == 0, middle, size * (seat.side + 1) / 2)
    x, y = table.at(edge + seat.side * table.camera.card * 0.75)
    return Spot(float(x), float(y), spot.turn + 0.25)
