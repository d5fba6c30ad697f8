"""What the watching needs of one session at the table: whose places are where, and what is kept back meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from companion.referee.reducer import State
from companion.seats.finder import Usher
from companion.seats.history import InForce, in_force
from companion.seats.layout import AUTO, exchanged, parse
from companion.table.session import Sitting
from companion.watching.look_builder import Faces, Sight
from vision.images import crop_box, crop_card, encode_jpeg
from vision.tracking.mirror import flip_look
from vision.types import Look


@dataclass(slots=True)
class Target:
    """One session as the watching sees it: `base` is the session's second at the feed's second 0.

    `usher` is there as long as it is not known who sits where.
    """

    sitting: Sitting
    seats: InForce
    sight: Sight
    base: float
    box: tuple[float, float, float, float]
    usher: Usher | None


def aimed(here: Sitting, base: float) -> Target:
    """What a session asks of the watching, whoever sits where now."""
    players, now = here.game.players, in_force(here.state, here.seats)
    seats = exchanged(parse(now.text, players), dict(now.names))
    return Target(here, now, Sight(players, seats), base, seats.table, Usher(players) if now.text == AUTO else None)


def aimed_now(target: Target | None, here: Sitting | None) -> Target | None:
    """The target with the sitting as it is by now; None where another session has begun since.

    Who sits where may have changed; what is known of the cards that lie there stays.
    """
    if target is None or here is None or target.sitting.session != here.session:
        return None
    was, target.sitting = target.seats, here
    return target if in_force(here.state, here.seats) == was else aimed(here, target.base)


def turned_usher(usher: Usher, players: tuple[str, ...]) -> Usher:
    """What was kept back, with its pictures turned round."""
    turned = Usher(players)
    for look in usher.held:
        turned.take(flip_look(look))
    return turned


def before(state: State, at: float) -> State:
    """The state before the inputs of second `at`: what the looks of a film that goes on were first seen with."""
    return next(past for past in state.history() if past.past is None or past.at < at)


def pictures(look: Look, faces: Faces, box: tuple[float, float, float, float]) -> dict[str, bytes]:
    """The evidence of a look: the table zone and every face, as JPEG by name."""
    if look.frame is None:
        return {}
    frame = look.frame
    crops = {
        f"{player} {place}": encode_jpeg(crop_card(frame, found.quad))
        for player, cards in faces.items()
        for place, found in enumerate(cards)
    }
    return {"table": encode_jpeg(crop_box(frame, box)), **crops}
