"""New faces come into play, with the face-down cards that are due before them, and the round is judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations, product

from companion.referee import ownership, readings, steal_war, verdict
from companion.referee.classify import Sort, Sorted
from companion.referee.events import BattleWon, Question, QuestionKind, Seen, Violation, ViolationKind
from companion.referee.position import NOTHING, Laid, Position, Turn
from companion.referee.records import changed
from companion.referee.rulebook import Rule


def lay_all(turn: Turn, seen: Seen, items: list[Sorted]) -> None:
    """Lay what is new, one face a player and a tie, and judge; what nobody needs is a card too early."""
    new = [item for item in items if item.sort is Sort.LAID]
    left: list[Sorted] = []
    if len({item.player for item in new}) < len(new):
        order = _best_order(turn, seen, new)
        if order is None:
            return
        left = _play(turn, seen, order)
    elif new:
        left = _play(turn, seen, new)
    else:
        verdict.settle(turn)
    say_early(turn, [item for item in items if item.sort is Sort.EARLY] + left)


def _play(turn: Turn, seen: Seen, queue: list[Sorted]) -> list[Sorted]:
    """Lay the faces in this order of each player, the surest reading first; return those nobody needed."""
    while True:
        firsts: dict[str, Sorted] = {}
        for item in queue:
            if item.player in turn.pos.round.waiting:
                firsts.setdefault(item.player, item)
        chosen = sorted(firsts.values(), key=lambda item: -item.face.p)
        for item in chosen:
            _lay(turn, seen, item)
        queue = [item for item in queue if item not in chosen]
        verdict.settle(turn)
        if not chosen or turn.pos.round.verdict:
            return queue


# --- two faces of one player first seen in one look -------------------------------------------------


def _best_order(turn: Turn, seen: Seen, new: list[Sorted]) -> list[Sorted] | None:
    """The order in which they were laid: one that needs them all; None where it is asked about or unknown yet."""
    tried = [(order, _try(turn, seen, order)) for order in _orders(turn, new)]
    fewest = min(len(left) for _, (_, left) in tried)
    fitting = [(order, after) for order, (after, left) in tried if len(left) == fewest]
    if fewest and all(after.pos.round.verdict is None for _, after in fitting):
        # The other players have not laid yet: the next look shows these faces again.
        return [item for item in fitting[0][0] if _only_one(new, item)] or None
    if len({_came_out(after.pos) for _, after in fitting}) > 1 and not turn.assuming:
        _ask_order(turn, seen, [order for order, _ in fitting])
        return None
    return fitting[0][0]


def _orders(turn: Turn, new: list[Sorted]) -> Iterator[list[Sorted]]:
    """Every order of each player's new faces that begins as a person said, the listed one first."""
    players = dict.fromkeys(item.player for item in new)
    ways = [_ways(turn, [item for item in new if item.player == player]) for player in players]
    for chosen in product(*ways):
        yield [item for way in chosen for item in way]


def _ways(turn: Turn, mine: list[Sorted]) -> list[tuple[Sorted, ...]]:
    first = turn.first.get(mine[0].player)
    ways = list(permutations(mine[:4]))
    return [way for way in ways if first is None or way[0].face.card == first] or ways


def _only_one(new: list[Sorted], item: Sorted) -> bool:
    return sum(other.player == item.player for other in new) == 1


def _try(turn: Turn, seen: Seen, order: list[Sorted]) -> tuple[Turn, list[Sorted]]:
    trial = Turn(turn.pos, turn.look, turn.at)
    return trial, _play(trial, seen, order)


def _came_out(pos: Position) -> tuple[object, ...]:
    """What matters of how an order came out: the winner, else the war that stands."""
    won = pos.round.verdict
    if isinstance(won, BattleWon):
        return ("won", won.winner)
    return (type(won), pos.round.waiting, len(pos.round.wars))


def _ask_order(turn: Turn, seen: Seen, orders: list[list[Sorted]]) -> None:
    firsts = [{item.player: item for item in reversed(order)} for order in orders]
    about = next(p for p in firsts[0] if len({first[p].face.card for first in firsts}) > 1)
    choices = tuple(dict.fromkeys(first[about].face.card.code for first in firsts))
    face = (turn.look, firsts[0][about].slot)
    turn.change(pending=seen)
    readings.ask(turn, Question(turn.pos.round.number, about, choices, Rule.TOP_CARD, QuestionKind.ORDER, face))


# --- one face ---------------------------------------------------------------------------------------


def _lay(turn: Turn, seen: Seen, item: Sorted) -> None:
    """One face comes into play, with the face-down cards that were due before it."""
    player = item.player
    if turn.pos.round.revealing:
        turn.change(known=ownership.turn_up(turn.pos.known, player))
    laid = turn.pos.round.laid.get(player, NOTHING)
    down, exact = _downs(turn, seen, player)
    steal_war.draw(turn, player, down + 1)
    hand = turn.pos.game.variant.hand
    if down:
        turn.change(known=ownership.lay_down(turn.pos.known, player, down, hand))
    placed = readings.read(turn, player, item.face, item.slot)
    pos, now = turn.pos, turn.pos.round
    # A card revealed was laid face down before: it leaves those and costs nothing more.
    spent, turned = (0, -1) if now.revealing else (down + 1, down)
    faces = (*laid.faces, changed(placed, under=laid.ahead + down))
    after = Laid(faces, laid.down + turned, 0, exact and (laid.exact or bool(seen.backs)))
    turn.change(
        counts={**pos.counts, player: pos.counts[player] - spent},
        known=ownership.play(pos.known, player, placed.bits, hand),
        round=changed(
            now,
            laid=in_seats(pos, {**now.laid, player: after}),
            waiting=tuple(p for p in now.waiting if p != player),
        ),
    )


def in_seats(pos: Position, laid: dict[str, Laid]) -> dict[str, Laid]:
    """What lies before each, in seat order."""
    return {player: laid[player] for player in pos.game.players if player in laid}


def _downs(turn: Turn, seen: Seen, player: str) -> tuple[int, bool]:
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


def say_early(turn: Turn, items: Iterable[Sorted]) -> None:
    """A face from one who must not lay is said once and stays out."""
    for item in items:
        key = (item.player, item.face.card)
        if key not in turn.pos.round.told:
            turn.say(Violation(ViolationKind.EARLY_CARD, item.player, (item.face.card,), False, Rule.TOP_CARD))
            turn.change_round(told=turn.pos.round.told | {key})
