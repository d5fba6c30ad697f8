"""What a reading may be, given who can own which card, and whether the verdict hangs on it.

A clash that a wrong suit explains leaves the rank standing as `9?`; suits never decide. The referee asks
only where the chance that the verdict differs is above `ask_above`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from math import prod
from typing import TypeVar

from msgspec.structs import replace

from companion.referee import ownership
from companion.referee.cards import JOKERS, Card, Rank
from companion.referee.events import UNREAD, Face, Notice, NoticeKind, Question, QuestionKind, Violation, ViolationKind
from companion.referee.position import Placed, Position, Turn
from companion.referee.rulebook import Rule
from companion.referee.settings import JokerTie
from companion.referee.wars import highest, latest, rank_name, strength

#: From this chance on, another reading is more than noise (INTERFACES, "When looks become rounds" (a)).
PLAUSIBLE = 0.1
#: From this chance on, a reading that is not the likeliest is remembered: the card may be that one later.
REMEMBERED = 0.02
#: Chance that the reader got a rank right and took another suit for one that it does not even name.
SUIT_MISREAD = 0.002

#: So many ways to read the faces that fight are gone through card by card; more of them by ranks alone.
MOST_HANDS = 5000

Options = tuple[tuple[Card, float], ...]
#: Ways to read the faces that fight, with their chances.
Hands = list[tuple[dict[str, Card], float]]
Key = TypeVar("Key")


# --- one reading ------------------------------------------------------------------------------------


def enter_face(turn: Turn, player: str, face: Face, slot: int) -> Placed:
    """The face as it enters play; a clash with what is known is said.

    A person's word is taken as it is.
    """
    pos = turn.pos
    plain = not face.alternatives and face.p >= 1 - UNREAD and face.card.rank is not Rank.JOKER
    if face.said or (plain and pos.known.can_own(player, face.card.bits)):
        return Placed(face.card, face, turn.look, slot)
    options, clashes = _weighed(pos, player, face)
    ranks = _by_rank(options, pos)
    card = _named(ranks, options)
    clashing = card in clashes or (card.suit is None and any(clash.rank is card.rank for clash in clashes))
    if clashing and not face.is_unread:
        # What is as good as unread tells nothing of the table.
        _say_clash(turn, player, face.card, explained=clashes.get(card, True))
    named, may_be = _as_read(face, card), _may_be(pos, player, options)
    if face.is_unread:
        # As good as unread: any card that the player may have, and none that another has.
        may_be = card.bits | pos.known.can_own(player, pos.known.pack)
    return Placed(named, face, turn.look, slot, ranks, may_be=may_be, readings=options if len(options) > 1 else ())


def overruled(placed: Placed, shown: int) -> float:
    """The chance, as read, of the likeliest reading where the face is taken for another card.

    Either the reader erred or what is known of the piles; a card that lies on the table, one of `shown`, tells nothing.
    """
    if not placed.face.alternatives and placed.face.card == placed.card:
        return 0.0
    card, p = max(((placed.face.card, placed.face.p), *placed.face.alternatives), key=lambda read: read[1])
    return 0.0 if card.bits & (placed.bits | shown) else p


def _as_read(face: Face, card: Card) -> Card:
    """The card as it is named: a joker whose colour was not read keeps none."""
    return face.card if face.card.rank is Rank.JOKER is card.rank else card


def _may_be(pos: Position, player: str, options: Options, before: int = 0) -> int:
    """The cards that are still likely enough to be remembered; of a rank whose suit is unknown, those he can own.

    `before` are those that he could own `before` the face was taken to be one of them.
    """
    likely = [card for n, (card, p) in enumerate(options) if not n or p >= REMEMBERED]
    found = 0
    for card in likely:
        own = card.bits & before or pos.known.can_own(player, card.bits)
        found |= card.bits if card.suit else own or card.bits
    return found


def scaled(options: Options, weights: list[float]) -> Options:
    """The options with these weights for chances, likeliest first; the sum of the chances stays."""
    total, kept = sum(weights), sum(p for _, p in options)
    if not total:
        return options
    scaled = [(card, weight * kept / total) for (card, _), weight in zip(options, weights, strict=True)]
    return tuple(sorted(scaled, key=lambda option: -option[1]))


def _weighed(pos: Position, player: str, face: Face) -> tuple[Options, dict[Card, bool]]:
    """The options by Bayes' rule, and the clashing ones among them: True where a wrong suit explains the clash."""
    hand = pos.game.variant.hand
    read = tuple(_colours(pos, face))
    clashes: dict[Card, bool] = {}
    options: list[tuple[Card, float]] = []
    weights: list[float] = []
    for card, p in read:
        weight = pos.known.chance(player, card.bits, hand)
        if not pos.known.can_own(player, card.bits):
            suits = card.without_suit().bits & ~card.bits if card.rank is not Rank.JOKER else 0
            explained = bool(pos.known.can_own(player, suits))
            weight += SUIT_MISREAD * pos.known.chance(player, suits, hand) if explained else 0.0
            card = card.without_suit() if explained else card
            clashes[card] = explained
        options.append((card, p))
        weights.append(p * weight)
    return scaled(tuple(options), weights), clashes


def _colours(pos: Position, face: Face) -> Iterable[tuple[Card, float]]:
    """The readings; a joker of unknown colour is either one where the colour matters."""
    matters = pos.game.settings.joker_tie is JokerTie.BIG_BEATS_LITTLE
    for card, p in ((face.card, face.p), *face.alternatives):
        if matters and card.rank is Rank.JOKER and card.suit is None:
            yield from ((joker, p / 2) for joker in JOKERS)
        else:
            yield card, p


def _by_rank(options: Options, pos: Position) -> Options:
    """One option for each strength with the chances of its suits added up; empty where one is all there is."""
    chances: dict[int, float] = {}
    likeliest: dict[int, Card] = {}
    for card, p in options:
        key = _key(card, pos)
        chances[key] = chances.get(key, 0.0) + p
        likeliest.setdefault(key, card)
    if len(chances) < 2 and not _left_out(options):
        return ()
    return tuple((likeliest[key], chances[key]) for key in sorted(chances, key=lambda key: -chances[key]))


def _key(card: Card, pos: Position) -> int:
    # Equal tens stay apart here: the faces shown differ even where the verdict does not.
    return card.rank.strength * 2 + (strength(card, pos.game.settings) > Rank.JOKER.strength)


def _named(ranks: Options, options: Options) -> Card:
    """The likeliest rank, with its suit where no other suit of it is plausible."""
    card = ranks[0][0] if ranks else options[0][0]
    suits = [option for option, p in options if option.rank is card.rank and p >= PLAUSIBLE]
    if card.rank is not Rank.JOKER and len(suits) > 1:
        return card.without_suit()
    return card


def _say_clash(turn: Turn, player: str, card: Card, explained: bool) -> None:
    """Say that the card is not the player's, or lies there twice; what may be another's is said with the ruling."""
    twice = bool(card.bits & turn.pos.known.shown)
    now, clash = turn.pos.round, _clash(turn.pos, player, card, explained, twice)
    if twice or all(other == player for other in now.waiting):
        turn.say(clash)
    else:
        turn.change_round(clashes=(*now.clashes, (player, clash)))


def _clash(pos: Position, player: str, card: Card, explained: bool, twice: bool) -> Notice | Violation:
    if explained:
        return Notice(NoticeKind.SAME_CARD_TWICE if twice else NoticeKind.NOT_OWNER, player, (card,))
    if twice:
        return Violation(ViolationKind.SAME_CARD_TWICE, player, (card,), False, Rule.ONE_PACK)
    strange = card.rank is Rank.JOKER and not pos.known.pack & card.bits
    return Violation(ViolationKind.NOT_OWNER, player, (card,), False, Rule.JOKERS if strange else Rule.OWN_CARD)


def say_clashes(turn: Turn) -> None:
    """Say what was kept back of cards that their players should not have: they lie there as the round is judged."""
    for _, clash in turn.pos.round.clashes:
        turn.say(clash)
    if turn.pos.round.clashes:
        turn.change_round(clashes=())


def take_back(turn: Turn, player: str) -> None:
    """The player's latest face counts as not turned; what is known is as if it had never been."""
    turn.change(known=_known_without(turn.pos, player))
    if turn.pos.round.clashes:
        turn.change_round(clashes=tuple(one for one in turn.pos.round.clashes if one[0] != player))


def _known_without(pos: Position, player: str) -> ownership.Knowledge:
    now, hand = pos.round, pos.game.variant.hand
    if now.began is None or now.revealing or now.has_fought(player):
        return ownership.unplay(pos.known, player, now.laid[player].faces[-1].bits)
    known = now.began
    for other, laid in now.laid.items():
        if laid.faces and not now.has_fought(other):
            known = ownership.lay_down(known, other, laid.faces[-1].under, hand) if laid.faces[-1].under else known
            known = known if other == player else ownership.note_played(known, other, laid.faces[-1].bits, hand)
    # How orderly this table is stays as it was told, by cards that are taken back as well.
    told = pos.known
    return replace(known, turned=told.turned, early=told.early, strange=told.strange)


# --- the verdict ------------------------------------------------------------------------------------


def decide(turn: Turn) -> Mapping[str, Card] | None:
    """The fighters' faces to judge by, or None where the verdict hangs on a reading and is asked about.

    What is judged by is what the faces are from then on.
    """
    pos = turn.pos
    doubtful = {p: options for p in pos.round.fighters if (options := pos.round.laid[p].faces[-1].options)}
    if not doubtful:
        return _decided(turn, latest(pos))
    hands = _combinations(pos)
    if turn.collected:
        hands = [(hand, p) for hand, p in hands if len(_outcome(pos, hand)[0]) == 1] or hands
    verdict = _likeliest((_outcome(pos, hand), p) for hand, p in hands)
    differing = [(hand, p) for hand, p in hands if _outcome(pos, hand) != verdict]
    faces = _likeliest_faces(pos, [(hand, p) for hand, p in hands if _outcome(pos, hand) == verdict])
    doubt = sum(p for _, p in differing) + max(map(_left_out, doubtful.values()))
    if turn.assuming or doubt <= pos.game.settings.ask_above:
        for player in faces:
            _name(turn, player, faces[player], _one_by_one(hands, player))
        return _decided(turn, faces)
    left = {player: _by_rank(_one_by_one(hands, player), pos) or doubtful[player] for player in doubtful}
    ask_question(turn, _question(pos, left, faces, differing))
    return None


def _decided(turn: Turn, faces: Mapping[str, Card]) -> Mapping[str, Card]:
    """Nothing about these faces is asked any more, and no two on the table are one card."""
    if blocking(turn.pos):
        turn.change(asked=not_blocking(turn.pos))
    _tell_apart(turn)
    return faces


def _left_out(options: Options) -> float:
    """The chance of cards that the reader did not even name; a little of it is noise."""
    left_out = 1 - sum(p for _, p in options)
    return left_out if left_out > UNREAD else 0.0


def _combinations(pos: Position) -> Hands:
    """Every way to read the fighters' faces that puts no card in two places, with its chance; the sum stays."""
    latest_ = {player: pos.round.laid[player].faces[-1] for player in pos.round.fighters}
    doubtful = {player: placed.readings for player, placed in latest_.items() if placed.readings}
    if prod(map(len, doubtful.values())) > MOST_HANDS:
        doubtful = {player: placed.options for player, placed in latest_.items() if placed.options}
    sure = {player: placed.card for player, placed in latest_.items()}
    taken = {p.card for player, p in _on_table(pos) if not p.readings and p is not latest_.get(player)}
    taken |= {card for player, card in sure.items() if player not in doubtful}
    hands = []
    for chosen in product(*doubtful.values()):
        hand = sure | dict(zip(doubtful, (card for card, _ in chosen), strict=True))
        hands.append((hand, prod(p for _, p in chosen)))
    apart = [(hand, p) for hand, p in hands if _apart([hand[player] for player in doubtful], taken)]
    return _filled_up(apart, sum(p for _, p in hands)) if apart else hands


def _filled_up(hands: Hands, total: float) -> Hands:
    kept = sum(p for _, p in hands)
    return [(hand, p * total / kept) for hand, p in hands] if kept else hands


def _apart(cards: Iterable[Card], taken: Iterable[Card]) -> bool:
    single = [card for card in cards if card.suit is not None]
    return len(set(single)) == len(single) and not set(single) & set(taken)


def _on_table(pos: Position) -> Iterable[tuple[str, Placed]]:
    """Every face in play and whose it is."""
    return ((player, placed) for player, laid in pos.round.laid.items() for placed in laid.faces)


def _likeliest(chances: Iterable[tuple[Key, float]]) -> Key:
    total: dict[Key, float] = {}
    for key, p in chances:
        total[key] = total.get(key, 0.0) + p
    return max(total, key=lambda key: total[key])


def _likeliest_faces(pos: Position, hands: Hands) -> dict[str, Card]:
    """The likeliest ranks together, each with its likeliest suit."""
    ranks = _likeliest((tuple(_key(card, pos) for card in hand.values()), p) for hand, p in hands)
    alike = [(hand, p) for hand, p in hands if ranks == tuple(_key(card, pos) for card in hand.values())]
    return max(alike, key=lambda hand: hand[1])[0]


def _one_by_one(hands: Hands, player: str) -> Options:
    """The cards that one player's face may be, whatever the others' are, likeliest first."""
    chances: dict[Card, float] = {}
    for hand, p in hands:
        chances[hand[player]] = chances.get(hand[player], 0.0) + p
    return tuple(sorted(chances.items(), key=lambda option: -option[1]))


def _name(turn: Turn, player: str, card: Card, options: Options) -> None:
    """The player's latest face is ruled to be this card; read beside the others it may be these."""
    pos = turn.pos
    placed = pos.round.laid[player].faces[-1]
    if not placed.readings:
        return
    ranks = _by_rank(options, pos)
    named = _as_read(placed.face, _named(((card, 1.0),), options))
    left = options if len(options) > 1 else ()
    may_be = _may_be(pos, player, options, placed.bits)
    _replace(turn, player, -1, replace(placed, card=named, options=ranks, may_be=may_be, readings=left))


def _replace(turn: Turn, player: str, index: int, new: Placed) -> None:
    """The face is the same and more is known of it."""
    laid, known = turn.pos.round.laid[player], turn.pos.known
    old, faces = laid.faces[index], list(laid.faces)
    faces[index] = new
    if new.bits != old.bits and not new.bits & ~old.bits:
        known = ownership.unplay(known, player, old.bits)
        turn.change(known=ownership.note_played(known, player, new.bits, turn.pos.game.variant.hand))
    turn.change_round(laid={**turn.pos.round.laid, player: replace(laid, faces=tuple(faces))})


def _tell_apart(turn: Turn) -> None:
    """Of two faces that are called the same card the less sure one is another of its rank: each card exists once."""
    by_card: dict[Card, list[tuple[float, str, int]]] = {}
    for player, laid in turn.pos.round.laid.items():
        for index, placed in enumerate(laid.faces):
            if placed.card.suit is not None:
                by_card.setdefault(placed.card, []).append((_belief(placed), player, index))
    for card, faces in by_card.items():
        for belief, player, index in sorted(faces)[:-1]:
            placed = turn.pos.round.laid[player].faces[index]
            if belief < 1:
                others = placed.bits & ~card.bits
                _replace(turn, player, index, replace(placed, card=card.without_suit(), may_be=others))


def _belief(placed: Placed) -> float:
    """How sure the card is, 0..1, that the face is called."""
    return next((p for card, p in placed.readings if card == placed.card), 1.0)


def _outcome(pos: Position, faces: Mapping[str, Card]) -> tuple[tuple[str, ...], str]:
    best = highest(faces, pos.game.settings)
    return best, rank_name(faces[best[0]], pos.game.settings) if len(best) > 1 else ""


def _question(
    pos: Position,
    doubtful: Mapping[str, Options],
    faces: Mapping[str, Card],
    differing: list[tuple[dict[str, Card], float]],
) -> Question:
    """Ask about the player whose other readings change the verdict most."""
    blame = {
        player: sum(p for hand, p in differing if hand[player] != faces[player]) + _left_out(options)
        for player, options in doubtful.items()
    }
    about = max(blame, key=lambda player: blame[player])
    placed = pos.round.laid[about].faces[-1]
    # Several unlikely readings may matter together: the likeliest two are always among the answers.
    likely = [card for n, (card, p) in enumerate(doubtful[about]) if n < 2 or p > pos.game.settings.ask_above]
    choices = tuple(card.code for card in likely)
    face = (placed.look, placed.slot)
    return Question(pos.round.number, about, choices, Rule.READING, QuestionKind.READING, face)


def ask_question(turn: Turn, question: Question) -> None:
    """Ask, unless the same is asked already; one question about a reading is open at a time."""
    pos = turn.pos
    if any(_same(question, open_) for open_ in pos.asked):
        return
    kept = tuple(open_ for open_ in pos.asked if open_.why != question.why or open_.about != question.about)
    turn.say(question)
    turn.change(asked=(*kept, question))


def _same(one: Question, other: Question) -> bool:
    return (one.about, one.why, frozenset(one.choices)) == (other.about, other.why, frozenset(other.choices))


def blocking(pos: Position) -> bool:
    """Whether an open question keeps the round from being judged."""
    return any(question.why != QuestionKind.REREAD for question in pos.asked)


def not_blocking(pos: Position) -> tuple[Question, ...]:
    """The open questions about what was ruled already."""
    return tuple(question for question in pos.asked if question.why == QuestionKind.REREAD)


def fix(turn: Turn, player: str, index: int, card: Card) -> None:
    """A person said which card the player's face number `index` is."""
    laid = turn.pos.round.laid[player]
    old = laid.faces[index]
    face = Face(card, said=True, misread=old.face.card, hardly=old.face.is_unread)
    faces = (*laid.faces[:index], Placed(card, face, old.look, old.slot, (), old.under), *laid.faces[index + 1 :])
    known = ownership.unplay(turn.pos.known, player, old.bits)
    turn.change(known=ownership.note_played(known, player, card.bits, turn.pos.game.variant.hand))
    turn.change_round(laid={**turn.pos.round.laid, player: replace(laid, faces=faces)})
