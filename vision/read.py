"""`read`: what cards are in these pictures, as JSON lines or in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from vision.images import list_pictures, load_picture
from vision.types import Detector, FoundCard, Frame, Quad, Side, VisionError, detect_carefully


def read_lines(paths: Iterable[Path], detector: Detector) -> Iterator[dict[str, Any]]:
    """One record a picture, ready for JSON; a folder stands for its pictures.

    A picture that cannot be read gives `{"file": …, "error": …}`.
    """
    for path in list_all_pictures(paths):
        try:
            image = load_picture(path)
        except VisionError as error:
            yield {"file": str(path), "error": str(error)}
        else:
            yield describe_picture(path, Frame(image, at=0.0, name=path.name), detector)


def list_all_pictures(paths: Iterable[Path]) -> Iterator[Path]:
    """The pictures that these files and folders stand for; a folder without any, or closed, stays, to be told of."""
    for path in paths:
        yield from _inside(path) or [path]


def _inside(path: Path) -> list[Path]:
    try:
        return list_pictures(path) if path.is_dir() else []
    except (OSError, VisionError):
        return []


def describe_picture(path: Path, frame: Frame, detector: Detector) -> dict[str, Any]:
    """What the detector sees in one picture."""
    cards = detect_carefully(detector, frame)
    faces = [card for card in cards if card.side is Side.FACE]
    width, height = frame.size
    return {
        "file": str(path),
        "width": width,
        "height": height,
        "cards": [_card(card) for card in faces if card.read],
        "unread": [_unread(card) for card in faces if not card.read],
        "backs": [{"p": _p(card.found), "polygon": _polygon(card.quad)} for card in cards if card.side is Side.BACK],
    }


def _card(card: FoundCard) -> dict[str, Any]:
    return {
        "code": card.code,
        "p": _p(card.p),
        "polygon": _polygon(card.quad),
        "alternatives": [[reading.code, _p(reading.p)] for reading in card.readings[1:]],
    }


def _unread(card: FoundCard) -> dict[str, Any]:
    return {
        "polygon": _polygon(card.quad),
        "alternatives": [[reading.code, _p(reading.p)] for reading in card.readings],
    }


def _polygon(quad: Quad) -> list[list[float]]:
    return [[round(x, 1), round(y, 1)] for x, y in quad]


def _p(p: float) -> float:
    return round(p, 4)


def format_line(line: dict[str, Any]) -> str:
    """One line for people.

    >>> format_line({"file": "a.jpg", "cards": [{"code": "QH", "p": 0.993}], "unread": [{}], "backs": []})
    'a.jpg: QH 99%, 1 card not readable'
    """
    if "error" in line:
        return f"{line['file']}: {line['error']}"
    said = [f"{card['code']} {card['p']:.0%}" for card in line["cards"]]
    said += [f"{n} {what}" for n, what in _leftovers(line)]
    return f"{line['file']}: {', '.join(said) or 'no cards'}"


def _leftovers(line: dict[str, Any]) -> Iterator[tuple[int, str]]:
    unread, backs = len(line["unread"]), len(line["backs"])
    if unread:
        yield unread, "card not readable" if unread == 1 else "cards not readable"
    if backs:
        yield backs, "card face down" if backs == 1 else "cards face down"
