"""A player's name is checked in one place, whichever way it comes in; the sentence says which name and what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.defaults import parse_names
from companion.errors import WrongWords
from companion.log.importer import NotASession, sent
from companion.referee.codec import game_from_json, read_script, script_game
from companion.referee.game import new_game
from companion.referee.variants import LONGEST_NAME, BadName
from companion.table.requests import NewGame
from companion.table.table import create_game

BAD = {
    "long": ("A" * 200, "has 200 letters: take 40 at most"),
    "line end": ("a\nb", r"'a\nb', has signs that are no letters"),
    "nul": ("a\x00b", r"'a\x00b', has signs"),
    "escape": ("\x1b[31mred", r"'\x1b[31mred', has signs"),
    "turned": ("Ana\u202enaB", r"'Ana\u202enaB', has signs"),
    "half a letter": ("Ana\ud800", r"'Ana\ud800', has signs"),
    "empty": ("", "Player 2 has no name: give every player one"),
    "spaces": (" \t ", "Player 2 has no name"),
    "joiners": ("\u200d", "Player 2 has no name"),
}
GOOD = ("Zoë-Mary O'Neill", "Бен", "李", "=🂡", "👩\u200d👧", "<b>", "A" * LONGEST_NAME, "Ana, the 2nd")


def said(ask: Any) -> str:
    with pytest.raises(WrongWords) as refused:
        ask()
    return str(refused.value)


@pytest.mark.parametrize(("name", "says"), BAD.values(), ids=BAD)
def test_a_bad_name_is_refused_whichever_way_it_comes(name: str, says: str) -> None:
    game = {"variant": "classic", "players": ["Ana", name]}
    script = read_script([json.dumps({"game": game})])
    told = {
        said(lambda: new_game("classic", ("Ana", name))),
        said(lambda: script_game(script)),
        said(lambda: game_from_json(game)),
        said(lambda: create_game(NewGame("classic", ("Ana", name)))),
    }
    (sentence,) = told
    assert says in sentence and "player 2" in sentence.lower() and sentence.isprintable()
    with pytest.raises(NotASession):
        sent(json.dumps({"game": game}))


@pytest.mark.parametrize("name", GOOD)
def test_a_name_of_any_writing_is_welcome(name: str) -> None:
    assert new_game("classic", (f"  {name} ", "Ben")).players == (name, "Ben")


@pytest.mark.parametrize("players", [[1, 2], ["Ana", None], ["Ana", ["Ben"]], [True, "Ben"]])
def test_a_name_is_text(players: list[object]) -> None:
    with pytest.raises(BadName, match="is to be text in quotation marks"):
        game_from_json({"variant": "classic", "players": players})


def test_a_comma_too_many_is_said() -> None:
    assert "Player 2 has no name" in said(lambda: new_game("classic", parse_names("Ana,")))
    assert "Player 1 has no name" in said(lambda: new_game("classic", parse_names("")))
    assert "ana is there twice" in said(lambda: new_game("classic", parse_names("Ana,ana")))
