"""The catalogue: every deck pictures can be rendered from, by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from vision.lab.render.decks.artwork import ARTWORK, HELD_OUT, fetch
from vision.lab.render.decks.deck import CODES, HEIGHT, Deck
from vision.lab.render.decks.generate import made_deck
from vision.lab.render.decks.sprite_sheet import sliced
from vision.types import Image, VisionError

__all__ = [
    "BORROWABLE", "CODES", "HEIGHT", "HELD_OUT", "Deck", "Image", "all_decks", "deck_names", "family_of", "fetch",
    "load_deck", "made_deck",
]  # fmt: skip

#: Artwork whose court pictures can be cut out without their index, and in two colours: for `made_deck`.
BORROWABLE = (
    "anglo", "anglo_bitmap", "gnomangelo", "gnomangelo_bitmap", "anglo_poker", "cc0", "kde_standard", "bellot", "paris",
    "ancient_french", "svg_cards", "berlin", "lattmann", "rheinland", "dondorf", "neoclassical", "slavic_costumes",
    "tarocco", "tigullio", "anglo_modern", "cardsjs", "atlasnye", "orell",
)  # fmt: skip


def load_deck(name: str, art: Path | None = None, cache: Path | None = None, fonts: Sequence[Path] = ()) -> Deck:
    """Return the deck called `name`: "made", "made-17", "made-17-anglo" (its courts borrowed), or artwork.

    Artwork lies in the fetched folder `art` and is sliced once into `cache` (by default a folder beside
    it); `fonts` are font files for made decks. Raises VisionError for an unknown name and for artwork
    that was not fetched.
    """
    family = family_of(name)
    if name not in ARTWORK:
        seed, lender = _made(name)
        return made_deck(seed, fonts, load_deck(lender, art, cache) if lender else None)
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
    """Return the family of a deck by its name alone; raises VisionError for an unknown one.

    >>> family_of("made-17"), family_of("made-17-bellot"), family_of("anglo_modern")
    ('made', 'paris', 'cardsjs')
    """
    if name in ARTWORK:
        return ARTWORK[name].family
    _, lender = _made(name)
    return ARTWORK[lender].family if lender else "made"


def _made(name: str) -> tuple[int, str]:
    """Return the seed and the deck its courts are borrowed from ("" for none) of a made deck's name."""
    matched = re.fullmatch(r"made(?:-([0-9]{1,9}))?(?:-([a-z].*))?", name)
    if matched is None or (matched[2] or BORROWABLE[0]) not in BORROWABLE:
        raise VisionError(f"There is no deck called {name!r}; use made, made-17, made-17-anglo or an artwork's name.")
    return int(matched[1] or 0), matched[2] or ""
