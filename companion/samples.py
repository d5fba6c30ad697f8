"""The bundled sample game: a film of a table, and the script it was made from."""

from __future__ import annotations

from pathlib import Path

from companion.faults import Fault

FILM, SCRIPT = "game.mp4", "game.looks"


def sample_game() -> tuple[Path, Path]:
    """The film and its script: inside an installed package, else beside it in a checkout. Raises Fault."""
    package = Path(__file__).resolve().parent
    for folder in (package / "_samples", package.parent / "sample_images"):
        if (folder / FILM).is_file() and (folder / SCRIPT).is_file():
            return folder / FILM, folder / SCRIPT
    raise Fault("The sample game is missing: install the program again, or fetch the folder sample_images anew.")
