"""The games that were played, from a log as the program writes it."""

from __future__ import annotations

import csv
import dataclasses
import io
from base64 import b64encode

import pytest

from companion.log.protocol import Entry
from companion.log.store import Log
from companion.web import create_app
from companion.web.panels import fragment
from tests.companion.web.fake_table import VERDICT, FakeTable

EVIL = "=HYPERLINK(<b>Ana)"
JPEG = b"\xff\xd8 a table \xff\xd9"


def look(number, faces, *rulings, **pictures):
    lines = tuple((ruling["seq"], number, {"look": number, "at": number * 5.0, **ruling}) for ruling in rulings)
    keep = min((ruling["seq"] for ruling in rulings), default=99) - 1
    return Entry(number, {"at": number * 5.0, **faces}, lines, keep=keep, pictures=pictures)


def won(seq, winner, faces, pot, wars, counts):
    return {
        "seq": seq,
        "ruling": "battle_won",
        "round": seq,
        "winner": winner,
        "faces": faces,
        "pot": pot,
        "takes": {winner: pot},
        "wars": wars,
        "counts": counts,
        "rule": "higher_card",
        "seen": ["faces"],
        "assumed": [],
    }


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "family.db"
    with Log(path) as log:
        game = {"variant": "classic", "players": [EVIL, "Ben"], "set": {}}
        number = log.open_session(game, "0", "left-right", True)
        first = {EVIL: ["KS"], "Ben": ["9H"]}
        log.write(number, look(1, {"faces": first}, won(1, EVIL, first, 2, 0, {EVIL: 27, "Ben": 25}), table=JPEG))
        second = {EVIL: ["8S", "2C"], "Ben": ["8H", "QC"]}
        log.write(number, look(2, {"faces": second}, won(2, "Ben", second, 10, 1, {EVIL: 22, "Ben": 30})))
        log.write(number, Entry(3, {"at": 15.0, "correct": 2, "faces": {"Ben": ["8H", "KC"]}}, keep=99))
        log.end_session(number, "another game was begun")
        log.open_session({"variant": "razboi", "players": ["Cai", "Dea"], "set": {}}, "0", "left-right", True)
    return path


@pytest.fixture
def browser(path):
    return create_app(FakeTable(VERDICT), path).test_client()


def text(answer):
    assert answer.status_code == 200
    return answer.get_data(as_text=True)


def test_the_list_has_the_newest_first(browser):
    html = text(browser.get("/sessions"))
    assert html.index('href="/sessions/2"') < html.index('href="/sessions/1"')
    assert "Cai, Dea" in html
    assert "left open" in html and 'action="/sessions/2/end"' in html
    assert EVIL not in html
    assert "&lt;b&gt;Ana" in html


def test_a_game_in_numbers_and_rounds(browser):
    html = text(browser.get("/sessions/1"))
    for number, label in ((2, "Rounds"), (1, "Wars"), (10, "Biggest pot"), (1, "Corrections")):
        assert f"<dt>{label}</dt><dd>{number}</dd>" in html
    numbers = {"Cards": 22, "Rounds won": 1, "Wars won": 0, "Best catch": 2}
    assert "".join(f'<td class="n" data-label="{label}">{n}</td>' for label, n in numbers.items()) in html
    assert html.index("Ben wins the war") < html.index("takes both")
    assert 'src="/crops/1.jpg"' in html
    assert EVIL not in html


def test_an_open_game_without_rulings_has_a_page(browser):
    assert "Nothing yet" in text(browser.get("/sessions/2"))


def test_a_game_to_take_away(browser):
    whole = browser.get("/sessions/1.json").get_json()
    assert whole["session"] == 1
    assert [entry["look"] for entry in whole["inputs"]] == [1, 2, 3]
    rows = list(csv.DictReader(io.StringIO(text(browser.get("/sessions/1.csv")))))
    assert [row["winner"] for row in rows] == [f"'{EVIL}", "Ben"]
    assert [row["count Ben"] for row in rows] == ["25", "30"]
    assert rows[1][f"cards {EVIL}"] == "8S 2C"
    assert rows[1]["text"].startswith("Ben wins the war")


def test_a_game_as_a_page_to_keep_and_as_a_play_link(path):
    app = create_app(FakeTable(VERDICT, None), path, shrink=lambda jpeg: b"small " + jpeg)
    kept = app.test_client().get("/sessions/1.html")
    assert b64encode(b"small " + JPEG).decode() in text(kept)
    assert "style-src 'unsafe-inline'" in kept.headers["Content-Security-Policy"]
    assert 'filename="war-1.html"' in kept.headers["Content-Disposition"]
    link = text(app.test_client().get("/sessions/1.bgstats"))
    assert link.startswith("bgstats://app.bgstatsapp.com/")
    html = text(app.test_client().get("/sessions/1"))
    assert f'href="{link.strip()}"' in html
    assert 'href="/sessions/1.html"' in html and 'href="/sessions/1.bgstats"' in html


def test_what_was_taken_back_is_struck_through_in_an_old_game(path, browser):
    undo = Entry(4, {"at": 16.0, "undo": 1}, keep=0)
    with Log(path) as log:
        log.write(1, undo)
    html = text(browser.get("/sessions/1"))
    assert html.count("<s>") == 1 and "taken back" in html
    with Log(path) as log:
        log.write(1, Entry(5, {"at": 17.0, "undo": 4}, keep=0))
    assert "<s>" not in text(browser.get("/sessions/1"))


def test_no_such_game(browser):
    for path in ("/sessions/9", *(f"/sessions/9.{kind}" for kind in ("json", "csv", "html", "bgstats"))):
        answer = browser.get(path)
        assert answer.status_code == 404
        assert "There is no game 9 here." in answer.get_data(as_text=True)
    assert browser.get("/sessions/nine").status_code == 404


def test_stored_pictures(browser):
    assert browser.get("/evidence/1.jpg").data == JPEG
    assert browser.get("/evidence/1.jpg?session=1").data == JPEG
    assert browser.get("/crops/1.jpg").mimetype == "image/jpeg"
    for path in ("/evidence/2.jpg", "/evidence/1.jpg?session=2", "/crops/2.jpg"):
        assert browser.get(path).status_code == 404


def test_a_correction_starts_from_what_the_log_has(browser):
    html = text(browser.get("/correct?look=2&player=Ben&place=1"))
    assert 'name="was" value="8H"' in html
    assert 'name="was" value="KC"' in html
    assert "king of clubs" in html


def test_an_appeal_shows_the_rule_and_its_source(path):
    first = dataclasses.replace(VERDICT.log[0], look=1, rule="higher_card")
    now = dataclasses.replace(VERDICT, log=(first, dataclasses.replace(VERDICT.log[1], look=2)))
    html = text(create_app(FakeTable(now), path).test_client().get("/appeal?look=1"))
    assert "The higher card takes all the cards played." in html
    assert "the Esperanto rules, line 10" in html
    assert 'action="/appeal"' in html


@pytest.mark.parametrize("page", ["/", "/log"])
def test_a_new_game_leads_to_the_one_before(path, page):
    first, second = (FakeTable(dataclasses.replace(VERDICT, session=number)) for number in (1, 2))
    assert 'href="/sessions/1"' in create_app(second, path).test_client().get(page).get_data(as_text=True)
    assert 'href="/sessions/1"' not in create_app(first, path).test_client().get(page).get_data(as_text=True)


def test_the_way_to_the_game_before_comes_with_the_live_panels(path):
    app = create_app(FakeTable(dataclasses.replace(VERDICT, session=2)), path)
    assert 'href="/sessions/1"' in fragment(app, dataclasses.replace(VERDICT, session=2), "control", "all")


def test_a_quarrel_about_a_tie_is_found_among_the_wars(browser):
    wars = text(browser.get("/sessions/1?only=wars"))
    assert "Ben wins the war" in wars and "takes both" not in wars.split('class="panel rounds"')[1]
    assert 'href="?only=disputes"' in wars
    assert "Ben wins the war" in text(browser.get("/sessions/1?only=corrections"))
    assert text(browser.get("/sessions/1?only=nonsense")).count('class="line ') == 2
