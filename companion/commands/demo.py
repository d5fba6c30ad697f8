"""`warref demo`: the bundled sample game through the real networks, referee, log and page."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from companion import defaults
from companion.commands._ruling_printer import Speaker
from companion.commands.watch import WatchPlan, watch_source
from companion.errors import Fault
from companion.referee.game import new_game
from companion.words import Words

#: The bundled film, and what is played in it.
_FILM = "classic.mp4"
_VARIANT = "classic"
_PLAYERS = ("Ana", "Ben")


def run(options: argparse.Namespace, words: Words) -> int:
    """Play the film; the page stays until interrupted."""
    plan = plan_sample_game()
    options.summary, options.mirror = True, "no"
    options.pack = options.pack or defaults.NO_PACK
    with ExitStack() as stack:
        if options.log is None:
            # The family's statistics are not about the sample game.
            folder = stack.enter_context(TemporaryDirectory(prefix="warref-", ignore_cleanup_errors=True))
            options.log = Path(folder) / "demo.db"
        watch_source(options, plan, words, Speaker(words, options.json), stack, demo=True)
    return 0


def sample_film() -> Path:
    """The sample film: inside an installed package, else beside it in a checkout. Raises Fault."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_samples", package.parent / "sample_images"):
        if (folder / _FILM).is_file():
            return folder / _FILM
    raise Fault("The sample game is missing: install the program again, or fetch the folder sample_images anew.")


def plan_sample_game() -> WatchPlan:
    """The sample film and the game that is played in it."""
    return WatchPlan(new_game(_VARIANT, _PLAYERS), str(sample_film()), defaults.SEATS)
