"""The house rules of one game: every setting that a family may choose, in one frozen, checked record.

Each setting names the source lines that speak of it. E, M, L and F are the four source texts with their
line, as in E12; PAGAT and the other public sources are those of the rules document; "house" is a choice of
this product where no source settles it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from companion.faults import WrongWords


class RulesError(WrongWords):
    """A game that cannot be set up as asked; the text is one plain sentence."""


class UnknownSetting(RulesError):
    """There is no setting of that name."""


class BadSetting(RulesError):
    """The setting exists but not with that value."""


class DoubleTie(StrEnum):
    """What a second tie inside one war does: the same again, or cards face up one at a time."""

    REPEAT = "repeat"
    FACEUP = "faceup"


class WarPart(StrEnum):
    """Who fights a war of three or four players."""

    ALL = "all"
    TIED = "tied"


class TwoWay(StrEnum):
    """A tie of only two among three or four players: as every tie, or the classic war between the two."""

    SAME = "same"
    CLASSIC = "classic"


class Short(StrEnum):
    """What happens to a player with too few cards for a war."""

    LAST_CARD = "last_card"
    LOSE = "lose"
    EQUAL_FORCE = "equal_force"


class BothOut(StrEnum):
    """What settles a tie when all who fight have run out."""

    DRAW = "draw"
    RESHUFFLE = "reshuffle"
    REVEAL = "reveal"


class Leftover(StrEnum):
    """What happens to the cards that cannot be dealt equally."""

    ASIDE = "aside"
    REMOVE_LOW = "remove_low"
    EXTRA_CARD = "extra_card"


class RazboiCount(StrEnum):
    """Whether the Nth card of a war of N is the one turned up, or follows N cards face down."""

    NTH_UP = "nth_up"
    N_DOWN = "n_down"


class RazboiRetie(StrEnum):
    """Which tie sets the size of a war that ties again."""

    LATEST = "latest"
    FIRST = "first"


class JokerTie(StrEnum):
    """Joker against joker."""

    TIE = "tie"
    BIG_BEATS_LITTLE = "big_beats_little"


class Collect(StrEnum):
    """Where won cards go."""

    BOTTOM = "bottom"
    HEAP_SHUFFLE = "heap_shuffle"


class CollectOrder(StrEnum):
    """In which order won cards go under the pile."""

    FREE = "free"
    WINNER_FIRST = "winner_first"
    SHUFFLE = "shuffle"


class End(StrEnum):
    """When the game ends before one player has every card."""

    ALL_CARDS = "all_cards"
    THREE_WARS = "three_wars"
    TIME = "time"
    ROUNDS = "rounds"


class Steal4(StrEnum):
    """Steal War: what fights when the fourth card of a war has stolen a pile."""

    NEXT_CARD = "next_card"
    FORFEIT = "forfeit"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its values (default first; empty for a number within `span`), and who says so."""

    key: str
    values: tuple[Any, ...]
    sources: tuple[str, ...]
    span: tuple[float, float] | None = None

    def read(self, value: object) -> Any:
        """The value, from itself or from its text. Raises BadSetting."""
        text = str(value).strip().lower()
        for allowed in self.values:
            if text == str(allowed).lower():
                return allowed
        if self.span is not None:
            return self._number(text)
        raise BadSetting(f"{self.key} can be {', '.join(str(v).lower() for v in self.values)}, not {text}.")

    def _number(self, text: str) -> float:
        low, high = self.span or (0, 0)
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not low <= number <= high:
            raise BadSetting(f"{self.key} must be a number from {low:g} to {high:g}, not {text}.")
        return number if isinstance(self.values[0], float) else int(number)


#: Every setting in the order it is shown; the first value is the default.
SETTINGS: tuple[Setting, ...] = (
    Setting("jokers", (0, 2), ("E19", "E21")),
    Setting("war_down", (3, 1, 2, 4), ("E12", "M13", "L12", "F11", "PAGAT", "BIKE")),
    Setting("multi_down", (1, 3), ("E17", "PAGAT", "CGP")),
    Setting("double_tie", tuple(DoubleTie), ("E12", "E36", "M13", "L12", "F11")),
    Setting("war_part", tuple(WarPart), ("E17", "PAGAT", "FRA", "HEL")),
    Setting("two_way", tuple(TwoWay), ("E16", "E17")),
    Setting("short", tuple(Short), ("E13", "E26", "PAGAT", "MAS")),
    Setting("both_out", tuple(BothOut), ("PAGAT", "VERB")),
    Setting("leftover", tuple(Leftover), ("E16", "PAGAT", "SHR", "ROM")),
    Setting("razboi_count", tuple(RazboiCount), ("E28", "E29", "E30", "DUM", "ENC")),
    Setting("razboi_ace", (11, 1, 10, 14), ("ROM", "DUM", "ENC")),
    Setting("razboi_retie", tuple(RazboiRetie), ("E28", "ROM")),
    Setting("faces_equal", (False, True), ("E30",)),
    Setting("joker_tie", tuple(JokerTie), ("E19", "house")),
    Setting("collect", tuple(Collect), ("E10", "M12", "L11", "NZ")),
    Setting("collect_order", tuple(CollectOrder), ("E10", "WIKI", "ENC")),
    Setting("show_spoils", (False, True), ("ENC", "house")),
    Setting("end", tuple(End), ("E38", "M15", "L14", "F13", "house")),
    Setting("end_minutes", (30,), ("house",), (1, 1440)),
    Setting("end_rounds", (100,), ("house",), (1, 1_000_000)),
    Setting("steal4", tuple(Steal4), ("E25", "PAGAT", "house")),
    Setting("steal_back", (True, False), ("E22", "house")),
    Setting("ask_above", (0.01,), ("house",), (0.0, 1.0)),
)
_BY_KEY = {setting.key: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Settings:
    """One complete rule set, shown with every verdict. Build it with `settings`, which checks every value."""

    jokers: int = 0
    war_down: int = 3
    multi_down: int = 1
    double_tie: DoubleTie = DoubleTie.REPEAT
    war_part: WarPart = WarPart.ALL
    two_way: TwoWay = TwoWay.SAME
    short: Short = Short.LAST_CARD
    both_out: BothOut = BothOut.DRAW
    leftover: Leftover = Leftover.ASIDE
    razboi_count: RazboiCount = RazboiCount.NTH_UP
    razboi_ace: int = 11
    razboi_retie: RazboiRetie = RazboiRetie.LATEST
    faces_equal: bool = False
    joker_tie: JokerTie = JokerTie.TIE
    collect: Collect = Collect.BOTTOM
    collect_order: CollectOrder = CollectOrder.FREE
    show_spoils: bool = False
    end: End = End.ALL_CARDS
    end_minutes: int = 30
    end_rounds: int = 100
    steal4: Steal4 = Steal4.NEXT_CARD
    steal_back: bool = True
    ask_above: float = 0.01

    def __post_init__(self) -> None:
        """Check every value, also of a record built by hand."""
        for setting in SETTINGS:
            object.__setattr__(self, setting.key, setting.read(getattr(self, setting.key)))

    def changed(self, base: Settings) -> dict[str, Any]:
        """The settings that differ from those of `base`, by key.

        >>> settings({"war_down": "1"}).changed(settings())
        {'war_down': 1}
        """
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != getattr(base, f.name)}


def settings(*layers: Mapping[str, object]) -> Settings:
    """The rule set that these layers of `key: value` make, a later layer over an earlier one.

    Raises UnknownSetting or BadSetting.

    >>> settings({"short": "lose"}, {"end": "rounds", "end_rounds": "20"}).end_rounds
    20
    """
    chosen: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            if key not in _BY_KEY:
                raise UnknownSetting(f"There is no setting {key}; there are {', '.join(_BY_KEY)}.")
            chosen[key] = _BY_KEY[key].read(value)
    return Settings(**chosen)


def setting(key: str) -> Setting:
    """The setting of this name. Raises UnknownSetting."""
    try:
        return _BY_KEY[key]
    except KeyError:
        raise UnknownSetting(f"There is no setting {key}; there are {', '.join(_BY_KEY)}.") from None
