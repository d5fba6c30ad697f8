"""Outlines and names on a copy of a frame, readable at any size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import cv2
import numpy as np

from vision.geometry import bounds, points
from vision.types import FoundCard, Frame, Image, Side

_Colour = tuple[int, int, int]
#: Left, top, right and bottom of a label in whole pixels.
_Box = tuple[int, int, int, int]

#: BGR. Told apart by their brightness too, and by the words beside them, never by colour alone.
SURE_COLOUR = (90, 210, 60)
UNSURE_COLOUR = (40, 190, 250)
DOWN_COLOUR = (230, 160, 90)
INK_COLOUR = (20, 20, 20)
#: Share of the picture's shorter side that a line and a letter take up.
LINE, LETTER = 1 / 240, 1 / 26
FONT = cv2.FONT_HERSHEY_DUPLEX
#: So many rows of labels may lie above and below a card.
ROWS = 4


def draw_cards(frame: Frame, cards: Iterable[FoundCard]) -> Image:
    """A copy of the picture with every card outlined and named; names lie on top of all outlines, not of each other."""
    image = np.array(frame.image)
    listed = list(cards)
    for card in listed:
        _outline(image, card)
    taken: list[_Box] = []
    # Where there is no room for all, the faces have it.
    for card in sorted(listed, key=lambda card: card.side is Side.BACK):
        taken.append(_label(image, card, label_text(card), taken))
    return image


def _outline(image: Image, card: FoundCard) -> None:
    """A light line on a dark one, so that it shows on any table."""
    width = max(1, round(min(image.shape[:2]) * LINE))
    corners = np.round(points(card.quad)).astype(np.int32)
    cv2.polylines(image, [corners], True, INK_COLOUR, 3 * width, cv2.LINE_AA)
    cv2.polylines(image, [corners], True, _colour(card), width, cv2.LINE_AA)


def label_text(card: FoundCard) -> str:
    """What is written at a card; letters only, for the drawing font knows no suits.

    >>> label_text(FoundCard(((0, 0), (2, 0), (2, 3), (0, 3)), Side.BACK, 0.9))
    'face down'
    """
    if card.side is Side.BACK:
        return "face down"
    code = card.code or "?"
    return code if card.read else f"{code}?"


def _colour(card: FoundCard) -> _Colour:
    if card.side is Side.BACK:
        return DOWN_COLOUR
    return SURE_COLOUR if card.read else UNSURE_COLOUR


def _label(image: Image, card: FoundCard, text: str, taken: list[_Box]) -> _Box:
    """Write above the card, or as near to it as the picture's edges and the labels before allow."""
    high = max(9.0, min(image.shape[:2]) * LETTER)
    scale, thick = high / 22, max(1, round(high / 14))
    (wide, tall), below = cv2.getTextSize(text, FONT, scale, thick)
    pad = max(2, round(high / 5))
    size = wide + 2 * pad, tall + below + 2 * pad
    spots = list(_spots(card, size, (image.shape[1], image.shape[0])))
    x, y, right, bottom = next((spot for spot in spots if not any(_meet(spot, other) for other in taken)), spots[0])
    cv2.rectangle(image, (x, y), (right, bottom), _colour(card), -1)
    cv2.putText(image, text, (x + pad, y + pad + tall), FONT, scale, INK_COLOUR, thick, cv2.LINE_AA)
    return x, y, right, bottom


def _spots(card: FoundCard, size: tuple[int, int], picture: tuple[int, int]) -> Iterator[_Box]:
    """Where a label may lie, the best spot first: in rows above the card and below it, over its middle or its edges."""
    (wide, tall), (left, top, right, bottom) = size, bounds(card.quad)
    for row in range(ROWS):
        for y in (top - (row + 1) * tall, bottom + row * tall):
            for x in ((left + right - wide) / 2, left, right - wide):
                at_x = round(min(max(0.0, x), max(0, picture[0] - wide)))
                at_y = round(min(max(0.0, y), max(0, picture[1] - tall)))
                yield at_x, at_y, at_x + wide, at_y + tall


def _meet(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
