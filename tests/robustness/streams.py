"""The program before network cameras that misbehave, on the terminal and on the page."""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import time
from pathlib import Path

from tests.robustness import bad_camera
from tests.robustness.programs import command, get_state, peak_mb, post, run_to_end, serving, start
from tests.robustness.tally import LIMIT_S, Tally, is_sentences

#: Seconds before a camera that shows something first, on the terminal and on the page.
TERMINAL_S, PAGE_S = 8.0, 5.0
#: Seconds for the program to close.
CLOSE_S = 15.0
#: Seconds for an answer of the page, whatever the camera does.
CLICK_S = 2.0


def attack_streams(rng: random.Random, count: int, folder: Path) -> Tally:
    """Watch every behaviour of a bad camera twice, on the terminal and on the page; or `count` times in all."""
    tally, camera = Tally(), bad_camera.serve()
    whole = [(attack, name) for name in bad_camera.BEHAVIOURS for attack in (_on_terminal, _on_page)]
    for number, (attack, name) in enumerate(rng.sample(whole, count) if count else whole):
        home = folder / str(number)
        home.mkdir()
        attack(tally, name, f"http://127.0.0.1:{camera.server_address[1]}/{name}", home)
    camera.close_all()
    return tally


def _on_terminal(tally: Tally, name: str, source: str, folder: Path) -> None:
    tally.tried += 1
    words = ("watch", "--source", source, "--variant", "classic", "--players", "Ana,Ben", "--no-page", "--json")
    if name in bad_camera.NO_PICTURES:
        ended = run_to_end(folder, command(*words, "--log", folder / "family.db"), 4 * LIMIT_S)
        tally.refused += ended.code == 1
        tally.note(f"streams {name}", ended.seconds, ended.peak_mb)
        if ended.code != 1 or len(ended.err.splitlines()) != 1 or not is_sentences(ended.err):
            tally.fail(f"streams {name}: exit {ended.code}, {ended.err[-500:]!r}")
        return
    run = start(folder, *words)
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.wait(TERMINAL_S)
    memory = peak_mb(run.pid) if run.poll() is None else 0
    began = time.monotonic()
    run.send_signal(signal.SIGINT)
    try:
        err = run.communicate(timeout=CLOSE_S)[1]
    except subprocess.TimeoutExpired:
        run.kill()
        err = run.communicate()[1] + "Hang"
    tally.note(f"streams {name}", time.monotonic() - began, memory)
    tally.refused += run.returncode == 1
    # A camera without a single picture in time is refused; one that is lost later is told of, and tried again.
    if run.returncode not in (0, 1) or not is_sentences(err) or len(err.splitlines()) > 2:
        tally.fail(f"streams {name}: exit {run.returncode}, {err[-500:]!r}")


def _on_page(tally: Tally, name: str, source: str, folder: Path) -> None:
    tally.tried += 1
    with serving(folder) as (run, port):
        post(port, "/new-game", {"variant": "classic", "players": ["Ana", "Ben"]})
        tally.refused += post(port, "/camera", {"source": source}) != 200
        until, slowest = time.monotonic() + PAGE_S, 0.0
        while time.monotonic() < until:
            began = time.monotonic()
            state = get_state(port)
            slowest = max(slowest, time.monotonic() - began)
            time.sleep(0.2)
        tally.note(f"streams {name}, page", slowest, peak_mb(run.pid))
        message = state["camera"]["message"]
        if state["players"] != ["Ana", "Ben"] or slowest > CLICK_S or len(message.splitlines()) > 1:
            tally.fail(f"streams {name}, page: {slowest:.1f} s, {state['players']}, {message!r}")
        if run.poll() is not None:
            tally.fail(f"streams {name}, page: exit {run.poll()}")
        run.send_signal(signal.SIGTERM)
        try:
            err = run.communicate(timeout=CLOSE_S)[1]
        except subprocess.TimeoutExpired:
            err = "Hang"
        if run.returncode or not is_sentences(err):
            tally.fail(f"streams {name}, page: exit {run.returncode}, {err[-500:]!r}")
