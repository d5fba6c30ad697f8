"""What each face of a look is to the referee: there again, newly laid, read anew, too early, one too many.

Follows INTERFACES, "When looks become rounds" (a) to (c). Decides nothing about the game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from companion.referee.events import BattleWon, Face, Seen
from companion.referee.position import NOTHING, SURE, Placed, Position
from companion.referee.readings import PLAUSIBLE


class FaceRole(StrEnum):
    """What a face in a look is to the referee."""

    AGAIN = "again"
    LAID = "laid"
    REREAD = "reread"
    EARLY = "early"
    TOO_MANY = "too_many"
    TAKEN = "taken"
    WRONGLY_TAKEN = "wrongly_taken"


@dataclass(frozen=True, slots=True)
class ClassifiedFace:
    """One face of a look, and which face in play it is again or in the place of (`index`, -1 for none)."""

    role: FaceRole
    player: str
    slot: int
    face: Face
    index: int = -1


@dataclass(frozen=True, slots=True)
class Matched:
    """A player's faces of a look beside those in play: pairs (slot, index), new slots, indexes not shown."""

    again: tuple[tuple[int, int], ...]
    fresh: tuple[int, ...]
    gone: list[int]


def match_faces(pos: Position, seen: Seen, player: str) -> Matched:
    """Which face of the look is which face in play; what a person said was never there is passed over."""
    placed = pos.round.laid.get(player, NOTHING).faces
    gone = list(range(len(placed)))
    again, fresh = [], []
    for slot, face in enumerate(seen.faces.get(player, ())):
        index = next((i for i in reversed(gone) if placed[i].shows(face.card, face.p)), None)
        if index is not None:
            again.append((slot, index))
            gone.remove(index)
        elif not is_ignored(pos, player, face):
            fresh.append(slot)
    return Matched(tuple(again), tuple(fresh), gone)


def is_ignored(pos: Position, player: str, face: Face) -> bool:
    """Whether the face is no card of this round: said not to be there, another player's, or of an earlier round."""
    card = (player, face.card)
    return card in pos.round.ghosts or card in pos.round.moved or card in pos.round.heap


def is_in_doubt(placed: Placed, face: Face) -> bool:
    """Whether the new code was a plausible reading of the face in play."""
    return any(card == face.card and p >= PLAUSIBLE for card, p in placed.face.alternatives)


def is_all_new(pos: Position, seen: Seen, pending: Seen | None) -> bool:
    """Whether everyone who plays shows a card that was not there before, and nothing that was.

    Where the table was empty since, the first such card is enough.
    """
    playing = {*pos.round.players} if not pos.round.verdict else {p for p, n in pos.counts.items() if n}
    showing = {p for p, faces in seen.faces.items() if not all(is_ignored(pos, p, face) for face in faces)}
    enough = bool(showing) and (playing <= showing or pos.cleared)
    return enough and all(_is_new(pos, seen, player, pending) for player in showing)


def has_laid_on(pos: Position, seen: Seen, player: str) -> bool:
    """Whether a look surely shows a card of the player that is none of those in play, read better or worse."""
    faces, matched = seen.faces.get(player, ()), match_faces(pos, seen, player)
    gone = [pos.round.laid[player].faces[index] for index in matched.gone]
    fresh = (faces[slot] for slot in matched.fresh if player not in seen.unmoved)
    return any(
        face.p >= SURE and not any(is_in_doubt(placed, face) or is_mistaken(placed, face) for placed in gone)
        for face in fresh
    )


def _is_new(pos: Position, seen: Seen, player: str, pending: Seen | None) -> bool:
    before = {face.card for face in pending.faces.get(player, ())} if pending else set()
    faces, matched = seen.faces[player], match_faces(pos, seen, player)
    placed = pos.round.laid.get(player, NOTHING).faces
    doubtful = any(is_in_doubt(placed[i], face) for i in matched.gone for face in faces)
    known = matched.again or doubtful or any(face.card in before for face in faces)
    return bool(matched.fresh) and not (known or player in seen.unmoved)


# --- while a round is fought ------------------------------------------------------------------------


def classify_look(pos: Position, seen: Seen) -> list[ClassifiedFace]:
    """The faces of a look while a round is fought."""
    return [item for player, faces in seen.faces.items() if faces for item in _classify_player(pos, seen, player)]


def classify_beside(pos: Position, seen: Seen) -> list[ClassifiedFace]:
    """The faces of a look that are none of those in play, for once they have been judged."""
    return [
        ClassifiedFace(FaceRole.LAID, player, slot, faces[slot])
        for player, faces in seen.faces.items()
        for slot in match_faces(pos, seen, player).fresh
    ]


def _classify_player(pos: Position, seen: Seen, player: str) -> Iterator[ClassifiedFace]:
    faces, matched = seen.faces[player], match_faces(pos, seen, player)
    for slot, index in matched.again:
        yield ClassifiedFace(FaceRole.AGAIN, player, slot, faces[slot], index)
    several = len(matched.again) + len(matched.fresh) > 1
    for slot in _likely_rereading_first(pos, player, faces, matched):
        yield _classify_fresh(pos, seen, player, slot, matched.gone, several)


def _likely_rereading_first(pos: Position, player: str, faces: tuple[Face, ...], matched: Matched) -> tuple[int, ...]:
    """Of several new faces the one that the covered card was misread as comes first, taken out of the rest."""
    if len(matched.fresh) < 2 or not matched.gone:
        return matched.fresh
    last = pos.round.laid[player].faces[matched.gone[-1]]
    like = [slot for slot in matched.fresh if is_in_doubt(last, faces[slot]) or is_mistaken(last, faces[slot])]
    return (*like[:1], *(slot for slot in matched.fresh if slot not in like[:1]))


def is_mistaken(placed: Placed, face: Face) -> bool:
    """Whether the face in play is a plausible reading of the new code, or differs in suit alone."""
    likely = any(card == placed.face.card and p >= PLAUSIBLE for card, p in face.alternatives)
    return likely or face.card.rank is placed.card.rank


def _classify_fresh(
    pos: Position, seen: Seen, player: str, slot: int, gone: list[int], several: bool
) -> ClassifiedFace:
    now, face, crowd = pos.round, seen.faces[player][slot], several and not pos.round.wars
    if player not in now.players:
        return ClassifiedFace(FaceRole.EARLY, player, slot, face)
    placed = now.laid[player].faces[gone[-1]] if gone else None
    # Where the latest card lies there still, a covered one of the same rank is not read anew while the next is due.
    due = player in now.waiting and now.wars and gone and gone[-1] < len(now.laid[player].faces) - 1
    if several and not due and placed and (is_in_doubt(placed, face) or is_mistaken(placed, face)):
        return ClassifiedFace(FaceRole.REREAD, player, slot, face, gone.pop())
    if crowd:
        return ClassifiedFace(FaceRole.TOO_MANY, player, slot, face)
    index = _reread_index(pos, seen, player, face, gone)
    if index is not None:
        gone.remove(index)
        return ClassifiedFace(FaceRole.REREAD, player, slot, face, index)
    return ClassifiedFace(FaceRole.LAID if player in now.waiting else FaceRole.EARLY, player, slot, face)


def _reread_index(pos: Position, seen: Seen, player: str, face: Face, gone: list[int]) -> int | None:
    """Which face in play this code is a new reading of, if any; in a war it may be the next card (INTERFACES (a))."""
    placed = pos.round.laid.get(player, NOTHING).faces
    if not gone:
        return None
    last = gone[-1]
    if not pos.round.wars or player in seen.unmoved or is_in_doubt(placed[last], face):
        return last
    has_laid = player in pos.round.fighters and player not in pos.round.waiting and not pos.round.has_fought(player)
    return last if has_laid and last == len(placed) - 1 else None


# --- after the verdict ------------------------------------------------------------------------------


def classify_settled(pos: Position, seen: Seen) -> list[ClassifiedFace]:
    """The faces of a look after the verdict: settled ones again or taken, re-readings of them, and new ones."""
    matched = {player: match_faces(pos, seen, player) for player, faces in seen.faces.items() if faces}
    collecting = _is_collecting(pos, seen, matched)
    return [item for player in matched for item in _classify_settled_player(pos, seen, player, matched, collecting)]


def _is_collecting(pos: Position, seen: Seen, matched: dict[str, Matched]) -> bool:
    """Whether the cards of one are gone where three or more lay, or another has them: collecting has begun."""
    lain = pos.round.lain
    if len(lain) > 2 and any(player not in matched or not matched[player].again for player in lain):
        return True
    new = ((player, seen.faces[player][slot]) for player in matched for slot in matched[player].fresh)
    return any(_classify_taken(pos, player, face, matched) for player, face in new)


def _classify_settled_player(
    pos: Position, seen: Seen, player: str, matched: dict[str, Matched], collecting: bool
) -> Iterator[ClassifiedFace]:
    faces, mine = seen.faces[player], matched[player]
    placed = pos.round.laid.get(player, NOTHING).faces
    for slot, index in mine.again:
        yield ClassifiedFace(FaceRole.AGAIN, player, slot, faces[slot], index)
    for slot, face in enumerate(faces):
        if (player, face.card) in pos.round.moved:
            yield ClassifiedFace(FaceRole.AGAIN, player, slot, face)
    left = list(mine.gone)
    for slot in mine.fresh:
        taken = _classify_taken(pos, player, faces[slot], matched)
        if taken:
            yield ClassifiedFace(taken, player, slot, faces[slot])
            continue
        last = left.pop() if left else -1
        again = last >= 0 and (player in seen.unmoved or is_in_doubt(placed[last], faces[slot]))
        latest_there = any(index == len(placed) - 1 for _, index in mine.again)
        if not again and (collecting or latest_there or player in pos.round.gone):
            # The card that lay here was collected, or lies there still: this is another.
            last = -1
        yield ClassifiedFace(FaceRole.REREAD if again else FaceRole.LAID, player, slot, faces[slot], last)


def _classify_taken(pos: Position, player: str, face: Face, matched: dict[str, Matched]) -> FaceRole | None:
    """Whether this is another player's settled face that has been picked up, rightly or wrongly."""
    verdict = pos.round.verdict
    if not isinstance(verdict, BattleWon):
        return None
    for owner, laid in pos.round.laid.items():
        gone = matched[owner].gone if owner in matched else range(len(laid.faces))
        for index in gone:
            one = face.card.bits.bit_count() == 1
            if owner != player and face.p >= SURE and one and is_surely(laid.faces[index], face):
                return FaceRole.TAKEN if may_take(pos, verdict, player, owner, index) else FaceRole.WRONGLY_TAKEN
    return None


def is_surely(placed: Placed, face: Face) -> bool:
    """Whether the face is this one by its card, or by its code where that was read as surely before."""
    return face.card == placed.card or (face.card == placed.face.card and placed.face.p >= SURE)


def may_take(pos: Position, verdict: BattleWon, player: str, owner: str, index: int) -> bool:
    """Whether the owner's face number `index` of the round is the player's now, by the verdict."""
    now = pos.round
    if len(verdict.takes) > 1:
        return (index == now.fought[0].get(owner)) == (player != verdict.winner)
    return player in verdict.takes
