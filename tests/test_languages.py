"""Every sentence is said in every language: none is missing, none is left over."""

from __future__ import annotations

import pytest

from companion.words import languages
from companion.words.catalogue import load_catalogue

TRANSLATIONS = languages()[1:]


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_has_no_keys_but_those_of_english_and_forms_of_cards(language: str) -> None:
    own, english = load_catalogue(language).templates, load_catalogue("en").templates
    assert all(key.startswith(("card.", "count.")) for key in set(own) - set(english))


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_no_sentence_is_left_in_english(language: str) -> None:
    own = load_catalogue(language).templates
    wanted = (key for key in load_catalogue("en").templates if not key.startswith("count."))
    assert not [key for key in wanted if key not in own]
