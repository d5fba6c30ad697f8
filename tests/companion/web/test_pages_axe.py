"""axe-core finds nothing on any page, in light and dark, from a narrow phone to a large screen."""

from __future__ import annotations

import dataclasses

import pytest

from tests.companion.web.fake_table import SCENES, VERDICT, FakeTable
from tests.companion.web.sharing.network import shared_page
from tests.companion.web.test_pages_browser import CHROMIUM, QUIET
from tests.screenshots import PAGES, SIZES, served, visit_sharing, write_log

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="Chromium is not installed at /usr/bin/chromium."),
]
#: Scenes of the table that differ in what is to be read; the rest are these with other words.
TELLING = ("verdict", "war", "question", "violation", "game_over", "four_war", "steal", "unwatched", "undone")
#: Where only the width changes, the pages that wrap.
WRAPPING = ("verdict", "war", "question")


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed.")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=QUIET.split())
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    log = tmp_path_factory.mktemp("axe") / "log.db"
    table = FakeTable(VERDICT, (1, write_log(log)))
    with served(table, log) as address:
        yield table, address


def broken_rules(axe, page, title):
    """What axe finds on the open page, under its title; empty where it finds nothing."""
    broken = axe.run(page).response["violations"]
    return (
        {title: [(one["id"], one["nodes"][0]["html"][:160], one["nodes"][0]["any"][:1]) for one in broken]}
        if broken
        else {}
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(browser, host, size, scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe for Playwright is not installed."
    ).Axe()
    table, address = host
    width, height = SIZES[size]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
    scenes = TELLING if size == "1280" else WRAPPING
    shots = [
        (f"{kind} {name}", path, name) for name in scenes for kind, path in (("table", "/"), ("screen", "/screen"))
    ]
    found = {}
    for title, path, scene in (*shots, *PAGES):
        if path.endswith(".html"):
            continue  # a file to keep, not a page
        table.now = dataclasses.replace(SCENES[scene], session=1)
        page.goto(address + path)
        found |= broken_rules(axe, page, title)
    page.close()
    assert not found, "\n".join(f"{title}: {one}" for title, all_ in found.items() for one in all_)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_pages_of_sharing(browser, tmp_path, scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe for Playwright is not installed."
    ).Axe()
    found = {}
    with shared_page(FakeTable(VERDICT), tmp_path) as shared:
        for size in ("1280", "360"):
            width, height = SIZES[size]
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=scheme, ignore_https_errors=True
            )
            for name in visit_sharing(page, shared):
                found |= broken_rules(axe, page, f"{name} at {size}")
            page.close()
    assert not found, "\n".join(f"{title}: {one}" for title, all_ in found.items() for one in all_)
