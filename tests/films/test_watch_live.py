"""A film refereed live, in real time: through a network camera that works, one that fails, and a killed program."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.log import store as family
from tests.films.served import HAS_WEIGHTS, ROOT, Program, Served, pictures

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HAS_WEIGHTS, reason="the trained networks are not in models/"),
]

#: Seconds of the film at which all cards lie still: the first round, the second, a tie, and the table cleared after
#: the war.
FIRST, SECOND, TIE, CLEARED = 3.0, 8.0, 18.0, 23.9
EXPECTED = json.loads((Path(__file__).parent / "classic.expected.json").read_text("utf-8"))["expected"][:5]
DECIDING = {"battle_won", "war_declared", "battle_drawn", "game_over", "question", "violation"}


@pytest.fixture(scope="module")
def frames() -> list[bytes]:
    return pictures(ROOT / "sample_images" / "classic.mp4", CLEARED + 0.2)


@pytest.fixture
def camera(frames: list[bytes]) -> Iterator[Served]:
    with Served(frames) as camera:
        yield camera


def start(folder: Path, camera: Served) -> Program:
    game = ("--variant", "classic", "--players", "Ana,Ben")
    return Program(
        folder, "watch", "--source", camera.address, *game, "--json", "--port", 0, "--log", folder / "log.db"
    )


def told(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rulings that decide anything, with the keys that are expected of their kind."""
    keys = {ruling["ruling"]: ruling.keys() for ruling in EXPECTED}
    deciding = (ruling for ruling in said if ruling["ruling"] in DECIDING)
    return [{key: ruling[key] for key in keys.get(ruling["ruling"], ruling)} for ruling in deciding]


def counts(ruling: dict[str, Any]) -> dict[str, int]:
    found: dict[str, int] = ruling["counts"]
    return found


def test_a_film_before_a_camera_is_refereed_as_it_plays(tmp_path: Path, camera: Served) -> None:
    with start(tmp_path, camera) as program:
        program.watching()
        camera.play(TIE)
        now = program.until(lambda now: now["war"], 5)
        assert (now["chip"], now["war"]["down"]) == ("war", {"Ana": 3, "Ben": 3})
        camera.play(CLEARED)
        now = program.until(lambda now: now["counts"] == counts(EXPECTED[-1]), 5)
        assert now["camera"]["live"] and now["camera"]["ok"]
        assert program.interrupt() == (0, "")
        assert told(program.said) == EXPECTED


def test_a_camera_that_fails_comes_back_by_itself_and_nothing_is_invented(tmp_path: Path, camera: Served) -> None:
    with start(tmp_path, camera) as program:
        program.watching()
        camera.play(FIRST)
        program.until(lambda now: now["log"], 5)
        lost(program, camera, "stall")
        camera.play(TIE)
        program.until(lambda now: now["war"], 5)
        lost(program, camera, "half", "gone", "half")
        camera.play(CLEARED)
        program.until(lambda now: now["counts"] == counts(EXPECTED[-1]), 5)
        assert program.interrupt() == (0, "")
        assert told(program.said) == EXPECTED
        said = [ruling["ruling"] for ruling in program.said]
        assert [kind for kind in said if kind not in ("battle_won", "war_declared")] == ["blind", "blind"]
        assert [said.index("blind"), said[::-1].index("blind")] == [1, 1]
    blind = [entry["blind"] for entry in family.load_inputs(tmp_path / "log.db", 1) if "blind" in entry]
    assert len(blind) == 2 and all(until - since >= 2 for since, until in blind)


def lost(program: Program, camera: Served, *moods: str) -> None:
    """Let the camera fail in these ways, see that it is said, and wait until it is back."""
    before = program.state()
    for mood in moods:
        camera.mood = mood
        now = program.until(lambda now: not now["camera"]["ok"], 15)
        assert now["camera"]["message"].endswith(".") and now["chip"] == "camera_lost"
        assert (now["counts"], now["log"]) == (before["counts"], before["log"])
        time.sleep(1.5)
    camera.mood = "well"
    now = program.until(lambda now: now["camera"]["ok"] and now["log"] != before["log"], 20)
    assert now["camera"]["message"] == ""
    assert (now["counts"], [line["ruling"] for line in now["log"]][:1]) == (before["counts"], ["blind"])


def test_killed_before_in_and_after_a_war_the_same_game_goes_on(tmp_path: Path, camera: Served) -> None:
    for until in (SECOND, TIE, CLEARED):
        with start(tmp_path, camera) as program:
            program.watching()
            camera.play(until)
            ruled = len([line for line in EXPECTED if line["round"] <= {SECOND: 2, TIE: 4, CLEARED: 4}[until]])
            ruled -= until == TIE
            before = program.until(lambda now, ruled=ruled: len(now["log"]) == ruled, 5)
            program.kill()
        with start(tmp_path, camera) as program:
            program.watching()
            time.sleep(2.0)
            now = program.state()
            same = ("session", "counts", "log", "war", "verdict")
            assert [now[key] for key in same] == [before[key] for key in same]
            assert told(program.said) == EXPECTED[:ruled]
            program.kill()
    log = tmp_path / "log.db"
    assert [session.id for session in family.list_sessions(log)] == [1]
    made = family.export_session(log, 1)["rulings"]
    assert [ruling["seq"] for ruling in made] == list(range(1, len(EXPECTED) + 1))
    assert all(ruling["replaced_by"] is None for ruling in made)
