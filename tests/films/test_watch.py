"""The bundled games, refereed from their pictures: what the camera program says against what the rules say.

The scripts and the expected rulings beside this file are never read by the program. The rulings were worked out
from the rules by hand: 26 cards each; a war of the classic game is three down and one up (10 cards at stake); in
Război the tied rank N asks for N-1 down and the Nth up (2 * N + 2 cards at stake); where a second tie is fought face
up, one card more each; four players begin with 13 cards and lay one down and one up, all of them (12 at stake).
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main
from tests.films.served import WEIGHTS, command
from vision.detection.weights import load_weights
from vision.types import VisionError

FILMS = Path(__file__).parent
ROOT = FILMS.parents[1]
SAMPLES = ROOT / "sample_images"
SAID = {"battle_won", "war_declared", "battle_drawn", "game_over"}


def has_weights() -> bool:
    try:
        load_weights(WEIGHTS)
    except VisionError:
        return False
    return True


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not has_weights(), reason="the trained networks are not in models/"),
]


def expected(name: str) -> dict[str, Any]:
    return json.loads((FILMS / f"{name}.expected.json").read_text("utf-8"))


def rulings(source: Path, game: dict[str, Any], log: Path) -> list[dict[str, Any]]:
    """What the program rules on a film or folder, in a process of its own."""
    words = ["watch", "--source", source, "--variant", game["variant"], "--players", ",".join(game["players"])]
    words += ["--seats", game.get("seats", "left-right"), *(f"--set={choice}" for choice in game.get("set", ()))]
    words += ["--json", "--no-page", "--log", log]
    done = subprocess.run(command(*words), cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def told(said: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rulings that decide, with the keys that are expected of their kind."""
    keys = {ruling["ruling"]: ruling.keys() for ruling in wanted}
    deciding = (ruling for ruling in said if ruling["ruling"] in SAID)
    return [{key: ruling[key] for key in keys.get(ruling["ruling"], ruling)} for ruling in deciding]


@pytest.mark.parametrize("name", ["classic.mp4", "razboi.mp4", "game"])
def test_a_bundled_game_is_refereed_as_the_rules_say(name: str, tmp_path: Path) -> None:
    game = expected(name.split(".")[0])
    said = rulings(SAMPLES / name, game, tmp_path / "log.db")
    assert told(said, game["expected"]) == game["expected"]
    assert not [ruling for ruling in said if ruling["ruling"] in ("question", "violation")]


@pytest.mark.parametrize(("name", "deck", "seed"), [("faceup", "made-31", 41), ("clockwise", "made-57", 8)])
def test_another_table_deck_and_seats(name: str, deck: str, seed: int, tmp_path: Path) -> None:
    game, film = expected(name), tmp_path / f"{name}.mp4"
    words = ["film", str(FILMS / f"{name}.looks"), str(film)]
    assert main([*words, "--seats", game["seats"], "--deck", deck, "--seed", str(seed)]) == 0
    said = rulings(film, game, tmp_path / "log.db")
    assert told(said, game["expected"]) == game["expected"]


def test_other_cards_in_the_script_are_other_rulings(tmp_path: Path) -> None:
    """Ana shows KS, 10D and 4S to 9H, JC and 7D; with her king and four exchanged she wins the third, not the first."""
    lines = (FILMS / "classic.looks").read_text("utf-8").splitlines()[:6]
    text = "\n".join(lines).replace('"KS"', '"?"').replace('"4S"', '"KS"').replace('"?"', '"4S"')
    script, film = tmp_path / "swapped.looks", tmp_path / "swapped.mp4"
    script.write_text(text, "utf-8")
    assert main(["film", str(script), str(film), "--deck", "made-12", "--seed", "29"]) == 0
    said = rulings(film, expected("classic"), tmp_path / "log.db")
    won = [(ruling["winner"], ruling["counts"]) for ruling in said if ruling["ruling"] == "battle_won"]
    assert won == [
        ("Ben", {"Ana": 25, "Ben": 27}),
        ("Ben", {"Ana": 24, "Ben": 28}),
        ("Ana", {"Ana": 25, "Ben": 27}),
    ]
