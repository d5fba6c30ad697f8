"""The catalogue: every deck pictures can be rendered from, by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vision.render.artwork import ARTWORK, HELD_OUT, fetch
from vision.render.deck import CODES, HEIGHT, Deck, Image
from vision.render.deckmaker import made_deck
from vision.render.slicing import sliced
from vision.types import VisionError

__all__ = [
    "CODES", "HEIGHT", "HELD_OUT", "Deck", "Image", "all_decks", "deck_names", "family_of", "fetch", "load_deck",
    "made_deck",
]  # fmt: skip


def load_deck(name: str, art: Path | None = None, cache: Path | None = None) -> Deck:
    """Return the deck called `name`: "made", "made-17", or artwork from the fetched folder `art`.

    Artwork is sliced once into `cache` (by default a folder beside `art`). Raises VisionError for an
    unknown name and for artwork that was not fetched.
    """
    family = family_of(name)
    if name not in ARTWORK:
        return made_deck(_seed(name))
    if art is None:
        raise VisionError(f"The deck {name} is artwork: say in which folder it was fetched.")
    faces, backs = sliced(name, ARTWORK[name], art, cache or art.with_name(art.name + "-sliced"))
    return Deck(name, family, faces, backs)


def deck_names(art: Path | None = None) -> tuple[str, ...]:
    """Return "made" and the artwork decks that lie in the fetched folder `art`."""
    if art is None:
        return ("made",)
    return ("made", *(name for name, artwork in ARTWORK.items() if (art / artwork.place).exists()))


def all_decks(art: Path, held_out: bool = False, cache: Path | None = None) -> Iterator[Deck]:
    """Yield the artwork decks one after the other: those to train on, or those `held_out` for the test."""
    for name in deck_names(art)[1:]:
        if (family_of(name) in HELD_OUT) == held_out:
            yield load_deck(name, art, cache)


def family_of(name: str) -> str:
    """Return the family of a deck by its name alone; raises VisionError for an unknown one."""
    if name in ARTWORK:
        return ARTWORK[name].family
    if _seed(name) >= 0:
        return "made"
    raise VisionError(f"There is no deck called {name!r}; use made, made-17 or an artwork deck's name.")


def _seed(name: str) -> int:
    """Return the seed in "made" or "made-17", -1 for any other name."""
    kind, _, seed = name.partition("-")
    if kind != "made" or (name != "made" and not seed.isascii()) or (seed and not seed.isdecimal()):
        return -1
    return -1 if name == "made-" else int(seed or 0)
