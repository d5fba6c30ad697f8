"""A card that moves is one card: nudged, slid or shoved into another player's place it stays its owner's.

Position, time and who can own which card decide; where they cannot, it is asked whose the card is. Cards of earlier
rounds that are put back, or were never collected, are no cards of this one.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from companion.referee import readings
from companion.referee.cards import Card
from companion.referee.classify import (
    ClassifiedFace,
    FaceRole,
    Matched,
    is_in_doubt,
    is_mistaken,
    is_surely,
    match_faces,
    may_take,
)
from companion.referee.events import BattleWon, Face, Question, QuestionKind, Seen
from companion.referee.position import NOTHING, SURE, Placed, Position, Turn
from companion.referee.readings import PLAUSIBLE
from companion.referee.rulebook import Rule
from companion.referee.wars import strength

#: With so few cards those just won are soon turned again, and a count that is off by one changes which.
SMALL = 6


@dataclass(frozen=True, slots=True)
class MovedFace:
    """A face in play that lies in another player's place now: whose latest face it is, and where it lies.

    `instead` is the slot of a new face that lies in the owner's place; None where nothing does.
    """

    owner: str
    player: str
    slot: int
    instead: int | None = None


def follow_moved(turn: Turn, seen: Seen) -> Seen | None:
    """The look with every card as its owner's, wherever it lies now; None where it is asked whose one is."""
    before = turn.pos.round.moved
    if before:
        turn.change_round(moved=frozenset())
    if not turn.pos.round.laid:
        return seen
    aside: set[tuple[str, Card]] = set()
    for moved in find_moved(turn.pos, seen, before):
        face = seen.faces[moved.player][moved.slot]
        owner = _decide_owner(turn.pos, seen, moved) or (moved.player if turn.assuming else None)
        if owner is None:
            _ask_whose(turn, seen, moved)
            return None
        if owner == moved.player:
            _take_back(turn, moved.owner)
        elif moved.instead is None:
            aside.add((moved.player, face.card))
        else:
            seen = _exchange_places(turn.pos, seen, moved)
    if aside:
        turn.change_round(moved=frozenset(aside))
    return seen


def _decide_owner(pos: Position, seen: Seen, moved: MovedFace) -> str | None:
    """Whose a card in another's place is: who laid it first, unless who can own which card tells otherwise."""
    if moved.player not in pos.round.waiting or pos.round.wars:
        return moved.owner
    if moved.instead is None:
        return moved.owner
    card = pos.round.laid[moved.owner].faces[-1].face.card
    other = seen.faces[moved.owner][moved.instead].card
    by_time = _could_own(pos, moved.owner, card) and _could_own(pos, moved.player, other)
    by_place = _could_own(pos, moved.player, card) and _could_own(pos, moved.owner, other)
    if by_time != by_place:
        return moved.owner if by_time else moved.player
    return None if _owner_matters(pos, moved.owner, card, other) else moved.player


def _could_own(pos: Position, player: str, card: Card) -> bool:
    return pos.round.began is None or bool(pos.round.began.can_own(player, card.bits))


def _owner_matters(pos: Position, owner: str, card: Card, other: Card) -> bool:
    """Whether it changes the round which of the two cards is whose."""
    rules = pos.game.settings
    rest = (laid.faces[-1].card for player, laid in pos.round.laid.items() if player != owner and laid.faces)
    high, low = strength(card, rules), strength(other, rules)
    return high != low and all(strength(third, rules) <= max(high, low) for third in rest)


def _ask_whose(turn: Turn, seen: Seen, moved: MovedFace) -> None:
    turn.change(pending=seen)
    card = seen.faces[moved.player][moved.slot].card
    who, face = (moved.owner, moved.player), (turn.look, moved.slot)
    question = Question(turn.pos.round.number, moved.player, who, Rule.OWN_CARD, QuestionKind.WHOSE, face, card)
    readings.ask_question(turn, question)


def _take_back(turn: Turn, player: str) -> None:
    """The player's face was another's card: he has laid nothing yet."""
    pos = turn.pos
    laid = pos.round.laid[player]
    readings.take_back(turn, player)
    turn.change(counts={**pos.counts, player: pos.counts[player] + laid.size})
    waiting = tuple(p for p in pos.round.fighters if p == player or p in pos.round.waiting)
    turn.change_round(laid={p: there for p, there in pos.round.laid.items() if p != player}, waiting=waiting)


def _exchange_places(pos: Position, seen: Seen, moved: MovedFace) -> Seen:
    """The look with the moved card in its owner's place, and the new card there in the other's."""
    mine, theirs = list(seen.faces[moved.owner]), list(seen.faces[moved.player])
    place = moved.instead or 0
    mine[place], theirs[moved.slot] = pos.round.laid[moved.owner].faces[-1].face, mine[place]
    return dataclasses.replace(seen, faces={**seen.faces, moved.owner: tuple(mine), moved.player: tuple(theirs)})


# --- which cards have moved -------------------------------------------------------------------------


def find_moved(pos: Position, seen: Seen, before: frozenset[tuple[str, Card]]) -> tuple[MovedFace, ...]:
    """The faces in play that are gone from their owner's place and lie in another's.

    A second card of the same code is believed only while both lie there. Before a war an unsure reading of the same
    card counts as well; in a war only the same code, and where its owner has laid on, only beside another card there,
    or where it lay `before`.
    """
    matched = {player: match_faces(pos, seen, player) for player in pos.game.players}
    fresh = [(player, slot) for player in matched for slot in matched[player].fresh]
    gone = [(p, placed) for p in matched for placed in _find_gone(pos, seen, p, matched[p])]
    same = {(player, slot): _owner_of(gone, player, seen.faces[player][slot]) for player, slot in fresh}
    found = []
    for player, slot in fresh:
        face = seen.faces[player][slot]
        owner = same[player, slot] or (None if pos.round.wars else _owner_of(gone, player, face, unsure=True))
        if owner is None or face.said:
            continue
        instead = next((other for other in matched[owner].fresh if not same[owner, other]), None)
        if pos.round.wars and same[player, slot] and (len(seen.faces[player]) > 1 or (player, face.card) in before):
            instead = None
        if instead is None or (same[player, slot] and not pos.round.wars):
            found.append(MovedFace(owner, player, slot, instead))
    return tuple(found)


def _find_gone(pos: Position, seen: Seen, player: str, matched: Matched) -> tuple[Placed, ...]:
    """The player's faces in play that are not in their place any more, read better or worse."""
    faces = pos.round.laid.get(player, NOTHING).faces
    if not matched.gone or player in seen.unmoved:
        return ()
    others = {placed.card for other, laid in pos.round.laid.items() if other != player for placed in laid.faces}
    new = [face for slot in matched.fresh if (face := seen.faces[player][slot]).card not in others]
    left = [faces[index] for index in matched.gone]
    if pos.round.wars:
        shown = {face.card for other, laid in seen.faces.items() if other != player for face in laid}
        return tuple(old for old in left if old.card in shown or old.face.card in shown)
    return tuple(old for old in left if not any(is_in_doubt(old, face) or is_mistaken(old, face) for face in new))


def _owner_of(gone: list[tuple[str, Placed]], player: str, face: Face, unsure: bool = False) -> str | None:
    """Whose missing face this one in the player's place is: the same code, or an unsure reading of the same card."""
    for owner, placed in gone:
        same = face.card in (placed.card, placed.face.card)
        if unsure:
            likely = any(card == placed.face.card and p >= PLAUSIBLE for card, p in face.alternatives)
            same = likely or is_in_doubt(placed, face)
        if owner != player and same:
            return owner
    return None


# --- cards of earlier rounds that lie face up -----------------------------------------------------------


def forget_heap(turn: Turn, seen: Seen) -> None:
    """Won cards that do not lie face up any more may be turned again, and so may what is left where some are gone."""
    heap = turn.pos.round.heap
    left = {(p, card) for p, card in heap if all(face.card != card for face in seen.faces.get(p, ()))}
    if left:
        taken = {player for player, _ in left}
        left |= {(p, card) for p, card in heap if p in taken and _may_turn(turn.pos, p, card)}
        turn.change_round(heap=heap - left)


def note_put_back(turn: Turn, seen: Seen) -> None:
    """Cards of the round before that lie in their places again, and nothing else, were put back.

    Who lost his card cannot turn it now; who won it can, where the pile is so small.
    """
    pos = turn.pos
    if pos.round.verdict or not pos.round.before:
        return
    there = [(player, face) for player, faces in seen.faces.items() for face in faces]
    new = {(player, face.card) for player, face in there if (player, face.card) not in pos.round.heap}
    if not new or not all(_is_back(pos, player, face) for player, face in there if (player, face.card) in new):
        return
    lost = bool(new - pos.round.took)
    if back := {(player, card) for player, card in new if lost or not _may_turn(pos, player, card)}:
        turn.change_round(heap=pos.round.heap | back)


def find_taken_back(pos: Position, won: BattleWon) -> frozenset[tuple[str, Card]]:
    """Who took which of the cards that he laid himself: in Arneson's game the loser takes one, too."""
    return frozenset(
        (player, card)
        for player, laid in pos.round.laid.items()
        for index, placed in enumerate(laid.faces)
        if may_take(pos, won, player, player, index)
        for card in (placed.card, placed.face.card)
    )


def _is_back(pos: Position, player: str, face: Face) -> bool:
    if player in pos.round.laid or face.p < SURE:
        return False
    return any(is_surely(placed, face) for placed in pos.round.before.get(player, ()))


def _may_turn(pos: Position, player: str, card: Card) -> bool:
    if pos.counts[player] <= SMALL:
        return True
    known = (pos.known, pos.round.began or pos.known)
    return any(one.next_of(player, card.bits, pos.game.variant.hand) for one in known)


def may_turn_won(pos: Position, player: str, card: Card) -> bool:
    """Whether a card that the player has just won may be turned now: hardly anything lies above it in the pile."""
    won = pos.round.verdict
    above = pos.counts[player] - (won.takes.get(player, 0) if isinstance(won, BattleWon) else 0)
    return above <= SMALL and bool(pos.known.next_of(player, card.bits, pos.game.variant.hand))


def note_collected(turn: Turn, seen: Seen) -> None:
    """Whose settled cards were seen to lie there, and whose are gone since: what lies in their place then is new."""
    now = turn.pos.round
    if not now.verdict:
        return
    there = frozenset(player for player in now.laid if match_faces(turn.pos, seen, player).again)
    if there and (there != now.lain or now.gone):
        turn.change_round(lain=now.lain | there, gone=(now.gone | now.lain) - there)


def find_heap(pos: Position, items: list[ClassifiedFace]) -> list[ClassifiedFace]:
    """The cards of the round that still lie face up, where everybody shows one new card beside them."""
    won = pos.round.verdict
    old = _settled(items)
    new = [item.player for item in items if item not in old]
    laid = isinstance(won, BattleWon) and sorted(new) == sorted(player for player, n in pos.counts.items() if n)
    spoils = pos.game.settings.show_spoils and bool(pos.round.wars)
    return old if laid and not spoils else []


def is_collected(pos: Position, items: list[ClassifiedFace]) -> bool:
    """Whether nothing is left of the round but won cards with those who won them."""
    won = pos.round.verdict
    old = _settled(items)
    return isinstance(won, BattleWon) and bool(old) and all(item.player in won.takes for item in old)


def _settled(items: list[ClassifiedFace]) -> list[ClassifiedFace]:
    """The cards that were judged already, wherever they lie."""
    return [item for item in items if item.role in (FaceRole.AGAIN, FaceRole.TAKEN)]
