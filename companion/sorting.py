"""What each face of a look is to the referee: there again, newly laid, read anew, too early, one too many.

Follows INTERFACES, "When looks become rounds" (a) to (c). Decides nothing about the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.doubt import PLAUSIBLE
from companion.events import Face, Seen
from companion.position import NOTHING, Placed, Position, Round


class Sort(StrEnum):
    """What a face in a look is to the referee."""

    AGAIN = "again"
    LAID = "laid"
    REREAD = "reread"
    EARLY = "early"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class Sorted:
    """One face of a look, and which face in play it is again (`index`)."""

    sort: Sort
    player: str
    slot: int
    face: Face
    index: int = -1


def match(placed: tuple[Placed, ...], faces: tuple[Face, ...]) -> tuple[dict[int, int], list[int], list[int]]:
    """Which face of the look is which face in play: pairs slot -> index, new slots, indexes not shown."""
    pairs: dict[int, int] = {}
    gone = list(range(len(placed)))
    fresh = []
    for slot, face in enumerate(faces):
        again = next((i for i in reversed(gone) if placed[i].shows(face.card)), None)
        if again is None:
            fresh.append(slot)
        else:
            pairs[slot] = again
            gone.remove(again)
    return pairs, fresh, gone


def sort_look(pos: Position, seen: Seen) -> list[Sorted]:
    """The faces of a look while a round is fought."""
    return [item for player, faces in seen.faces.items() if faces for item in _sort_one(pos, seen, player, faces)]


def _sort_one(pos: Position, seen: Seen, player: str, faces: tuple[Face, ...]) -> list[Sorted]:
    placed = pos.round.laid.get(player, NOTHING).faces
    pairs, fresh, gone = match(placed, faces)
    again = [Sorted(Sort.AGAIN, player, slot, faces[slot], i) for slot, i in pairs.items()]
    if not fresh:
        return again
    return again + [_sort_fresh(pos, seen, player, slot, faces, gone) for slot in fresh]


def _sort_fresh(pos: Position, seen: Seen, player: str, slot: int, faces: tuple[Face, ...], gone: list[int]) -> Sorted:
    now, face = pos.round, faces[slot]
    placed = now.laid.get(player, NOTHING).faces
    if player not in now.players:
        return Sorted(Sort.EARLY, player, slot, face)
    if not now.wars:
        if len(faces) > 1:
            return Sorted(Sort.TOO_MANY, player, slot, face)
        return Sorted(Sort.REREAD if placed else Sort.LAID, player, slot, face, 0 if placed else -1)
    index = _reread_index(pos, seen, player, face, gone)
    if index is not None:
        gone.remove(index)
        return Sorted(Sort.REREAD, player, slot, face, index)
    return Sorted(Sort.LAID if player in now.waiting else Sort.EARLY, player, slot, face)


def _reread_index(pos: Position, seen: Seen, player: str, face: Face, gone: list[int]) -> int | None:
    """In a war: which face in play this code is a new reading of, if any (INTERFACES (a))."""
    placed = pos.round.laid.get(player, NOTHING).faces
    if not gone:
        return None
    last = gone[-1]
    if player in seen.unmoved or in_doubt(placed[last], face):
        return last
    has_laid = player in pos.round.fighters and player not in pos.round.waiting and not _stands(pos.round, player)
    return last if has_laid and last == len(placed) - 1 else None


def _stands(now: Round, player: str) -> bool:
    """Whether the player's latest face has fought already."""
    return bool(now.fought) and now.fought[-1].get(player) == len(now.laid[player].faces) - 1


def in_doubt(placed: Placed, face: Face) -> bool:
    """Whether the new code was a plausible reading of the face in play."""
    return any(card == face.card and p >= PLAUSIBLE for card, p in placed.face.alternatives)


def sort_settled(pos: Position, seen: Seen) -> list[Sorted]:
    """The faces of a look after the verdict: settled ones again, re-readings of them, and new ones."""
    items = []
    for player, faces in seen.faces.items():
        placed = pos.round.laid.get(player, NOTHING).faces
        pairs, fresh, gone = match(placed, faces)
        items += [Sorted(Sort.AGAIN, player, slot, faces[slot], i) for slot, i in pairs.items()]
        for slot in fresh:
            last = gone.pop() if gone else -1
            again = last >= 0 and (player in seen.unmoved or in_doubt(placed[last], faces[slot]))
            items.append(Sorted(Sort.REREAD if again else Sort.LAID, player, slot, faces[slot], last))
    return items
