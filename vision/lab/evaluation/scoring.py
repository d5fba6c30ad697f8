"""Score of one labelled photo: the multiset of cards read against the multiset labelled, without their places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vision.geometry import bounds, box_iou
from vision.lab.evaluation.labels import Label, Photo, rank_of
from vision.types import FoundCard, Side

#: A reading and a label that overlap more than this are one card.
SAME_PLACE = 0.5


@dataclass(frozen=True, slots=True)
class Wanted:
    """One card that is in the photo, and whether its code, or at least its rank, was said."""

    label: Label
    exact: bool
    rank: bool


@dataclass(frozen=True, slots=True)
class Said:
    """One card that was said, how sure (0..1), and whether its code, or at least its rank, is in the photo."""

    code: str
    p: float
    exact: bool
    rank: bool


@dataclass(frozen=True, slots=True)
class Score:
    """One photo's result. `unread`: the file could not be read; then everything in it counts as missed.

    `unsure` are the faces that were found but not stood by, with their likeliest code.
    """

    photo: Photo
    wanted: tuple[Wanted, ...]
    said: tuple[Said, ...]
    unsure: tuple[Said, ...] = ()
    faces: tuple[FoundCard, ...] = ()
    unread: bool = False

    @property
    def right(self) -> bool:
        """Whether exactly the cards of the photo were said."""
        return not self.unread and all(w.exact for w in self.wanted) and all(s.exact for s in self.said)

    @property
    def rank_right(self) -> bool:
        """Whether exactly the ranks of the photo were said."""
        return not self.unread and all(w.rank for w in self.wanted) and all(s.rank for s in self.said)

    @property
    def confusions(self) -> list[tuple[str, str]]:
        """(in the photo, said instead) for each missed card that was stood by as another one in its place."""
        missed = [w.label for w in self.wanted if not w.exact]
        read = [card for card in self.faces if card.read]
        pairs = ((label, card) for label in missed for card in read if _same_place(card, label))
        return [(label.code, str(card.code)) for label, card in pairs if label.code != card.code]


def _same_place(card: FoundCard, label: Label) -> bool:
    return label.box is not None and box_iou(bounds(card.quad), label.box) > SAME_PLACE


def score(photo: Photo, cards: Iterable[FoundCard] | None, size: tuple[int, int]) -> Score:
    """Score the cards found in a photo that was read at `size` pixels; None where it could not be read."""
    wanted = photo.wanted
    faces = tuple(c for c in cards or () if c.side is Side.FACE and c.code and not _is_art(c, photo, size))
    read = sorted((card for card in faces if card.read), key=lambda card: card.p, reverse=True)
    codes = [label.code for label in wanted], [str(card.code) for card in read]
    exact = matches(*codes)
    rank = matches([rank_of(code) for code in codes[0]], [rank_of(code) for code in codes[1]], prefer=exact)
    return Score(
        photo,
        tuple(map(Wanted, wanted, exact[0], rank[0])),
        tuple(map(Said, codes[1], [card.p for card in read], exact[1], rank[1])),
        _unsure(wanted, codes[1], [card for card in faces if not card.read]),
        faces,
        unread=cards is None,
    )


def _is_art(card: FoundCard, photo: Photo, size: tuple[int, int]) -> bool:
    """Whether a card lies where readings do not count; areas to ignore may reach over cards that are wanted."""
    if any(_same_place(card, label) for label in photo.wanted):
        return False
    x, y = (at * full / seen for at, full, seen in zip(card.centre, photo.size, size, strict=True))
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in photo.ignore)


Flags = list[bool]


def matches(
    wanted: Sequence[str], said: Sequence[str], prefer: tuple[Flags, Flags] | None = None
) -> tuple[Flags, Flags]:
    """Which of the wanted names were said and which of the said ones were wanted, each used once.

    Where there are too many of one name, those that `prefer` marks come first.

    >>> matches(["9", "9", "K"], ["9", "Q"])
    ([True, False, False], [True, False])
    """
    both = Counter(wanted) & Counter(said)
    first = prefer or ([False] * len(wanted), [False] * len(said))
    return _spend(wanted, both, first[0]), _spend(said, both, first[1])


def _spend(names: Sequence[str], budget: Counter[str], first: Flags) -> Flags:
    left, hit = budget.copy(), [False] * len(names)
    for i in sorted(range(len(names)), key=lambda i: not first[i]):
        hit[i] = left[names[i]] > 0
        left[names[i]] -= hit[i]
    return hit


def _unsure(wanted: Sequence[Label], said: Sequence[str], faces: Sequence[FoundCard]) -> tuple[Said, ...]:
    """Judge the faces that were not stood by against what the sure ones left over."""
    left = list((Counter(label.code for label in wanted) - Counter(said)).elements())
    codes = [str(card.code) for card in faces]
    _, exact = matches(left, codes)
    _, rank = matches(
        [rank_of(code) for code in left], [rank_of(code) for code in codes], prefer=([False] * len(left), exact)
    )
    return tuple(map(Said, codes, [card.p for card in faces], exact, rank))
