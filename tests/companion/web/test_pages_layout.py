"""Nothing jumps: a game played before a real browser moves what is in sight by less than 0.05 in all."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from companion.commands._looks_files import load_script
from companion.log.store import Log
from companion.referee.codec import script_game
from companion.table.presenter import Presenter
from companion.table.session import Phase
from companion.table.snapshot import CameraView
from companion.table.table import Table
from companion.web import create_app
from companion.web.server import Server
from companion.words import speak
from tests.companion.web.test_pages_browser import CHROMIUM, QUIET

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="Chromium is not installed at /usr/bin/chromium."),
]
#: The layout-shift score up to which a page counts as still (web.dev calls 0.1 good).
STILL = 0.05
#: Milliseconds: longer than the page needs to draw a change, and to lead to the newest line.
DRAWN = 350
SHIFTS = """() => {
  window.shifts = [];
  const box = rect => [rect.x, rect.y, rect.width, rect.height].map(Math.round).join(" ");
  const named = node => {
    const one = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    return one ? `${one.tagName}#${one.id}.${one.getAttribute("class")} "${node.textContent.trim().slice(0, 40)}"` : "";
  };
  const told = one => `${named(one.node)}: ${box(one.previousRect)} -> ${box(one.currentRect)}`;
  const count = one => one.hadRecentInput || window.shifts.push({
    value: one.value,
    text: `${one.value.toFixed(4)} at ${Math.round(one.startTime)} ms: ${one.sources.map(told).join("; ")}`,
  });
  new PerformanceObserver(all => all.getEntries().forEach(count)).observe({type: 'layout-shift', buffered: true});
}"""


def check_still(page):
    """Fail where the page has moved what is in sight, and say what moved, from where to where."""
    shifts = page.evaluate("window.shifts")
    assert sum(one["value"] for one in shifts) < STILL, "\n".join(one["text"] for one in shifts)


GAMES = Path(__file__).parents[2] / "games"


@pytest.fixture
def page():
    api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed.")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=QUIET.split())
        yield browser.new_page()
        browser.close()


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ("/", (1280, 800)),
        ("/", (1920, 1080)),
        ("/screen", (1280, 800)),
        ("/", (390, 844)),
        ("/log", (390, 844)),
    ],
)
def test_nothing_jumps_in_a_game_with_wars(page, tmp_path, path, size):
    script = load_script(str(GAMES / "family_classic.looks"))
    with Log(tmp_path / "log.db") as log:
        table = Table(log, Presenter(speak("en")))
        table.show(camera=CameraView("0", True, True, "", 24.6, 12, (1280, 720)))
        table.open(script_game(script), "0", "left-right", True)
        server = Server(create_app(table, tmp_path / "log.db"), 0)
        server.prepare()
        threading.Thread(target=server.serve, daemon=True).start()
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        page.goto(f"http://127.0.0.1:{server.port}{path}")
        page.wait_for_selector(".link.live")
        page.evaluate(SHIFTS)
        for entry in script.inputs:
            for phase in (Phase.HAND, Phase.SETTLING):
                table.show(phase=phase)
                page.wait_for_timeout(80)
            table.submit(entry)
            table.show(phase=Phase.SETTLED)
            page.wait_for_timeout(DRAWN)
        check_still(page)
        if path != "/screen":
            # Whoever looks at the newest line is led to it.
            page.wait_for_function("() => document.querySelector('.rounds').scrollTop === 0", timeout=3000)
        server.stop()
