"""Labelled pictures: manifest.jsonl, one line a photo, with the cards that can be seen in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.types import SUITS, VisionError

#: Left, top, right, bottom in pixels.
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Label:
    """One card that can be seen. `box` holds its visible part; None where only its presence is known."""

    code: str
    box: Box | None


@dataclass(frozen=True, slots=True)
class Photo:
    """One labelled picture. `complete`: every face-up card is listed. `ignore`: printed art that is no card.

    `corners`: the labels mark printed corners, so that a card may be listed twice and counts once.
    """

    path: Path
    source: str
    complete: bool
    corners: bool
    size: tuple[int, int]
    labels: tuple[Label, ...]
    ignore: tuple[Box, ...] = ()

    @property
    def wanted(self) -> tuple[Label, ...]:
        """The labels to be found: one for each code where corners are marked."""
        return tuple({label.code: label for label in self.labels}.values()) if self.corners else self.labels


def load_labels(manifest: Path) -> list[Photo]:
    """Read a manifest; picture paths are relative to it. VisionError names the line that cannot be understood."""
    try:
        lines = manifest.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise VisionError(f"The labels {manifest} cannot be read: give a manifest.jsonl, one photo a line.") from None
    photos = []
    for number, line in enumerate(lines, start=1):
        try:
            photos += [_photo(json.loads(line), manifest.parent)] if line.strip() else []
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise VisionError(f"Line {number} of {manifest} is no labelled photo ({error}).") from None
    return photos


def _photo(entry: dict[str, Any], folder: Path) -> Photo:
    return Photo(
        path=folder / entry["file"],
        source=str(entry.get("source", folder.name)).split("/")[0],
        complete=bool(entry.get("complete", False)),
        corners=any(card.get("box_is") == "corner" for card in entry["cards"]),
        size=(int(entry["width"]), int(entry["height"])),
        labels=tuple(Label(str(card["code"]), _box(card.get("box"))) for card in entry["cards"]),
        ignore=tuple(box for box in map(_box, entry.get("ignore") or []) if box),
    )


def _box(values: Any) -> Box | None:
    if values is None:
        return None
    left, top, right, bottom = (float(value) for value in values)
    return left, top, right, bottom


def rank_of(code: str) -> str:
    """The rank that decides, without the suit.

    >>> rank_of("10H"), rank_of("JB"), rank_of("JOKER")
    ('10', 'JOKER', 'JOKER')
    """
    return "JOKER" if code in ("JR", "JB", "JOKER") else code[:-1]


def suit_of(code: str) -> str:
    """The suit's letter, or JOKER.

    >>> suit_of("10H"), suit_of("JR")
    ('H', 'JOKER')
    """
    return code[-1] if code[-1] in SUITS and rank_of(code) != "JOKER" else "JOKER"
