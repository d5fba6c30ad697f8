"""The session at the table as the watching loop sees it: looks become its inputs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import hypot

from companion.referee.events import Blind, Seated
from companion.referee.reducer import State
from companion.referee.view import can_hold
from companion.seats.arrangement import Arrangement, arrange, format_seats
from companion.seats.history import SeatsInForce, flip_inputs, seats_in_force, with_pile
from companion.seats.layout import AUTO, Seats, exchange_names, parse_seats
from companion.table.session import LiveSession, Phase
from companion.table.table import Table
from companion.watching.feeds import Feed
from companion.watching.look_builder import LookBuilder, crop_evidence
from companion.watching.meters import note_tried
from vision.geometry import short_and_long
from vision.tracking.mirror import flip_look
from vision.types import FoundCard, Look, Side

#: Seconds without sight after which the referee is told.
_LOST_S = 2.0
#: Seconds of a hand over the table after which the referee is told.
_HAND_S = 20.0
#: A face counts as a card from this probability of the finder on.
_FOUND = 0.5
#: Least distance of two players' first cards, in shorter sides of a card.
_APART = 1.2
#: Looks that are buffered with their pictures until the seats are known.
_PICTURES = 10
#: Looks that are buffered at all, the newest.
_LOOKS = 200


# --- who sits where ---------------------------------------------------------------------------------


class SeatFinder:
    """Infer the seating from the first look with one card per player; buffer looks until then.

    `held` are the buffered looks, `arrangement` the best one so far, with all the orders it allows.
    """

    def __init__(self, players: tuple[str, ...], looks: Iterable[Look] = ()) -> None:
        """Begin with these looks."""
        self.held: list[Look] = []
        self.arrangement: Arrangement | None = None
        self._players = players
        for look in looks:
            self.take(look)

    def take(self, look: Look) -> Arrangement | None:
        """Buffer a look; return the arrangement once it allows one order only, else None."""
        faces = [card for card in look.cards if card.side is Side.FACE]
        if faces and not any(card.read for card in faces):
            # Outlines that nobody can read are no round that was played before it was known who sits where.
            return None
        shown = look if len(self.held) < _PICTURES else replace(look, frame=None)
        self.held = [*self.held, shown][-_LOOKS:]
        points = locate_first_cards(look, len(self._players))
        if points:
            found = arrange(points, self._players, look.size[0] / look.size[1])
            if self.arrangement is None or len(found.orders) == 1:
                self.arrangement = found
        return self.arrangement if self.arrangement and len(self.arrangement.orders) == 1 else None


def locate_first_cards(look: Look, players: int) -> tuple[tuple[float, float], ...]:
    """Centres of the cards, as fractions of the picture, where one per player lies apart; else empty."""
    # A shadow that is hardly read as anything seats nobody.
    faces = [card for card in look.cards if card.side is Side.FACE and card.read and card.found >= _FOUND]
    if len(faces) != players or not all(_apart(a, b) for a, b in combinations(faces, 2)):
        return ()
    width, height = look.size
    return tuple((x / width, y / height) for x, y in (card.centre for card in faces))


def _apart(a: FoundCard, b: FoundCard) -> bool:
    (ax, ay), (bx, by) = a.centre, b.centre
    return hypot(ax - bx, ay - by) >= _APART * max(short_and_long(a.quad)[0], short_and_long(b.quad)[0])


# --- time without sight -----------------------------------------------------------------------------


@dataclass(slots=True)
class BlindnessDetector:
    """Notices that the table could not be seen for so long that something may have happened on it.

    `since`: the second of the session from which on it has not been seen, `limit_s` how long is too long.
    """

    since: float | None = None
    limit_s: float = 0.0
    #: Second of the frame before: a lost camera gives none, and the time up to the next one was not seen.
    last: float | None = None

    def note(self, at: float, sees: bool, hand: bool) -> Blind | None:
        """Take second `at` into account; gives the blind time once it is over, where it was too long.

        >>> blindness = BlindnessDetector()
        >>> [blindness.note(at, sees, False) for at, sees in ((1, True), (2, False), (5, True), (6, True))]
        [None, None, Blind(at=5, since=2, until=5), None]
        >>> [blindness.note(at, True, False) for at in (7, 19, 20)]
        [None, Blind(at=19, since=7, until=19), None]
        """
        if self.last is not None and at - self.last >= _LOST_S:
            self._close(self.last, _LOST_S)
        self.last = at
        if sees and not hand:
            since, limit_s, self.since, self.limit_s = self.since, self.limit_s, None, 0.0
            return Blind(at, since, at) if since is not None and at - since >= limit_s else None
        self._close(at, _HAND_S if sees else _LOST_S)
        return None

    def _close(self, at: float, limit_s: float) -> None:
        # A camera that is lost while a hand is in the way makes the wait shorter, never longer.
        self.limit_s = limit_s if self.since is None else min(self.limit_s, limit_s)
        self.since = at if self.since is None else self.since


# --- looks into inputs ------------------------------------------------------------------------------


class WatchedSession:
    """One session under one feed. `base` is the session's second at the feed's second 0.

    `finder` is there as long as it is not known who sits where. Everything that submits raises LogError.
    """

    def __init__(self, table: Table, session: LiveSession, base: float, model: str) -> None:
        """Begin with the seats in force; `model` is stored beside the rulings."""
        self._table, self._id, self._base, self._model = table, session.id, base, model
        self._seats = SeatsInForce("")
        self._known: LiveSession | None = None
        self.finder: SeatFinder | None = None
        self._blindness = BlindnessDetector()
        self._take_up_seats(session)

    @property
    def seats(self) -> SeatsInForce:
        """The seats that looks are read with."""
        return self._seats

    def follow(self, session: LiveSession) -> bool:
        """Take up the session's present state; False where it is another session."""
        if session.id != self._id:
            return False
        # What is known of the cards that lie there stays unless somebody has changed seats.
        if session is not self._known and seats_in_force(session.state, session.seats) != self._seats:
            self._take_up_seats(session)
        self._known = session
        return True

    def _take_up_seats(self, session: LiveSession) -> None:
        players, self._known = session.game.players, session
        self._seats = seats_in_force(session.state, session.seats)
        seats = _read_seats(self._seats, players)
        self._builder, self._box = LookBuilder(players, seats), seats.table
        self.finder = SeatFinder(players) if self._seats.text == AUTO else None

    def forget(self) -> None:
        """Take the next look as news, even if it shows the same."""
        self._builder.forget()

    def use_model(self, model: str) -> None:
        """Store this model hash beside the rulings from now on."""
        self._model = model

    def note_frame(self, at: float, sees: bool, hand: bool, timed: bool) -> bool:
        """Advance the table's clock to the feed's second `at`; whether a long time without sight has just ended.

        The referee has been told of that. `timed`: the seconds between frames are those at the table.
        """
        self._table.at = max(self._table.at, self._base + at)
        blind = self._blindness.note(self._table.at, sees, hand) if timed else None
        here = self._table.session
        if blind is None or here is None or here.over:
            return False
        self._table.submit(blind, model=self._model)
        return True

    def take(self, feed: Feed, look: Look, told_to: float, mirrored: bool, phase: Phase) -> None:
        """Show the cards of a look, and judge it where it is news.

        Looks up to the feed's second `told_to` were judged before. `phase`: what the watching is doing.
        """
        here = self._table.session
        if self._table.status.trying:
            self._try_places(feed, look, told_to, mirrored, phase)
            return
        if here is not None and not here.over and self.finder is None:
            self._judge(feed, look, told_to, here, phase)
            return
        self._table.show(phase=phase, cards=self._builder.views(look))
        if here is None or here.over or self.finder is None:
            return
        found = self.finder.take(look)
        if found is not None:
            self.seat(feed, found, found.orders[0], told_to, mirrored)
        else:
            self._table.show(unclear=self.finder.arrangement)

    def _try_places(self, feed: Feed, look: Look, told_to: float, mirrored: bool, phase: Phase) -> None:
        """Show the cards of a look and note in whose place one was read; seats that are to be found are found."""
        if self.finder is not None:
            found = self.finder.take(look)
            if found is not None:
                self.finder.held = [look]
                self.seat(feed, found, found.orders[0], told_to, mirrored)
                here = self._table.session
                if here is not None:
                    self.follow(here)
            else:
                self._table.show(unclear=self.finder.arrangement)
        cards = self._builder.views(look)
        self._table.show(phase=phase, cards=cards, tried=note_tried(self._table.status.tried, cards))

    def _judge(self, feed: Feed, look: Look, told_to: float, here: LiveSession, phase: Phase | None = None) -> None:
        """Show the cards of a look, with the watching's phase where that is given; submit it where it is news."""
        at, told_before = round(self._base + look.at, 3), look.at <= told_to
        if here.game.variant.stealing and not told_before:
            here = self._place_pile(look, at, here)
        state = _state_before(here.state, at) if told_before else here.state
        now = state.position.round
        war = bool(now.wars and not now.verdict)
        cards = self._builder.views(look)
        news = self._builder.build(look, at, war=war, camera=not feed.still, expected=partial(can_hold, state))
        if news is not None:
            self._builder.note_told(news[0])
        pictures = {} if news is None or told_before else crop_evidence(look, news[1], self._box)
        self._table.show(phase=phase or self._table.status.phase, cards=cards)
        if news is None or told_before:
            return
        seen, mark = news[0], None if feed.live else look.at
        self._table.submit(seen, mark=mark, model=self._model, pictures=pictures)

    def _place_pile(self, look: Look, at: float, here: LiveSession) -> LiveSession:
        """Where the look shows a face-up pile in a new place, note that place among the seats."""
        piled = frozenset(card.code for pile in here.state.position.piles.values() for card in pile)
        found = self._builder.find_pile(look, piled)
        text = found and with_pile(self._seats, here.game.players, *found)
        if not text:
            return here
        self._table.submit(Seated(at, text, self._seats.mirrored), model=self._model)
        now = self._table.session or here
        self._seats, self._known = seats_in_force(now.state, now.seats), now
        # Whoever sits there is as before: what is known of the cards that lie there stays.
        self._builder.use_seats(_read_seats(self._seats, now.game.players))
        return now

    def seat(
        self,
        feed: Feed,
        found: Arrangement,
        order: tuple[str, ...],
        told_to: float,
        mirrored: bool,
        by: str = "",
    ) -> None:
        """Seat the players in `order` at the places found, and judge the looks that were buffered."""
        here = self._table.session
        if self.finder is None or here is None:
            return
        held = self.finder.held
        at = max(here.state.at, round(self._base + held[0].at, 3))
        self._table.submit(Seated(at, format_seats(order, found), mirrored), by=by, model=self._model)
        self._table.show(unclear=None)
        for look in held:
            here = self._table.session
            if here is not None and self.follow(here) and not here.over and not self._table.status.trying:
                self._judge(feed, look, told_to, here)

    def flip(self, mirrored: bool) -> None:
        """The picture is shown the other way round from now on: put the seats right, of earlier looks as well."""
        here = self._table.session
        if here is None or not self.follow(here):
            return
        held = () if self.finder is None else self.finder.held
        for entry in flip_inputs(here.state, here.seats, self._table.at, mirrored):
            self._table.submit(entry)
        if self._table.session is not None:
            self._take_up_seats(self._table.session)
        if self.finder is not None:
            self.finder = SeatFinder(here.game.players, map(flip_look, held))

    def note_mirrored(self, mirrored: bool) -> None:
        """Write into the session that its picture is mirrored: it goes on that way after a crash."""
        if mirrored and not self._seats.mirrored and self._seats.text != AUTO:
            self._table.submit(Seated(self._table.at, self._seats.text, True))
            if self._table.session is not None:
                self._take_up_seats(self._table.session)


def _read_seats(now: SeatsInForce, players: tuple[str, ...]) -> Seats:
    return exchange_names(parse_seats(now.text, players), dict(now.names))


def _state_before(state: State, at: float) -> State:
    """The state before the inputs of second `at`: what the looks of a film that goes on were first judged with."""
    return next(past for past in state.history() if past.past is None or past.at < at)
