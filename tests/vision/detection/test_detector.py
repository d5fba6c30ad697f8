"""What is done with the networks' answers, and the whole chain where networks are at hand."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.cards import back, face, picture, quad
from vision.detection.detector import (
    CannedDetector,
    CardDetector,
    judge_outline,
    merge_duplicates,
    rank_readings,
    without_tables,
)
from vision.detection.engines import open_detector
from vision.detection.finder import (
    AGREEING,
    Outline,
    average_agreeing,
    box_corners,
    letterbox,
    select_candidates,
    suppress_overlaps,
)
from vision.detection.weights import ReadAbove, load_weights, models_folder
from vision.geometry import area, as_quad, bounds, overlap, upright
from vision.images import straighten
from vision.types import BACK, CLASSES, NOT_A_CARD, FoundCard, Frame, Side, VisionError


def p(**named):
    """Probabilities of CLASSES; `no` is not-a-card."""
    row = np.zeros(len(CLASSES))
    for name, value in named.items():
        row[CLASSES.index({"no": NOT_A_CARD, "back": BACK}.get(name, name.removeprefix("_")))] = value
    return row


FACE, DOWN = Outline(quad(100, 100), Side.FACE, 0.8), Outline(quad(100, 100), Side.BACK, 0.8)


def test_a_sure_reading_is_stood_by_with_its_alternatives():
    card = judge_outline(FACE, p(QH=0.9, QD=0.08, KH=0.0005), ReadAbove(0.6, 0.6))
    assert card.read and card.code == "QH" and card.p == pytest.approx(0.9)
    assert [reading.code for reading in card.readings] == ["QH", "QD"]


def test_an_unsure_reading_is_handed_on_but_not_stood_by():
    card = judge_outline(FACE, p(_9C=0.4, _6C=0.38), ReadAbove(0.6, 0.6))
    assert card.side is Side.FACE and not card.read and card.code == "9C"


@pytest.mark.parametrize(
    ("outline", "row", "side"),
    [
        (FACE, p(no=0.9), None),
        (DOWN, p(no=0.9), None),
        (FACE, p(back=0.9), Side.BACK),
        (DOWN, p(back=0.9), Side.BACK),
        (DOWN, p(_9C=0.95), Side.FACE),
        (DOWN, p(_9C=0.4, back=0.4), Side.BACK),
        (FACE, p(_9C=0.4, no=0.45), Side.FACE),
    ],
)
def test_the_reader_may_overrule_the_finder(outline, row, side):
    card = judge_outline(outline, row, ReadAbove(0.6, 0.6))
    assert (card and card.side) is side
    assert side is not Side.BACK or card.readings == ()


def test_at_most_five_readings_are_handed_on():
    assert len(rank_readings(np.full(len(CLASSES), 1 / 55))) == 5
    assert rank_readings(p(JOKER=1.0))[0].code == "JOKER"


def test_one_physical_card_is_left_once():
    half = FoundCard(quad(100, 85, 50, 40), Side.FACE, 0.7, face("3S").readings, read=True)
    cards = merge_duplicates([face("9H", 100, 100, 0.6), face("9H", 110, 104, 0.9), half, back(300)])
    assert [card.code for card in cards] == ["9H", None]
    assert cards[0].p == 0.9


def test_neighbours_and_stacked_cards_stay_apart():
    assert len(merge_duplicates([face("9H", 100), face("9C", 130), face("KD", 160)])) == 3
    assert len(merge_duplicates([face("9H", 100), face("9H", 160)])) == 2


def test_a_card_that_a_shadow_cuts_in_two_is_one_card():
    rest, strip = quad(100, 120, 60, 60), quad(100, 77, 60, 28)

    def parts(first, second):
        return [replace(face(first), quad=rest), replace(face(second, p=0.7), quad=strip)]

    (whole,) = merge_duplicates(parts("AH", "AH"))
    assert whole.quad == rest
    assert len(merge_duplicates(parts("AH", "AD"))) == 2
    aside = replace(face("AH"), quad=quad(190, 77, 60, 28))
    assert len(merge_duplicates([parts("AH", "AH")[0], aside])) == 2
    # Two jokers side by side are two cards: neither is a strip.
    assert len(merge_duplicates([face("JOKER", 100), face("JOKER", 161)])) == 2


def test_canned_answers_come_in_order_and_the_last_one_stays():
    canned, frame = CannedDetector([[face("9H")], []]), Frame(picture(), 0.0)
    assert [len(canned.detect(frame)) for _ in range(3)] == [1, 0, 0]
    assert CannedDetector([]).detect(frame) == ()


def test_a_turned_box_has_its_corners_in_order():
    turned = as_quad(box_corners(np.array([[50, 50, 40, 20, np.pi / 2]]))[0])
    assert bounds(turned) == pytest.approx((40, 30, 60, 70)) and area(turned) == pytest.approx(800)


def test_the_letterbox_fits_any_shape_and_can_be_undone():
    for size in ((1280, 720), (720, 1280), (300, 300), (5000, 40)):
        boxed, scale, left, top = letterbox(
            picture(0, size) if size[1] > 40 else np.zeros((40, 5000, 3), np.uint8), 416, 416
        )
        assert boxed.shape == (416, 416, 3)
        assert left + size[0] * scale + left == pytest.approx(416, abs=2) or top > 0
        assert (boxed[0, 0] == 114).all() or (left == top == 0)


def output(*rows):
    """A network's output: each row is x, y, width, height, face, back, angle."""
    return np.array(rows, dtype=np.float32).T


def test_candidates_below_the_threshold_are_left_out_and_the_best_come_first():
    boxes, scores, backs = select_candidates(
        output([9, 9, 4, 6, 0.4, 0.1, 0], [5, 5, 4, 6, 0.1, 0.9, 1], [1, 1, 4, 6, 0.1, 0.1, 0]), 0.3
    )
    assert scores.tolist() == pytest.approx([0.9, 0.4]) and backs.tolist() == [True, False]
    assert boxes[0].tolist() == [5, 5, 4, 6, 1]


def test_overlapping_outlines_are_one_card_whichever_way_they_are_written():
    boxes = np.array([[50, 50, 40, 60, 0], [51, 50, 60, 40, np.pi / 2], [150, 50, 40, 60, 0.3]], dtype=np.float32)
    assert suppress_overlaps(box_corners(boxes), np.array([0.8, 0.9, 0.7], dtype=np.float32), 0.5) == [1, 2]
    assert suppress_overlaps(box_corners(boxes[:0]), np.array([], dtype=np.float32), 0.5) == []


def test_candidates_that_agree_are_averaged_by_their_scores():
    quads = [quad(100, 100), quad(104, 100)[1:] + quad(104, 100)[:1], quad(130, 100)]
    mean = average_agreeing(np.array(quads), np.array([0.5, 0.5, 0.9], dtype=np.float32), 0)
    assert np.allclose(mean, quad(102, 100))


def test_suppression_and_averaging_are_what_they_are_written_out_one_by_one():
    """The quick way against the plain one, to the last bit, on heaps of outlines that agree more or less."""
    chance = np.random.default_rng(4)
    centres = chance.uniform(100, 500, (6, 2)).repeat(5, axis=0) + chance.normal(0, 4, (30, 2))
    boxes = np.c_[centres, chance.normal((60, 90), 3, (30, 2)), chance.choice([0.3, 0.3 + np.pi / 2], 30)]
    quads, scores = box_corners(boxes.astype(np.float32)), chance.uniform(0.3, 1, 30).astype(np.float32)
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        if all(overlap(as_quad(quads[i]), as_quad(quads[k]))[0] <= 0.6 for k in kept):
            kept.append(i)
    assert suppress_overlaps(quads, scores, 0.6) == kept and len(kept) >= 6
    for i in kept:
        mine = as_quad(quads[i])
        near = [k for k in range(30) if overlap(as_quad(quads[k]), mine)[0] > AGREEING]
        turns = [min((np.roll(quads[k], n, axis=0) for n in range(4)), key=from_(mine)) for k in near]
        assert average_agreeing(quads, scores, i) == as_quad(np.average(turns, axis=0, weights=scores[near]))
        assert len(near) >= 1


def from_(quad):
    return lambda corners: np.abs(corners - np.float32(quad)).sum()


def test_a_card_is_straightened_with_a_short_side_on_top():
    card = np.full((120, 80, 3), 255, dtype=np.uint8)
    card[5:25, 5:20] = (0, 0, 200)
    table = np.full((400, 400, 3), 60, dtype=np.uint8)
    table[100:180, 100:220] = np.rot90(card)
    lying = ((100.0, 100.0), (220.0, 100.0), (220.0, 180.0), (100.0, 180.0))
    straight = straighten(table, lying, 64)
    ways = [
        np.abs(straight.astype(int) - straighten(card, ((0, 0), (80, 0), (80, 120), (0, 120)), 64)[::s, ::s]).mean()
        for s in (1, -1)
    ]
    assert straight.shape == (64, 64, 3) and min(ways) < 2


def test_fine_strokes_survive_a_strong_reduction():
    stripes = np.zeros((1024, 1024, 3), dtype=np.uint8)
    stripes[:, ::8] = 255
    straight = straighten(stripes, ((0, 0), (1024, 0), (1024, 1024), (0, 1024)), 64)
    assert straight.mean() == pytest.approx(255 / 8, abs=3) and straight.std() < 12


def test_a_mirrored_outline_does_not_mirror_the_card():
    forward, backward = quad(100, 100), quad(100, 100)[::-1]
    assert area(upright(backward)) > 0 and overlap(forward, backward) == pytest.approx((1, 1))


def test_an_outline_over_the_edge_is_cut_without_complaint():
    assert straighten(picture(), quad(0, 0), 32, margin=0.1).shape == (32, 32, 3)


def test_engines_and_weights_that_do_not_exist(tmp_path):
    with pytest.raises(VisionError, match="no engine magic"):
        open_detector(None, "magic")
    with pytest.raises(VisionError, match="manifest"):
        open_detector(tmp_path)


@pytest.fixture(scope="module")
def networks():
    try:
        return CardDetector.load(load_weights(models_folder()))
    except VisionError as error:
        pytest.skip(str(error))


def test_the_networks_see_nothing_in_an_empty_picture(networks):
    assert networks.detect(Frame(np.full((720, 1280, 3), 90, dtype=np.uint8), 0.0)) == ()


def test_the_networks_give_probabilities(networks):
    rows = networks.reader.read(picture(), [quad(100, 100), quad(200, 120)])
    assert rows.shape == (2, len(CLASSES)) and rows.sum(axis=1) == pytest.approx([1, 1], abs=1e-3)
    assert networks.reader.read(picture(), []).shape == (0, len(CLASSES))


def test_an_outline_that_holds_two_others_is_no_card():
    table = FoundCard(((0.0, 0.0), (900.0, 0.0), (900.0, 900.0), (0.0, 900.0)), Side.BACK, 0.9)
    cards = [face("9H", 100, 100), face("QS", 400, 300)]
    assert without_tables([table, *cards]) == cards
    assert without_tables([table, cards[0]]) == [table, cards[0]]
