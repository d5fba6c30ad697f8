"""`warref simulate`: games without a table, through the same referee."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from companion import settings
from companion.faults import WrongWords
from companion.game import new_game
from companion.rules import CollectOrder
from companion.simulate import simulate
from companion.tabletop import Order
from companion.terminal import out
from companion.variants import span, variant
from companion.words import Words

NAMES = ("A", "B", "C", "D")


def run(options: argparse.Namespace, words: Words) -> int:
    """Play the games and tell how long they last."""
    if options.players > len(NAMES):
        raise WrongWords(f"{options.variant} is for {span(variant(options.variant))} players, not {options.players}.")
    game = new_game(options.variant, NAMES[: options.players], settings.chosen(options.set))
    first = game.settings.collect_order is CollectOrder.WINNER_FIRST
    report = asdict(simulate(game, options.games, options.seed, Order.WINNER_FIRST if first else Order.SHUFFLE))
    if options.json:
        out({"variant": options.variant, "players": options.players, "seed": options.seed, **report})
        return 0
    for key, value in report.items():
        text = f"{value:.1%}" if key in SHARES else f"{value:.1f}" if isinstance(value, float) else value
        out(f"{words.say(f'simulate.{key}')}: {'-' if value is None else text}")
    return 0


SHARES = ("second_tie", "third_tie", "short_wars", "games_with_short_war")
