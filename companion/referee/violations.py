"""What stops the game until it is put right, and which look puts it right (INTERFACES (e), (f))."""

from __future__ import annotations

from companion.referee import steal_war
from companion.referee.cards import Card
from companion.referee.classify import Sort, Sorted, all_new, sort_settled
from companion.referee.events import Seen, Violation, ViolationKind
from companion.referee.position import NOTHING, Position
from companion.referee.rulebook import Rule


def too_many_cards(items: list[Sorted]) -> Violation | None:
    """One player's faces in two places before a war."""
    crowd = [item for item in items if item.sort is Sort.TOO_MANY]
    if not crowd:
        return None
    player = crowd[0].player
    return Violation(ViolationKind.TOO_MANY_CARDS, player, _cards(items, player), True, Rule.TOP_CARD)


def _cards(items: list[Sorted], player: str) -> tuple[Card, ...]:
    mine = sorted((item for item in items if item.player == player), key=lambda item: item.slot)
    return tuple(item.face.card for item in mine)


def too_few_down(pos: Position, seen: Seen, items: list[Sorted]) -> Violation | None:
    """A war face laid with too few cards under it; only an exact number can tell."""
    if not (seen.backs and pos.round.wars) or pos.round.revealing:
        return None
    for item in items:
        if item.sort is Sort.LAID and item.player in pos.round.waiting and item.player in seen.backs:
            missing = _missing(pos, item.player, seen.backs[item.player])
            if missing:
                rule = pos.round.wars[-1].rule
                return Violation(ViolationKind.TOO_FEW_DOWN, item.player, (item.face.card,), True, rule, missing)
    return None


def _missing(pos: Position, player: str, backs: int) -> int:
    # A script may count the face-down cards of this war only, or all that lie there since the first tie.
    due, before = pos.round.due.get(player, 0), pos.round.laid.get(player, NOTHING).down
    if backs in (due, due + before):
        return 0
    return max(0, (due if backs < due else due + before) - backs)


def wrong_taker(items: list[Sorted]) -> Violation | None:
    """Settled cards in the seat of one who did not win them."""
    wrong = [item for item in items if item.sort is Sort.WRONGLY_TAKEN]
    if not wrong:
        return None
    player = wrong[0].player
    settled = [item for item in items if item.sort in (Sort.AGAIN, Sort.WRONGLY_TAKEN)]
    return Violation(ViolationKind.WRONG_TAKER, player, _cards(settled, player), True, Rule.HIGHER_CARD)


def released(pos: Position, held: Violation, seen: Seen) -> bool:
    """Whether the table is right again, so that this look is judged on its own; an empty table never is."""
    if not any(seen.faces.values()) and not seen.piles:
        return False
    match held.kind:
        case ViolationKind.TOO_FEW_DOWN:
            return bool(seen.backs and held.player in seen.backs)
        case ViolationKind.WRONG_TAKER:
            return _rightly_taken(pos, seen) or all_new(pos, seen, None)
        case ViolationKind.ILLEGAL_STEAL:
            return steal_war.as_expected(pos, seen) or all_new(pos, seen, None)
    return True


def _rightly_taken(pos: Position, seen: Seen) -> bool:
    sorts = {item.sort for item in sort_settled(pos, seen)}
    return Sort.WRONGLY_TAKEN not in sorts and bool(sorts & {Sort.AGAIN, Sort.TAKEN})
