"""What may be shown of a state: where the game stands, in plain frozen values, and how likely a reading is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from companion.referee import readings, steal_war
from companion.referee.cards import Card
from companion.referee.events import BattleDrawn, BattleWon, GameOver, Question, Violation
from companion.referee.ownership import FORBIDDEN
from companion.referee.position import NOTHING, Placed, Position
from companion.referee.reducer import State
from companion.referee.variants import Size


class GamePhase(StrEnum):
    """What the referee waits for."""

    CARDS = "cards"
    PLAYERS = "players"
    WAR = "war"
    QUESTION = "question"
    HELD = "held"
    BLIND = "blind"
    VERDICT = "verdict"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class WarInPlay:
    """The war being fought: who fights for what rank, the full size (`size` down, then one up) and what each
    must lay (`down`), how many backs were seen (`seen`, a lower bound), who is short, who stands.

    `by_rank` is True where the tied rank sets the size, as in "8: 7 down + the 8th".
    """

    rank: str
    who: tuple[str, ...]
    size: int
    down: Mapping[str, int]
    seen: Mapping[str, int]
    short: tuple[str, ...]
    standing: tuple[str, ...]
    by_rank: bool


@dataclass(frozen=True, slots=True)
class View:
    """The game at one moment.

    `counts` are the cards each owns without those on the table; `on_table` is the pot until it is won,
    and counts plus `on_table` make `total`. `faces` are the face-up cards in play, in the order laid.
    `questions` are the open ones with the seq to answer to. `split` tells where a player's cards are:
    `hand` and `pile` (Arneson), `pile` and `face_up` (Steal War). A top that is not known is `?`: `untold` are the
    cards that it may be. `thieves` are, for each face-up pile, who may steal it now with a card that matches.
    """

    round: int
    phase: GamePhase
    players: tuple[str, ...]
    waiting: tuple[str, ...]
    counts: Mapping[str, int]
    total: int
    on_table: int
    faces: Mapping[str, tuple[Placed, ...]]
    war: WarInPlay | None
    wars: int
    wars_won: Mapping[str, int]
    out: tuple[str, ...]
    questions: tuple[tuple[int, Question], ...]
    held: Violation | None
    verdict: BattleWon | BattleDrawn | None
    over: GameOver | None
    split: Mapping[str, Mapping[str, int]]
    tops: Mapping[str, Card | None]
    thieves: Mapping[str, tuple[str, ...]]
    untold: Mapping[str, tuple[Card, ...]]


def view(state: State) -> View:
    """The game as it stands, for a page or a terminal."""
    pos = state.position
    now = pos.round
    return View(
        round=now.number,
        phase=phase(pos),
        players=now.players,
        waiting=waiting(pos),
        counts=pos.counts,
        total=sum(pos.counts.values()) + (0 if now.verdict else now.pot),
        on_table=0 if now.verdict else now.pot,
        faces={player: laid.faces for player, laid in now.laid.items() if laid.faces},
        war=_war(pos),
        wars=len(now.wars),
        wars_won=pos.wars_won,
        out=pos.out,
        questions=_questions(state),
        held=pos.held,
        verdict=now.verdict,
        over=pos.over,
        split=_split(pos),
        tops={player: steal_war.top(pos, player) for player in pos.piles},
        thieves={player: steal_war.thieves(pos, player) for player in pos.piles},
        untold={player: steal_war.untold(pos, player) for player in pos.piles},
    )


def phase(pos: Position) -> GamePhase:
    """What the referee waits for."""
    if pos.over:
        return GamePhase.OVER
    if pos.held:
        return GamePhase.HELD
    if pos.asked:
        return GamePhase.QUESTION
    if pos.blind:
        return GamePhase.BLIND
    return _playing(pos)


def _playing(pos: Position) -> GamePhase:
    if pos.round.verdict:
        return GamePhase.VERDICT
    if pos.round.wars:
        return GamePhase.WAR
    return GamePhase.PLAYERS if pos.round.laid else GamePhase.CARDS


def waiting(pos: Position) -> tuple[str, ...]:
    """Who must still lay a card for the round to be judged."""
    return () if pos.over or pos.round.verdict else pos.round.waiting


def _war(pos: Position) -> WarInPlay | None:
    now = pos.round
    if not now.wars or now.verdict:
        return None
    war = now.wars[-1]
    standing = tuple(player for player in now.fighters if player not in now.waiting and now.has_fought(player))
    by_rank = pos.game.variant.size is Size.RANK
    return WarInPlay(war.rank, now.fighters, war.size, now.due, now.seen_backs, war.short, standing, by_rank)


def _questions(state: State) -> tuple[tuple[int, Question], ...]:
    open_ = list(state.position.asked)
    found: list[tuple[int, Question]] = []
    for past in state.history():
        if not open_:
            break
        for ruled in reversed(past.ruled):
            if ruled.ruling in open_ and isinstance(ruled.ruling, Question):
                found.append((ruled.seq, ruled.ruling))
                open_.remove(ruled.ruling)
    return tuple(reversed(found))


def _split(pos: Position) -> dict[str, dict[str, int]]:
    hand = pos.game.variant.hand
    if hand:
        return {p: {"hand": min(hand, n), "pile": max(0, n - hand)} for p, n in pos.counts.items()}
    return {p: {"pile": pos.counts[p] - len(up), "face_up": len(up)} for p, up in pos.piles.items()}


# --- readings ---------------------------------------------------------------------------------------


def can_hold(state: State, player: str, card: Card) -> float:
    """How likely, 0..1, a face of this code lies in the player's place, before looking at it.

    1 for a card that lies there already or may be turned now, less for one further down in the pile, and
    close to 0 for a card that another owns or that lies elsewhere on the table.
    """
    pos = state.position
    if any(placed.card.may_be(card) for placed in pos.round.laid.get(player, NOTHING).faces):
        return 1.0
    return pos.known.weight(player, card, pos.game.variant.hand)


def weigh(state: State, player: str, read: Iterable[tuple[Card, float]]) -> tuple[tuple[Card, float], ...]:
    """Readings weighed by `can_hold`, likeliest first; their sum stays what it was.

    A look keeps the readings as they were read: the referee weighs them itself.
    """
    options = tuple(read)
    return readings.scaled(options, [p * max(can_hold(state, player, card), FORBIDDEN) for card, p in options])
