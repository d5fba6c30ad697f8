"""What follows once every fighter has laid: a winner, a war, a draw; who is out, and the end of the game."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from companion.referee import ownership, readings, wars
from companion.referee.cards import HIDDEN, Card
from companion.referee.events import (
    DRAW,
    Basis,
    BattleDrawn,
    BattleWon,
    EndReason,
    GameOver,
    NoticeKind,
    PlayerOut,
    WarDeclared,
)
from companion.referee.ownership import Lots
from companion.referee.position import NOTHING, Laid, Position, Round, Turn, piled
from companion.referee.rulebook import Rule
from companion.referee.settings import BothOut, Collect, CollectOrder, End, Short
from companion.referee.variants import Split


def settle(turn: Turn) -> None:
    """Judge as long as everything that must lie there lies there."""
    while _ready(turn.pos):
        faces = readings.decide(turn)
        if faces is None or _was_taken_back(turn, faces):
            return
        _judge(turn, faces)


def _was_taken_back(turn: Turn, faces: Mapping[str, Card]) -> bool:
    """Whether a card that ties is not there any more: nobody sees that tie, and another may be laid instead."""
    best = wars.highest(faces, turn.pos.game.settings)
    return len(best) > 1 and not turn.assuming and not turn.pos.round.absent.isdisjoint(best)


def _ready(pos: Position) -> bool:
    now = pos.round
    return not (now.verdict or now.waiting or pos.over) and all(now.laid.get(p, NOTHING).faces for p in now.fighters)


def _judge(turn: Turn, faces: Mapping[str, Card]) -> None:
    readings.say_clashes(turn)
    now = turn.pos.round
    best = wars.highest(faces, turn.pos.game.settings)
    rule = Rule.STANDS if now.has_fought(best[0]) else Rule.HIGHER_CARD
    fought = {player: len(now.laid[player].faces) - 1 for player in now.fighters}
    turn.change_round(fought=(*now.fought, fought))
    if len(best) == 1:
        win(turn, best[0], rule)
    else:
        tie(turn, best, faces[best[0]])


# --- war --------------------------------------------------------------------------------------------


def tie(turn: Turn, tied: tuple[str, ...], card: Card) -> None:
    """Declare the war of this tie, and settle what it settles at once."""
    pos = turn.pos
    declared = wars.war(replace(pos, round=replace(pos.round, fought=pos.round.fought[:-1])), tied, card)
    turn.say(declared)
    turn.change_round(
        wars=(*pos.round.wars, declared),
        fighters=declared.who,
        due=declared.down,
        waiting=tuple(player for player in declared.who if pos.counts[player]),
        revealing=False,
    )
    if declared.short and pos.game.settings.short is Short.LOSE:
        _short_lose(turn, declared)
    elif not turn.pos.round.waiting:
        _run_out(turn, declared.who)
    if turn.pos.round.waiting:
        turn.change_round(began=turn.pos.known)


def _short_lose(turn: Turn, declared: WarDeclared) -> None:
    lost = wars.losers(turn.pos, declared)
    if len(lost) == len(declared.who):
        _run_out(turn, lost)
        return
    left = tuple(player for player in declared.who if player not in lost)
    _join_pot(turn, lost)
    due = {player: min(declared.down[player], wars.able(turn.pos, player)) for player in left}
    turn.change_round(fighters=left, waiting=left, due=due)
    if len(left) == 1:
        win(turn, left[0], _short_rule(turn.pos))
    else:
        go_out(turn)


def _short_rule(pos: Position) -> Rule:
    return Rule.STEAL_SHORT if pos.game.variant.stealing else Rule.SHORT


def leave_war(turn: Turn, player: str) -> None:
    """One fighter is out of the war, the cards left to him in the pot; the rest go on, or one has won."""
    _join_pot(turn, (player,))
    now = turn.pos.round
    left = tuple(p for p in now.fighters if p != player)
    turn.change_round(fighters=left, waiting=tuple(p for p in now.waiting if p != player))
    if len(left) == 1:
        win(turn, left[0], _short_rule(turn.pos))
    else:
        go_out(turn)
        settle(turn)


def _join_pot(turn: Turn, lost: tuple[str, ...]) -> None:
    """The losers' remaining cards join the pot; they take no further part."""
    pos = turn.pos
    known = pos.known
    turn.short |= {player for player in lost if pos.counts[player]}
    for player in lost:
        if pos.game.variant.stealing:
            known = ownership.note_shuffled(known, player)
        known = ownership.lay_down(known, player, pos.counts[player])
    turn.change(
        counts={**pos.counts, **dict.fromkeys(lost, 0)},
        known=known,
        piles={**pos.piles, **dict.fromkeys(lost, ())} if pos.piles else pos.piles,
    )
    turn.change_round(
        joined=pos.round.joined + sum(pos.counts[player] for player in lost),
        players=tuple(player for player in pos.round.players if player not in lost),
    )


def _run_out(turn: Turn, fighters: tuple[str, ...]) -> None:
    """All who must fight have nothing left: the others' best card takes the pot, else `both_out` decides."""
    others = wars.others(turn.pos, fighters)
    if any(turn.pos.counts[player] for player in others):
        _others_take(turn, fighters, others)
        return
    match turn.pos.game.settings.both_out:
        case BothOut.REVEAL if all(turn.pos.round.laid[p].down for p in fighters):
            turn.change_round(revealing=True, waiting=fighters, due=dict.fromkeys(fighters, 0))
        case BothOut.RESHUFFLE:
            _take_back(turn)
        case _:
            declare_draw(turn)


def _others_take(turn: Turn, fighters: tuple[str, ...], others: Mapping[str, Card]) -> None:
    _join_pot(turn, fighters)
    best = wars.highest(others, turn.pos.game.settings)
    turn.change_round(fighters=tuple(others))
    if len(best) == 1:
        win(turn, best[0], Rule.OTHERS_TAKE)
    else:
        turn.change_round(fought=(*turn.pos.round.fought, {p: len(turn.pos.round.laid[p].faces) - 1 for p in others}))
        tie(turn, best, others[best[0]])


def declare_draw(turn: Turn) -> None:
    """Nobody wins the round, and with it the game is over."""
    _say_drawn(turn, turn.pos.counts)
    _end(turn, DRAW, EndReason.RAN_OUT, Rule.BOTH_OUT)


def _say_drawn(turn: Turn, counts: Mapping[str, int]) -> None:
    pos = turn.pos
    houses = wars.house_rule_words(pos.game.settings, ("both_out",))
    verdict = BattleDrawn(
        pos.round.number,
        pos.round.faces,
        pos.round.pot,
        dict(counts),
        Rule.BOTH_OUT,
        houses,
        wars.differing(pos, houses),
    )
    turn.say(verdict)
    turn.change_round(verdict=verdict)


def _take_back(turn: Turn) -> None:
    """Everyone takes back what he laid and shuffles; the round is nobody's."""
    pos = turn.pos
    counts = {player: n + pos.round.laid.get(player, NOTHING).size for player, n in pos.counts.items()}
    known = pos.known
    for player, laid in pos.round.laid.items():
        lots = ownership.merge((*known.piles[player], *_lots_of(laid, known), *known.spoils.get(player, ())))
        known = replace(known, piles={**known.piles, player: lots})
    _say_drawn(turn, counts)
    turn.change(counts=counts, known=ownership.clear(known))
    check_end(turn)


# --- the winner -------------------------------------------------------------------------------------


def win(turn: Turn, winner: str, rule: Rule) -> None:
    """The winner takes the pot, as the variant splits it; then who is out, and whether the game is over."""
    pos = turn.pos
    now, takes = pos.round, _takes(pos, winner)
    counts = {player: n + takes.get(player, 0) for player, n in pos.counts.items()}
    seen, assumed = _basis(now)
    if turn.assuming:
        assumed = (*assumed, turn.assuming)
    if len(takes) > 1:
        rule = Rule.ARNESON_SPLIT
    verdict = BattleWon(
        now.number,
        winner,
        now.faces,
        now.pot,
        takes,
        len(now.wars),
        counts,
        rule,
        seen,
        assumed,
        houses := _houses(pos),
        wars.differing(pos, houses),
    )
    turn.say(verdict)
    turn.change(
        counts=counts,
        known=_collected(pos, winner),
        wars_won={**pos.wars_won, winner: pos.wars_won[winner] + bool(now.wars)},
        stolen=frozenset(),
        round=replace(now, verdict=verdict),
        **_heaped(pos, winner),
    )
    go_out(turn)
    check_end(turn)


def _basis(now: Round) -> tuple[tuple[Basis, ...], tuple[Basis, ...]]:
    covered = [laid for laid in now.laid.values() if laid.down]
    if not covered:
        return (Basis.FACES,), ()
    if all(laid.exact for laid in covered):
        return (Basis.FACES, Basis.FACE_DOWN), ()
    return (Basis.FACES,), (Basis.FACE_DOWN,)


def _houses(pos: Position) -> tuple[str, ...]:
    """The house rules behind a verdict: those of its wars, each once."""
    return tuple(dict.fromkeys(house for war in pos.round.wars for house in war.house_rules))


def _takes(pos: Position, winner: str) -> dict[str, int]:
    now = pos.round
    loser = _split_loser(pos, winner)
    if loser is not None:
        tied = len(now.fought[0])
        return {winner: now.pot - tied, loser: tied}
    return {winner: now.pot}


def _split_loser(pos: Position, winner: str) -> str | None:
    """Who takes the tied cards of a war, where the variant gives them to the loser; who ran short takes nothing."""
    if pos.game.variant.split is not Split.LOSER_TIED_CARDS or not pos.round.wars:
        return None
    return next((player for player in pos.round.players if player != winner), None)


def _lots_of(laid: Laid, known: ownership.Knowledge) -> Lots:
    return tuple(ownership.face_lot(placed.bits, known.shown) for placed in laid.faces)


def _collected(pos: Position, winner: str) -> ownership.Knowledge:
    """What is known after the winner picked up: the winner's cards first, then the others clockwise."""
    rules, known = pos.game.settings, pos.known
    order = clockwise(pos.game.players, winner)
    loser = _split_loser(pos, winner)
    if loser is not None:
        return _collected_split(pos, winner, loser, order)
    own, *rest = [_lots_before(pos, player) for player in order]
    if rules.collect_order is CollectOrder.WINNER_FIRST and not pos.game.variant.stealing:
        lots = ownership.merge(own) + ownership.merge(lot for lots in rest for lot in lots)
    else:
        lots = ownership.merge(lot for lots in (own, *rest) for lot in lots)
    heap, hand = rules.collect is Collect.HEAP_SHUFFLE, pos.game.variant.hand
    return ownership.clear(ownership.note_taken(known, winner, lots, heap, pos.game.variant.stealing, hand))


def _lots_before(pos: Position, player: str) -> Lots:
    """A player's cards on the table as lots."""
    return _lots_of(pos.round.laid.get(player, NOTHING), pos.known) + pos.known.spoils.get(player, ())


def _collected_split(pos: Position, winner: str, loser: str, order: tuple[str, ...]) -> ownership.Knowledge:
    now, known = pos.round, pos.known
    tied = [ownership.face_lot(now.laid[p].faces[i].bits, known.shown) for p, i in now.fought[0].items()]
    rest = [lot for p in order for lot in (*_lots_of(now.laid[p], known)[1:], *known.spoils.get(p, ()))]
    heap, hand = pos.game.settings.collect is Collect.HEAP_SHUFFLE, pos.game.variant.hand
    for player, lots in ((winner, rest), (loser, tied)):
        known = ownership.note_taken(known, player, ownership.merge(lots), heap, face_up=False, hand=hand)
    return ownership.clear(known)


def clockwise(players: tuple[str, ...], first: str) -> tuple[str, ...]:
    """The players in seat order from `first`.

    >>> clockwise(("A", "B", "C"), "B")
    ('B', 'C', 'A')
    """
    place = players.index(first)
    return players[place:] + players[:place]


def _heaped(pos: Position, winner: str) -> dict[str, object]:
    """Steal War: the won cards go on the winner's face-up pile, in an order not told yet (E21)."""
    if not pos.game.variant.stealing:
        return {}
    won = won_pile(pos, winner)
    return {
        "piles": piled(pos.piles, winner, won),
        "loose": {**pos.loose, winner: len(won)},
        "perhaps": {card: bits for card, bits in pos.perhaps.items() if card not in won} | _perhaps(pos),
    }


def _perhaps(pos: Position) -> dict[Card, int]:
    """What else the faces won may be, where a reading in doubt did not matter."""
    faces = (placed for laid in pos.round.laid.values() for placed in laid.faces)
    return {placed.card: placed.bits for placed in faces if placed.bits & ~placed.card.bits}


def won_pile(pos: Position, winner: str) -> tuple[Card, ...]:
    """The cards won, bottom first, in the reference order; a card nobody has seen is HIDDEN."""
    won: list[Card] = []
    for player in clockwise(pos.game.players, winner):
        laid = pos.round.laid.get(player, NOTHING)
        for placed in laid.faces:
            won += (*[HIDDEN] * placed.under, placed.card)
        won += [HIDDEN] * laid.ahead
    return (*won, *[HIDDEN] * pos.round.joined)


# --- out, and the end -------------------------------------------------------------------------------


def go_out(turn: Turn) -> None:
    """Say who has no cards left and takes no further part in the round."""
    pos = turn.pos
    playing = pos.round.players if pos.round.verdict is None else ()
    for player in pos.game.players:
        if not (pos.counts[player] or player in pos.out or player in playing):
            turn.say(PlayerOut(player, _short_rule(pos) if player in turn.short else Rule.OUT))
            turn.change(out=(*turn.pos.out, player))


def check_end(turn: Turn) -> None:
    """End the game where the rules of its end say so."""
    pos = turn.pos
    rules, left = pos.game.settings, [player for player, n in pos.counts.items() if n]
    if len(left) == 1:
        _end(turn, left[0], EndReason.ALL_CARDS, Rule.ALL_CARDS)
    elif rules.end is End.THREE_WARS and max(pos.wars_won.values()) >= 3:
        _end(turn, max(pos.wars_won, key=lambda p: pos.wars_won[p]), EndReason.THREE_WARS, Rule.THREE_WARS)
    elif rules.end is End.ROUNDS and pos.round.number - pos.since[1] >= rules.end_rounds:
        _most_cards(turn, EndReason.ROUNDS)
    elif _time_is_over(turn):
        _most_cards(turn, EndReason.TIME)


def call_time(turn: Turn) -> None:
    """Once the agreed time is over end the game, or say that the round which lies at the table is the last."""
    if turn.pos.over or not _time_is_over(turn):
        return
    if turn.pos.round.verdict or not turn.pos.round.laid:
        _most_cards(turn, EndReason.TIME)
    else:
        turn.remind(NoticeKind.TIME, "")


def _time_is_over(turn: Turn) -> bool:
    rules = turn.pos.game.settings
    return rules.end is End.TIME and turn.at - turn.pos.since[0] >= rules.end_minutes * 60


def _most_cards(turn: Turn, reason: EndReason) -> None:
    counts = turn.pos.counts
    top = [player for player, n in counts.items() if n == max(counts.values())]
    _end(turn, top[0] if len(top) == 1 else DRAW, reason, Rule.MOST_CARDS)


def _end(turn: Turn, winner: str, reason: EndReason, rule: Rule) -> None:
    over = GameOver(winner, reason, dict(turn.pos.counts), rule)
    turn.say(over)
    turn.change(over=over)
