"""Free card artwork of others: where it lies, and how to fetch it from package archives. Never committed.

`fetch(into)` lays the packages out under one folder. Licences: gnome-cards-data GPL-3+,
react-playing-cards CC0 art, cardsJS LGPL-3+ art, svg-cards LGPL-2.1, openclipart public domain,
kdegames-card-data GPL-2+.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vision.lab.render.decks.deck import CODES
from vision.types import VisionError

DEBIAN = ("gnome-cards-data", "openclipart-svg", "kdegames-card-data-kf5")
NPM = ("@heruka_urgyen/react-playing-cards@0.5.0", "cardsJS@1.1.1", "svg-cards@4.0.2")

_GNOME = "debian/usr/share/aisleriot/cards"
_CC0 = "npm/heruka_urgyen-react-playing-cards-0.5.0/package/src/images"
_CARDSJS = "npm/cardsJS-1.1.1/package/cards"
_SVG_CARDS = "npm/svg-cards-4.0.2/package/png/2x"
_CLIPART = "debian/usr/share/openclipart/svg/recreation/games/cards"
_KDE = "debian/usr/share/carddecks"
_WORDS = {"A": "1", "J": "jack", "Q": "queen", "K": "king"}
_SUIT_WORDS = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}


@dataclass(frozen=True, slots=True)
class Artwork:
    """Where one deck's pictures lie: one sheet, one drawing with named parts, or one file a card.

    `place` is relative to the artwork folder; in `cards` and `backs` stand file or part names.
    """

    family: str
    place: str
    cards: Mapping[str, str] | None = None
    backs: tuple[str, ...] = ()


def _gnome(family: str, name: str) -> Artwork:
    return Artwork(family, f"{_GNOME}/{name}.svgz")


def _cc0(folder: str) -> Artwork:
    cards = {code: f"{folder}/{code.replace('10', 'T')}.svg" for code in CODES}
    return Artwork("cc0", _CC0, cards, ("back.svg",))


def _words(code: str, pattern: str) -> str:
    return pattern.format(rank=_WORDS.get(code[:-1], code[:-1]), suit=_SUIT_WORDS[code[-1]])


def _svg_cards() -> Artwork:
    cards = {code: _words(code, "{suit}_{rank}.png") for code in CODES}
    colours = ("red", "blue", "green", "black", "navy", "maroon", "purple", "teal", "0062ff")
    jokers = {"JB": "joker_black.png", "JR": "joker_red.png"}
    return Artwork("paris", _SVG_CARDS, cards | jokers, tuple(f"back-{colour}.png" for colour in colours))


def _clipart(style: str) -> Artwork:
    cards = {code: f"{style}_{code[-1].lower()}_{code[:-1].lower()}.svg" for code in CODES}
    jokers = {"JB": f"{style}_jk_b.svg", "JR": f"{style}_jk_r.svg"}
    backs = tuple(f"../cardbacks/back{number:02}.svg" for number in range(1, 11))
    return Artwork("nicu", f"{_CLIPART}/{style}", cards | jokers, backs)


def _kde(family: str, place: str) -> Artwork:
    return Artwork(family, f"{_KDE}/{place}.svgz", {code: _words(code, "{rank}_{suit}") for code in CODES}, ("back",))


ARTWORK: dict[str, Artwork] = {
    "anglo": _gnome("anglo", "anglo"),
    "anglo_bitmap": _gnome("anglo", "anglo_bitmap"),
    "gnomangelo": _gnome("anglo", "gnomangelo"),
    "gnomangelo_bitmap": _gnome("anglo", "gnomangelo_bitmap"),
    "anglo_modern": _gnome("cardsjs", "anglo_modern"),
    "anglo_modern_4_color": _gnome("cardsjs", "anglo_modern_4_color"),
    "anglo_poker": _gnome("cc0", "anglo_poker"),
    "simplistic": _gnome("cc0", "simplistic"),
    "atlasnye": _gnome("atlasnye", "atlasnye"),
    "atlasnye_skat": _gnome("atlasnye", "atlasnye_skat"),
    "atlasnye_ru": _gnome("atlasnye", "Атласные"),
    "bellot": _gnome("paris", "bellot"),
    "paris": _gnome("paris", "paris"),
    "ancient_french": _gnome("paris", "ancient_french"),
    "berlin": _gnome("berlin", "berlin"),
    "lattmann": _gnome("berlin", "lattmann"),
    "rheinland": _gnome("berlin", "rheinland"),
    "dondorf": _gnome("dondorf", "dondorf"),
    "neoclassical": _gnome("neoclassical", "neoclassical"),
    "neoclassical_4_color": _gnome("neoclassical", "neoclassical_4_color"),
    "orell": _gnome("orell", "orell"),
    "ornamental": _gnome("nicu", "ornamental"),
    "plastic": _gnome("plastic", "plastic"),
    "slavic_costumes": _gnome("slavic", "slavic_costumes"),
    "tango": _gnome("tango", "tango"),
    "tarocco": _gnome("tarocco", "tarocco"),
    "tigullio": _gnome("tigullio", "tigullio"),
    "cc0": _cc0("2color"),
    "cc0_4_color": _cc0("4color"),
    "cc0_jumbo": _cc0("2color-bf"),
    "cc0_4_color_jumbo": _cc0("4color-bf"),
    "cardsjs": Artwork("cardsjs", _CARDSJS, {c: f"{c}.svg" for c in CODES}, ("Blue_Back.svg", "Red_Back.svg")),
    "svg_cards": _svg_cards(),
    "clipart_white": _clipart("white"),
    "clipart_ornamental": _clipart("ornamental"),
    "clipart_simple": _clipart("simple"),
    "clipart_bordered": _clipart("bordered"),
    "kde_standard": _kde("kde", "svg-standard/standard"),
}

#: Kept for the render test only: no deck of these families may be trained on.
HELD_OUT = frozenset({"cardsjs", "atlasnye", "orell"})


def fetch(into: Path) -> None:
    """Download every package into `into`/debian and `into`/npm. Raises VisionError where that fails.

    Needs apt-get and dpkg (Debian, Ubuntu) and npm; nothing is installed.
    """
    from_debian(DEBIAN, into)
    from_npm(NPM, into)


def from_debian(packages: Sequence[str], into: Path) -> None:
    """Download Debian packages and unpack them, uninstalled, under `into`/debian."""
    (into / "debian").mkdir(parents=True, exist_ok=True)
    run_program(["apt-get", "download", *packages], into)
    for archive in sorted(into.glob("*.deb")):
        run_program(["dpkg", "-x", archive.name, "debian"], into)


def from_npm(packages: Sequence[str], into: Path) -> None:
    """Download npm packages and unpack each into a folder of its own under `into`/npm."""
    (into / "npm").mkdir(parents=True, exist_ok=True)
    for package in packages:
        run_program(["npm", "pack", "--silent", package], into / "npm")
    for archive in sorted((into / "npm").glob("*.tgz")):
        folder = archive.parent / archive.stem
        folder.mkdir(exist_ok=True)
        run_program(["tar", "-xzf", archive.name, "-C", folder.name], into / "npm")


def run_program(command: list[str], folder: Path) -> None:
    """Run a fetching command in `folder`; raises VisionError where it fails."""
    try:
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        raise VisionError(f"Fetching the card artwork failed at `{' '.join(command)}`: {error}.") from error
