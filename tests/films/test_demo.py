"""The demonstration in a real browser: verdicts, the size of a war, a past verdict put right, the program restarted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.companion.web.test_pages_browser import CHROMIUM, QUIET
from tests.companion.web.test_pages_layout import SHIFTS, check_still
from tests.films.served import HAS_WEIGHTS, Program, free_port

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="Chromium is not installed at /usr/bin/chromium."),
    pytest.mark.skipif(not HAS_WEIGHTS, reason="the trained networks are not in models/"),
]
#: Milliseconds: longer than the film takes to the end of its first war, on a busy computer too.
FILM_MS = 60_000


@pytest.fixture
def page() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed.")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=QUIET.split())
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(FILM_MS)
        yield page
        browser.close()


def counts(page: Any) -> list[int]:
    """The players' cards as the page shows them."""
    return [int(text) for text in page.locator(".count strong").all_inner_texts()]


def moved(page: Any, number: int) -> list[str]:
    """Who won and lost how many cards in a round, as its line of the log says."""
    line = page.locator(f".line.battle_won:has(.facts span:text-is('Round {number}'))")
    return re.findall(r"(?:Ana|Ben) [+−]\d+", line.locator(".facts").inner_text().replace("\n", " "))


def test_an_evening_before_the_page(page: Any, tmp_path: Path) -> None:
    port = free_port()
    words = ("demo", "--json", "--log", tmp_path / "log.db", "--port", port)
    with Program(tmp_path, *words) as program:
        page.goto(program.address)
        see_the_first_war(page, program)
        put_right_and_undo(page)
        lines = page.locator(".line").evaluate_all("all => all.map(one => one.id)")
        assert program.interrupt()[0] == 1
    page.wait_for_selector(".link.stale .link-text:has-text('last seen')", timeout=15_000)
    assert counts(page) == [30, 22]
    with Program(tmp_path, *words) as program:
        page.wait_for_selector(".link.live .link-text:text-is('live')")
        assert counts(page) == [30, 22]
        assert page.locator(".line").evaluate_all("all => all.map(one => one.id)")[-len(lines) :] == lines
        page.wait_for_selector(".line.battle_won:has(.facts span:text-is('Round 5'))")
        assert counts(page) == [29, 23]


def see_the_first_war(page: Any, program: Program) -> None:
    """Three rounds, then queens: the verdicts, the size of the war while it lasts, and what it moves."""
    page.wait_for_selector(".link.live")
    page.wait_for_selector(".line .text:text-is('Ana takes both: king beats nine.')")
    # The film is stopped while the browser is asked, which may be slow.
    program.until(lambda now: now["war"], 40)
    program.post("pause", on=True)
    page.wait_for_selector("h1:has-text('WAR. Two queens. Ana and Ben: 3 face down, then 1 face up.')")
    assert page.locator(".tally").all_inner_texts() == ["3 to lay face down"] * 2
    page.click("#buttons button:has-text('Go on')")
    program.until(lambda now: now["log"] and now["log"][0]["round"] == 4 and not now["war"], 20)
    program.post("pause", on=True)
    page.wait_for_selector("h1:has-text('Ana wins the war and takes 10 cards')")
    assert page.locator(".at-war").count() == 0
    assert counts(page) == [30, 22] and page.locator("#proof").inner_text().startswith("30 + 22 = 52")
    assert moved(page, 4) == ["Ana +5", "Ben −5"]


def put_right_and_undo(page: Any) -> None:
    """The nine of the first round was an ace: that verdict and every count after it change; undone, they are back."""
    first = page.locator(".line:has(.facts span:text-is('Round 1'))")
    first.locator("a:has-text('Correct')").click()
    page.click("dialog a.laid[aria-label*='nine of hearts']")
    page.click("dialog button[data-rank='A']")
    page.wait_for_selector(".line .text:text-is('Ben takes both: ace beats king.')")
    assert counts(page) == [28, 24]
    assert moved(page, 1) == ["Ana −1", "Ben +1"] and moved(page, 4) == ["Ana +5", "Ben −5"]
    page.click("#buttons button:has-text('Undo')")
    page.wait_for_selector(".line .text:text-is('Ana takes both: king beats nine.')")
    assert counts(page) == [30, 22] and moved(page, 1) == ["Ana +1", "Ben −1"]


BELOW = """() => ['#verdict', '#places', '#proof', '#appeal', '#buttons', '.rounds h2'].filter(name => {
  const box = document.querySelector(name)?.getBoundingClientRect();
  return !box?.height || box.bottom > innerHeight;
})"""


def test_every_card_has_its_picture_and_the_sample_ends_with_a_choice(page: Any, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    with Program(tmp_path, "demo", "--json", "--log", tmp_path / "log.db", "--port", free_port()) as program:
        page.goto(program.address)
        page.wait_for_selector(".link.live")
        page.evaluate(SHIFTS)
        seen: dict[tuple[str, str, int], Any] = {}

        def over(now: dict[str, Any]) -> bool:
            # A war fills as long as it lasts, and never empties.
            for card in now["cards"]:
                if card["look"]:
                    seen[card["player"], card["code"], card["look"]] = card["crop"]
            return bool(now["finished"])

        program.until(lambda now: now["chip"] == "verdict", 60)
        # The page follows the table a moment later.
        page.wait_for_function(f"() => ({BELOW})().length === 0", timeout=10_000)
        program.until(over, 240)
        assert len(seen) > 10 and None not in seen.values()
        page.wait_for_selector("#end:visible")
        check_still(page)
        assert page.locator("#end .best li").count() >= 2
        assert page.locator("#end a:has-text('Start your own')").is_visible()
        page.click("#end button:has-text('Play it again')")
        program.until(lambda now: not now["finished"] and now["round"] <= 1, 20)
