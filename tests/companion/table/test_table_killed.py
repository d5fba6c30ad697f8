"""Killed at twenty moments of one game and started again: the same game goes on, nothing doubled, nothing lost."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from companion.log import store as family
from companion.words import speak
from tests.companion.scripts import write_script
from tests.companion.test_cli import begin, command, environment

KILLS = 20
PHASES = ("before a war", "in a war", "after a war")
#: Three players, equal pictures: a long game with many wars.
GAME = {"variant": "multi", "players": ("Ana", "Ben", "Cai"), "seed": 5, "faces_equal": True}
Rulings = list[dict[str, Any]]


def phase(game: Rulings, ruled: int) -> str:
    """Where the game stands after so many rulings."""
    if game[ruled - 1]["ruling"] == "war_declared":
        return "in a war"
    if game[ruled]["ruling"] == "war_declared":
        return "before a war"
    return "after a war" if game[ruled - 1].get("wars") else "elsewhere"


@pytest.mark.slow
def test_killed_twenty_times_the_same_game_goes_on(tmp_path: Path) -> None:
    rng = random.Random(7)
    path, log = write_script(tmp_path / "g.looks", 2000, **GAME), tmp_path / "family.db"
    replayed = call("replay", path, "--json", folder=tmp_path)
    game = [json.loads(line) for line in replayed.splitlines()]
    watch = ("watch", "--source", path, "--no-page", "--json")
    ruled, moments = 0, []
    # A busy machine may run past the moment that was wanted: then there are a few kills more, never fewer.
    while len(moments) < KILLS or min(map(moments.count, PHASES)) < 3:
        wanted = PHASES[len(moments) % 3]
        after = next(n for n in range(ruled + rng.randrange(3, 9), len(game)) if phase(game, n) == wanted)
        run = begin(*watch, folder=tmp_path)
        said = [json.loads(run.stdout.readline()) for _ in range(max(1, ruled))]
        run_until(run, log, after)
        run.kill()
        # Not communicate(): it reads past what readline() has taken from the pipe already.
        said += [json.loads(line) for line in run.stdout.read().splitlines() if line.endswith("}")]
        run.wait()
        stored = family.load_rulings(log, 1)
        # What was printed had been written before, and nothing was written that the rules do not say.
        assert said == game[: len(said)] and worded(stored) == game[: len(stored)]
        assert ruled <= len(said) <= len(stored)
        ruled = len(stored)
        moments.append(phase(game, ruled))
    assert len(moments) < 2 * KILLS and all(moments.count(wanted) >= 3 for wanted in PHASES), moments
    assert call(*watch, folder=tmp_path) == replayed
    assert [session.id for session in family.list_sessions(log)] == [1]
    assert worded(family.load_rulings(log, 1)) == game
    assert all(ruling["replaced_by"] is None for ruling in family.export_session(log, 1)["rulings"])


def run_until(run: subprocess.Popen[str], log: Path, ruled: int) -> None:
    """Let the program run on in little steps until it has written so many rulings; it is stopped then."""
    run.send_signal(signal.SIGSTOP)
    while written(log) < ruled:
        assert run.poll() is None
        run.send_signal(signal.SIGCONT)
        time.sleep(0.001)
        run.send_signal(signal.SIGSTOP)


def written(log: Path) -> int:
    """How many rulings are in the log; none can be counted while the program stands still in the midst of writing."""
    try:
        return len(family.load_rulings(log, 1))
    except family.LogError:
        return 0


def call(*words: object, folder: Path) -> str:
    run = subprocess.run(command(*words, folder=folder), capture_output=True, text=True, env=environment(folder))
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def worded(rulings: tuple[dict[str, Any], ...]) -> Rulings:
    words = speak("en")
    return [{**ruling, "text": words.ruling(ruling)} for ruling in rulings]
