"""Scoring over labelled photos: every count, and agreement with the outside scorer on real photographs."""

import json
import random
import subprocess
import sys

import cv2
import pytest

from tests.vision.cards import SHARED, back, face, picture, quad
from vision.lab.evaluation.evaluate import evaluate, map50
from vision.lab.evaluation.labels import Label, Photo, load_labels
from vision.lab.evaluation.report import format_scores
from vision.lab.evaluation.scoring import score
from vision.read import read_lines
from vision.types import FoundCard, Reading, Side, VisionError

PHOTOS = SHARED / "real_photos"


def photo(*codes, complete=True, **more):
    labels = tuple(Label(code, (100 * i, 0, 100 * i + 60, 90)) for i, code in enumerate(codes))
    return Photo("a.jpg", "home", complete, more.pop("corners", False), (1000, 500), labels, **more)


def at(code, place, p=0.9):
    """A card that covers the label of that place."""
    return face(code, 100 * place + 30, 45, p)


def test_codes_and_ranks_are_counted_as_multisets():
    result = score(photo("9H", "9C", "KD"), [at("9H", 0), at("9S", 1), at("9D", 2), back(300)], (1000, 500))
    assert [w.exact for w in result.wanted] == [True, False, False]
    assert [w.rank for w in result.wanted] == [True, True, False]
    assert [c.rank for c in result.said] == [True, True, False]
    assert sorted(result.confusions) == [("9C", "9S"), ("KD", "9D")]
    assert not result.right and not result.rank_right


def test_a_photo_is_right_with_exactly_its_cards():
    assert score(photo("9H", "KD"), [at("KD", 1), at("9H", 0)], (1000, 500)).right
    assert not score(photo("9H"), [at("9H", 0), at("KD", 1)], (1000, 500)).rank_right
    assert score(photo("9H"), [at("9S", 0)], (1000, 500)).rank_right


def test_faces_not_stood_by_do_not_count_as_said():
    result = score(photo("9H"), [at("9H", 0, 0.3)], (1000, 500))
    assert not result.said and not result.wanted[0].exact and result.unsure[0].exact


def test_an_unread_photo_is_all_missed():
    result = score(photo("9H"), None, (1000, 500))
    assert result.unread and not result.wanted[0].exact and not result.right


def test_corner_labels_count_a_card_once():
    result = score(photo("9H", "9H", "KD", corners=True, complete=False), [at("9H", 0)], (1000, 500))
    assert [w.exact for w in result.wanted] == [True, False]


def test_printed_art_is_no_false_alarm_also_at_another_size():
    art = photo("9H", ignore=((500, 0, 700, 200),))
    assert score(art, [at("9H", 0), at("AS", 6)], (1000, 500)).right
    assert score(art, [face("9H", 60, 90), face("AS", 1200, 90)], (2000, 1000)).right


def test_a_wanted_card_counts_also_where_an_area_to_ignore_reaches_over_it():
    under = photo("9H", ignore=((0, 0, 700, 200),))
    assert score(under, [at("9H", 0), at("AS", 6)], (1000, 500)).right


def test_map50_is_one_for_perfect_boxes_and_falls_with_false_alarms():
    right = score(photo("9H", "KD"), [at("9H", 0), at("KD", 1)], (1000, 500))
    wrong = score(photo("9H", "KD"), [at("9H", 1, 0.95), at("9H", 0)], (1000, 500))
    assert map50([right]) == 1 and map50([wrong]) == pytest.approx(0.25)
    assert map50([score(photo("9H", corners=True), [], (1000, 500))]) is None


def test_map50_may_leave_out_overlapped_labels():
    crossing = Photo("a", "s", True, False, (500, 500), (Label("9H", (0, 0, 60, 90)), Label("KD", (30, 0, 90, 90))))
    alone = Photo("b", "s", True, False, (500, 500), (Label("9H", (0, 0, 60, 90)),))
    scores = [score(crossing, [], (500, 500)), score(alone, [at("9H", 0)], (500, 500))]
    assert map50(scores) == pytest.approx(0.25) and map50(scores, clear_only=True) == 1


@pytest.fixture
def labelled(tmp_path):
    lines = [
        {"file": "a.png", "source": "home/x", "complete": True, "cards": [{"code": "9H", "box": [0, 0, 60, 90]}]},
        {"file": "b.png", "source": "away/y", "complete": False, "cards": [{"code": "KD", "box": None}]},
        {"file": "gone.png", "source": "away/y", "complete": True, "cards": [{"code": "10S", "box": [0, 0, 60, 90]}]},
    ]
    (tmp_path / "m.jsonl").write_text(
        "".join(json.dumps({**line, "width": 320, "height": 240}) + "\n" for line in lines)
    )
    for name in "ab":
        cv2.imwrite(str(tmp_path / f"{name}.png"), picture())
    return tmp_path / "m.jsonl"


class Named:
    """A detector with an answer for each file name."""

    model_hash = "named"

    def __init__(self, answers):
        self.answers = answers

    def detect(self, frame):
        return self.answers.get(frame.name, ())


def test_the_tables_go_by_source(labelled):
    result = evaluate(labelled, Named({"a.png": [at("9S", 0)], "b.png": [at("KD", 0)]}))
    home, away = result["sources"]["home"], result["sources"]["away"]
    assert (home["recall"], home["rank_recall"], home["precision"]) == (0, 1, 0)
    assert (away["cards"], away["unread"], away["recall"], away["precision"]) == (2, 1, 0.5, None)
    assert result["macro"]["rank_recall"] == pytest.approx(0.75)
    assert result["by_rank"]["9"]["rank_precision"] == 1 and result["by_suit"]["H"]["recall"] == 0
    assert result["by_height"] == {"below 120": {"cards": 2, "recall": 0, "rank_recall": 0.5}}
    assert result["confusions"] == [{"is": "9H", "said": "9S", "cards": 1}]
    json.dumps(result)
    assert "mean of sources" in format_scores(result) and "9H as 9S" in format_scores(result)


def test_labels_that_cannot_be_understood_are_named_by_line(labelled):
    labelled.write_text(labelled.read_text() + "{}\n")
    with pytest.raises(VisionError, match="Line 4"):
        load_labels(labelled)
    with pytest.raises(VisionError, match="cannot be read"):
        load_labels(labelled.parent / "none.jsonl")


def guesses(photo, chance):
    """Answers that are right, of the wrong suit, unsure, made up or missing, as chance will have it."""
    for label in photo.labels:
        code = chance.choice([label.code] * 3 + [label.code[:-1] + "S", "2C", None])
        left, top, right, bottom = label.box or (10, 10, 60, 90)
        if code:
            outline = quad((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)
            yield FoundCard(outline, Side.FACE, 0.9, (Reading(code, chance.random()),), read=chance.random() < 0.9)


def outside_score(labels, lines, tmp_path):
    """Recall, rank recall, precision, rank precision, photos right and ranks right by source, by score.py."""
    read = tmp_path / "read.jsonl"
    read.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = [sys.executable, str(PHOTOS / "score.py"), str(labels), str(read)]
    table = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[1:]
    rows = [line.split() for line in table if not line.startswith(("confusions", "MACRO"))]
    return {row[0]: [None if cell == "-" else float(cell) for cell in row[3:9]] for row in rows}


def test_the_totals_agree_with_the_outside_scorer(tmp_path):
    if not PHOTOS.is_dir():
        pytest.skip("The labelled photographs do not lie beside this checkout.")
    lines = [json.loads(line) for line in (PHOTOS / "manifest.jsonl").read_text().splitlines()]
    chosen = random.Random(4).sample(lines, 24) + [line for line in lines if "MrKeSuu" in line["source"]][:2]
    (tmp_path / "photos").symlink_to(PHOTOS)
    chosen[3]["file"] = "none.jpg"
    labels = tmp_path / "photos.jsonl"
    labels.write_text("".join(json.dumps({**line, "file": f"photos/{line['file']}"}) + "\n" for line in chosen))
    chance = random.Random(5)
    detector = Named({photo.path.name: tuple(guesses(photo, chance)) for photo in load_labels(labels)})
    read = read_lines([tmp_path / "photos" / line["file"] for line in chosen], detector)
    outside = outside_score(
        labels, [{**line, "file": line["file"].split(f"{tmp_path}/")[1]} for line in read], tmp_path
    )
    ours = evaluate(labels, detector)["sources"]
    assert len(outside) >= 3
    for name, theirs in outside.items():
        row = ours["artyom-morozov" if name == "small" else name]
        figures = ("recall", "rank_recall", "precision", "rank_precision", "photo_right", "photo_rank_right")
        assert [row[figure] for figure in figures] == pytest.approx(theirs, abs=0.0006)
