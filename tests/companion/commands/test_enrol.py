"""`warref enrol` and `--pack` as a family calls them; the learning itself is tested beside vision.pack."""

import hashlib
import json
import os
import subprocess
import sys

import cv2
import numpy as np
import pytest

from tests.companion.test_cli import ROOT, check_sentence, command, environment
from tests.vision.packs.test_pack import pack, weights  # noqa: F401
from vision.detection.weights import load_weights
from vision.lab.render.decks.catalogue import made_deck
from vision.lab.render.scenes.scene import compose_rows
from vision.lab.render.scenes.surfaces import any_surface
from vision.packs import pack as packs
from vision.packs.row_layout import parse_order


@pytest.fixture
def warref(tmp_path):
    def run(*words):
        words = command(*words, folder=tmp_path)
        return subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment(tmp_path))

    return run


@pytest.fixture
def folder(tmp_path):
    """Where the program keeps packs, under `environment`."""
    code = "from companion.defaults import packs_folder; print(packs_folder())"
    words = [sys.executable, "-c", code]
    run = subprocess.run(words, capture_output=True, text=True, env=environment(tmp_path), check=True)
    return tmp_path / run.stdout.strip()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ((), 2, "Say one thing"),
        (("--list", "--forget", "family"), 2, "Say one thing"),
        (("--forget", "family"), 1, "There is no pack family; enrolled: none."),
        (("a.jpg", "--order", "SSHD"), 2, "order SSHD is not understood"),
        (("a.jpg", "--name", "../family"), 2, "cannot be used"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(warref, words, code, says):
    check_sentence(warref("enrol", *words), code, says)


def test_packs_are_listed_newest_first_and_forgotten(warref, pack, folder):  # noqa: F811
    for name, age in (("old", 60), ("new", 0)):
        path = packs.save_pack(packs.Pack(name, *[getattr(pack, key) for key in pack.__slots__[1:]]), folder)
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - age))
    listed = [json.loads(line) for line in warref("enrol", "--list", "--json").stdout.splitlines()]
    assert [(line["pack"], line["used"]) for line in listed] == [("new", True), ("old", False)]
    assert warref("enrol", "--forget", "new").returncode == 0
    assert "old" in (said := warref("enrol", "--list").stdout) and "new" not in said


def test_a_pack_of_other_networks_is_told_of_and_reading_goes_on(warref, pack, folder):  # noqa: F811
    packs.save_pack(pack, folder)
    picture = ROOT / "sample_images" / "pair.jpg"
    without, with_it = warref("read", picture, "--json", "--pack", "none"), warref("read", picture, "--json")
    assert (with_it.returncode, with_it.stdout) == (0, without.stdout) and without.stderr == ""
    assert "other networks" in with_it.stderr and with_it.stderr.count("\n") == 1
    check_sentence(warref("read", picture, "--pack", "ours"), 2, "There is no pack ours; enrolled: family.")


@pytest.fixture
def models(weights, tmp_path):  # noqa: F811
    """A folder with networks that can enrol."""
    folder = tmp_path / "models"
    folder.mkdir()
    own = load_weights().folder
    manifest = (own / "manifest.toml").read_text()
    for name in ("finder.onnx", "reader.onnx"):
        source = weights.reader.path if name == "reader.onnx" else own / name
        (folder / name).write_bytes(source.read_bytes())
    new = hashlib.sha256((folder / "reader.onnx").read_bytes()).hexdigest()
    (folder / "manifest.toml").write_text(manifest.replace(load_weights().reader.sha256, new))
    return folder


def laid(rows, size=(1280, 720)):
    rng = np.random.default_rng(3_000_029)
    return compose_rows(rng, made_deck(3_000_029), any_surface(rng), rows, size, 0.2)[0]


def film(path, tables):
    """Each table for two seconds."""
    height, width = tables[0].shape[:2]
    video = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 10, (width, height))
    for image in tables:
        for _ in range(20):
            video.write(image)
    video.release()


@pytest.mark.slow
def test_a_pack_laid_in_rows_is_enrolled_and_used(warref, models, tmp_path):
    """From one picture of 52 cards, taken from the other side of the table."""
    cv2.imwrite(str(tmp_path / "pack.jpg"), cv2.rotate(laid(parse_order()), cv2.ROTATE_180))
    run = warref("enrol", "pack.jpg", "--weights", "models", "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["cards"] == 52
    read = warref("read", "pack.jpg", "--weights", "models", "--json")
    line = json.loads(read.stdout)
    assert read.stderr == "" and len({card["code"] for card in line["cards"]}) >= 48


@pytest.mark.slow
def test_rows_laid_before_a_camera_are_taken_as_they_come(warref, models, tmp_path):
    """One row, then another below it, then the last one in their place."""
    rows = parse_order("SHD:JQKA")
    film(tmp_path / "table.avi", [laid(some, (640, 480)) for some in (rows[:1], rows[:2], rows[2:])])
    run = warref("enrol", "--source", "table.avi", "--order", "SHD:JQKA", "--weights", "models", "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["codes"] == sorted(code for row in rows for code in row)
    assert [word for word in ("JS", "JH", "JD") if f"{word} … A{word[1]}" in run.stderr] == ["JS", "JH", "JD"]


@pytest.mark.slow
def test_a_folder_of_rows_is_enrolled_like_a_camera(warref, models, tmp_path):
    (tmp_path / "rows").mkdir()
    for number, suits in enumerate(("SH", "DC")):
        cv2.imwrite(str(tmp_path / "rows" / f"{number}.jpg"), laid(parse_order(suits)))
    run = warref("enrol", "--source", "rows", "--weights", "models", "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["cards"] == 52


@pytest.mark.slow
@pytest.mark.parametrize(("ranks", "code", "says"), [("JQK", 0, "Show KS"), ("JQKA", 1, "still missing: AS")])
def test_cards_are_shown_to_a_camera_one_by_one(warref, models, tmp_path, ranks, code, says):
    film(tmp_path / "cards.avi", [laid([[card]], (640, 480)) for card in ("JS", "QS", "KS")])
    words = ("enrol", "--source", "cards.avi", "--each", "--order", f"S:{ranks}", "--weights", "models", "--json")
    run = warref(*words)
    assert run.returncode == code and says in run.stderr and "Traceback" not in run.stderr
    assert not run.stdout if code else json.loads(run.stdout)["codes"] == ["JS", "KS", "QS"]
