"""How each game is played, from dealing to the end: which sections of the catalogue tell it, in order."""

from __future__ import annotations

from collections.abc import Iterator

from companion.words.speech import Words

#: Sections of the catalogue table `how_to_play`, by variant. Sources: RULEBOOK and VARIANTS have the lines.
SECTIONS = {
    "classic": ("aim", "need", "deal_two", "play", "war", "short", "end", "length", "watching"),
    "multi": ("aim", "need", "deal_several", "play", "war_several", "short", "out", "end", "length", "watching"),
    "razboi": ("aim", "need", "deal_several", "play", "war_by_rank", "short", "end", "length", "watching"),
    "steal": (
        *("aim", "need_jokers", "deal_jokers", "look_first", "play_steal", "pile", "steal", "when_to_steal"),
        *("war_steal", "shuffle_pile", "out_in_war", "end", "length", "watching"),
    ),
    "arneson": (
        "aim",
        "need",
        "deal_two",
        "hand",
        "play_hand",
        "war_hand",
        "split",
        "short",
        "end",
        "length",
        "watching",
    ),
}


def how_to_play(words: Words, variant: str) -> Iterator[tuple[str, str]]:
    """Heading and text of every section of a variant (a key of SECTIONS), in the order a new player needs them."""
    for key in SECTIONS[variant]:
        section = key.partition("_")[0]
        yield words.say(f"how_to_play.heading.{section}"), words.say(f"how_to_play.{key}")
