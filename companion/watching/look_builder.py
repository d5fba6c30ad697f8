"""Turns a settled look into an input: the owner of each card, the order they were laid in, and whether it is news."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import hypot

from companion.referee.cards import Card
from companion.referee.events import Face, Seen
from companion.seats.layout import Point, Seats, Zone
from companion.table.snapshot import CardView, Spoilt, certainty
from vision.geometry import overlap, short_and_long
from vision.images import crop_box, crop_card, encode_jpeg
from vision.tracking.settler import SURELY, is_dazzled, pair_cards, part_of, same_card
from vision.types import FoundCard, Look, Side

#: A face believed less than this (0..1) beside a surer one of the same player is no card.
_PHANTOM_BELOW = 0.2
#: An outline that lies this far inside a surer one is a part of that card, unless it is surely read and believed.
_INSIDE = 0.5
#: A face with nothing over it is read this surely; less, beside another one, is a covered card.
_OPEN = 0.97
#: A face that is not read and shorter than so many pixels is too small to read.
_SMALL_PIXELS = 70

#: Least distance of a pile from the cards that its player lays, in shorter sides of a card.
_AWAY = 1.2
#: Half the side of the place of a pile, in longer sides of a card.
_PILE = 0.7

#: How likely, 0..1, a player can turn a card now, before anybody looks at it.
Expected = Callable[[str, Card], float]
#: The found cards behind each player's faces, in the order laid.
Faces = dict[str, tuple[FoundCard, ...]]


@dataclass(frozen=True, slots=True)
class OwnedCard:
    """A found card with its owner and the kind of its place."""

    player: str
    zone: Zone
    found: FoundCard


class LookBuilder:
    """Turns the looks of one table into inputs; remembers the order in which cards were laid."""

    def __init__(self, players: tuple[str, ...], seats: Seats) -> None:
        """Begin with an empty table."""
        self._players, self._seats = players, seats
        self._laid: dict[str, list[FoundCard]] = {player: [] for player in players}
        self._resting: Counter[str] = Counter()
        #: Outlines of the cards that each player laid last, and the tops of the piles in the last look.
        self._spots: dict[str, list[FoundCard]] = {player: [] for player in players}
        self._tops: frozenset[str] = frozenset()
        self._told: object = None

    def use_seats(self, seats: Seats) -> None:
        """Read the next looks with these seats, of the same players."""
        self._seats = seats

    def forget(self) -> None:
        """Take the next look as news, even if it shows the same."""
        self._told = None

    def note_told(self, seen: Seen) -> None:
        """This was the last look that was told; the same again is no news."""
        self._told = _gist(seen)

    def build(
        self, look: Look, at: float, *, war: bool, camera: bool, expected: Expected = lambda *_: 1.0
    ) -> tuple[Seen, Faces] | None:
        """The input of a look at second `at`, and the found cards behind its faces; None where it is no news.

        `war`: a war is being fought, so backs beyond those that lay there before are its cards. `camera`: the
        look knows what has not moved. `expected` tells phantoms from cards where a player seems to show several;
        the readings themselves are told as they were read.
        """
        mine = tuple(self._assign_owners(look))
        faces = {player: self._in_order(player, mine, expected, war, camera) for player in self._players}
        self._spots = {player: laid or self._spots[player] for player, laid in self._laid.items()}
        self._tops = frozenset(one.found.code for one in mine if one.zone is Zone.PILE and one.found.code)
        seen = Seen(
            at=at,
            faces={player: tuple(map(make_face, found)) for player, found in faces.items()},
            backs_seen=self._backs(mine, war),
            piles=_piles(mine, self._seats.piles),
            unmoved=frozenset(_unmoved(faces)) if camera else frozenset(),
        )
        return None if _gist(seen) == self._told else (seen, faces)

    def find_pile(self, look: Look, piled: frozenset[str]) -> tuple[str, tuple[Point, ...]] | None:
        """A player, and the place of his face-up pile that this look shows for the first time; None where none is.

        `piled` are the codes of all cards in face-up piles: one of them that lies face up away from where it was laid
        is the top of a pile, for each card exists once. A player whose place for the pile shows a card has it there.
        """
        mine = tuple(self._assign_owners(look))
        has = {one.player for one in mine if one.zone is Zone.PILE}
        for one in mine:
            known = one.found.read and one.found.p >= SURELY and one.found.code in piled | self._tops
            if known and one.zone is Zone.PLAY and one.player not in has and self._is_away(one):
                return one.player, _surround(one.found, look.size)
        return None

    def _is_away(self, one: OwnedCard) -> bool:
        """Whether a card lies where its player has laid none; False while that is not known."""
        laid = self._spots[one.player]
        least = _AWAY * short_and_long(one.found.quad)[0]
        return bool(laid) and all(_distance(one.found, old) >= least for old in laid)

    def views(self, look: Look) -> tuple[CardView, ...]:
        """The faces of a look for the page."""
        mine = (one for one in self._assign_owners(look) if one.zone is Zone.PLAY and one.found.side is Side.FACE)
        return tuple(_view(one, look.size) for one in mine)

    def _assign_owners(self, look: Look) -> Iterable[OwnedCard]:
        width, height = look.size
        owners = [(old, player) for player, laid in self._laid.items() for old in laid]
        lying = pair_cards(look.cards, [old for old, _ in owners])
        for found, old in zip(look.cards, lying, strict=True):
            x, y = found.centre
            if old is not None and _rest(found, old):
                # The middle of what is left to see of a card may lie in a neighbour's place; the card does not.
                yield OwnedCard(next(player for one, player in owners if one is old), Zone.PLAY, found)
            elif (place := self._seats.at(x / width, y / height)) is not None:
                yield OwnedCard(place.player, place.zone, found)

    def _in_order(
        self, player: str, mine: Sequence[OwnedCard], expected: Expected, war: bool, camera: bool
    ) -> tuple[FoundCard, ...]:
        """The player's faces in the order laid: those that lay there before first, each in its place."""
        before = self._laid[player]
        twice = _read_twice(one.found for one in mine)
        found = (one.found for one in mine if one.player == player and one.zone is Zone.PLAY)
        now = _real(found, lambda card: believed(card, player, expected))
        if camera:
            now = _uncovered(_in_one_piece(now, before), before, war, twice)
        elif war and _beside(now, before):
            # Between two pictures anything may have moved, but a tied card that only strips are left of shows no other.
            now = _uncovered(now, before, war, twice)
        was = {id(card): old for card, old in zip(now, pair_cards(now, before), strict=True) if old is not None}
        place = {id(old): number for number, old in enumerate(before)}
        order = sorted(now, key=lambda card: place[id(was[id(card)])] if id(card) in was else len(before))
        self._laid[player] = [_whole(card, was.get(id(card))) for card in order]
        return tuple(order)

    def _backs(self, mine: Iterable[OwnedCard], war: bool) -> dict[str, int]:
        backs = (one for one in mine if one.found.side is Side.BACK and one.zone is Zone.PLAY)
        lying = Counter(one.player for one in backs)
        if not war:
            # The draw piles lie face down too; what lies there between wars is no card of a war.
            self._resting = lying
        return {player: max(0, lying[player] - self._resting[player]) for player in self._players}


def believed(card: FoundCard, player: str, expected: Expected) -> float:
    """How likely this outline is the card it is best taken for, 0..1."""
    codes = ((reading.p, Card.parse(reading.code)) for reading in card.readings)
    return card.found * max((p * expected(player, code) for p, code in codes), default=0.0)


def _real(cards: Iterable[FoundCard], belief: Callable[[FoundCard], float]) -> list[FoundCard]:
    """The faces that are cards, from left to right: outlines of parts and shadows only where nothing is surer."""
    faces = sorted((card for card in cards if card.side is Side.FACE and card.readings), key=belief, reverse=True)
    kept: list[FoundCard] = []
    for card in faces:
        if not any(_phantom(card, other, belief) for other in kept):
            kept.append(card)
    return sorted(kept, key=lambda card: card.centre)


def _phantom(card: FoundCard, surer: FoundCard, belief: Callable[[FoundCard], float]) -> bool:
    doubted = belief(card) < 0.5 * belief(surer)
    if _over(card, surer):
        return doubted or not card.read or card.p < SURELY
    return doubted and not card.read and belief(card) < _PHANTOM_BELOW


def _in_one_piece(cards: list[FoundCard], before: list[FoundCard]) -> list[FoundCard]:
    """The faces without second pieces of one card, where another one lies across it: each card exists once."""
    lying = pair_cards(cards, before)
    there = [(card, old) for card, old in zip(cards, lying, strict=True) if old and _is_still(card, old)]
    return [
        card
        for card, old in zip(cards, lying, strict=True)
        if old or not any(_rest(card, other) or (part_of(card, other) and _over(card, left)) for left, other in there)
    ]


def _is_still(card: FoundCard, old: FoundCard) -> bool:
    """Whether a face in the place of another is that one, and does not only lie over it."""
    return card.code == old.code or part_of(card, old)


def _whole(card: FoundCard, old: FoundCard | None) -> FoundCard:
    """What to remember of a card: its outline as far as it was ever seen, and its surest reading."""
    if old is None or not part_of(card, old):
        return card
    return replace(card, quad=old.quad) if card.code == old.code and card.p >= old.p else old


def _read_twice(cards: Iterable[FoundCard]) -> list[FoundCard]:
    """Those that are read as a card that another one is read as more surely: no card is there twice."""
    surest: dict[str | None, FoundCard] = {}
    faces = sorted((card for card in cards if card.read), key=lambda card: card.p, reverse=True)
    return [card for card in faces if surest.setdefault(card.code, card) is not card]


def _uncovered(
    cards: list[FoundCard], before: list[FoundCard], war: bool, twice: Sequence[FoundCard]
) -> list[FoundCard]:
    """The faces, but what is left to see of a card that others came to lie over is not read anew.

    In a war the cards laid over the tied one may be outlined as it was, and what is left of it as a whole card.
    """
    there = {id(card) for card in cards if card.read and _is_there(card, before)}
    shown = {card.code for card in cards if id(card) in there}
    beside = _beside(cards, before)
    now, left = list(cards), [card for card in cards if id(card) not in there]
    for old in (old for old in before if old.code not in shown):
        worse = [card for card in left if card.p < old.p]
        rests = [card for card in worse if _rest(card, old)]
        if war and not rests:
            doubtful = (card for card in worse if card in twice or _doubtful(card, beside))
            rests = [card for card in doubtful if _over(card, old)]
        if rests:
            rest = min(rests, key=lambda card: hypot(card.centre[0] - old.centre[0], card.centre[1] - old.centre[1]))
            left.remove(rest)
            now[now.index(rest)] = replace(old, quad=rest.quad, moved=rest.moved)
    return now


def _is_there(card: FoundCard, before: Iterable[FoundCard]) -> bool:
    """Whether a face is one that lay there, and not what is left to see of another, read as that one."""
    alike = [old for old in before if old.code == card.code]
    others = (old for old in before if old.code != card.code)
    return bool(alike) and (any(_over(card, old) for old in alike) or not any(part_of(card, old) for old in others))


def _rest(card: FoundCard, old: FoundCard) -> bool:
    """Whether this is what is left to see of a card: a part of it in which nothing moved is, whatever it looks like."""
    return part_of(card, old) and (same_card(card, old) or not card.moved)


def _over(card: FoundCard, old: FoundCard) -> bool:
    return overlap(card.quad, old.quad)[1] > _INSIDE


def _beside(cards: Iterable[FoundCard], before: Sequence[FoundCard]) -> bool:
    """Whether a face lies where none lay before."""
    return any(not any(_over(card, old) for old in before) for card in cards)


def _doubtful(card: FoundCard, beside: bool) -> bool:
    """Whether the face may be covered: the card laid last lies open, and where it lies beside, the others do not."""
    return not card.read or (beside and card.p < _OPEN)


def make_face(found: FoundCard) -> Face:
    """A found card as the referee hears of it."""
    first, *others = ((Card.parse(reading.code), round(min(1.0, reading.p), 4)) for reading in found.readings)
    return Face(first[0], first[1], tuple(others))


def _unmoved(faces: Faces) -> Iterable[str]:
    return (player for player, cards in faces.items() if cards and not any(card.moved for card in cards))


def _distance(a: FoundCard, b: FoundCard) -> float:
    return hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1])


def _surround(found: FoundCard, size: tuple[int, int]) -> tuple[Point, ...]:
    """The square round a card in which its pile lies, in fractions of the picture."""
    (x, y), half = found.centre, _PILE * short_and_long(found.quad)[1]
    left, right = max(0.0, (x - half) / size[0]), min(1.0, (x + half) / size[0])
    top, bottom = max(0.0, (y - half) / size[1]), min(1.0, (y + half) / size[1])
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _piles(mine: Iterable[OwnedCard], owners: frozenset[str]) -> dict[str, Card | None] | None:
    """The tops of the face-up piles; None where no piles are drawn. A top that cannot be read is left out."""
    tops: dict[str, Card | None] = dict.fromkeys(sorted(owners))
    for one in sorted((one for one in mine if one.zone is Zone.PILE), key=lambda one: one.found.found):
        if one.found.read and one.found.code:
            tops[one.player] = Card.parse(one.found.code)
        else:
            tops.pop(one.player, None)
    return tops or None


def _gist(seen: Seen) -> object:
    """What makes a look news: other cards, a surer reading, more backs, another pile."""
    faces = tuple((player, tuple((f.card, certainty(f.p)) for f in laid)) for player, laid in seen.faces.items())
    return faces, tuple((seen.backs_seen or {}).items()), tuple((seen.piles or {}).items())


def _view(one: OwnedCard, size: tuple[int, int]) -> CardView:
    found = one.found
    polygon = tuple((round(x / size[0], 4), round(y / size[1], 4)) for x, y in found.quad)
    others = tuple((reading.code, round(reading.p, 3)) for reading in found.readings[1:])
    height = round(short_and_long(found.quad)[1])
    spoilt = "" if found.read else Spoilt.GLARE if is_dazzled(found) else Spoilt.SMALL if height < _SMALL_PIXELS else ""
    return CardView(
        one.player,
        found.code or "",
        round(found.p, 3),
        certainty(found.p),
        others,
        polygon=polygon,
        spoilt=spoilt,
        height=height,
    )


def crop_evidence(look: Look, faces: Faces, box: tuple[float, float, float, float]) -> dict[str, bytes]:
    """The evidence of a look: the table zone and every face, as JPEG by name."""
    if look.frame is None:
        return {}
    frame = look.frame
    crops = {
        f"{player} {place}": encode_jpeg(crop_card(frame, found.quad))
        for player, cards in faces.items()
        for place, found in enumerate(cards)
    }
    return {"table": encode_jpeg(crop_box(frame, box)), **crops}
