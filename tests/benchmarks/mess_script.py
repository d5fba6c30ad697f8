"""Games as families play them: a dealt game, its true rounds, and the looks of a table full of mess.

Pure: a seed gives the game, the rounds as they really were, and the inputs of a referee that sees them in a mess. Every
input says which kind of mess it belongs to and what really lies there, so that a question can be answered truthfully.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.referee import reducer
from companion.referee.cards import JOKER, Card, Rank
from companion.referee.events import BattleWon, Count, Face, Input, Seen
from companion.referee.game import Game, new_game
from companion.referee.reducer import State
from companion.referee.variants import VARIANTS
from companion.simulation.dealer import Tabletop
from tests.benchmarks.misreads import confusions

PLAYERS = ("Ana", "Ben", "Cai", "Dee")
#: House rules that change how a war is laid, tried in every fourth game.
RULES: dict[str, tuple[Any, ...]] = {
    "war_down": (1, 2, 4),
    "multi_down": (3,),
    "double_tie": ("faceup",),
    "war_part": ("tied",),
    "two_way": ("classic",),
    "short": ("lose", "equal_force"),
    "both_out": ("reshuffle", "reveal"),
    "razboi_count": ("n_down",),
    "faces_equal": (True,),
}
#: Looks of a round that is as it should be are three seconds apart.
PAUSE = 3.0

#: With fewer cards nobody leaves won ones lying: they are needed.
FEW = 6

Places = dict[str, list[Card]]


@dataclass(frozen=True, slots=True)
class TrueRound:
    """A round as it really was: who won (None for a draw) with which latest faces, and everybody's cards after it."""

    number: int
    kind: str
    winner: str | None
    faces: Mapping[str, tuple[Card, ...]]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Step:
    """One input, the kind of mess and the round it belongs to, and the truth about what lies there.

    `cards` are the real cards in the places of the look, `owner` whose each card is, `order` what each has laid so
    far, `counts` the cards each has without those on the table; `matters` is False where no answer to a doubtful
    reading could change the round.
    """

    entry: Input
    kind: str
    round: int
    cards: Mapping[str, tuple[Card, ...]]
    owner: Mapping[Card, str]
    order: Mapping[str, tuple[Card, ...]]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Script:
    """A game with its mess, and how it really went; `drifted` is the first round with counts nobody told of."""

    game: Game
    steps: tuple[Step, ...]
    rounds: tuple[TrueRound, ...]
    drifted: int


@dataclass
class Stage:
    """The cards that were laid together: first the battle, then each war; `down` face-down cards before each.

    `acts` are those of Steal War before them, each with the tops of the piles and everybody's cards after it.
    """

    down: dict[str, tuple[Card, ...]]
    up: dict[str, Card]
    acts: list[tuple[Input, dict[str, Card | None], dict[str, int]]]


@dataclass
class Messy:
    """A table in a mess: what lies where, and the steps told of it so far."""

    game: Game
    top: Tabletop
    rng: random.Random
    piles_seen: bool
    steps: list[Step] = field(default_factory=list)
    kind: str = "plain"
    round: int = 0
    at: float = 0.0
    lie: Places = field(default_factory=dict)
    #: Won cards that lie face up with their winner, by place.
    heap: Places = field(default_factory=dict)
    owner: dict[Card, str] = field(default_factory=dict)
    order: dict[str, tuple[Card, ...]] = field(default_factory=dict)
    readings: dict[Card, Face] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    shown_tops: dict[str, Card | None] = field(default_factory=dict)
    #: The ranks that lay there last, where the table was not cleared since.
    lay: dict[str, Rank] = field(default_factory=dict)
    #: Which mess the heap is.
    left: str = "heap"

    def look(self, places: Mapping[str, list[Card]] | None = None) -> None:
        """A settled look of what lies there, or of these `places`."""
        shown = self.lie if places is None else places
        there = {p: tuple(self.heap.get(p, [])) + tuple(shown.get(p, [])) for p in self.game.players}
        faces = {p: tuple(self.readings.get(card, _read(card)) for card in cards) for p, cards in there.items()}
        if self.rng.random() < 0.5:
            faces = {p: laid for p, laid in faces.items() if laid}
        self.tell(Seen(self.at, faces, piles=self.shown_tops if self.piles_seen else None), there)

    def tops(self) -> dict[str, Card | None]:
        """The top of every face-up pile."""
        return {p: _sure(up[-1]) if up else None for p, up in self.top.face_up.items()}

    def tell(self, entry: Input, cards: Mapping[str, tuple[Card, ...]] | None = None) -> None:
        """Any input, in its place in the script."""
        self.at += PAUSE
        entry = replace(entry, at=self.at)
        known = (dict(self.owner), dict(self.order), dict(self.counts))
        self.steps.append(Step(entry, self.kind, self.round, cards or {}, *known))

    def owned(self) -> dict[str, int]:
        """How many cards each has that do not lie in the middle."""
        return {p: len(self.top.owned(p)) for p in self.top.game.players}


def _sure(card: Card) -> Card:
    return JOKER if card.rank is Rank.JOKER else card


def _read(card: Card) -> Face:
    return Face(_sure(card))


# --- the true game ----------------------------------------------------------------------------------


def any_game(rng: random.Random, name: str = "") -> Game:
    """Any variant with any number of players, now and then with house rules or small piles."""
    entry = next((one for one in VARIANTS if one.name == name), None) or rng.choice(VARIANTS)
    players = PLAYERS[: rng.randint(*entry.players)]
    keys = rng.sample(sorted(RULES), 2) if rng.random() < 0.25 else []
    small = {p: rng.randint(4, 12) for p in players} if rng.random() < 0.3 else None
    return new_game(entry.name, players, {key: rng.choice(RULES[key]) for key in keys}, small)


def messy_game(seed: int, rounds: int, name: str = "", filmed: bool = False) -> Script:
    """A game of so many rounds at most with its mess; `filmed` leaves out what no film can show."""
    rng = random.Random(seed)
    game = any_game(rng, name)
    top = Tabletop(game, rng)
    table = Messy(game, top, rng, game.variant.stealing and (filmed or rng.random() < 0.5))
    state, true, drifted = reducer.start(game), [], 10**9
    while state.position.over is None and len(true) < rounds:
        table.round = len(true) + 1
        state, one, moved = _round(table, state, filmed)
        true.append(one)
        if moved:
            drifted = min(drifted, table.round)
    return Script(game, tuple(table.steps), tuple(true), drifted)


def _round(table: Messy, state: State, filmed: bool) -> tuple[State, TrueRound, bool]:
    """One true round and its mess; True where the counts have drifted."""
    top = table.top
    told = Telling(table)
    table.counts, table.shown_tops = table.owned(), table.tops()
    while not (state.position.round.verdict and told.stages) and state.position.over is None:
        state = _lay_stage(told, state)
    told.true = _true(table, state)
    if state.position.round.verdict and (put := top.collect(state.position)) is not None:
        told.put = put
        if state.position.over is None:
            state, _ = reducer.step(state, put, remember=False)
    told.tell(_choose(told, filmed))
    if told.moved and state.position.over is None:
        state, _ = reducer.step(state, Count(0.0, table.owned()), remember=False)
    return state, replace(told.true, kind=table.kind), told.moved


def _lay_stage(told: Telling, state: State) -> State:
    """The players lay what is due, as the rules have it, and what they laid is noted."""
    top = told.table.top
    first = not told.stages
    stage = Stage({}, {}, [])
    before = {p: [] if first else list(laid) for p, laid in top.laid.items()}
    for entry in top.inputs(state):
        if not isinstance(entry, Seen):
            stage.acts.append((entry, told.table.tops(), told.table.owned()))
        state, _ = reducer.step(state, entry, remember=False)
    for player, laid in top.laid.items():
        fresh = [one for one in laid if one not in before[player]]
        stage.down[player] = tuple(card for card, up in fresh if not up)
        for card in (card for card, up in fresh if up):
            stage.up[player] = card
    told.stages.append(stage)
    return state


def _true(table: Messy, state: State) -> TrueRound:
    verdict = state.position.round.verdict
    won = verdict.winner if isinstance(verdict, BattleWon) else None
    return TrueRound(table.round, table.kind, won, dict(state.position.round.faces), dict(state.position.counts))


# --- a round being told -----------------------------------------------------------------------------


@dataclass
class Telling:
    """A round that is told as its players play it, with or without mess."""

    table: Messy
    stages: list[Stage] = field(default_factory=list)
    true: TrueRound = TrueRound(0, "", None, {}, {})
    put: Input | None = None
    #: Whether cards went where nobody told of, and whether those of a war are laid face up one after the other.
    moved: bool = False
    one_by_one: bool = False

    @property
    def cards(self) -> list[Card]:
        """All cards that are laid in the round."""
        return [card for stage in self.stages for card in (*stage.up.values(), *sum(stage.down.values(), ()))]

    @property
    def is_small(self) -> bool:
        """Whether somebody has so few cards that those just won are turned again at once."""
        lie = {card for cards in self.table.heap.values() for card in cards}
        return any(len(set(self.table.top.owned(p)) - lie - set(self.cards)) < FEW for p in self.stages[0].up)

    @property
    def rng(self) -> random.Random:
        return self.table.rng

    def tell(self, kind: Callable[[Telling], None]) -> None:
        """Tell the round with this kind of mess."""
        table = self.table
        ranks = {p: card.rank for p, card in self.stages[0].up.items()}
        if table.lay and all(table.lay.get(p) is rank for p, rank in ranks.items()):
            # Nobody's eyes tell equal ranks from the same cards where the table was never empty between them.
            table.look()
        table.kind = _left_over(table) or kind.__name__
        table.owner, table.order, table.readings = {}, {}, {}
        kind(self)

    def acts(self, stage: Stage) -> None:
        """What is done with face-up piles before the cards are laid: told by people, or seen."""
        for act, tops, counts in stage.acts:
            self.table.counts, self.table.shown_tops = dict(counts), tops
            if self.table.piles_seen:
                self.table.look()
            else:
                self.table.tell(act)

    def lay(self, player: str, stage: Stage, cover: bool, face_up: bool = False) -> None:
        """The player lays a face, over those that lie there or beside them; `face_up` shows those under it too."""
        table = self.table
        mine = table.lie.setdefault(player, [])
        if cover:
            for old in [old for old in mine if table.owner.get(old) == player]:
                mine.remove(old)
        cards = (*(stage.down[player] if face_up else ()), stage.up[player])
        for card in cards:
            mine.append(card)
            if self.one_by_one and card is not cards[-1]:
                table.look()
        table.owner |= dict.fromkeys(cards, player)
        table.order[player] = (*table.order.get(player, ()), *cards)
        table.heap = {p: [card for card in cards_ if card not in cards] for p, cards_ in table.heap.items()}
        table.counts[player] -= 1 + len(stage.down[player])

    def play(
        self,
        between: Callable[[int, str, list[str]], None] | None = None,
        tied: Callable[[int], None] | None = None,
        after: Callable[[], None] | None = None,
        one_by_one: bool = False,
        clear: bool = True,
        face_up: str = "",
        first: str = "",
    ) -> None:
        """The round as it is played, with what happens `between` two cards, after a tie and `after` the verdict.

        Whoever is named `face_up` lays the cards of a war face up.
        """
        for number, stage in enumerate(self.stages):
            self.acts(stage)
            players = self.rng.sample(sorted(stage.up), len(stage.up))
            # Who lays card after card face up is not the last: then nobody could wait for the one that fights.
            players.sort(key=lambda player: player != (first or (face_up if self.one_by_one else "")))
            alone = one_by_one or self.rng.random() < 0.5
            cover = self.rng.random() < 0.6 and not face_up
            for place, player in enumerate(players, start=1):
                self.lay(player, stage, cover, face_up == player and number > 0)
                if alone or place == len(players):
                    self.table.look()
                if between and alone and place < len(players):
                    between(number, player, players[place:])
            if tied and number + 1 < len(self.stages):
                tied(number)
        self.table.counts = dict(self.true.counts)
        if after:
            after()
        if clear:
            self.clear()

    def clear(self) -> None:
        """The winner collects, and says or shows which card lies on top of a face-up pile."""
        table = self.table
        table.lie, table.counts = {}, table.owned()
        early = self.rng.random() < 0.3
        if self.put is not None and not table.piles_seen and early:
            table.tell(self.put)
        table.shown_tops = table.tops()
        table.lay = {p: laid[-1].rank for p, laid in self.true.faces.items()}
        if self.rng.random() < 0.85 or table.piles_seen or self.is_small:
            table.lay = {}
            table.look()
        if self.put is not None and not table.piles_seen and not early:
            table.tell(self.put)


def _left_over(table: Messy) -> str:
    """The kind of mess that the rounds before have left behind."""
    return table.left if any(table.heap.values()) else ""


# --- the kinds of mess ------------------------------------------------------------------------------


def plain(t: Telling) -> None:
    """Nothing is amiss."""
    t.play()


def nudged(t: Telling) -> None:
    """A card slides over the middle, or over a border, while others are waited for, and comes back or stays there."""
    stays = t.rng.random() < 0.4

    def between(_: int, player: str, left: list[str]) -> None:
        card, other = t.table.lie[player][-1], t.rng.choice(left)
        t.table.lie[player].remove(card)
        t.table.lie.setdefault(other, []).insert(0, card)
        t.table.look()
        if not stays:
            t.table.lie[other].remove(card)
            t.table.lie[player].append(card)
            if t.rng.random() < 0.7:
                t.table.look()

    t.play(between, one_by_one=True)


def over_border(t: Telling) -> None:
    """A card is first laid over the border, in another's place, and drawn back before the other lays his."""
    stage = t.stages[0]
    player, other = t.rng.sample(sorted(stage.up), 2)
    t.acts(stage)
    stage.acts.clear()
    t.table.look({other: [stage.up[player]]})
    t.play(one_by_one=True, first=player)


def shoved(t: Telling) -> None:
    """A sleeve shoves tied cards, or a settled one, into another's place."""

    def shove(player: str, other: str) -> None:
        there = t.table.lie
        card = there[player][-1]
        there[player].remove(card)
        there.setdefault(other, []).append(card)
        t.table.look()
        if t.rng.random() < 0.5:
            there[other].remove(card)
            there[player].append(card)
            t.table.look()

    def tied(number: int) -> None:
        if len(t.stages[number].up) > 1:
            shove(*t.rng.sample(sorted(t.stages[number].up), 2))

    def after() -> None:
        # The winner's card with the loser would be a wrong taker's.
        losers = [p for p in t.stages[-1].up if p != t.true.winner]
        if losers and t.true.winner:
            shove(t.rng.choice(losers), t.true.winner)

    t.play(tied=tied, after=after)


def put_back(t: Telling) -> None:
    """Cards are picked up and put back where they lay: before the verdict, in a war, after it."""

    def pick(*players: str) -> None:
        lay = {p: list(cards) for p, cards in t.table.lie.items()}
        t.table.look({p: cards for p, cards in lay.items() if p not in players})
        t.table.look()

    def between(_: int, player: str, __: list[str]) -> None:
        pick(player)

    def tied(number: int) -> None:
        there = sorted(t.stages[number].up)
        pick(*t.rng.sample(there, t.rng.randint(1, len(there))))

    def after() -> None:
        pick(*t.rng.sample(t.table.game.players, t.rng.randint(1, len(t.table.game.players))))

    t.play(between, tied, after)


def exchanged(t: Telling) -> None:
    """A card is shown, taken back and exchanged for another of the same player's."""
    stage = t.stages[0]
    player = t.rng.choice(sorted(stage.up))
    pile = [card for card in t.table.top.piles[player] if card not in t.cards]
    if pile and len(stage.up) > 1:
        t.acts(stage)
        stage.acts.clear()
        t.table.look({player: [t.rng.choice(pile)]})
        if t.rng.random() < 0.7:
            t.table.look({})
    # Mostly who took a card back lays the next one, too.
    t.play(one_by_one=True, first=player if t.rng.random() < 0.8 else "")


def heap(t: Telling) -> None:
    """The winner leaves won cards face up, and the next rounds are laid beside them."""
    won = [card for cards in t.table.lie.values() for card in cards]

    def after() -> None:
        won.extend(card for cards in t.table.lie.values() for card in cards)

    t.play(after=after, clear=False)
    t.table.lie = {}
    if t.true.winner and won:
        shown = won if t.rng.random() < 0.5 else won[-1:]
        t.table.heap = {t.true.winner: [*t.table.heap.get(t.true.winner, []), *shown]}
        t.table.left = "heap"
    t.clear()


def uncollected(t: Telling) -> None:
    """Nobody collects, and the next round is laid beside the cards of this one."""
    t.play(clear=False)
    t.table.heap = {p: list(cards) for p, cards in t.table.lie.items()}
    t.table.lie, t.table.left = {}, "uncollected"


def early(t: Telling) -> None:
    """Cards are collected one by one while somebody still looks, and the next round is laid at once."""

    def after() -> None:
        for player in t.rng.sample(t.table.game.players, len(t.table.game.players) - 1):
            t.table.lie.pop(player, None)
            t.table.look()

    t.play(after=after, clear=False)
    t.table.lie = {}
    if t.put is not None or t.is_small:
        t.clear()
    t.table.shown_tops = t.table.tops()


def late(t: Telling) -> None:
    """The next card is laid while one of this round still lies in its place, and is collected later."""
    t.play(clear=False)
    rest = {p: cards for p, cards in t.table.lie.items() if t.rng.random() < 0.5}
    t.table.lie = {}
    t.table.heap = {p: list(cards) for p, cards in rest.items()}
    t.table.left = "late"
    t.clear()


def hands(t: Telling) -> None:
    """A hand covers the table, or a part of it, at any moment."""

    def cover() -> None:
        hidden = t.rng.sample(t.table.game.players, t.rng.randint(1, len(t.table.game.players)))
        t.table.look({p: cards for p, cards in t.table.lie.items() if p not in hidden})

    def between(_: int, __: str, ___: list[str]) -> None:
        cover()
        if t.rng.random() < 0.5:
            t.table.look()

    def tied(_: int) -> None:
        cover()
        t.table.look()

    def after() -> None:
        hidden = t.rng.choice([p for p in t.table.lie if t.table.lie[p]])
        t.table.look({p: cards for p, cards in t.table.lie.items() if p != hidden})
        t.table.look()

    t.play(between, tied, after)


def face_up(t: Telling) -> None:
    """Somebody lays the cards of a war face up beside each other, in one go or one by one; the last one fights."""
    t.one_by_one = t.rng.random() < 0.5
    t.play(face_up=t.rng.choice(sorted(p for stage in t.stages[1:] for p, down in stage.down.items() if down)))


def stranger(t: Telling) -> None:
    """Somebody who does not fight in a war lays a card, and takes it back."""
    fighting = t.stages[1].up
    idle = [p for p in t.stages[0].up if p not in fighting and set(t.table.top.piles[p]) - set(t.cards)]
    who = t.rng.choice(idle)
    card = t.rng.choice([card for card in t.table.top.piles[who] if card not in t.cards])

    def tied(number: int) -> None:
        if number == 0:
            t.table.lie[who].append(card)
            t.table.look()
            if t.rng.random() < 0.5:
                t.table.lie[who].remove(card)

    t.play(tied=tied)


def doubtful(t: Telling) -> None:
    """A card is read in doubt, with the cards that it may be."""
    card = _any_face(t)
    other = _confused(t, card)
    p = t.rng.uniform(0.5, 0.93)
    pair = (_sure(card), other) if t.rng.random() < p else (other, _sure(card))
    _play_read(t, card, Face(pair[0], p, ((pair[1], 0.99 - p),)))


def unread(t: Telling) -> None:
    """A card is hardly read, and no other is named."""
    card = _any_face(t)
    p = t.rng.uniform(0.3, 0.65)
    _play_read(t, card, Face(_sure(card) if t.rng.random() < p else _confused(t, card), p))


def _any_face(t: Telling) -> Card:
    stage = t.rng.choice([stage for stage in t.stages if stage.up])
    return stage.up[t.rng.choice(sorted(stage.up))]


def _confused(t: Telling, card: Card) -> Card:
    """A card for which this one may be taken, and which does not lie on the table as well."""
    lie, before = {_sure(other) for other in t.cards}, set(t.table.lay.values())
    row = {other: p for other, p in confusions()[_sure(card)].items() if other not in lie and other.rank not in before}
    row = row or {other: p for other, p in confusions()[_sure(card)].items() if other not in lie}
    return t.rng.choices(list(row), list(row.values()))[0]


def _play_read(t: Telling, card: Card, face: Face) -> None:
    t.table.readings[card] = face
    t.play()
    t.table.readings.clear()


def wrong_taker(t: Telling) -> None:
    """The loser takes the cards; mostly it is noticed and put right."""
    loser = t.rng.choice([p for p in t.stages[0].up if p != t.true.winner])

    def after() -> None:
        lie = [card for laid in t.table.lie.values() for card in laid]
        t.table.look({loser: lie})
        if t.rng.random() < 0.7:
            t.table.look({str(t.true.winner): lie})
        elif t.table.game.variant.name in ("classic", "multi", "razboi"):
            t.moved = True

    t.play(after=after, clear=False)
    if t.moved:
        pile = t.table.top
        for card in t.cards:
            for place in (pile.piles, pile.heap):
                if card in place[str(t.true.winner)]:
                    place[str(t.true.winner)].remove(card)
                    place[loser].append(card)
    t.clear()


def drift(t: Telling) -> None:
    """A card slips from one pile into another, or under the table, and nobody notices."""
    t.play()
    piles = t.table.top.piles
    rich = [p for p in piles if len(piles[p]) > 2]
    if rich:
        giver = t.rng.choice(rich)
        card = piles[giver].pop()
        takers = [p for p in rich if p != giver]
        if takers and t.rng.random() < 0.6:
            piles[t.rng.choice(takers)].append(card)
        t.moved = True
        t.table.counts = t.table.owned()


Kind = Callable[[Telling], None]
KINDS: tuple[Kind, ...] = (
    plain,
    nudged,
    over_border,
    shoved,
    put_back,
    exchanged,
    heap,
    uncollected,
    early,
    late,
    hands,
    face_up,
    stranger,
    doubtful,
    unread,
    wrong_taker,
    drift,
)
#: What no film shows: a reading is what the detector makes of the cards.
NOT_FILMED = (doubtful, unread)
#: How often a kind is chosen where it is possible: those of wars are seldom, and a drift tells of all that follows.
WEIGHT = {face_up: 4.0, stranger: 8.0, drift: 0.15, wrong_taker: 0.5}


def _choose(t: Telling, filmed: bool) -> Kind:
    """The kind of mess of this round, among those that it can have."""
    lie = {card for cards in t.table.heap.values() for card in cards}
    if lie and (t.is_small or lie.intersection(t.cards) or t.rng.random() < 0.4):
        t.table.heap = {}
    if any(t.table.heap.values()):
        return plain
    if t.rng.random() < 0.3:
        return plain
    kinds = [kind for kind in KINDS if _is_possible(kind, t) and not (filmed and kind in NOT_FILMED)]
    return t.rng.choices(kinds, [WEIGHT.get(kind, 1.0) for kind in kinds])[0]


def _is_possible(kind: Kind, t: Telling) -> bool:
    variant, wars = t.table.game.variant, t.stages[1:]
    if kind is face_up:
        return any(any(stage.down.values()) and stage.up for stage in wars)
    if kind is stranger:
        piles = t.table.top.piles
        idle = [p for p in t.stages[0].up if wars and p not in wars[0].up and set(piles[p]) - set(t.cards)]
        return bool(wars and wars[0].up and idle)
    if kind in (heap, uncollected, late):
        return bool(t.true.winner) and not variant.stealing and not t.is_small
    if kind is wrong_taker:
        return bool(t.true.winner) and len(t.stages[0].up) > 1
    if kind is exchanged:
        return not variant.hand and len(t.stages[0].up) > 1
    if kind is over_border:
        return len(t.stages[0].up) > 1
    if kind in (nudged, shoved) and sum(card.rank is Rank.JOKER for card in t.cards) > 1:
        # Nobody tells two jokers apart once they have moved.
        return False
    return any(stage.up for stage in t.stages)
