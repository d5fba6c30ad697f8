"""Pictures of every page in every state: `python -m tests.screenshots OUT_FOLDER [PART_OF_NAME]`.

With `--lang XX` (a language, or `all`) the pages of one real game and `warref explain` in that language instead.

The scenes of the fake table stand for the states; the pictures of their cards are cut from a sample picture.
`python -m tests.screenshots OUT --animation` films the first war of the sample game for the README (`sample.webp`).
`sample-*.jpg` are taken of the sample game while it is refereed by the networks; they need a minute.
"""

from __future__ import annotations

import argparse
import dataclasses
import html
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.commands._looks_files import load_script
from companion.log.store import Log
from companion.referee.codec import script_game
from companion.table.presenter import Presenter
from companion.table.table import Table
from companion.web import create_app
from companion.web.context import LiveTable
from companion.web.server import Server
from companion.web.sharing.guests import Role
from companion.words import languages, speak
from tests.benchmarks.evenings import write_games
from tests.companion.web.fake_table import SCENES, VERDICT, FakeTable
from tests.companion.web.sharing.network import Shared, shared_page
from tests.companion.web.test_pages_browser import CHROMIUM, QUIET
from tests.films.served import ROOT, Program, free_port
from vision.images import crop_card
from vision.types import Frame

SIZES = {"1280": (1280, 800), "1920": (1920, 1080), "390": (390, 844), "360": (360, 740)}
SCHEMES = ("light", "dark")
#: Pages that are pictured in one scene only: name, address, scene.
PAGES = (
    ("log", "/log", "verdict"),
    ("games", "/sessions", "verdict"),
    ("game", "/sessions/1", "verdict"),
    ("kept", "/sessions/1.html", "verdict"),
    ("family", "/family", "verdict"),
    ("player", "/family/Ana", "verdict"),
    ("preferences", "/preferences", "verdict"),
    ("replay", "/sessions/1/replay?step=4", "verdict"),
    ("new-game", "/new-game", "verdict"),
    ("settings", "/settings", "verdict"),
    ("correct", "/correct?look=9&player=Ben&place=0", "verdict"),
    ("which", "/correct?look=9", "verdict"),
    ("appeal", "/appeal?look=9", "verdict"),
    ("setup", "/setup", "trying"),
    ("setup-ready", "/setup", "ready"),
    ("pile", "/pile?player=Ana", "steal"),
    ("counting", "/counting", "verdict"),
    ("undo-war", "/undoing?look=8", "verdict"),
    ("enrol", "/enrol", "verdict"),
    ("keys", "/keys", "verdict"),
    ("rules", "/rules/steal", "verdict"),
    ("missed", "/missed?look=9", "verdict"),
    ("not-found", "/no-such-page", "verdict"),
    ("no-such-game", "/sessions/999", "verdict"),
)
PICTURE = "pair.jpg"
#: The README's film: at most so many seconds, so many after the verdict; pictures a second, and size in pixels.
LONGEST_S, AFTER_S = 12.0, 3.0
ANIMATION_FPS = 4.0
ANIMATION_SIZE = (800, 500)
#: Games in the log of the pictures.
GAMES = 25
SCRIPT = load_script(str(ROOT / "tests" / "games" / "family_classic.looks"))
#: What is pictured in every language: name, address.
IN_LANGUAGES = (
    ("live", "/"),
    ("start", "/new-game"),
    ("appeal", "/appeal?look=5"),
    ("games", "/sessions"),
    ("keep", "/sessions/1.html"),
    ("rules", "/rules/steal"),
    ("family", "/family"),
    ("settings", "/settings"),
)


@contextmanager
def served(table: LiveTable, log: Path) -> Iterator[str]:
    """The page of a fake table; gives its address."""
    server = Server(create_app(table, log), 0)
    server.prepare()
    threading.Thread(target=server.serve, daemon=True).start()
    yield f"http://127.0.0.1:{server.port}"
    server.stop()


def write_log(path: Path) -> bytes:
    """Write a log whose session 1 is the game of the scenes, with pictures; return the whole picture."""
    with Log(path) as log:
        picture = play_game(Table(log, Presenter(speak("en"))))
    write_games(path, GAMES)
    return picture


def play_game(table: Table) -> bytes:
    """Play the game of the scenes at a table, with pictures; return the whole picture."""
    samples = ROOT / "sample_images"
    image = cv2.imread(str(samples / PICTURE))
    seen = map(json.loads, (samples / "seen.jsonl").read_text().splitlines())
    cards = next(one["cards"] for one in seen if one["file"] == PICTURE)
    quads = [tuple(map(tuple, one["polygon"])) for one in cards]
    cuts = [crop_card(Frame(image, 0.0), quad) for quad in quads]
    crops = {f"{name} 0": _jpeg(cut) for name, cut in zip(("Ana", "Ben"), cuts, strict=True)}
    table.open(script_game(SCRIPT), "0", "left-right", True)
    for entry in SCRIPT.inputs:
        # The crops of the scenes are pictures 1 and 2.
        table.submit(entry, pictures=crops | {"table": _jpeg(image)})
    return _jpeg(image)


def _jpeg(image: Any) -> bytes:
    return bytes(cv2.imencode(".jpg", image)[1].tobytes())


def visit_sharing(page: Any, shared: Shared) -> Iterator[str]:
    """Open the pages of sharing one after the other, as the laptop and as a phone; yields the name of each."""
    for name, address in (
        ("share", f"{shared.home}/share"),
        ("share-camera", f"{shared.home}/share?as=camera"),
        ("refused", f"{shared.origin}/"),
        ("join", shared.link(Role.CAMERA)),
    ):
        page.goto(address)
        yield name
    page.click("form.join button")
    page.wait_for_url("**/phone")
    yield "phone"


def shoot_sharing(browser: Any, out: Path, part: str) -> None:
    """The pages of sharing, in all sizes, light and dark."""
    with tempfile.TemporaryDirectory() as folder, shared_page(FakeTable(VERDICT), Path(folder)) as shared:
        for (size, (width, height)), scheme in product(SIZES.items(), SCHEMES):
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=scheme, ignore_https_errors=True
            )
            for name in visit_sharing(page, shared):
                if part in (title := f"{name}-{size}-{scheme}"):
                    page.wait_for_timeout(200)
                    page.screenshot(path=out / f"{title}.png")
            page.close()


def shoot_scenes(browser: Any, out: Path, part: str) -> None:
    """Every scene on the table's page and the big screen, every other page once; all sizes, light and dark."""
    shots = [
        (f"{page}-{name}", path, name) for name in SCENES for page, path in (("table", "/"), ("screen", "/screen"))
    ]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.db"
        table = FakeTable(VERDICT, (1, write_log(log)))
        with served(table, log) as address:
            for size, (width, height) in SIZES.items():
                for scheme in SCHEMES:
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    for name, path, scene in (*shots, *PAGES):
                        if part in (title := f"{name}-{size}-{scheme}"):
                            table.now = dataclasses.replace(SCENES[scene], session=1)
                            visit(page, address, path)
                            page.wait_for_timeout(120)
                            page.screenshot(path=out / f"{title}.png", full_page=name == "kept")
                    page.close()


def visit(page: Any, address: str, path: str) -> None:
    """Open a page; the page to keep is a download."""
    if ".html" not in path:
        page.goto(address + path)
        return
    text = page.request.get(address + path).text()
    page.goto("about:blank")
    page.set_content(text)


def shoot_sample(browser: Any, out: Path) -> None:
    """The sample game at its first war, at the verdict after it, and at its end."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Program(Path(folder), "demo", "--json", "--port", free_port()) as game,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(game.address)
        for name, reached in (
            ("war", lambda now: now["war"]),
            ("verdict", lambda now: now["log"] and now["log"][0]["round"] == 4 and not now["war"]),
        ):
            game.until(reached, 240)
            game.post("pause", on=True)
            page.wait_for_timeout(1500)
            page.screenshot(path=out / f"sample-{name}.jpg", type="jpeg", quality=85)
            game.post("pause", on=False)
        game.until(lambda now: now["finished"], 240)
        page.wait_for_timeout(2500)
        page.screenshot(path=out / "sample-end.jpg", type="jpeg", quality=85)


def shoot_languages(browser: Any, out: Path, part: str, tongues: tuple[str, ...]) -> None:
    """The pages of one real game, and `warref explain`, in these languages, on a laptop and on a phone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        write_log(path)
        with Log(path) as log:
            table = Table(log, Presenter(speak("en")))
            table.picture = (1, play_game(table))
            with served(table, path) as address:
                for tongue, size in product(tongues, ("1280", "390")):
                    page = browser.new_page(viewport=dict(zip(("width", "height"), SIZES[size], strict=True)))
                    for name, where in IN_LANGUAGES:
                        if part in (title := f"{tongue}-{name}-{size}"):
                            visit(page, address, f"{where}{'&' if '?' in where else '?'}language={tongue}")
                            page.wait_for_timeout(150)
                            page.screenshot(path=out / f"{title}.png", full_page=True)
                    page.close()
    for tongue in tongues:
        if part in "explain":
            shoot_explain(browser, out / f"{tongue}-explain.png", tongue)


def shoot_explain(browser: Any, path: Path, tongue: str) -> None:
    """What the terminal says, as a picture."""
    page = browser.new_page(viewport={"width": 1000, "height": 600})
    said = "\n".join(f"$ warref explain {what}\n{_explain(what, tongue)}" for what in ("double_tie", "steal"))
    page.set_content(f"<pre style='white-space: pre-wrap; font: 15px monospace'>{html.escape(said)}</pre>")
    page.screenshot(path=path, full_page=True)
    page.close()


def _explain(what: str, tongue: str) -> str:
    call = [sys.executable, "-m", "companion", "explain", what, "--lang", tongue]
    return subprocess.run(call, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def animate_sample(browser: Any, out: Path) -> None:
    """The first war of the sample game as `sample.webp`, from the tie to what the winner takes."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Program(Path(folder), "demo", "--json", "--port", free_port()) as game,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        page.goto(game.address)
        game.until(lambda now: now["war"], 240)
        shots: list[Any] = []
        ends = round(LONGEST_S * ANIMATION_FPS)
        while len(shots) < ends:
            began = time.monotonic()
            shot = cv2.imdecode(np.frombuffer(page.screenshot(type="png"), np.uint8), cv2.IMREAD_COLOR)
            shots.append(cv2.resize(shot, ANIMATION_SIZE, interpolation=cv2.INTER_AREA))
            if game.state()["war"] is None:
                ends = min(ends, len(shots) + round(AFTER_S * ANIMATION_FPS))
            time.sleep(max(0.0, 1 / ANIMATION_FPS - (time.monotonic() - began)))
    film = cv2.Animation()
    film.frames, film.durations = shots, [round(1000 / ANIMATION_FPS)] * len(shots)
    cv2.imwriteanimation(str(out / "sample.webp"), film, [cv2.IMWRITE_WEBP_QUALITY, 70])


def main() -> None:
    """Write the pictures into a folder."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("part", nargs="?", default="")
    parser.add_argument("--animation", action="store_true", help="film the sample game for the README")
    parser.add_argument("--lang", choices=(*languages(), "all"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=QUIET.split())
        if options.animation:
            animate_sample(browser, options.out)
        elif options.lang:
            tongues = languages() if options.lang == "all" else (options.lang,)
            shoot_languages(browser, options.out, options.part, tongues)
        else:
            shoot_scenes(browser, options.out, options.part)
            shoot_sharing(browser, options.out, options.part)
            if options.part in "sample":
                shoot_sample(browser, options.out)
        browser.close()


if __name__ == "__main__":
    main()
