"""Who can own each card: what was seen, what went face down, and in which order it lies in the piles.

A pile is a row of lots, the next to be played first. A lot is some cards of which `size` are really there:
two cards known by name, or twenty-six that nobody has seen. Knowledge only weighs readings; it never stops
a game, and a clash with it loosens it (misreads happen) instead of building on it.

`Knowledge.chance` is how likely a player turns a card next, before anybody looks at it: what a reading's
probability is weighed with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from companion.referee.cards import HIDDEN, Card

_EVERY = (1 << 54) - 1
#: Weight left to a card that the player should not own, or that lies on the table already.
FORBIDDEN = 0.002
#: Weight, against a card that is next in the pile, of one that the player owns further down.
OUT_OF_ORDER = 0.05
#: How often, before a table has shown its ways, a card comes from further down than known, and how often it
#: should not be there at all; each is believed as if it had been seen in so many turns.
DISORDER, STRANGE, BELIEVED = 0.05, 0.002, 50
#: What stays of a number of unseen cards that is only expected: there may have been one more than that. A card more
#: is then no stranger; how often people are asked is the same with anything from 0 to 0.3.
_LEAST = 0.02
#: Cards that a card nobody knows anything about may be.
_ANY = 52


class Lot(Struct, frozen=True):
    """`size` cards drawn from a pool: the mask `cards`, so many `unseen` before, and so many that may be any card.

    Where nothing is lost, the pool is as large as the lot; `strays` stand for cards that turned up elsewhere.
    """

    cards: int
    size: int
    unseen: float = 0.0
    heap: bool = False
    strays: float = 0.0

    @property
    def pool(self) -> float:
        """Of how many cards the lot is a part."""
        return self.cards.bit_count() + self.unseen + self.strays

    def may_hold(self, bits: int, unseen: int) -> int:
        """The cards of `bits` that may be in this lot."""
        if self.strays:
            return bits
        return bits & (self.cards | unseen if self.unseen else self.cards)

    def share(self, bits: int, unseen: int) -> float:
        """How likely, 0..1, one card of this lot is among `bits`; `unseen` are all cards never seen."""
        found = (bits & self.cards).bit_count() + self.strays * bits.bit_count() / _ANY
        if self.unseen:
            found += self.unseen * ((bits & unseen).bit_count() / unseen.bit_count() if unseen else 1 / _ANY)
        return found / self.pool if found else 0.0


Lots = tuple[Lot, ...]


class Knowledge(Struct, frozen=True):
    """`unseen` is the mask of cards never seen; `piles`, `tops` and `spoils` the lots of each player.

    `tops` are the face-up piles (Steal War), `spoils` what lies face down on the table, `shown` the mask
    of the faces on the table, `pack` that of all cards in play. Of the cards `turned` so many came `early`,
    from further down than known, and so many were `strange`, or were read as such and taken for others: how orderly
    this table is, and how well it is known.
    """

    unseen: int
    piles: Mapping[str, Lots]
    tops: Mapping[str, Lots] = field(default_factory=dict)
    spoils: Mapping[str, Lots] = field(default_factory=dict)
    shown: int = 0
    pack: int = _EVERY
    turned: int = 0
    early: int = 0
    strange: float = 0

    def can_own(self, player: str, bits: int) -> int:
        """The cards of `bits` that may be the player's and do not lie face up on the table."""
        free = bits & self.pack & ~self.shown
        found = 0
        for lot in (*self.piles[player], *self.tops.get(player, ())):
            found |= lot.may_hold(free, self.unseen)
        return found

    def next_of(self, player: str, bits: int, hand: int = 0) -> int:
        """The cards of `bits` that the player can turn now: from the front of the pile, or from the hand."""
        free, found, reach = bits & self.pack & ~self.shown, 0, max(hand, 1)
        for lot in self.piles[player] or self.tops.get(player, ()):
            found |= lot.may_hold(free, self.unseen)
            reach -= lot.size
            if reach <= 0:
                break
        return found

    def weight(self, player: str, card: Card, hand: int = 0) -> float:
        """1 for a card that the player can turn now, less for one owned further down, close to 0 for any other."""
        if self.next_of(player, card.bits, hand):
            return 1.0
        return OUT_OF_ORDER if self.can_own(player, card.bits) else FORBIDDEN

    def chance(self, player: str, bits: int, hand: int = 0) -> float:
        """How likely, 0..1, the card that the player turns now is among `bits`, before looking at it."""
        free, pile = bits & self.pack & ~self.shown, self.piles[player] or self.tops.get(player, ())
        size = sum(lot.size for lot in pile)
        strange = self._rate(STRANGE, self.strange) * bits.bit_count() / _ANY
        if not free or not size:
            return strange
        reach = min(max(hand, 1), size)
        turned = owned = 0.0
        before = 0
        for lot in pile:
            share = lot.share(free, self.unseen)
            owned += share * lot.size
            turned += share * max(0, min(lot.size, reach - before))
            before += lot.size
        return turned / reach + self._rate(DISORDER, self.early) * owned / size + strange

    def _rate(self, before: float, seen: float) -> float:
        return (before * BELIEVED + seen) / (BELIEVED + self.turned)


def initial_knowledge(
    players: Iterable[str], counts: Mapping[str, int], pack: int, tops: Mapping[str, tuple[Card, ...]]
) -> Knowledge:
    """What is known before the first card: nothing but the face-up piles."""
    seen = sum(card.bits for pile in tops.values() for card in pile if card.suit is not None)
    return Knowledge(
        unseen=pack & ~seen,
        piles={p: _lots(_never_seen(counts[p] - len(tops.get(p, ())))) for p in players},
        tops={
            p: tuple(_never_seen(1) if card == HIDDEN else face_lot(card.bits) for card in pile)
            for p, pile in tops.items()
        },
        pack=pack,
    )


def _never_seen(number: int) -> Lot:
    return Lot(0, number, unseen=number)


def _lots(*lots: Lot) -> Lots:
    return tuple(lot for lot in lots if lot.size)


def note_played(known: Knowledge, player: str, bits: int, hand: int = 0, overruled: float = 0.0) -> Knowledge:
    """The player turned one card of `bits`; a single one is then known to lie on the table.

    `overruled` is the chance, 0..1, that it was read with as a card that the player should not have.
    """
    left = _less(known, bits, *_drawn_from(known, player, bits, max(hand, 1)))
    told = _told(known, player, bits, hand)
    if overruled:
        told["strange"] = told.get("strange", known.strange) + overruled
    parts = told | {"piles": {**known.piles, player: left}}
    if bits & (bits - 1):
        return replace(known, **parts)
    return _nowhere_else(known, bits, parts | {"shown": known.shown | bits})


def _told(known: Knowledge, player: str, bits: int, hand: int) -> dict[str, Any]:
    """What the card turned tells about the order of this table."""
    if known.next_of(player, bits, hand):
        return {"turned": known.turned + 1}
    if known.can_own(player, bits):
        return {"turned": known.turned + 1, "early": known.early + 1}
    return {"turned": known.turned + 1, "strange": known.strange + 1}


def _drawn_from(known: Knowledge, player: str, bits: int, reach: int) -> tuple[Lots, int]:
    """The pile and the lot in it that the card came from; lots that cannot be told apart are one from now on."""
    pile = known.piles[player]
    holding = [place for place, lot in enumerate(pile) if lot.may_hold(bits, known.unseen)]
    before = 0
    near = []
    for place, lot in enumerate(pile):
        if before >= reach:
            break
        before += lot.size
        near += [place] if place in holding else []
    if near == [0] or not holding:
        return pile, 0
    # Out of order or from a hand: which lot it was is not known beyond these.
    first, last = (near[0], near[-1]) if near else (0, holding[0])
    return pile[:first] + merge(pile[first : last + 1]) + pile[last + 1 :], first


def _less(known: Knowledge, bits: int, pile: Lots, place: int) -> Lots:
    """The pile when one card of `bits` is drawn from the lot at `place`."""
    if not pile:
        return pile
    lot = pile[place]
    unseen, strays = lot.unseen, lot.strays
    if not bits & lot.cards:
        if unseen and bits & known.unseen:
            unseen = _one_less(unseen)
        else:
            strays = max(0.0, strays - 1)
    left = Lot(lot.cards, lot.size - 1, unseen, strays=strays)
    return _lots(*pile[:place], left, *pile[place + 1 :])


def _one_less(unseen: float) -> float:
    return max(unseen - 1, min(unseen, _LEAST))


def _nowhere_else(known: Knowledge, bit: int, parts: dict[str, Any]) -> Knowledge:
    """The card is seen: it is none of those that nobody has seen, and in no pile. `parts` change as well."""
    return replace(
        known,
        **parts
        | {
            "unseen": known.unseen & ~bit,
            "piles": _without(parts.get("piles", known.piles), bit),
            "tops": _without(known.tops, bit),
            "spoils": _without(known.spoils, bit),
        },
    )


def _without(piles: Mapping[str, Lots], bit: int) -> Mapping[str, Lots]:
    hit = {}
    for player, pile in piles.items():
        for lot in pile:
            if lot.cards & bit:
                hit[player] = tuple([_lot_without(lot, bit) for lot in pile])
                break
    return {**piles, **hit} if hit else piles


def _lot_without(lot: Lot, bit: int) -> Lot:
    if not lot.cards & bit:
        return lot
    # A lot that lost a card it was sure of holds another instead: any, until it is seen again.
    missing = max(0.0, lot.size - (lot.pool - 1))
    return Lot(lot.cards & ~bit, lot.size, lot.unseen, lot.heap, lot.strays + missing)


def unplay(known: Knowledge, player: str, bits: int) -> Knowledge:
    """A face on the table is read anew: as if it had not been turned, and the card read could be anywhere."""
    back = bits if not bits & (bits - 1) else 0
    pile = known.piles[player]
    front, rest = (pile[0], pile[1:]) if pile else (Lot(0, 0), ())
    unseen = front.unseen + (not back)
    again = Lot(front.cards | bits, front.size + 1, unseen, front.heap, front.strays)
    return replace(
        known,
        shown=known.shown & ~back,
        unseen=known.unseen | back,
        piles={**known.piles, player: (again, *rest)},
    )


def lay_down(known: Knowledge, player: str, number: int, hand: int = 0) -> Knowledge:
    """The player laid `number` cards face down from the front of the pile, which begins behind the hand."""
    held, pile = _split(known.piles[player], hand)
    taken, left = _split(pile, number)
    return replace(
        known,
        piles={**known.piles, player: held + left},
        spoils={**known.spoils, player: known.spoils.get(player, ()) + taken},
    )


def _split(pile: Lots, number: int) -> tuple[Lots, Lots]:
    taken: list[Lot] = []
    rest = list(pile)
    while number > 0 and rest:
        lot = rest.pop(0)
        size = min(number, lot.size)
        taken.append(replace(lot, size=size, heap=False))
        if size < lot.size:
            rest.insert(0, replace(lot, size=lot.size - size, heap=False))
        number -= size
    return tuple(taken), tuple(rest)


def turn_up(known: Knowledge, player: str) -> Knowledge:
    """The player is about to turn the card laid face down last: it comes first in the pile again."""
    *before, last = known.spoils[player]
    left = _lots(*before, replace(last, size=last.size - 1))
    pile = (replace(last, size=1), *known.piles[player])
    return replace(known, piles={**known.piles, player: pile}, spoils={**known.spoils, player: left})


def merge(lots: Iterable[Lot], heap: bool = False) -> Lots:
    """One lot out of many, their order unknown."""
    cards, size, unseen, strays = 0, 0, 0.0, 0.0
    for lot in lots:
        part = lot.size / pool if (pool := lot.pool) else 0.0
        cards, size = cards | lot.cards, size + lot.size
        unseen, strays = unseen + part * lot.unseen, strays + part * lot.strays
    return _lots(Lot(cards, size, unseen, heap, strays))


def face_lot(bits: int, shown: int = 0) -> Lot:
    """The lot of one face: a known card, or one of several that is none of those `shown` beside it."""
    several = bits & (bits - 1)
    return Lot((several and bits & ~shown) or bits, 1)


def note_taken(known: Knowledge, winner: str, lots: Lots, heap: bool, face_up: bool, hand: int = 0) -> Knowledge:
    """The winner picks up these lots: under the pile, on the heap, or on the face-up pile.

    A heap that the hand reaches into has been shuffled: what is won later makes another.
    """
    if face_up:
        return replace(known, tops={**known.tops, winner: known.tops.get(winner, ()) + lots})
    pile = known.piles[winner]
    if heap and pile and pile[-1].heap and sum(lot.size for lot in pile[:-1]) >= hand:
        lots = merge((pile[-1], *lots), heap=True)
        pile = pile[:-1]
    elif heap:
        lots = merge(lots, heap=True)
    return replace(known, piles={**known.piles, winner: pile + lots})


def learn(known: Knowledge, winner: str, bits: int) -> Knowledge:
    """A card that went face down was shown when it was collected: it lies in the lot that was won last."""
    known = _nowhere_else(known, bits, {})
    face_up = bool(known.tops.get(winner))
    pile = known.tops[winner] if face_up else known.piles[winner]
    if not pile:
        return known
    last = pile[-1]
    lot = Lot(last.cards | bits, last.size, _one_less(last.unseen), last.heap, last.strays)
    told = {winner: (*pile[:-1], lot)}
    return replace(known, tops={**known.tops, **told}) if face_up else replace(known, piles={**known.piles, **told})


def exchange(known: Knowledge, winner: str, player: str, old: int, new: int) -> Knowledge:
    """The winner's last lot holds the card `new` of the player's instead of `old`, which is somewhere in his pile."""
    known = _nowhere_else(known, new, {})
    pile = merge(known.piles[player])
    mine = (Lot(pile[0].cards | old, pile[0].size, pile[0].unseen, strays=pile[0].strays),) if pile else ()
    known = replace(known, piles={**known.piles, player: mine})
    won = known.tops if known.tops.get(winner) else known.piles
    if not won[winner]:
        return known
    *rest, last = won[winner]
    after = {**won, winner: (*rest, replace(last, cards=last.cards & ~old | new))}
    return replace(known, tops=after) if won is known.tops else replace(known, piles=after)


def recount(known: Knowledge, player: str, face_down: int, face_up: int) -> Knowledge:
    """People counted other numbers: the same cards as far as is known, in an order nobody knows, and strangers."""
    piles = {**known.piles, player: _resized(known.piles[player], face_down)}
    tops = {**known.tops, player: _resized(known.tops.get(player, ()), face_up)} if known.tops else known.tops
    return replace(known, piles=piles, tops=tops)


def _resized(lots: Lots, size: int) -> Lots:
    if sum(lot.size for lot in lots) == size:
        return lots
    (lot,) = merge(lots) or (Lot(0, 0),)
    # Whose the missing cards are now nobody knows: any of them may be anybody's.
    return _lots(Lot(lot.cards, size, lot.unseen, lot.heap, lot.strays + max(1.0, size - lot.pool)))


def clear(known: Knowledge) -> Knowledge:
    """The table is picked up: nothing lies on it any more."""
    return replace(known, shown=0, spoils={})


def note_shuffled(known: Knowledge, player: str) -> Knowledge:
    """The player shuffled the face-up pile and plays on from it (E26)."""
    pile = known.piles[player] + merge(known.tops.get(player, ()))
    return replace(known, piles={**known.piles, player: pile}, tops={**known.tops, player: ()})


def note_stolen(known: Knowledge, thief: str, victims: tuple[str, ...], card: Card) -> Knowledge:
    """The thief played `card` on the victims' face-up piles and took them."""
    known = note_played(known, thief, card.bits)
    loot = sum((known.tops.get(victim, ()) for victim in victims), ())
    mine = known.tops.get(thief, ()) + loot + (face_lot(card.bits),)
    return replace(
        known, tops={**known.tops, **dict.fromkeys(victims, ()), thief: mine}, shown=known.shown & ~card.bits
    )
