"""From the looks of a script to the cards on the table: where each one lies, and how it gets there.

A card once laid stays where it is until it is taken away. In a war the face-down cards and the next
face-up one spread over the tied card, leaving a strip of every face open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.render.layout import Spot
from vision.render.scene import BACK
from vision.render.script import TableLook
from vision.render.seating import Point, Seat
from vision.render.table import Laid, Table

#: What stays open of a face that is covered, of a back under a back, and of a back under a face; shares of a card.
_FACE_STRIP, _BACK_STRIP, _LAST_STRIP = 0.37, 0.17, 0.3
#: From lowest to highest: the cards are swept towards the player who laid the highest last.
_ORDER = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "joker")

#: The cards on the table, from the lowest to the topmost.
Stage = tuple[Laid, ...]


@dataclass(slots=True)
class Spread:
    """One player's cards from one clearing of the table to the next: codes in the order laid."""

    codes: list[str] = field(default_factory=list)
    spots: list[Spot] = field(default_factory=list)

    @property
    def faces(self) -> list[str]:
        """The face-up cards, in the order laid."""
        return [code for code in self.codes if code != BACK]

    @property
    def backs(self) -> int:
        """How many cards lie face down."""
        return self.codes.count(BACK)


@dataclass(frozen=True, slots=True)
class Gesture:
    """Cards that move at the same time, and where each comes from or goes to; `rest` lies still meanwhile."""

    rest: Stage
    moving: Stage
    away: tuple[Spot, ...]
    coming: bool


def staged(
    looks: Sequence[TableLook], seats: Mapping[str, Seat], table: Table, rng: np.random.Generator
) -> list[Stage]:
    """What lies on the table in each look."""
    shown = _spread(looks, tuple(seats))
    for player, seat in seats.items():
        spreads = list({id(spread): spread for look in shown for spread, _ in (look[player],)}.values())
        start = _start(spreads, seat, table)
        for spread in spreads:
            spread.spots = _spots(spread.codes, start, seat, table, rng)
    tops = {player: _aligned(seat.pile, seat, table, rng) for player, seat in seats.items() if seat.pile is not None}
    return [
        tuple(Laid(player, top, tops[player]) for player, top in look.piles.items() if player in tops)
        + tuple(
            Laid(player, code, spot)
            for player, (spread, number) in lying.items()
            for code, spot in zip(spread.codes[:number], spread.spots, strict=False)
        )
        for look, lying in zip(looks, shown, strict=True)
    ]


def _spread(looks: Sequence[TableLook], players: Sequence[str]) -> list[dict[str, tuple[Spread, int]]]:
    """For each look and player the spread that lies there, and how many of its cards are laid by then."""
    current = {player: Spread() for player in players}
    shown = []
    for look in looks:
        for player in players:
            current[player] = _continued(current[player], look.faces.get(player, ()), look.backs.get(player))
        shown.append({player: (spread, len(spread.codes)) for player, spread in current.items()})
    return shown


def _continued(spread: Spread, faces: tuple[str, ...], backs: int | None) -> Spread:
    """The spread with what is new in a look; a fresh one where the cards before have gone.

    >>> spread = _continued(Spread(), ("9H",), 0)
    >>> _continued(spread, ("9H", "KC"), 3) is spread, spread.codes
    (True, ['9H', 'back', 'back', 'back', 'KC'])
    >>> _continued(spread, ("2C", "5D"), 1).codes
    ['2C', 'back', '5D']
    """
    more = (spread.backs if backs is None else backs) - spread.backs
    known = spread.faces
    if not spread.codes or not (faces or backs):
        return _laid_first(faces, backs)
    if more >= 0 and list(faces[: len(known)]) == known:
        spread.codes += _woven(faces[len(known) :], more)
    elif more > 0 and not set(faces) & set(known):
        spread.codes += _woven(faces, more)
    else:
        return _laid_first(faces, backs)
    return spread


def _laid_first(faces: tuple[str, ...], backs: int | None) -> Spread:
    """A fresh spread: the face-down cards of a war lie over its first face."""
    return Spread([*faces[:1], *_woven(faces[1:], backs or 0)])


def _woven(faces: Sequence[str], backs: int) -> list[str]:
    """Cards in the order laid: face-down ones before each face, shared out evenly."""
    if not faces:
        return [BACK] * backs
    shares = [backs // len(faces) + (number < backs % len(faces)) for number in range(len(faces))]
    return [code for face, share in zip(faces, shares, strict=True) for code in (*[BACK] * share, face)]


def _start(spreads: Sequence[Spread], seat: Seat, table: Table) -> Point:
    """Where the first card lies, in pixels: the longest spread of the game has its middle in the seat's."""
    ends = [_steps(spread.codes, seat, table)[-1] for spread in spreads]
    longest = max(ends, key=lambda end: float(np.linalg.norm(end)), default=np.zeros(2))
    return seat.home + (seat.reach - longest) / 2


def _spots(codes: Sequence[str], start: Point, seat: Seat, table: Table, rng: np.random.Generator) -> list[Spot]:
    """Where the cards of a spread lie."""
    shift = rng.normal(0, 0.02, 2) * table.camera.card
    pixels = start + shift + _steps(codes, seat, table)
    return [_aligned(pixel, seat, table, rng) for pixel in pixels[: len(codes)]]


def _steps(codes: Sequence[str], seat: Seat, table: Table) -> Point:
    """How far each card lies from the first, Nx2 pixels, drawn together where the seat's reach is shorter."""
    length = float(np.linalg.norm(seat.reach))
    along = seat.reach / length if length else np.zeros(2)
    extent = float(np.abs(along) @ table.card)
    strips = [0.0, *(_strip(under, over) * extent for under, over in zip(codes, codes[1:], strict=False))]
    squeeze = min(1.0, length / sum(strips)) if sum(strips) else 1.0
    return np.cumsum(strips)[:, None] * squeeze * along


def _strip(under: str, over: str) -> float:
    if under != BACK:
        return _FACE_STRIP
    return _BACK_STRIP if over == BACK else _LAST_STRIP


def _aligned(pixel: Point, seat: Seat, table: Table, rng: np.random.Generator) -> Spot:
    """A card about square to the table at `pixel`; nobody lays it quite straight."""
    x, y = table.at(pixel + rng.normal(0, 0.008, 2) * table.camera.card)
    turn = np.pi if seat.side[1] < 0 else 0.0
    return Spot(float(x), float(y), float(turn - table.camera.turn + np.clip(rng.normal(0, 0.05), -0.12, 0.12)))


def gestures(before: Stage, after: Stage, seats: Mapping[str, Seat], table: Table) -> list[Gesture]:
    """The movements from one look to the next: what goes is swept up first, then each player lays."""
    gone = tuple(card for card in before if card not in after)
    rest = tuple(card for card in before if card in after)
    made = []
    if gone:
        taker = _taker(gone)
        heap = [_outside(seats[taker or card.player], table, card.spot) for card in gone]
        made.append(Gesture(rest, gone, tuple(heap), coming=False))
    for wave in _waves([card for card in after if card not in before]):
        starts = tuple(_outside(seats[card.player], table, card.spot) for card in wave)
        made.append(Gesture(rest, wave, starts, coming=True))
        rest = tuple(card for card in after if card in rest or card in wave)
    return made


def _waves(new: Sequence[Laid]) -> list[Stage]:
    """What is laid at the same time: all the face-down cards up to a player's next face, then the face."""
    number: dict[str, int] = {}
    last: dict[str, str] = {}
    waves: dict[int, list[Laid]] = {}
    for card in new:
        together = card.code == last.get(card.player) == BACK
        number[card.player] = number.get(card.player, -1) + (not together)
        last[card.player] = card.code
        waves.setdefault(number[card.player], []).append(card)
    return [tuple(waves[wave]) for wave in sorted(waves)]


def _taker(gone: Stage) -> str | None:
    """The player whose last face is the highest; None where nobody's is, and each takes his own."""
    last = {card.player: _height(card.code) for card in gone if card.code != BACK}
    best = max(last.values(), default=0)
    holders = [player for player, height in last.items() if height == best]
    return holders[0] if len(holders) == 1 else None


def _height(code: str) -> int:
    return _ORDER.index("joker" if code in ("JR", "JB") else code[:-1])


def _outside(seat: Seat, table: Table, spot: Spot) -> Spot:
    """Where a card is just out of the picture on the player's side, seen from its place on the table."""
    size = np.array([table.camera.width, table.camera.height])
    middle = seat.home + seat.reach * 0.3
    edge = np.where(seat.side == 0, middle, size * (seat.side + 1) / 2)
    x, y = table.at(edge + seat.side * table.camera.card * 0.75)
    return Spot(float(x), float(y), spot.turn + 0.25)
