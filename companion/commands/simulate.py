"""`warref simulate`: games without a table, through the same referee."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from companion import defaults
from companion.console import out
from companion.errors import WrongWords
from companion.referee.game import new_game
from companion.referee.settings import CollectOrder
from companion.referee.variants import span, variant
from companion.simulation.dealer import Order
from companion.simulation.simulate import simulate
from companion.words import Words
from vision.progress import follow_progress

_NAMES = ("A", "B", "C", "D")


def run(options: argparse.Namespace, words: Words) -> int:
    """Play the games and tell how long they last. Raises WrongWords for more players than the variant has."""
    if options.players > len(_NAMES):
        raise WrongWords(f"{options.variant} is for {span(variant(options.variant))} players, not {options.players}.")
    game = new_game(options.variant, _NAMES[: options.players], defaults.parse_settings(options.set))
    first = game.settings.collect_order is CollectOrder.WINNER_FIRST
    order = Order.WINNER_FIRST if first else Order.SHUFFLE
    report = asdict(simulate(game, options.games, options.seed, order, follow=follow_progress))
    if options.json:
        out({"variant": options.variant, "players": options.players, "seed": options.seed, **report})
        return 0
    for key, value in report.items():
        text = f"{value:.1%}" if key in SHARES else f"{value:.1f}" if isinstance(value, float) else value
        out(f"{words.say(f'simulate.{key}')}: {'-' if value is None else text}")
    return 0


SHARES = ("second_tie", "third_tie", "short_wars", "games_with_short_war")
