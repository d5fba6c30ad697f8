"""Another code for a card that lies there already: the likelier reading stands, and what was ruled is asked about.

A re-reading never changes a ruling silently (INTERFACES (a), (c)).
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.referee import ownership, readings
from companion.referee.cards import Card
from companion.referee.classify import Sort, Sorted
from companion.referee.events import Question, QuestionKind, Seen, Shown
from companion.referee.position import Placed, Position, Round, Turn
from companion.referee.records import changed
from companion.referee.rulebook import Rule
from companion.referee.wars import highest, strength


def reread_all(turn: Turn, items: list[Sorted], anew: bool) -> None:
    """Take what was read better or anew while a round is fought; a changed face is shown.

    `anew` says that the table was empty since: a sure reading then is another card, however sure the old one.
    """
    changed = False
    for item in items:
        if item.sort is Sort.AGAIN or item.sort is Sort.REREAD:
            changed |= _reread(turn, item, anew)
    if changed:
        now = turn.pos.round
        turn.say(Shown(now.number, now.faces, now.waiting))


def _reread(turn: Turn, item: Sorted, anew: bool) -> bool:
    """Take the likelier reading of a face in play; True where that changes its rank before any ruling."""
    placed = turn.pos.round.laid[item.player].faces[item.index]
    other = item.sort is Sort.REREAD
    likelier = item.face.p > placed.face.p or (
        other and (item.face.p == placed.face.p or anew and item.face.p >= readings.SURE)
    )
    if placed.face.said or not likelier:
        return False
    if _ruled(turn.pos.round, item) and changes_ruling(turn.pos, item):
        _ask_reread(turn, item, placed)
        return False
    hand = turn.pos.game.variant.hand
    turn.change(known=ownership.unplay(turn.pos.known, item.player, placed.bits))
    new = changed(readings.read(turn, item.player, item.face, item.slot), under=placed.under)
    turn.change(known=ownership.play(turn.pos.known, item.player, new.bits, hand))
    _replace_face(turn, item.player, item.index, new)
    return new.card.rank is not placed.card.rank and not _ruled(turn.pos.round, item)


def _replace_face(turn: Turn, player: str, index: int, new: Placed) -> None:
    laid = turn.pos.round.laid[player]
    faces = (*laid.faces[:index], new, *laid.faces[index + 1 :])
    turn.change_round(laid={**turn.pos.round.laid, player: changed(laid, faces=faces)})


def _ruled(now: Round, item: Sorted) -> bool:
    """Whether a war or a verdict rests on this face."""
    return any(fought.get(item.player) == item.index for fought in now.fought)


def changes_ruling(pos: Position, item: Sorted) -> bool:
    """Whether a tie or the verdict would come out otherwise with the new code."""
    return any(
        _outcome(pos, fought, item, item.face.card) != _outcome(pos, fought, item, None)
        for fought in pos.round.fought
        if fought.get(item.player) == item.index
    )


def _outcome(pos: Position, fought: Mapping[str, int], item: Sorted, card: Card | None) -> tuple[tuple[str, ...], int]:
    faces = {player: pos.round.laid[player].faces[index].card for player, index in fought.items()}
    if card is not None:
        faces[item.player] = card
    best = highest(faces, pos.game.settings)
    return best, strength(faces[best[0]], pos.game.settings) if len(best) > 1 else 0


def _ask_reread(turn: Turn, item: Sorted, placed: Placed) -> None:
    choices = (placed.card.code, item.face.card.code)
    face = (placed.look, placed.slot)
    number = turn.pos.round.number
    readings.ask(turn, Question(number, item.player, choices, Rule.READING, QuestionKind.REREAD, face))


def reread_settled(turn: Turn, item: Sorted, seen: Seen) -> bool:
    """Whether a new code beside settled faces is taken as a new reading of one; ask where it matters."""
    if item.index < 0:
        return False
    placed = turn.pos.round.laid[item.player].faces[item.index]
    if placed.face.said:
        return item.sort is Sort.REREAD
    if seen.unmoved and item.sort is not Sort.REREAD:
        # The camera knows what moved, and something did here: it is another card.
        return False
    same_rank = item.face.card.rank is placed.card.rank
    if item.face.p >= placed.face.p and changes_ruling(turn.pos, item):
        _ask_reread(turn, item, placed)
        return True
    return same_rank or item.sort is Sort.REREAD
