"""The commands that look through the real networks, on the sample pictures."""

import json
import os
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

from companion.log import store as family
from companion.log.protocol import Entry
from tests.companion.test_cli import ROOT, begin, command, environment, lines

WEIGHTS = Path(os.environ.get("WARREF_WEIGHTS", ROOT / "models"))
pytestmark = [
    pytest.mark.skipif(not (WEIGHTS / "manifest.toml").is_file(), reason="no networks here"),
    pytest.mark.slow,
]
GAME = str(ROOT / "sample_images" / "game")
WATCH = ("watch", "--source", GAME, "--variant", "classic", "--players", "Ana,Ben", "--no-page", "--json")


def finished(*words, folder):
    words = command(*words, "--weights", WEIGHTS, folder=folder)
    return subprocess.run(words, capture_output=True, text=True, env=environment(folder), cwd=folder)


def test_a_folder_killed_and_called_again_is_refereed_as_in_one_go(tmp_path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    for stop_after in (1, 4):
        run = begin(*WATCH, "--weights", WEIGHTS, folder=broken)
        for _ in range(stop_after):
            run.stdout.readline()
        run.kill()
        run.communicate()
    resumed, uninterrupted = finished(*WATCH, folder=broken), finished(*WATCH, folder=whole)
    assert (resumed.stdout, resumed.returncode) == (uninterrupted.stdout, 0)
    assert len(lines(resumed)) > 5
    one, other = (family.export_session(folder / "family.db", 1) for folder in (whole, broken))
    assert [entry["faces"] for entry in one["inputs"]] == [entry["faces"] for entry in other["inputs"]]
    assert all(ruling["model"] for ruling in one["rulings"])


def test_read_names_the_cards_of_pictures_and_goes_on_after_a_bad_one(tmp_path):
    (tmp_path / "no.jpg").write_text("no picture")
    run = finished("read", "no.jpg", ROOT / "sample_images" / "pair.jpg", "--json", folder=tmp_path)
    bad, good = lines(run)
    assert (run.returncode, run.stderr) == (1, "Some pictures could not be read.\n")
    assert "error" in bad and good["cards"]


def state(address):
    return json.load(urllib.request.urlopen(address + "state", timeout=20))


def test_without_a_camera_the_sample_game_plays_under_its_banner(tmp_path):
    run = begin("--port", "0", "--weights", WEIGHTS, folder=tmp_path)
    try:
        address = run.stderr.readline().strip()
        for _ in range(120):
            now = state(address)
            if now["log"]:
                break
            time.sleep(0.5)
        assert now["demo"] and now["banner"] and now["session"] is None
        assert now["camera"]["message"].startswith("No camera answers")
        assert urllib.request.urlopen(address + "picture.jpg", timeout=20).read(2) == b"\xff\xd8"
        body = json.dumps({"variant": "classic", "players": ["Cai", "Dan"]}).encode()
        post = urllib.request.Request(address + "new-game", body, {"Content-Type": "application/json"})
        urllib.request.urlopen(post, timeout=20)
        now = state(address)
        assert (now["demo"], now["session"], now["players"]) == (False, 1, ["Cai", "Dan"])
    finally:
        run.send_signal(signal.SIGINT)
    assert (run.wait(30), run.stderr.read(), run.stdout.read()) == (0, "", "")
    assert [entry.game["players"] for entry in family.list_sessions(tmp_path / "family.db")] == [["Cai", "Dan"]]


def test_an_open_game_is_taken_up_again(tmp_path):
    with family.Log(tmp_path / "family.db") as log:
        game = {"variant": "classic", "players": ["Ana", "Ben"]}
        session = log.open_session(game, "none", "left-right", live=True)
        look = {"at": 5.0, "faces": {"Ana": ["KS"], "Ben": ["9H"]}}
        log.write(session, Entry(1, look))
    run = begin("--port", "0", "--weights", WEIGHTS, folder=tmp_path)
    try:
        address = run.stderr.readline().strip()
        now = state(address)
        assert (now["session"], now["counts"], now["demo"]) == (session, {"Ana": 27, "Ben": 25}, False)
    finally:
        run.send_signal(signal.SIGTERM)
    assert run.wait(30) == 0
    assert family.list_sessions(tmp_path / "family.db", unended=True)
