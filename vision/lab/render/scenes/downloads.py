"""Fonts for indices, pictures of real table tops and photographs to print, fetched as packages. Never committed.

Licences: the Debian fonts and @fontsource files are under the OFL, Apache-2.0 or GPL with the font
exception; robosuite's textures are MIT; the desktop backgrounds are CC-BY-SA 3.0 and 4.0 and, a few, GPL.
"""

from __future__ import annotations

import re
import shutil
import sys
import zipfile
from pathlib import Path

import cv2

from vision.lab.render.decks.artwork import from_debian, from_npm, run_program

FONTS = (
    "fonts-dejavu-core", "fonts-liberation", "fonts-freefont-otf", "fonts-crosextra-carlito", "fonts-lato",
    "fonts-roboto-slab", "fonts-ebgaramond", "fonts-bebas-neue", "fonts-linuxlibertine", "fonts-quicksand",
    "fonts-play", "fonts-urw-base35",
)  # fmt: skip
WEB_FONTS = tuple(
    f"@fontsource/{name}"
    for name in ("antonio", "bebas-neue", "league-gothic", "old-standard-tt", "oswald", "rokkitt", "zilla-slab")
)
TEXTURES = "robosuite"
#: Textures that show no table top.
NO_TABLE = ("can", "cereal", "glass", "lemon", "soda")
#: Desktop backgrounds: photographs of people, beasts, plants, things and places.
PHOTOS = ("mate-backgrounds", "lomiri-wallpapers-16.04", "lomiri-wallpapers-20.04", "ukui-wallpapers")
#: Photographs are kept so many pixels wide.
_WIDE = 900
#: Slanted, decorated and picture fonts: no deck prints its indices in them.
_NO_INDEX = re.compile(
    r"(?i)ital|obliq|symbol|dingbat|D050000L|mono-|Z003|initial|_I\.|_R?B?I\.|_RZI|_K\.|_DR|hairline|thin|SC-|08-|small"
)
_LETTERS = "AJQK0123456789"


def fetch_props(into: Path) -> None:
    """Download fonts, textures and photographs into folders of `into`. Raises VisionError where that fails."""
    source = into / "fonts-source"
    from_debian(FONTS, source)
    from_npm(WEB_FONTS, source)
    (into / "fonts").mkdir(exist_ok=True)
    for file in sorted(source.rglob("*")):
        _take_font(file, into / "fonts")
    run_program([sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", ".", TEXTURES], into)
    (into / "textures").mkdir(exist_ok=True)
    for wheel in into.glob(f"{TEXTURES}-*.whl"):
        _take_textures(wheel, into / "textures")
    from_debian(PHOTOS, into / "photos-source")
    (into / "photos").mkdir(exist_ok=True)
    for file in sorted((into / "photos-source").rglob("*.jpg")):
        _take_photo(file, into / "photos")


def _take_font(file: Path, into: Path) -> None:
    """Keep an upright text font as TrueType or OpenType; web fonts are unpacked."""
    from fontTools.ttLib import TTFont  # part of the extra `train`

    web = file.suffix == ".woff" and re.search(r"-latin-(400|700)-normal", file.name)
    if not (web or file.suffix in (".ttf", ".otf")) or _NO_INDEX.search(file.name):
        return
    font = TTFont(file, lazy=True)
    if any(ord(letter) not in font.getBestCmap() for letter in _LETTERS):
        return
    if web:
        font.flavor = None
        font.save(into / f"{file.stem}.ttf")
    else:
        shutil.copy(file, into / file.name)


def _take_textures(wheel: Path, into: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            path = Path(name)
            if path.parent.name == "textures" and path.suffix == ".png" and path.stem not in NO_TABLE:
                (into / path.name).write_bytes(archive.read(name))


def _take_photo(file: Path, into: Path) -> None:
    image = cv2.imread(str(file))
    if image is not None:
        factor = _WIDE / image.shape[1]
        small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        cv2.imwrite(str(into / file.name), small)
