"""How looks become rounds (INTERFACES, "When looks become rounds"): the way of one settled table into the position.

Down the page: a look comes in; what keeps it from being judged; while a round is fought each face is classified, a
violation holds or a question waits, re-readings are taken, new faces are laid and the round is settled; after the
verdict the cards are collected or the next round begins. No rule of War is here beyond who must lay.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from msgspec.structs import replace

from companion.referee import moved_cards, ownership, placement, readings, steal_war, verdict, wars
from companion.referee.cards import Card, pack
from companion.referee.classify import (
    ClassifiedFace,
    FaceRole,
    classify_beside,
    classify_look,
    classify_settled,
    has_laid_on,
    is_all_new,
    match_faces,
)
from companion.referee.effects import Reply, given_to
from companion.referee.events import (
    Basis,
    BattleWon,
    EndReason,
    Notice,
    NoticeKind,
    Question,
    QuestionKind,
    Seen,
    Shown,
    Violation,
    ViolationKind,
)
from companion.referee.game import Game
from companion.referee.position import NOTHING, SURE, Placed, Position, Round, Turn
from companion.referee.rulebook import Rule
from companion.referee.settings import RulesError, Settings
from companion.referee.variants import settings_for
from companion.referee.wars import highest, latest, others

#: What is settled by the deal.
DEALT = ("jokers", "leftover")
#: What says how long is played: counted from when it was agreed.
LENGTH = ("end", "end_minutes", "end_rounds")
#: What is asked of a table that has no answer once another fits.
OF_THE_TABLE = (QuestionKind.BLIND, QuestionKind.WHOSE, QuestionKind.COUNT)


def apply_look(turn: Turn, seen: Seen) -> None:
    """Work one settled look into the position."""
    if turn.pos.over:
        _doubt_end(turn, seen)
        return
    _judge_look(turn, seen)
    verdict.call_time(turn)


def _judge_look(turn: Turn, seen: Seen) -> None:
    moved_cards.forget_heap(turn, seen)
    moved_cards.note_put_back(turn, seen)
    if not _may_be_judged(turn, seen):
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
        fight_round(turn, seen)
    moved_cards.note_collected(turn, seen)


def _may_be_judged(turn: Turn, seen: Seen) -> bool:
    """Whether the look may be judged: not while held, and past a question only when the next round is laid."""
    pos = turn.pos
    if pos.held and pos.held.kind is ViolationKind.TOO_FEW_DOWN and is_all_new(pos, seen, pos.pending):
        _rule_by_likeliest(turn)
    elif pos.held and pos.held.kind is ViolationKind.WRONG_TAKER and not any(seen.faces.values()):
        # Whoever has the cards now: the table is cleared, and any card that is laid is the next round's.
        turn.change(cleared=True)
        for player in (pos.held.player, *getattr(pos.round.verdict, "takes", ())):
            turn.mark_said(ViolationKind.WRONG_TAKER, player)
        if seen.piles and pos.piles:
            steal_war.see_piles(turn, seen)
        return False
    elif pos.held and not _is_put_right(pos, pos.held, seen):
        return False
    elif pos.held and pos.held.kind in (ViolationKind.WRONG_TAKER, ViolationKind.ILLEGAL_STEAL):
        turn.change(held=None)
    if readings.blocking(turn.pos) and (is_all_new(turn.pos, seen, turn.pos.pending) or _is_fought_on(turn.pos, seen)):
        _rule_by_likeliest(turn)
    if _is_played_on(turn.pos, seen):
        _rule_without(turn)
        turn.change(pending=seen)
    return not turn.pos.over


def _rule_by_likeliest(turn: Turn) -> None:
    """Nobody answered and the next round lies there: rule by the likeliest reading, and say it is assumed."""
    pos, pending = turn.pos, turn.pos.pending
    turn.assuming = Basis.READING
    # Who ties does not collect: cards that were taken away were no tie.
    turn.collected = pos.cleared
    turn.change(held=None, blind=False, pending=None, asked=readings.not_blocking(pos))
    if pending is not None:
        fight_round(turn, dataclasses.replace(pending, backs=None))
    verdict.settle(turn)
    turn.assuming, turn.collected = None, False


def _is_played_on(pos: Position, seen: Seen) -> bool:
    """Whether the table was cleared and new cards lie there, though somebody's card was never seen."""
    now = pos.round
    if now.verdict or not now.waiting or readings.blocking(pos) or not (pos.cleared or _is_laid_beside(pos, seen)):
        return False
    few = now.wars and all(pos.counts[player] <= placement.FEW for player in now.waiting)
    faces = latest(pos) if few else {p: card for p, card in others(pos, now.waiting).items() if p in now.fighters}
    new = not pos.cleared or is_all_new(pos, seen, None)
    return new and len(faces) > 1 and len(highest(faces, pos.game.settings)) == 1


def _is_laid_beside(pos: Position, seen: Seen) -> bool:
    """Whether everybody who has laid shows one more card beside it, while others have none or hardly any left."""
    laid = {player for player in pos.round.laid if player not in pos.round.waiting}
    matched = {player: match_faces(pos, seen, player) for player in pos.round.fighters}
    few = all(pos.counts[player] <= placement.FEW for player in pos.round.waiting) and not pos.round.wars
    return few and all((len(one.again), len(one.fresh)) == (p in laid, p in laid) for p, one in matched.items())


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
    few = now.wars and all(turn.pos.counts[player] <= placement.FEW for player in now.waiting)
    # In a war the card that lies counts of those who have none left to lay.
    left = now.fighters if few else tuple(player for player in now.fighters if player not in now.waiting)
    turn.change_round(fighters=left, waiting=())
    verdict.settle(turn)
    for player in now.waiting:
        if turn.pos.counts[player] <= placement.FEW or (ViolationKind.WRONG_TAKER, player) in turn.pos.reminded:
            turn.remind(NoticeKind.COUNT_NOW, player)
    turn.assuming = None


def _doubt_end(turn: Turn, seen: Seen) -> None:
    """Everybody lays on though one has won all cards: the table knows better than the count."""
    laying = {player: faces[0].card for player, faces in seen.faces.items() if len(faces) == 1}
    old = {card for cards in turn.pos.round.faces.values() for card in cards}
    lies = len(laying) > 1 and not old & {*laying.values()}
    if lies and turn.pos.over and turn.pos.over.reason == EndReason.ALL_CARDS:
        turn.change(pending=seen)
        for player in turn.pos.out:
            if player in laying:
                turn.remind(NoticeKind.COUNT_NOW, player, (laying[player],))


def _ignore_ghosts(turn: Turn, seen: Seen) -> None:
    ghosts = {(player, card) for player, cards in (seen.ghosts or {}).items() for card in cards}
    turn.change_round(ghosts=turn.pos.round.ghosts | ghosts)


# --- while a round is fought ------------------------------------------------------------------------


def fight_round(turn: Turn, look: Seen) -> None:
    """Work a look into a round that is not judged yet."""
    seen = moved_cards.follow_moved(turn, look)
    if seen is None:
        return
    items = placement.take_face_up(turn, classify_look(turn.pos, seen))
    if readings.blocking(turn.pos) and items and not turn.pos.blind:
        # A better reading may answer the question, and with it what else lies there.
        placement.take_rereadings(turn, items, anew=False)
        verdict.settle(turn)
        if turn.pos.round.verdict:
            _collect_or_go_on(turn, seen)
            return
        items = classify_look(turn.pos, seen)
    if not items:
        if not (turn.pos.cleared or turn.pos.round.moved):
            turn.change(cleared=True)
        return
    fault = _find_too_many_cards(items) or _find_too_few_down(turn.pos, seen, items)
    if fault:
        turn.hold(fault)
        turn.change(pending=seen if fault.kind is ViolationKind.TOO_FEW_DOWN else None)
        return
    if not turn.assuming and (_ask_to_count(turn, items) or _ask_about_unexpected(turn, items)):
        turn.change(pending=seen)
        return
    anew, before = turn.pos.cleared, turn.pos.round
    absent = frozenset(turn.pos.round.laid) if anew else turn.pos.round.absent
    if absent:
        turn.change_round(absent=absent - {item.player for item in items})
    _release(turn)
    _note_backs(turn, seen)
    placement.take_rereadings(turn, items, anew)
    placement.lay_new(turn, seen, items)
    if before.wars and turn.pos.round.verdict:
        laid = [item for item in classify_settled(turn.pos, seen) if item.role is FaceRole.LAID]
        _doubt_face_up(turn, laid, before.due)
    elif before.wars and len(turn.pos.round.wars) > len(before.wars):
        _doubt_face_up(turn, classify_beside(turn.pos, seen), before.due)


def _ask_to_count(turn: Turn, items: list[ClassifiedFace]) -> bool:
    """Ask for the counts, instead of ruling, where one who is out by the count lays a card with the others."""
    pos = turn.pos
    laid = [item for item in items if item.player in pos.out and item.role is FaceRole.EARLY]
    if not laid or pos.round.wars:
        return False
    who, face = laid[0].player, (turn.look, laid[0].slot)
    readings.ask_question(turn, Question(pos.round.number, who, (), Rule.OUT, QuestionKind.COUNT, face))
    return True


def _release(turn: Turn) -> None:
    """A look that fits releases what held, ends blindness and takes back questions about what was unseen."""
    pos = turn.pos
    if pos.held or pos.blind or pos.cleared or pos.pending:
        asked = tuple(question for question in pos.asked if question.why not in OF_THE_TABLE)
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
            return _is_rightly_taken(pos, seen) or is_all_new(pos, seen, None) or pos.cleared
        case ViolationKind.ILLEGAL_STEAL if not seen.piles:
            # Nothing tells of the piles: a card in the thief's place is the one that was taken back.
            return bool(seen.faces.get(held.player))
        case ViolationKind.ILLEGAL_STEAL:
            return steal_war.as_expected(pos, seen) or is_all_new(pos, seen, None)
    return True


def _is_rightly_taken(pos: Position, seen: Seen) -> bool:
    roles = {item.role for item in classify_settled(pos, seen)}
    return FaceRole.WRONGLY_TAKEN not in roles and bool(roles & {FaceRole.AGAIN, FaceRole.TAKEN})


# --- after the verdict: a code read anew, or another card ------------------------------------------------


def _take_settled_rereading(turn: Turn, item: ClassifiedFace, seen: Seen) -> bool:
    """Whether a new code beside settled faces is taken as a new reading of one; ask where it matters."""
    if item.index < 0:
        return False
    placed = turn.pos.round.laid[item.player].faces[item.index]
    if placed.face.said:
        return item.role is FaceRole.REREAD
    taken_back = item.role is not FaceRole.REREAD and item.player not in turn.pos.round.lain
    if seen.unmoved and item.role is not FaceRole.REREAD and not taken_back:
        # The camera knows what moved, and something did here: it is another card.
        return False
    same_rank = item.face.card.rank is placed.card.rank
    if item.face.p >= placed.face.p and placement.changes_ruling(turn.pos, item):
        placement.ask_about_rereading(turn, item, placed)
        return True
    if taken_back and not same_rank and item.face.p >= SURE:
        _exchange(turn, item)
        return True
    return same_rank or item.role is FaceRole.REREAD


def _exchange(turn: Turn, item: ClassifiedFace) -> None:
    """A card that was shown and taken back lies there as another now, and it changes nothing that was ruled."""
    now, player = turn.pos.round, item.player
    old = now.laid[player].faces[item.index]
    turn.say(Notice(NoticeKind.EXCHANGED, player, (old.card, item.face.card)))
    new = Placed(item.face.card, item.face, turn.look, item.slot, under=old.under)
    placement.replace_face(turn, player, item.index, new)
    turn.change_round(lain=now.lain | {player})
    if isinstance(now.verdict, BattleWon):
        winner, piles = now.verdict.winner, turn.pos.piles
        turn.change(known=ownership.exchange(turn.pos.known, winner, player, old.bits, new.bits))
        if piles:
            won = tuple(new.card if card == old.card else card for card in piles[winner])
            turn.change(piles={**piles, winner: won})


# --- after the verdict ------------------------------------------------------------------------------


def _collect_or_go_on(turn: Turn, seen: Seen) -> None:
    items = classify_settled(turn.pos, seen)
    anew = turn.pos.cleared and any(item.role is FaceRole.LAID for item in items)
    fault = _find_wrong_taker(items)
    if fault and not anew:
        turn.hold(fault)
        return
    shown = {item.player for item in items}
    if (
        not turn.pos.cleared
        and shown >= set(turn.pos.round.faces)
        and all(_differs_in_suit(turn.pos, item) for item in items)
    ):
        return
    if not anew and (heap := moved_cards.find_heap(turn.pos, items)):
        _play_beside_heap(turn, seen, heap)
        return
    fresh = [item for item in items if item.role in (FaceRole.LAID, FaceRole.REREAD)]
    cleared = len(fresh) == len(items) and not (fresh and all(item.role is FaceRole.REREAD for item in fresh))
    if cleared or anew or _is_played_again(turn.pos, seen, items):
        _begin_next_round(turn)
        fight_round(turn, seen)
        return
    if turn.pos.blind or turn.pos.held:
        turn.change(blind=False, held=None)
    taken = {(item.player, item.face.card) for item in items if item.role is FaceRole.TAKEN}
    if taken - turn.pos.round.kept:
        turn.change_round(kept=turn.pos.round.kept | taken)
    fresh = _show_spoils(turn, fresh)
    if _doubt_face_up(turn, fresh, turn.pos.round.due):
        return
    new = [item for item in fresh if not _take_settled_rereading(turn, item, seen)]
    if not moved_cards.is_collected(turn.pos, items):
        placement.say_early(turn, new)


def _doubt_face_up(turn: Turn, fresh: list[ClassifiedFace], due: Mapping[str, int]) -> bool:
    """Whether the cards of a war were laid face up and the first of them ruled it; ask where the last says else.

    `due` is how many cards each had to lay face down in that war.
    """
    last = placement.find_face_up_late(turn.pos, fresh, due)
    if last is None:
        return False
    differs = placement.changes_ruling(turn.pos, last)
    if due[last.player] > 1 or differs:
        turn.remind(NoticeKind.FACE_UP, last.player)
    if differs:
        placement.ask_about_rereading(turn, last, turn.pos.round.laid[last.player].faces[last.index])
    return due[last.player] > 1 or differs


def _play_beside_heap(turn: Turn, seen: Seen, heap: list[ClassifiedFace]) -> None:
    """The next round lies beside cards of the last: it is judged without them, and a friendly word is said once."""
    won = turn.pos.round.verdict
    _begin_next_round(turn)
    turn.change_round(heap=turn.pos.round.heap | {(item.player, item.face.card) for item in heap})
    turn.remind(NoticeKind.HEAP, next(iter(won.takes)) if isinstance(won, BattleWon) else heap[0].player)
    fight_round(turn, seen)


def _differs_in_suit(pos: Position, item: ClassifiedFace) -> bool:
    """Whether the face is a settled one again with, at most, its suit read differently: suits never decide."""
    placed = pos.round.laid.get(item.player, NOTHING).faces
    return item.index >= 0 and item.face.card.rank is placed[item.index].card.rank


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
    taken = item.role is FaceRole.TAKEN and (item.player, item.face.card) not in pos.round.kept
    possible = taken or (item.role is FaceRole.AGAIN and moved)
    return possible and moved_cards.may_turn_won(pos, item.player, item.face.card)


def _begin_next_round(turn: Turn) -> None:
    pos = turn.pos
    players = tuple(player for player in pos.game.players if pos.counts[player])
    won = pos.round.verdict
    before = {player: laid.faces for player, laid in pos.round.laid.items()} if isinstance(won, BattleWon) else {}
    took = moved_cards.find_taken_back(pos, won) if isinstance(won, BattleWon) else frozenset()
    begun = Round(pos.round.number + 1, players, players, players, began=pos.known, heap=pos.round.heap)
    turn.change(
        round=replace(begun, before=before, took=took),
        asked=(),
        held=None,
        pending=None,
        cleared=True,
    )
    _take_up_agreement(turn)


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


# --- people counted ---------------------------------------------------------------------------------


def apply_count(turn: Turn, counted: Mapping[str, int]) -> None:
    """Set the counts right; who is out plays on with the cards counted, and everything later follows."""
    pos = turn.pos
    counts = {**pos.counts, **{player: n + _count_pending(pos, player) for player, n in counted.items()}}
    turn.say(Notice(NoticeKind.COUNTED, counts=counts, before=dict(pos.counts)))
    if not pos.round.verdict and sum(counts.values()) + pos.round.pot > pack(pos.game.settings.jokers).bit_count():
        # All cards were counted: those of a round that was never judged are among them.
        turn.change_round(laid={}, fought=(), wars=(), due={}, joined=0, waiting=pos.round.players)
        pos = turn.pos
    known, piles = pos.known, dict(pos.piles)
    for player in pos.game.players:
        if counts[player] != pos.counts[player]:
            piles |= {player: ()} if len(piles.get(player, ())) > counts[player] else {}
            up = len(piles.get(player, ()))
            known = ownership.recount(known, player, counts[player] - up, up)
    lie = {player for player, laid in pos.round.laid.items() if laid.size and not pos.round.verdict}
    back = [player for player in pos.out if counts[player]]
    plays_on = pos.over and pos.over.reason == EndReason.ALL_CARDS and sum(map(bool, counts.values())) > 1
    turn.change(
        counts=counts,
        known=known,
        piles=piles,
        loose={player: min(n, len(piles[player])) for player, n in pos.loose.items()},
        out=tuple(player for player in pos.out if player not in back),
        over=None if plays_on else pos.over,
        asked=tuple(question for question in pos.asked if question.why != QuestionKind.COUNT),
    )
    if turn.pos.over:
        return
    if not pos.round.verdict:
        _recount_round(turn, {p for p in pos.game.players if counts[p] or p in lie})
    _go_on_after_count(turn)


def _count_pending(pos: Position, player: str) -> int:
    """The cards of the player that lie on the table, but are not in play until it is known who has how many."""
    return len(match_faces(pos, pos.pending, player).fresh) if pos.pending else 0


def _recount_round(turn: Turn, playing: set[str]) -> None:
    """Who has cards takes part in a round that is not a war yet; who has none and laid none does not."""
    now, players = turn.pos.round, turn.pos.game.players
    part = [p for p in players if p in playing and (p in now.players or not now.wars)]
    fighters = tuple(p for p in part if p in now.fighters or not now.wars)
    laid = {p for p in now.laid if now.laid[p].faces}
    waiting = tuple(
        p for p in fighters if turn.pos.counts[p] and (p in now.waiting or (not now.wars and p not in laid))
    )
    due = {p: min(n, wars.able(turn.pos, p)) for p, n in now.due.items()}
    turn.change_round(players=tuple(part), fighters=fighters, waiting=waiting, due=due)


def _go_on_after_count(turn: Turn) -> None:
    pending = turn.pos.pending
    if pending is not None and not readings.blocking(turn.pos):
        turn.change(pending=None)
        _judge_look(turn, pending)
    verdict.settle(turn)
    if not turn.pos.over:
        verdict.go_out(turn)
        if turn.pos.round.verdict or not turn.pos.round.laid:
            verdict.check_end(turn)


# --- other house rules from the next round on; the counts stay as they are ----------------------------


class NewDeal(RulesError):
    """The setting can only be chosen with a new deal."""


def combine_rules(pos: Position, rules: Mapping[str, object]) -> Settings:
    """The house rules in force once `rules` are added. Raises RulesError."""
    game = _game_ahead(pos)
    base = settings_for(game.variant.name, {})
    after = settings_for(game.variant.name, {**game.settings.changed(base), **rules})
    dealt = [key for key in DEALT if getattr(after, key) != getattr(game.settings, key)]
    if dealt:
        raise NewDeal(f"{dealt[0]} is settled when the cards are dealt: begin a new game for that.")
    return after


def apply_agreement(turn: Turn, rules: Mapping[str, object]) -> None:
    """Note what is agreed; it holds at once where no card of the round lies yet, else from the next round on."""
    before, after = _game_ahead(turn.pos), combine_rules(turn.pos, rules)
    keys = tuple(after.changed(before.settings))
    if not keys:
        turn.say(Notice(NoticeKind.NOTHING_TO_DO))
        return
    turn.say(Notice(NoticeKind.AGREED, house_rules=wars.house_rule_words(after, keys)))
    turn.change(agreed=dataclasses.replace(before, settings=after))
    now = turn.pos.round
    if now.verdict is None and not now.laid:
        _take_up_agreement(turn)


def _take_up_agreement(turn: Turn) -> None:
    """Play by what was agreed."""
    pos = turn.pos
    if pos.agreed is None:
        return
    anew = set(pos.agreed.settings.changed(pos.game.settings)).intersection(LENGTH)
    since = (turn.at, pos.round.number - 1) if anew else pos.since
    turn.change(game=pos.agreed, agreed=None, since=since)


def _game_ahead(pos: Position) -> Game:
    """The game as the next round is played."""
    return pos.agreed or pos.game


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
            fight_round(turn, given_to(pending, question, reply.player))
        return
    if question.why == QuestionKind.ORDER:
        turn.first[question.about] = card
    faces = pos.round.laid.get(question.about, NOTHING).faces
    index = next((i for i, placed in enumerate(faces) if (placed.look, placed.slot) == question.face), None)
    if index is not None:
        readings.fix(turn, question.about, index, card)
    if pending is not None and not readings.blocking(turn.pos):
        turn.change(pending=None, blind=False, held=None)
        fight_round(turn, pending)
    verdict.settle(turn)
