"""What is said of cards that cannot be learned as they lie."""

import pytest

from tests.vision.packs.test_pack import PHOTO, Told, table, unsure
from vision.detection.weights import ReadAbove
from vision.packs.enrol import EnrolmentDetector, EnrolmentNetworks, cut_alike_cards, cut_cards_of_rows, cut_shown_card
from vision.packs.row_layout import LaidWrong, LayoutFault, ReadOutline, assign_codes, find_contradictions, parse_order
from vision.types import Frame, Side


def by(seen):
    told = Told(seen)
    return EnrolmentNetworks(told, told, ReadAbove())


def refused(call, *words):
    with pytest.raises(LaidWrong) as caught:
        call(*words)
    return caught.value


def shown(*readings):
    """Cards in a line, each with its one reading."""
    quads = [tuple((x + 200.0 * n, float(y)) for x, y in ((0, 0), (60, 0), (60, 90), (0, 90))) for n in range(9)]
    return [ReadOutline(quad, Side.FACE, unsure(**read)[0]) for quad, read in zip(quads, readings, strict=False)]


def test_cards_that_have_changed_places_are_named_with_what_was_read():
    wrong = refused(
        cut_cards_of_rows, PHOTO, by(table(parse_order("H"), said={"9H": "8H", "8H": "9H"})), parse_order("H"), 0
    )
    assert wrong.misfit is LayoutFault.MISPLACED and set(wrong.values["wrong"]) == {("9H", "8H"), ("8H", "9H")}
    assert "8H where 9H should lie" in str(wrong)


def test_a_row_of_another_suit_is_none_of_the_suit_that_was_asked_for():
    hearts = table(parse_order("H"))
    wrong = refused(cut_cards_of_rows, PHOTO, by(hearts), parse_order("S"), 0)
    assert wrong.misfit is LayoutFault.MISPLACED and ("AS", "AH") in wrong.values["wrong"]
    assert len(cut_cards_of_rows(PHOTO, by(hearts), parse_order("S"), 0, sure=True)[0]) == 13
    # The row that was asked for is spoken of, though others were taken before.
    wrong = refused(cut_cards_of_rows, PHOTO, by(table(parse_order("D"))), parse_order("SHDC"), 1)
    assert ("AH", "AD") in wrong.values["wrong"]


def test_a_pack_whose_suits_look_alike_to_the_reader_is_not_complained_of():
    said = {code: code[:-1] + "S" for code in parse_order("C")[0]}
    assert find_contradictions(assign_codes(table(parse_order("SC"), said=said), parse_order("SC"))) == []


@pytest.mark.parametrize(
    ("rows", "misfit", "values"),
    [
        ([parse_order("S")[0][:12]], LayoutFault.ROW, {"row": 1, "n": 12, "wanted": 13}),
        ([], LayoutFault.NOTHING, {}),
        ([*parse_order("S"), *parse_order("H"), *parse_order("D")], LayoutFault.ROWS, {"row": 3, "n": 13}),
    ],
)
def test_rows_that_do_not_fit_have_a_name(rows, misfit, values):
    wrong = refused(cut_cards_of_rows, PHOTO, by(table(rows)), parse_order("SH"), 0)
    assert (wrong.misfit, wrong.values) == (misfit, values)


def test_a_card_that_is_surely_another_is_learned_only_on_a_persons_word():
    assert [code for code, _ in cut_shown_card(PHOTO, by(shown({"_9H": 0.97})), "9H")] == ["9H"]
    another = by(shown({"_8H": 0.97}))
    assert refused(cut_shown_card, PHOTO, another, "9H").values["wrong"] == (("9H", "8H"),)
    assert [code for code, _ in cut_shown_card(PHOTO, another, "9H", True)] == ["9H"]
    assert [code for code, _ in cut_shown_card(PHOTO, by(shown({"_8H": 0.6, "_9H": 0.3})), "9H")] == ["9H"]
    assert refused(cut_shown_card, PHOTO, by([]), "9H").misfit is LayoutFault.NOTHING


def test_jokers_and_backs_are_what_they_are_said_to_be():
    unknown = {"back": 0.5, "JOKER": 0.4}
    assert [code for code, _ in cut_alike_cards(PHOTO, by(shown(unknown, unknown)), "JOKER")] == ["JOKER", "JOKER"]
    assert [code for code, _ in cut_alike_cards(PHOTO, by(shown(unknown)), "back")] == ["back"]
    assert refused(cut_alike_cards, PHOTO, by(shown({"back": 0.98})), "JOKER").values["wrong"] == (("JOKER", "back"),)
    assert refused(cut_alike_cards, PHOTO, by([]), "back").misfit is LayoutFault.NOTHING
    many = refused(cut_alike_cards, PHOTO, by(table(parse_order("S"))), "JOKER")
    assert (many.misfit, many.values) == (LayoutFault.MANY, {"n": 13, "most": 4})


def test_shown_cards_go_through_the_detectors_own_chain():
    told = by(shown({"_KH": 0.97}))
    (card,) = EnrolmentDetector(told).detect(Frame(PHOTO, 0.0))
    assert (card.code, card.read) == ("KH", True)
