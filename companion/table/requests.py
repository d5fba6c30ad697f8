"""Requests to the table from a page or a terminal, each one record.

`table.send(request)` may be called from any thread; the table thread carries the request out. The future that
`send` returns ends with one sentence, or with `Refused` whose text is the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.referee.codec import BadInput, input_from_json
from companion.referee.events import Input


class Refused(Exception):
    """The request cannot be carried out; the text is one plain sentence. Nothing has changed."""


# --- the game -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SubmitInput:
    """Submit `entry` to the referee; the table sets its second `at`. `by`: the name of whoever asks, if given."""

    entry: Input
    by: str = ""


def parse_input(line: Mapping[str, object], by: str = "") -> SubmitInput:
    """The request for an input in the JSON form of a looks script, without its `at`. Raises Refused.

    >>> parse_input({"undo": 4}, by="Ana")
    SubmitInput(entry=Undo(at=0.0, look=4), by='Ana')
    """
    try:
        return SubmitInput(input_from_json({**line, "at": 0.0}), by)
    except BadInput as bad:
        text = str(bad)
        raise Refused(text[0].upper() + text[1:]) from None


@dataclass(frozen=True, slots=True)
class UndoLast:
    """Take the last input that did something out of the history."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class ChooseSeats:
    """Seat the players in `order`, one of the orders that the snapshot offers in `seats.choices`."""

    order: tuple[str, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class NewGame:
    """End the session and open another. `settings` as `key: value` texts; `seats` a name or TOML text."""

    variant: str
    players: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    seats: str = "left-right"


@dataclass(frozen=True, slots=True)
class PlaySample:
    """Play the sample game once more from its beginning, while it is at the table."""


# --- the log ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DropPictures:
    """Delete the stored pictures of a session; its inputs and rulings stay."""

    session: int


@dataclass(frozen=True, slots=True)
class DropPicturesOf:
    """Delete the stored pictures of every session of an evening, an ISO date."""

    evening: str


@dataclass(frozen=True, slots=True)
class DropPicturesBefore:
    """Delete the stored pictures of every session that has ended, of evenings before this ISO date."""

    day: str


@dataclass(frozen=True, slots=True)
class EndGame:
    """Mark a session as over that was left open; nothing goes on with it."""

    session: int


@dataclass(frozen=True, slots=True)
class RemoveGame:
    """Take a session out of the list; it can be brought back."""

    session: int


@dataclass(frozen=True, slots=True)
class BringBackGame:
    """Take a removed session into the list again."""

    session: int


@dataclass(frozen=True, slots=True)
class DeleteGame:
    """Delete a removed session for good."""

    session: int


@dataclass(frozen=True, slots=True)
class WriteNote:
    """Keep a note with a session, in place of the one before; an empty one takes it away."""

    session: int
    note: str


@dataclass(frozen=True, slots=True)
class RenamePlayer:
    """Give a player another name in every game; the name of another player makes the two one."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class TakeIn:
    """Take a checked session of another log in, unless it is here: `incoming` is an `Incoming` of the log."""

    incoming: object


@dataclass(frozen=True, slots=True)
class TakeBackRename:
    """Give the old names back that a renaming, by the number of its act, had changed."""

    act: int


@dataclass(frozen=True, slots=True)
class ForgetPlayer:
    """Write a name that says nothing for a player in every game, for good."""

    name: str


LogRequest = (
    DropPictures
    | DropPicturesOf
    | DropPicturesBefore
    | EndGame
    | RemoveGame
    | BringBackGame
    | DeleteGame
    | WriteNote
    | RenamePlayer
    | TakeIn
    | TakeBackRename
    | ForgetPlayer
)


# --- the camera ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pause:
    """Pause or resume watching; None toggles."""

    on: bool | None = None


@dataclass(frozen=True, slots=True)
class ResetWatching:
    """Forget what has settled and look at the table afresh; the game keeps its state."""


@dataclass(frozen=True, slots=True)
class TryPlaces:
    """Try every place with any card before the game: while `on`, cards are read and nothing is judged."""

    on: bool


@dataclass(frozen=True, slots=True)
class SelectCamera:
    """Watch another source: a camera's index or device, a file, a folder, a stream."""

    source: str


@dataclass(frozen=True, slots=True)
class ListCameras:
    """Look for cameras again; the answer lies in `table.now.camera.choices`."""


@dataclass(frozen=True, slots=True)
class SetMirror:
    """Whether the camera's picture is mirrored: auto, yes or no."""

    facing: str


# --- packs --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BeginEnrolling:
    """Begin to learn a pack; no rounds are judged meanwhile. `order`: suits and ranks as `SHDC:23A`, or the usual."""

    order: str = ""


@dataclass(frozen=True, slots=True)
class ShowEach:
    """Show one card after the other from now on (`each`), or whole rows."""

    each: bool


@dataclass(frozen=True, slots=True)
class TakePicture:
    """Learn the cards as they lie now; `sure`: take them in the order asked for, whatever is read."""

    sure: bool = False


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """The pack has no jokers, or its back need not be known."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Forget the picture taken last."""


@dataclass(frozen=True, slots=True)
class KeepPack:
    """Build the pack from the cards taken, save it under this name and use it."""

    name: str


@dataclass(frozen=True, slots=True)
class StopEnrolling:
    """End the enrolment; nothing is kept."""


@dataclass(frozen=True, slots=True)
class UsePack:
    """Read cards with this pack from now on; without a name, with none."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class ForgetPack:
    """Delete a pack."""

    name: str


EnrolmentRequest = (
    BeginEnrolling | ShowEach | TakePicture | LeaveOut | TakeBack | KeepPack | StopEnrolling | UsePack | ForgetPack
)
Request = (
    SubmitInput
    | UndoLast
    | ChooseSeats
    | NewGame
    | PlaySample
    | LogRequest
    | Pause
    | ResetWatching
    | TryPlaces
    | SelectCamera
    | ListCameras
    | SetMirror
    | EnrolmentRequest
)
#: What carries out each type of request; it gives the sentence to answer with, and raises Refused.
Handlers = Mapping[type, Callable[[Any], str]]
