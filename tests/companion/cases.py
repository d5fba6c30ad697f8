"""The worked cases of tests/cases.yaml as looks, and the table they are played on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from companion.referee import reducer
from companion.referee.codec import game_from_json, input_from_json, ruling_to_json
from companion.referee.events import Input, Ruled
from companion.referee.game import Game
from companion.referee.view import view

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


def play(game: Json, lines: list[Json]) -> tuple[reducer.State, list[Json]]:
    """The state and the rulings as JSON after stepping through these lines."""
    state = reducer.start(game_from_json(game))
    said: list[Json] = []
    for line in lines:
        state, ruled = step(state, input_from_json(line))
        said += ruled
    return state, said


def step(state: reducer.State, entry: Input) -> tuple[reducer.State, list[Json]]:
    """One step with its rulings as JSON."""
    after, ruled = reducer.step(state, entry)
    return after, as_json(ruled)


def as_json(ruled: tuple[Ruled, ...]) -> list[Json]:
    """Rulings as the lines that `replay --json` writes."""
    return [ruling_to_json(one) for one in ruled]


def of(said: list[Json], *kinds: str) -> list[Json]:
    """The rulings of these kinds."""
    return [one for one in said if one["ruling"] in kinds]


def check_round(case: Json, said: list[Json], state: reducer.State) -> None:
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


# --- Steal War --------------------------------------------------------------------------------------


def steal_game(case: Json) -> Json:
    """The first line of the script of a Steal War case."""
    piles = {player: [plain(code) for code in st["up"]] for player, st in case["st"].items()}
    counts = {player: st["down"] + len(st["up"]) for player, st in case["st"].items()}
    return {"variant": "steal", "players": list(counts), "counts": counts, "piles": piles}


def steal_lines(case: Json) -> list[Json]:
    """Its operations as lines: `refill` is a reshuffle, `steal4` a steal inside a war."""
    lines: list[Json] = []
    if "played" in case:
        lines.append({"faces": {player: ["2C"] for player in case["played"]}})
    for op in case["ops"]:
        lines += _battle_lines(op) if "battle" in op else [_act(op)]
        if "top" in op:
            lines.append({"top": {case["winner"]: plain(op["top"])}})
    return [{"at": float(number), **line} for number, line in enumerate(lines, start=1)]


def _act(op: Json) -> Json:
    if "refill" in op:
        return {"reshuffle": op["refill"]}
    return {"steal": op.get("steal") or op["steal4"]}


def _battle_lines(op: Json) -> list[Json]:
    lines: list[Json] = []
    faces: dict[str, list[str]] = {}
    backs: dict[str, int] = {}
    for laid in op["battle"]:
        if "refill" in laid or "steal4" in laid:
            lines.append(_act(laid))
            continue
        for player, (down, face) in laid.items():
            faces.setdefault(player, []).append(plain(face))
            backs[player] = backs.get(player, 0) + down
        lines.append({"faces": {p: list(f) for p, f in faces.items()}, "backs": dict(backs)})
    return lines


def check_steal(case: Json, said: list[Json], state: reducer.State) -> None:
    """The winner and the piles that a Steal War case expects."""
    pos = state.position
    if "winner" in case:
        assert [one["winner"] for one in of(said, "battle_won")] == [case["winner"]]
    if "illegal" in case:
        assert [(v["kind"], v["holds"]) for v in of(said, "violation")] == [("illegal_steal", True)]
    if "loses" in case:
        assert [one["player"] for one in of(said, "player_out")] == [case["loses"]]
        assert of(said, "game_over")[0]["winner"] != case["loses"]
    for player, end in case.get("end", {}).items():
        up = [card.code for card in pos.piles[player]]
        assert (pos.counts[player] - len(up), up) == (end["down"], [plain(code) for code in end["up"]])


# --- Arneson ----------------------------------------------------------------------------------------


def arneson_game(case: Json) -> Json:
    """The first line of the script of an Arneson case."""
    return round_game({**case, "v": "arneson"})


def arneson_lines(case: Json) -> list[Json]:
    """The first cards, then the fourths one pair after another; face-down cards are counted exactly."""
    faces = {player: [plain(code)] for player, code in case["first"].items()}
    lines = [{"at": 1.0, "faces": {p: list(f) for p, f in faces.items()}}]
    for number, fourth in enumerate(case.get("fourth", ()), start=2):
        for player, code in fourth.items():
            faces[player].append(plain(code))
        lines.append({"at": float(number), "faces": {p: list(f) for p, f in faces.items()}, "backs": case["down"]})
    return lines


def check_arneson(case: Json, said: list[Json], state: reducer.State) -> None:
    """Who takes what, the counts and the hands that an Arneson case expects."""
    (won,) = of(said, "battle_won")
    assert won["winner"] == case["winner"]
    assert won["takes"] == {player: len(cards) for player, cards in case["takes"].items() if cards}
    assert dict(state.position.counts) == case["after"]
    assert {player: split["hand"] for player, split in view(state).split.items()} == case["hand_after"]
    assert [one["winner"] for one in of(said, "game_over")] == ([case["over"]] if "over" in case else [])
    if "wars_after" in case:
        assert dict(state.position.wars_won) == case["wars_after"]
