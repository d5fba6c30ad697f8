"""What page, log and terminal say, one object a language."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from companion.referee.rulebook import RULEBOOK, Rule, value_sources
from companion.referee.settings import SETTINGS, BadSetting, Setting
from companion.words import sentences, times
from companion.words.catalogue import Catalogue, load_catalogue, retell


@dataclass(frozen=True, slots=True)
class Words:
    """One language. `say` fills any template of the catalogue; the rest are the sentences with a logic of their own."""

    catalogue: Catalogue

    @property
    def language(self) -> str:
        """The code of the language, as `en`."""
        return self.catalogue.language

    def __contains__(self, key: str) -> bool:
        """Whether there is a sentence of this key, here or in English."""
        return key in self.catalogue

    def say(self, key: str, /, **values: object) -> str:
        """The sentence of a key, in English where this language has none."""
        return self.catalogue.say(key, **values)

    def retell(self, text: str) -> str:
        """A sentence that was said in another language, or the English of an error, in this one."""
        return retell(self.catalogue, text)

    def ruling(self, ruling: Mapping[str, Any]) -> str:
        """The sentence of a ruling, from its JSON record."""
        if ruling["ruling"] == "notice" and ruling.get("house_rules"):
            return self.say(f"notice.{ruling['kind']}", houses="; ".join(map(self.house, ruling["house_rules"])))
        return sentences.sentence(self.catalogue, ruling)

    def reason(self, ruling: Mapping[str, Any]) -> str:
        """The line below the sentence: the rule and the settings it rests on; what differs is called a house rule."""
        in_force, differs = self.in_force(ruling), tuple(ruling.get("differs", ()))
        name = str(ruling.get("rule", ""))
        told = RULEBOOK[Rule(name)].setting if name in tuple(Rule) else None
        said = [self.rule(name, in_force)] if name else []
        beside = (text for text in in_force if text not in differs and text.partition("=")[0] != told)
        said += [sentences.as_sentence(self.house(text)) for text in beside]
        rule, houses = " ".join(said), "; ".join(self.house(text) for text in differs)
        if not houses:
            return rule
        return self.say("reason.house" if rule else "reason.houses", rule=rule, houses=houses)

    def in_force(self, ruling: Mapping[str, Any]) -> tuple[str, ...]:
        """The settings that a ruling rests on, as `key=value`; the end of a game says by which it has ended."""
        if ruling.get("ruling") == "game_over" and ruling.get("reason") in ("time", "rounds"):
            return (f"end={ruling['reason']}",)
        return tuple(ruling.get("house_rules", ()))

    def rule(self, name: str, in_force: Iterable[str] = ()) -> str:
        """A rule in one sentence, as the settings `in_force` (`key=value`) have it; its own name where it is none."""
        for house in in_force:
            key, _, value = house.partition("=")
            if name in RULEBOOK and key == RULEBOOK[Rule(name)].setting and f"rule.{name}.{value}" in self:
                return self.say(f"rule.{name}.{value}")
        return self.say(f"rule.{name}") if f"rule.{name}" in self else name

    def quotes(self, marks: Iterable[str]) -> tuple[str, ...]:
        """What the sources of these marks (`E12`, `PAGAT`) say, each with its name; the same words once."""
        found: dict[str, list[str]] = {}
        for mark in marks:
            text = "sites" if mark in SITES else SAME_TEXT.get(mark, mark)
            found.setdefault(text, []).append(mark)
        return tuple(self._quote(text, tuple(names)) for text, names in found.items())

    def _quote(self, text: str, marks: tuple[str, ...]) -> str:
        if text == "house":
            return self.say("source.house")
        if text == "sites":
            return self.names(SITES[mark] for mark in marks)
        names = self.names(self.say(f"source.name.{mark[0]}", n=int(mark[1:])) for mark in marks)
        return self.say("source.quote", names=names, text=self.say(f"source.text.{text}"))

    def value_quotes(self, entry: Setting, value: object) -> tuple[str, ...]:
        """What the sources say of this value of a setting."""
        return self.quotes(value_sources(entry.key, str(value).lower()))

    def ways(self, rule: Rule) -> tuple[str, ...]:
        """The other common ways to play a rule."""
        return tuple(self.say(f"way.{rule}.{n}") for n, _ in enumerate(RULEBOOK[rule].ways, start=1))

    def setting(self, key: str, value: object) -> str:
        """What a setting means with this value, as a phrase: "everybody fights"."""
        text = str(value).lower()
        if f"setting.{key}.{text}" in self:
            return self.say(f"setting.{key}.{text}")
        if isinstance(value, float):
            return self.say(f"setting.{key}.value", share=f"{value:.0%}")
        return self.say(f"setting.{key}.value", n=int(text))

    def house(self, text: str) -> str:
        """A house rule written as `key=value`, as a phrase; as it is written where this version does not know it."""
        key, _, value = text.partition("=")
        known = next((one for one in SETTINGS if one.key == key), None)
        try:
            return self.setting(key, known.read(value)) if known else text
        except BadSetting:
            return text

    def card(self, code: str) -> str:
        """A card in full: "nine of hearts"."""
        return sentences.card(self.catalogue, code)

    def choice(self, text: str) -> str:
        """A question's possible answer."""
        return sentences.name_choice(self.catalogue, text)

    def day(self, text: str) -> str:
        """A stored date with its weekday."""
        return times.format_day(text, self.catalogue.locale)

    def short_day(self, text: str) -> str:
        """A stored date in few letters."""
        return times.format_short_day(text, self.catalogue.locale)

    def hour(self, text: str) -> str:
        """The time of a stored moment, as the clock showed it."""
        return times.format_hour(text, self.catalogue.locale)

    def zone(self, text: str) -> str:
        """The zone of a stored moment."""
        return times.format_zone(text, self.catalogue.locale)

    def moment(self, text: str) -> str:
        """A stored moment with its zone, to the minute."""
        return times.format_moment(text, self.catalogue.locale)

    def span(self, seconds: float) -> str:
        """How long something took: minutes, and hours where there are any."""
        hours, minutes = divmod(max(1, round(seconds / 60)), 60)
        if not hours:
            return self.say("span.minutes", n=minutes)
        return self.say("span.hours", n=hours, m=minutes) if minutes else self.say("span.full_hours", n=hours)

    def names(self, names: Iterable[str]) -> str:
        """Names joined as the language joins them."""
        return self.catalogue.join(tuple(names))


def speak(language: str) -> Words:
    """The words of a language. Raises NoLanguage."""
    return Words(load_catalogue(language))


# --- sources ----------------------------------------------------------------------------------------

#: The public sources by their mark, as SOURCES.md lists them.
SITES = {
    "PAGAT": "pagat.com",
    "BIKE": "bicyclecards.com",
    "WIKI": "wikipedia.org",
    "DUM": "dummies.com",
    "ROM": "boardgames-blog.ro",
    "ENC": "encyclopedia4u.com",
    "FRA": "grandcercle.com",
    "HEL": "hellaentertainment.com",
    "MUS": "musicmindgames.com",
    "PGC": "partygamecentral.com",
    "CGP": "classicgamesandpuzzles.com",
    "SHR": "shram.kiev.ua",
    "NZ": "nzwargamer.net",
    "MAS": "massy-circusfestival.com",
    "VERB": "verbatim.blogs.com",
    "ILT": "ilovetranslation.com",
}
#: Lines of the Latvian and Finnish rules -> the Macedonian line of the same words: three translations of one text.
SAME_TEXT = {
    other: line
    for line, others in {
        "M6": ("L6", "F5"),
        "M7": ("L7", "F6"),
        "M12": ("L11", "F10"),
        "M13": ("L12", "F11"),
        "M15": ("L14", "F13"),
        "M17": ("L16", "F15"),
        "M18": ("L17", "F16"),
        "M20": ("L18", "F17"),
    }.items()
    for other in others
}


# --- how to play ------------------------------------------------------------------------------------

#: Sections of the catalogue table `how_to_play`, by variant; RULEBOOK and VARIANTS have the source lines.
HOW_TO_PLAY = {
    "classic": ("aim", "need", "shuffle", "deal_two", "play", "war", "short"),
    "multi": ("aim", "need", "shuffle", "deal_several", "play", "war_several", "short", "out"),
    "razboi": ("aim", "need", "shuffle", "deal_several", "play", "war_by_rank", "short", "out"),
    "steal": (
        *("aim", "need_jokers", "shuffle", "deal_jokers", "look_first", "steal", "when_to_steal", "play_steal"),
        *("pile", "war_steal", "empty_pile", "out_in_war"),
    ),
    "arneson": ("aim", "need", "shuffle", "deal_two", "hand", "play_hand", "war_hand", "split", "short_hand"),
}
#: How every game ends, how long it lasts, and how the referee goes with it.
_LAST = ("end", "length", "watching")
#: Rounds in a minute, by which lengths are told in minutes.
ROUNDS_PER_MINUTE = 10


def how_to_play(words: Words, variant: str) -> Iterator[tuple[str, str]]:
    """Heading and text of every section of a variant (a key of HOW_TO_PLAY), in the order a new player needs them."""
    lasts = load_lengths()[variant]
    for key in (f"children_{variant}", *HOW_TO_PLAY[variant], *_LAST):
        values = _lengths(lasts) if key == "length" else {}
        yield words.say(f"how_to_play.heading.{key.partition('_')[0]}"), words.say(f"how_to_play.{key}", **values)


@cache
def load_lengths() -> Mapping[str, Mapping[str, int]]:
    """How long simulated games of each variant last, in rounds, from `lengths.toml`, which says how to repeat it."""
    lengths: dict[str, dict[str, int]] = tomllib.loads(files(__package__).joinpath("lengths.toml").read_text("utf-8"))
    return lengths


def _lengths(lasts: Mapping[str, int]) -> dict[str, int]:
    minutes = {key: max(1, round(lasts[name] / ROUNDS_PER_MINUTE)) for key, name in _MINUTES.items()}
    return {**lasts, **minutes}


_MINUTES = {"minutes": "median", "most_minutes": "most", "short_minutes": "short"}
