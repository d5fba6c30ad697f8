"""What a snapshot is made of: the session at the table and the status of the watching loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from companion.referee.game import Game
from companion.referee.reducer import State
from companion.seats.arrangement import Arrangement
from companion.table.snapshot import CameraView, CardView, PacksView


class Phase(StrEnum):
    """What the watching loop is doing."""

    NONE = "none"
    WAITING = "waiting"
    HAND = "hand"
    SETTLING = "settling"
    SETTLED = "settled"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class WatchStatus:
    """Status of the watching loop, for the snapshot. `cards` are the faces of the newest settled look, as they lie.

    `paused` while a person has stopped the watching; `trouble` is one sentence where it cannot go on.
    """

    phase: Phase = Phase.NONE
    camera: CameraView = CameraView()
    cards: tuple[CardView, ...] = ()
    paused: bool = False
    demo: bool = False
    trouble: str = ""
    #: Where the first cards lie, as long as it is not clear who sits there.
    unclear: Arrangement | None = None
    packs: PacksView = PacksView()
    #: What keeps the table from being judged, a key of the catalogue's `obstacle`; empty where nothing does.
    obstacle: str = ""
    #: The film that was watched is over.
    finished: bool = False
    #: Places are being tried: cards are read and nothing is judged; `tried` is what was read for sure in each.
    trying: bool = False
    tried: Mapping[str, str] = field(default_factory=dict)
    #: Second of the session that the table's clock has come to.
    at: float = 0.0
    #: The newest measures of the picture: name, state and number, as `companion.watching.meters` gives them.
    meters: tuple[tuple[str, str, int], ...] = ()


#: Nobody watches.
NOT_WATCHED = WatchStatus()


@dataclass(frozen=True, slots=True)
class LiveSession:
    """A session at the table: what was agreed and where the game stands.

    `pictures` are numbers of stored pictures by look and name. A session that is not `kept` is never written.
    """

    id: int
    game: Game
    source: str
    seats: str
    live: bool
    state: State
    pictures: Mapping[tuple[int, str], int] = field(default_factory=dict)
    kept: bool = True
    #: Who asked for an input, by its number, where that was said.
    by: Mapping[int, str] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.position.over is not None
