"""What the rules say of each film's script, without any eyes: the same as was worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.referee import reducer
from companion.referee.codec import read_script, ruling_to_json, script_game

FILMS = sorted(path.stem for path in Path(__file__).parent.glob("*.looks"))


@pytest.mark.parametrize("name", FILMS)
def test_the_script_of_a_film_is_ruled_as_worked_out_by_hand(name: str) -> None:
    text = (Path(__file__).parent / f"{name}.looks").read_text("utf-8")
    wanted = json.loads((Path(__file__).parent / f"{name}.expected.json").read_text("utf-8"))["expected"]
    script = read_script(text.splitlines())
    said = [ruling_to_json(one) for one in reducer.fold(script_game(script), script.inputs)[1]]
    keys = {ruling["ruling"]: ruling.keys() for ruling in wanted}
    assert [{key: one[key] for key in keys.get(one["ruling"], one)} for one in said] == wanted
