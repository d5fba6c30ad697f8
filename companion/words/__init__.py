"""Rulings, rules and states in the words of one language: one catalogue a language, English behind every gap."""

from companion.words.catalogue import NoLanguage, languages, name_language
from companion.words.speech import Words, speak

__all__ = ["NoLanguage", "Words", "languages", "name_language", "speak"]
