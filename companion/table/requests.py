"""What people ask of the table from a page or a terminal, each as one record.

An act is sent with `table.send(act)` from any thread and carried out by the table thread. The future
that `send` returns ends with one plain sentence, or with `Refused` whose text is the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.table.enrolment_view import EnrolAct


class Refused(Exception):
    """The act cannot be carried out; the text is one plain sentence. Nothing has changed."""


@dataclass(frozen=True, slots=True)
class CorrectLook:
    """Input number `look` really showed `faces` (card codes by player); players not named keep theirs."""

    look: int
    faces: Mapping[str, tuple[str, ...]]
    by: str = ""


@dataclass(frozen=True, slots=True)
class UndoLook:
    """Take input number `look` out of the history; None means the last one that is still in it."""

    look: int | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class AppealLook:
    """A player disputes the ruling on input number `look`."""

    look: int
    by: str


@dataclass(frozen=True, slots=True)
class GiveAnswer:
    """The answer to the open question `question` (its ruling's seq)."""

    question: int
    choice: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Tell:
    """Any line of a looks script without its `at`: a steal, a top card, a reshuffle, or a look typed by hand."""

    line: Mapping[str, object]
    by: str = ""


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """Play it differently from the next round on; the game goes on as it stands."""

    settings: Mapping[str, object]
    by: str = ""


@dataclass(frozen=True, slots=True)
class SwapSeats:
    """These two sit the other way round, and have since the first card."""

    players: tuple[str, str]
    by: str = ""


@dataclass(frozen=True, slots=True)
class TakeSeats:
    """Where everybody sits from now on: by the words or text of seats, or by an `order` that was offered."""

    seats: str = ""
    order: tuple[str, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class SetMirror:
    """Whether the camera's picture is mirrored: auto, yes or no."""

    facing: str


@dataclass(frozen=True, slots=True)
class NewGame:
    """End the session and open another. `settings` as `key: value` texts; `seats` a name or TOML text."""

    variant: str
    players: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    seats: str = "left-right"


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop or go on watching; None changes over."""

    on: bool | None = None


@dataclass(frozen=True, slots=True)
class ResetWatching:
    """Forget what is half seen and look at the table afresh; the game keeps its state."""


@dataclass(frozen=True, slots=True)
class SelectCamera:
    """Watch another source: a camera's index or device, a file, a folder, a stream."""

    source: str


@dataclass(frozen=True, slots=True)
class ListCameras:
    """Look for cameras again; the answer lies in `table.now.camera.choices`."""


@dataclass(frozen=True, slots=True)
class DropPictures:
    """Delete the stored pictures of a session; what was ruled stays."""

    session: int


Act = (
    CorrectLook
    | UndoLook
    | AppealLook
    | GiveAnswer
    | Tell
    | ChangeSettings
    | SwapSeats
    | TakeSeats
    | SetMirror
    | NewGame
    | Pause
    | ResetWatching
    | SelectCamera
    | ListCameras
    | DropPictures
    | EnrolAct
)
