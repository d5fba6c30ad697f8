"""Notices when the table could not be seen for so long that something may have happened on it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from companion.referee.events import Blind

#: Seconds without sight after which the referee is told, and seconds of a hand over the table.
LOST_S, HAND_S = 2.0, 20.0


@dataclass(slots=True)
class Blindness:
    """Since when, in seconds of the session, the table has not been seen, and from when on that is long."""

    since: float | None = None
    limit_s: float = 0.0
    #: The moment before: a lost camera brings none, and the time up to the next one was not seen.
    last: float | None = None

    def note(self, at: float, sees: bool, hand: bool) -> Blind | None:
        """Take a moment into account; gives the blind time once it is over and was long.

        >>> blindness = Blindness()
        >>> [blindness.note(at, sees, False) for at, sees in ((1, True), (2, False), (5, True), (6, True))]
        [None, None, Blind(at=5, since=2, until=5), None]
        >>> [blindness.note(at, True, False) for at in (7, 19, 20)]
        [None, Blind(at=19, since=7, until=19), None]
        """
        if self.last is not None and at - self.last >= LOST_S:
            self._close(self.last, LOST_S)
        self.last = at
        if sees and not hand:
            since, limit_s, self.since, self.limit_s = self.since, self.limit_s, None, 0.0
            return Blind(at, since, at) if since is not None and at - since >= limit_s else None
        self._close(at, HAND_S if sees else LOST_S)
        return None

    def _close(self, at: float, limit_s: float) -> None:
        # A camera that is lost while a hand is in the way makes the wait shorter, never longer.
        self.limit_s = limit_s if self.since is None else min(self.limit_s, limit_s)
        self.since = at if self.since is None else self.since
