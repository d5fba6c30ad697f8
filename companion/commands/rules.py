"""`warref rules`: how a game is played, from dealing to the end."""

from __future__ import annotations

import argparse

from companion.console import out
from companion.referee.variants import variant
from companion.words import Words
from companion.words.speech import how_to_play


def run(options: argparse.Namespace, words: Words) -> int:
    """Tell how to play. Raises WrongWords for an unknown variant."""
    name = variant(options.variant).name
    sections = list(how_to_play(words, name))
    if options.json:
        texts = [{"heading": heading, "text": text} for heading, text in sections]
        out({"variant": name, "title": words.say(f"variant.{name}"), "sections": texts})
        return 0
    out(words.say(f"variant.{name}"))
    for heading, text in sections:
        out(f"\n{heading}\n{text}")
    return 0
