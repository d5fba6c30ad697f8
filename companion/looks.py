"""How looks become rounds: what on the settled table is new, re-read, too early, or simply still there.

Follows INTERFACES, "When looks become rounds" (a)-(f). Nothing here knows a rule of War beyond who must lay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion import doubt, knowledge, steal, verdict
from companion.cards import Card
from companion.events import Face, Question, QuestionKind, Seen, Violation, ViolationKind
from companion.position import NOTHING, Laid, Position, Round, Turn
from companion.rereading import reread_all, reread_settled
from companion.rulebook import Rule
from companion.sorting import Sort, Sorted, match, sort_look, sort_settled


def look(turn: Turn, seen: Seen) -> None:
    """Work one settled look into the position."""
    if turn.pos.round.verdict and not turn.pos.over:
        verdict.check_time(turn)
    if turn.pos.over:
        return
    if turn.pos.held and not _released(turn.pos, turn.pos.held, seen):
        return
    if seen.piles and turn.pos.piles:
        steal.see_piles(turn, seen)
        if turn.pos.over or turn.pos.held:
            return
    if turn.pos.round.verdict:
        _after_verdict(turn, seen)
    else:
        _during_round(turn, seen)


# --- while a round is fought ------------------------------------------------------------------------


def _during_round(turn: Turn, seen: Seen) -> None:
    items = sort_look(turn.pos, seen)
    if not items and not any(seen.faces.values()):
        turn.change(cleared=True) if not turn.pos.cleared else None
        return
    fault = _too_many(items) or _too_few_down(turn.pos, seen, items)
    if fault:
        turn.hold(fault)
        return
    if turn.pos.blind and _misfit(turn, items):
        turn.change(pending=seen)
        return
    if turn.pos.held or turn.pos.blind or turn.pos.cleared:
        turn.change(held=None, blind=False, cleared=False)
    _note_backs(turn, seen)
    reread_all(turn, items)
    _lay_all(turn, seen, items)


def _too_many(items: list[Sorted]) -> Violation | None:
    crowd = [item for item in items if item.sort is Sort.TOO_MANY]
    if not crowd:
        return None
    player = crowd[0].player
    cards = tuple(item.face.card for item in sorted(items, key=lambda i: i.slot) if item.player == player)
    return Violation(ViolationKind.TOO_MANY_CARDS, player, cards, True, Rule.TOP_CARD)


def _too_few_down(pos: Position, seen: Seen, items: list[Sorted]) -> Violation | None:
    """Only an exact number can tell that cards are missing (INTERFACES (f))."""
    if not (seen.backs and pos.round.wars) or pos.round.revealing:
        return None
    for item in items:
        if item.sort is Sort.LAID and item.player in seen.backs:
            missing = _missing(pos, item.player, seen.backs[item.player])
            if missing:
                cards = (item.face.card,)
                kind = ViolationKind.TOO_FEW_DOWN
                return Violation(kind, item.player, cards, True, pos.round.wars[-1].rule, missing)
    return None


def _missing(pos: Position, player: str, backs: int) -> int:
    # A script may count the face-down cards of this war only, or all that lie there since the first tie.
    due, before = pos.round.due.get(player, 0), pos.round.laid.get(player, NOTHING).down
    if backs in (due, due + before):
        return 0
    return max(0, (due if backs < due else due + before) - backs)


def _released(pos: Position, held: Violation, seen: Seen) -> bool:
    """Whether this look may be judged on its own again."""
    faces = {player: cards for player, cards in seen.faces.items() if cards}
    if not faces:
        return False
    match held.kind:
        case ViolationKind.TOO_FEW_DOWN:
            return bool(seen.backs and held.player in seen.backs)
        case ViolationKind.WRONG_TAKER | ViolationKind.ILLEGAL_STEAL:
            return steal.as_expected(pos, seen) or _complete(pos, faces)
    return True


def _complete(pos: Position, faces: Mapping[str, tuple[Face, ...]]) -> bool:
    """Whether everyone who has cards shows a new one."""
    playing = [player for player, n in pos.counts.items() if n]
    return all(match(pos.round.laid.get(p, NOTHING).faces, faces.get(p, ()))[1] for p in playing)


def _misfit(turn: Turn, items: list[Sorted]) -> bool:
    """After blindness: ask about a shown face that is another now, instead of ruling."""
    odd = [item for item in items if item.sort is Sort.REREAD]
    for item in odd:
        placed = turn.pos.round.laid[item.player].faces[item.index]
        choices = (placed.card.code, item.face.card.code)
        face = (placed.look, placed.slot)
        number = turn.pos.round.number
        doubt.ask(turn, Question(number, item.player, choices, Rule.READING, QuestionKind.BLIND, face))
    return bool(odd)


def _note_backs(turn: Turn, seen: Seen) -> None:
    """The camera's lower bound fills the war panel and nothing else."""
    backs = seen.backs_seen or seen.backs
    if backs and turn.pos.round.wars and backs != turn.pos.round.seen_backs:
        turn.change_round(seen_backs=dict(backs))


# --- laying -----------------------------------------------------------------------------------------


def _lay_all(turn: Turn, seen: Seen, items: list[Sorted]) -> None:
    """Lay what is new, one face a player, then judge; a face left over waits for the tie that needs it."""
    queue = sorted((item for item in items if item.sort is Sort.LAID), key=lambda item: -item.face.p)
    while True:
        firsts = {item.player: item for item in reversed(queue) if item.player in turn.pos.round.waiting}
        chosen = [item for item in queue if firsts.get(item.player) is item]
        for item in chosen:
            _lay(turn, seen, item)
        queue = [item for item in queue if item not in chosen]
        verdict.settle(turn)
        if not chosen or turn.pos.round.verdict:
            break
    _say_early(turn, [item for item in items if item.sort is Sort.EARLY] + queue)


def _lay(turn: Turn, seen: Seen, item: Sorted) -> None:
    """One face comes into play, with the face-down cards that were due before it."""
    player, now = item.player, turn.pos.round
    placed = doubt.read(turn, player, item.face, item.slot)
    laid = now.laid.get(player, NOTHING)
    down, exact = _downs(turn, seen, player)
    steal.draw(turn, player, down + 1)
    known = turn.pos.known
    if down:
        known = knowledge.lay_down(known, player, down)
    known = knowledge.play(known, player, placed.card.bits)
    faces = (*laid.faces, replace(placed, under=laid.ahead + down))
    spent = 0 if now.revealing else down + 1
    turned = -1 if now.revealing else down
    after = Laid(faces, laid.down + turned, 0, exact and (laid.exact or bool(seen.backs)))
    turn.change(
        counts={**turn.pos.counts, player: turn.pos.counts[player] - spent},
        known=known,
        round=replace(
            now,
            laid=_in_seats(turn.pos, {**now.laid, player: after}),
            waiting=tuple(p for p in now.waiting if p != player),
        ),
    )


def _in_seats(pos: Position, laid: dict[str, Laid]) -> dict[str, Laid]:
    return {player: laid[player] for player in pos.game.players if player in laid}


def _downs(turn: Turn, seen: Seen, player: str) -> tuple[int, bool]:
    """Face-down cards that come with the player's face, and whether their number is known."""
    now = turn.pos.round
    due = now.due.get(player, 0)
    if not now.wars or now.revealing:
        return 0, True
    if not seen.backs or player not in seen.backs:
        return due, due == 0
    backs, before = seen.backs[player], now.laid.get(player, NOTHING).down
    extra = backs - (due + before)
    if extra <= 0:
        return due, True
    cards = (turn.pos.round.laid[player].faces[-1].card,)
    turn.say(Violation(ViolationKind.TOO_MANY_DOWN, player, cards, False, now.wars[-1].rule, -extra))
    return min(due + extra, turn.pos.counts[player] - 1), True


def _say_early(turn: Turn, items: list[Sorted]) -> None:
    """A face from one who must not lay is said once and stays out."""
    for item in items:
        key = (item.player, item.face.card)
        if key not in turn.pos.round.told:
            turn.say(Violation(ViolationKind.EARLY_CARD, item.player, (item.face.card,), False, Rule.TOP_CARD))
            turn.change_round(told=turn.pos.round.told | {key})


# --- after the verdict ------------------------------------------------------------------------------


def _after_verdict(turn: Turn, seen: Seen) -> None:
    items = sort_settled(turn.pos, seen)
    settled = [item for item in items if item.sort is Sort.AGAIN]
    fresh = [item for item in items if item.sort is not Sort.AGAIN]
    if not settled and not (fresh and all(item.sort is Sort.REREAD for item in fresh)):
        _next_round(turn)
        if fresh:
            _during_round(turn, seen)
        return
    if turn.pos.blind:
        turn.change(blind=False)
    early = []
    for item in fresh:
        if not reread_settled(turn, item):
            early.append(item)
    _say_early(turn, early)


def _next_round(turn: Turn) -> None:
    pos = turn.pos
    players = tuple(player for player in pos.game.players if pos.counts[player])
    asked = tuple(question for question in pos.asked if question.why != QuestionKind.REREAD)
    turn.change(round=Round(pos.round.number + 1, players, players, players), asked=asked, held=None, cleared=True)


# --- answers ----------------------------------------------------------------------------------------


def answer(turn: Turn, question: Question, card: Card) -> None:
    """A person answered an open question: the face is that card, and the round is judged on."""
    pos = turn.pos
    turn.change(asked=tuple(open_ for open_ in pos.asked if open_ != question))
    if pos.round.verdict or pos.round.number != question.round:
        return
    faces = pos.round.laid.get(question.about, NOTHING).faces
    index = next((i for i, placed in enumerate(faces) if (placed.look, placed.slot) == question.face), None)
    if index is not None:
        doubt.fix(turn, question.about, index, card)
    pending = turn.pos.pending
    if pending is not None:
        turn.change(pending=None, blind=False)
        look(turn, pending)
    verdict.settle(turn)
