"""Inputs (the truth) and rulings (derived): everything that is written to a log or said on the page.

A history is a tuple of inputs numbered from 1; the referee folds it into a state and rulings. JSON is
as in the `.looks` format for inputs and `watch --json` for rulings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from companion.referee.cards import Card, Rank

#: Where the readings leave out more than this chance, the face is as good as unread and may be any card. That is a
#: matter of the reader alone: readings that name all there is are judged the same whatever stands here.
UNREAD = 0.3


@dataclass(frozen=True, slots=True)
class Face:
    """One face-up card as it was read: the likeliest card, its probability 0..1, and the next likely ones.

    `said` marks a card that a person named; `misread` is what had been read there before, `hardly` where that was as
    good as unread. They come from applying a correction and are never written.
    """

    card: Card
    p: float = 1.0
    alternatives: tuple[tuple[Card, float], ...] = ()
    said: bool = False
    misread: Card | None = None
    hardly: bool = False

    @property
    def is_unread(self) -> bool:
        """Whether the face is as good as unread: nothing is named beside a reading that leaves much open."""
        return not self.alternatives and self.p < 1 - UNREAD


# --- inputs -----------------------------------------------------------------------------------------
# `at` is seconds since the session opened.


@dataclass(frozen=True, slots=True)
class Seen:
    """The whole settled table. `faces` holds each player's face-up cards in the order laid.

    `backs` is an exact number of face-down cards (a script, a person's word), `backs_seen` a camera's
    lower bound; None where nothing is known. `piles` are the tops of the face-up piles (Steal War), with
    None for an empty pile. `unmoved` names the players in whose place nothing moved since the look
    before: there a changed reading is a re-reading, never a new card.
    """

    at: float
    faces: Mapping[str, tuple[Face, ...]]
    backs: Mapping[str, int] | None = None
    backs_seen: Mapping[str, int] | None = None
    piles: Mapping[str, Card | None] | None = None
    unmoved: frozenset[str] = frozenset()
    #: Cards that a person said were never there; they stay ignored for the round. Never written.
    ghosts: Mapping[str, tuple[Card, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Blind:
    """Nothing could be seen from `since` to `until` (camera lost, hands in the way for long)."""

    at: float
    since: float
    until: float


@dataclass(frozen=True, slots=True)
class Correct:
    """A person says what look number `look` really showed; only the named players change."""

    at: float
    look: int
    faces: Mapping[str, tuple[Face, ...]]


@dataclass(frozen=True, slots=True)
class Undo:
    """Remove input number `look` from the history, that one alone."""

    at: float
    look: int


@dataclass(frozen=True, slots=True)
class Appeal:
    """A player disputes the ruling on input number `look`."""

    at: float
    look: int
    by: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A person answers the question whose ruling has number `question`."""

    at: float
    question: int
    choice: str


@dataclass(frozen=True, slots=True)
class Steal:
    """Steal War: `by` lays `card` on the face-up piles of `victims` and takes them. JSON key `from`."""

    at: float
    by: str
    card: Card
    victims: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Top:
    """Steal War: which won card each named player put on top of the face-up pile."""

    at: float
    cards: Mapping[str, Card]


@dataclass(frozen=True, slots=True)
class Reshuffle:
    """Steal War: `player` shuffles the face-up pile and plays on from it."""

    at: float
    player: str


@dataclass(frozen=True, slots=True)
class Swap:
    """These two sit the other way round: in every input before, each of them was taken for the other."""

    at: float
    players: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Seated:
    """Where everybody sits, by the words or the text of seats; it changes nothing about the game.

    `mirrored`: the camera's picture is turned round, and the seats are those of the turned picture.
    """

    at: float
    seats: str
    mirrored: bool = False


@dataclass(frozen=True, slots=True)
class Agree:
    """From the next round on it is played by other house rules: the values of settings by key."""

    at: float
    rules: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Count:
    """People counted: how many cards each named player has, without those on the table."""

    at: float
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Missed:
    """A person says what lay there in a round that was never seen, between input number `look` and the next.

    `faces` holds each player's cards that were turned up, in the order laid: the battle's, then one for each war; 0 is
    the place before the first input.
    """

    at: float
    look: int
    faces: Mapping[str, tuple[Face, ...]]


Input = (
    Seen | Blind | Correct | Undo | Appeal | Answer | Steal | Top | Reshuffle | Swap | Seated | Agree | Count | Missed
)

# --- rulings ----------------------------------------------------------------------------------------


class ViolationKind(StrEnum):
    """What the table can do wrong. The first four hold the game until put right."""

    TOO_MANY_CARDS = "too_many_cards"
    TOO_FEW_DOWN = "too_few_down"
    ILLEGAL_STEAL = "illegal_steal"
    WRONG_TAKER = "wrong_taker"
    SAME_CARD_TWICE = "same_card_twice"
    NOT_OWNER = "not_owner"
    EARLY_CARD = "early_card"
    TOO_MANY_DOWN = "too_many_down"


class StealFault(StrEnum):
    """Why a steal is not allowed (E22-E24)."""

    TOO_LATE = "too_late"
    NO_CARD = "no_card"
    OWN_PILE = "own_pile"
    NO_PILE = "no_pile"
    NO_MATCH = "no_match"
    STOLEN_BACK = "stolen_back"


class NoticeKind(StrEnum):
    """What is worth saying though it changes nothing."""

    SAME_CARD_TWICE = "same_card_twice"
    NOT_OWNER = "not_owner"
    APPEAL = "appeal"
    NOTHING_TO_DO = "nothing_to_do"
    AGREED = "agreed"
    COUNTED = "counted"
    TIME = "time"
    COUNT_NOW = "count_now"
    EXCHANGED = "exchanged"
    FACE_UP = "face_up"
    HEAP = "heap"


class Basis(StrEnum):
    """What a ruling rests on: seen, or assumed because no camera can see it."""

    FACES = "faces"
    FACE_DOWN = "face_down"
    READING = "reading"
    TOP = "top"
    PLAYERS = "players"


class EndReason(StrEnum):
    """Why a game is over."""

    ALL_CARDS = "all_cards"
    THREE_WARS = "three_wars"
    TIME = "time"
    ROUNDS = "rounds"
    RAN_OUT = "ran_out"


class QuestionKind(StrEnum):
    """Why the referee asks."""

    READING = "reading"
    REREAD = "reread"
    ORDER = "order"
    BLIND = "blind"
    WHOSE = "whose"
    COUNT = "count"


class RulingRecord(Struct, frozen=True, tag_field="ruling", omit_defaults=True):
    """Base of the rulings: JSON objects told apart by `ruling`; a field with a default is left out where it has it."""


#: The winner of a game that nobody won.
DRAW = "draw"


class Shown(RulingRecord, frozen=True, tag="shown"):
    """Faces of a round that is not judged yet were read anew, or the spoils of a war were shown.

    Cards that simply lie there while another player is waited for are no ruling: `view` shows them.
    """

    round: int
    faces: Mapping[str, tuple[Card, ...]]
    waiting: tuple[str, ...]


class BattleWon(RulingRecord, frozen=True, tag="battle_won"):
    """A round is settled. `pot` is all cards on the table, `takes` how they are split, `counts` after it.

    `seen` and `assumed` say what the ruling rests on (`faces`, `face_down`, `takers`, …).
    """

    round: int
    winner: str
    faces: Mapping[str, tuple[Card, ...]]
    pot: int
    takes: Mapping[str, int]
    wars: int
    counts: Mapping[str, int]
    rule: str
    seen: tuple[str, ...]
    assumed: tuple[str, ...]
    house_rules: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()


class BattleDrawn(RulingRecord, frozen=True, tag="battle_drawn"):
    """Nobody wins the round: everyone who fights ran out on equal cards."""

    round: int
    faces: Mapping[str, tuple[Card, ...]]
    pot: int
    counts: Mapping[str, int]
    rule: str
    house_rules: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()


_ONE_RANK = "|".join(rank for rank in Rank if rank is not Rank.HIDDEN)
#: The name of a rank; where house rules make several equal, those joined by strokes.
RankName = Annotated[str, Meta(pattern=f"^({_ONE_RANK})(/({_ONE_RANK}))*$")]


class WarDeclared(RulingRecord, frozen=True, tag="war_declared"):
    """A tie for the highest card. `who` must lay or stand, `down` face-down cards each before the next face.

    `size` is the number of face-down cards before any shortage; who `stands` has no card left to lay. `house_rules` are
    the settings it rests on, `differs` those that are not as the variant is played unless told otherwise.
    """

    round: int
    rank: RankName
    who: tuple[str, ...]
    down: Mapping[str, int]
    rule: str
    short: tuple[str, ...] = ()
    house_rules: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    size: int = 0
    stands: tuple[str, ...] = ()


class Stolen(RulingRecord, frozen=True, tag="steal", rename={"victims": "from"}):
    """Steal War: a face-up pile changed hands. JSON `ruling` is `steal`, `victims` is `from`."""

    by: str
    card: Card
    victims: tuple[str, ...]
    counts: Mapping[str, int]
    rule: str
    assumed: tuple[str, ...]


class Question(RulingRecord, frozen=True, tag="question"):
    """The verdict hangs on a reading: `about` is the player, `choices` the possible answers (card codes).

    `face` is where the card was read: the input's number and the place in that player's faces, from 0. Where it is
    asked whose the `card` is, `about` is in whose place it lies, and `choices` are players.
    """

    round: int
    about: str
    choices: tuple[str, ...]
    rule: str
    why: QuestionKind = QuestionKind.READING
    face: tuple[int, int] = (0, 0)
    card: Card | None = None


class Violation(RulingRecord, frozen=True, tag="violation"):
    """The table breaks a rule. While `holds` the state stands until a look or a person puts it right.

    `missing` is how many cards are not there (below 0: too many), `why` the fault of a steal.
    """

    kind: ViolationKind
    player: str
    cards: tuple[Card, ...]
    holds: bool
    rule: str
    missing: int = 0
    why: str = ""


class Notice(RulingRecord, frozen=True, tag="notice"):
    """Something worth saying that changes nothing but, where people `counted`, the counts.

    `kind` names a sentence in the catalogue; `counts` are all cards as counted, `before` as they were known.
    """

    kind: NoticeKind
    player: str | None = None
    cards: tuple[Card, ...] = ()
    house_rules: tuple[str, ...] = ()
    counts: Mapping[str, int] = {}
    before: Mapping[str, int] = {}


class PlayerOut(RulingRecord, frozen=True, tag="player_out"):
    """A player has no cards left."""

    player: str
    rule: str


class GameOver(RulingRecord, frozen=True, tag="game_over"):
    """The game has ended; `winner` is a player or "draw"."""

    winner: str
    reason: EndReason
    counts: Mapping[str, int]
    rule: str


class Blinded(RulingRecord, frozen=True, tag="blind"):
    """The referee could not see for a while. JSON `ruling` is `blind`."""

    since: float
    until: float


Ruling = (
    Shown
    | BattleWon
    | BattleDrawn
    | WarDeclared
    | Stolen
    | Question
    | Violation
    | Notice
    | PlayerOut
    | GameOver
    | Blinded
)


@dataclass(frozen=True, slots=True)
class Ruled:
    """A ruling in its place: `seq` numbers rulings from 1, `look` the input that caused it, `at` its second."""

    seq: int
    look: int
    at: float
    ruling: Ruling = field(kw_only=True)
