"""A game that no camera looks at, played in a real browser: Steal War, counts, and a whole game by keys."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from companion.commands.watch import restore_session
from companion.log.store import Log, list_sessions
from companion.table.presenter import Presenter
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


class Host:
    """A live table with its page, kept in a log; `port` is taken again after a restart."""

    def __init__(self, path: Path, port: int = 0) -> None:
        self.path, self.over, self.ready = path, threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self.ready.wait(10)
        self.server = Server(create_app(self.table, path), port)
        self.server.prepare()
        self.address = f"http://127.0.0.1:{self.server.port}"
        threading.Thread(target=self.server.serve, daemon=True).start()

    def _serve(self) -> None:
        with Log(self.path) as log:
            self.table = Table(log, Presenter(speak("en")))
            self.table.show(camera=CameraView(ok=False))
            for stored in list_sessions(self.path, unended=True)[:1]:
                self.table.resume(restore_session(self.path, stored))
            self.ready.set()
            while not self.over.is_set():
                self.table.serve(wait_s=0.02)

    def stop(self) -> None:
        self.over.set()
        self._thread.join()
        self.server.stop()


@pytest.fixture
def host(tmp_path):
    host = Host(tmp_path / "log.db")
    yield host
    host.stop()


@pytest.fixture
def page():
    api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed.")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=QUIET.split())
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(8000)
        yield page
        browser.close()


def begin(page, host, preset, *players):
    page.goto(host.address)
    page.wait_for_selector(".link.live")
    page.keyboard.press("n")
    for n, name in enumerate(players):
        page.fill(f"dialog input[name=player] >> nth={n}", name)
    page.click(f"dialog .preset:has(strong:text-is('{preset}'))")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]", state="detached")
    page.wait_for_selector(f".place h2:text-is('{players[0]}')")


def lay(page, player, key):
    """A player's card, said on the page: the place is opened and the card named by its key."""
    page.click(f".place[aria-label='{player}'] .slot")
    page.wait_for_selector("dialog[open] .ranks")
    page.keyboard.press(key)
    page.wait_for_selector("dialog[open]", state="detached")


def says(page, text):
    page.wait_for_function(
        "text => document.querySelector('#verdict h1').innerText.replace(/\\s+/g, ' ').includes(text)", arg=text
    )


def pile(page, player):
    page.click(f".place[aria-label='{player}'] a.pile")
    page.wait_for_selector("dialog[open]")


def test_steal_war_is_played_by_hand(page, host):
    begin(page, host, "Steal War", "Ana", "Ben")
    lay(page, "Ana", "9")
    lay(page, "Ben", "7")
    says(page, "Ana takes both: nine beats seven.")
    page.click("#collect button")
    # What the winner put on top decides what can be stolen.
    pile(page, "Ana")
    page.click("dialog button.choice:has-text('seven')")
    page.wait_for_selector(".place[aria-label='Ana'] a.pile:has-text('Ben may steal it')")
    pile(page, "Ana")
    page.click("dialog button:has-text('Ben steals it with a seven')")
    says(page, "Ben steals from Ana with a seven.")
    page.wait_for_selector(".place[aria-label='Ana'] a.pile:has-text('No face-up pile')")
    # Once a card is played it is too late.
    lay(page, "Ana", "8")
    pile(page, "Ben")
    page.wait_for_selector("dialog .hint:has-text('too late')")
    page.keyboard.press("Escape")
    # A tie, and the fourth card steals.
    lay(page, "Ben", "8")
    says(page, "WAR.")
    pile(page, "Ben")
    page.click("dialog button:has-text('Ana steals it')")
    says(page, "Ana steals from Ben")
    lay(page, "Ana", "2")
    lay(page, "Ben", "j")
    says(page, "Ben wins the war")
    page.click("#collect button")
    pile(page, "Ben")
    page.click("dialog button:has-text('Ben shuffled it')")
    page.wait_for_selector(".place[aria-label='Ben'] a.pile:has-text('No face-up pile')")
    assert sum(int(text) for text in page.locator(".count strong").all_inner_texts()) == 54


def reach(page, wanted):
    """The focus, led by the Tab key to the first thing that fits a CSS selector."""
    for _ in range(120):
        if page.evaluate("css => document.activeElement.matches(css)", wanted):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {wanted}")


def press(page, wanted, key="Enter"):
    reach(page, wanted)
    page.keyboard.press(key)


def lay_by_key(page, player, key):
    press(page, f".place[aria-label='{player}'] .slot")
    page.wait_for_selector("dialog[open] .ranks")
    page.keyboard.press(key)
    page.wait_for_selector("dialog[open]", state="detached")


def test_a_whole_game_by_keys_only(page, host):
    page.goto(host.address)
    page.wait_for_selector(".link.live")
    page.keyboard.press("n")
    for n, name in enumerate(("Ana", "Ben")):
        page.wait_for_selector("dialog[open]")
        page.keyboard.type(name)
        page.keyboard.press("Tab" if n == 0 else "Enter")
    page.wait_for_selector(".place h2:text-is('Ana')")
    lay_by_key(page, "Ana", "k")
    lay_by_key(page, "Ben", "9")
    says(page, "Ana takes both: king beats nine.")
    press(page, "#collect button")
    page.wait_for_selector(".place .slot")
    # Counted by hand, undone, and counted again: Ben has one card left.
    for told in (("24", "25"), ("51", "1")):
        page.keyboard.press("c")
        page.wait_for_selector("dialog[open]")
        page.keyboard.type(told[0])
        page.keyboard.press("Tab")
        page.keyboard.type(told[1])
        page.keyboard.press("Enter")
        page.wait_for_selector("#proof small:has-text('counted by hand before round 2')")
        assert page.locator(".count strong").all_inner_texts() == list(told)
        if told == ("24", "25"):
            page.keyboard.press("u")
            page.wait_for_selector("#proof small:has-text('counted by the rules')")
            assert page.locator(".count strong").all_inner_texts() == ["27", "25"]
    lay_by_key(page, "Ana", "q")
    lay_by_key(page, "Ben", "j")
    says(page, "Ana wins the game")
    page.wait_for_selector("#end:visible")
    press(page, "#end .button.strong")
    page.wait_for_function("() => !document.querySelector('.verdict.over')")
    page.wait_for_selector("#end", state="hidden")
    assert page.locator(".count strong").all_inner_texts() == ["26", "26"]


def test_an_appeal_ends_in_each_way_and_the_game_outlasts_a_restart(page, host):
    begin(page, host, "Family classic", "Ana", "Ben")
    lay(page, "Ana", "k")
    lay(page, "Ben", "9")
    says(page, "Ana takes both: king beats nine.")

    def appeal():
        page.keyboard.press("Shift+A")
        page.click("dialog button:has-text('Ben')")
        page.click("#ask .remark a:has-text('See the rule')")

    appeal()
    page.click("dialog button:has-text('The referee is right')")
    page.wait_for_selector(".line.undone .taken-back:has-text('Settled')")
    page.wait_for_selector("#ask", state="hidden")
    appeal()
    page.click("dialog a:has-text('We play it differently')")
    page.select_option("dialog select >> nth=0", index=1)
    page.click("dialog form[action='/settings'] button")
    page.wait_for_selector(".line.notice")
    appeal()
    page.click("dialog a:has-text('A card was misread')")
    page.click("dialog a.laid[aria-label*='nine']")
    page.wait_for_selector("dialog[open] .ranks")
    page.keyboard.press("a")
    says(page, "Ben takes both: ace beats king.")
    assert page.locator(".count strong").all_inner_texts() == ["25", "27"]
    # The program is ended and started again: the page finds it by itself, where the game stands.
    host.stop()
    page.wait_for_selector(".link.stale", timeout=15_000)
    again = Host(host.path, host.server.port)
    page.wait_for_selector(".link.live")
    says(page, "Ben takes both: ace beats king.")
    page.click("#buttons button:has-text('Undo')")
    says(page, "Ana takes both: king beats nine.")
    again.stop()


def test_a_round_that_was_missed_is_put_in_at_its_place(page, host):
    begin(page, host, "Family classic", "Ana", "Ben")
    for ana, ben in (("k", "9"), ("2", "3")):
        lay(page, "Ana", ana)
        lay(page, "Ben", ben)
        page.click("#collect button")
        page.wait_for_selector(".place .slot")
    page.click(".line:has(.facts span:text-is('Round 1')) a:has-text('Missed one?')")
    page.select_option("dialog select >> nth=0", "A?")
    page.select_option("dialog select >> nth=1", "4?")
    page.click("dialog button:has-text('Put it in')")
    page.wait_for_selector(".line:has(.facts span:text-is('Round 2')):has-text('ace beats four')")
    page.wait_for_selector(".line:has(.facts span:text-is('Round 3')):has-text('three beats two')")
    assert page.locator(".count strong").all_inner_texts() == ["27", "25"]
