"""The face-up cards of the round as the page shows them: what is ruled beside what was read."""

from __future__ import annotations

from dataclasses import replace

from companion.referee.position import Placed
from companion.seats.history import named_then
from companion.table.session import Sitting
from companion.table.snapshot import CardView

#: From this probability on a reading is called sure.
_SURE = 0.9
#: Below this one it is called unreadable.
READABLE = 0.4


def certainty(p: float) -> str:
    """The plain word for a probability.

    >>> certainty(0.97), certainty(0.6), certainty(0.2)
    ('sure', 'check', 'unreadable')
    """
    return "sure" if p >= _SURE else "check" if p >= READABLE else "unreadable"


def cards_in_play(sitting: Sitting, seen: tuple[CardView, ...]) -> tuple[CardView, ...]:
    """The faces of the round in the order laid, then faces that are seen but not in play (early, too many)."""
    left = list(seen)
    shown = []
    for player, laid in sitting.state.position.round.laid.items():
        for placed in laid.faces:
            there = next((card for card in left if card.player == player and _shows(placed, card.code)), None)
            if there is not None:
                left.remove(there)
            shown.append(_in_play(sitting, player, placed, there))
    extra = [replace(card, certainty=certainty(card.p)) for card in left if card.code]
    return (*shown, *extra)


def _shows(placed: Placed, code: str) -> bool:
    return code in (placed.card.code, placed.face.card.code, placed.face.misread and placed.face.misread.code)


def _in_play(sitting: Sitting, player: str, placed: Placed, there: CardView | None) -> CardView:
    face = placed.face
    p = sum(chance for card, chance in ((face.card, face.p), *face.alternatives) if card.rank is placed.card.rank)
    return CardView(
        player=player,
        code=placed.card.code,
        p=round(min(1.0, p), 3),
        certainty="sure" if face.said or not placed.options else certainty(p),
        alternatives=tuple((card.code, chance) for card, chance in face.alternatives),
        crop=sitting.pictures.get((placed.look, f"{named_then(sitting.state, player, placed.look)} {placed.slot}")),
        polygon=there.polygon if there else (),
        look=placed.look,
        place=placed.slot,
    )
