"""The rules that rulings cite: each with its sentence, its source lines and the other common ways.

Source lines are those of the four source texts (E12 is line 12 of the Esperanto one) and the public
sources of the rules document. `house` marks a choice of this product where no source settles it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from companion.referee.settings import Setting


class Rule(StrEnum):
    """The name of a rule, as written in a ruling and asked for with `warref explain`."""

    GOAL = "goal"
    ONE_PACK = "one_pack"
    TOP_CARD = "top_card"
    HIGHER_CARD = "higher_card"
    TIE_IS_WAR = "tie_is_war"
    WAR = "war"
    DOUBLE_TIE = "double_tie"
    RAZBOI_RETIE = "razboi_retie"
    ARNESON_TIE = "arneson_tie"
    MULTI_WAR = "multi_war"
    WAR_PART = "war_part"
    TWO_WAY = "two_way"
    SHORT = "short"
    STANDS = "stands"
    BOTH_OUT = "both_out"
    OTHERS_TAKE = "others_take"
    OUT = "out"
    ALL_CARDS = "all_cards"
    THREE_WARS = "three_wars"
    MOST_CARDS = "most_cards"
    JOKERS = "jokers"
    JOKER_TIE = "joker_tie"
    FACES_EQUAL = "faces_equal"
    RAZBOI_SIZE = "razboi_size"
    STEAL = "steal"
    STEAL_TIMING = "steal_timing"
    STEAL_FOURTH = "steal4"
    STEAL_SHORT = "steal_short"
    ARNESON_WAR = "arneson_war"
    ARNESON_SPLIT = "arneson_split"
    OWN_CARD = "own_card"
    SUITS = "suits"
    READING = "reading"


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule in words, as it is played unless told otherwise: `says`, and the source lines that say so.

    `setting` is the key that changes it, `ways` are the other common ways to play it; `values` has the whole sentence
    and the source lines for each other value of the setting.
    """

    says: str
    sources: tuple[str, ...]
    setting: str | None = None
    ways: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)


RULEBOOK: dict[Rule, RuleText] = {
    Rule.GOAL: RuleText("The aim is to win every card.", ("E1", "M7", "L7", "F6")),
    Rule.ONE_PACK: RuleText("One pack holds each card once.", ("E3", "M6", "L6", "F5")),
    Rule.TOP_CARD: RuleText(
        "On the count of three everyone turns only the top card.",
        ("E10", "M12", "L11", "F10"),
        ways=("The one who turned two cards loses the round.",),
    ),
    Rule.HIGHER_CARD: RuleText("The higher card takes all the cards played.", ("E10", "M12", "L11", "F10")),
    Rule.TIE_IS_WAR: RuleText("Cards of the same rank start a war.", ("E10", "E36", "M13", "L12", "F11")),
    Rule.WAR: RuleText(
        "Each lays three cards face down and a fourth face up; the higher fourth card takes all.",
        ("E12", "E36", "M13", "L12", "F11"),
        "war_down",
        ("One card face down.", "Two cards face down.", "Four cards face down."),
        values={
            "1": (
                "Each lays one card face down and a second face up; the higher second card takes all.",
                ("PAGAT", "BIKE"),
            ),
            "2": ("Each lays two cards face down and a third face up; the higher third card takes all.", ("house",)),
            "4": ("Each lays four cards face down and a fifth face up; the higher fifth card takes all.", ("BIKE",)),
        },
    ),
    Rule.DOUBLE_TIE: RuleText(
        "If the cards turned up tie too, the same again until there is a winner.",
        ("E12", "E36"),
        "double_tie",
        ("Further cards are turned face up, one at a time, until one wins.",),
        values={
            "faceup": (
                "If the cards turned up tie too, further cards are turned face up, one at a time, until one wins.",
                ("M13", "L12", "F11"),
            )
        },
    ),
    Rule.RAZBOI_RETIE: RuleText(
        "If the cards turned up tie too, there is another war, and the latest tie sets its size.",
        ("E28", "ROM"),
        "razboi_retie",
        ("The first tie sets the size of every war after it.",),
        {"first": ("If the cards turned up tie too, there is another war, as large as the first.", ("E28",))},
    ),
    Rule.ARNESON_TIE: RuleText(
        "If the chosen cards tie too, each chooses another card from the hand, face up, until one wins.",
        ("M13", "L12", "F11", "house"),
    ),
    Rule.MULTI_WAR: RuleText(
        "With three or four players a tie for the highest card is a war of one card down, one up.",
        ("E17", "PAGAT"),
        "multi_down",
        ("Three down and one up, as between two.",),
        values={
            "3": (
                "With three or four players a tie for the highest card is a war of three cards down, one up.",
                ("CGP",),
            )
        },
    ),
    Rule.WAR_PART: RuleText(
        "In a game of three or four everybody fights in a war, even those who did not tie.",
        ("E17", "PAGAT", "PGC", "CGP"),
        "war_part",
        ("Only the tied players fight; the other cards are spoils.",),
        values={
            "tied": (
                "Only the tied players fight in the war; the other cards are spoils for whoever wins it.",
                ("FRA", "HEL", "MUS", "SHR"),
            )
        },
    ),
    Rule.TWO_WAY: RuleText(
        "A tie of only two among three or four players is fought as every tie.",
        ("PAGAT", "PGC"),
        "two_way",
        ("The two fight a classic war of three down and one up.",),
        values={
            "classic": (
                "A tie of only two among three or four players is a classic war between the two.",
                ("E12", "E16"),
            )
        },
    ),
    Rule.SHORT: RuleText(
        "Who has too few cards lays all but the last face down and the last face up.",
        ("E13", "PAGAT"),
        "short",
        ("Whoever is short loses at once.", "All lay only as many as the shortest can."),
        values={
            "lose": (
                "Who has too few cards for a war loses at once, and the cards left go into the pot.",
                ("E26", "PAGAT"),
            ),
            "equal_force": (
                "Where somebody has too few cards for a war, all lay only as many as the shortest can.",
                ("MAS",),
            ),
        },
    ),
    Rule.STANDS: RuleText(
        "Who has no card left fights on with the card that lies: it stands.",
        ("PAGAT",),
        "short",
        ("They lose at once.", "The opponent lends them cards."),
        values={
            "equal_force": (
                "Who has no card left fights on with the card that lies, and the others lay only a card face up.",
                ("MAS",),
            )
        },
    ),
    Rule.BOTH_OUT: RuleText(
        "When all who fight have run out on equal cards, nobody wins.",
        ("PAGAT",),
        "both_out",
        ("They take their cards back and shuffle.", "They compare the face-down cards, the latest first."),
        values={
            "reshuffle": (
                "When all who fight have run out on equal cards, they take back what they laid, shuffle and play on.",
                ("ILT",),
            ),
            "reveal": (
                "When all who fight have run out on equal cards, they turn up face-down cards, the latest first.",
                ("VERB",),
            ),
        },
    ),
    Rule.OTHERS_TAKE: RuleText(
        "When all who fight have run out, the best card among the others takes everything.", ("house",)
    ),
    Rule.OUT: RuleText("Who has no cards is out; the others play on.", ("PAGAT", "PGC")),
    Rule.ALL_CARDS: RuleText("Who has won every card wins the game.", ("E1", "E38", "M15", "L14", "F13"), "end"),
    Rule.THREE_WARS: RuleText("The first to win three wars wins the game.", ("M15", "L14", "F13"), "end"),
    Rule.MOST_CARDS: RuleText(
        "When the agreed time or number of rounds is over, most cards win.",
        ("house",),
        "end",
        values={
            "time": ("When the agreed time is over, most cards win.", ("house",)),
            "rounds": ("When the agreed number of rounds is played, most cards win.", ("house",)),
        },
    ),
    Rule.JOKERS: RuleText(
        "This game is played without jokers; a joker that is laid all the same beats every other card.",
        ("E3", "M6", "L6", "F5"),
        "jokers",
        ("With two jokers, which beat every other card.",),
        values={"2": ("A joker beats every other card.", ("E19",))},
    ),
    Rule.JOKER_TIE: RuleText(
        "Joker against joker is a tie.",
        ("house",),
        "joker_tie",
        ("The coloured joker beats the other.",),
        values={"big_beats_little": ("Of two jokers the coloured one beats the other.", ("house",))},
    ),
    Rule.FACES_EQUAL: RuleText(
        "Only cards of the same rank tie, and only they steal.",
        ("E10", "E22", "E34", "ROM"),
        "faces_equal",
        ("Ten, jack, queen and king count as equal.",),
        values={
            "true": (
                "Ten, jack, queen and king count as equal: they tie, and in Steal War each steals the others' piles.",
                ("E30", "house"),
            )
        },
    ),
    Rule.RAZBOI_SIZE: RuleText(
        "The tied card sets the size of the war: eights, seven down and the eighth up; face cards count ten.",
        ("E28", "E29", "E30", "PAGAT"),
        "razboi_count",
        ("As many down as the number says, then one up.",),
        values={
            "n_down": (
                "The tied card sets the size of the war: eights, eight down and then one up; face cards count ten.",
                ("DUM", "ENC"),
            )
        },
    ),
    Rule.STEAL: RuleText(
        "A card of the same rank as the top of another's face-up pile may steal that pile.",
        ("E22", "E24"),
        "steal_back",
        ("A stolen pile cannot be stolen straight back.",),
        values={
            "false": (
                "A card of the rank on top of another's face-up pile may steal it, but not straight back.",
                ("E22", "house"),
            )
        },
    ),
    Rule.STEAL_TIMING: RuleText("Once a card is played the chance to steal is gone.", ("E23",)),
    Rule.STEAL_FOURTH: RuleText(
        "The fourth card of a war may steal; the next card fights in its place.",
        ("E25", "house"),
        "steal4",
        ("The thief gives up the war.",),
        values={
            "forfeit": (
                "The fourth card of a war may steal; the thief gives up the war, and the cards laid are in the pot.",
                ("E25", "PAGAT"),
            )
        },
    ),
    Rule.STEAL_SHORT: RuleText("Who runs out of cards during a war loses the game.", ("E26",), "short"),
    Rule.ARNESON_WAR: RuleText(
        "Each lays three cards from the pile unseen, then chooses the fourth from the hand.",
        ("M19", "M20", "L18", "F17"),
        "war_down",
        values={
            "1": ("Each lays one card from the pile unseen, then chooses the next from the hand.", ("house",)),
            "2": ("Each lays two cards from the pile unseen, then chooses the next from the hand.", ("house",)),
            "4": ("Each lays four cards from the pile unseen, then chooses the next from the hand.", ("house",)),
        },
    ),
    Rule.ARNESON_SPLIT: RuleText(
        "The higher chosen card takes the face-down cards and the chosen ones; the lower takes the two tied cards.",
        ("M20", "L18", "F17"),
    ),
    Rule.OWN_CARD: RuleText("A card can only be turned by the player who owns it.", ("E5", "E10", "M10")),
    Rule.SUITS: RuleText("Suits never decide.", ("PAGAT", "WIKI", "SHR")),
    Rule.READING: RuleText("A card that may be read in two ways is asked about where it decides.", ("house",)),
}

#: The source lines of the values of settings that no rule speaks of; the default value first.
VALUE_SOURCES: dict[str, dict[str, tuple[str, ...]]] = {
    "leftover": {"aside": ("PAGAT",), "remove_low": ("ROM",), "extra_card": ("SHR",)},
    "razboi_ace": {"11": ("ROM", "DUM", "ENC"), "1": ("house",), "10": ("house",), "14": ("house",)},
    "collect": {"bottom": ("E10", "M12", "L11"), "heap_shuffle": ("NZ",)},
    "collect_order": {"free": ("WIKI", "ENC"), "winner_first": ("house",), "shuffle": ("house",)},
    "show_spoils": {"false": ("NZ",), "true": ("ENC",)},
    "end": {
        "all_cards": ("E1", "E38", "M15", "L14", "F13"),
        "three_wars": ("M15", "L14", "F13"),
        "time": ("house",),
        "rounds": ("house",),
    },
}


def rule_sources(rule: Rule, in_force: Iterable[str] = ()) -> tuple[str, ...]:
    """The source lines of a rule as the settings `in_force` (`key=value`) have it.

    >>> rule_sources(Rule.WAR, ["war_down=1"])
    ('PAGAT', 'BIKE')
    """
    text = RULEBOOK[rule]
    value = next((house.partition("=")[2] for house in in_force if house.partition("=")[0] == text.setting), "")
    return text.values[value][1] if value in text.values else text.sources


def setting_sources(entry: Setting) -> tuple[str, ...]:
    """The source lines of all values of a setting, each once."""
    values = (str(value).lower() for value in entry.values)
    return tuple(dict.fromkeys(mark for value in values for mark in value_sources(entry.key, value)))


def value_sources(key: str, value: str) -> tuple[str, ...]:
    """The source lines that say that a setting has this value, written as in `key=value`.

    >>> value_sources("double_tie", "repeat"), value_sources("double_tie", "faceup")
    (('E12', 'E36'), ('M13', 'L12', 'F11'))
    """
    if key in VALUE_SOURCES:
        return VALUE_SOURCES[key][value]
    about = next((text for text in RULEBOOK.values() if text.setting == key), None)
    if about is None:
        return ("house",)
    return about.values[value][1] if value in about.values else about.sources
