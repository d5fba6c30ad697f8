"""The table's picture for the page: the newest frame with what was found in it, now and then."""

from __future__ import annotations

import time
from collections.abc import Iterable

from companion.table.table import Table
from vision.annotate import draw_cards
from vision.images import encode_jpeg
from vision.types import FoundCard, Frame

#: Seconds between two pictures for the page, also where nothing moves.
_PICTURE_EVERY_S, PICTURE_AT_REST_S = 0.15, 1.0


class Pictures:
    """Gives pictures to one table's page."""

    def __init__(self, table: Table) -> None:
        """None has been given yet."""
        self.count = 0
        self._table, self._at = table, 0.0

    def give(self, frame: Frame, cards: Iterable[FoundCard], resting: bool, at_once: bool) -> bool:
        """Whether the frame was given; most come too soon after the last one."""
        now = time.monotonic()
        if now < self._at + (PICTURE_AT_REST_S if resting else _PICTURE_EVERY_S) and not at_once:
            return False
        self._at = now
        self.count += 1
        self._table.picture = self.count, encode_jpeg(draw_cards(frame, cards))
        return True
