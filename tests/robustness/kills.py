"""The program killed (SIGKILL) at any moment and started again: what was acknowledged is there, the game goes on."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.log import store
from tests.companion.scripts import script, write_script
from tests.robustness import bad_camera
from tests.robustness.programs import (
    GONE,
    LOG,
    Program,
    command,
    environment,
    get_state,
    post,
    serving,
    start,
    start_forked,
)
from tests.robustness.tally import Tally

GAMES = (("classic", 2), ("multi", 3), ("razboi", 2), ("steal", 2), ("arneson", 2))
#: Kills of one game before it is let run to its end, or left: of a script, by hand, before a stream.
KILLS_A_GAME = 10, 5, 10
#: One kill of so many is of a game that a stream watches.
STREAMS = 10
#: Seconds for a game of a script to end.
END_LIMIT_S = 120.0
#: What the page shows that does not outlast a restart, or need not: pictures, the watching, what a refusal said.
PASSING = frozenset(
    {
        "version",
        "chip",
        "chip_text",
        "cards",
        "hint",
        "camera",
        "seats",
        "packs",
        "demo",
        "banner",
        "finished",
        "paused",
    }
) | {"change", "trying"}
Json = dict[str, Any]
Click = tuple[str, Json]


def attack_by_kills(rng: random.Random, count: int, folder: Path) -> Tally:
    """Kill games of scripts, games told by hand and games before a stream; go on with each after every kill.

    One kill in ten is before a stream; as many games as of scripts are begun on the page while the sample game plays.
    """
    tally, orders = Tally(), itertools.cycle(itertools.permutations(range(3)))
    ways = (_kill_script, lambda *more: _kill_hands(*more, order=next(orders)), _kill_stream)
    streams = count // STREAMS
    by_hand = (count - streams) * KILLS_A_GAME[1] // sum(KILLS_A_GAME[:2])
    for way, most, kills in zip(ways, KILLS_A_GAME, (count - streams - by_hand, by_hand, streams), strict=True):
        until = tally.tried + kills
        while tally.tried < until:
            home = folder / f"{tally.tried}"
            home.mkdir()
            way(tally, rng, home, min(most, until - tally.tried))
    return tally


# --- scripts ------------------------------------------------------------------------------------------


def _kill_script(tally: Tally, rng: random.Random, folder: Path, kills: int) -> None:
    """A script without a page: killed after some more lines each time, or while it starts; at last run to its end."""
    variant, players = rng.choice(GAMES)
    seed = rng.randrange(10**6)
    path = write_script(folder / "g.looks", 400, seed=seed, variant=variant, players=_names(players))
    right = _replayed(folder, path)
    about, words = f"kills, {variant} seed {seed}", ("watch", "--source", path, "--no-page", "--json")
    for left in range(kills, 0, -1):
        stored = store.load_rulings(folder / LOG, 1) if (folder / LOG).exists() else ()
        more = rng.randrange(max(1, (len(right) - len(stored)) // left))
        run = start_forked(folder, *words)
        said = _read_lines(run, 0 if rng.random() < 0.2 else len(stored) + more, rng)
        tally.tried += 1
        stored = store.load_rulings(folder / LOG, 1) if (folder / LOG).exists() else ()
        if len(said) > len(stored) or _bare(said) != right[: len(said)]:
            tally.fail(f"{about}: shown {len(said)}, stored {len(stored)}")
    run = start_forked(folder, *words)
    out, err = run.communicate()
    if run.poll() or _bare(map(json.loads, out.splitlines())) != right:
        tally.fail(f"{about}: not gone on with: exit {run.poll()}, {err[-300:]!r}")


def _names(number: int) -> tuple[str, ...]:
    return ("Ana", "Ben", "Cai")[:number]


def _read_lines(run: Program, number: int, rng: random.Random) -> list[Json]:
    """Read so many lines of a program and kill it a moment later; with none, while it starts. Gives what it said."""
    lines = [line for _, line in zip(range(number), run.stdout or (), strict=False)]
    time.sleep(rng.uniform(0, 0.02) if number else rng.uniform(0, 1.0))
    run.kill()
    lines += run.communicate()[0].splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def _replayed(folder: Path, path: str) -> list[Json]:
    line = command("replay", path, "--json")
    run = subprocess.run(line, capture_output=True, text=True, env=environment(folder), timeout=END_LIMIT_S, check=True)
    return _bare(map(json.loads, run.stdout.splitlines()))


def _bare(said: Any) -> list[Json]:
    """Rulings without what a log says beside them."""
    return [{key: one[key] for key in one if key not in ("model", "made_by", "replaced_by")} for one in said]


# --- by hand ------------------------------------------------------------------------------------------


@dataclass
class _Told:
    """What a game on the page was told: the clicks to begin with, those acknowledged, the page after the last."""

    clicks: list[Click]
    acts: Iterator[Click]
    players: tuple[str, ...]
    #: Sessions and inputs acknowledged with 200; inputs of the session that was begun last.
    begun: int = 0
    inputs: list[Click] = field(default_factory=list)
    camera: str = ""
    shown: Json | None = None


def _kill_hands(tally: Tally, rng: random.Random, folder: Path, kills: int, order: tuple[int, ...]) -> None:
    """A game begun while the sample game plays, by clicks in this order, told by hand, killed at any moment."""
    camera = bad_camera.serve()
    variant, players = rng.choice(GAMES)
    address = f"http://127.0.0.1:{camera.server_address[1]}/black"
    clicks: list[Click] = [
        ("/new-game", {"variant": variant, "players": _names(players)}),
        ("/camera", {"source": address if rng.random() < 0.7 else "97"}),
        ("/settings", {"set": {"war_down": "1"}}),
    ]
    told = _Told([clicks[place] for place in order], _acts(rng, variant, _names(players)), _names(players))
    about = f"kills, hands, {variant}, {[address for address, _ in told.clicks]}"
    for number in range(kills):
        if number and rng.random() < 0.3:
            camera.close_all()  # the camera is off when the program starts
        with serving(folder, begin=start_forked) as (run, port):
            _check_gone_on(tally, f"{about}, kill {number}", folder, port, told)
            if not told.begun and rng.random() < 0.7:
                _await(port, lambda state: state["demo"])
            killer = threading.Timer(rng.uniform(0.01, 1.2), run.kill)
            killer.start()
            _tell_until_killed(port, told, rng)
            killer.join()
        tally.tried += 1
        if camera.closed:
            camera = bad_camera.serve(camera.server_address[1])
    with serving(folder, begin=start_forked) as (_, port):
        _check_gone_on(tally, f"{about}, at the end", folder, port, told)
    camera.close_all()


def _await(port: int, so: Any, limit_s: float = 10.0) -> bool:
    """Wait until the page shows a state that is `so`."""
    until = time.monotonic() + limit_s
    while not (found := so(get_state(port))) and time.monotonic() < until:
        time.sleep(0.02)
    return bool(found)


def _acts(rng: random.Random, variant: str, players: tuple[str, ...]) -> Iterator[Click]:
    """A game's looks, and between them what people do on the page; each is one input where it is taken."""
    for line in script(400, seed=rng.randrange(10**6), variant=variant, players=players)[1:]:
        look = {key: value for key, value in json.loads(line).items() if key != "at"}
        yield "/look", look
        if rng.random() < 0.3:
            number = rng.randrange(1, 12)
            yield rng.choice(
                (
                    ("/undo", {}),
                    ("/undo", {"look": number}),
                    ("/correct", {"look": number, "faces": {players[0]: [rng.choice(("9H", "KS", "2C"))]}}),
                    ("/appeal", {"look": number, "by": players[0]}),
                    ("/seats", {"swap": list(players[:2])}),
                    ("/settings", {"set": {"war_down": rng.choice("123")}}),
                    ("/collected", {}),
                )
            )


def _tell_until_killed(port: int, told: _Told, rng: random.Random) -> None:
    """Click until the program is gone; note what was acknowledged and what the page showed then."""
    try:
        while True:
            click = told.clicks[0] if told.clicks else next(told.acts)
            done = post(port, *click) == 200
            if told.clicks:
                told.clicks.pop(0)
            told.shown = None
            _note(told, click, done, port)
            told.shown = get_state(port) if told.begun else None
            time.sleep(rng.choice((0, 0, 0.05)))
    except GONE:
        return


def _note(told: _Told, click: Click, done: bool, port: int) -> None:
    if not done:
        return
    match click:
        case "/new-game", _:
            told.begun, told.inputs, told.shown = told.begun + 1, [], None
        case "/camera", {"source": source}:
            if _await(port, lambda state: state["camera"]["source"] == source):
                told.camera = str(source)
        case _ if told.begun:
            told.inputs.append(click)


def _check_gone_on(tally: Tally, about: str, folder: Path, port: int, told: _Told) -> None:
    """What was acknowledged is in the log, and the page shows the game that was begun as it was."""
    found = [one for one in store.list_sessions(folder / LOG) if one.live] if (folder / LOG).exists() else []
    if not told.begun <= len(found) <= told.begun + 1 or len([one for one in found if not one.ended]) > 1:
        tally.fail(f"{about}: {told.begun} games begun, {len(found)} in the log")
    if not found:
        _click_again(told)
        return
    if len(found) > told.begun:  # it was begun, but the answer did not get through any more
        told.begun, told.inputs, told.shown = len(found), [], None
        told.clicks = [click for click in told.clicks if click[0] != "/new-game"]
    kept, state = store.load_inputs(folder / LOG, found[0].id), get_state(port)
    lost = len(told.inputs) > len(kept) or any(map(_differs, told.inputs, kept))
    if lost or len(kept) > len(told.inputs) + 1:
        tally.fail(f"{about}: told {told.inputs[-3:]}, kept {len(kept)} of {len(told.inputs)}: {kept[-3:]}")
    if (state["session"], tuple(state["players"]), state["demo"]) != (found[0].id, told.players, False):
        tally.fail(f"{about}: not gone on with: {state['session']}, {state['players']}")
    if told.camera and found[0].source != told.camera:
        tally.fail(f"{about}: the camera {told.camera} is forgotten: {found[0].source}")
    if told.shown and len(kept) == len(told.inputs):
        other = {key for key in told.shown.keys() - PASSING if told.shown[key] != state[key]}
        if other:
            tally.fail(f"{about}: shown otherwise: {[(key, told.shown[key], state[key]) for key in other]}"[:900])
    told.inputs += [("", {})] * (len(kept) - len(told.inputs))
    told.shown = state


def _click_again(told: _Told) -> None:
    """No game was begun: what was picked for it is picked once more."""
    if told.camera:
        told.clicks.append(("/camera", {"source": told.camera}))
    told.camera = ""


def _differs(click: Click, kept: Json) -> bool:
    """Whether the input in the log is not the one that was acknowledged."""
    match click:
        case "/look", body:
            return not set(body) <= set(kept)
        case "/collected", _:
            return kept.get("faces") != {}
        case "/seats", _:
            return "swap" not in kept
        case "/settings", _:
            return "set" not in kept
        case ("/undo" | "/correct" | "/appeal") as address, _:
            return address.removeprefix("/") not in kept
    return False


# --- before a stream ----------------------------------------------------------------------------------


def _kill_stream(tally: Tally, rng: random.Random, folder: Path, kills: int) -> None:
    """A game before a network camera that shows the sample film: no ruling that was shown is lost."""
    camera = bad_camera.serve()
    address = f"http://127.0.0.1:{camera.server_address[1]}/film"
    watch = rng.choice((_watch_on_terminal, _watch_on_page))
    for number in range(kills):
        about = f"kills, stream, {watch.__name__}, kill {number}"
        said = watch(folder, address, rng, about, tally)
        tally.tried += 1
        found = store.list_sessions(folder / LOG) if (folder / LOG).exists() else ()
        whole = store.export_session(folder / LOG, found[0].id) if found else {"rulings": ()}
        made = {(one["seq"], one["look"], one["ruling"]) for one in whole["rulings"]}
        if said - made or len(found) > 1:
            tally.fail(f"{about}: shown and lost {sorted(said - made)}, {len(found)} sessions")
    camera.close_all()


def _watch_on_terminal(
    folder: Path, address: str, rng: random.Random, about: str, tally: Tally
) -> set[tuple[int, int, str]]:
    """Watch for some seconds without a page; the rulings that were printed."""
    there = bool((folder / LOG).exists() and store.list_sessions(folder / LOG))
    before = store.load_rulings(folder / LOG, 1) if there else ()
    game = ("--variant", "classic", "--players", "Ana,Ben", "--no-page", "--json")
    run = start(folder, "watch", "--source", address, *game)
    time.sleep(rng.uniform(1.0, 9.0))
    run.kill()
    out = run.communicate()[0]
    said = [json.loads(line) for line in out.splitlines(keepends=True) if line.endswith("\n")]
    again = [(one["seq"], one["ruling"]) for one in said[: len(before)]]
    if said and again != [(one["seq"], one["ruling"]) for one in before]:
        tally.fail(f"{about}: not gone on with: {again[-3:]}")
    return {(one["seq"], one["look"], one["ruling"]) for one in said}


def _watch_on_page(
    folder: Path, address: str, rng: random.Random, about: str, tally: Tally
) -> set[tuple[int, int, str]]:
    """Watch for some seconds with a page, where the game and the camera are chosen; the rulings that it showed."""
    begun = bool((folder / LOG).exists() and store.list_sessions(folder / LOG))
    said: set[tuple[int, int, str]] = set()
    clicks: list[Click] = [("/new-game", {"variant": "classic", "players": ["Ana", "Ben"]})]
    clicks.append(("/camera", {"source": address}))
    with serving(folder) as (run, port):
        killer = threading.Timer(rng.uniform(1.0, 8.0), run.kill)
        killer.start()
        try:
            for click in () if begun else rng.sample(clicks, 2):
                post(port, *click)
            while True:
                state = get_state(port)
                if begun and (state["session"], state["camera"]["source"]) != (1, address):
                    tally.fail(f"{about}: not gone on with: {state['session']}, {state['camera']}")
                    begun = False
                said |= {(one["seq"], one["look"], one["ruling"]) for one in (*state["log"], *state["undone"])}
                time.sleep(0.05)
        except GONE:
            pass
        killer.join()
    return said
