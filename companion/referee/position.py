"""Where a game stands: the cards on the table, who fights, who owns how many. Frozen nouns, no decisions.

`Turn` alone changes: it carries a position through the handling of one input and collects the rulings.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from companion.referee import ownership
from companion.referee.cards import HIDDEN, Card, pack
from companion.referee.events import (
    Basis,
    BattleDrawn,
    BattleWon,
    Face,
    GameOver,
    Notice,
    NoticeKind,
    Question,
    Ruling,
    Seen,
    Violation,
    ViolationKind,
    WarDeclared,
)
from companion.referee.game import Game
from companion.referee.ownership import Knowledge

#: A reading of this chance is not a flicker of another card.
SURE = 0.9


class Placed(Struct, frozen=True):
    """One face in play: the card as ruled, the face as read, and the input and place it was read at.

    `readings` are the cards it may be with their chances, likeliest first, where there are several; `options` are
    the same with those of one rank added up, where more than one rank is left. `under` is the number of face-down
    cards laid just before it; `may_be` is the mask of cards that the one laid is remembered as, where that is not
    the card ruled alone.
    """

    card: Card
    face: Face
    look: int
    slot: int
    options: tuple[tuple[Card, float], ...] = ()
    under: int = 0
    may_be: int = 0
    readings: tuple[tuple[Card, float], ...] = ()

    @property
    def bits(self) -> int:
        """The mask of cards that this one may be."""
        return self.may_be or self.card.bits

    def shows(self, card: Card, p: float = 0.0) -> bool:
        """Whether a look with this code, read with chance `p`, shows this very face again.

        A code without suit may be any of its rank; a sure one is no face that could hardly be read.
        """
        if card == self.face.card or card == self.card:
            return True
        if card == self.face.misread:
            return not (self.face.hardly and p >= SURE)
        return card.rank is self.card.rank and (card.suit is None or self.face.card.suit is None)


class Laid(Struct, frozen=True):
    """What one player has on the table this round: faces in the order laid, and face-down cards.

    `exact` is False while the face-down number is only assumed; `ahead` of them wait for their face.
    """

    faces: tuple[Placed, ...] = ()
    down: int = 0
    ahead: int = 0
    exact: bool = True

    @property
    def size(self) -> int:
        """How many cards lie there."""
        return len(self.faces) + self.down

    @property
    def cards(self) -> tuple[Card, ...]:
        """The face-up cards in the order laid."""
        return tuple(placed.card for placed in self.faces)


NOTHING = Laid()


class Round(Struct, frozen=True):
    """One round: a battle, with its wars if it ties.

    `players` take part; `fighters` are those whose latest faces are compared next, `waiting` those of them
    who must still lay one after `due` cards face down. `fought` holds for each tie, and for the verdict,
    which face of whom was compared. `joined` are cards of losers that were put into the pot, `ghosts`
    cards that a person said are not there, `moved` those of others that lie in a player's place in the newest look,
    `heap` those of earlier rounds that still lie face up in a player's place, `before` the faces of the round before,
    `took` which of them their own players took, `began` who could own what when the round, or its latest war, began,
    `spoils` face-down cards that were shown after the verdict, `clashes` what is not said yet of cards that their
    players should not have.
    `lain` are those whose latest face was seen when the round was judged, or since; of them the faces of those in
    `gone` have been collected. `absent` are those whose card was shown before the table was cleared, and not since,
    `kept` the won cards that lie face up with those who took them.
    """

    number: int
    players: tuple[str, ...]
    fighters: tuple[str, ...]
    waiting: tuple[str, ...]
    laid: Mapping[str, Laid] = field(default_factory=dict)
    due: Mapping[str, int] = field(default_factory=dict)
    wars: tuple[WarDeclared, ...] = ()
    fought: tuple[Mapping[str, int], ...] = ()
    verdict: BattleWon | BattleDrawn | None = None
    joined: int = 0
    revealing: bool = False
    told: frozenset[tuple[str, Card]] = frozenset()
    seen_backs: Mapping[str, int] = field(default_factory=dict)
    ghosts: frozenset[tuple[str, Card]] = frozenset()
    moved: frozenset[tuple[str, Card]] = frozenset()
    heap: frozenset[tuple[str, Card]] = frozenset()
    before: Mapping[str, tuple[Placed, ...]] = field(default_factory=dict)
    took: frozenset[tuple[str, Card]] = frozenset()
    began: Knowledge | None = None
    spoils: tuple[Card, ...] = ()
    clashes: tuple[tuple[str, Notice | Violation], ...] = ()
    lain: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    kept: frozenset[tuple[str, Card]] = frozenset()

    @property
    def faces(self) -> dict[str, tuple[Card, ...]]:
        """The face-up cards of everyone who laid any, in the order laid."""
        return {player: laid.cards for player, laid in self.laid.items() if laid.faces}

    def has_fought(self, player: str) -> bool:
        """Whether the player's latest face was compared in an earlier battle of this round: it stands."""
        last = len(self.laid.get(player, NOTHING).faces) - 1
        return last >= 0 and any(battle.get(player) == last for battle in self.fought)

    @property
    def pot(self) -> int:
        """All cards on the table."""
        return sum(laid.size for laid in self.laid.values()) + self.joined


class Position(Struct, frozen=True):
    """Where the game stands. `counts` are the cards each owns that do not lie on the table.

    `piles` are the face-up piles, bottom first (Steal War), of which the uppermost `loose` cards lie in an
    order that nobody has told; `perhaps` is the mask of cards that one on a pile may be, where it was read in
    doubt, by the card that it is called, `tops` the tops as they were seen last. `stolen` are the pairs robbed, thief
    since the last verdict. `held` stops the game until put right; `asked` are the open questions.
    """

    game: Game
    counts: Mapping[str, int]
    round: Round
    known: Knowledge
    wars_won: Mapping[str, int]
    piles: Mapping[str, tuple[Card, ...]] = field(default_factory=dict)
    loose: Mapping[str, int] = field(default_factory=dict)
    perhaps: Mapping[Card, int] = field(default_factory=dict)
    tops: Mapping[str, Card | None] = field(default_factory=dict)
    stolen: frozenset[tuple[str, str]] = frozenset()
    out: tuple[str, ...] = ()
    over: GameOver | None = None
    held: Violation | None = None
    asked: tuple[Question, ...] = ()
    blind: bool = False
    cleared: bool = True
    #: The look that waits for the answer to a question.
    pending: Seen | None = None
    #: The game as it is played from the next round on, where that was agreed.
    agreed: Game | None = None
    #: The second and the round after which the agreed length of the game counts.
    since: tuple[float, int] = (0.0, 0)
    #: What was said already that is not worth saying twice in a game, each with whom it was said to.
    reminded: frozenset[tuple[NoticeKind | ViolationKind, str]] = frozenset()


def opening(game: Game) -> Position:
    """The position before the first card."""
    players = tuple(player for player in game.players if game.counts[player])
    known = ownership.initial_knowledge(game.players, game.counts, pack(game.settings.jokers), game.piles)
    return Position(
        game=game,
        counts=dict(game.counts),
        round=Round(1, players, players, players, began=known),
        known=known,
        wars_won=dict(game.wars_won),
        piles={player: game.piles.get(player, ()) for player in game.players} if game.variant.stealing else {},
        out=tuple(player for player in game.players if not game.counts[player]),
    )


def piled(piles: Mapping[str, tuple[Card, ...]], player: str, cards: tuple[Card, ...]) -> dict[str, tuple[Card, ...]]:
    """The face-up piles with these cards on top of the player's.

    Each card exists once and the newest look at it counts: whatever was taken for it before is not known any more.

    >>> two, three = Card.parse("2S"), Card.parse("3S")
    >>> [str(card) for card in piled({"A": (two, three), "B": ()}, "B", (two,))["A"]]
    ['?', '3S']
    """
    after = {owner: _without(pile, cards) for owner, pile in piles.items()}
    for card in cards:
        after[player] = (*_without(after[player], (card,)), card)
    return after


def _without(pile: tuple[Card, ...], cards: tuple[Card, ...]) -> tuple[Card, ...]:
    return tuple(HIDDEN if card.suit and card in cards else card for card in pile)


class Turn:
    """One input being worked into a position: `pos` is replaced as it goes, `said` collects the rulings.

    While `assuming` something, which every verdict then names, nothing is asked; where the cards were `collected`
    before anybody answered, nobody saw a tie. `first` is the card that a player laid first, as a person said.
    """

    __slots__ = ("assuming", "at", "collected", "first", "look", "pos", "said", "short")

    def __init__(self, pos: Position, look: int, at: float) -> None:
        """Begin input number `look`, of second `at`, at this position."""
        self.pos = pos
        self.look = look
        self.at = at
        self.said: list[Ruling] = []
        self.assuming: Basis | None = None
        self.collected = False
        #: Who was too short of cards for a war, and is out with cards in hand.
        self.short: set[str] = set()
        self.first: dict[str, Card] = {}

    def say(self, ruling: Ruling) -> None:
        """Add a ruling."""
        self.said.append(ruling)

    def remind(self, kind: NoticeKind, player: str, cards: tuple[Card, ...] = ()) -> None:
        """Say something that is worth saying once."""
        if not self.mark_said(kind, player):
            self.say(Notice(kind, player or None, cards))

    def mark_said(self, kind: NoticeKind | ViolationKind, player: str) -> bool:
        """Note that this is said to the player; whether it had been said before in this game."""
        before = (kind, player) in self.pos.reminded
        if not before:
            self.change(reminded=self.pos.reminded | {(kind, player)})
        return before

    def hold(self, violation: Violation) -> None:
        """Let the state stand until it is put right; the same violation is said once."""
        if self.pos.held != violation:
            self.say(violation)
            self.change(held=violation)

    def change(self, **parts: object) -> None:
        """Go on from the position with these parts replaced."""
        self.pos = replace(self.pos, **parts)

    def change_round(self, **parts: object) -> None:
        """Go on with these parts of the round replaced."""
        self.pos = replace(self.pos, round=replace(self.pos.round, **parts))
