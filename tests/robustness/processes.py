"""The program killed at any moment, before bad cameras, and running for long."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.log import store
from tests.companion.scripts import write_script
from tests.robustness import bad_camera
from tests.robustness.tally import Tally, command, environment

GAMES = (("classic", 2), ("multi", 3), ("razboi", 2), ("steal", 2))
#: Kills of one game before it is let run to its end.
KILLS_A_GAME = 10
#: Seconds before a bad camera, and for the program to close.
BEFORE_S, CLOSE_S = 8.0, 15.0
#: Megabytes that no input may make the program take.
LARGEST_MB = 600
Said = list[dict[str, Any]]


def begin(folder: Path, *words: object) -> subprocess.Popen[str]:
    """Start the program with the log of this folder."""
    line = command(*words, "--log", folder / "family.db")
    pipe = subprocess.PIPE
    return subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True, env=environment(folder), cwd=folder)


def attack_by_kills(rng: random.Random, count: int, folder: Path) -> Tally:
    """Kill games of scripts, and every fifth time a game of the page, and start them again."""
    tally = Tally()
    while tally.tried < count:
        home = folder / str(tally.tried)
        home.mkdir()
        if rng.random() < 0.3:
            _kill_page(tally, rng, home)
        else:
            _kill_script(tally, rng, home, min(KILLS_A_GAME, count - tally.tried))
    return tally


def _kill_script(tally: Tally, rng: random.Random, folder: Path, kills: int) -> None:
    variant, players = rng.choice(GAMES)
    names, seed = ("Ana", "Ben", "Cai")[:players], rng.randrange(10**6)
    path = write_script(folder / "g.looks", rng.choice((150, 400)), seed=seed, variant=variant, players=names)
    right = _replayed(folder, path)
    about = f"kills, {variant} seed {seed}"
    for _ in range(kills):
        run = begin(folder, "watch", "--source", path, "--no-page", "--json")
        time.sleep(rng.uniform(0.3, 1.5))
        run.kill()
        said = [json.loads(line) for line in run.communicate()[0].splitlines() if line.endswith("}")]
        tally.tried += 1
        stored = store.load_rulings(folder / "family.db", 1) if (folder / "family.db").exists() else ()
        if len(said) > len(stored) or _worded(said) != right[: len(said)]:
            tally.fail(f"{about}: shown {len(said)}, stored {len(stored)}")
    run = begin(folder, "watch", "--source", path, "--no-page", "--json")
    out, err = run.communicate(timeout=120)
    if run.returncode or _worded([json.loads(line) for line in out.splitlines()]) != right:
        tally.fail(f"{about}: not gone on with: exit {run.returncode}, {err[-300:]!r}")


def _replayed(folder: Path, path: str) -> Said:
    line = command("replay", path, "--json")
    run = subprocess.run(line, capture_output=True, text=True, env=environment(folder), timeout=120, check=True)
    return _worded([json.loads(one) for one in run.stdout.splitlines()])


def _worded(said: Said) -> Said:
    return [
        {key: value for key, value in one.items() if key not in ("model", "made_by", "replaced_by")} for one in said
    ]


def _kill_page(tally: Tally, rng: random.Random, folder: Path) -> None:
    """A game begun from the page and told by hand; every answer of 200 must be there after the kill."""
    with _program(folder) as port:
        clicks = [("/new-game", {"variant": "classic", "players": ["Ana", "Ben"]}), ("/camera", {"source": "97"})]
        rng.shuffle(clicks)
        for address, body in clicks:
            post(port, address, body)
        told = 0
        for number in range(rng.randrange(1, 8)):
            faces = {"Ana": [f"{number + 2}H"], "Ben": ["KS"]}
            told += post(port, "/look", {"faces": faces}) == 200
            told += post(port, "/collected", {}) == 200
    tally.tried += 1
    newest = store.list_sessions(folder / "family.db")[0]
    kept = len(store.load_inputs(folder / "family.db", newest.id))
    with _program(folder) as port:
        state = json.loads(get(port, "/state")[1])
        if kept < told or state["players"] != ["Ana", "Ben"] or state["session"] != newest.id:
            tally.fail(f"kills, page: told {told}, kept {kept}, gone on with {state['session']} {state['players']}")


@contextlib.contextmanager
def _program(folder: Path, *words: object) -> Iterator[int]:
    """The program with its page while the block runs, killed at the end; gives the port."""
    port = free_port()
    run = begin(folder, *words, "--port", port)
    try:
        until = time.monotonic() + 60
        while True:
            try:
                if get(port, "/healthz")[0] == 200:
                    break
            except OSError:
                pass
            if run.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"no page: {run.poll()}")
            time.sleep(0.1)
        yield port
    finally:
        run.kill()
        run.communicate()


def free_port() -> int:
    """A port that nobody uses just now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def get(port: int, address: str) -> tuple[int, bytes]:
    """Status and body."""
    return _request(port, "GET", address)


def post(port: int, address: str, body: dict[str, Any]) -> int:
    """The status of what is asked."""
    return _request(port, "POST", address, json.dumps(body))[0]


def _request(port: int, verb: str, address: str, body: str | None = None) -> tuple[int, bytes]:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        line.request(verb, address, body, {"Content-Type": "application/json", "Accept": "application/json"})
        answer = line.getresponse()
        return answer.status, answer.read()
    finally:
        line.close()


# --- bad cameras --------------------------------------------------------------------------------------


def attack_streams(rng: random.Random, count: int, folder: Path) -> Tally:
    """Watch every behaviour of a bad camera, or `count` of them, for a while and close the program in good order."""
    tally, camera = Tally(), bad_camera.serve()
    names = list(bad_camera.BEHAVIOURS)
    for name in rng.sample(names, count) if count else names:
        source = f"http://127.0.0.1:{camera.server_address[1]}/{name}"
        game = ("--variant", "classic", "--players", "Ana,Ben", "--no-page", "--json")
        run = begin(folder, "watch", "--source", source, *game)
        tally.tried += 1
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(BEFORE_S)
        memory = _memory_mb(run.pid) if run.poll() is None else 0
        run.send_signal(signal.SIGINT)
        try:
            err = run.communicate(timeout=CLOSE_S)[1]
        except subprocess.TimeoutExpired:
            run.kill()
            err = run.communicate()[1] + "Hang"
        tally.refused += run.returncode == 1
        if run.returncode not in (0, 1) or "Traceback" in err or "Hang" in err or memory > LARGEST_MB:
            tally.fail(f"streams {name}: exit {run.returncode}, {memory} MB, {err[-500:]!r}")
    camera.shutdown()
    return tally


def _memory_mb(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), 0)


# --- for long -----------------------------------------------------------------------------------------


def soak(rng: random.Random, seconds: int, folder: Path) -> Tally:
    """The program before its sample film in a loop of requests, viewers coming and going, for `seconds`.

    After a sixth of the time the memory may grow by 5 % at most, and handles and threads by a few.
    """
    tally = Tally()
    port = free_port()
    run = begin(folder, "demo", "--port", port)
    threading.Thread(target=run.communicate, daemon=True).start()
    began, first, last = time.monotonic(), (0, 0, 0), (0, 0, 0)
    time.sleep(min(10, seconds / 6))
    while (lasted := time.monotonic() - began) < seconds:
        viewers = [_view(port, rng.choice(("/events", "/events?page=control", "/picture.mjpg"))) for _ in range(10)]
        for address in ("/", "/state", "/log", "/picture.jpg"):
            tally.tried += 1
            if get(port, address)[0] >= 500:
                tally.fail(f"soak: {address} is broken")
        time.sleep(rng.uniform(0.2, 1.0))
        for sock in viewers:
            sock.close()
        last = _held(run.pid)
        if lasted > seconds / 6 and not first[0]:
            first = last
    run.kill()
    print(f"soak: MB, handles, threads after a sixth {first}, at the end {last}")
    if last[0] > 1.05 * first[0] + 2 or last[1] > first[1] + 25 or last[2] > first[2] + 12:
        tally.fail(f"soak: MB, handles, threads grew from {first} to {last}")
    return tally


def _view(port: int, address: str) -> socket.socket:
    sock = socket.create_connection(("127.0.0.1", port), timeout=10)
    sock.sendall(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    sock.recv(1000)
    return sock


def _held(process: int) -> tuple[int, int, int]:
    """Resident megabytes, open handles and threads, where Linux tells."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return int(lines["VmRSS"].split()[0]) // 1024, len(os.listdir(f"/proc/{process}/fd")), int(lines["Threads"])
