"""The program running for long, viewers coming and going."""

from __future__ import annotations

import random
import socket
import subprocess
import time
from pathlib import Path

from tests.robustness.programs import await_page, command, environment, free_port, get, get_state, held, post
from tests.robustness.tally import Tally

#: Share of the time after which nothing may grow any more: five minutes of thirty.
WARM = 1 / 6
#: Memory may be larger at the end by this share; handles and threads by so many (viewers that are just leaving).
GROWTH, HANDLES, THREADS = 0.05, 25, 12


def soak(rng: random.Random, seconds: int, folder: Path) -> Tally:
    """The program before its sample film over and over, asked for pages, viewers coming and going, for `seconds`.

    After a sixth of the time the memory may grow by GROWTH at most, and handles and threads by a few.
    """
    tally, port = Tally(), free_port()
    with open(folder / "err.txt", "w") as err:
        words = command("demo", "--port", port, "--log", folder / "family.db")
        run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=err, env=environment(folder), cwd=folder)
    await_page(run, port)
    began, seen = time.monotonic(), []
    while (lasted := time.monotonic() - began) < seconds:
        _visit(tally, rng, port)
        seen.append((lasted, *held(run.pid)))
    run.kill()
    run.wait()
    return _judge(tally, seconds, seen)


def _visit(tally: Tally, rng: random.Random, port: int) -> None:
    viewers = [_view(port, rng.choice(("/events", "/events?page=control", "/picture.mjpg"))) for _ in range(10)]
    if get_state(port)["finished"]:
        post(port, "/play-sample", {})
    for address in ("/", "/state", "/log", "/picture.jpg"):
        tally.tried += 1
        if get(port, address)[0] >= 500:
            tally.fail(f"soak: {address} is broken")
    time.sleep(rng.uniform(0.5, 2.0))
    for sock in viewers:
        sock.close()


def _judge(tally: Tally, seconds: int, seen: list[tuple[float, int, int, int]]) -> Tally:
    """Compare the most of each measure right after WARM with the most of it later."""
    warm = seconds * WARM
    first = [one for one in seen if warm <= one[0] < 1.2 * warm]
    later = [one for one in seen if one[0] >= 1.2 * warm]
    before, after = ([max(one[place] for one in part) for place in (1, 2, 3)] for part in (first, later))
    minutes = [f"{lasted / 60:.0f} min {memory} MB" for lasted, memory, *_ in seen[:: max(1, len(seen) // 10)]]
    print(f"soak: {', '.join(minutes)}; MB, handles, threads first {before}, most later {after}")
    if after[0] > (1 + GROWTH) * before[0] or after[1] > before[1] + HANDLES or after[2] > before[2] + THREADS:
        tally.fail(f"soak: MB, handles, threads grew from {before} to {after}")
    return tally


def _view(port: int, address: str) -> socket.socket:
    sock = socket.create_connection(("127.0.0.1", port), timeout=10)
    sock.sendall(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    sock.recv(1000)
    return sock
