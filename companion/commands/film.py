"""`warref film`: a looks script as a film of a rendered table."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.commands._vision import vision_faults
from companion.console import read_text
from companion.words import Words


def run(options: argparse.Namespace, words: Words) -> int:
    """Write the film. Raises Fault where the script cannot be filmed or the film not be written."""
    from companion.simulation.film import film_script_file  # the renderer, which no other command needs

    seats = read_text(Path(options.seats)) if options.seats.endswith(".toml") else options.seats
    with vision_faults():
        film_script_file(options.file, options.out, options.deck or "", options.art, seats, options.seed, options.fps)
    return 0
