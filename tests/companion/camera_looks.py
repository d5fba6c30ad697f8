"""An honest table as a camera would report it: looks that repeat, arrive one card after the other, are covered,
cleared bit by bit, and sometimes misread."""

from __future__ import annotations

import random
from collections.abc import Iterator

from companion.referee.cards import CARDS, Card, Rank
from companion.referee.events import Face, Input, Seen

#: What each rank is taken for.
LOOKALIKE = {
    "6": "9",
    "9": "6",
    "10": "7",
    "7": "10",
    "J": "K",
    "K": "J",
    "A": "4",
    "4": "A",
    "3": "8",
    "8": "3",
    "Q": "K",
    "2": "5",
    "5": "2",
    "joker": "A",
}


class Camera:
    """Turns the looks of an honest game into those of a camera that misreads `noise` of all faces badly."""

    def __init__(self, players: tuple[str, ...], rng: random.Random, noise: float) -> None:
        self.players, self.rng, self.noise = players, rng, noise
        self.lies: dict[str, tuple[Card, ...]] = dict.fromkeys(players, ())
        self.reported: dict[str, tuple[Card, ...] | None] = dict.fromkeys(players, ())

    def looks(self, entries: list[Input]) -> Iterator[Input]:
        before: dict[str, tuple[Card, ...]] = dict.fromkeys(self.players, ())
        for entry in entries:
            if not isinstance(entry, Seen):
                yield entry
                continue
            cards = {p: tuple(face.card for face in entry.faces.get(p, ())) for p in self.players}
            yield from self._grow(entry.at, cards, before) if any(cards.values()) else self._clear(entry.at)
            before = cards

    def _clear(self, at: float) -> Iterator[Seen]:
        for player in self._shuffled([p for p in self.players if self.lies[p]])[:-1]:
            if self.rng.random() < 0.3:
                self.lies[player] = ()
                yield from self._report(at)
        if self.rng.random() < 0.8:
            self.lies = dict.fromkeys(self.players, ())
            yield from self._report(at)

    def _grow(
        self, at: float, cards: dict[str, tuple[Card, ...]], before: dict[str, tuple[Card, ...]]
    ) -> Iterator[Seen]:
        fresh = self._shuffled([p for p in self.players if cards[p] != before[p]])
        if not any(before.values()) and any(self.lies.values()):
            # The next cards lie there before anyone saw the table empty.
            self.lies = {p: cards[p] if p in fresh else () for p in self.players}
            self.reported = dict.fromkeys(self.players)
            yield from self._report(at)
            return
        for player in fresh:
            covered = self.rng.random() < 0.6
            self.lies[player] = cards[player][-1:] if covered else cards[player]
            if player == fresh[-1] or self.rng.random() < 0.6:
                yield from self._report(at)

    def _shuffled(self, players: list[str]) -> list[str]:
        self.rng.shuffle(players)
        return players

    def _report(self, at: float) -> Iterator[Seen]:
        unmoved = frozenset(p for p in self.players if self.lies[p] == self.reported[p])
        self.reported = {**self.lies}
        yield Seen(at, self._faces(), unmoved=unmoved)
        if self.rng.random() < 0.3:
            yield Seen(at + 0.3, self._faces(), unmoved=frozenset(self.players))

    def _faces(self) -> dict[str, tuple[Face, ...]]:
        return {p: tuple(self._read(card) for card in self.lies[p]) for p in self.players}

    def _read(self, card: Card) -> Face:
        rank = Card(Rank(LOOKALIKE[card.rank.value]), card.suit if card.rank is not Rank.JOKER else CARDS[0].suit)
        suit = self.rng.choice([other for other in CARDS if other.rank is card.rank and other != card])
        chance = self.rng.random()
        if chance < self.noise:
            return Face(rank, self.rng.uniform(0.5, 0.9), ((card, self.rng.uniform(0.05, 0.4)),))
        if chance < 3 * self.noise:
            return Face(suit, self.rng.uniform(0.5, 0.8), ((card, 0.2),))
        if chance < 8 * self.noise:
            return Face(card, self.rng.uniform(0.6, 0.97), ((rank, self.rng.uniform(0.01, 0.3)),))
        return Face(card, self.rng.uniform(0.985, 0.999), ((suit, 0.003),))
