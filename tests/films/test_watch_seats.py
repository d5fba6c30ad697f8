"""Films whose seats nobody told: who sits where is found from the first cards, and the rulings are as scripted."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from companion.cli import main
from companion.log import store as family
from companion.seats.layout import parse_seats
from tests.films.served import ROOT, command
from tests.films.test_watch import FILMS, expected, has_weights, told

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not has_weights(), reason="the trained networks are not in models/"),
]


@pytest.mark.parametrize(
    ("name", "lines", "rulings", "deck", "seed"), [("clockwise", 6, 3, "made-57", 8), ("faceup", 3, 1, "made-31", 41)]
)
def test_seats_are_found_in_a_film(name: str, lines: int, rulings: int, deck: str, seed: int, tmp_path: Path) -> None:
    """The first `lines` of the script, and what is ruled on them."""
    game, film, log = expected(name), tmp_path / f"{name}.mp4", tmp_path / "log.db"
    script, seats = tmp_path / f"{name}.looks", game["seats"]
    script.write_text("\n".join((FILMS / script.name).read_text("utf-8").splitlines()[:lines]), "utf-8")
    words = ["film", str(script), str(film), "--seats", seats, "--fps", "5"]
    assert main([*words, "--deck", deck, "--seed", str(seed)]) == 0
    call = ["watch", "--source", film, "--variant", game["variant"], "--players", ",".join(game["players"])]
    call += ["--seats", "auto", *(f"--set={choice}" for choice in game.get("set", ()))]
    done = subprocess.run(
        command(*call, "--json", "--no-page", "--log", log), cwd=ROOT, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert told(said, game["expected"]) == game["expected"][:rulings]
    found = [entry["seats"] for entry in family.load_inputs(log, 1) if "seats" in entry]
    assert len(found) == 1
    for place in parse_seats(seats, tuple(game["players"])).middles.items():
        assert parse_seats(found[0], tuple(game["players"])).at(*place[1]).player == place[0]
