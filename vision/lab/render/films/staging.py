"""Positions of all cards on the table in each look of a script.

A card once laid stays where it is until it is taken away. In a war the face-down cards and the next
face-up one spread over the tied card, leaving a strip of every face open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.lab.render.films.placement import Pixel, Seat
from vision.lab.render.scenes.layout import Spot
from vision.lab.render.scenes.table import LaidCard, SceneTable
from vision.types import BACK

#: What stays open of a face that is covered, of a back under a back, and of a back under a face; shares of a card.
_FACE_STRIP, _BACK_STRIP, _LAST_STRIP = 0.37, 0.17, 0.3


@dataclass(frozen=True, slots=True)
class TableLook:
    """What lies on the table at `at` seconds.

    `faces` are each player's face-up cards in the order laid, `backs` the number of face-down ones where it is known,
    `piles` won cards that lie face up, as far as they are known, bottom first. While `thief` steals, the top of the
    pile to be stolen is the thief's card.
    """

    at: float
    faces: Mapping[str, tuple[str, ...]]
    backs: Mapping[str, int] = field(default_factory=dict)
    piles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    thief: str = ""


#: The cards on the table, from the lowest to the topmost.
CardStack = tuple[LaidCard, ...]


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


def staged(
    looks: Sequence[TableLook], seats: Mapping[str, Seat], table: SceneTable, rng: np.random.Generator
) -> list[CardStack]:
    """What lies on the table in each look."""
    shown = _spread(looks, tuple(seats))
    for player, seat in seats.items():
        spreads = list({id(spread): spread for look in shown for spread, _ in (look[player],)}.values())
        start = _start(spreads, seat, table)
        for spread in spreads:
            spread.spots = _spots(spread.codes, start, seat, table, rng)
    heaps = _heaps(looks, seats, table, rng)
    return [
        heap
        + tuple(
            LaidCard(player, code, spot)
            for player, (spread, number) in lying.items()
            for code, spot in zip(spread.codes[:number], spread.spots, strict=False)
        )
        for heap, lying in zip(heaps, shown, strict=True)
    ]


def _heaps(
    looks: Sequence[TableLook], seats: Mapping[str, Seat], table: SceneTable, rng: np.random.Generator
) -> list[CardStack]:
    """The cards of the face-up piles in each look, each lying as it was put there."""
    spots: dict[tuple[str, str], Spot] = {}
    heaps = []
    for look in looks:
        heap = []
        for owner, pile in look.piles.items():
            place = seats[owner].pile
            if place is None:
                continue
            for code in pile:
                if (owner, code) not in spots:
                    spots[owner, code] = _aligned(place, seats[owner], table, rng)
                stealing = bool(look.thief) and owner != look.thief and code == pile[-1]
                heap.append(LaidCard(look.thief if stealing else owner, code, spots[owner, code], piled=True))
        heaps.append(tuple(heap))
    return heaps


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


def _start(spreads: Sequence[Spread], seat: Seat, table: SceneTable) -> Pixel:
    """Where the first card lies, in pixels: the longest spread of the game has its middle in the seat's."""
    ends = [_steps(spread.codes, seat, table)[-1] for spread in spreads]
    longest = max(ends, key=lambda end: float(np.linalg.norm(end)), default=np.zeros(2))
    return seat.home + (seat.reach - longest) / 2


def _spots(codes: Sequence[str], start: Pixel, seat: Seat, table: SceneTable, rng: np.random.Generator) -> list[Spot]:
    """Where the cards of a spread lie."""
    shift = rng.normal(0, 0.02, 2) * table.camera.card
    pixels = start + shift + _steps(codes, seat, table)
    return [_aligned(pixel, seat, table, rng) for pixel in pixels[: len(codes)]]


def _steps(codes: Sequence[str], seat: Seat, table: SceneTable) -> Pixel:
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


def _aligned(pixel: Pixel, seat: Seat, table: SceneTable, rng: np.random.Generator) -> Spot:
    """A card about square to the table at `pixel`; a little off in place and turn, as people lay them."""
    x, y = table.at(pixel + rng.normal(0, 0.008, 2) * table.camera.card)
    turn = np.pi if seat.side[1] < 0 else 0.0
    return Spot(float(x), float(y), float(turn - table.camera.turn + np.clip(rng.normal(0, 0.05), -0.12, 0.12)))
