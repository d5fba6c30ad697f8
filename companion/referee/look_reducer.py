"""How looks become rounds: what on the settled table is new, re-read, too early, or simply still there.

Follows INTERFACES, "When looks become rounds" (a)-(f). Nothing here knows a rule of War beyond who must lay.
"""

from __future__ import annotations

from companion.referee import house_rules, laying, ownership, readings, steal_war, verdict, violations
from companion.referee.cards import Card
from companion.referee.classify import Sort, Sorted, all_new, laid_on, sort_look, sort_settled
from companion.referee.events import Basis, BattleWon, Question, QuestionKind, Seen, Shown, ViolationKind
from companion.referee.position import NOTHING, Position, Round, Turn
from companion.referee.records import changed
from companion.referee.rereading import reread_all, reread_settled
from companion.referee.rulebook import Rule
from companion.referee.wars import highest, latest, others


def look(turn: Turn, seen: Seen) -> None:
    """Work one settled look into the position."""
    if turn.pos.round.verdict:
        verdict.check_time(turn)
    if turn.pos.over or not _may_go_on(turn, seen):
        return
    if seen.piles and turn.pos.piles:
        steal_war.see_piles(turn, seen)
        if turn.pos.over or turn.pos.held:
            return
    if seen.ghosts:
        _ignore_ghosts(turn, seen)
    if turn.pos.round.verdict:
        _after_verdict(turn, seen)
    else:
        _during_round(turn, seen)


def _may_go_on(turn: Turn, seen: Seen) -> bool:
    """Whether the look may be judged: not while held, and past a question only when the next round is laid."""
    pos = turn.pos
    if pos.held and pos.held.kind is ViolationKind.TOO_FEW_DOWN and all_new(pos, seen, pos.pending):
        _assume(turn)
    elif pos.held and not violations.released(pos, pos.held, seen):
        return False
    elif pos.held and pos.held.kind in (ViolationKind.WRONG_TAKER, ViolationKind.ILLEGAL_STEAL):
        turn.change(held=None)
    if readings.blocking(turn.pos) and (all_new(turn.pos, seen, turn.pos.pending) or _fought_on(turn.pos, seen)):
        _assume(turn)
    if _played_on(turn.pos, seen):
        _rule_without(turn)
    return not turn.pos.over


def _assume(turn: Turn) -> None:
    """Nobody answered and the next round lies there: rule by the likeliest reading, and say it is assumed."""
    pos, pending = turn.pos, turn.pos.pending
    turn.assuming = Basis.READING
    turn.change(held=None, blind=False, pending=None, asked=readings.not_blocking(pos))
    if pending is not None:
        _during_round(turn, changed(pending, backs=None))
    verdict.settle(turn)
    turn.assuming = None


def _played_on(pos: Position, seen: Seen) -> bool:
    """Whether the table was cleared and new cards lie there, though somebody's card was never seen."""
    now = pos.round
    if now.verdict or not now.waiting or not pos.cleared or readings.blocking(pos):
        return False
    faces = {p: card for p, card in others(pos, now.waiting).items() if p in now.fighters}
    return len(faces) > 1 and len(highest(faces, pos.game.settings)) == 1 and all_new(pos, seen, None)


def _fought_on(pos: Position, seen: Seen) -> bool:
    """Whether everyone who ties by the likeliest reading has surely laid his next card, whatever was asked about."""
    if pos.round.waiting or pos.round.verdict:
        return False
    tied = highest(latest(pos), pos.game.settings)
    return len(tied) > 1 and all(laid_on(pos, seen, player) for player in tied)


def _rule_without(turn: Turn) -> None:
    """Rule by the cards that were seen, and say that it is assumed who played: the game waits for nobody for ever."""
    now = turn.pos.round
    turn.assuming = Basis.PLAYERS
    left = tuple(player for player in now.fighters if player not in now.waiting)
    turn.change_round(fighters=left, waiting=())
    verdict.settle(turn)
    turn.assuming = None


def _ignore_ghosts(turn: Turn, seen: Seen) -> None:
    ghosts = {(player, card) for player, cards in (seen.ghosts or {}).items() for card in cards}
    turn.change_round(ghosts=turn.pos.round.ghosts | ghosts)


# --- while a round is fought ------------------------------------------------------------------------


def _during_round(turn: Turn, seen: Seen) -> None:
    items = sort_look(turn.pos, seen)
    if readings.blocking(turn.pos) and items and not turn.pos.blind:
        # A better reading may answer the question, and with it what else lies there.
        reread_all(turn, items, anew=False)
        verdict.settle(turn)
        if turn.pos.round.verdict:
            _after_verdict(turn, seen)
            return
        items = sort_look(turn.pos, seen)
    if not items:
        if not turn.pos.cleared:
            turn.change(cleared=True)
        return
    fault = violations.too_many_cards(items) or violations.too_few_down(turn.pos, seen, items)
    if fault:
        turn.hold(fault)
        turn.change(pending=seen if fault.kind is ViolationKind.TOO_FEW_DOWN else None)
        return
    if not turn.assuming and _misfit(turn, items):
        turn.change(pending=seen)
        return
    anew = turn.pos.cleared
    _put_right(turn)
    _note_backs(turn, seen)
    reread_all(turn, items, anew)
    laying.lay_all(turn, seen, items)


def _put_right(turn: Turn) -> None:
    """A look that fits releases what held, ends blindness and takes back questions about what was unseen."""
    pos = turn.pos
    if pos.held or pos.blind or pos.cleared or pos.pending:
        asked = tuple(question for question in pos.asked if question.why != QuestionKind.BLIND)
        turn.change(held=None, blind=False, cleared=False, pending=None, asked=asked)


def _misfit(turn: Turn, items: list[Sorted]) -> bool:
    """Ask, instead of ruling, about a shown face that is another now after blindness or after a card too many."""
    odd = [item for item in items if item.sort is Sort.REREAD and _unexpected(turn.pos, item)]
    for item in odd:
        placed = turn.pos.round.laid[item.player].faces[item.index]
        choices = (placed.card.code, item.face.card.code)
        why = QuestionKind.BLIND
        face = (placed.look, placed.slot)
        readings.ask(turn, Question(turn.pos.round.number, item.player, choices, Rule.READING, why, face))
    return bool(odd)


def _unexpected(pos: Position, item: Sorted) -> bool:
    placed, held = pos.round.laid[item.player].faces[item.index], pos.held
    if placed.face.said or placed.card.rank is item.face.card.rank:
        return False
    swapped = held and held.kind is ViolationKind.TOO_MANY_CARDS and item.player == held.player
    return pos.blind or bool(swapped and held and item.face.card in held.cards)


def _note_backs(turn: Turn, seen: Seen) -> None:
    """The camera's lower bound fills the war panel and nothing else."""
    backs = seen.backs_seen or seen.backs
    if backs and backs != turn.pos.round.seen_backs:
        turn.change_round(seen_backs=dict(backs))


# --- after the verdict ------------------------------------------------------------------------------


def _after_verdict(turn: Turn, seen: Seen) -> None:
    items = sort_settled(turn.pos, seen)
    fault = violations.wrong_taker(items)
    if fault:
        turn.hold(fault)
        return
    fresh = [item for item in items if item.sort in (Sort.LAID, Sort.REREAD)]
    cleared = len(fresh) == len(items) and not (fresh and all(item.sort is Sort.REREAD for item in fresh))
    if cleared or _played_again(turn.pos, seen, items):
        _next_round(turn)
        _during_round(turn, seen)
        return
    if turn.pos.blind or turn.pos.held:
        turn.change(blind=False, held=None)
    fresh = _show_spoils(turn, fresh)
    laying.say_early(turn, [item for item in fresh if not reread_settled(turn, item, seen)])


def _played_again(pos: Position, seen: Seen, items: list[Sorted]) -> bool:
    """Whether a card just won is its winner's next card: everyone shows one new face, and it can be turned now."""
    playing = {player for player, n in pos.counts.items() if n}
    if len(items) != len(playing) or {item.player for item in items} != playing:
        return False
    old = [item for item in items if item.sort is not Sort.LAID]
    return len(old) < len(items) and all(_turned_again(pos, seen, item) for item in old)


def _turned_again(pos: Position, seen: Seen, item: Sorted) -> bool:
    # Where a settled card still lies in its own seat, only the camera can know that it was laid anew.
    moved = bool(seen.unmoved) and item.player not in seen.unmoved
    possible = item.sort is Sort.TAKEN or (item.sort is Sort.AGAIN and moved)
    return possible and bool(pos.known.next_of(item.player, item.face.card.bits, pos.game.variant.hand))


def _next_round(turn: Turn) -> None:
    pos = turn.pos
    players = tuple(player for player in pos.game.players if pos.counts[player])
    turn.change(
        round=Round(pos.round.number + 1, players, players, players), asked=(), held=None, pending=None, cleared=True
    )
    house_rules.take_up(turn)


def _show_spoils(turn: Turn, fresh: list[Sorted]) -> list[Sorted]:
    """Where the house shows the face-down cards when they are collected: note them; return the other faces."""
    now, rules = turn.pos.round, turn.pos.game.settings
    hidden = sum(laid.down for laid in now.laid.values()) - len(now.spoils)
    new = [item for item in fresh if item.sort is Sort.LAID and item.face.card not in now.spoils]
    if not rules.show_spoils or not 0 < len(new) <= hidden:
        return [item for item in fresh if item.face.card not in now.spoils]
    for item in new:
        if isinstance(now.verdict, BattleWon) and item.face.card.suit:
            turn.change(known=ownership.learn(turn.pos.known, now.verdict.winner, item.face.card.bits))
    turn.change_round(spoils=(*now.spoils, *(item.face.card for item in new)))
    turn.say(Shown(now.number, _by_player(new), ()))
    return [item for item in fresh if item not in new and item.face.card not in now.spoils]


def _by_player(items: list[Sorted]) -> dict[str, tuple[Card, ...]]:
    players = dict.fromkeys(item.player for item in items)
    return {player: tuple(item.face.card for item in items if item.player == player) for player in players}


# --- answers ----------------------------------------------------------------------------------------


def answer(turn: Turn, question: Question, card: Card) -> None:
    """A person answered an open question: the face is that card, and the round is judged on."""
    pos, pending = turn.pos, turn.pos.pending
    turn.change(asked=tuple(open_ for open_ in pos.asked if open_ != question))
    if pos.round.verdict or pos.round.number != question.round:
        return
    if question.why == QuestionKind.ORDER:
        turn.first[question.about] = card
    faces = pos.round.laid.get(question.about, NOTHING).faces
    index = next((i for i, placed in enumerate(faces) if (placed.look, placed.slot) == question.face), None)
    if index is not None:
        readings.fix(turn, question.about, index, card)
    if pending is not None and not readings.blocking(turn.pos):
        turn.change(pending=None, blind=False, held=None)
        _during_round(turn, pending)
    verdict.settle(turn)
