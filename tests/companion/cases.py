"""The worked cases of tests/cases.yaml as looks, and the table they are played on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from companion import referee
from companion.events import Input, Ruled
from companion.game import Game
from companion.wire import game_from_json, input_from_json, ruling_to_json

CASES = yaml.safe_load((Path(__file__).parent.parent / "cases.yaml").read_text("utf-8"))

Json = dict[str, Any]


def plain(code: object) -> str:
    """A rank or card code of the file as text (a bare 10 is a number there)."""
    return str(code)


def round_game(case: Json) -> Json:
    """The first line of the script of a round case."""
    return {
        "variant": case["v"],
        "players": list(case["n"]),
        "set": case.get("opts", {}),
        "counts": case["n"],
        "wars_won": case.get("wars_won", {}),
    }


def round_lines(case: Json) -> Iterator[Json]:
    """The looks of a round case: the tied cards stay in sight, face-down cards are counted exactly."""
    faces: dict[str, list[str]] = {}
    backs: dict[str, int] = {}
    for number, laid in enumerate(case["laid"], start=1):
        for player, cards in laid.items():
            if cards != "stand":
                backs[player] = backs.get(player, 0) + cards[0]
                faces.setdefault(player, []).append(plain(cards[1]))
        yield {"at": float(number), "faces": {p: list(f) for p, f in faces.items()}, "backs": dict(backs)}


def script_text(game: Json, lines: list[Json]) -> list[str]:
    """The lines of a `.looks` file."""
    return [json.dumps({"game": game}), *(json.dumps(line) for line in lines)]


def play(game: Json, lines: list[Json]) -> tuple[referee.State, list[Json]]:
    """The state and the rulings as JSON after stepping through these lines."""
    state = referee.start(game_from_json(game))
    said: list[Json] = []
    for line in lines:
        state, ruled = step(state, input_from_json(line))
        said += ruled
    return state, said


def step(state: referee.State, entry: Input) -> tuple[referee.State, list[Json]]:
    """One step with its rulings as JSON."""
    after, ruled = referee.step(state, entry)
    return after, as_json(ruled)


def as_json(ruled: tuple[Ruled, ...]) -> list[Json]:
    """Rulings as the lines that `replay --json` writes."""
    return [ruling_to_json(one) for one in ruled]


def of(said: list[Json], *kinds: str) -> list[Json]:
    """The rulings of these kinds."""
    return [one for one in said if one["ruling"] in kinds]


def check_round(case: Json, said: list[Json], state: referee.State) -> None:
    """The wars, the verdict, the counts and the end that a round case expects."""
    wars = of(said, "war_declared")
    assert [(w["rank"], w["who"], w["down"]) for w in wars] == [
        (plain(w["rank"]), w["who"], w["down"]) for w in case["war"]
    ]
    won, drawn, over = of(said, "battle_won"), of(said, "battle_drawn"), of(said, "game_over")
    match case["winner"]:
        case "pending":
            assert not (won or drawn or over)
        case "draw":
            assert len(drawn) == 1 and not won
        case winner:
            assert [w["winner"] for w in won] == [winner]
    if "pot" in case and (won or drawn):
        assert (won or drawn)[0]["pot"] == case["pot"]
    assert dict(state.position.counts) == case["after"]
    assert sorted(o["player"] for o in of(said, "player_out")) == case.get("out", [])
    assert [o["winner"] for o in over] == ([case["over"]] if "over" in case else [])
    if "wars_after" in case:
        assert dict(state.position.wars_won) == case["wars_after"]


def fresh_game(variant: str, players: tuple[str, ...], **chosen: object) -> Game:
    """A game from the deal with these settings."""
    return game_from_json({"variant": variant, "players": list(players), "set": chosen})
