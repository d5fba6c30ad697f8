"""Joining by the code in a real browser, as a viewer and as a referee, refused and removed; and being counted in."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.web.sharing.guests import Role
from tests.companion.asking import correct_look
from tests.companion.web.fake_table import VERDICT, FakeTable
from tests.companion.web.sharing.network import ADDRESS, shared_page
from tests.companion.web.test_pages_browser import CHROMIUM, QUIET

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="Chromium is not installed at /usr/bin/chromium."),
]


@pytest.fixture(scope="module")
def chromium():
    api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed.")
    with api.sync_playwright() as play:
        words = [*QUIET.split(), f"--host-resolver-rules=MAP evil.example {ADDRESS}"]
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=words)
        yield browser
        browser.close()


@pytest.fixture
def table():
    return FakeTable(VERDICT)


@pytest.fixture
def shared(table, tmp_path):
    with shared_page(table, tmp_path) as shared:
        yield shared


@pytest.fixture
def laptop(chromium, shared):
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{shared.home}/share")
    yield page
    page.close()


@pytest.fixture
def phone(chromium):
    context = chromium.new_context(
        ignore_https_errors=True, viewport={"width": 390, "height": 844}, user_agent="Mozilla/5.0 (Linux; Android 14)"
    )
    page = context.new_page()
    page.troubles = []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    yield page
    assert not page.troubles
    context.close()


def join(phone, shared, role):
    phone.goto(shared.link(role))
    phone.click("form.join button")
    phone.wait_for_selector(".link.live")


def test_a_viewer_joins_by_link_follows_live_and_changes_nothing(laptop, phone, shared, table):
    phone.goto(shared.link(Role.VIEWER))
    assert phone.input_value("input[name=name]") == "Android"
    phone.fill("input[name=name]", "Grandma's tablet")
    phone.click("form.join button")
    phone.wait_for_selector(".link.live")
    laptop.wait_for_selector('#share-guests :text("Grandma\'s tablet")')
    table.show(verdict="Ben takes both.")
    phone.wait_for_selector("h1:text('Ben takes both.')")
    assert not phone.locator("main form >> visible=true").count()
    phone.click("a.laid >> nth=0")
    phone.wait_for_selector(".toast:visible:has-text('only a referee')")
    phone.keyboard.press("u")
    phone.wait_for_selector(".toast:visible:has-text('only a referee')")
    assert not table.acts
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_referee_corrects_in_two_taps(laptop, phone, shared, table):
    join(phone, shared, Role.REFEREE)
    phone.click("a.laid:has(.card[aria-label='nine of hearts'])")
    phone.click("dialog button:has-text('six of hearts')")
    phone.wait_for_selector("dialog[open]", state="detached")
    wanted = correct_look(9, {"Ben": ("6H",)})
    assert [act.entry for act in table.acts] == [wanted.entry] and table.acts[0].by == "Android"
    assert not phone.locator("#camera-pick >> visible=true").count()


def test_a_removed_device_is_told_so_and_may_type_the_code_again(laptop, phone, shared, table):
    join(phone, shared, Role.VIEWER)
    laptop.click("#share-guests button:has-text('Remove')")
    phone.wait_for_selector("[role=alert]:has-text('not joined any more')")
    phone.fill("input[name=code]", shared.sharing.guests.codes[Role.REFEREE].lower())
    phone.click("form.join button")
    phone.click("form.join button:has-text('Join as a referee')")
    phone.wait_for_selector(".link.live")


def test_the_end_of_the_sharing_ends_every_token(laptop, phone, shared):
    join(phone, shared, Role.REFEREE)
    old = shared.origin
    laptop.click("button:has-text('End the sharing')")
    laptop.wait_for_selector("text=Not shared")
    phone.wait_for_selector(".link.stale", timeout=15_000)
    laptop.click("button:has-text('Share the table')")
    laptop.wait_for_selector("#share-code:visible")
    assert shared.origin == old
    phone.wait_for_selector("[role=alert]:has-text('not joined any more')", timeout=15_000)


def test_nobody_enters_without_a_token_with_a_wrong_code_or_by_another_host(phone, shared, table):
    phone.goto(f"{shared.origin}/")
    assert phone.locator("[role=alert]:has-text('shared with those who have its code')").is_visible()
    phone.fill("input[name=code]", "2222-2222")
    phone.click("form.join button")
    phone.wait_for_selector("[role=alert]:has-text('not in use')")
    join(phone, shared, Role.REFEREE)
    port = shared.sharing.view.port
    answer = phone.goto(f"https://evil.example:{port}/")
    assert answer.status == 403 and "not the War Referee's own" in phone.inner_text("body")
    assert not table.acts


def test_the_code_is_for_the_role_that_is_chosen(laptop, shared):
    codes = set()
    for role, words in ((Role.REFEREE, "Referee"), (Role.CAMERA, "Phone as the camera"), (Role.VIEWER, "Watch")):
        laptop.click(f".roles a:has-text('{words}')")
        laptop.wait_for_selector(f".roles a[aria-current]:has-text('{words}')")
        code = laptop.inner_text(".letters").replace("-", "")
        assert code == shared.sharing.guests.codes[role]
        codes.add(laptop.inner_html(".square"))
    assert len(codes) == 3


@pytest.mark.parametrize("path", ["/", "/screen"])
def test_everybody_is_counted_in_by_a_key_where_that_is_wanted(chromium, shared, path):
    context = chromium.new_context(base_url=shared.home, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(
        "window.rung = []; const start = OscillatorNode.prototype.start; OscillatorNode.prototype.start ="
        " function (at) { rung.push(this.frequency.value); start.call(this, at); };"
        "speechSynthesis.getVoices = () => [];"
    )
    page.goto("/")
    page.keyboard.press("t")
    page.wait_for_timeout(200)
    assert not page.evaluate("rung.length")
    page.check("#count-in")
    page.goto(path)
    page.wait_for_selector("#turn:visible")
    page.keyboard.press("t")
    for word in ("Three", "Two", "One", "Turn!"):
        page.wait_for_selector(f".toast:visible:text-is('{word}')")
    assert page.evaluate("rung") == [523, 523, 523, 880]
    context.close()
