"""Settling: when a stream of found cards becomes a look, and what is known to be unmoved."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.cards import back, face, quad
from vision.tracking.fusion import fuse_sightings
from vision.tracking.settler import PATIENCE_S, SETTLE_S, Settler, TableState, is_touched, pair_cards, same_card
from vision.types import Frame

STILL = np.zeros((36, 64), dtype=bool)
HAND = np.zeros((36, 64), dtype=bool)
HAND[10:30, 20:60] = True
IMAGE = np.zeros((720, 1280, 3), dtype=np.uint8)


def run(settler, cards, start, seconds, moving=STILL, step=0.1):
    """Show the same cards for some seconds; the looks that come of it."""
    times = start + step * np.arange(round(seconds / step))
    looks = [settler.see(Frame(IMAGE, float(at)), cards, moving) for at in times]
    return [look for look in looks if look]


def codes(look):
    return sorted(card.code or "?" for card in look.cards)


def test_a_still_table_becomes_one_look():
    settler = Settler()
    looks = run(settler, [face("9H", 300), face("QC", 900), back(600)], 0, 3)
    assert [codes(look) for look in looks] == [["9H", "?", "QC"]]
    assert looks[0].at == pytest.approx(0.6, abs=0.11)
    assert settler.state is TableState.SETTLED


def test_an_empty_table_is_waited_at():
    settler = Settler()
    assert run(settler, [], 0, 2) == []
    assert settler.state is TableState.WAITING


def test_a_hand_over_the_table_starts_settling_anew():
    settler = Settler()
    assert run(settler, [face("9H", 300)], 0, 0.5) == []
    assert run(settler, [face("9H", 300)], 0.5, 0.3, HAND) == []
    assert settler.state is TableState.HAND and settler.since == pytest.approx(0.5)
    assert run(settler, [face("9H", 300)], 0.8, 0.5) == []
    assert settler.state is TableState.SETTLING
    assert len(run(settler, [face("9H", 300)], 1.3, 0.5)) == 1


def test_a_sliding_card_does_not_settle():
    settler = Settler()
    for i in range(20):
        assert settler.see(Frame(IMAGE, i / 10), [face("9H", 300 + 15 * i)], STILL) is None


def test_a_card_missed_now_and_then_stays_in_the_look():
    settler = Settler()
    for i in range(30):
        cards = [face("9H", 300)] if i % 3 == 0 else [face("9H", 300), face("QC", 900)]
        look = settler.see(Frame(IMAGE, i / 10), cards, STILL)
        assert look is None or codes(look) == ["9H", "QC"]


def test_an_outline_that_flashes_up_is_not_in_the_look():
    settler = Settler()
    looks = []
    for i in range(20):
        cards = [face("9H", 300)] + ([face("2S", 900)] if i == 4 else [])
        looks += filter(None, [settler.see(Frame(IMAGE, i / 10), cards, STILL)])
    assert [codes(look) for look in looks] == [["9H"]]


def test_the_same_table_after_a_hand_is_no_news():
    settler = Settler()
    run(settler, [face("9H", 300)], 0, 1)
    run(settler, [], 1, 0.5, HAND)
    assert run(settler, [face("9H", 300)], 1.5, 2) == []


def test_cards_that_only_vanish_are_waited_for_longer():
    settler = Settler()
    run(settler, [face("9H", 300)], 0, 1)
    run(settler, [], 1, 0.3, HAND)
    looks = run(settler, [], 1.3, 2)
    assert [look.cards for look in looks] == [()]
    assert looks[0].at == pytest.approx(2.5, abs=0.11) and looks[0].moved


def test_what_a_hand_did_not_touch_is_unmoved():
    settler = Settler()
    run(settler, [face("9H", 100, 100), face("9C", 800, 400)], 0, 1)
    run(settler, [], 1, 0.5, HAND)
    (look,) = run(settler, [face("9H", 100, 100), face("KC", 800, 400)], 1.5, 1)
    assert {card.code: card.moved for card in look.cards} == {"9H": False, "KC": True}
    assert look.moved


def test_a_better_reading_of_an_unmoved_card_is_a_look_without_movement():
    settler = Settler()
    unsure = face("6C", 100, 100, 0.4, 0.9, ("9C", 0.39))
    (first,) = run(settler, [unsure], 0, 1)
    assert not first.cards[0].read
    (second,) = run(settler, [face("9C", 100, 100)], 1, 3)
    assert codes(second) == ["9C"] and second.cards[0].read
    assert not second.moved and not second.cards[0].moved


def test_a_card_touched_in_its_place_is_read_anew():
    settler = Settler()
    run(settler, [face("9H", 100, 100)], 0, 2)
    touch = STILL.copy()
    touch[3:7, 3:7] = True
    run(settler, [], 2, 0.2, touch)
    looks = run(settler, [face("2D", 100, 100)], 2.2, 1)
    assert [codes(look) for look in looks] == [["2D"]]
    assert looks[0].cards[0].p == pytest.approx(0.95) and looks[0].cards[0].moved


def test_without_a_mask_nothing_is_known_to_be_unmoved():
    settler = Settler()
    run(settler, [face("9H", 100, 100)], 0, 1, None)
    (look,) = run(settler, [face("9H", 100, 100), face("2D", 500)], 1, 1, None)
    assert all(card.moved for card in look.cards)


def test_one_frame_a_second_settles_with_the_second_frame():
    settler = Settler()
    looks = run(settler, [face("9H", 300)], 0, 4, step=1.0)
    assert [look.at for look in looks] == [1.0]


def test_the_side_that_most_frames_say_wins():
    card = fuse_sightings([face("6H", p=0.6), face("9H", p=0.9), face("9H", p=0.9), back()])
    assert card.code == "9H" and 0.6 < card.p < 0.9 and card.read
    assert fuse_sightings([back(), back(), face("9H")]).readings == ()


def test_a_settled_war_adds_cards_look_by_look():
    settler = Settler()
    table, seen = [], []
    for number, card in enumerate([face("8S", 300), face("8H", 900), back(300, 300), face("KC", 300, 500)]):
        table.append(card)
        run(settler, [], 3 * number, 0.5, HAND)
        seen += [codes(look) for look in run(settler, table, 3 * number + 0.5, 2.5)]
    assert seen == [["8S"], ["8H", "8S"], ["8H", "8S", "?"], ["8H", "8S", "?", "KC"]]


def test_two_outlines_in_one_place_are_told_once():
    settler = Settler()
    looks = run(settler, [face("9H", 100, 100), face("6H", 110, 104, 0.4)], 0, 3)
    assert [codes(look) for look in looks] == [["6H", "9H"]]


def test_people_who_move_on_at_the_edge_do_not_stop_the_game():
    edge = STILL.copy()
    edge[:, 56:] = True
    settler = Settler()
    looks = run(settler, [face("9H", 300)], 0, 5, edge)
    assert [codes(look) for look in looks] == [["9H"]] and looks[0].at < 4
    (look,) = run(settler, [face("9H", 300), face("QC", 700)], 5, 2, edge)
    assert look.at < 6 and {card.code: card.moved for card in look.cards} == {"9H": False, "QC": True}


def test_a_card_under_something_that_moves_on_and_on_does_not_settle():
    settler = Settler()
    assert run(settler, [face("9H", 700, 400)], 0, 6, HAND) == []
    assert settler.state is TableState.HAND and settler.since == 0


def test_a_hand_that_stays_over_a_settled_card_does_not_clear_it():
    settler = Settler()
    run(settler, [face("9H", 700, 400), face("QC", 100)], 0, 2)
    assert run(settler, [face("QC", 100)], 2, 8, HAND) == []
    looks = run(settler, [face("9H", 700, 400), face("QC", 100)], 10, 2)
    assert looks == [] and settler.state is TableState.SETTLED


# --- outlines of what is seen -------------------------------------------------------------------------


def part(code, x, y, width, height, p=0.95):
    return replace(face(code, p=p), quad=quad(x, y, width, height))


#: What can be left to see of a card at 300, 300 (60 x 90 pixels).
STRIPS = {
    "left": (280, 300, 20, 90),
    "right": (322, 300, 16, 90),
    "top": (300, 270, 60, 30),
    "bottom": (300, 330, 60, 30),
    "half": (285, 300, 30, 90),
}


def laid_over(left, laid):
    """The look when a card was laid over the queen at 300, 300, and a hand had moved over both."""
    settler = Settler()
    run(settler, [face("QH", 300, 300, 0.99)], 0, 1)
    hand = STILL.copy()
    hand[10:30, 8:40] = True
    run(settler, [], 1, 0.5, hand)
    (look,) = run(settler, [left, *laid], 1.5, 1)
    return settler, look


@pytest.mark.parametrize("strip", STRIPS)
@pytest.mark.parametrize(("code", "p"), [("QH", 0.95), ("KH", 0.6), ("8D", 0.3)])
def test_what_is_left_to_see_of_a_covered_card_has_not_moved(strip, code, p):
    _, look = laid_over(part(code, *STRIPS[strip], p), [face("3C", 330, 320)])
    assert {card.code: card.moved for card in look.cards} == {code: False, "3C": True}


@pytest.mark.parametrize("strip", STRIPS)
def test_a_card_that_lies_open_again_is_no_news_of_its_own(strip):
    settler, _ = laid_over(part("QH", *STRIPS[strip], 0.6), [face("3C", 330, 320)])
    run(settler, [], 2.5, 0.3, HAND)
    (look,) = run(settler, [face("QH", 300, 300, 0.99), face("3C", 700, 320)], 2.8, 1)
    assert {card.code: card.moved for card in look.cards} == {"QH": False, "3C": True}


def test_a_covered_card_alone_is_no_news():
    """Backs that are not found lie over it, or a sleeve does: nothing was laid and nothing has gone."""
    settler = Settler()
    run(settler, [face("QH", 300, 300, 0.99)], 0, 1)
    assert run(settler, [part("QH", *STRIPS["left"])], 1, 2) == []
    assert run(settler, [face("QH", 300, 300)], 3, 2) == []


def test_the_card_laid_over_another_is_not_taken_for_it():
    """The new card lies nearer to the old place than what is left of the old one; the code tells them apart."""
    laid = face("3C", 312, 306)
    _, look = laid_over(part("QH", 275, 300, 10, 90, 0.9), [laid])
    assert pair_cards(look.cards, [face("QH", 300, 300)]) == [face("QH", 300, 300), None]


def test_a_part_surely_read_as_another_card_is_another_card():
    _, look = laid_over(part("7S", *STRIPS["left"], 0.97), [face("3C", 330, 320)])
    assert {card.code: card.moved for card in look.cards} == {"7S": True, "3C": True}


def test_a_whole_card_beside_the_old_place_is_no_part_of_it():
    assert not same_card(face("QH", 300, 300), face("QH", 330, 300))
    assert not same_card(part("QH", *STRIPS["left"]), replace(back(300, 300), moved=False))


def test_what_moves_beside_a_slanted_card_does_not_touch_it():
    turned = replace(face("QH"), quad=((640, 200), (700, 260), (500, 460), (440, 400)))
    beside = STILL.copy()
    beside[10:14, 22:26] = True
    assert not is_touched(turned, beside, (1280, 720))
    across = STILL.copy()
    across[14:18, 26:30] = True
    assert is_touched(turned, across, (1280, 720))


# --- glare --------------------------------------------------------------------------------------------


def under_glare(code, x, p=0.3):
    return replace(face(code, x, p=p), read=False, glare=0.5)


def test_a_card_under_glare_waits_for_a_better_frame():
    settler = Settler()
    assert run(settler, [under_glare("8H", 300)], 0, 1.2) == []
    assert settler.state is TableState.SETTLING
    (look,) = run(settler, [face("9H", 300)], 1.2, 2)
    assert codes(look) == ["9H"] and look.cards[0].read and look.at < 2.2


def test_glare_that_stays_is_not_waited_for_for_ever():
    settler = Settler()
    (look,) = run(settler, [under_glare("8H", 300)], 0, 4)
    assert not look.cards[0].read and look.at == pytest.approx(SETTLE_S + PATIENCE_S, abs=0.2)


def test_glare_on_a_card_that_is_known_delays_nothing():
    settler = Settler()
    run(settler, [face("9H", 300)], 0, 1)
    looks = run(settler, [under_glare("8H", 300), face("QC", 900)], 1, 3)
    assert looks and looks[0].at < 1 + SETTLE_S + PATIENCE_S + 0.2
    assert run(settler, [under_glare("8H", 300), face("QC", 900)], 4, 2) == []


def test_a_card_that_is_small_or_read_is_not_waited_for():
    for card in (replace(face("8H", p=0.3), read=False), replace(face("8H", p=0.9), glare=0.5)):
        (look,) = run(Settler(), [card], 0, 2)
        assert look.at == pytest.approx(SETTLE_S, abs=0.11)
