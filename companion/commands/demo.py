"""`warref demo`: the bundled sample game through the real networks, referee, log and page."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from companion import defaults
from companion.commands._ruling_printer import Speaker
from companion.commands.watch import Plan, look
from companion.samples import sample_film, sample_game
from companion.words import Words


def run(options: argparse.Namespace, words: Words) -> int:
    """Play the film; the page stays until interrupted."""
    plan = sample_plan()
    options.summary, options.mirror = True, "no"
    options.pack = options.pack or defaults.NO_PACK
    with ExitStack() as stack:
        if options.log is None:
            # The family's statistics are not about the sample game.
            folder = stack.enter_context(TemporaryDirectory(prefix="warref-", ignore_cleanup_errors=True))
            options.log = Path(folder) / "demo.db"
        look(options, plan, words, Speaker(words, options.json), stack, demo=True)
    return 0


def sample_plan() -> Plan:
    """The sample film and the game that is played in it."""
    return Plan(sample_game(), str(sample_film()), defaults.SEATS)
