"""New faces come into play, with the face-down cards that are due before them, and the round is judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations, product

from msgspec.structs import replace

from companion.referee import ownership, readings, steal_war, verdict
from companion.referee.classify import ClassifiedFace, FaceRole
from companion.referee.events import (
    BattleWon,
    Notice,
    NoticeKind,
    Question,
    QuestionKind,
    Seen,
    Violation,
    ViolationKind,
)
from companion.referee.position import NOTHING, Laid, Position, Turn
from companion.referee.rulebook import Rule

#: Faces of one player first seen in one look whose orders are gone through.
MOST_FACES = 5


def lay_new(turn: Turn, seen: Seen, items: list[ClassifiedFace]) -> None:
    """Lay what is new, one face a player and a tie, and judge; what nobody needs is a card too early."""
    new = [item for item in items if item.role is FaceRole.LAID]
    left: list[ClassifiedFace] = []
    if len({item.player for item in new}) < len(new):
        order = _choose_order(turn, seen, new)
        if order is None:
            return
        left = _lay_queue(turn, seen, order)
    elif new:
        left = _lay_queue(turn, seen, new)
    else:
        verdict.settle(turn)
    say_early(turn, [item for item in items if item.role is FaceRole.EARLY] + left)


def _lay_queue(turn: Turn, seen: Seen, queue: list[ClassifiedFace]) -> list[ClassifiedFace]:
    """Lay the faces in this order of each player, the surest reading first; return those nobody needed."""
    while True:
        firsts: dict[str, ClassifiedFace] = {}
        for item in queue:
            if item.player in turn.pos.round.waiting:
                firsts.setdefault(item.player, item)
        chosen = sorted(firsts.values(), key=lambda item: -item.face.p)
        for item in chosen:
            _lay_face(turn, seen, item)
        queue = [item for item in queue if item not in chosen]
        verdict.settle(turn)
        if not chosen or turn.pos.round.verdict:
            return queue


# --- two faces of one player first seen in one look -------------------------------------------------


def _choose_order(turn: Turn, seen: Seen, new: list[ClassifiedFace]) -> list[ClassifiedFace] | None:
    """The order in which they were laid: one that needs them all; None where it is asked about or unknown yet."""
    many = any(sum(item.player == player for item in new) > MOST_FACES for player in turn.pos.round.waiting)
    if many and (face_up := _laid_face_up(turn.pos, new)):
        return _fight_with_last(turn, seen, new, face_up)
    tried = [(order, _try_order(turn, seen, order)) for order in _orders(turn, new)]
    fewest = min(len(left) for _, (_, left) in tried)
    fitting = [(order, after) for order, (after, left) in tried if len(left) == fewest]
    if fewest and (face_up := _laid_face_up(turn.pos, new)):
        return _fight_with_last(turn, seen, new, face_up)
    if fewest and all(after.pos.round.verdict is None for _, after in fitting):
        # The other players have not laid yet: the next look shows these faces again.
        return [item for item in fitting[0][0] if _is_only_one(new, item)] or None
    if len({_summarize(after.pos) for _, after in fitting}) > 1 and not turn.assuming:
        _ask_order(turn, seen, [order for order, _ in fitting])
        return None
    return fitting[0][0]


def _laid_face_up(pos: Position, new: list[ClassifiedFace]) -> tuple[str, ...]:
    """Who laid the face-down cards of a war face up, beside the one that fights: as many new faces as the war takes."""
    due = {player: n for player, n in pos.round.due.items() if n and player in pos.round.waiting}
    return tuple(player for player, n in due.items() if sum(item.player == player for item in new) == n + 1)


def _fight_with_last(
    turn: Turn, seen: Seen, new: list[ClassifiedFace], face_up: tuple[str, ...]
) -> list[ClassifiedFace] | None:
    """The order to lay the faces in where some lay face up that belong face down: the last one laid fights.

    Asks which was laid first where the verdict hangs on which was the last, then takes the order they lie in.
    """
    orders = list(_last_ones(turn, new, face_up))
    outcomes = {_summarize(_try_order(turn, seen, order)[0].pos) for order in orders}
    told = turn.assuming or any(player in turn.first for player in face_up)
    if len(outcomes) > 1 and not told:
        _ask_order(turn, seen, [[item, *new] for item in new if item.player in face_up])
    for player in face_up:
        turn.remind(NoticeKind.FACE_UP, player)
    if len(outcomes) > 1 and not told:
        return None
    under = {(item.player, item.face.card) for item in new if item not in orders[0]}
    turn.change_round(ghosts=turn.pos.round.ghosts | under)
    return orders[0]


def _last_ones(turn: Turn, new: list[ClassifiedFace], face_up: tuple[str, ...]) -> Iterator[list[ClassifiedFace]]:
    """Every choice of the card laid last by each who laid face up, the listed one first, beside the others' cards."""
    mine = [[item for item in reversed(new) if item.player == player] for player in face_up]
    lasts = [[item for item in cards if item.face.card != turn.first.get(item.player)] or cards for cards in mine]
    rest = [item for item in new if item.player not in face_up]
    for chosen in product(*lasts):
        yield [*chosen, *rest]


def _orders(turn: Turn, new: list[ClassifiedFace]) -> Iterator[list[ClassifiedFace]]:
    """Every order of each player's new faces that begins as a person said, the listed one first."""
    players = dict.fromkeys(item.player for item in new)
    ways = [_ways(turn, [item for item in new if item.player == player]) for player in players]
    for chosen in product(*ways):
        yield [item for way in chosen for item in way]


def _ways(turn: Turn, mine: list[ClassifiedFace]) -> list[tuple[ClassifiedFace, ...]]:
    first = turn.first.get(mine[0].player)
    ways = list(permutations(mine[:MOST_FACES]))
    return [way for way in ways if first is None or way[0].face.card == first] or ways


def _is_only_one(new: list[ClassifiedFace], item: ClassifiedFace) -> bool:
    return sum(other.player == item.player for other in new) == 1


def _try_order(turn: Turn, seen: Seen, order: list[ClassifiedFace]) -> tuple[Turn, list[ClassifiedFace]]:
    trial = Turn(turn.pos, turn.look, turn.at)
    return trial, _lay_queue(trial, seen, order)


def _summarize(pos: Position) -> tuple[object, ...]:
    """What matters of how an order came out: the winner, else the war that stands."""
    won = pos.round.verdict
    if isinstance(won, BattleWon):
        return ("won", won.winner)
    return (type(won), pos.round.waiting, len(pos.round.wars))


def _ask_order(turn: Turn, seen: Seen, orders: list[list[ClassifiedFace]]) -> None:
    firsts = [{item.player: item for item in reversed(order)} for order in orders]
    about = next(p for p in firsts[0] if len({first[p].face.card for first in firsts}) > 1)
    choices = tuple(dict.fromkeys(first[about].face.card.code for first in firsts))
    face = (turn.look, firsts[0][about].slot)
    turn.change(pending=seen)
    readings.ask_question(
        turn, Question(turn.pos.round.number, about, choices, Rule.TOP_CARD, QuestionKind.ORDER, face)
    )


# --- one face ---------------------------------------------------------------------------------------


def _lay_face(turn: Turn, seen: Seen, item: ClassifiedFace) -> None:
    """One face comes into play, with the face-down cards that were due before it."""
    player = item.player
    if turn.pos.round.revealing:
        turn.change(known=ownership.turn_up(turn.pos.known, player))
    laid = turn.pos.round.laid.get(player, NOTHING)
    down, exact = _count_down(turn, seen, player)
    steal_war.ensure_face_down(turn, player, down + 1)
    hand = turn.pos.game.variant.hand
    if down:
        turn.change(known=ownership.lay_down(turn.pos.known, player, down, hand))
    placed = readings.enter_face(turn, player, item.face, item.slot)
    pos, now = turn.pos, turn.pos.round
    # A card revealed was laid face down before: it leaves those and costs nothing more.
    spent, turned = (0, -1) if now.revealing else (down + 1, down)
    faces = (*laid.faces, replace(placed, under=laid.ahead + down))
    after = Laid(faces, laid.down + turned, 0, exact and (laid.exact or bool(seen.backs)))
    turn.change(
        counts={**pos.counts, player: pos.counts[player] - spent},
        known=ownership.note_played(pos.known, player, placed.bits, hand, readings.overruled(placed, pos.known.shown)),
        round=replace(
            now,
            laid=_in_seat_order(pos, {**now.laid, player: after}),
            waiting=tuple(p for p in now.waiting if p != player),
        ),
    )


def _in_seat_order(pos: Position, laid: dict[str, Laid]) -> dict[str, Laid]:
    """What lies before each, in seat order."""
    return {player: laid[player] for player in pos.game.players if player in laid}


def _count_down(turn: Turn, seen: Seen, player: str) -> tuple[int, bool]:
    """Face-down cards that come with the player's face, and whether their number is known."""
    now = turn.pos.round
    due = now.due.get(player, 0)
    if not now.wars or now.revealing:
        return 0, True
    if not seen.backs or player not in seen.backs:
        return due, due == 0
    extra = seen.backs[player] - (due + now.laid.get(player, NOTHING).down)
    if extra <= 0:
        return due, True
    cards = now.laid[player].cards[-1:]
    turn.say(Violation(ViolationKind.TOO_MANY_DOWN, player, cards, False, now.wars[-1].rule, -extra))
    return min(due + extra, turn.pos.counts[player] - 1), True


def say_early(turn: Turn, items: Iterable[ClassifiedFace]) -> None:
    """A face from one who must not lay is said once and stays out."""
    for item in items:
        key = (item.player, item.face.card)
        if key in turn.pos.round.told:
            continue
        turn.change_round(told=turn.pos.round.told | {key})
        if item.player in turn.pos.out:
            turn.say(Notice(NoticeKind.COUNT_NOW, item.player, (item.face.card,)))
            continue
        if turn.pos.round.verdict and turn.has_reminded(ViolationKind.EARLY_CARD, ""):
            # That cards are laid beside uncollected ones is said once in a game: it stops no round.
            continue
        wars = turn.pos.round.wars
        rule = Rule.WAR_PART if wars and item.player not in wars[-1].who else Rule.TOP_CARD
        turn.say(Violation(ViolationKind.EARLY_CARD, item.player, (item.face.card,), False, rule))
