"""What is left to see of a covered card in a war is not read anew; a card that lies open is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.seats.layout import parse_seats
from companion.watching.look_builder import LookBuilder
from vision.types import FoundCard, Look, Reading, Side

SIZE = (160, 90)


def card(code: str, x: float, p: float = 0.95, **others: float) -> FoundCard:
    """A face 12 x 18 pixels large round x; further readings by code."""
    quad = ((x - 6, 36.0), (x + 6, 36.0), (x + 6, 54.0), (x - 6, 54.0))
    readings = (Reading(code, p), *(Reading(other[1:], q) for other, q in others.items()))
    return FoundCard(quad, Side.FACE, 0.9, readings, read=p >= 0.6)


def codes(*cards: FoundCard, war: bool = True, camera: bool = True) -> list[str]:
    """Ana's faces after a queen was seen at 40 and then these cards."""
    sight = LookBuilder(("Ana", "Ben"), parse_seats("left-right", ("Ana", "Ben")))
    sight.build(Look(1.0, (card("QH", 40, 0.99),), SIZE), 1.0, war=False, camera=camera)
    found = sight.build(Look(2.0, cards, SIZE), 2.0, war=war, camera=camera)
    assert found is not None
    return [face.card.code for face in found[0].faces["Ana"]]


def test_what_backs_leave_of_the_tied_card_is_still_that_card() -> None:
    assert codes(card("KH", 38, 0.44, _QH=0.19)) == ["QH"]


@pytest.mark.parametrize("camera", [True, False])
def test_beside_the_next_card_a_covered_one_is_not_read_anew(camera: bool) -> None:
    assert codes(card("KH", 38, 0.92), card("JC", 52), camera=camera) == ["QH", "JC"]


@pytest.mark.parametrize(
    "laid", [card("KH", 40, 0.95), card("KH", 40, 0.7), card("KH", 50, 0.5)], ids=["open", "alone", "beside"]
)
def test_a_card_that_lies_open_is_the_next_one(laid: FoundCard) -> None:
    assert codes(laid) == ["KH"]


def test_without_a_war_and_between_pictures_every_reading_counts() -> None:
    assert codes(card("KH", 38, 0.44), war=False) == ["KH"]
    assert codes(card("KH", 38, 0.44), camera=False) == ["KH"]


# --- outlines of what is seen -------------------------------------------------------------------------


def part(
    code: str, left: float, top: float, right: float, bottom: float, p: float = 0.95, **others: float
) -> FoundCard:
    """What is seen of a face, outlined by its sides."""
    return replace(card(code, 0, p, **others), quad=((left, top), (right, top), (right, bottom), (left, bottom)))


QUEEN = card("QH", 40, 0.99)
#: What can be left to see of the queen at 40, and how far right and down of it the card lies that covers the rest.
SIDES = {
    "left": ((34, 36, 38, 54), 4, 0),
    "right": ((42, 36, 46, 54), -4, 0),
    "top": ((34, 36, 46, 41), 0, 5),
    "bottom": ((34, 49, 46, 54), 0, -5),
    "half": ((34, 36, 40, 54), 6, 0),
}


def over(code: str, side: str) -> FoundCard:
    """A face laid over the queen so far that this is left to see of it."""
    _, right, down = SIDES[side]
    return part(code, 34 + right, 36 + down, 46 + right, 54 + down)


class Table:
    """Ana's and Ben's places in the picture, and the looks that were taken of them."""

    def __init__(self) -> None:
        self.sight = LookBuilder(("Ana", "Ben"), parse_seats("left-right", ("Ana", "Ben")))
        self.at = 0.0

    def look(self, *cards: FoundCard, war: bool = True, player: str = "Ana") -> list[str]:
        self.at += 1
        found = self.sight.build(Look(self.at, cards, SIZE), self.at, war=war, camera=True)
        assert found is not None
        return [face.card.code for face in found[0].faces[player]]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("read", [("QH", 0.97, {}), ("KH", 0.6, {"_QH": 0.2}), ("8D", 0.3, {"_QH": 0.1})])
def test_what_a_war_card_leaves_of_the_tied_one_is_still_the_tied_one(
    side: str, read: tuple[str, float, dict[str, float]]
) -> None:
    table = Table()
    code, p, others = read
    table.look(QUEEN, war=False)
    left = part(code, *SIDES[side][0], p=p, **others)
    assert table.look(over("3C", side), left) == ["QH", "3C"]
    assert table.look(over("3C", side), card("9S", 62), left) == ["QH", "3C", "9S"]


@pytest.mark.parametrize("side", SIDES)
def test_a_card_that_lies_open_again_is_the_same_card(side: str) -> None:
    table = Table()
    table.look(QUEEN, war=False)
    table.look(over("3C", side), part("QH", *SIDES[side][0], p=0.7))
    assert table.look(card("3C", 60), QUEEN) == ["QH", "3C"]


@pytest.mark.parametrize("p", [0.55, 0.97])
def test_a_neighbour_laid_half_over_a_card_takes_nothing_from_it(p: float) -> None:
    """Before any war: the card of the other player reaches over, and the middle of what is left has moved."""
    table = Table()
    border = card("QH", 77, 0.99)
    table.look(border, war=False)
    left = part("QH", 71, 36, 75, 54, p=p)
    assert table.look(left, card("JC", 84), war=False) == ["QH"]
    right = part("QH", 81, 36, 83, 54, p=p)
    table.look(border, war=False)
    # Its middle lies in Ben's half now, and the card is Ana's still.
    assert table.look(right, card("JC", 74), war=False) == ["QH", "JC"]
    assert table.look(right, card("JC", 74), card("4D", 140), war=False, player="Ben") == ["4D"]


def test_two_pieces_of_one_card_are_one_card() -> None:
    """A card laid across the middle leaves the top and the bottom of the tied one, each read by its index."""
    table = Table()
    table.look(QUEEN, war=False)
    across = part("3C", 31, 39, 49, 51)
    assert table.look(part("QH", 34, 36, 46, 39), across, part("QH", 34, 51, 46, 54)) == ["3C", "QH"][::-1]


def test_a_part_that_is_surely_another_card_is_another_card() -> None:
    table = Table()
    table.look(QUEEN, war=False)
    assert sorted(table.look(over("3C", "left"), part("7S", *SIDES["left"][0], p=0.97))) == ["3C", "7S"]


@pytest.mark.parametrize("side", SIDES)
def test_what_is_left_of_a_card_is_that_card_where_nothing_moved_whatever_it_looks_like(side: str) -> None:
    table = Table()
    table.look(QUEEN, war=False)
    left = replace(part("7S", *SIDES[side][0], p=0.985), moved=False)
    assert table.look(over("3C", side), left) == ["QH", "3C"]


def test_what_is_left_of_a_card_is_not_the_one_that_lies_surely_there() -> None:
    """No card is there twice: of two read as the same one, the surer is that one."""
    table = Table()
    table.look(QUEEN, war=False)
    left = replace(card("3C", 38, 0.975), quad=((33.5, 36), (43, 36), (43, 54), (33.5, 54)))
    assert table.look(left, card("3C", 50, 0.99)) == ["QH", "3C"]


def test_a_card_is_looked_for_in_its_own_place_before_its_name_is() -> None:
    """What is left of the queen is read as the card that lies beside it, and that one in another suit."""
    table = Table()
    table.look(QUEEN, war=False)
    table.look(part("QH", 34, 36, 40, 54), part("3C", 40, 36, 52, 54, p=0.99))
    looks_like = part("3C", 34, 36, 40, 54, p=0.969), part("3S", 40, 36, 45, 54, p=0.98), card("KH", 54, 0.99)
    assert table.look(*looks_like) == ["QH", "3S", "KH"]


def test_a_second_outline_of_what_is_left_of_a_card_is_no_card() -> None:
    table = Table()
    table.look(QUEEN, war=False)
    twice = part("QH", 34, 36, 40, 54, p=0.84), part("JH", 35, 36, 43.5, 54, p=0.95)
    assert table.look(*twice, card("JC", 52)) == ["QH", "JC"]
