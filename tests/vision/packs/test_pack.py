"""Enrolling a pack: what is learned, how it weighs, where it is kept, and the rows it is laid in."""

import json
from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from vision.detection.detector import CardDetector
from vision.detection.finder import Outline
from vision.detection.weights import ReadAbove, load_weights, models_folder
from vision.detection.zoom import find_in_tiles
from vision.geometry import as_quad
from vision.lab.evaluation.enrolment_gain import evaluate_enrolled
from vision.lab.evaluation.enrolment_gain import format_gain as report_enrolled
from vision.lab.render.decks.catalogue import made_deck
from vision.lab.render.scenes.scene import compose_rows
from vision.lab.render.scenes.surfaces import any_surface
from vision.packs import pack as packs
from vision.packs.enrol import (
    EnrolmentDetector,
    EnrolmentNetworks,
    build_pack,
    cut_cards_laid,
    cut_cards_of_rows,
    cut_largest_card,
    cut_named_cards,
    enrolment_networks,
    parse_file_name,
    perturb_card,
)
from vision.packs.pack import PackError, learn_pack
from vision.packs.row_layout import ReadOutline, assign_codes, find_contradictions, find_rows, parse_order
from vision.types import CLASSES, Frame, Side, VisionError

LENGTH = 200


def features(seed, count=6, noise=0.1):
    """A card's features in several pictures: its own direction, and a little of what pictures differ in."""
    own = np.random.default_rng((5, seed)).normal(size=LENGTH)
    chance = np.random.default_rng((6, seed))
    shared = np.random.default_rng(7).normal(size=(3, LENGTH))
    rows = own + chance.normal(size=(count, 3)) @ shared + noise * chance.normal(size=(count, LENGTH))
    return rows.astype(np.float32)


def picture(seed, size=64):
    """A card of its own: bright, with large patches of colour."""
    patches = np.random.default_rng((8, seed)).integers(0, 255, (8, 6, 3), dtype=np.uint8)
    return cv2.copyMakeBorder(cv2.resize(patches, (size - 8, size - 8)), *4 * [4], cv2.BORDER_CONSTANT, value=3 * [240])


#: What resembles no card.
BLANK = np.full((1, 64, 64, 3), 230, np.uint8)


def unsure(**named):
    row = np.full(len(CLASSES), 1e-4)
    for code, value in named.items():
        row[CLASSES.index(code.removeprefix("_"))] = value
    return (row / row.sum()).astype(np.float32)[None]


@pytest.fixture
def pack():
    codes = ("JH", "QH", "KH", "9C")
    return learn_pack("family", "f" * 64, [(code, features(i), picture(i)) for i, code in enumerate(codes)])


def test_a_card_that_the_reader_misreads_is_known_by_the_pack(pack):
    misread = unsure(QH=0.6, JH=0.3)
    mixed = pack.mixed(misread, features(0, 9)[8:], BLANK)
    assert CLASSES[mixed[0].argmax()] == "JH" and mixed[0].max() > 0.9
    assert mixed.sum() == pytest.approx(1, abs=1e-5)


def test_what_resembles_no_enrolled_card_is_left_to_the_reader(pack):
    for said in (unsure(_5D=0.8, _9C=0.1), unsure(back=0.9), unsure(QH=0.7, JH=0.2)):
        mixed = pack.mixed(said, features(77, 1), picture(77)[None])
        assert mixed[0].argmax() == said[0].argmax() and mixed[0].max() == pytest.approx(said[0].max(), abs=0.1)


def held(card, turn=0.0, scale=1.0, shift=(0, 0), dark=1.0, quarters=0):
    """The card as another frame shows it: turned by degrees, larger, moved by pixels, darker; rolled by quarters."""
    matrix = cv2.getRotationMatrix2D((31.5, 31.5), turn, scale)
    matrix[:, 2] += shift
    moved = cv2.warpAffine(card, matrix, (64, 64), borderMode=cv2.BORDER_REPLICATE)
    return np.ascontiguousarray(np.rot90((moved * dark).astype(np.uint8), quarters))[None]


@pytest.mark.parametrize(
    "how",
    [{}, {"turn": 4}, {"scale": 1.06, "shift": (2, -3)}, {"dark": 0.3}, {"quarters": 2}, {"quarters": 1, "turn": -3}],
)
def test_cards_that_features_cannot_tell_apart_are_told_by_their_pictures(pack, how):
    between = (features(0, 1) + features(1, 1)) / 2
    for said in (unsure(QH=0.6, JH=0.3), unsure(QH=0.3, JH=0.6)):
        for seed, code in enumerate(("JH", "QH")):
            mixed = pack.mixed(said, between, held(picture(seed), **how))
            assert CLASSES[mixed[0].argmax()] == code and mixed[0].max() > 0.85


def test_a_picture_says_nothing_where_the_reader_is_sure_or_no_rival_is_enrolled(pack):
    sure = unsure(KH=0.99, QH=0.005)
    assert np.array_equal(pack.mixed(sure, features(2, 1), picture(1)[None]), pack.by_features(sure, features(2, 1)))
    apart = unsure(_5D=0.5, _4D=0.5)[0]
    assert np.allclose(pack.by_picture(apart, picture(1)), apart, atol=1e-6)


@pytest.mark.parametrize("colour", [0, 114, 255])
def test_a_picture_of_nothing_changes_nothing(pack, colour):
    p = unsure(QH=0.6, JH=0.3)[0]
    assert np.allclose(pack.by_picture(p, np.full((64, 64, 3), colour, np.uint8)), p, atol=0.02)


def test_a_pack_is_kept_as_it_was_and_forgotten(pack, tmp_path):
    path = packs.save_pack(pack, tmp_path / "packs")
    again = packs.load_pack(path, pack.reader)
    p, seen = unsure(QH=0.6, JH=0.3), features(0, 1)
    for card in (BLANK, picture(1)[None]):
        assert np.allclose(again.mixed(p, seen, card), pack.mixed(p, seen, card), atol=2e-3)
    assert packs.list_packs(path.parent) == ("family",) and [one.name for one in path.parent.iterdir()] == [
        "family.npz"
    ]
    packs.delete_pack(path.parent, "family")
    assert packs.list_packs(path.parent) == ()
    with pytest.raises(VisionError, match="no pack family"):
        packs.delete_pack(path.parent, "family")


def test_damaged_and_foreign_packs_are_refused_in_a_sentence(pack, tmp_path):
    path = packs.save_pack(pack, tmp_path)
    with pytest.raises(PackError, match="other networks"):
        packs.load_pack(path, "0" * 64)
    whole = path.read_bytes()
    for content in (b"", b"no pack", whole[: len(whole) // 2], whole[:-200] + b"\0" * 200):
        path.write_bytes(content)
        with pytest.raises(PackError, match="damaged"):
            packs.load_pack(path, pack.reader)
    for version, says in ((packs._FORMAT, "damaged"), (1, "another version")):
        np.savez(path, format=version, reader=pack.reader, codes=np.array(["JH"]), middle=np.zeros(3))
        with pytest.raises(PackError, match=says):
            packs.load_pack(path, pack.reader)
    for name in ("", "../x", "a/b", ".hidden"):
        with pytest.raises(VisionError, match="cannot be used"):
            packs.pack_file(tmp_path, name)


# --- rows -----------------------------------------------------------------------------------------


def table(codes, turn=0.0, tilt=0.0, said=None):
    """Cards in rows, the whole turned by degrees and seen at a slant; each read as `said` tells, else as it is."""
    seen = []
    for down, row in enumerate(codes):
        for across, code in enumerate(row):
            x, y = across * 80 - 480, down * 110 - 165
            corners = np.array([[-30, -45], [30, -45], [30, 45], [-30, 45]]) + (x, y)
            corners = corners * (1 + tilt * corners[:, 1:] / 500)
            c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
            quad = tuple(map(tuple, (corners @ np.array([[c, s], [-s, c]]) + 700).tolist()))
            seen.append(ReadOutline(quad, Side.FACE, unsure(**{"_" + (said or {}).get(code, code): 0.97})[0]))
    order = np.random.default_rng(1).permutation(len(seen))
    return [seen[i] for i in order]


@pytest.mark.parametrize("turn", [0, 8, -12, 90, 180, 270, 172])
@pytest.mark.parametrize("tilt", [0.0, 0.35])
def test_rows_are_told_from_any_side(turn, tilt):
    places = assign_codes(table(parse_order(), turn, tilt), parse_order())
    assert len(places) == 52 and all(CLASSES[int(place.seen.p.argmax())] == place.code for place in places)


def test_a_pack_that_is_read_wrongly_is_placed_all_the_same():
    said = {code: "5D" for code in CLASSES[:52] if code[0] in "AJQK"}
    seen = table(parse_order(), said=said)
    places = assign_codes(seen, parse_order())
    left_to_right = sorted((p for p in places if p.code[-1] == "S"), key=lambda p: p.seen.quad[0][0])
    assert [place.code for place in left_to_right] == list(parse_order()[0])
    assert find_contradictions(places) == []


def test_cards_in_each_others_places_are_named():
    places = assign_codes(table(parse_order(), said={"7H": "8H", "8H": "7H"}), parse_order())
    assert sorted(find_contradictions(places)) == [("7H", "8H"), ("8H", "7H")]


def test_rows_that_do_not_fit_are_told():
    lacking = [row[:12] if row[0] == "AD" else row for row in parse_order()]
    with pytest.raises(VisionError, match="Row 3 has 12 cards, not 13"):
        assign_codes(table(lacking), parse_order())
    assert [len(row) for row in find_rows([one.quad for one in table(lacking)])] == [13, 13, 12, 13]


class Told:
    """Finder and reader that see what they are told."""

    net = SimpleNamespace(size=16, margin=0.0)

    def __init__(self, seen):
        self._seen = seen

    def find(self, image):
        return [Outline(one.quad, one.side, 0.9) for one in self._seen] if image.shape == PHOTO.shape else []

    def read(self, image, quads):
        rows = [one.p for quad in quads for one in self._seen if one.quad == quad]
        return np.stack(rows) if rows else np.zeros((0, len(CLASSES)))


PHOTO = np.zeros((1400, 1400, 3), np.uint8)


@pytest.mark.parametrize(
    ("laid", "done", "rows"),
    [("SHDC", 0, (0, 4)), ("S", 1, (0, 1)), ("H", 1, (1, 2)), ("SH", 1, (0, 2)), ("DC", 2, (2, 4)), ("HDC", 2, (1, 4))],
)
def test_rows_that_were_taken_before_are_known_again(laid, done, rows):
    """Whoever lays row below row is not quick enough for all of them to be one look."""
    misread = {"JH": "QH", "KS": "JS", "QD": "JD"}
    told = Told(table(parse_order(laid), said=misread))
    cards, found = cut_cards_of_rows(PHOTO, EnrolmentNetworks(told, told, ReadAbove()), parse_order(), done)
    assert found == range(*rows) and {code for code, _ in cards} == {code for row in parse_order(laid) for code in row}


def test_part_of_a_card_that_a_shadow_cuts_off_is_no_card_of_its_own():
    *seen, one = table(parse_order())
    top, bottom = np.array(one.quad)[[0, 1]], np.array(one.quad)[[3, 2]]
    strip, rest = (
        ReadOutline(
            as_quad(np.array([*(top + (bottom - top) * start), *(top + (bottom - top) * end)[::-1]])), one.side, one.p
        )
        for start, end in ((0, 0.33), (0.2, 1))
    )
    told = Told([*seen, strip, rest])
    cards, rows = cut_cards_laid(PHOTO, EnrolmentNetworks(told, told, ReadAbove()), parse_order())
    assert (len(cards), rows) == (52, 4)
    nothing = Told([])
    with pytest.raises(VisionError, match="No rows of cards"):
        cut_cards_laid(PHOTO, EnrolmentNetworks(nothing, nothing, ReadAbove()), parse_order())


def test_of_one_picture_the_largest_card_is_taken():
    def seen(size, **said):
        return ReadOutline(
            ((0.0, 0.0), (size, 0.0), (size, size * 1.4), (0.0, size * 1.4)), Side.FACE, unsure(**said)[0]
        )

    class ToldOfOne(Told):
        def find(self, image):
            return [Outline(one.quad, one.side, 0.9) for one in self._seen]

    image = np.zeros((400, 400, 3), np.uint8)
    image[:140, :100] = 200
    nothing = {"not-a-card": 0.9}
    for all_seen, lit in (
        ([seen(100, KH=0.9), seen(250, **nothing), seen(50, QH=0.9)], 1),
        ([seen(250, **nothing), seen(100, **nothing)], 0),
    ):
        told = ToldOfOne(all_seen)
        card = cut_largest_card(image, EnrolmentNetworks(told, told, ReadAbove()))
        assert ((card[:, 4:12] == 200).all()) == bool(lit)


def test_a_card_that_is_shown_is_one_even_if_the_reader_holds_it_for_none():
    class Shown(Told):
        def find(self, image):
            return [Outline(one.quad, one.side, score) for one, score in zip(self._seen, (0.95, 0.5), strict=True)]

    quads = [tuple((x + at, float(y)) for x, y in ((0, 0), (60, 0), (60, 90), (0, 90))) for at in (0.0, 200.0)]
    told = Shown([ReadOutline(quad, Side.FACE, unsure(**{"not-a-card": 0.9, "KH": 0.05})[0]) for quad in quads])
    detector = EnrolmentDetector(EnrolmentNetworks(told, told, ReadAbove()))
    (card,) = detector.detect(Frame(np.zeros((100, 300, 3), np.uint8), 0.0))
    assert (card.quad, card.side, card.read) == (quads[0], Side.FACE, False)


def test_part_of_the_pack_and_other_orders():
    assert {place.code[-1] for place in assign_codes(table(parse_order("SH")), parse_order())} == {"S", "H"}
    order = parse_order("HC:23456789TJQKA")
    assert (order[0][0], order[1][-1], order[0][8]) == ("2H", "AC", "10H")
    for wrong in ("", "SS", "SX", "S:22", "S:1", ":A"):
        with pytest.raises(VisionError, match="not understood"):
            parse_order(wrong)


def test_a_closer_look_finds_what_is_too_small_for_one_look():
    image = np.zeros((600, 1000, 3), np.uint8)
    spots = [(100 * i + 30, 100 * j + 30) for i in range(10) for j in range(6)]
    for x, y in spots:
        image[y : y + 40, x : x + 30] = 255

    def find(part):
        # Like a network with a small input: in the whole picture every other card is missed.
        found = cv2.connectedComponentsWithStats(part[..., 0])[2][1:]
        boxes = [(int(x), int(y), int(w), int(h)) for x, y, w, h, _ in found]
        kept = boxes[::2] if part.shape[1] == 1000 else boxes
        return [Outline(((x, y), (x + w, y), (x + w, y + h), (x, y + h)), Side.FACE, 0.9) for x, y, w, h in kept]

    assert sorted(outline.quad[0] for outline in find_in_tiles(find, image)) == sorted(spots)


def test_files_are_named_by_their_cards():
    assert (
        parse_file_name(models_folder() / "7h (2).png") == "7H"
        and parse_file_name(models_folder() / "pack.jpg") is None
    )


# --- through the networks -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """The program's own networks, the reader with its second output."""
    onnx = pytest.importorskip("onnx")
    loaded = load_weights(models_folder())
    path = tmp_path_factory.mktemp("reader") / "reader.onnx"
    model = onnx.load(loaded.reader.path)
    if not any(output.name == "features" for output in model.graph.output):
        last = next(node for node in reversed(model.graph.node) if node.op_type == "Gemm")
        model.graph.node.append(onnx.helper.make_node("Identity", [last.input[0]], ["features"]))
        model.graph.output.append(onnx.helper.make_tensor_value_info("features", onnx.TensorProto.FLOAT, None))
    onnx.save(model, path)
    return replace(loaded, reader=replace(loaded.reader, path=path))


@pytest.fixture(scope="module")
def by(weights) -> EnrolmentNetworks:
    return enrolment_networks(CardDetector.load(weights))


@pytest.fixture(scope="module")
def laid():
    rng = np.random.default_rng(3_000_005)
    return compose_rows(rng, made_deck(3_000_005), any_surface(rng), parse_order("SH"))[0]


@pytest.mark.slow
def test_a_laid_pack_is_known_in_another_light(by, laid, weights):
    cards, filled = cut_cards_laid(laid, by, parse_order())
    assert filled == 2 and [code for code, _ in cards] == [code for row in parse_order("SH") for code in row]
    pack = build_pack("family", cards, by)
    knowing = CardDetector.load(weights, pack)
    assert knowing.model_hash.endswith("+family")
    rng = np.random.default_rng(3)
    dark = np.stack([perturb_card(card, rng) for _, card in cards])
    own, _ = by.reader._classify(dark)
    p = own[:, by.reader._order]
    truth = [CLASSES.index(code) for code, _ in cards]
    before, after = (rows[np.arange(26), truth].mean() for rows in (p, pack.mixed(p, by.reader.features(dark), dark)))
    assert after > max(before, 0.9)


@pytest.mark.slow
def test_pictures_of_single_cards_are_enrolled_by_their_names(by, laid, tmp_path):
    (_, card), *_ = cut_cards_laid(laid, by, parse_order())[0][5:6]
    table = np.full((480, 640, 3), (40, 80, 40), np.uint8)
    table[150:330, 260:388] = cv2.resize(card, (128, 180))
    cv2.imwrite(str(tmp_path / "6S.png"), table)
    ((code, _),) = named = cut_named_cards([tmp_path / "6S.png"], by)
    assert code == "6S" and build_pack("one", named, by).codes == ("6S",)
    cv2.imwrite(str(tmp_path / "7S.png"), np.zeros_like(table))
    with pytest.raises(VisionError, match="no card is seen"):
        cut_named_cards([tmp_path / "7S.png"], by)


def test_a_reader_without_features_says_what_to_do(weights, by):
    if by.reader.net.path == load_weights(models_folder()).reader.path:
        pytest.skip("The program's own reader gives its features.")
    old = CardDetector.load(load_weights(models_folder()))
    if not old.reader.knows_packs:
        with pytest.raises(VisionError, match="newest version"):
            enrolment_networks(old)


@pytest.mark.slow
def test_evaluate_says_what_enrolling_does(by, laid, weights, tmp_path):
    lines = []
    for number in range(6):
        rng = np.random.default_rng(number)
        codes = ["7S", "KH"] if number % 2 else ["QH", "3S"]
        image, seen = compose_rows(rng, made_deck(3_000_005), any_surface(rng), [codes], (640, 480), 0.2)
        cv2.imwrite(str(tmp_path / f"{number}.jpg"), image)
        cards = [
            {"code": card.code, "box": [*card.quad.min(0).tolist(), *card.quad.max(0).tolist()], "box_is": "card"}
            for card in seen
        ]
        lines.append({"file": f"{number}.jpg", "source": "home", "complete": True, "cards": cards})
    text = "".join(json.dumps({**line, "width": 640, "height": 480}) + "\n" for line in [*lines, *lines[2:]])
    (tmp_path / "m.jsonl").write_text(text)
    result = evaluate_enrolled(tmp_path / "m.jsonl", CardDetector.load(weights))
    row = result["sources"]["home"]
    assert 2 <= row["enrolled"] <= 4 and row["with"]["photos"] == row["without"]["photos"] >= 5
    assert "home with" in report_enrolled(result)
