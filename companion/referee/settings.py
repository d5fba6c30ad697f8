"""The house rules of one game: every setting that a family may choose, in one frozen, checked record.

Which source lines speak of a value is told by `rulebook.value_sources`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from companion.errors import WrongWords
from companion.referee.cards import Rank


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
    """One setting: its values, the default first; the only one for a number within `span`.

    Where it is true, the ranks `as_one` count as equal, whatever the game compares them for.
    """

    key: str
    values: tuple[Any, ...]
    span: tuple[float, float] | None = None
    as_one: tuple[Rank, ...] = ()

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
        if isinstance(self.values[0], float):
            return number
        if number != int(number):
            raise BadSetting(f"{self.key} must be a whole number, not {text}.")
        return int(number)


def _setting(
    values: tuple[Any, ...],
    span: tuple[float, float] | None = None,
    as_one: tuple[Rank, ...] = (),
) -> Any:
    """A field of `Settings`; its first value is the default."""
    return field(default=values[0], metadata={"values": values, "span": span, "as_one": as_one})


@dataclass(frozen=True, slots=True)
class Settings:
    """One complete rule set, shown with every verdict. Build it with `settings`, which checks every value.

    Each setting in the order it is shown: its values, the first of which is the default.
    """

    jokers: int = _setting((0, 2))
    war_down: int = _setting((3, 1, 2, 4))
    multi_down: int = _setting((1, 3))
    double_tie: DoubleTie = _setting(tuple(DoubleTie))
    war_part: WarPart = _setting(tuple(WarPart))
    two_way: TwoWay = _setting(tuple(TwoWay))
    short: Short = _setting(tuple(Short))
    both_out: BothOut = _setting(tuple(BothOut))
    leftover: Leftover = _setting(tuple(Leftover))
    razboi_count: RazboiCount = _setting(tuple(RazboiCount))
    razboi_ace: int = _setting((11, 1, 10, 14))
    razboi_retie: RazboiRetie = _setting(tuple(RazboiRetie))
    faces_equal: bool = _setting(
        (False, True),
        as_one=(Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING),
    )
    joker_tie: JokerTie = _setting(tuple(JokerTie))
    collect: Collect = _setting(tuple(Collect))
    collect_order: CollectOrder = _setting(tuple(CollectOrder))
    show_spoils: bool = _setting((False, True))
    end: End = _setting(tuple(End))
    end_minutes: int = _setting((30,), (1, 1440))
    end_rounds: int = _setting((100,), (1, 1_000_000))
    steal4: Steal4 = _setting(tuple(Steal4))
    steal_back: bool = _setting((True, False))
    ask_above: float = _setting((0.01,), (0.0, 1.0))

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


#: Every setting in the order it is shown.
SETTINGS: tuple[Setting, ...] = tuple(Setting(one.name, **one.metadata) for one in fields(Settings))
_BY_KEY = {setting.key: setting for setting in SETTINGS}


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
