"""The page's words: labels, card names and numbers, in the language of the table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from companion.referee.cards import SUIT_SIGNS, Suit
from companion.table.snapshot import Snapshot
from companion.web.card_faces import face, is_card, likely
from companion.words import Words, languages, name_language, speak
from companion.words.times import format_clock

#: Variation selector 15: the sign as text, never as a coloured picture.
_AS_TEXT = "\ufe0e"


#: Each language by its code, in its own words.
TONGUES = {code: name_language(code) for code in languages()}


@cache
def words(language: str) -> Words:
    """The words of a language; an unknown one is answered in English."""
    return speak(language if language in languages() else "en")


@cache
def saying(language: str) -> Mapping[str, Any]:
    """What the templates call to speak one language."""
    spoken = words(language)
    return {
        "lang": spoken.language,
        "tongues": TONGUES,
        "say": spoken.say,
        "card_name": lambda code: spoken.card(code) if code != "?" else spoken.say("page.card.face_down"),
        "choice_text": spoken.choice,
        "is_card": is_card,
        "face": face,
        "likely": likely,
        "card_signs": card_signs,
        "clock": format_clock,
        "day": spoken.day,
        "short_day": spoken.short_day,
        "hour": spoken.hour,
        "zone": spoken.zone,
        "moment": spoken.moment,
        "span": spoken.span,
    }


def say(now: Snapshot, key: str, **values: object) -> str:
    """One label in the language of the table."""
    return words(now.language).say(key, **values)


def card_signs(code: str) -> str:
    """The card in a few signs.

    >>> card_signs("JR"), card_signs("9?")
    ('★', '9')
    """
    it = face(code)
    return "★" if it.rank == "joker" else it.rank + (SUIT_SIGNS[Suit(it.suit)] + _AS_TEXT if it.suit else "")
