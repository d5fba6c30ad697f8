"""The page in a real browser: it keeps itself fresh, opens its dialogs in place, and fits every screen."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path

import pytest

from companion.log.protocol import Entry
from companion.log.store import Log
from companion.seats.layout import zones_of
from companion.table.requests import Pause, UndoLast
from companion.web import create_app
from companion.web.server import Server
from tests.companion.asking import correct_look, give_answer, undo_look
from tests.companion.web.fake_table import ENDLESS, QUESTION, SCENES, VERDICT, WAR, FakeTable, endless

CHROMIUM = Path("/usr/bin/chromium")
QUIET = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
SIZES = {"laptop": (1280, 800), "phone": (390, 844), "narrow": (320, 640)}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="Chromium is not installed at /usr/bin/chromium."),
]


@pytest.fixture(scope="module")
def chromium():
    api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed.")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=QUIET.split())
        yield browser
        browser.close()


@pytest.fixture
def table():
    return FakeTable(VERDICT, None)


@pytest.fixture
def address(table):
    server = Server(create_app(table), 0)
    server.prepare()
    threading.Thread(target=server.serve, daemon=True).start()
    yield f"http://127.0.0.1:{server.port}"
    server.stop()


@pytest.fixture
def page(chromium, address):
    context = chromium.new_context(
        base_url=address, viewport=dict(zip(("width", "height"), SIZES["laptop"], strict=True))
    )
    page = context.new_page()
    page.troubles = []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.on("console", lambda said: page.troubles.append(said.text) if "Security Policy" in said.text else None)
    yield page
    assert not page.troubles
    context.close()


def live(page, path="/"):
    page.goto(path)
    page.wait_for_selector(".link.live .link-text:text('live')")
    return page


def test_a_change_reaches_the_page_without_a_touch(page, table):
    live(page)
    table.show(verdict="Ben takes both: ace beats king.", counts={"Ana": 30, "Ben": 22})
    page.wait_for_selector("h1:text('Ben takes both: ace beats king.')")
    assert page.locator(".count strong").all_inner_texts() == ["30", "22"]
    live_region = page.locator("#verdict")
    assert live_region.get_attribute("aria-live") == "polite"


def test_panels_that_did_not_change_are_left_alone(page, table):
    live(page)
    page.evaluate("document.querySelector('#places .place').marked = true")
    page.focus("#line-1-13 .acts a")
    table.show(verdict="Something else.")
    page.wait_for_selector("h1:text('Something else.')")
    assert page.evaluate("document.querySelector('#places .place').marked")
    table.show(log=VERDICT.log[1:])
    page.wait_for_selector("#line-1-15", state="detached")
    assert page.evaluate("document.activeElement.closest('.line').id") == "line-1-13"


def test_undo_is_one_tap_for_the_last_and_for_any(page, table):
    live(page)
    page.click("#buttons button:has-text('Undo')")
    page.wait_for_selector(".toast:visible")
    page.click("#line-1-15 button:has-text('Undo')")
    page.wait_for_function("() => document.querySelector('.toast').textContent")
    page.click("#buttons button:has-text('Pause')")
    page.wait_for_timeout(300)
    assert table.acts == [undo_look(None), undo_look(9), Pause(True)]


def test_an_undo_in_a_war_says_before_what_it_brings(page, table):
    live(page)
    page.click("#line-1-13 a:has-text('Undo')")
    page.wait_for_selector("dialog[open] .before:has-text('judged anew')")
    page.click("dialog button:has-text('Undo')")
    page.wait_for_selector("dialog[open]", state="detached")
    assert table.acts == [undo_look(8)]


def test_a_card_is_corrected_in_two_taps(page, table):
    live(page)
    page.click("a.laid:has(.card[aria-label='nine of hearts'])")
    page.click("dialog button:has-text('six of hearts')")
    page.wait_for_selector("dialog[open]", state="detached")
    assert table.acts == [correct_look(9, {"Ben": ("6H",)})]


@pytest.mark.parametrize(("key", "code"), [("0", "10?"), ("k", "K?"), ("7", "7?"), ("x", "JOKER")])
def test_a_card_is_corrected_by_key(page, table, key, code):
    live(page)
    page.focus("a.laid:has(.card[aria-label='king of spades'])")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open] .ranks")
    page.keyboard.press(key)
    page.wait_for_selector("dialog[open]", state="detached")
    assert table.acts == [correct_look(9, {"Ana": (code,)})]


def test_a_refusal_stays_in_the_dialog(page, table):
    table.refusal = "That look shows no card of Ben."
    live(page)
    page.click("a.laid:has(.card[aria-label='nine of hearts'])")
    page.click("dialog button[data-rank='K']")
    page.wait_for_selector("dialog[open] .trouble:text('That look shows no card of Ben.')")


def test_a_question_is_answered_by_its_key(page, table):
    table.now = QUESTION
    live(page)
    page.keyboard.press("6")
    page.wait_for_timeout(300)
    assert table.acts == [give_answer(17, "6C")]


def test_the_page_says_when_it_is_stale(page, table, address):
    live(page)
    page.route("**/events*", lambda route: route.abort())
    page.evaluate("events.close()")
    page.wait_for_selector(".link.stale .link-text:has-text('last seen')", timeout=10_000)


def test_a_new_game_is_told_in_sentences(page, table):
    live(page)
    page.click("#buttons a:has-text('New game')")
    page.fill("dialog input[name=player] >> nth=1", "Dea")
    page.click("dialog .preset:has-text('Război')")
    page.click("dialog summary")
    assert page.locator("dialog select[name='set.razboi_ace']").is_visible()
    assert not page.locator("dialog select[name='set.steal4']").is_visible()
    page.select_option("dialog select[name='set.short']", "lose")
    page.click("dialog button:has-text('Start the game')")
    page.wait_for_selector("dialog[open]", state="detached")
    act = table.acts[0]
    assert (act.variant, act.players, act.settings) == ("razboi", ("Ana", "Dea"), {"short": "lose"})


def test_sound_is_off_until_a_tap(page, table):
    page.add_init_script(
        "window.spoken = []; const start = OscillatorNode.prototype.start;"
        "OscillatorNode.prototype.start = function (at) { window.spoken.push(1); start.call(this, at); };"
    )
    live(page)
    table.show(verdict="Ben takes both.")
    page.wait_for_selector("h1:text('Ben takes both.')")
    assert page.evaluate("spoken.length") == 0
    page.select_option("#sound", "problems")
    heard = page.evaluate("spoken.length")
    assert heard > 0 or page.evaluate("speechSynthesis.getVoices().length") > 0
    table.show(verdict="Ana takes both.")
    page.wait_for_selector("h1:text('Ana takes both.')")
    assert page.evaluate("spoken.length") == heard


FITS = """() => {
  const small = [...document.querySelectorAll('main a, main button, main select, main summary')].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width && Math.min(box.height, box.width) < 43.5;
  });
  const texts = 'h1, h2, h3, .text, .button span, .chip span, .mark, .count, figcaption, .proof';
  const cut = [...document.querySelectorAll(texts)].filter(one =>
    one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline');
  const shown = found => found.map(one => one.outerHTML.slice(0, 120));
  return {wide: document.documentElement.scrollWidth > innerWidth, small: shown(small), cut: shown(cut)};
}"""


@pytest.mark.parametrize("size", SIZES)
def test_every_scene_fits_the_control_page(page, table, size):
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
    live(page)
    for name, scene in SCENES.items():
        table.now = scene
        page.reload(wait_until="load")
        assert page.evaluate(FITS) == {"wide": False, "small": [], "cut": []}, name


LARGE = """() => {
  const tall = innerHeight;
  const all = names => [...document.querySelectorAll(names)];
  const outside = one => {
    const box = one.getBoundingClientRect();
    return box.bottom > tall + 1 || box.right > innerWidth + 1;
  };
  return {
    sentence: parseFloat(getComputedStyle(document.querySelector('#verdict h1')).fontSize) / tall,
    cards: all('.cards .card').map(one => one.getBoundingClientRect().height / tall),
    outside: all('h1, h2, .card, .count, .backs, .reason').filter(outside).length,
    over: all('.place').filter(one => one.scrollHeight > one.clientHeight + 1).length,
  };
}"""


def test_the_big_screen_is_read_across_the_room(page, table):
    page.set_viewport_size({"width": 1920, "height": 1080})
    for name, scene in SCENES.items():
        table.now = scene
        page.goto("/screen")
        seen = page.evaluate(LARGE)
        assert seen["sentence"] >= 0.08, name
        assert all(height >= 0.08 for height in seen["cards"]), name
        assert (seen["outside"], seen["over"]) == (0, 0), name
        # It changes nothing about the game: what is heard, the whole screen, and the way back.
        tools = page.locator("button, select, form").evaluate_all("all => all.map(one => one.id)")
        assert tools == ["sound", "turn", "full"] and page.locator("a[href='/']").count() == 1


LARGEST = """() => {
  const own = one => [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
  const size = one => parseFloat(getComputedStyle(one).fontSize);
  const texts = [...document.querySelectorAll('body *:not(svg *, script)')].filter(one => own(one) && one.offsetWidth);
  const verdict = document.querySelector('#verdict h1');
  return texts.filter(one => one !== verdict && size(one) >= size(verdict)).map(one => one.outerHTML.slice(0, 120));
}"""


@pytest.mark.parametrize("size", [(390, 844), (1280, 720)])
def test_the_verdict_is_the_largest_type(page, table, size):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    for path in ("/", "/screen"):
        for name in ("verdict", "war", "four_war"):
            table.now = SCENES[name]
            page.goto(path)
            assert page.evaluate(LARGEST) == [], (path, name)


OVERLAPS = """() => {
  const shown = [...document.querySelectorAll('#verdict, .top, .place header, .place .cards > span, .place .backs')];
  const boxes = shown.map(one => one.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const pairs = boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b => meet(a, b)));
  return {pairs: pairs.length, wide: document.documentElement.scrollWidth > innerWidth};
}"""


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1280, 720)])
def test_nothing_overlaps_on_the_big_screen(page, table, size):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    for name in ("war", "razboi", "four_war"):
        table.now = SCENES[name]
        page.goto("/screen")
        assert page.evaluate(OVERLAPS) == {"pairs": 0, "wide": False}, name


def test_a_name_without_an_end_widens_no_page(page, table):
    page.set_viewport_size({"width": 390, "height": 844})
    pages = {"four_war": ("/", "/screen"), "appeal": ("/", "/log", "/new-game", "/appeal?look=8", "/correct?look=8")}
    for name, paths in pages.items():
        table.now = endless(SCENES[name])
        for path in paths:
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_the_games_so_far_fit_a_phone(chromium, tmp_path):
    log, name = tmp_path / "family.db", ENDLESS
    faces = {name: ["KS"], "Ben": ["9H"]}
    ruling = {"seq": 1, "look": 1, "at": 5.0, "ruling": "battle_won", "round": 1, "winner": name, "faces": faces}
    ruling |= {"pot": 2, "takes": {name: 2}, "wars": 0, "counts": {name: 27, "Ben": 25}, "rule": "higher_card"}
    with Log(log) as kept:
        for players in ([name, "Ben"], ["Grandmother Ana", "Benjamin", "Cai", "Dorothea Elisabeth"]):
            kept.open_session({"variant": "classic", "players": players, "set": {}}, "0", "left-right", True)
        kept.write(1, Entry(1, {"at": 5.0, "faces": faces}, ((1, 1, ruling),), keep=0))
    server = Server(create_app(FakeTable(VERDICT, None), log), 0)
    server.prepare()
    threading.Thread(target=server.serve, daemon=True).start()
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    for path in ("/sessions", "/sessions/1", "/sessions/2"):
        page.goto(f"http://127.0.0.1:{server.port}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        inner = "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth).length"
        assert page.evaluate(inner) == 0, path
    page.close()
    server.stop()


def test_the_camera_list_stays_open_while_the_table_changes(page, table):
    live(page)
    page.click("#camera-pick summary")
    table.now = WAR
    page.wait_for_selector(".places.at-war")
    assert page.locator("#camera-pick button:has-text('Document camera')").is_visible()


def test_the_whole_game_has_keys(page, table):
    live(page)
    page.keyboard.press("p")
    page.wait_for_selector(".toast:visible")
    page.keyboard.press("u")
    page.wait_for_timeout(300)
    assert table.acts == [Pause(True), UndoLast()]
    page.keyboard.press("Shift+A")
    page.wait_for_selector("dialog[open] h1:text('Appeal')")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.wait_for_selector("dialog[open] h1:text('New game')")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]", state="detached")
    assert table.acts[-1].variant == "classic"


def test_the_focus_stays_in_a_place_that_is_drawn_anew(page, table):
    live(page)
    page.focus("a.laid.big:has(.card[aria-label='king of spades'])")
    table.show(cards=(dataclasses.replace(VERDICT.cards[0], code="QS"), VERDICT.cards[1]))
    page.wait_for_selector("a.laid.big:has(.card[aria-label='queen of spades'])")
    assert "queen of spades" in page.evaluate("document.activeElement.getAttribute('aria-label')")


def test_only_games_for_the_players_there_are_are_offered(page, table):
    live(page)
    page.click("#buttons a:has-text('New game')")
    assert page.locator("dialog .preset:has(strong:text-is('Everybody fights'))").is_hidden()
    assert "So it is played: three cards face down" in page.locator("dialog .preset:has(input:checked)").inner_text()
    page.fill("dialog input[name=player] >> nth=2", "Cai")
    assert page.locator("dialog .preset:has(strong:text-is('Everybody fights'))").is_visible()
    assert page.locator("dialog .preset:has-text('Family classic')").is_hidden()


def test_the_sound_is_remembered(page, table):
    live(page)
    page.select_option("#sound", "verdicts")
    live(page, "/screen")
    assert page.locator("#sound").input_value() == "verdicts"


def test_the_round_is_won_by_the_card_that_is_marked(page, table):
    live(page)
    assert page.locator(".place.won h2").all_inner_texts() == ["Ana"]
    table.now = WAR
    page.wait_for_selector(".places.at-war")
    assert page.locator(".place.won").count() == 0
    assert page.locator(".tally").all_inner_texts() == ["at least 2 of 3 face down", "at least 3 of 3 face down"]
    table.show(waiting=("Ana",))
    page.wait_for_selector(".tally:text-is('3 face down, one up')")


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_nothing_important_lies_below_the_fold(page, table, size):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    names = "['#verdict', '#places', '#proof', '#appeal', '#buttons', '.rounds h2']"
    below = f"{names}.filter(name => document.querySelector(name).getBoundingClientRect().bottom > innerHeight)"
    for name in ("verdict", "war", "razboi"):
        table.now = SCENES[name]
        page.goto("/")
        assert page.evaluate(below) == [], name
        assert (
            page.evaluate("parseFloat(getComputedStyle(document.querySelector('h1')).fontSize) / innerHeight") >= 0.08
        )


def test_places_are_drawn_by_dragging_and_by_keys(page, table):
    table.now = SCENES["trying"]
    live(page, "/setup")
    assert page.locator("#setup-places li.ok").count() == 1 and page.locator(".ready.yes").count() == 0
    page.click("#draw-start")
    grip = page.locator("#draw .grip").first
    box = page.locator("#draw").bounding_box()
    at = grip.bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    page.mouse.down()
    page.mouse.move(at["x"] + at["width"] / 2 + box["width"] / 10, at["y"] + at["height"] / 2, steps=4)
    page.mouse.up()
    page.locator("#draw .grip").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Ana, corner 1"
    page.click("#draw-save")
    page.wait_for_selector("#draw", state="hidden")
    outline = zones_of(table.acts[-1].entry.seats, ("Ana", "Ben"))[0][1]
    assert outline[0] == (pytest.approx(0.13, abs=0.01), pytest.approx(0.12, abs=0.001))
    table.now = SCENES["ready"]
    page.wait_for_selector(".ready.yes h2:has-text('Ready')")
