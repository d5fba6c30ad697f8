"""What is in front of the table: hands and what they bring, told from the table as it was last seen uncovered.

Colour and shape do not matter. What has moved, and has not uncovered the table that was known there, is still in the
way, however still it keeps; only what keeps perfectly still for seconds, as no hand does, is taken for a part of the
table. Cards that were found are no part of the foreground: what holds them is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.tracking.motion import measure_shift, shift_picture, shrink_picture
from vision.types import FoundCard, Image

#: Pixels along the longer side of the pictures that are compared, two to a cell of the movement mask.
_FINE_PX = 128
#: Grey levels (of 255) by which a cell differs from the table known there, on the mean and beyond the lamp's factor.
_DIFFERS = 11.0
#: The same as a share of the brightness there: lamps that pulse and shadows are told by ratio.
_DIFFERS_SHARE = 0.10
#: A cell is in the shade, or out of it, where one factor for all colours leaves no more than this share of that.
_SHADE_LEAVES = 0.5
#: Factors that a shadow may change the light by: hands and sleeves are seldom the table's own colour, but may be.
_SHADE_FACTORS = (0.4, 1.9)
#: Side in fine pixels of the areas over which a shadow's factor is taken.
_SHADE_PX = 5
#: Cells round what no shadow explains that are not taken for shade: a hand has holes, and casts one.
_SHADE_APART = 2
#: A cell is alive where a pixel's brightness moved by so many grey levels (of 255) since the oldest picture kept.
_ALIVE = 11.0
#: Seconds for which pictures are kept, and between two that are.
_MEMORY_S = 0.5
_REMEMBER_EVERY_S = 0.14
#: The share of a cell's pixels that must have moved so: one and a half of sixteen.
_ALIVE_SHARE = 1.5 / 16
#: Side in pixels of the areas whose light may change as a whole.
_AREA_PX = 17
#: Least shift in pixels of the whole picture that is taken out.
_LEAST_SHIFT = 0.1
#: Seconds without movement after which a cell that looks as the table did is uncovered.
_UNCOVERED_S = 0.15
#: Seconds that a thing keeps perfectly still before it is a part of the table, where it was put down,
_PUT_DOWN_S = 0.1
#: where it reaches in from the picture's edge, as arms do,
_REACHES_IN_S = 8.0
#: and where it was there before the table was ever seen without it: less than this share of the table there is known.
_UNKNOWN_S = 4.5
_KNOWN_SHARE = 0.5
#: Cells that a finger is wide on either side of an edge that trembles.
_FINGER_CELLS = 2
#: Cells that the hand behind it may reach.
_REACH_CELLS = 6
#: Seconds from the first picture on until what never moved is the table.
BEGIN_S = 0.9
#: A region smaller than this share of a card, or than so many cells, is a shadow's edge or what a finger leaves behind.
_LEAST_SHARE = 0.12
_LEAST_CELLS = 4
#: The camera may have moved where more than this share of the picture differs;
_BUMP_SHARE = 0.2
#: it has where, once the table is moved along, no more than this share of that does.
_BUMP_EXPLAINED = 0.5
#: Where more than this share differs, is at rest, and is no table that moved along, the camera looks at another one.
_ANOTHER_SHARE = 0.7
#: Steps of one registration at most, and seconds between two registrations.
_STEPS = 40
_TRY_EVERY_S = 0.4
#: Seconds in which the table known follows what it looks like where nothing lies over it.
_FOLLOWS_S = 0.6
#: Cards are one spread where what lies between them is narrower than twice this share of a card's size.
_NEAR = 0.3
#: Cells round a found card that are its own: its shadow, and the cells that its edges cut.
_CARD_RIM = 0.6

_Mask = NDArray[np.bool_]
_Fine = NDArray[np.float32]


class Foreground:
    """Keeps the table of one camera as it is without hands, in a coarse grid. `at_cards` names what holds cards.

    Pure but for pixels: times are those of the frames, in seconds.
    """

    def __init__(self, begin_s: float = BEGIN_S) -> None:
        """Begin without knowing the table; what never moves for `begin_s` from the first picture on is the table."""
        self._begin_s = begin_s
        #: When the camera was last moved and the table followed, in seconds.
        self.bumped_at = self._tried_at = -np.inf
        self._table = np.zeros((0, 0, 3), dtype=np.float32)
        self._now, self._at = self._table, 0.0
        self._first_at = 0.0
        self._known = self._stirred = np.zeros((0, 0), dtype=np.bool_)
        self._still_since = self._moved_at = np.zeros((0, 0))
        self._cards = self._known
        self._past: deque[tuple[float, _Fine]] = deque()

    def see(self, at: float, picture: Image, moving: _Mask, gain: float) -> None:
        """Take the small picture (BGR) of second `at` into account.

        `moving` are the cells that moved since the frame before, `gain` the factor by which the light changed.
        """
        now = shrink_picture(picture, _FINE_PX).astype(np.float32)
        if self._table.shape != now.shape or self._stirred.shape != moving.shape:
            self._begin(at, now, moving)
            return
        follows = float(1 - np.exp((self._at - at) / _FOLLOWS_S))
        self._now, self._at = now, at
        self._table *= np.float32(gain)
        differs = self._differs(now)
        if differs.mean() > _BUMP_SHARE and not moving.any() and at - self._tried_at >= _TRY_EVERY_S:
            self._tried_at = at
            if self._follow(now):
                self.bumped_at, differs = at, self._differs(now)
                self._stirred &= differs
            elif self._has_changed(now).mean() > _ANOTHER_SHARE:
                self._begin(at, now, moving)
                return
        if self._known.all() and not (moving.any() or differs.any() or self._stirred.any()):
            self._table += follows * (now - self._table)
            return
        rim = cv2.dilate(moving.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        self._moved_at[rim] = at
        self._still_since[rim | self._alive(at, picture)] = at
        self._stirred |= rim | differs
        uncovered = ~differs & (at - self._moved_at > _UNCOVERED_S)
        self._stirred &= ~uncovered
        patience = np.where(self._still_since > self._first_at, _UNKNOWN_S, self._begin_s)
        self._known |= ~self._stirred & ~_near(at - self._still_since < patience, _REACH_CELLS)
        fine = _to_fine(~self._stirred, now.shape[:2])
        self._table[fine] += follows * (now[fine] - self._table[fine])

    def _follow(self, now: _Fine) -> bool:
        """Lay the known table where the camera sees it now; False where that is not the same table, moved."""
        was, here = (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in (self._table, now))
        window = cv2.createHanningWindow(was.shape[::-1], cv2.CV_32F)
        (x, y), _ = cv2.phaseCorrelate(was.copy(), here.copy(), window)
        matrix = np.array([[1, 0, -x], [0, 1, -y]], dtype=np.float32)
        steps = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, _STEPS, 1e-4)
        try:
            _, matrix = cv2.findTransformECC(here, was, matrix, cv2.MOTION_EUCLIDEAN, steps, None, 3)  # type: ignore[call-overload]
        except cv2.error:  # the pictures have nothing in common
            return False
        size = was.shape[1], was.shape[0]
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        moved = cv2.warpAffine(self._table, matrix, size, flags=flags, borderValue=(np.nan,) * 3)
        before, unseen = self._table, np.isnan(moved)
        self._table = np.where(unseen, now, moved).astype(np.float32)
        if self._differs(now).mean() < _BUMP_EXPLAINED * _BUMP_SHARE:
            return True
        self._table = before
        return False

    def _begin(self, at: float, now: _Fine, moving: _Mask) -> None:
        self._table, self._now, self._first_at, self._at = now.copy(), now, at, at
        self._known, self._stirred, self._cards = (np.zeros_like(moving) for _ in range(3))
        self._still_since, self._moved_at = np.full(moving.shape, at), np.full(moving.shape, -np.inf)
        self._past.clear()

    @property
    def beginning(self) -> bool:
        """Whether the table has not been watched long enough to know it."""
        return self._at - self._first_at < self._begin_s

    def at_cards(self, cards: Iterable[FoundCard], before: Iterable[FoundCard], size: tuple[int, int]) -> _Mask:
        """The cells of things in front of the table; `before` are the cards that lay there when it last settled."""
        mine, theirs = self._each_cells(cards, size), self._each_cells(before, size)
        if not len(mine) and not len(theirs):
            return np.zeros_like(self._stirred)
        # What stirs where the table was never seen at rest may be a hand that was there from the beginning.
        restless = ~self._known & _near(self._at - self._still_since < _UNKNOWN_S, _FINGER_CELLS)
        self._cards = spread_cells(mine) | spread_cells(theirs)
        left = (self._stirred | restless) & ~self._cards
        least = max(_LEAST_CELLS, _LEAST_SHARE * float(np.median([one.sum() for one in (*mine, *theirs)])))
        return self._lasting(left, least)

    def _each_cells(self, cards: Iterable[FoundCard], size: tuple[int, int]) -> NDArray[np.bool_]:
        """The cells of each card: NxHxW."""
        each = [card_cells(card, self._stirred.shape, size) for card in cards]
        return np.array(each, dtype=np.bool_).reshape(-1, *self._stirred.shape)

    def _lasting(self, left: _Mask, least: float) -> _Mask:
        """The regions that are large enough and have not kept still so long that they are the table's."""
        closed = cv2.morphologyEx(left.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        number, labels = cv2.connectedComponents(closed, connectivity=8)
        lasting = np.zeros_like(left)
        for label in range(1, number):
            region = (labels == label) & left
            if region.sum() < least:
                continue
            still = self._at - float(self._still_since[region].max())
            if still >= self._patience(region):
                self._take_for_table(region)
            else:
                lasting |= region
        return lasting

    def _patience(self, region: _Mask) -> float:
        """Seconds that a region must keep still to be the table's."""
        if self._known[region].mean() < _KNOWN_SHARE:
            return _UNKNOWN_S
        edges = region[0].any() or region[-1].any() or region[:, 0].any() or region[:, -1].any()
        return _REACHES_IN_S if edges else _PUT_DOWN_S

    def settle(self, cards: Iterable[FoundCard], gone: Iterable[FoundCard], size: tuple[int, int]) -> None:
        """These cards lie on the table, and where the others lay it is bare."""
        for spread in (cards, gone):
            self._take_for_table(spread_cells(self._each_cells(spread, size)))

    def _take_for_table(self, region: _Mask) -> None:
        self._stirred &= ~region
        self._known |= region
        self._adopt(region, self._now)

    # --- pictures -------------------------------------------------------------------------------------

    def _adopt(self, cells: _Mask, now: _Fine) -> None:
        fine = _to_fine(cells, now.shape[:2])
        self._table[fine] = now[fine]

    def _allowed(self) -> _Fine:
        """Grey levels by which each fine pixel may differ from the table known there."""
        return np.asarray(_DIFFERS + _DIFFERS_SHARE * self._table.max(axis=2), dtype=np.float32)

    def _has_changed(self, now: _Fine) -> _Mask:
        """Cells that look otherwise than the table there under the lamp of now, be it by a shadow alone."""
        return _to_cells(np.abs(now - self._table).max(axis=2) / self._allowed(), self._stirred.shape) > 1.0

    def _differs(self, now: _Fine) -> _Mask:
        """Cells that look otherwise than the table there, under the light of now and whatever casts a shadow."""
        changed = self._has_changed(now)
        if not changed.any():
            return changed
        # Over an area, not a pixel: a shadow keeps what the table looks like there, skin of its colour does not.
        alike, lit_before = (_smooth((one * self._table).sum(axis=2)) for one in (now, self._table))
        light = alike / np.maximum(1.0, lit_before)
        lit = np.clip(light, *_SHADE_FACTORS)[..., None] * self._table
        left = _to_cells(np.abs(now - lit).max(axis=2) / self._allowed(), self._stirred.shape)
        unlike = changed & (left > _SHADE_LEAVES)
        return unlike | (changed & _near(unlike & ~self._cards, _SHADE_APART))

    def _alive(self, at: float, picture: Image) -> _Mask:
        """Cells in which something stirs, be it by a pixel only; light and a camera that sways stir nothing."""
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
        if not self._past or at - self._past[-1][0] >= _REMEMBER_EVERY_S:
            self._past.append((at, grey))
        while self._past[0][0] < at - _MEMORY_S:
            self._past.popleft()
        before = self._past[0][1]
        alive = self._stirring(before, grey)
        shift = measure_shift(before, grey) if alive.any() else None
        if shift is None or max(map(abs, shift)) < _LEAST_SHIFT:
            return alive
        registered = self._stirring(shift_picture(before, shift), grey)
        return registered if registered.sum() < alive.sum() else alive

    def _stirring(self, before: _Fine, grey: _Fine) -> _Mask:
        change = grey - before * (float(np.median(grey)) / max(1.0, float(np.median(before))))
        # Lamps and shadows change whole areas, what stirs changes at its edges.
        edges = change - cv2.blur(change, (_AREA_PX, _AREA_PX))
        strong = (np.abs(edges) > _ALIVE).astype(np.float32)
        return _to_cells(strong, self._stirred.shape) > _ALIVE_SHARE


def _near(cells: _Mask, reach: int) -> _Mask:
    """The cells that are no further than so many cells from these."""
    return cv2.dilate(cells.astype(np.uint8), np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)) > 0


def _smooth(fine: _Fine) -> _Fine:
    return np.asarray(cv2.blur(fine, (_SHADE_PX, _SHADE_PX)), dtype=np.float32)


def _to_fine(cells: _Mask, shape: tuple[int, ...]) -> _Mask:
    return cv2.resize(cells.astype(np.uint8), (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST) > 0


def _to_cells(fine: _Fine, shape: tuple[int, ...]) -> _Fine:
    return np.asarray(cv2.resize(fine, (shape[1], shape[0]), interpolation=cv2.INTER_AREA), dtype=np.float32)


def card_cells(card: FoundCard, shape: tuple[int, ...], size: tuple[int, int], rim: float = _CARD_RIM) -> _Mask:
    """The cells of a mask of `shape` under a card's outline and `rim` cells round it; `size` is the frame's."""
    scale = np.array([shape[1] / size[0], shape[0] / size[1]])
    corners = np.asarray(card.quad, dtype=np.float64) * scale
    middle = corners.mean(axis=0)
    away = corners - middle
    wider = corners + np.sign(away) * rim
    mask = np.zeros(shape[:2], np.uint8)
    # Sixteenths of a cell; a cell is marked where the outline covers its middle.
    cv2.fillConvexPoly(mask, np.rint((wider - 0.5) * 16).astype(np.int32), 1, shift=4)
    return mask > 0


def spread_cells(cards: _Mask) -> _Mask:
    """The cells of cards (NxHxW), and of what lies between those near each other: hidden cards are seldom all found."""
    union = np.asarray(cards.any(axis=0), dtype=np.uint8)
    if not len(cards):
        return union > 0
    reach = max(1, round(_NEAR * float(np.median(np.sqrt(cards.sum(axis=(1, 2)))))))
    spreads, labels = cv2.connectedComponents(cv2.dilate(union, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)))
    for label in range(1, spreads):
        points = cv2.findNonZero(union * (labels == label).astype(np.uint8))
        cv2.fillConvexPoly(union, cv2.convexHull(points), (1,))
    return union > 0
