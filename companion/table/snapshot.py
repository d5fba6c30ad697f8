"""The snapshot: what page and terminal show, one frozen record, replaced whole at every change.

Plain values only (text, numbers, tuples, mappings), so that `/state` is this record as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Chip(StrEnum):
    """The state of watching, with the same words everywhere; `words` holds the sentence of each."""

    WAITING_FOR_CARDS = "waiting_for_cards"
    WAITING_FOR_PLAYERS = "waiting_for_players"
    HAND = "hand"
    SETTLING = "settling"
    VERDICT = "verdict"
    WAR = "war"
    COLLECT = "collect"
    PAUSED = "paused"
    DIFFERS = "differs"
    QUESTION = "question"
    CAMERA_LOST = "camera_lost"
    GAME_OVER = "game_over"


class Spoilt(StrEnum):
    """Why a card cannot be read; `words` holds the hint of each."""

    GLARE = "glare"
    SMALL = "small"


#: From this probability on a reading is called sure.
_SURE = 0.9
#: Below this one it is called unreadable.
_READABLE = 0.4


def certainty(p: float) -> str:
    """The word for the probability of a reading: `CardView.certainty`.

    >>> certainty(0.97), certainty(0.6), certainty(0.2)
    ('sure', 'check', 'unreadable')
    """
    return "sure" if p >= _SURE else "check" if p >= _READABLE else "unreadable"


@dataclass(frozen=True, slots=True)
class CardView:
    """One active face-up card: what was read beside what was seen. `certainty` is sure, check or unreadable.

    `spoilt` says why it cannot be read, where that can be helped; `height` is the card's in pixels.
    """

    player: str
    code: str
    p: float
    certainty: str
    alternatives: tuple[tuple[str, float], ...] = ()
    #: Number of the stored crop (`/crops/N.jpg`), or None where there is no picture.
    crop: int | None = None
    #: Outline in fractions 0..1 of the picture's width and height.
    polygon: tuple[tuple[float, float], ...] = ()
    #: The input to correct and the card's place among that player's faces there; None where it is not in play.
    look: int | None = None
    place: int = 0
    spoilt: str = ""
    height: int = 0
    #: True where a person said which card it is; `was` is the code that had been read there, where it was another.
    said: bool = False
    was: str = ""


@dataclass(frozen=True, slots=True)
class WarView:
    """Who fights, how many face down each (`down`), how many were seen (`seen`), who is short; `sum` is
    the size in words, as "8: 7 down + the 8th"."""

    rank: str
    who: tuple[str, ...]
    down: Mapping[str, int]
    seen: Mapping[str, int]
    short: tuple[str, ...]
    sum: str


@dataclass(frozen=True, slots=True)
class QuestionView:
    """An open question: `seq` is the ruling's number, `choices` the big buttons (card codes or words)."""

    seq: int
    text: str
    about: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogLine:
    """One ruling as a line of the log, newest first in the snapshot; `look` is the input to correct or undo."""

    seq: int
    look: int
    at: float
    ruling: str
    round: int | None
    text: str
    faces: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    moved: Mapping[str, int] = field(default_factory=dict)
    corrected: bool = False
    #: Who corrected it last and at which second; empty where nobody said who.
    corrected_by: str = ""
    corrected_at: float = 0.0
    #: True where an evidence picture is stored (`/evidence/LOOK.jpg`).
    evidence: bool = False
    #: The rule that was applied, as the rulebook names it; what a violation or a notice is about.
    rule: str = ""
    kind: str = ""
    #: The settings it rested on, as `key=value`.
    in_force: tuple[str, ...] = ()
    #: Who took the round, and how many cards in all.
    winner: str = ""
    taken: int = 0
    #: The input that an appeal disputes; for a line that was taken back, the number of the undo that did it.
    disputes: int | None = None
    undone: int = 0


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """One entry of the camera picker; `source` is what to pass to the select command."""

    source: str
    name: str
    detail: str = ""
    #: What it saw when cameras were looked for last, as JPEG; in `/state` only whether there is a picture.
    picture: bytes = b""


@dataclass(frozen=True, slots=True)
class CameraView:
    """State of the camera. `message` is one plain sentence where something is wrong, else empty."""

    source: str = ""
    live: bool = False
    ok: bool = True
    message: str = ""
    frames_per_s: float = 0.0
    picture: int = 0
    size: tuple[int, int] = (0, 0)
    choices: tuple[CameraChoice, ...] = ()
    #: The driver mirrors the picture, and it is turned round; `facing` is what was said of it: auto, yes or no.
    mirrored: bool = False
    facing: str = "no"


@dataclass(frozen=True, slots=True)
class SeatView:
    """Where one player sits: in words, and the middle of his place in fractions of the picture."""

    player: str
    side: str
    x: float
    y: float
    #: Outlines of the places to play in and for the face-up pile (empty where there is none), in the same fractions.
    play: tuple[tuple[float, float], ...] = ()
    pile: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class SeatsView:
    """Who sits where. While that is not known `seats` is empty, and where it is not clear, `choices` are the
    possible ones: the players in the order to choose, and the choice in words."""

    seats: tuple[SeatView, ...] = ()
    finding: bool = False
    choices: tuple[tuple[tuple[str, ...], str], ...] = ()


@dataclass(frozen=True, slots=True)
class MeterView:
    """One measure of the picture in words: `name` is light, size, glare, sharpness, rate or mirrored; whether it is
    well (`ok`); and `text`, which says what to do where it is not."""

    name: str
    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class TryingView:
    """The set-up of the table: whether places are being tried (`on`: nothing is judged), the card that was read for
    sure in each player's place, and the measures of the picture."""

    on: bool = False
    shown: Mapping[str, str] = field(default_factory=dict)
    meters: tuple[MeterView, ...] = ()


class Step(StrEnum):
    """What is to be laid next in an enrolment; `page.enrol.step` has the words of each."""

    ROW = "row"
    CARD = "card"
    JOKERS = "jokers"
    BACK = "back"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class EnrolView:
    """A pack being enrolled. Sentences are in the language of the table, cards are codes.

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


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The live table at one moment. `version` grows by one with every change."""

    version: int
    session: int | None
    variant: str
    players: tuple[str, ...]
    settings: Mapping[str, object]
    #: Sentences that name the house rules in force, presets first ("Tie: three down, one up, again if it ties").
    house_rules: tuple[str, ...]
    chip: Chip
    chip_text: str
    #: The verdict as one sentence, and the line below it with the rule and any house rule.
    verdict: str
    reason: str
    round: int
    counts: Mapping[str, int]
    #: Change of each count by the last settled round.
    change: Mapping[str, int]
    on_table: int
    total: int
    #: "26 + 26 = 52 cards", with the cards on the table where there are any.
    proof: str
    wars_won: Mapping[str, int]
    #: Extra split of a count, as {"Ana": {"hand": 3, "pile": 23}} (Arneson, Steal War).
    split: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    pile_tops: Mapping[str, str | None] = field(default_factory=dict)
    #: Steal War: who may steal each player's face-up pile now, and the won cards of which nobody told the top.
    thieves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    untold: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cards: tuple[CardView, ...] = ()
    war: WarView | None = None
    question: QuestionView | None = None
    violation: str = ""
    #: True where that holds the game: table and page differ.
    held: bool = False
    #: The player at whose place they differ; empty where they do not.
    differs: str = ""
    #: What would help to read a card that cannot be read, as one sentence ("Glare on Ben's card: …").
    hint: str = ""
    waiting: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    winner: str = ""
    #: Whole seconds until the agreed time is over; None in a game that no clock ends, and in one that is over.
    time_left: int | None = None
    log: tuple[LogLine, ...] = ()
    #: What was ruled on inputs that are taken back, newest first; it is in force no more.
    undone: tuple[LogLine, ...] = ()
    #: The number of the input that "Undo" takes back, and of the undo that can be taken back itself.
    undo: int | None = None
    redo: int | None = None
    camera: CameraView = CameraView()
    seats: SeatsView = SeatsView()
    packs: PacksView = PacksView()
    trying: TryingView = TryingView()
    #: True while the bundled sample game plays under its banner.
    demo: bool = False
    banner: str = ""
    #: True where the film that was watched is over.
    finished: bool = False
    paused: bool = False
    language: str = "en"
