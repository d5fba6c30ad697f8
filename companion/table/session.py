"""All that a snapshot is made of: the session, where the game stands, and what the watching is doing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from companion.referee.game import Game
from companion.referee.reducer import State
from companion.seats.arrangement import Arrangement
from companion.table.enrolment_view import PacksView
from companion.table.snapshot import CameraView, CardView


class Phase(StrEnum):
    """What the watching is doing."""

    NONE = "none"
    WAITING = "waiting"
    HAND = "hand"
    SETTLING = "settling"
    SETTLED = "settled"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Watching:
    """What the eyes say of themselves. `cards` are the faces of the newest settled look, as they lie.

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


#: Nobody watches.
NO_EYES = Watching()


@dataclass(frozen=True, slots=True)
class Sitting:
    """A session at the table: what was agreed and where the game stands.

    `pictures` are numbers by look and name. A session that is not `kept` is never written.
    """

    session: int
    game: Game
    source: str
    seats: str
    live: bool
    state: State
    pictures: Mapping[tuple[int, str], int] = field(default_factory=dict)
    kept: bool = True
    #: Who asked for an input, by its number, where that was said.
    by: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment of the table; `version` grows with every change."""

    version: int
    sitting: Sitting | None
    watching: Watching
