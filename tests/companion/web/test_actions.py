"""What people ask for: by JSON and by plain forms, well and badly."""

from __future__ import annotations

import pytest

from companion.table.requests import (
    DropPictures,
    ListCameras,
    NewGame,
    Pause,
    ResetWatching,
    SelectCamera,
    SetMirror,
    parse_input,
)
from companion.web import create_app
from tests.companion.asking import (
    appeal_look,
    change_settings,
    correct_look,
    give_answer,
    swap_seats,
    take_seats,
    undo_look,
)
from tests.companion.web.fake_table import VERDICT, FakeTable

FORM = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def table():
    return FakeTable(VERDICT)


@pytest.fixture
def browser(table):
    return create_app(table).test_client()


JSON_ACTS = [
    ("/correct", {"look": 9, "faces": {"Ben": ["6H", "3C"]}}, correct_look(9, {"Ben": ("6H", "3C")})),
    ("/correct", {"look": 9, "faces": {"Ben": []}, "by": "Ana"}, correct_look(9, {"Ben": ()}, "Ana")),
    ("/correct", {"faces": {"Ben": ["6H"]}}, parse_input({"faces": {"Ben": ["6H"]}})),
    ("/undo", {"look": 9}, undo_look(9)),
    ("/undo", {}, undo_look(None)),
    ("/undo", None, undo_look(None)),
    ("/appeal", {"look": 9, "by": "Ana"}, appeal_look(9, "Ana")),
    ("/answer", {"question": 7, "choice": "6C"}, give_answer(7, "6C")),
    ("/pause", {"on": True}, Pause(True)),
    ("/pause", {}, Pause(None)),
    ("/reset-watching", None, ResetWatching()),
    ("/camera", {"source": "2"}, SelectCamera("2")),
    ("/camera", {}, ListCameras()),
    (
        "/settings",
        {"set": {"short": "lose", "show_spoils": True}},
        change_settings({"short": "lose", "show_spoils": "true"}),
    ),
    (
        "/look",
        {"steal": {"by": "Ana", "card": "7H", "from": ["Ben"]}},
        parse_input({"steal": {"by": "Ana", "card": "7H", "from": ["Ben"]}}),
    ),
    (
        "/new-game",
        {"variant": "razboi", "players": ["Ana", "Ben"], "set": {"razboi_ace": 14}, "seats": "near-far"},
        NewGame("razboi", ("Ana", "Ben"), {"razboi_ace": "14"}, "near-far"),
    ),
    ("/settings", {"set.short": "lose", "by": "Ana"}, change_settings({"short": "lose"}, "Ana")),
    ("/seats", {"swap": ["Ana", "Ben"], "by": "Ana"}, swap_seats(("Ana", "Ben"), "Ana")),
    ("/seats", {"order": ["Ben", "Ana"]}, take_seats(order=("Ben", "Ana"))),
    ("/seats", {"seats": "near-far"}, take_seats("near-far")),
    ("/mirror", {"mirror": "yes"}, SetMirror("yes")),
    ("/sessions/3/drop-pictures", {}, DropPictures(3)),
]


@pytest.mark.parametrize(("path", "body", "act"), JSON_ACTS)
def test_json(browser, table, path, body, act):
    answer = browser.post(path, json=body) if body is not None else browser.post(path)
    assert (answer.status_code, answer.get_json()) == (200, {"ok": True, "said": "Done."})
    assert table.acts == [act]


FORM_ACTS = [
    (
        "/correct",
        {"look": "9", "player": "Ben", "place": "1", "was": ["8H", "9C"], "card": "6C"},
        {"Ben": ("8H", "6C")},
    ),
    ("/correct", {"look": "9", "player": "Ben", "place": "0", "was": "9H", "rank": "K", "suit": ""}, {"Ben": ("K?",)}),
    (
        "/correct",
        {"look": "9", "player": "Ben", "place": "0", "was": "9H", "rank": "10", "suit": "D"},
        {"Ben": ("10D",)},
    ),
    (
        "/correct",
        {"look": "9", "player": "Ben", "place": "0", "was": "9H", "rank": "joker", "suit": "S"},
        {"Ben": ("JOKER",)},
    ),
    ("/correct", {"look": "9", "player": "Ben", "place": "0", "was": ["9H", "2C"], "card": "none"}, {"Ben": ("2C",)}),
    ("/correct", {"look": "9", "player": "Ben", "place": "5", "was": "9H", "rank": "2"}, {"Ben": ("9H", "2?")}),
]


@pytest.mark.parametrize(("path", "fields", "faces"), FORM_ACTS)
def test_the_correction_form(browser, table, path, fields, faces):
    answer = browser.post(path, data=fields, headers=FORM)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert table.acts == [correct_look(9, faces)]


def test_the_new_game_form(browser, table):
    fields = {
        "player": ["Ana", " Ben ", "", ""],
        "preset": "quick_three_wars",
        "seats": "left-right",
        "set.short": "lose",
        "set.end": "",
        "set.end_minutes": "",
    }
    assert browser.post("/new-game", data=fields, headers=FORM).status_code == 303
    rules = {"double_tie": "faceup", "end": "three_wars", "short": "lose"}
    assert table.acts == [NewGame("classic", ("Ana", "Ben"), rules, "left-right")]


def test_other_forms(browser, table):
    browser.post("/answer", data={"question": "17", "choice": "6C"}, headers=FORM)
    browser.post("/pause", data={"on": "false"}, headers=FORM)
    browser.post("/undo", data={"look": "4"}, headers=FORM)
    browser.post("/camera", data={"source": "http://phone/video"}, headers=FORM)
    assert table.acts == [give_answer(17, "6C"), Pause(False), undo_look(4), SelectCamera("http://phone/video")]


def test_json_is_read_whatever_it_is_called(browser, table):
    answer = browser.post("/undo", data='{"look": 3}', content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 200
    assert table.acts == [undo_look(3)]


BAD = [
    ("/correct", b"{"),
    ("/correct", b"[1]"),
    ("/correct", b"{}"),
    ("/correct", b'{"look": 1}'),
    ("/correct", b'{"look": "one", "faces": {"Ana": ["9H"]}}'),
    ("/correct", b'{"look": -1, "faces": {"Ana": ["9H"]}}'),
    ("/correct", b'{"look": 1.5, "faces": {"Ana": ["9H"]}}'),
    ("/correct", b'{"look": true, "faces": {"Ana": ["9H"]}}'),
    ("/correct", b'{"look": 1, "faces": {}}'),
    ("/correct", b'{"look": 1, "faces": ["9H"]}'),
    ("/correct", b'{"look": 1, "faces": {"Ana": "9H"}}'),
    ("/correct", b'{"look": 1, "faces": {"Ana": ["1H"]}}'),
    ("/correct", b'{"look": 1, "faces": {"Ana": ["?"]}}'),
    ("/correct", b'{"look": 1, "faces": {"Ana": [9]}}'),
    ("/correct", b"look=1&player=Ana&place=x&rank=K"),
    ("/correct", b"look=1&player=Ana&place=0&rank=17"),
    ("/undo", b'{"look": null, "by": 3}'),
    ("/undo", b'{"look": "last"}'),
    ("/undo", b"\xff\xfe{"),
    ("/appeal", b'{"look": 1}'),
    ("/appeal", b'{"by": "Ana"}'),
    ("/answer", b'{"choice": "6C"}'),
    ("/answer", b'{"question": 1}'),
    ("/answer", b'{"question": 1, "choice": 6}'),
    ("/pause", b'{"on": "perhaps"}'),
    ("/camera", b'{"source": 0}'),
    ("/settings", b'{"set": "short=lose"}'),
    ("/settings", b'{"war_down": 99}'),
    ("/settings", b'{"set": {}, "short": "lose"}'),
    ("/seats", b'{"swap": ["Ana"]}'),
    ("/seats", b'{"swap": ["Ana", "Ben", "Cai"]}'),
    ("/seats", b"{}"),
    ("/mirror", b"{}"),
    ("/new-game", b'{"players": ["Ana", "Ben"]}'),
    ("/new-game", b'{"variant": "classic", "players": "a" , "seats": 1}'),
    ("/new-game", b'{"variant": "classic", "players": [1, 2]}'),
    ("/new-game", b"[" * 9000),
]


@pytest.mark.parametrize(("path", "body"), BAD)
def test_a_bad_body_is_answered_in_one_sentence(browser, table, path, body):
    kind = "application/json" if body[:1] in (b"{", b"[") else "application/x-www-form-urlencoded"
    answer = browser.post(path, data=body, content_type=kind)
    said = answer.get_json()
    assert answer.status_code == 400
    assert set(said) == {"ok", "error"}
    assert said["error"].endswith(".")
    assert "\n" not in said["error"]
    assert not table.acts


def test_an_unknown_key_is_named_as_it_is_written(browser):
    said = browser.post("/settings", json={"war_down": 99}).get_json()["error"]
    assert said == 'war_down is not known here; write the rules as in {"set": {"war_down": 1}}.'


def test_a_bad_form_is_answered_by_a_page(browser, table):
    answer = browser.post("/correct", data={"look": "x", "player": "Ana"}, headers=FORM)
    assert answer.status_code == 400
    assert "look must be a number." in answer.get_data(as_text=True)
    assert not table.acts


def test_a_refusal_is_passed_on(browser, table):
    table.refusal = "There is nothing to undo."
    answer = browser.post("/undo")
    assert (answer.status_code, answer.get_json()) == (409, {"ok": False, "error": "There is nothing to undo."})
    page = browser.post("/undo", headers=FORM)
    assert page.status_code == 409
    assert "There is nothing to undo." in page.get_data(as_text=True)


def test_too_much_text_is_refused(browser, table):
    answer = browser.post("/correct", data=b"x" * 70_000, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 413
    assert not table.acts


def test_asking_changes_nothing(browser, table):
    for path in ("/undo", "/pause", "/reset-watching", "/answer"):
        assert browser.get(path).status_code == 405
    assert not table.acts


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/correct", r'{"look": 9, "faces": {"Ben": ["6H"]}, "by": "\ud800"}'),
        ("/correct", r'{"look": 9, "faces": {"\udc00": ["6H"]}}'),
        ("/settings", r'{"set": {"short": "\ud800"}}'),
        ("/appeal", r'{"look": 9, "by": "\ud800"}'),
        ("/camera", r'{"source": "film\udcff.mp4"}'),
        ("/camera", r'{"source": "a\u0000b"}'),
        ("/enrol/forget", r'{"name": "\ud800"}'),
        ("/undo?by=a%00b", "{}"),
    ],
)
def test_a_text_that_is_no_writing_is_refused_at_once(table, browser, path, body):
    answer = browser.post(path, data=body, content_type="application/json")
    assert (answer.status_code, table.acts) == (400, [])
    assert answer.json["error"] == "A text holds signs that are no writing: leave them out."


@pytest.mark.parametrize("number", ["NaN", "1e999", "9223372036854775808", "1" * 5000])
def test_a_number_beyond_the_log_is_no_json(table, browser, number):
    answer = browser.post("/undo", data=f'{{"look": {number}}}', content_type="application/json")
    assert (answer.status_code, table.acts) == (400, [])


def test_a_form_field_that_is_no_writing_is_refused(table, browser):
    answer = browser.post("/camera", data={"source": "a\x00b"})
    assert (answer.status_code, table.acts) == (400, [])
