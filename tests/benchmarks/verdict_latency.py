"""How long a family waits for the verdict: `python tests/benchmarks/verdict_latency.py [--fps N] [--no-browser]`.

The two sample films run before a network camera in real time. Measured is the time from the first picture in which
the last card of a look lies still, as the camera sends it, to the verdict on the page in Chromium (where there is
one) and at a client of `/events`; the settling time that the program waits on purpose is taken off. Prints one line
of JSON. WARREF_WEIGHTS names other networks than those in models/.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from companion.simulation.film import make_film, read_film_script  # noqa: E402
from companion.simulation.samples import FILMS, SCRIPTS  # noqa: E402
from tests.companion.web.test_pages_browser import CHROMIUM, QUIET  # noqa: E402
from tests.films.served import Program, Served, pictures  # noqa: E402
from vision.lab.render.decks.catalogue import load_deck  # noqa: E402
from vision.lab.render.films.film import LAST_S  # noqa: E402
from vision.tracking.settler import SETTLE_S  # noqa: E402

#: Told to the page: at every change of the newest line of the log, its id and the time.
WATCH = """() => {
  window.seen = {};
  const note = () => { const line = document.querySelector('#log .line');
    if (line && !(line.id in window.seen)) window.seen[line.id] = Date.now() / 1000; };
  new MutationObserver(note).observe(document.body, {subtree: true, childList: true});
  note();
}"""


def still_from(name: str, deck: int, seed: int) -> dict[int, float]:
    """For each look of a sample film with a verdict, counted from 0, the second from which all its cards lie still."""
    script = read_film_script(SCRIPTS / f"{name}.looks")
    film = make_film(script, load_deck(f"made-{deck}"), seed=seed)
    starts = [still.start / film.fps for still in film.still_frames()]
    return {n: at for n, (at, look) in enumerate(zip(starts, script.looks, strict=True)) if any(look.faces.values())}


def listen(address: str, seen: dict[int, float]) -> None:
    """Note when each ruling first arrives at a client of `/events`, by its seq."""
    line = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    line.request("GET", "/events")
    answer = line.getresponse()
    while data := answer.readline():
        if data.startswith(b"data: {") and (log := json.loads(data[6:]).get("log")):
            seen.setdefault(log[0]["seq"], time.time())


@contextmanager
def browser(address: str, wanted: bool) -> Iterator[Any]:
    """The page in Chromium, or None."""
    if not wanted:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=str(CHROMIUM), args=QUIET.split())
        page = chromium.new_page()
        page.goto(address)
        page.wait_for_selector(".link.live")
        page.evaluate(WATCH)
        yield page
        chromium.close()


def play(name: str, deck: int, seed: int, fps: float, wanted: bool) -> dict[str, list[float]]:
    """Run one film; how late each verdict was, in seconds beyond the settling time, at either reader."""
    still = still_from(name, deck, seed)
    ends = max(still.values()) + LAST_S - 0.3
    frames = pictures(ROOT / "sample_images" / f"{name}.mp4", ends + 0.5, fps)
    events: dict[int, float] = {}
    with TemporaryDirectory() as folder, Served(frames, fps) as camera:
        words = ("--source", camera.address, "--variant", name, "--players", "Ana,Ben", "--json", "--port", 0)
        with Program(Path(folder), "watch", *words, "--log", Path(folder) / "log.db") as program:
            program.watching()
            threading.Thread(target=listen, args=(program.address, events), daemon=True).start()
            with browser(program.address, wanted) as page:
                camera.play(ends)
                time.sleep(1.0)
                shown = page.evaluate("window.seen") if page else {}
    lay = [camera.sent[min(n for n in camera.sent if n >= round(at * fps))] for at in still.values()]
    on_page = {int(line.rsplit("-", 1)[1]): at for line, at in shown.items() if line[-1].isdigit()}
    return {"events": late(lay, events), "browser": late(lay, on_page)}


def late(lay: list[float], seen: dict[int, float]) -> list[float]:
    """For each look the time from lying still to the first ruling after it and before the next, beyond settling."""
    found = []
    for began, until in zip(lay, [*lay[1:], float("inf")], strict=True):
        times = [at for at in seen.values() if began < at < until]
        found += [min(times) - began - SETTLE_S] if times else []
    return found


def spread(values: list[float], looks: int) -> dict[str, float]:
    """Median, 95th percentile and largest in milliseconds, of how many looks a verdict was seen."""
    if not values:
        return {"verdicts": 0, "looks": looks}
    ordered = sorted(values)
    high = ordered[math.ceil(0.95 * len(ordered)) - 1]
    in_ms = {"p50_ms": statistics.median(ordered), "p95_ms": high, "max_ms": ordered[-1]}
    return {key: round(1000 * value) for key, value in in_ms.items()} | {"verdicts": len(values), "looks": looks}


def main() -> None:
    """Play both films and print how late the verdicts were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fps", type=float, default=10.0, help="pictures a second of the camera (10 at most)")
    parser.add_argument("--no-browser", action="store_true", help="only the client of /events")
    args = parser.parse_args()
    wanted = CHROMIUM.exists() and not args.no_browser
    runs = [play(name, deck, seed, args.fps, wanted) for name, deck, seed in FILMS]
    looks = sum(len(still_from(*film)) for film in FILMS)
    result: dict[str, Any] = {"fps": args.fps, "settling_ms": round(1000 * SETTLE_S)}
    for reader in ("events", "browser") if wanted else ("events",):
        result[reader] = spread([value for run in runs for value in run[reader]], looks)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
