"""How looks become rounds (INTERFACES, "When looks become rounds"): the way of one settled table into the position.

Down the page: a look comes in; what keeps it from being judged; while a round is fought each face is classified, a
violation holds or a question waits, re-readings are taken, new faces are laid and the round is settled; after the
verdict the cards are collected or the next round begins. No rule of War is here beyond who must lay.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations, product

from msgspec.structs import replace

from companion.referee import house_rules, ownership, readings, steal_war, verdict
from companion.referee.cards import Card
from companion.referee.classify import (
    ClassifiedFace,
    FaceRole,
    MovedFace,
    classify_look,
    classify_settled,
    find_moved,
    has_laid_on,
    is_all_new,
)
from companion.referee.effects import Reply, given_to
from companion.referee.events import (
    Basis,
    BattleWon,
    Question,
    QuestionKind,
    Seen,
    Shown,
    Violation,
    ViolationKind,
)
from companion.referee.position import NOTHING, Laid, Placed, Position, Round, Turn
from companion.referee.rulebook import Rule
from companion.referee.wars import highest, latest, others, strength


def apply_look(turn: Turn, seen: Seen) -> None:
    """Work one settled look into the position."""
    if turn.pos.round.verdict:
        verdict.check_time(turn)
    if turn.pos.over or not _may_be_judged(turn, seen):
        return
    if seen.piles and turn.pos.piles:
        steal_war.see_piles(turn, seen)
        if turn.pos.over or turn.pos.held:
            return
    if seen.ghosts:
        _ignore_ghosts(turn, seen)
    if turn.pos.round.verdict:
        _collect_or_go_on(turn, seen)
    else:
        _fight_round(turn, seen)


def _may_be_judged(turn: Turn, seen: Seen) -> bool:
    """Whether the look may be judged: not while held, and past a question only when the next round is laid."""
    pos = turn.pos
    if pos.held and pos.held.kind is ViolationKind.TOO_FEW_DOWN and is_all_new(pos, seen, pos.pending):
        _rule_by_likeliest(turn)
    elif pos.held and not _is_put_right(pos, pos.held, seen):
        return False
    elif pos.held and pos.held.kind in (ViolationKind.WRONG_TAKER, ViolationKind.ILLEGAL_STEAL):
        turn.change(held=None)
    if readings.blocking(turn.pos) and (is_all_new(turn.pos, seen, turn.pos.pending) or _is_fought_on(turn.pos, seen)):
        _rule_by_likeliest(turn)
    if _is_played_on(turn.pos, seen):
        _rule_without(turn)
    return not turn.pos.over


def _rule_by_likeliest(turn: Turn) -> None:
    """Nobody answered and the next round lies there: rule by the likeliest reading, and say it is assumed."""
    pos, pending = turn.pos, turn.pos.pending
    turn.assuming = Basis.READING
    # Who ties does not collect: cards that were taken away were no tie.
    turn.collected = pos.cleared
    turn.change(held=None, blind=False, pending=None, asked=readings.not_blocking(pos))
    if pending is not None:
        _fight_round(turn, dataclasses.replace(pending, backs=None))
    verdict.settle(turn)
    turn.assuming, turn.collected = None, False


def _is_played_on(pos: Position, seen: Seen) -> bool:
    """Whether the table was cleared and new cards lie there, though somebody's card was never seen."""
    now = pos.round
    if now.verdict or not now.waiting or not pos.cleared or readings.blocking(pos):
        return False
    faces = {p: card for p, card in others(pos, now.waiting).items() if p in now.fighters}
    return len(faces) > 1 and len(highest(faces, pos.game.settings)) == 1 and is_all_new(pos, seen, None)


def _is_fought_on(pos: Position, seen: Seen) -> bool:
    """Whether everyone who ties by the likeliest reading has surely laid his next card, whatever was asked about."""
    if pos.round.waiting or pos.round.verdict:
        return False
    tied = highest(latest(pos), pos.game.settings)
    return len(tied) > 1 and all(has_laid_on(pos, seen, player) for player in tied)


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


def _fight_round(turn: Turn, look: Seen) -> None:
    seen = _follow_moved(turn, look)
    if seen is None:
        return
    items = classify_look(turn.pos, seen)
    if readings.blocking(turn.pos) and items and not turn.pos.blind:
        # A better reading may answer the question, and with it what else lies there.
        _take_rereadings(turn, items, anew=False)
        verdict.settle(turn)
        if turn.pos.round.verdict:
            _collect_or_go_on(turn, seen)
            return
        items = classify_look(turn.pos, seen)
    if not items:
        if not turn.pos.cleared:
            turn.change(cleared=True)
        return
    fault = _find_too_many_cards(items) or _find_too_few_down(turn.pos, seen, items)
    if fault:
        turn.hold(fault)
        turn.change(pending=seen if fault.kind is ViolationKind.TOO_FEW_DOWN else None)
        return
    if not turn.assuming and _ask_about_unexpected(turn, items):
        turn.change(pending=seen)
        return
    anew = turn.pos.cleared
    _release(turn)
    _note_backs(turn, seen)
    _take_rereadings(turn, items, anew)
    _lay_new(turn, seen, items)


def _release(turn: Turn) -> None:
    """A look that fits releases what held, ends blindness and takes back questions about what was unseen."""
    pos = turn.pos
    if pos.held or pos.blind or pos.cleared or pos.pending:
        asked = tuple(
            question for question in pos.asked if question.why not in (QuestionKind.BLIND, QuestionKind.WHOSE)
        )
        turn.change(held=None, blind=False, cleared=False, pending=None, asked=asked)


def _ask_about_unexpected(turn: Turn, items: list[ClassifiedFace]) -> bool:
    """Ask, instead of ruling, about a shown face that is another now after blindness or after a card too many."""
    odd = [item for item in items if item.role is FaceRole.REREAD and _is_unexpected(turn.pos, item)]
    for item in odd:
        placed = turn.pos.round.laid[item.player].faces[item.index]
        choices = (placed.card.code, item.face.card.code)
        why = QuestionKind.BLIND
        face = (placed.look, placed.slot)
        readings.ask_question(turn, Question(turn.pos.round.number, item.player, choices, Rule.READING, why, face))
    return bool(odd)


def _is_unexpected(pos: Position, item: ClassifiedFace) -> bool:
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


# --- a card that moves is one card --------------------------------------------------------------------


def _follow_moved(turn: Turn, seen: Seen) -> Seen | None:
    """The look with every card as its owner's, wherever it lies now; None where it is asked whose one is."""
    if turn.pos.round.moved:
        turn.change_round(moved=frozenset())
    aside: set[tuple[str, Card]] = set()
    for moved in find_moved(turn.pos, seen):
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
    card = pos.round.laid[moved.owner].faces[-1].card
    if moved.instead is None:
        only_other = not _could_own(pos, moved.owner, card) and _could_own(pos, moved.player, card)
        return moved.player if only_other else moved.owner
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
    turn.change(
        counts={**pos.counts, player: pos.counts[player] + laid.size},
        known=ownership.unplay(pos.known, player, laid.faces[-1].bits),
    )
    waiting = tuple(p for p in pos.round.fighters if p == player or p in pos.round.waiting)
    turn.change_round(laid={p: there for p, there in pos.round.laid.items() if p != player}, waiting=waiting)


def _exchange_places(pos: Position, seen: Seen, moved: MovedFace) -> Seen:
    """The look with the moved card in its owner's place, and the new card there in the other's."""
    mine, theirs = list(seen.faces[moved.owner]), list(seen.faces[moved.player])
    place = moved.instead or 0
    mine[place], theirs[moved.slot] = pos.round.laid[moved.owner].faces[-1].face, mine[place]
    return dataclasses.replace(seen, faces={**seen.faces, moved.owner: tuple(mine), moved.player: tuple(theirs)})


# --- what stops the game until it is put right (INTERFACES (e), (f)) ----------------------------------


def _find_too_many_cards(items: list[ClassifiedFace]) -> Violation | None:
    """One player's faces in two places before a war."""
    crowd = [item for item in items if item.role is FaceRole.TOO_MANY]
    if not crowd:
        return None
    player = crowd[0].player
    return Violation(ViolationKind.TOO_MANY_CARDS, player, _cards_of(items, player), True, Rule.TOP_CARD)


def _cards_of(items: list[ClassifiedFace], player: str) -> tuple[Card, ...]:
    mine = sorted((item for item in items if item.player == player), key=lambda item: item.slot)
    return tuple(item.face.card for item in mine)


def _find_too_few_down(pos: Position, seen: Seen, items: list[ClassifiedFace]) -> Violation | None:
    """A war face laid with too few cards under it; only an exact number can tell."""
    if not (seen.backs and pos.round.wars) or pos.round.revealing:
        return None
    for item in items:
        if item.role is FaceRole.LAID and item.player in pos.round.waiting and item.player in seen.backs:
            missing = _count_missing(pos, item.player, seen.backs[item.player])
            if missing:
                rule = pos.round.wars[-1].rule
                return Violation(ViolationKind.TOO_FEW_DOWN, item.player, (item.face.card,), True, rule, missing)
    return None


def _count_missing(pos: Position, player: str, backs: int) -> int:
    # A script may count the face-down cards of this war only, or all that lie there since the first tie.
    due, before = pos.round.due.get(player, 0), pos.round.laid.get(player, NOTHING).down
    if backs in (due, due + before):
        return 0
    return max(0, (due if backs < due else due + before) - backs)


def _find_wrong_taker(items: list[ClassifiedFace]) -> Violation | None:
    """Settled cards in the seat of one who did not win them."""
    wrong = [item for item in items if item.role is FaceRole.WRONGLY_TAKEN]
    if not wrong:
        return None
    player = wrong[0].player
    settled = [item for item in items if item.role in (FaceRole.AGAIN, FaceRole.WRONGLY_TAKEN)]
    return Violation(ViolationKind.WRONG_TAKER, player, _cards_of(settled, player), True, Rule.HIGHER_CARD)


def _is_put_right(pos: Position, held: Violation, seen: Seen) -> bool:
    """Whether the table is right again, so that this look is judged on its own; an empty table never is."""
    if not any(seen.faces.values()) and not seen.piles:
        return False
    match held.kind:
        case ViolationKind.TOO_FEW_DOWN:
            return bool(seen.backs and held.player in seen.backs)
        case ViolationKind.WRONG_TAKER:
            return _is_rightly_taken(pos, seen) or is_all_new(pos, seen, None)
        case ViolationKind.ILLEGAL_STEAL:
            return steal_war.as_expected(pos, seen) or is_all_new(pos, seen, None)
    return True


def _is_rightly_taken(pos: Position, seen: Seen) -> bool:
    roles = {item.role for item in classify_settled(pos, seen)}
    return FaceRole.WRONGLY_TAKEN not in roles and bool(roles & {FaceRole.AGAIN, FaceRole.TAKEN})


# --- another code for a card that lies there: never a silent change of a ruling (INTERFACES (a), (c)) --


def _take_rereadings(turn: Turn, items: list[ClassifiedFace], anew: bool) -> None:
    """Take what was read better or anew while a round is fought; a changed face is shown.

    `anew` says that the table was empty since: a sure reading then is another card, however sure the old one.
    """
    changed = False
    for item in items:
        if item.role is FaceRole.AGAIN or item.role is FaceRole.REREAD:
            changed |= _take_rereading(turn, item, anew)
    if changed:
        now = turn.pos.round
        turn.say(Shown(now.number, now.faces, now.waiting))


def _take_rereading(turn: Turn, item: ClassifiedFace, anew: bool) -> bool:
    """Take the likelier reading of a face in play; True where that changes its rank before any ruling."""
    placed = turn.pos.round.laid[item.player].faces[item.index]
    other = item.role is FaceRole.REREAD
    likelier = item.face.p > placed.face.p or (
        other and (item.face.p == placed.face.p or anew and item.face.p >= readings.SURE)
    )
    if placed.face.said or not likelier:
        return False
    if _is_ruled_on(turn.pos.round, item) and _changes_ruling(turn.pos, item):
        _ask_about_rereading(turn, item, placed)
        return False
    hand = turn.pos.game.variant.hand
    turn.change(known=ownership.unplay(turn.pos.known, item.player, placed.bits))
    new = replace(readings.enter_face(turn, item.player, item.face, item.slot), under=placed.under)
    turn.change(known=ownership.note_played(turn.pos.known, item.player, new.bits, hand))
    _replace_face(turn, item.player, item.index, new)
    return new.card.rank is not placed.card.rank and not _is_ruled_on(turn.pos.round, item)


def _replace_face(turn: Turn, player: str, index: int, new: Placed) -> None:
    laid = turn.pos.round.laid[player]
    faces = (*laid.faces[:index], new, *laid.faces[index + 1 :])
    turn.change_round(laid={**turn.pos.round.laid, player: replace(laid, faces=faces)})


def _is_ruled_on(now: Round, item: ClassifiedFace) -> bool:
    """Whether a war or a verdict rests on this face."""
    return any(fought.get(item.player) == item.index for fought in now.fought)


def _changes_ruling(pos: Position, item: ClassifiedFace) -> bool:
    """Whether a tie or the verdict would come out otherwise with the new code."""
    return any(
        _outcome_of(pos, fought, item, item.face.card) != _outcome_of(pos, fought, item, None)
        for fought in pos.round.fought
        if fought.get(item.player) == item.index
    )


def _outcome_of(
    pos: Position, fought: Mapping[str, int], item: ClassifiedFace, card: Card | None
) -> tuple[tuple[str, ...], int]:
    faces = {player: pos.round.laid[player].faces[index].card for player, index in fought.items()}
    if card is not None:
        faces[item.player] = card
    best = highest(faces, pos.game.settings)
    return best, strength(faces[best[0]], pos.game.settings) if len(best) > 1 else 0


def _ask_about_rereading(turn: Turn, item: ClassifiedFace, placed: Placed) -> None:
    choices = (placed.card.code, item.face.card.code)
    face = (placed.look, placed.slot)
    number = turn.pos.round.number
    readings.ask_question(turn, Question(number, item.player, choices, Rule.READING, QuestionKind.REREAD, face))


def _take_settled_rereading(turn: Turn, item: ClassifiedFace, seen: Seen) -> bool:
    """Whether a new code beside settled faces is taken as a new reading of one; ask where it matters."""
    if item.index < 0:
        return False
    placed = turn.pos.round.laid[item.player].faces[item.index]
    if placed.face.said:
        return item.role is FaceRole.REREAD
    if seen.unmoved and item.role is not FaceRole.REREAD:
        # The camera knows what moved, and something did here: it is another card.
        return False
    same_rank = item.face.card.rank is placed.card.rank
    if item.face.p >= placed.face.p and _changes_ruling(turn.pos, item):
        _ask_about_rereading(turn, item, placed)
        return True
    return same_rank or item.role is FaceRole.REREAD


# --- new faces come into play, with the face-down cards due before them --------------------------------


def _lay_new(turn: Turn, seen: Seen, items: list[ClassifiedFace]) -> None:
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
    _say_early(turn, [item for item in items if item.role is FaceRole.EARLY] + left)


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
    tried = [(order, _try_order(turn, seen, order)) for order in _orders(turn, new)]
    fewest = min(len(left) for _, (_, left) in tried)
    fitting = [(order, after) for order, (after, left) in tried if len(left) == fewest]
    if fewest and all(after.pos.round.verdict is None for _, after in fitting):
        # The other players have not laid yet: the next look shows these faces again.
        return [item for item in fitting[0][0] if _is_only_one(new, item)] or None
    if len({_summarize(after.pos) for _, after in fitting}) > 1 and not turn.assuming:
        _ask_order(turn, seen, [order for order, _ in fitting])
        return None
    return fitting[0][0]


def _orders(turn: Turn, new: list[ClassifiedFace]) -> Iterator[list[ClassifiedFace]]:
    """Every order of each player's new faces that begins as a person said, the listed one first."""
    players = dict.fromkeys(item.player for item in new)
    ways = [_ways(turn, [item for item in new if item.player == player]) for player in players]
    for chosen in product(*ways):
        yield [item for way in chosen for item in way]


def _ways(turn: Turn, mine: list[ClassifiedFace]) -> list[tuple[ClassifiedFace, ...]]:
    first = turn.first.get(mine[0].player)
    ways = list(permutations(mine[:4]))
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


def _say_early(turn: Turn, items: Iterable[ClassifiedFace]) -> None:
    """A face from one who must not lay is said once and stays out."""
    for item in items:
        key = (item.player, item.face.card)
        if key not in turn.pos.round.told:
            turn.say(Violation(ViolationKind.EARLY_CARD, item.player, (item.face.card,), False, Rule.TOP_CARD))
            turn.change_round(told=turn.pos.round.told | {key})


# --- after the verdict ------------------------------------------------------------------------------


def _collect_or_go_on(turn: Turn, seen: Seen) -> None:
    items = classify_settled(turn.pos, seen)
    fault = _find_wrong_taker(items)
    if fault:
        turn.hold(fault)
        return
    if items and not turn.pos.cleared and all(_differs_in_suit(turn.pos, item) for item in items):
        return
    fresh = [item for item in items if item.role in (FaceRole.LAID, FaceRole.REREAD)]
    cleared = len(fresh) == len(items) and not (fresh and all(item.role is FaceRole.REREAD for item in fresh))
    if cleared or _is_played_again(turn.pos, seen, items):
        _begin_next_round(turn)
        _fight_round(turn, seen)
        return
    if turn.pos.blind or turn.pos.held:
        turn.change(blind=False, held=None)
    fresh = _show_spoils(turn, fresh)
    _say_early(turn, [item for item in fresh if not _take_settled_rereading(turn, item, seen)])


def _differs_in_suit(pos: Position, item: ClassifiedFace) -> bool:
    """Whether the face is a settled one again with, at most, its suit read differently: suits never decide."""
    placed = pos.round.laid.get(item.player, NOTHING).faces
    return bool(placed) and item.face.card.rank is placed[item.index].card.rank


def _is_played_again(pos: Position, seen: Seen, items: list[ClassifiedFace]) -> bool:
    """Whether a card just won is its winner's next card: everyone shows one new face, and it can be turned now."""
    playing = {player for player, n in pos.counts.items() if n}
    if len(items) != len(playing) or {item.player for item in items} != playing:
        return False
    old = [item for item in items if item.role is not FaceRole.LAID]
    return len(old) < len(items) and all(_is_turned_again(pos, seen, item) for item in old)


def _is_turned_again(pos: Position, seen: Seen, item: ClassifiedFace) -> bool:
    # Where a settled card still lies in its own seat, only the camera can know that it was laid anew.
    moved = bool(seen.unmoved) and item.player not in seen.unmoved
    possible = item.role is FaceRole.TAKEN or (item.role is FaceRole.AGAIN and moved)
    return possible and bool(pos.known.next_of(item.player, item.face.card.bits, pos.game.variant.hand))


def _begin_next_round(turn: Turn) -> None:
    pos = turn.pos
    players = tuple(player for player in pos.game.players if pos.counts[player])
    turn.change(
        round=Round(pos.round.number + 1, players, players, players, began=pos.known),
        asked=(),
        held=None,
        pending=None,
        cleared=True,
    )
    house_rules.take_up(turn)


def _show_spoils(turn: Turn, fresh: list[ClassifiedFace]) -> list[ClassifiedFace]:
    """Where the house shows the face-down cards when they are collected: note them; return the other faces."""
    now, rules = turn.pos.round, turn.pos.game.settings
    hidden = sum(laid.down for laid in now.laid.values()) - len(now.spoils)
    new = [item for item in fresh if item.role is FaceRole.LAID and item.face.card not in now.spoils]
    if not rules.show_spoils or not 0 < len(new) <= hidden:
        return [item for item in fresh if item.face.card not in now.spoils]
    for item in new:
        if isinstance(now.verdict, BattleWon) and item.face.card.suit:
            turn.change(known=ownership.learn(turn.pos.known, now.verdict.winner, item.face.card.bits))
    turn.change_round(spoils=(*now.spoils, *(item.face.card for item in new)))
    turn.say(Shown(now.number, _group_by_player(new), ()))
    return [item for item in fresh if item not in new and item.face.card not in now.spoils]


def _group_by_player(items: list[ClassifiedFace]) -> dict[str, tuple[Card, ...]]:
    players = dict.fromkeys(item.player for item in items)
    return {player: tuple(item.face.card for item in items if item.player == player) for player in players}


# --- answers ----------------------------------------------------------------------------------------


def apply_answer(turn: Turn, reply: Reply) -> None:
    """A person answered an open question: the face is that card, or that player's, and the round is judged on."""
    pos, pending = turn.pos, turn.pos.pending
    question, card = reply.question, reply.card
    turn.change(asked=tuple(open_ for open_ in pos.asked if open_ != question))
    if pos.round.verdict or pos.round.number != question.round:
        return
    if card is None:
        if pending is not None:
            turn.change(pending=None)
            _fight_round(turn, given_to(pending, question, reply.player))
        return
    if question.why == QuestionKind.ORDER:
        turn.first[question.about] = card
    faces = pos.round.laid.get(question.about, NOTHING).faces
    index = next((i for i, placed in enumerate(faces) if (placed.look, placed.slot) == question.face), None)
    if index is not None:
        readings.fix(turn, question.about, index, card)
    if pending is not None and not readings.blocking(turn.pos):
        turn.change(pending=None, blind=False, held=None)
        _fight_round(turn, pending)
    verdict.settle(turn)
