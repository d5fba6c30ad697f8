"""Looks into inputs: whose card is it, in which order were they laid, and has anything changed at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from companion.cards import Card
from companion.events import Face, Seen
from companion.seats import Seats, Zone
from companion.shown import certainty
from companion.snapshot import CardView
from vision.settle import same_place
from vision.types import FoundCard, Look, Side

#: A face that is read no better than this beside a readable one of the same player is no card.
PHANTOM_BELOW = 0.4

#: The found cards behind each player's faces, in the order laid.
Faces = dict[str, tuple[FoundCard, ...]]


@dataclass(frozen=True, slots=True)
class Belonging:
    """A found card and whose it is."""

    player: str
    zone: Zone
    found: FoundCard


class Sight:
    """Turns the looks of one table into inputs, remembering the order in which cards were laid."""

    def __init__(self, players: tuple[str, ...], seats: Seats) -> None:
        """Begin with an empty table."""
        self._players, self._seats = players, seats
        self._laid: dict[str, list[FoundCard]] = {player: [] for player in players}
        self._resting: Counter[str] = Counter()
        self._told: object = None

    def forget(self) -> None:
        """Take the next look as news, even if it shows the same."""
        self._told = None

    def told(self, seen: Seen) -> None:
        """This was the last look that was told; the same again is no news."""
        self._told = _gist(seen)

    def seen(self, look: Look, at: float, war: bool, camera: bool) -> tuple[Seen, Faces] | None:
        """The input of a look at second `at`, and the found cards behind its faces; None where it is no news.

        `war`: a war is being fought, so backs beyond those that lay there before are its cards. `camera`: the
        look knows what has not moved.
        """
        mine = tuple(self._belongings(look))
        faces = {player: self._in_order(player, mine) for player in self._players}
        seen = Seen(
            at=at,
            faces={player: tuple(map(face, found)) for player, found in faces.items()},
            backs_seen=self._backs(mine, war),
            piles=_piles(mine, self._seats.piles),
            unmoved=frozenset(_unmoved(faces)) if camera else frozenset(),
        )
        return None if _gist(seen) == self._told else (seen, faces)

    def views(self, look: Look) -> tuple[CardView, ...]:
        """The faces of a look for the page."""
        mine = (one for one in self._belongings(look) if one.zone is Zone.PLAY and one.found.side is Side.FACE)
        return tuple(_view(one, look.size) for one in mine)

    def _belongings(self, look: Look) -> Iterable[Belonging]:
        width, height = look.size
        for found in look.cards:
            x, y = found.centre
            place = self._seats.at(x / width, y / height)
            if place is not None:
                yield Belonging(place.player, place.zone, found)

    def _in_order(self, player: str, mine: Iterable[Belonging]) -> tuple[FoundCard, ...]:
        """The player's faces in the order laid: those that lay there before first, each in its place."""
        now = _real(one.found for one in mine if one.player == player and one.zone is Zone.PLAY)
        before = [next((card for card in now if same_place(card, old)), None) for old in self._laid[player]]
        kept = list(dict.fromkeys(id(card) for card in before if card is not None))
        known = {id(card): card for card in now}
        order = [known[key] for key in kept] + [card for card in now if id(card) not in kept]
        self._laid[player] = order
        return tuple(order)

    def _backs(self, mine: Iterable[Belonging], war: bool) -> dict[str, int]:
        backs = (one for one in mine if one.found.side is Side.BACK and one.zone is Zone.PLAY)
        lying = Counter(one.player for one in backs)
        if not war:
            # The draw piles lie face down too; what lies there between wars is no card of a war.
            self._resting = lying
        return {player: max(0, lying[player] - self._resting[player]) for player in self._players}


def _real(cards: Iterable[FoundCard]) -> list[FoundCard]:
    """Faces with anything to read in them, from left to right; doubtful outlines only where nothing is surer."""
    faces = sorted((card for card in cards if card.side is Side.FACE and card.readings), key=lambda card: card.centre)
    sure = [card for card in faces if card.read]
    return [card for card in faces if card.read or not sure or card.p >= PHANTOM_BELOW]


def face(found: FoundCard) -> Face:
    """A found card as the referee hears of it."""
    first, *others = ((Card.parse(reading.code), round(min(1.0, reading.p), 4)) for reading in found.readings)
    return Face(first[0], first[1], tuple(others))


def _unmoved(faces: Faces) -> Iterable[str]:
    return (player for player, cards in faces.items() if cards and not any(card.moved for card in cards))


def _piles(mine: Iterable[Belonging], owners: frozenset[str]) -> dict[str, Card | None] | None:
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


def _view(one: Belonging, size: tuple[int, int]) -> CardView:
    found = one.found
    polygon = tuple((round(x / size[0], 4), round(y / size[1], 4)) for x, y in found.quad)
    others = tuple((reading.code, round(reading.p, 3)) for reading in found.readings[1:])
    return CardView(one.player, found.code or "", round(found.p, 3), certainty(found.p), others, polygon=polygon)
