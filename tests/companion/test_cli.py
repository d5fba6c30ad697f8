import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.log import store as family
from tests.companion.scripts import write_script

ROOT = Path(__file__).parents[2]
LOOK = '{"at": 5.0, "faces": {"Ana": ["KS"], "Ben": ["9H"]}}'
GAME = '{"game": {"variant": "classic", "players": ["Ana", "Ben"]}}'


def command(*words, folder):
    return [sys.executable, "-m", "companion", *map(str, words), "--log", str(folder / "family.db")]


def environment(folder):
    return {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder), "XDG_DATA_HOME": str(folder), "LANG": "C"}


@pytest.fixture
def warref(tmp_path):
    def run(*words):
        return subprocess.run(
            command(*words, folder=tmp_path), capture_output=True, text=True, cwd=tmp_path, env=environment(tmp_path)
        )

    return run


def lines(run):
    return [json.loads(line) for line in run.stdout.splitlines()]


def check_sentence(run, code, says):
    """One plain sentence on stderr, nothing on stdout."""
    assert (run.returncode, run.stdout) == (code, "")
    assert run.stderr.count("\n") == 1 and "Traceback" not in run.stderr
    assert says in run.stderr


def test_replay_prints_the_final_history(warref, tmp_path):
    (tmp_path / "g.looks").write_text(
        "\n".join([GAME, LOOK, '{"at": 9, "correct": 1, "faces": {"Ben": ["AH"]}}', '{"at": 9.5, "faces": {}}'])
    )
    run = warref("replay", "g.looks", "--json", "--summary")
    assert run.returncode == 0 and run.stderr == ""
    ruled, summary = lines(run)
    assert (ruled["ruling"], ruled["winner"], ruled["look"]) == ("battle_won", "Ben", 1)
    assert ruled["text"] == "Ben takes both: ace beats king."
    assert summary == {"ruling": "summary", "rounds": 1, "wars": 0, "counts": {"Ana": 25, "Ben": 27}}


def test_flags_override_the_script(warref, tmp_path):
    (tmp_path / "g.looks").write_text("\n".join([GAME, LOOK.replace("KS", "9S")]))
    run = warref("replay", "g.looks", "--json", "--set", "war_down=1")
    assert lines(run)[0]["down"] == {"Ana": 1, "Ben": 1}


def test_watch_logs_what_replay_derives(warref, tmp_path):
    path = write_script(tmp_path / "g.looks", 60)
    watched = warref("watch", "--source", path, "--no-page", "--json")
    replayed = warref("replay", path, "--json")
    again = warref("replay", "1", "--json")
    assert watched.returncode == replayed.returncode == again.returncode == 0
    assert watched.stdout == replayed.stdout == again.stdout


def test_a_second_watch_of_a_finished_script_is_a_session_of_its_own(warref, tmp_path):
    path = write_script(tmp_path / "g.looks", 10)
    first, second = (warref("watch", "--source", path, "--no-page") for _ in range(2))
    assert first.stdout == second.stdout
    assert [row["session"] for row in lines(warref("sessions", "--json"))] == [2, 1]


def test_a_changed_ruling_in_the_log_is_reported(warref, tmp_path):
    path = write_script(tmp_path / "g.looks", 10)
    warref("watch", "--source", path, "--no-page")
    with family.Log(tmp_path / "family.db") as log:
        log._db.execute("UPDATE rulings SET ruling = replace(ruling, 'Ana', 'Ben') WHERE seq = 2")
    differing = [line for line in lines(warref("replay", "1", "--json")) if line["ruling"] == "differs"]
    assert [line["seq"] for line in differing] == [2]


def test_sessions_and_export(warref, tmp_path):
    warref("watch", "--source", write_script(tmp_path / "g.looks", 12), "--no-page")
    assert "Classic War  Ana and Ben" in warref("sessions").stdout
    table = warref("export", "1", "--format", "csv").stdout.splitlines()
    assert table[0].startswith("seq,look,at,ruling,round,winner,pot,cards Ana,cards Ben")
    assert warref("export", "1", "--format", "json", "--out", "all.json").stdout == ""
    assert len(json.loads((tmp_path / "all.json").read_text())["inputs"]) == 12


def test_explain_a_rule_a_setting_a_variant_and_a_look(warref, tmp_path):
    assert "everybody fights" in warref("explain", "war_part").stdout.lower()
    assert json.loads(warref("explain", "double_tie", "--json").stdout)["sources"]
    assert "Source: " in warref("explain", "steal_back").stdout
    assert "Arneson" in warref("explain", "arneson").stdout
    warref("watch", "--source", write_script(tmp_path / "g.looks", 12), "--no-page")
    assert "The higher card takes" in warref("explain", "1").stdout


def test_simulate_is_the_same_for_the_same_seed(warref):
    words = ("simulate", "--variant", "classic", "--players", "2", "--games", "2", "--json")
    assert warref(*words, "--seed", "3").stdout == warref(*words, "--seed", "3").stdout
    assert lines(warref(*words))[0]["games"] == 2


def test_options_may_stand_before_the_command(warref, tmp_path):
    path = write_script(tmp_path / "g.looks", 4)
    assert warref("--json", "replay", path).stdout == warref("replay", path, "--json").stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["watch"], "--source"),
        (["watch", "--source", "0", "--no-page"], "--variant and --players"),
        (["watch", "--source", "0", "--variant", "poker", "--players", "A,B"], "no variant poker"),
        (["watch", "--source", "0", "--variant", "classic", "--players", "A,B,C"], "2 players, not 3"),
        (["watch", "--source", "0", "--variant", "classic", "--players", "A,A"], "their own name"),
        (["watch", "--source", "0", "--variant", "classic", "--players", "A,B", "--set", "x=1"], "no setting x"),
        (["watch", "--source", "0", "--variant", "classic", "--players", "A,B", "--set", "short=x"], "short can be"),
        (["watch", "--source", "0", "--variant", "classic", "--players", "A,B", "--set", "short"], "key=value"),
        (["watch", "--source", "0", "--variant", "classic", "--players", "A,B", "--seats", "odd"], "Unknown seats"),
        (["watch", "--source", "0", "--variant", "multi", "--players", "A,B,C", "--seats", "near-far"], "two players"),
        (["replay", "bare.looks"], "--variant and --players"),
        (["simulate", "--variant", "classic", "--players", "5"], "not 5"),
        (["simulate", "--variant", "classic", "--players", "none"], "number"),
        (["explain", "nonsense"], "no rule nonsense"),
        (["sessions", "--lang", "xx"], "no language 'xx'"),
        (["sessions", "--port", "99999"], "65535"),
        (["dance"], "dance"),
        (["watch", "--source", "", "--variant", "classic", "--players", "A,B"], "--source: it cannot be left empty"),
        (["watch", "--source", "0", "--variant", "classic", "--players", "A,"], "Player 2 has no name"),
        (["read", ""], "PATH: it cannot be left empty"),
        (["replay", " "], "it cannot be left empty"),
        (["read", "a.jpg", "--weights", ""], "--weights: it cannot be left empty"),
        (["explain", "1", "--session", "-4"], "a number from 1 on"),
    ],
)
def test_wrong_words_exit_2(warref, tmp_path, words, says):
    (tmp_path / "bare.looks").write_text(LOOK)
    check_sentence(warref(*words), 2, says)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["replay", "none.looks"], "none.looks cannot be opened"),
        (["replay", "code.looks"], "Line 3: '1H' is no card code"),
        (["replay", "json.looks"], "Line 2 is not a JSON object"),
        (["replay", "who.looks"], "Line 2: Cai is not among the players"),
        (["replay", "undo.looks"], "Line 3: there is no input number 7"),
        (["replay", "bytes.looks"], "not text"),
        (["watch", "--source", "none.looks", "--no-page"], "none.looks cannot be opened"),
        (["watch", "--source", "code.looks", "--no-page"], "Line 3: '1H' is no card code"),
        (
            ["watch", "--source", "0", "--variant", "classic", "--players", "A,B", "--seats", "n.toml"],
            "n.toml cannot be",
        ),
        (
            ["watch", "--source", "0", "--variant", "classic", "--players", "A,B", "--seats", "bad.toml"],
            "bad.toml is not",
        ),
        (["replay", "7"], "no session 7"),
        (["export", "7"], "no session 7"),
        (["explain", "3"], "no session yet"),
    ],
)
def test_a_job_that_cannot_be_done_exits_1(warref, tmp_path, words, says):
    scripts = {
        "code": [GAME, LOOK, LOOK.replace("KS", "1H")],
        "json": [GAME, "Ana shows a king"],
        "who": [GAME, LOOK.replace("Ben", "Cai")],
        "undo": [GAME, LOOK, '{"at": 9, "undo": 7}'],
    }
    for name, text in scripts.items():
        (tmp_path / f"{name}.looks").write_text("\n".join(text))
    (tmp_path / "bytes.looks").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "bad.toml").write_text("[A]\nplay = [[0, 0")
    check_sentence(warref(*words), 1, says)


PLAY = ("--variant", "classic", "--players", "Ana,Ben", "--no-page")


def test_eyes_that_cannot_see_exit_1(warref, tmp_path):
    (tmp_path / "text.jpg").write_text("no picture")
    (tmp_path / "film.mp4").write_bytes(b"no film")
    (tmp_path / "empty").mkdir()
    for source, says in (("none.mp4", "nothing called"), ("film.mp4", "film.mp4"), ("empty", "no pictures")):
        check_sentence(warref("watch", "--source", source, *PLAY), 1, says)
    check_sentence(warref("watch", "--source", "text.jpg", *PLAY), 1, "text.jpg")


def test_a_model_that_is_missing_or_changed_exits_1(warref, tmp_path):
    cv2.imwrite(str(tmp_path / "table.png"), np.full((60, 80, 3), 90, np.uint8))
    check_sentence(warref("read", "table.png", "--weights", "none"), 1, "none")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "manifest.toml").write_text('[finder]\nfile = "f.onnx"\nsha256 = "00"\nsize = 320\n[reader]\n')
    (tmp_path / "m" / "f.onnx").write_bytes(b"other")
    check_sentence(warref("watch", "--source", "table.png", *PLAY, "--weights", "m"), 1, "f.onnx")


def test_a_log_that_cannot_be_used_exits_1(warref, tmp_path):
    path = write_script(tmp_path / "g.looks", 4)
    log = tmp_path / "family.db"
    log.write_text("Dear diary, " * 100)
    check_sentence(warref("watch", "--source", path, "--no-page"), 1, "not a War Referee log")
    log.unlink()
    with family.Log(log):
        check_sentence(warref("watch", "--source", path, "--no-page"), 1, "Another War Referee window")
    with family.Log(log) as newer:
        newer._db.execute("INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('war-referee', '9999_later')")
    check_sentence(warref("sessions"), 1, "newer War Referee")


# --- the page ---------------------------------------------------------------------------------------


def begin(*words, folder):
    return subprocess.Popen(
        command(*words, folder=folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(folder),
    )


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.skipif(sys.platform == "win32", reason="there a program is not told of these")
def test_the_page_is_served_until_interrupted_or_the_terminal_is_closed(tmp_path, name):
    path = write_script(tmp_path / "g.looks", 8)
    run = begin("watch", "--source", path, "--port", "0", "--summary", folder=tmp_path)
    try:
        address = run.stderr.readline().strip()
        assert address.startswith("http://127.0.0.1:") and address.endswith("/")
        while "rounds" not in run.stdout.readline():
            pass
        state = json.load(urllib.request.urlopen(address + "state", timeout=20))
        assert state["players"] == ["Ana", "Ben"] and state["session"] == 1
        undo = urllib.request.Request(address + "undo", data=b"{}", headers={"Content-Type": "application/json"})
        assert json.load(urllib.request.urlopen(undo, timeout=20))["ok"]
    finally:
        run.send_signal(getattr(signal, name))
    assert run.wait(20) == 0
    assert run.stderr.read() == ""
    assert "undo" in family.load_inputs(tmp_path / "family.db", 1)[-1]


def test_a_taken_port_exits_1(warref, tmp_path):
    path = write_script(tmp_path / "g.looks", 4)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        check_sentence(warref("watch", "--source", path, "--port", port), 1, f"Port {port} is taken")
    assert family.list_sessions(tmp_path / "family.db") == ()


def test_a_log_without_sessions_says_so(warref):
    run = warref("sessions")
    assert (run.returncode, run.stdout) == (0, "") and "holds no session yet." in run.stderr


def test_one_name_is_one_player_however_it_is_written(warref, tmp_path):
    script = tmp_path / "g.looks"
    script.write_text(GAME.replace('"Ben"', '" ana"') + "\n")
    check_sentence(warref("replay", script), 2, "Every player needs their own name")
    script.write_text("\n".join([GAME.replace('"Ben"', '" Ben "'), LOOK]))
    assert lines(warref("replay", script, "--json"))[0]["counts"] == {"Ana": 27, "Ben": 25}


INTERRUPTED = """
import importlib.abc, os, signal, sys

class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

module = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupt())
from companion.__main__ import main
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there a program cannot interrupt itself")
@pytest.mark.parametrize(
    "module", ["companion.cli", "companion.words", "numpy", "cv2", "onnxruntime", "onnxruntime.capi"]
)
def test_an_interrupt_while_the_program_loads_is_one_word(tmp_path, module):
    words = [sys.executable, "-c", INTERRUPTED, module, "read", str(ROOT / "sample_images" / "pair.jpg")]
    run = subprocess.run(words, capture_output=True, text=True, env=environment(tmp_path), cwd=ROOT)
    assert (run.returncode, run.stderr) == (1, "Stopped.\n")


def test_the_version_is_told(warref):
    run = warref("--version")
    assert (run.returncode, run.stderr) == (0, "") and run.stdout.startswith("warref ")
