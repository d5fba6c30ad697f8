"""Golden games: NAME.looks in tests/games must be ruled as NAME.txt beside it, which a card player can check."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.referee import reducer
from companion.referee.codec import read_script, ruling_to_json, script_game
from tests.companion.cases import Json

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.looks"))


def said(counts: Json) -> str:
    return ", ".join(f"{player} {n}" for player, n in counts.items())


def faces(one: Json) -> str:
    return "; ".join(f"{player} {' '.join(cards)}" for player, cards in one["faces"].items())


def transcript_line(one: Json) -> str:
    """One ruling in the words of the table."""
    match one["ruling"]:
        case "battle_won":
            took = said(one["takes"])
            return (
                f"round {one['round']}: {faces(one)} -> {one['winner']} wins, takes {took}. Now {said(one['counts'])}."
            )
        case "battle_drawn":
            return f"round {one['round']}: {faces(one)} -> nobody wins. Now {said(one['counts'])}."
        case "war_declared":
            return f"round {one['round']}: war of {one['rank']}, face down: {said(one['down'])}."
        case "steal":
            return f"{one['by']} steals from {', '.join(one['from'])} with {one['card']}. Now {said(one['counts'])}."
        case "question":
            return f"question about {one['about']}: {' or '.join(one['choices'])}?"
        case "violation":
            holds = "the game waits" if one["holds"] else "the game goes on"
            return f"{one['kind']}: {one['player']} {' '.join(one['cards'])}, {holds}."
        case "player_out":
            return f"{one['player']} is out."
        case "game_over":
            return f"game over: {one['winner']} ({one['reason']})."
        case "blind":
            return f"nothing seen from {one['since']:g} to {one['until']:g} s."
        case other:
            return f"{other}: {one.get('kind', '')} {one.get('player', '')}".rstrip() + "."


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_game(path: Path) -> None:
    source, _, *expected = path.with_suffix(".txt").read_text("utf-8").splitlines()
    assert source.startswith("Source: ")
    script = read_script(path.read_text("utf-8").splitlines())
    _, ruled = reducer.fold(script_game(script), script.inputs)
    assert [transcript_line(ruling_to_json(one)) for one in ruled] == expected
