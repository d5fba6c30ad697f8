"""A stream of found cards becomes a look when the table has been still long enough.

Time comes only from Frame.at. What moves is told from outside as a coarse mask of the picture, True where
it changed since the frame before (vision.tracking.motion makes it); without one, nothing is known to be unmoved.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import hypot, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.tracking.fusion import fuse_sightings
from vision.types import FoundCard, Frame, Look, Side

#: Seconds of stillness before a look, and before a look that only lost cards: a hand may rest on them.
SETTLE_S, GONE_S = 0.6, 1.2
#: Readings of one card are joined over this many seconds at most.
JOIN_S = 3.0
#: A larger moving share of the picture than this is a hand over the table.
HAND_SHARE = 0.02
#: A hand stays so many seconds at most; what moves longer without a pause is no hand.
BUSY_S = 3.0
#: Something moved in a card's place when at least this share of it changed.
TOUCHED_SHARE = 0.2
#: What is in front of the table holds a card where a cell's middle lies nearer to its outline than so many cells.
_BESIDE = 2.2
#: Two outlines are in one place when their centres are closer than this share of a card's shorter side.
_SAME_PLACE = 0.35
#: What is left to see of a card is smaller than this share of it, and reaches no further out of the card's outline
#: than this share of its shorter side.
_PART, OUTSIDE = 0.85, 0.15
#: A part that is read as another card by both this surely is another card.
SURELY = 0.9
#: A face that cannot be read for glare is waited for up to so many seconds more: light and hands move on.
PATIENCE_S, GLARE = 1.5, 0.15
#: Times are sums of fractions and a hair off.
EPSILON_S = 1e-6

_Mask = NDArray[np.bool_]
_Closer = Callable[[Sequence[FoundCard]], Sequence[FoundCard]]


class TableState(StrEnum):
    """What the watcher is doing, for the page."""

    WAITING = "waiting"
    HAND = "hand over the table"
    SETTLING = "settling"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Detections:
    """The cards of one frame."""

    at: float
    cards: tuple[FoundCard, ...]


@dataclass(slots=True)
class CardTrack:
    """One card's place over the frames of a window: what was found there, and at which times."""

    anchor: FoundCard
    cards: list[FoundCard] = field(default_factory=list)
    times: set[float] = field(default_factory=set)

    def share(self, times: Sequence[float]) -> float:
        """In how many of these frames a card was found here, 0..1."""
        return sum(at in self.times for at in times) / len(times)


class Settler:
    """Watches one table. `state` and `since` (seconds, Frame.at) say what it is doing and from when on."""

    def __init__(self, settle_s: float = SETTLE_S, gone_s: float = GONE_S) -> None:
        """Start with an empty table."""
        self.state, self.since = TableState.WAITING, 0.0
        #: Whether something that hardly moves held or covered a card in the last frame.
        self.held = False
        self.settle_s, self._gone_s = settle_s, max(settle_s, gone_s)
        self._sights: deque[Detections] = deque()
        self._last = Look(at=0.0, cards=(), size=(0, 0))
        self._touched: _Mask | None = None
        self._busy_since: float | None = None
        self._disturbed_at = -inf
        self._still_since: float | None = None

    def see(
        self,
        frame: Frame,
        cards: Iterable[FoundCard],
        moving: _Mask | None = None,
        foreground: _Mask | None = None,
        closer: _Closer | None = None,
    ) -> Look | None:
        """Take one frame and its cards; gives a look when the table has settled and shows something new.

        `foreground` are the cells of things in front of the table: a card that they touch is held or covered.
        `closer` is asked for the cards of a table that has just come to rest: there is time to look more carefully.
        """
        cards = tuple(cards)
        if moving is not None:
            self._touched = moving.copy() if self._touched is None else self._touched | moving
            if self.covered(frame.at, moving):
                self.held = False
                self._sights.clear()
                self._turn(TableState.HAND, frame.at)
                return None
            self._forget_touched(moving, frame.size)
            if any(is_touched(card, moving, frame.size) for card in (*cards, *self._last.cards)):
                self._disturbed_at = frame.at
        self._note(Detections(frame.at, cards))
        self.held = foreground is not None and is_held((*cards, *self._last.cards), foreground, frame.size)
        if self.held:
            self._turn(TableState.HAND, frame.at)
            return None
        return self._judge(frame, closer if not self.at_rest else None)

    @property
    def cards(self) -> tuple[FoundCard, ...]:
        """The cards that lay on the table when it last settled."""
        return self._last.cards

    @property
    def at_rest(self) -> bool:
        """Whether all that lies on the table has settled."""
        return self.state in (TableState.SETTLED, TableState.WAITING)

    def rest(self, at: float) -> None:
        """A frame of a table at rest in which nothing moved and nobody looked for cards: they lie as they settled."""
        self._note(Detections(at, self._last.cards))

    def doubts(self, cards: Sequence[FoundCard]) -> bool:
        """Whether these cards of one frame are other ones than those that settled: worth more frames."""
        return differs(cards, self._last.cards)

    def _note(self, sight: Detections) -> None:
        self._sights.append(sight)
        while self._sights[0].at < sight.at - JOIN_S:
            self._sights.popleft()

    def covered(self, at: float, moving: _Mask) -> bool:
        """Whether a hand is over the table, so that nothing can settle: much moves, and not for long yet.

        What moves on and on is people at the picture's edge; then the cards alone must lie still.
        """
        if moving.mean() <= HAND_SHARE:
            self._busy_since = None
            return False
        self._busy_since = at if self._busy_since is None else self._busy_since
        return at - self._busy_since < BUSY_S

    def _turn(self, state: TableState, at: float) -> None:
        if state is not self.state:
            self.state, self.since = state, at

    def _forget_touched(self, moving: _Mask, size: tuple[int, int]) -> None:
        """A card that something moves over may be another one from now on."""
        if not moving.any():
            return
        for i, sight in enumerate(self._sights):
            clear = tuple(card for card in sight.cards if not is_touched(card, moving, size))
            self._sights[i] = replace(sight, cards=clear)

    def _judge(self, frame: Frame, closer: _Closer | None) -> Look | None:
        cards = self._settled(frame, closer)
        if cards is None or self._waits(frame.at, cards):
            self._turn(TableState.SETTLING if self._busy_since is None else TableState.HAND, frame.at)
            return None
        self._turn(TableState.SETTLED if cards else TableState.WAITING, frame.at)
        return self._look(frame, cards)

    def _waits(self, at: float, cards: Sequence[FoundCard]) -> bool:
        """Whether a better frame is hoped for: a new face lies still, and glare is why it cannot be read."""
        if self._still_since is None or at < self._still_since:
            self._still_since = at
        spoilt = any(is_dazzled(card) for card in cards) and differs(cards, self._last.cards)
        return spoilt and at - self._still_since < PATIENCE_S

    def _settled(self, frame: Frame, closer: _Closer | None) -> tuple[FoundCard, ...] | None:
        """The cards that lie still, joined over their sightings; None while any may be coming, going or touched."""
        places, times = track_cards(self._sights), [sight.at for sight in self._sights]
        found = find_steady(places, times, self.settle_s)
        if found is None or frame.at - self._disturbed_at < self.settle_s - EPSILON_S:
            self._still_since = None
            return None
        fused = [fuse_sightings(place.cards) for place in found]
        cards = self._with_moved(fused if closer is None else self._looked_closer(fused, closer), frame.size)
        gone = only_lost_cards(cards, self._last.cards)
        return None if gone and find_steady(places, times, self._gone_s) is None else cards

    def _looked_closer(self, fused: list[FoundCard], closer: _Closer) -> list[FoundCard]:
        """The cards and what a closer look finds beside them: that lies there as long as they do."""
        joined = list(closer(fused))
        more = tuple(joined[len(fused) :])
        for i, sight in enumerate(self._sights):
            self._sights[i] = replace(sight, cards=(*sight.cards, *more))
        return joined

    def _look(self, frame: Frame, cards: tuple[FoundCard, ...]) -> Look | None:
        changed = differs(cards, self._last.cards)
        if changed:
            moved = any(card.moved for card in cards) or only_lost_cards(cards, self._last.cards)
            self._last = Look(frame.at, cards, frame.size, moved, frame)
        # The same cards as before, seen again after a hand has passed, have not been moved either.
        if self._touched is not None:
            self._touched = np.zeros_like(self._touched)
        return self._last if changed else None

    def _with_moved(self, cards: list[FoundCard], size: tuple[int, int]) -> tuple[FoundCard, ...]:
        pairs = zip(cards, pair_cards(cards, self._last.cards), strict=True)
        return tuple(replace(card, moved=self._may_have_moved(card, before, size)) for card, before in pairs)

    def _may_have_moved(self, card: FoundCard, before: FoundCard | None, size: tuple[int, int]) -> bool:
        if before is None or before.side is not card.side or self._touched is None:
            return True
        # What covers a card, and what is taken off it, moves over it; the card itself lies as it lay.
        return not same_card(card, before) and is_touched(card, self._touched, size)


def is_dazzled(card: FoundCard) -> bool:
    """Whether a face cannot be read and a good part of it is burnt out by light."""
    return card.side is Side.FACE and not card.read and card.glare >= GLARE


def track_cards(sights: Iterable[Detections]) -> list[CardTrack]:
    """Sort the cards of several frames by place."""
    places: list[CardTrack] = []
    for sight in sights:
        anchors = [place.anchor for place in places]
        for card, found in zip(sight.cards, _pairs(sight.cards, anchors), strict=True):
            place = CardTrack(card) if found is None else places[found]
            if found is None:
                places.append(place)
            place.cards.append(card)
            place.times.add(sight.at)
    return places


def find_steady(places: Iterable[CardTrack], times: Sequence[float], span: float) -> list[CardTrack] | None:
    """The places where a card lay all through the last `span` seconds; None while any is coming or going.

    Frames where a card was missed are forgiven up to half of them; so are outlines that flash up.
    """
    within = sum(at >= times[-1] - span - EPSILON_S for at in times)
    recent = times[-max(2, within) :]
    if len(recent) < 2 or times[-1] - times[0] < span - EPSILON_S:
        return None
    halves = recent[: len(recent) // 2], recent[len(recent) // 2 :]
    found = []
    for place in places:
        before, after = (place.share(half) >= 0.5 for half in halves)
        if before != after:
            return None
        if after:
            found.append(place)
    return found


def same_place(a: FoundCard, b: FoundCard) -> bool:
    """Whether two outlines are one card's place: near each other, or one of them what is seen of the other's card."""
    apart = _apart(a, b)
    if apart > max(_reach(a), _reach(b)):
        return False
    return apart < _SAME_PLACE * min(_shorter_side(a), _shorter_side(b)) or same_card(a, b)


def same_card(a: FoundCard, b: FoundCard) -> bool:
    """Whether one outline is a part of the other: a card that came to be covered, or to lie open, without moving.

    Cards are outlined as far as they are seen and have one size: a smaller outline within that of a whole card
    is no other card, unless both are surely read as different ones.
    """
    if a.side is not b.side or not (part_of(a, b) or part_of(b, a)):
        return False
    return a.code == b.code or not (a.read and b.read and min(a.p, b.p) >= SURELY)


def part_of(a: FoundCard, b: FoundCard) -> bool:
    """Whether the first outline is clearly smaller than the second and lies within it.

    >>> from vision.types import Side
    >>> whole = FoundCard(((0, 0), (60, 0), (60, 90), (0, 90)), Side.FACE, 0.9)
    >>> strip = FoundCard(((-2, 1), (14, 1), (14, 91), (-2, 91)), Side.FACE, 0.9)
    >>> part_of(strip, whole), part_of(whole, strip), part_of(whole, whole)
    (True, False, False)
    """
    if a.area >= _PART * b.area:
        return False
    out = OUTSIDE * _shorter_side(b)
    return bool(_beyond(b, *np.array(a.quad).T).max() <= out)


def _reach(card: FoundCard) -> float:
    """From the middle of the outline to its furthest corner, about, in pixels."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = card.quad
    return max(hypot(cx - ax, cy - ay), hypot(dx - bx, dy - by)) / 2


def _beyond(card: FoundCard, x: Any, y: Any) -> Any:
    """How many pixels points lie outside the side that they are furthest beyond; below 0 inside the outline."""
    most: Any = -inf
    for (ax, ay), (bx, by) in zip(card.quad, (*card.quad[1:], card.quad[0]), strict=True):
        long = hypot(bx - ax, by - ay) or 1.0
        across, down = (by - ay) / long, (ax - bx) / long
        outside = (x - ax) * across + (y - ay) * down
        middle = (card.centre[0] - ax) * across + (card.centre[1] - ay) * down
        most = np.maximum(most, outside if middle <= 0 else -outside)
    return most


def _apart(a: FoundCard, b: FoundCard) -> float:
    return hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1])


def _shorter_side(card: FoundCard) -> float:
    (ax, ay), (bx, by), (cx, cy), _ = card.quad
    return min(hypot(bx - ax, by - ay), hypot(cx - bx, cy - by))


def is_touched(card: FoundCard, moving: _Mask | None, size: tuple[int, int]) -> bool:
    """Whether a good part of what is seen of the card changed. `size` is the frame's, in pixels."""
    if moving is None or not moving.any():
        return False
    xs, ys = zip(*card.quad, strict=True)
    down, across = moving.shape[0] / size[1], moving.shape[1] / size[0]
    top, left = max(0, int(min(ys) * down)), max(0, int(min(xs) * across))
    cells = moving[top : int(max(ys) * down) + 1, left : int(max(xs) * across) + 1]
    if not cells.any():
        return False
    # The cells round a card that lies askew are its neighbours'.
    half = 0.5 * max(1 / down, 1 / across)
    x = (left + np.arange(cells.shape[1]) + 0.5) / across
    y = (top + np.arange(cells.shape[0])[:, None] + 0.5) / down
    mine = _beyond(card, x, y) < half
    return bool(mine.any()) and float(cells[mine].mean()) >= TOUCHED_SHARE


def is_held(cards: Iterable[FoundCard], foreground: _Mask, size: tuple[int, int]) -> bool:
    """Whether something in front of the table reaches any of the cards. `size` is the frame's, in pixels."""
    return bool(foreground.any()) and any(reaches(card, foreground, size) for card in cards)


def reaches(card: FoundCard, mask: _Mask, size: tuple[int, int]) -> bool:
    """Whether a cell of the mask lies in a card's outline or beside it."""
    down, across = np.nonzero(mask)
    width, height = size[0] / mask.shape[1], size[1] / mask.shape[0]
    return bool((_beyond(card, (across + 0.5) * width, (down + 0.5) * height) < _BESIDE * max(width, height)).any())


def pair_cards(cards: Sequence[FoundCard], before: Sequence[FoundCard]) -> list[FoundCard | None]:
    """For each card the one that lay in its place before, each taken once; None where none did.

    A card that is read as before comes first, then what is a part of one, then the nearest: beside a card laid
    over another one, what is left to see of that is still the card that lay there.
    """
    return [None if found is None else before[found] for found in _pairs(cards, before)]


def _pairs(cards: Sequence[FoundCard], before: Sequence[FoundCard]) -> list[int | None]:
    near = [
        (a.code != b.code and (2 - same_card(a, b)), _apart(a, b), i, j)
        for i, a in enumerate(cards)
        for j, b in enumerate(before)
        if same_place(a, b)
    ]
    found: list[int | None] = [None] * len(cards)
    for _, _, i, j in sorted(near):
        if found[i] is None and j not in found:
            found[i] = j
    return found


def differs(cards: Sequence[FoundCard], before: Sequence[FoundCard]) -> bool:
    """Whether a look says anything that the one before did not: a card's place, side, or a sure reading."""
    pairs = zip(cards, pair_cards(cards, before), strict=True)
    return len(cards) != len(before) or any(other is None or _says_more(card, other) for card, other in pairs)


def _says_more(card: FoundCard, before: FoundCard) -> bool:
    return card.side is not before.side or (card.read and (not before.read or card.code != before.code))


def only_lost_cards(cards: Sequence[FoundCard], before: Sequence[FoundCard]) -> bool:
    """Whether the only news is that cards have gone."""
    return len(cards) < len(before) and None not in pair_cards(cards, before)
