"""Steal War: face-up piles, who may steal them, and what the piles look like afterwards (E21-E26)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from companion.referee import ownership, readings, verdict
from companion.referee.cards import HIDDEN, Card, Rank
from companion.referee.events import (
    Basis,
    Notice,
    NoticeKind,
    Reshuffle,
    Seen,
    Steal,
    StealFault,
    Stolen,
    Violation,
    ViolationKind,
)
from companion.referee.position import NOTHING, Position, Turn, piled
from companion.referee.rulebook import Rule
from companion.referee.settings import Steal4
from companion.referee.wars import ranks_as


class Refusal(Exception):
    """A steal that the rules do not allow; the text is the reason."""

    def __init__(self, rule: Rule, fault: StealFault, reason: str) -> None:
        """Cite the rule that forbids it, and name the fault."""
        super().__init__(reason)
        self.rule, self.fault = rule, fault


def top(pos: Position, player: str) -> Card | None:
    """The top of the player's face-up pile: None for an empty one, HIDDEN where nobody has told.

    A won pile whose cards all have one rank needs no telling.
    """
    pile, loose = pos.piles[player], pos.loose.get(player, 0)
    if not pile:
        return None
    ranks = {card.rank for card in pile[-loose:]} if loose > 1 else set()
    return HIDDEN if len(ranks) > 1 else pile[-1]


def _may_match(pos: Position, player: str, card: Card) -> bool:
    """Whether the top of the pile may be of the card's rank, or of one that the house makes one with it.

    E22 asks for the same value (`valoro`), the word with which E30 makes the pictures equal.
    """
    pile, loose = pos.piles[player], max(1, pos.loose.get(player, 0))
    seen = pos.tops.get(player)
    return bool(seen and _is_match(pos, seen, card)) or any(
        _is_match(pos, other, card) or _perhaps_match(pos, other, card) for other in pile[-loose:]
    )


def _is_match(pos: Position, other: Card, card: Card) -> bool:
    return other.rank in ranks_as(card, pos.game.settings)


def _perhaps_match(pos: Position, other: Card, card: Card) -> bool:
    """Whether the other may be of the card's rank after all: nobody has seen it, or it was read in doubt."""
    ranks = ranks_as(card, pos.game.settings)
    bits = HIDDEN.bits if other == HIDDEN else pos.perhaps.get(other, 0)
    return any(Card(rank).bits & bits for rank in ranks)


def face_down(pos: Position, player: str) -> int:
    """Cards in the player's face-down pile."""
    return pos.counts[player] - len(pos.piles.get(player, ()))


# --- stealing ---------------------------------------------------------------------------------------


def check(pos: Position, act: Steal) -> None:
    """Raise Refusal unless the steal is allowed."""
    now = pos.round
    playing = not now.verdict and act.by in now.players and now.laid.get(act.by, NOTHING).faces
    if playing and not (now.wars and act.by in now.waiting):
        raise Refusal(Rule.STEAL_TIMING, StealFault.TOO_LATE, f"{act.by} has a card already played.")
    if not pos.counts[act.by]:
        raise Refusal(Rule.STEAL, StealFault.NO_CARD, f"{act.by} has no card to steal with.")
    if not act.victims or act.by in act.victims:
        raise Refusal(Rule.STEAL, StealFault.OWN_PILE, "A pile is stolen from somebody else.")
    for victim in act.victims:
        _check_pile(pos, act, victim)


def _check_pile(pos: Position, act: Steal, victim: str) -> None:
    if not pos.piles[victim]:
        raise Refusal(Rule.STEAL, StealFault.NO_PILE, f"{victim} has no face-up pile.")
    if not _may_match(pos, victim, act.card):
        shown = top(pos, victim)
        known = "no card of that rank can be on top" if shown in (None, HIDDEN) else f"the top is {shown}"
        raise Refusal(Rule.STEAL, StealFault.NO_MATCH, f"{act.card} does not match {victim}'s pile: {known}.")
    if not pos.game.settings.steal_back and (act.by, victim) in pos.stolen:
        raise Refusal(
            Rule.STEAL,
            StealFault.STOLEN_BACK,
            f"{victim} has just stolen that pile: it cannot be stolen straight back.",
        )


def thieves(pos: Position, victim: str) -> tuple[str, ...]:
    """Who may steal the victim's pile now, if the card at hand matches its top (E22, E23)."""
    shown = top(pos, victim)
    if shown is None or pos.over:
        return ()
    # The top itself always matches; where nobody has seen it, the uppermost card that it may be.
    card = pos.piles[victim][-1] if shown == HIDDEN else shown
    return tuple(player for player in pos.piles if _is_allowed(pos, Steal(0.0, player, card, (victim,))))


def _is_allowed(pos: Position, act: Steal) -> bool:
    try:
        check(pos, act)
    except Refusal:
        return False
    return True


def untold(pos: Position, player: str) -> tuple[Card, ...]:
    """The won cards of which nobody has told which lies on top of the player's face-up pile (E21)."""
    return pos.piles[player][-pos.loose.get(player, 0) :] if top(pos, player) == HIDDEN else ()


def carry_out_steal(turn: Turn, act: Steal) -> None:
    """Carry out a steal, or hold the game where it is not allowed."""
    if turn.pos.over:
        return
    try:
        check(turn.pos, act)
    except Refusal as refusal:
        turn.hold(Violation(ViolationKind.ILLEGAL_STEAL, act.by, (act.card,), True, refusal.rule, why=refusal.fault))
        return
    if turn.pos.round.verdict:
        # Who steals or shuffles plays the next round: nothing of the last lies in the middle.
        turn.change(cleared=True)
    assumed = (Basis.TOP,) if any(_unsure(turn.pos, victim, act.card) for victim in act.victims) else ()
    fourth = bool(turn.pos.round.wars and not turn.pos.round.verdict)
    if fourth:
        _lay_down(turn, act.by)
    _take_piles(turn, act)
    rule = Rule.STEAL_FOURTH if fourth else Rule.STEAL
    turn.change(held=None)
    turn.say(Stolen(act.by, act.card, act.victims, dict(turn.pos.counts), rule, assumed))
    if fourth and turn.pos.game.settings.steal4 is Steal4.FORFEIT:
        _give_up(turn, act.by)
    for victim in act.victims:
        _rob(turn, victim)


def _give_up(turn: Turn, player: str) -> None:
    """The thief gives up the war: the cards laid stay in the pot, those owned stay the thief's."""
    now = turn.pos.round
    left = tuple(p for p in now.fighters if p != player)
    players = tuple(p for p in now.players if p != player)
    turn.change_round(fighters=left, players=players, waiting=tuple(p for p in now.waiting if p != player))
    if len(left) == 1:
        verdict.win(turn, left[0], Rule.STEAL_FOURTH)
    else:
        verdict.settle(turn)


def _rob(turn: Turn, victim: str) -> None:
    """Who must play and has neither pile left is out at once."""
    pos, now = turn.pos, turn.pos.round
    if pos.over or victim in pos.out:
        return
    if now.verdict or not now.laid.get(victim, NOTHING).faces:
        _drop_out(turn, victim)
    elif victim in now.waiting and pos.counts[victim] <= now.due.get(victim, 0):
        verdict.leave_war(turn, victim)


def _drop_out(turn: Turn, victim: str) -> None:
    now = turn.pos.round
    if turn.pos.counts[victim]:
        return
    if not now.verdict:
        left = {key: tuple(p for p in getattr(now, key) if p != victim) for key in ("players", "fighters", "waiting")}
        turn.change_round(**left)
    verdict.go_out(turn)
    verdict.check_end(turn)
    if not turn.pos.over:
        verdict.settle(turn)


def _unsure(pos: Position, victim: str, card: Card) -> bool:
    """Whether nobody has surely seen what lay on top: the thief's card may have been taken for it on its way."""
    shown = top(pos, victim)
    return shown is None or shown == HIDDEN or not _is_match(pos, shown, card) or card in pos.piles[victim]


def _lay_down(turn: Turn, player: str) -> None:
    """Before the fourth card steals, the face-down cards of the war are taken as laid (E25)."""
    now = turn.pos.round
    due = now.due.get(player, 0)
    if not due:
        return
    ensure_face_down(turn, player, due)
    laid = now.laid[player]
    pos = turn.pos
    turn.change(
        counts={**pos.counts, player: pos.counts[player] - due}, known=ownership.lay_down(pos.known, player, due)
    )
    after = replace(laid, down=laid.down + due, ahead=laid.ahead + due, exact=False)
    turn.change_round(laid={**now.laid, player: after}, due={**now.due, player: 0})


def _take_piles(turn: Turn, act: Steal) -> None:
    ensure_face_down(turn, act.by, 1)
    pos = turn.pos
    loot = tuple(card for victim in act.victims for card in _known_top(pos, victim, act.card))
    left = {**pos.piles, **dict.fromkeys(act.victims, ())}
    piles = piled(left, act.by, (*loot, act.card))
    moved = {victim: pos.counts[victim] - len(pos.piles[victim]) for victim in act.victims}
    turn.change(
        piles=piles,
        loose={**pos.loose, **dict.fromkeys(act.victims, 0), act.by: 0},
        counts={**pos.counts, **moved, act.by: pos.counts[act.by] + len(loot)},
        known=ownership.note_stolen(pos.known, act.by, act.victims, act.card),
        stolen=pos.stolen | {(victim, act.by) for victim in act.victims},
    )
    _begin_anew(turn)


def _known_top(pos: Position, victim: str, card: Card) -> tuple[Card, ...]:
    """The pile to steal; where the top was not told, the card that matched lay on top.

    A card that matched though it was called another is one that nobody knows.
    """
    pile, loose = pos.piles[victim], max(1, pos.loose.get(victim, 0))
    places = range(len(pile) - 1, len(pile) - 1 - loose, -1)
    known = next((place for place in places if _is_match(pos, pile[place], card)), None)
    if known is not None:
        return (*pile[:known], *pile[known + 1 :], pile[known])
    # Where it was seen on top and is not known to be in the pile, the uppermost card is that one.
    place = next((place for place in places if _perhaps_match(pos, pile[place], card)), len(pile) - 1)
    return (*pile[:place], *pile[place + 1 :], HIDDEN)


# --- the piles --------------------------------------------------------------------------------------


def ensure_face_down(turn: Turn, player: str, number: int) -> None:
    """Shuffle the face-up pile in where the face-down one cannot give that many cards (E26)."""
    if turn.pos.piles.get(player) and face_down(turn.pos, player) < number:
        shuffle_in(turn, player)


def shuffle_in(turn: Turn, player: str) -> None:
    """The face-up pile becomes part of the face-down pile."""
    pos = turn.pos
    turn.change(
        piles={**pos.piles, player: ()},
        loose={**pos.loose, player: 0},
        known=ownership.note_shuffled(pos.known, player),
    )
    _begin_anew(turn)


def _begin_anew(turn: Turn) -> None:
    """From here on it counts who could own what when the round began; unknown where cards of it lie already."""
    now = turn.pos.round
    laid = any(there.faces and not now.has_fought(player) for player, there in now.laid.items())
    turn.change_round(began=None if laid else turn.pos.known)


def reshuffle(turn: Turn, act: Reshuffle) -> None:
    """A person shuffled the face-up pile; told too early it is said and done all the same."""
    if turn.pos.over:
        return
    if not turn.pos.piles[act.player]:
        turn.say(Notice(NoticeKind.NOTHING_TO_DO, act.player))
        return
    if turn.pos.round.verdict:
        turn.change(cleared=True)
    shuffle_in(turn, act.player)


def put_on_top(turn: Turn, cards: Mapping[str, Card | None]) -> None:
    """Which won card lies on top of each face-up pile (E21); a card that was not won just now changes nothing."""
    for player, card in cards.items():
        pile, loose = turn.pos.piles[player], turn.pos.loose.get(player, 0)
        if card is None or not loose:
            continue
        place = _place(pile, loose, card)
        if place is not None:
            told = card if pile[place] == HIDDEN else pile[place]
            left = {**turn.pos.piles, player: (*pile[:place], *pile[place + 1 :])}
            turn.change(piles=piled(left, player, (told,)), loose={**turn.pos.loose, player: 0})


def _place(pile: tuple[Card, ...], loose: int, card: Card) -> int | None:
    """Where among the loose cards this one lies; a card nobody has seen may be any."""
    places = range(len(pile) - 1, len(pile) - 1 - loose, -1)
    exact = next((place for place in places if pile[place].may_be(card) and pile[place] != HIDDEN), None)
    return exact if exact is not None else next((place for place in places if pile[place] == HIDDEN), None)


# --- piles that were seen ---------------------------------------------------------------------------


def see_piles(turn: Turn, seen: Seen) -> None:
    """Infer from the tops of the piles what was done: a card put on top, a steal, a shuffle."""
    tops = dict(seen.piles or {})
    for player, card in tops.items():
        if card is not None and card != HIDDEN:
            _explain(turn, seen, player, card)
    for player, card in tops.items():
        # A pile that stays away was shuffled, whatever the counts say of the cards left to play from.
        stays = player in turn.pos.tops and turn.pos.tops[player] is None and not turn.pos.loose.get(player)
        if card is None and turn.pos.piles[player] and not turn.pos.held and (stays or _must_shuffle(turn.pos, player)):
            shuffle_in(turn, player)
    stopped = turn.pos.held and turn.pos.held.kind is ViolationKind.ILLEGAL_STEAL
    if tops != turn.pos.tops and not stopped and not readings.blocking(turn.pos):
        turn.change(tops=tops)


def _must_shuffle(pos: Position, player: str) -> bool:
    """Whether the face-down pile cannot give what the player must lay next (E26)."""
    now = pos.round
    need = now.due.get(player, 0) + 1 if player in now.waiting and not now.verdict else 1
    return face_down(pos, player) < need


def _expected(pos: Position, player: str, card: Card) -> bool:
    shown = top(pos, player)
    return shown is not None and shown != HIDDEN and shown.rank is card.rank


def _explain(turn: Turn, seen: Seen, player: str, card: Card) -> None:
    """A top that was not seen before: won and put there, or laid on piles that are gone now."""
    put_on_top(turn, {player: card})
    before = turn.pos.tops.get(player)
    emptied = [p for p, shown in (seen.piles or {}).items() if shown is None and p != player and turn.pos.piles[p]]
    # Piles that were there a look ago are those that were taken; of others it is only known that they are gone.
    gone = [p for p in emptied if turn.pos.tops.get(p) is not None]
    taken = before is not None and any(_may_match(turn.pos, p, card) for p in gone)
    if before == card or (_expected(turn.pos, player, card) and not taken):
        return
    matching = tuple(p for p in gone or emptied if _may_match(turn.pos, p, card))
    victims = matching or tuple(p for p in gone or emptied if face_down(turn.pos, p))
    if victims and not readings.blocking(turn.pos):
        # While a question is open nobody knows who may steal: the next look shows the same piles.
        carry_out_steal(turn, Steal(turn.at, player, card, victims))


def as_expected(pos: Position, seen: Seen) -> bool:
    """Whether every pile top that was seen is the one the game knows."""
    tops = dict(seen.piles or {})
    shown = {player: top(pos, player) for player in tops if player in pos.piles}
    return bool(shown) and all(
        card is HIDDEN
        or (card is None) == (tops[player] is None)
        and (card is None or card.rank is _rank(tops[player]))
        for player, card in shown.items()
    )


def _rank(card: Card | None) -> Rank:
    return card.rank if card else Rank.HIDDEN
