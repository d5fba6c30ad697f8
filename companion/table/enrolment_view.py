"""Enrolling a pack on the page: what people ask for, and what the page shows of it. Plain values only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class BeginEnrolling:
    """Learn a pack; no rounds are judged meanwhile. `order` is of suits and ranks, as `SHDC:23A`; empty: the usual."""

    order: str = ""


@dataclass(frozen=True, slots=True)
class ShowEach:
    """From now on one card after the other is shown, or again whole rows."""

    each: bool


@dataclass(frozen=True, slots=True)
class TakePicture:
    """Learn the cards as they lie now; `sure`: they lie rightly, whatever is read."""

    sure: bool = False


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """The pack has no jokers, or its back need not be known."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Forget what was learned last."""


@dataclass(frozen=True, slots=True)
class KeepPack:
    """Learn the cards taken, keep the pack under this name and look with it."""

    name: str


@dataclass(frozen=True, slots=True)
class StopEnrolling:
    """Leave it; nothing is kept."""


@dataclass(frozen=True, slots=True)
class UsePack:
    """Look with this pack from now on, or with none."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class ForgetPack:
    """Delete a pack."""

    name: str


EnrolAct = (
    BeginEnrolling | ShowEach | TakePicture | LeaveOut | TakeBack | KeepPack | StopEnrolling | UsePack | ForgetPack
)


class Step(StrEnum):
    """What is to be laid next; `page.enrol.step` has the words of each."""

    ROW = "row"
    CARD = "card"
    JOKERS = "jokers"
    BACK = "back"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class EnrolView:
    """A pack that is being enrolled. Sentences are in the language of the table, cards are codes.

    `rows` are all cards that are wanted and `known` those learned; `lay` is what is to be laid next. `trouble` is why
    the last picture was not taken, `doubted` where that was for the cards' order alone. `busy` while it is worked at.
    """

    step: Step
    says: str
    rows: tuple[tuple[str, ...], ...]
    known: tuple[str, ...]
    lay: tuple[str, ...]
    jokers: int = 0
    backs: int = 0
    each: bool = False
    learned: str = ""
    lacking: str = ""
    trouble: str = ""
    doubted: bool = False
    busy: str = ""
    #: How many cards the camera sees now.
    seen: int = 0
    #: There is something that can be taken back.
    begun: bool = False

    @property
    def whole(self) -> bool:
        """Whether every card that is needed is known."""
        return self.step not in (Step.ROW, Step.CARD)


@dataclass(frozen=True, slots=True)
class PacksView:
    """The packs there are, the newest first, and the one that is looked with; `able` where one can be enrolled."""

    names: tuple[str, ...] = ()
    used: str = ""
    able: bool = False
    #: What came of the last enrolment.
    said: str = ""
    enrolling: EnrolView | None = None
