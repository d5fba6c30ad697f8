"""The bundled sample game: a film of a table, and what is played in it."""

from __future__ import annotations

from pathlib import Path

from companion.errors import Fault
from companion.referee.game import Game, new_game

FILM = "classic.mp4"
VARIANT, PLAYERS = "classic", ("Ana", "Ben")


def sample_film() -> Path:
    """The film: inside an installed package, else beside it in a checkout. Raises Fault."""
    package = Path(__file__).resolve().parent
    for folder in (package / "_samples", package.parent / "sample_images"):
        if (folder / FILM).is_file():
            return folder / FILM
    raise Fault("The sample game is missing: install the program again, or fetch the folder sample_images anew.")


def sample_game() -> Game:
    """The game that is played in the film."""
    return new_game(VARIANT, PLAYERS)
