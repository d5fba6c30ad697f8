"""Steal War and Arneson, filmed and refereed: face-up piles beside the places to play in, and the split of a war.

The expected rulings were worked out from the rules by hand. Steal War: 27 cards each, two of the 54 are jokers; a
steal moves the whole pile and costs the thief no card. Arneson: of the 10 cards of a war the winner takes 8 and the
loser the 2 that tied; every further tie adds 2 to the winner's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main
from companion.referee import reducer
from companion.referee.codec import read_script, ruling_to_json, script_game
from vision.detection.weights import load_weights
from vision.types import VisionError

FILMS = Path(__file__).parent
SAID = {"battle_won", "war_declared", "battle_drawn", "steal", "game_over", "question", "violation"}


def has_weights() -> bool:
    try:
        load_weights()
    except VisionError:
        return False
    return True


def expected(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FILMS / f"{name}.expected.json").read_text("utf-8"))
    return found


def told(said: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rulings that decide, with the keys that are expected of their kind."""
    keys = {ruling["ruling"]: ruling.keys() for ruling in wanted}
    deciding = (ruling for ruling in said if ruling["ruling"] in SAID)
    return [{key: ruling[key] for key in keys.get(ruling["ruling"], ruling)} for ruling in deciding]


@pytest.mark.parametrize("name", ["steal", "arneson"])
def test_the_script_is_ruled_as_the_rules_say(name: str) -> None:
    script = read_script((FILMS / f"{name}.looks").read_text("utf-8").splitlines())
    _, ruled = reducer.fold(script_game(script), script.inputs)
    wanted = expected(name)["expected"]
    assert told([ruling_to_json(one) for one in ruled], wanted) == wanted


Render = Callable[[str, str, int], tuple[Path, str]]


@pytest.fixture(scope="module")
def render(tmp_path_factory: pytest.TempPathFactory) -> Render:
    """Film a script on a deck, each once; gives the film and the seats it was filmed with."""

    @cache
    def rendered(name: str, deck: str, seed: int) -> tuple[Path, str]:
        film = tmp_path_factory.mktemp("film") / "game.mp4"
        seats = str(FILMS / f"{name}.toml") if expected(name).get("seats") else "left-right"
        words = ["film", str(FILMS / f"{name}.looks"), str(film), "--seats", seats]
        assert main([*words, "--deck", deck, "--seed", str(seed), "--fps", "8"]) == 0
        return film, seats

    return rendered


@pytest.mark.slow
@pytest.mark.skipif(not has_weights(), reason="the trained networks are not in models/")
@pytest.mark.parametrize(
    ("name", "deck", "seed", "said"),
    [
        ("steal", "made-31", 5, ""),
        ("steal", "made-31", 5, "near-far"),
        ("steal", "made-31", 5, "auto"),
        ("arneson", "made-31", 2, ""),
    ],
)
def test_its_film_is_ruled_as_the_rules_say(
    render: Render, name: str, deck: str, seed: int, said: str, tmp_path: Path
) -> None:
    """`said` are other seats than those of the film: there the piles find their own places."""
    game, (film, seats) = expected(name), render(name, deck, seed)
    words = ["watch", "--source", film, "--variant", game["variant"], "--players", ",".join(game["players"])]
    words += ["--seats", said or seats, "--json", "--no-page", "--log", tmp_path / "log.db"]
    done = subprocess.run(
        [sys.executable, "-m", "companion", *map(str, words)], capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert told(lines, game["expected"]) == game["expected"]
