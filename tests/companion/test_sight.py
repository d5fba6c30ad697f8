"""What is left to see of a covered card in a war is not read anew; a card that lies open is."""

from __future__ import annotations

import pytest

from companion.seats import parse
from companion.sight import Sight
from vision.types import FoundCard, Look, Reading, Side

SIZE = (160, 90)


def card(code: str, x: float, p: float = 0.95, **others: float) -> FoundCard:
    """A face 12 x 18 pixels large round x; further readings by code."""
    quad = ((x - 6, 36.0), (x + 6, 36.0), (x + 6, 54.0), (x - 6, 54.0))
    readings = (Reading(code, p), *(Reading(other[1:], q) for other, q in others.items()))
    return FoundCard(quad, Side.FACE, 0.9, readings, read=p >= 0.6)


def codes(*cards: FoundCard, war: bool = True, camera: bool = True) -> list[str]:
    """Ana's faces after a queen was seen at 40 and then these cards."""
    sight = Sight(("Ana", "Ben"), parse("left-right", ("Ana", "Ben")))
    sight.seen(Look(1.0, (card("QH", 40, 0.99),), SIZE), 1.0, war=False, camera=camera)
    found = sight.seen(Look(2.0, cards, SIZE), 2.0, war=war, camera=camera)
    assert found is not None
    return [face.card.code for face in found[0].faces["Ana"]]


def test_what_backs_leave_of_the_tied_card_is_still_that_card() -> None:
    assert codes(card("KH", 38, 0.44, _QH=0.19)) == ["QH"]


def test_beside_the_next_card_a_covered_one_is_not_read_anew() -> None:
    assert codes(card("KH", 38, 0.92), card("JC", 52)) == ["QH", "JC"]


@pytest.mark.parametrize(
    "laid", [card("KH", 40, 0.95), card("KH", 40, 0.7), card("KH", 50, 0.5)], ids=["open", "alone", "beside"]
)
def test_a_card_that_lies_open_is_the_next_one(laid: FoundCard) -> None:
    assert codes(laid) == ["KH"]


def test_without_a_war_and_between_pictures_every_reading_counts() -> None:
    assert codes(card("KH", 38, 0.44), war=False) == ["KH"]
    assert codes(card("KH", 38, 0.44), camera=False) == ["KH"]
