"""A pack is enrolled on the page, before a camera that sees rendered pictures of a made deck."""

from __future__ import annotations

import os

import numpy as np
import pytest

from companion import defaults
from companion.web import create_app
from tests.companion.web.enrolling_table import laid, played
from tests.companion.web.fake_table import FakeTable, scene
from vision.detection.detector import CannedDetector
from vision.detection.engines import open_detector
from vision.packs import pack as packs
from vision.packs.row_layout import parse_order

SOME = parse_order("SH:23456")
FORM = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(defaults, "packs_folder", lambda: tmp_path / "packs")
    return tmp_path / "packs"


@pytest.fixture(scope="module")
def detector():
    return open_detector()


@pytest.fixture(scope="module")
def rows():
    """Twos to sixes of spades and hearts, by their suits."""
    return {row[0][-1]: laid([row]) for row in SOME}


@pytest.fixture
def here(tmp_path, folder, detector, rows):
    with played(tmp_path, detector, rows["S"]) as here:
        yield here


# --- without the networks -----------------------------------------------------------------------------


def test_without_a_camera_the_page_says_so_in_one_sentence():
    now = scene()
    lost = now.camera.__class__(ok=False)
    table = FakeTable(scene(camera=lost, packs=now.packs.__class__(names=("family",), able=True)))
    page = create_app(table).test_client().get("/enrol").get_data(as_text=True)
    assert "A camera must show the table first: choose one on the table&#39;s page." in page
    assert "/enrol/begin" not in page and "/enrol/take" not in page and "/enrol/forget" in page


def test_networks_that_cannot_learn_a_pack_are_told_of(tmp_path, folder):
    with played(tmp_path, CannedDetector([]), np.full((90, 160, 3), 90, np.uint8)) as here:
        assert "These networks cannot learn a pack" in here.page() and "/enrol/begin" not in here.page()
        assert here.post("begin", status=409).startswith("These networks cannot learn a pack")


@pytest.mark.parametrize("path", ["begin", "way", "take", "leave-out", "back", "keep", "stop", "use", "forget"])
def test_another_page_changes_nothing(path):
    table = FakeTable(scene())
    browser = create_app(table).test_client()
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        assert browser.post(f"/enrol/{path}", json={"name": "family"}, headers=headers).status_code == 403
    assert table.acts == []
    assert browser.post(f"/enrol/{path}", data={"name": "family"}, headers=FORM).location.partition("?")[0] == "/enrol"


def test_the_page_is_reached_from_the_setup():
    assert 'href="/enrol"' in create_app(FakeTable(scene())).test_client().get("/").get_data(as_text=True)


# --- through the networks -----------------------------------------------------------------------------

slow = pytest.mark.slow


@slow
def test_a_pack_is_enrolled_row_by_row_kept_and_used_at_once(here, folder, rows):
    assert "/enrol/begin" in here.page()
    here.post("begin", order="SH:23456")
    assert here.it.says.startswith("Lay two to six of spades in a straight row") and here.table.now.paused
    assert here.it.lay == SOME[0] and "two to six of hearts" in here.it.lacking
    here.show(rows["S"])
    here.until(lambda: here.it.seen == 5)
    assert here.take().learned == "Learned: two to six of spades. 5 of 10 cards are known."
    assert here.it.says.startswith("Lay two to six of hearts") and "The camera sees 5 cards now." in here.page()
    here.show(rows["H"])
    assert here.take().learned == "Learned: two to six of hearts. 10 of 10 cards are known."
    assert here.it.step == "jokers" and here.it.lacking.startswith("Still lacking: the jokers (if there are any)")
    here.post("leave-out")
    here.show(laid([["back"]]))
    assert here.take().learned == "Learned: 1 card face down. 10 of 10 cards are known."
    assert here.it.step == "ready" and "/enrol/keep" in here.page()
    here.post("keep", name="ours")
    here.until(lambda: here.it is None)
    assert (here.packs.used, here.packs.names) == ("ours", ("ours",))
    assert here.packs.said.startswith("The pack ours is kept") and "ours is in use." in here.page()
    assert not here.table.now.paused and [path.name for path in folder.iterdir()] == ["ours.npz"]
    # No round was judged from what lay there to be learned.
    assert here.table.now.log == ()
    known = packs.load_pack(folder / "ours.npz", open_detector().reader.net.sha256)
    assert sorted(known.codes) == sorted([*SOME[0], *SOME[1], "back"])
    here.show(laid([["KS", "QH"]]))
    here.until(lambda: here.table.now.log)
    model = here.browser.get("/sessions/1.json").json["rulings"][-1]["model"]
    assert model.endswith("+ours")


@slow
def test_a_wrong_order_is_named_and_learned_only_on_a_persons_word(here, rows):
    here.post("begin", order="SH:23456")
    here.show(laid([["2S", "4S", "3S", "5S", "6S"]]))
    it = here.take()
    assert "four of spades read where three of spades should lie" in it.trouble and it.doubted and not it.known
    assert "They lie rightly" in here.page()
    here.show(laid([["2S", "3S", "4S", "5S"]]))
    it = here.take()
    assert it.trouble.startswith("Row 1 has 4 cards, not 5.") and not it.doubted
    here.show(rows["H"])
    assert "two of hearts read where two of spades should lie" in here.take().trouble
    assert here.take(sure=True).known == SOME[0] and here.it.trouble == ""
    here.post("back")
    assert here.it.known == () and not here.it.begun
    assert here.post("stop") == "Nothing was kept."
    assert here.packs.enrolling is None and here.packs.names == ()


@slow
def test_one_card_after_the_other_and_back_to_rows(here, rows):
    here.post("begin", order="SH:23456")
    here.post("way", each=True)
    assert here.it.says == "Show one card, alone: two of spades."
    here.show(laid([["2S"]]))
    assert here.take().learned.startswith("Learned: two of spades.")
    assert "two of spades read where three of spades should lie" in here.take().trouble
    here.post("way", each=False)
    assert here.it.lay == SOME[0] and "4 of the spades" in here.it.lacking
    here.show(laid(SOME))
    assert here.take().known == (*SOME[0], *SOME[1])


@slow
def test_nothing_is_judged_meanwhile_and_the_game_goes_on_afterwards(here, rows):
    here.until(lambda: here.table.now.chip != "settling")
    said = len(here.table.now.log)
    here.post("begin")
    assert "A pack is being enrolled" in here.table.now.verdict
    here.show(laid([["KS", "QH"]]))
    assert here.browser.post("/pause", json={"on": False}).status_code == 409
    for path in ("begin", "use", "forget"):
        assert here.post(path, status=409, name="x").startswith("A pack is being enrolled")
    here.until(lambda: here.it.seen == 2)
    assert len(here.table.now.log) == said and here.table.now.paused
    here.post("stop")
    here.until(lambda: len(here.table.now.log) > said)


@slow
def test_what_cannot_be_done_is_one_sentence(here, rows):
    assert here.post("take", status=409) == "No pack is being enrolled."
    assert here.post("forget", status=409, name="ours") == "There is no pack ours."
    assert here.post("use", status=409, name="ours") == "There is no pack ours."
    assert "order SSX is not understood" in here.post("begin", status=409, order="SSX")
    here.post("begin", order="SH:23456")
    assert here.post("keep", status=409, name="ours") == "Some cards are still lacking."
    here.show(laid(SOME))
    here.take()
    assert "cannot be used" in here.post("keep", status=409, name="../ours")
    here.feed.lost = True
    here.until(lambda: not here.table.now.camera.ok)
    assert here.post("take", status=409) == "The camera shows nothing at the moment."
    assert "It is unplugged." in here.page()
    here.post("stop")
    assert "A camera must show the table first" in here.page()


@slow
def test_packs_are_changed_over_and_forgotten_while_the_eyes_run(here, folder, detector):
    reader = detector.reader.net.sha256
    for name, age in (("old", 60), ("new", 0)):
        cards = [
            ("KS", np.random.default_rng(1).normal(size=(3, 1280)).astype(np.float32), np.zeros((64, 64, 3), np.uint8))
        ]
        path = packs.save_pack(packs.learn_pack(name, reader, cards), folder)
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - age))
    assert here.post("use", name="old") == "The pack old is in use from now on."
    assert (here.packs.used, here.packs.names) == ("old", ("new", "old")) and "old is in use." in here.page()
    assert here.post("use") == "Cards are read without a pack from now on."
    assert "No pack is in use" in here.page()
    here.post("use", name="new")
    assert here.post("forget", name="new") == "The pack new is forgotten."
    assert (here.packs.used, here.packs.names) == ("", ("old",)) and not (folder / "new.npz").exists()
    (folder / "bad.npz").write_bytes(b"")
    assert "damaged" in here.post("use", status=409, name="bad") and here.packs.used == ""
