"""A simulated table: deals, lays and collects cards as the players would.

It decides nothing about the game: who must lay how many, and who takes what, is read from the referee's state.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from enum import StrEnum

from companion.referee.cards import Card, cards_in, pack
from companion.referee.events import BattleDrawn, BattleWon, Face, Input, Reshuffle, Seen, Steal, Top
from companion.referee.game import Game
from companion.referee.position import Position, Round
from companion.referee.reducer import State
from companion.referee.settings import Collect, Leftover
from companion.referee.verdict import clockwise
from companion.referee.wars import ranks_as


class Order(StrEnum):
    """How the winner puts won cards under the pile."""

    SHUFFLE = "shuffle"
    WINNER_FIRST = "winner_first"
    SEATS = "seats"


def _take_out_low(cards: list[Card], number: int) -> None:
    """Before the deal, the lowest cards that cannot be dealt equally (SHR, ROM)."""
    for _ in range(number):
        cards.remove(min(cards, key=lambda card: card.rank.strength))


class Tabletop:
    """The cards of every player, the next to be played first. The only thing here that changes."""

    def __init__(self, game: Game, rng: random.Random, order: Order = Order.SHUFFLE) -> None:
        """Deal the game's starting counts from a shuffled pack."""
        self.game, self.rng, self.order = game, rng, order
        self.piles: dict[str, list[Card]] = {}
        self.face_up: dict[str, list[Card]] = {player: [] for player in game.players}
        self.laid: dict[str, list[tuple[Card, bool]]] = {player: [] for player in game.players}
        self.heap: dict[str, list[Card]] = {player: [] for player in game.players}
        self._robbed: set[tuple[str, str]] = set()
        self._at = 0.0
        cards = list(cards_in(pack(game.settings.jokers)))
        rng.shuffle(cards)
        if game.settings.leftover is Leftover.REMOVE_LOW:
            _take_out_low(cards, min(len(cards) % len(game.players), len(cards) - game.total))
        for player in game.players:
            self.piles[player] = [cards.pop() for _ in range(game.counts[player])]

    def owned(self, player: str) -> list[Card]:
        """Every card the player owns that does not lie in the middle."""
        return self.piles[player] + self.face_up[player] + self.heap[player]

    # --- laying -------------------------------------------------------------------------------------

    def inputs(self, state: State) -> Iterator[Input]:
        """What happens next at the table: acts of Steal War, then one look with the new faces."""
        pos = state.position
        fresh = pos.round.verdict is not None
        if fresh:
            self.laid = {player: [] for player in self.game.players}
            yield self._seen({})
        now = pos.round
        waiting = tuple(p for p in pos.game.players if pos.counts[p]) if fresh else now.waiting
        if self.game.variant.stealing:
            yield from self._steal_acts(waiting, now, fresh)
        for player in waiting:
            self._lay(player, 0 if fresh else now.due.get(player, 0), now.revealing and not fresh)
        yield self.look()

    def look(self) -> Seen:
        """The settled table as it lies, everything in sight."""
        faces = {p: tuple(Face(card) for card, up in laid if up) for p, laid in self.laid.items()}
        return self._seen(faces, {p: sum(not up for _, up in laid) for p, laid in self.laid.items()})

    def _seen(self, faces: Mapping[str, tuple[Face, ...]], backs: Mapping[str, int] | None = None) -> Seen:
        self._at += 3.0
        return Seen(self._at, faces, backs)

    def _lay(self, player: str, down: int, reveal: bool) -> None:
        if reveal:
            self._reveal(player)
            return
        hand = self.game.variant.hand
        for _ in range(down):
            self.laid[player].append((self._draw(player, hand), False))
        choice = self.rng.randrange(hand) if hand else 0
        self.laid[player].append((self._draw(player, choice), True))

    def _draw(self, player: str, place: int) -> Card:
        self._fill(player, place + 1)
        card = self.piles[player].pop(min(place, len(self.piles[player]) - 1))
        self._fill(player, self.game.variant.hand)
        return card

    def _fill(self, player: str, number: int) -> None:
        """Shuffle the heap in where the pile cannot give that many cards."""
        if len(self.piles[player]) < number and self.heap[player]:
            self.rng.shuffle(self.heap[player])
            self.piles[player] += self.heap[player]
            self.heap[player] = []

    def _reveal(self, player: str) -> None:
        place = max(i for i, (_, up) in enumerate(self.laid[player]) if not up)
        card, _ = self.laid[player].pop(place)
        self.laid[player].append((card, True))

    # --- Steal War ----------------------------------------------------------------------------------

    def _steal_acts(self, waiting: tuple[str, ...], now: Round, fresh: bool) -> Iterator[Input]:
        for player in waiting:
            need = 1 if fresh else now.due.get(player, 0) + 1
            if len(self.piles[player]) < need and self.face_up[player]:
                yield self._reshuffle(player)
            if fresh or not now.wars:
                yield from self._steals(player, waiting)

    def _reshuffle(self, player: str) -> Input:
        self.rng.shuffle(self.face_up[player])
        self.piles[player] += self.face_up[player]
        self.face_up[player] = []
        return Reshuffle(self._at, player)

    def _steals(self, player: str, waiting: tuple[str, ...]) -> Iterator[Input]:
        """Steal every pile whose top matches the next card, as long as cards are left to play from."""
        while len(self.piles[player]) > 1:
            card = self.piles[player][0]
            ranks = ranks_as(card, self.game.settings)
            # Nobody is robbed of the last card here: who has nothing to play is out at once.
            rich = [p for p in waiting if p != player and self.piles[p]]
            victims = tuple(p for p in rich if self._may_rob(player, p) and self.face_up[p][-1].rank in ranks)
            if not victims:
                return
            self._robbed |= {(victim, player) for victim in victims}
            self.piles[player].pop(0)
            for victim in victims:
                self.face_up[player] += self.face_up[victim]
                self.face_up[victim] = []
            self.face_up[player].append(card)
            yield Steal(self._at, player, card, victims)

    def _may_rob(self, player: str, victim: str) -> bool:
        back = (player, victim) in self._robbed
        return bool(self.face_up[victim]) and (self.game.settings.steal_back or not back)

    # --- collecting ---------------------------------------------------------------------------------

    def collect(self, pos: Position) -> Input | None:
        """Give the cards on the table, and those of players who are out, to whom the verdict names."""
        match pos.round.verdict:
            case BattleWon() as won:
                return self._collect(pos, won)
            case BattleDrawn():
                for player, laid in self.laid.items():
                    if pos.counts[player]:
                        self.piles[player] += [card for card, _ in laid]
                        self.rng.shuffle(self.piles[player])
        return None

    def _collect(self, pos: Position, won: BattleWon) -> Input | None:
        tied = [laid.pop(0)[0] for laid in self.laid.values() if laid] if len(won.takes) > 1 else []
        taken = self._won(won.winner) + self._lost(pos, won.winner)
        for player in won.takes:
            if player != won.winner:
                self._put_away(player, tied)
        if self.game.variant.stealing:
            return self._stack(won.winner, taken)
        self._put_away(won.winner, taken)
        return None

    def _put_away(self, player: str, cards: list[Card]) -> None:
        heaps = self.game.settings.collect is Collect.HEAP_SHUFFLE
        (self.heap if heaps else self.piles)[player].extend(cards)

    def _won(self, winner: str) -> list[Card]:
        first = winner if self.order is Order.WINNER_FIRST else self.game.players[0]
        cards = [card for p in clockwise(self.game.players, first) for card, _ in self.laid[p]]
        if self.order is Order.SHUFFLE:
            self.rng.shuffle(cards)
        return cards

    def _lost(self, pos: Position, winner: str) -> list[Card]:
        cards: list[Card] = []
        for player in self.game.players:
            if player != winner and not pos.counts[player]:
                cards += self.owned(player)
                self.piles[player], self.face_up[player], self.heap[player] = [], [], []
        return cards

    def _stack(self, winner: str, taken: list[Card]) -> Input:
        """On the face-up pile, a card that was seen on top."""
        self._robbed = set()
        shown = [card for laid in self.laid.values() for card, up in laid if up]
        top = self.rng.choice(shown)
        taken.remove(top)
        self.face_up[winner] += [*taken, top]
        return Top(self._at, {winner: top})
