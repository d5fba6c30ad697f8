"""New faces come into play, with the face-down cards due before them, or are read anew; and the round is judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations, product

from msgspec.structs import replace

from companion.referee import ownership, readings, steal_war, verdict
from companion.referee.cards import Card
from companion.referee.classify import ClassifiedFace, FaceRole
from companion.referee.events import (
    BattleWon,
    Notice,
    NoticeKind,
    Question,
    QuestionKind,
    Seen,
    Shown,
    Violation,
    ViolationKind,
)
from companion.referee.position import NOTHING, SURE, Laid, Placed, Position, Round, Turn
from companion.referee.rulebook import Rule
from companion.referee.wars import highest, strength

#: Faces of one player first seen in one look whose orders are gone through.
MOST_FACES = 5
#: With so few cards left, who does not lay may have none: a card or two more or less is how counts drift.
FEW = 3


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
    unfinished = all(after.pos.round.verdict is None and after.pos.round.waiting for _, after in fitting)
    if (fewest or unfinished) and (face_up := _laid_face_up(turn.pos, new)):
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


def take_face_up(turn: Turn, items: list[ClassifiedFace]) -> list[ClassifiedFace]:
    """The faces of the look once those are taken out that somebody lays face up, one by one, before others have laid.

    As soon as so many lie there as the war takes in all, the last one laid fights instead of the first.
    """
    for player in _laying_face_up(turn.pos, items):
        mine = [item for item in items if item.player == player and item.role is FaceRole.EARLY]
        if len(mine) == turn.pos.round.due[player] > 1:
            _fight_instead(turn, mine)
        items = [item for item in items if item not in mine]
    return items


def _laying_face_up(pos: Position, items: list[ClassifiedFace]) -> list[str]:
    """Who has laid his card of a war while others have not, and shows more beside it."""
    now = pos.round
    if not (now.wars and now.waiting) or now.revealing:
        return []
    there = {item.player for item in items if item.role is FaceRole.AGAIN}
    more = dict.fromkeys(item.player for item in items if item.role is FaceRole.EARLY)
    laid = (p for p in more if p in there and p in now.fighters and p not in now.waiting)
    return [p for p in laid if now.due.get(p) and not now.has_fought(p)]


def _fight_instead(turn: Turn, mine: list[ClassifiedFace]) -> None:
    """The last of these faces fights instead of the player's first, which lies there for one of the face-down cards."""
    player, last = mine[0].player, mine[-1]
    *faces, first = turn.pos.round.laid[player].faces
    turn.remind(NoticeKind.FACE_UP, player)
    readings.take_back(turn, player)
    placed = replace(readings.enter_face(turn, player, last.face, last.slot), under=first.under)
    known = ownership.note_played(turn.pos.known, player, placed.bits, turn.pos.game.variant.hand)
    under = {(player, first.face.card), *((player, item.face.card) for item in mine[:-1])}
    now = turn.pos.round
    laid = replace(now.laid[player], faces=(*faces, placed))
    turn.change(known=known, round=replace(now, laid={**now.laid, player: laid}, ghosts=now.ghosts | under))


def find_face_up_late(pos: Position, fresh: list[ClassifiedFace], due: Mapping[str, int]) -> ClassifiedFace | None:
    """The last of the faces beside one who won, lost or tied a war by the first of as many as it takes (`due`)."""
    for player, n in due.items() if pos.round.wars else ():
        mine = [item for item in fresh if item.player == player]
        if n and len(mine) == n:
            index = len(pos.round.laid[player].faces) - 1
            return ClassifiedFace(FaceRole.REREAD, player, mine[-1].slot, mine[-1].face, index)
    return None


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
        if turn.pos.round.verdict and turn.mark_said(ViolationKind.EARLY_CARD, ""):
            # That cards are laid beside uncollected ones is said once in a game: it stops no round.
            continue
        wars = turn.pos.round.wars
        rule = Rule.WAR_PART if wars and item.player not in wars[-1].who else Rule.TOP_CARD
        turn.say(Violation(ViolationKind.EARLY_CARD, item.player, (item.face.card,), False, rule))


# --- another code for a card that lies there: never a silent change of a ruling (INTERFACES (a), (c)) --


def take_rereadings(turn: Turn, items: list[ClassifiedFace], anew: bool) -> None:
    """Take what was read better or anew while a round is fought; a changed face is shown.

    `anew` says that the table was empty since: a sure reading then is another card, however sure the old one.
    """
    changed = False
    another: list[tuple[str, Card, Card]] = []
    for item in items:
        if item.role is FaceRole.AGAIN or item.role is FaceRole.REREAD:
            old = turn.pos.round.laid[item.player].faces[item.index]
            changed |= _take_rereading(turn, item, anew)
            new = turn.pos.round.laid[item.player].faces[item.index]
            if anew and old.card.rank is not new.card.rank and min(old.face.p, new.face.p) >= SURE:
                another.append((item.player, old.card, new.card))
    if changed:
        now = turn.pos.round
        turn.say(Shown(now.number, now.faces, now.waiting))
    _say_another_card(turn, another)


def _say_another_card(turn: Turn, another: list[tuple[str, Card, Card]]) -> None:
    """Players laid another card before the round was judged: one of the rest has none left, or they exchanged it."""
    pos = turn.pos
    few = next((player for player in pos.round.waiting if pos.counts[player] <= FEW), None)
    for player, old, new in another:
        if few is None:
            turn.say(Notice(NoticeKind.EXCHANGED, player, (old, new)))
        else:
            turn.remind(NoticeKind.COUNT_NOW, few)


def _take_rereading(turn: Turn, item: ClassifiedFace, anew: bool) -> bool:
    """Take the likelier reading of a face in play; True where that changes its rank before any ruling."""
    placed = turn.pos.round.laid[item.player].faces[item.index]
    other = item.role is FaceRole.REREAD
    likelier = item.face.p > placed.face.p or (other and (item.face.p == placed.face.p or anew and item.face.p >= SURE))
    if placed.face.said or not likelier:
        return False
    if _is_ruled_on(turn.pos.round, item) and changes_ruling(turn.pos, item):
        ask_about_rereading(turn, item, placed)
        return False
    hand = turn.pos.game.variant.hand
    if anew:
        readings.take_back(turn, item.player)
    else:
        turn.change(known=ownership.unplay(turn.pos.known, item.player, placed.bits))
    new = replace(readings.enter_face(turn, item.player, item.face, item.slot), under=placed.under)
    turn.change(known=ownership.note_played(turn.pos.known, item.player, new.bits, hand))
    replace_face(turn, item.player, item.index, new)
    return new.card.rank is not placed.card.rank and not _is_ruled_on(turn.pos.round, item)


def replace_face(turn: Turn, player: str, index: int, new: Placed) -> None:
    """Put another face in the place of the player's face number `index`; what is known stays."""
    laid = turn.pos.round.laid[player]
    faces = (*laid.faces[:index], new, *laid.faces[index + 1 :])
    turn.change_round(laid={**turn.pos.round.laid, player: replace(laid, faces=faces)})


def _is_ruled_on(now: Round, item: ClassifiedFace) -> bool:
    """Whether a war or a verdict rests on this face."""
    return any(fought.get(item.player) == item.index for fought in now.fought)


def changes_ruling(pos: Position, item: ClassifiedFace) -> bool:
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


def ask_about_rereading(turn: Turn, item: ClassifiedFace, placed: Placed) -> None:
    """Ask which of the two cards lies there, though it was ruled on."""
    choices = (placed.card.code, item.face.card.code)
    face = (placed.look, placed.slot)
    number = turn.pos.round.number
    readings.ask_question(turn, Question(number, item.player, choices, Rule.READING, QuestionKind.REREAD, face))
