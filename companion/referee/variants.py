"""The ways to play: one explicit list, each entry plain data that the one engine reads.

To add a variant, add an entry to VARIANTS; nothing else needs to know its name.

>>> variant("razboi").defaults
{'war_part': <WarPart.TIED: 'tied'>}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from companion.referee.rulebook import Rule
from companion.referee.settings import RulesError, Settings, Short, WarPart, settings


class Size(StrEnum):
    """What sets the number of face-down cards in a war: the key of a setting, or the rank that tied."""

    WAR_DOWN = "war_down"
    MULTI_DOWN = "multi_down"
    RANK = "rank"


class Split(StrEnum):
    """Who takes what after a war: the winner all, or the loser the two cards that tied (M20)."""

    WINNER_ALL = "winner_all"
    LOSER_TIED_CARDS = "loser_tied_cards"


class UnknownVariant(RulesError):
    """There is no variant of that name."""


class WrongPlayers(RulesError):
    """The variant is not for that many players, or the names are not distinct."""


class BadName(WrongPlayers):
    """A name that no page and no terminal can show as a name: empty, too long, or with signs that are no writing."""


#: Letters of a player's name; a longer one would push everything else off a page.
LONGEST_NAME = 40
#: Line ends and other control signs, what turns the writing round or cannot be seen, and halves of letters.
_NO_WRITING = (
    *(("\x00", "\x1f"), ("\x7f", "\x9f"), ("\u200b", "\u200b"), ("\u200e", "\u200f"), ("\u2028", "\u202e")),
    *(("\u2060", "\u206f"), ("\ud800", "\udfff"), ("\ufeff", "\ufeff"), ("\ufff9", "\ufffc"), ("\ufffe", "\uffff")),
)


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to play. `hand` is the number of cards held in the hand; `stealing` adds face-up piles."""

    name: str
    title: str
    players: tuple[int, int]
    size: Size
    war_rule: Rule
    sources: tuple[str, ...]
    defaults: Mapping[str, object] = field(default_factory=dict)
    split: Split = Split.WINNER_ALL
    hand: int = 0
    stealing: bool = False


VARIANTS: tuple[Variant, ...] = (
    Variant(
        "classic",
        "Classic War",
        players=(2, 2),
        size=Size.WAR_DOWN,
        war_rule=Rule.WAR,
        sources=("E2", "E5", "E10", "E12", "M12", "M13", "L11", "L12", "F10", "F11"),
    ),
    Variant(
        "multi",
        "War for three or four",
        players=(3, 4),
        size=Size.MULTI_DOWN,
        war_rule=Rule.MULTI_WAR,
        sources=("E16", "E17"),
    ),
    Variant(
        "razboi",
        "Război",
        players=(2, 4),
        size=Size.RANK,
        war_rule=Rule.RAZBOI_SIZE,
        sources=("E28", "E29", "E30"),
        defaults={"war_part": WarPart.TIED},
    ),
    Variant(
        "steal",
        "Steal War",
        players=(2, 4),
        size=Size.WAR_DOWN,
        war_rule=Rule.WAR,
        sources=("E19", "E21", "E22", "E23", "E24", "E25", "E26"),
        defaults={"jokers": 2, "short": Short.LOSE},
        stealing=True,
    ),
    Variant(
        "arneson",
        "Arneson's War",
        players=(2, 2),
        size=Size.WAR_DOWN,
        war_rule=Rule.ARNESON_WAR,
        sources=("M17", "M18", "M19", "M20", "L16", "L17", "L18", "F15", "F16", "F17"),
        split=Split.LOSER_TIED_CARDS,
        hand=3,
    ),
)


@dataclass(frozen=True, slots=True)
class Preset:
    """A ready rule set for the start screen."""

    name: str
    title: str
    variant: str
    set: Mapping[str, object]
    sources: tuple[str, ...]


PRESETS: tuple[Preset, ...] = (
    Preset("family_classic", "Family classic", "classic", {}, ("E2", "E10", "E12", "E13", "E38")),
    Preset(
        "quick_three_wars",
        "Quick three wars",
        "classic",
        {"double_tie": "faceup", "end": "three_wars"},
        ("M13", "M15", "L12", "L14", "F11", "F13"),
    ),
    Preset("one_card_down", "One card down", "classic", {"war_down": 1}, ("PAGAT", "BIKE")),
    Preset("everybody_fights", "Everybody fights", "multi", {"war_part": "all"}, ("E17", "PAGAT")),
    Preset("only_the_tied", "Only the tied fight", "multi", {"war_part": "tied"}, ("FRA", "HEL", "MUS")),
    Preset("steal_war", "Steal War", "steal", {}, ("E19", "E21")),
    Preset("razboi", "Război", "razboi", {}, ("E28", "E29", "E30")),
    Preset("arneson", "Arneson", "arneson", {}, ("M17", "M18", "M19", "M20")),
)


def variant(name: str) -> Variant:
    """The variant of this name. Raises UnknownVariant."""
    for entry in VARIANTS:
        if entry.name == name:
            return entry
    raise UnknownVariant(f"There is no variant {name}; there are {', '.join(v.name for v in VARIANTS)}.")


def settings_for(name: str, chosen: Mapping[str, object]) -> Settings:
    """The rule set of a variant with the chosen settings over its defaults.

    >>> settings_for("steal", {}).jokers, settings_for("steal", {"jokers": "0"}).jokers
    (2, 0)
    """
    return settings(variant(name).defaults, chosen)


#: Setting -> whether it makes a difference in a variant; a setting that is not named here does in all.
_WHERE: dict[str, Callable[[Variant], bool]] = {
    # Among three or four too: a tie of two may be the classic war between them.
    "war_down": lambda it: it.size is not Size.RANK,
    "multi_down": lambda it: it.size is Size.MULTI_DOWN,
    "two_way": lambda it: it.size is Size.MULTI_DOWN,
    "double_tie": lambda it: not it.hand,
    "war_part": lambda it: it.players[1] > 2,
    "leftover": lambda it: it.players[1] > 2,
    "razboi_count": lambda it: it.size is Size.RANK,
    "razboi_ace": lambda it: it.size is Size.RANK,
    "razboi_retie": lambda it: it.size is Size.RANK,
    "collect": lambda it: not it.stealing,
    "collect_order": lambda it: not it.stealing,
    "steal4": lambda it: it.stealing,
    "steal_back": lambda it: it.stealing,
}


def matters(key: str, entry: Variant) -> bool:
    """Whether a setting makes a difference in a variant.

    >>> matters("steal4", variant("classic")), matters("double_tie", variant("arneson"))
    (False, False)
    """
    return key not in _WHERE or _WHERE[key](entry)


def check_players(entry: Variant, players: tuple[str, ...]) -> None:
    """Raise WrongPlayers unless the names are distinct, also in capitals, and as many as the variant takes."""
    low, high = entry.players
    if not low <= len(players) <= high:
        raise WrongPlayers(f"{entry.name} is for {span(entry)} players, not {len(players)}.")
    said = list(map(as_said, players))
    twice = [player for place, player in enumerate(players) if said[place] in said[:place]]
    if twice:
        raise WrongPlayers(f"Every player needs their own name, but {twice[0]} is there twice.")


def span(entry: Variant) -> str:
    """For how many players a variant is, in words."""
    low, high = entry.players
    return str(low) if low == high else f"{low} to {high}"


def check_name(name: object, place: int) -> str:
    """The name of player `place`, without the spaces around it.

    Raises BadName where it could not stand on a page, in a log and in a sentence.

    >>> check_name(" Zoë-Mary O'Neill", 1), check_name("Бен 🂡", 2)
    ("Zoë-Mary O'Neill", 'Бен 🂡')
    """
    if not isinstance(name, str):
        raise BadName(f"The name of player {place} is to be text in quotation marks, not {str(name)[:LONGEST_NAME]}.")
    name = name.strip()
    if any(low <= sign <= high for sign in name for low, high in _NO_WRITING):
        raise BadName(
            f"The name of player {place}, {name[:LONGEST_NAME]!r}, has signs that are no letters: leave them out."
        )
    if not any(sign.isprintable() and not sign.isspace() for sign in name):
        raise BadName(f"Player {place} has no name: give every player one, with a comma between two, as Ana,Ben.")
    if len(name) > LONGEST_NAME:
        raise BadName(
            f"The name of player {place}, {name[:12]}…, has {len(name)} letters: take {LONGEST_NAME} at most."
        )
    return name


def as_said(name: str) -> str:
    """What makes a name that name: neither capitals nor the spaces around it.

    >>> as_said(" ANA") == as_said("Ana")
    True
    """
    return name.strip().casefold()


def called(players: Iterable[str], name: str) -> str:
    """The player of this name as the game writes it; a name that is nobody's is only stripped.

    >>> called(("Ana", "Ben"), "ben "), called(("Ana", "Ben"), "Cai")
    ('Ben', 'Cai')
    """
    said = as_said(name)
    return next((player for player in players if as_said(player) == said), name.strip())
