"""The pages as a browser without a script gets them, and the table as data."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest

from companion.table.snapshot import CameraView, CardView, SeatsView, SeatView
from companion.web import create_app
from companion.web.api import news
from companion.web.card_faces import CONFUSED
from companion.web.pictures import frames
from companion.web.settings_form import offered_in
from companion.web.streaming import BEAT
from tests.companion.web.fake_table import (
    APPEAL,
    FOUR,
    LOG,
    QUESTION,
    SCENES,
    UNDONE,
    UNWATCHED,
    VERDICT,
    VIOLATION,
    WAR,
    FakeTable,
    scene,
)

JPEG = b"\xff\xd8 not really \xff\xd9"


def client(now=VERDICT, log=None, picture=(1, JPEG)):
    table = FakeTable(now, picture)
    return create_app(table, log).test_client(), table


def text(answer):
    assert answer.status_code == 200
    return answer.get_data(as_text=True)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("page", ["/", "/screen", "/log"])
def test_every_scene_has_its_state_on_every_page(name, page):
    browser, table = client(SCENES[name])
    html = text(browser.get(page))
    if page != "/log":
        assert f"<span>{table.now.chip_text}</span>" in html or f">{table.now.chip_text}</span>" in html
        assert table.now.verdict in re.sub("<[^>]*>", "", html)


def test_the_first_paint_shows_cards_counts_and_proof():
    html = text(client()[0].get("/"))
    assert "king of spades" in html
    assert "<strong>31</strong>" in html
    assert "31 + 21 = 52 cards" in html
    assert "please check" in html
    assert "/correct?look=9&amp;player=Ben&amp;place=0" in html
    assert "/crops/2.jpg" in html


def test_a_table_without_a_game_offers_one():
    empty = scene(players=(), counts={}, wars_won={}, verdict="", proof="", variant="", round=0)
    for page in ("/", "/screen", "/log", "/new-game", "/settings"):
        text(client(empty)[0].get(page))
    assert "/new-game" in text(client(empty)[0].get("/"))


def test_a_war_shows_what_is_seen_and_what_is_missing():
    html = text(client(WAR)[0].get("/"))
    assert "at least 2 of 3 face down" in html
    assert html.count('class="card back empty"') == 1
    assert html.count('class="card back"') == 5


def test_a_question_has_exactly_its_choices():
    html = text(client(QUESTION)[0].get("/"))
    assert html.count('class="choice"') == 2
    assert 'name="question" value="17"' in html


def test_a_difference_has_two_ways_out():
    html = text(client(VIOLATION)[0].get("/"))
    assert 'action="/reset-watching"' in html
    assert 'href="/correct?look=11"' in html


def test_the_differing_place_is_marked_in_the_picture_and_on_the_page():
    corners = ((0.5, 0.1), (0.9, 0.1), (0.9, 0.9), (0.5, 0.9))
    seats = SeatsView(tuple(SeatView(name, "left", 0.3, 0.5, corners) for name in ("Ana", "Ben")))
    cards = (CardView("Ben", "QC", 0.9, "sure", polygon=corners), CardView("Ana", "8S", 0.9, "sure", polygon=corners))
    html = text(client(dataclasses.replace(VIOLATION, differs="Ben", seats=seats, cards=cards))[0].get("/"))
    assert html.count('points="640,72 1152,72 1152,648 640,648 "') == 2
    assert html.count(" differing") == 1
    assert "differs" not in text(client(VERDICT)[0].get("/"))


def test_a_whole_hand_laid_out_is_told_in_signs():
    laid = tuple(CardView("Ben", f"{rank}S", 0.9, "sure") for rank in (*map(str, range(2, 11)), "J", "Q", "K", "A"))
    html = text(client(dataclasses.replace(VIOLATION, cards=laid))[0].get("/"))
    assert "13 cards" in " ".join(html.split()) and "minis" not in html
    assert '<span class="more">+6</span>' in html


@pytest.mark.parametrize("page", ["/", "/screen", "/log", "/correct?look=9", "/appeal?look=9", "/new-game"])
def test_names_are_text_never_markup(page):
    evil = "<script>alert(1)</script>"
    now = scene(
        players=(evil, "Ben"),
        counts={evil: 26, "Ben": 26},
        verdict=f"{evil} takes both.",
        waiting=(evil,),
        cards=(CardView(evil, "KS", 0.9, "sure"),),
        log=tuple(dataclasses.replace(line, text=evil, faces={evil: ("KS",)}) for line in VERDICT.log),
        camera=CameraView(message=evil),
    )
    html = text(client(now)[0].get(page))
    assert evil not in html
    assert "&lt;script&gt;" in html


def test_the_log_shows_some_kinds_only():
    browser, _ = client()
    assert text(browser.get("/log")).count('class="line ') == 5
    wars = text(browser.get("/log?only=wars"))
    assert "WAR. Two eights." in wars
    assert "king beats nine" not in wars
    assert text(browser.get("/log?only=corrections")).count('class="corrected"') == 1
    assert "None of these yet" in text(browser.get("/log?only=disputes"))
    assert text(browser.get("/log?only=<x>")).count('class="line ') == 5


def test_the_correction_offers_what_the_camera_thought_first():
    html = text(client()[0].get("/correct?look=9&player=Ben&place=0"))
    six, eight = html.index('value="6H"'), html.index('value="8H"')
    assert six < eight < html.index('name="rank" value="A"')
    assert html.count('name="rank"') == 14
    assert 'name="was" value="9H"' in html
    assert 'value="none"' in html


def test_a_missed_card_has_the_same_way():
    html = text(client()[0].get("/correct?look=9&player=Ben&place=new"))
    assert "did I miss" in html
    assert 'name="place" value="1"' in html
    assert 'value="none"' not in html


def test_confusions_go_both_ways():
    for one, other in (("6", "9"), ("10", "7"), ("J", "K"), ("A", "4"), ("3", "8")):
        assert other in CONFUSED[one]
        assert one in CONFUSED[other]


def test_an_unknown_player_or_look_is_not_found():
    browser, _ = client()
    assert browser.get("/correct?look=9&player=Zoe").status_code == 404
    assert browser.get("/appeal?look=99").status_code == 404
    assert browser.get("/nothing").status_code == 404
    assert text(browser.get("/correct?look=99"))


def test_the_state_is_the_snapshot():
    state = client(FOUR)[0].get("/state").get_json()
    assert state["players"] == list(FOUR.players)
    assert state["counts"] == dict(FOUR.counts)
    assert state["chip"] == "waiting_for_players"
    assert state["camera"]["choices"][1] == {
        "source": "2",
        "name": "Document camera",
        "detail": "1920 × 1080, 15 pictures a second",
        "picture": False,
    }
    assert set(state) == {part.name for part in dataclasses.fields(FOUR)}


def test_healthz_answers():
    assert client()[0].get("/healthz").get_json() == {"ok": True, "version": 1, "session": 1, "camera": True}


def events(browser, path="/events"):
    """The events of a stream as they come: name and data."""
    answer = browser.get(path, buffered=False)
    assert answer.mimetype == "text/event-stream"
    for part in answer.iter_encoded():
        fields = dict(line.split(": ", 1) for line in part.decode().strip().split("\n") if line)
        if "data" in fields:
            yield fields.get("event"), json.loads(fields["data"])


def test_every_connection_gets_the_whole_state_and_then_each_change():
    browser, table = client()
    stream = events(browser)
    assert next(stream)[1]["verdict"] == VERDICT.verdict
    table.show(verdict="Ben takes both.")
    table.show(verdict="Ana takes both.")
    assert next(stream)[1]["verdict"] == "Ana takes both."  # the one between was never waited for
    assert next(events(browser))[1]["version"] == 3


def test_a_page_gets_its_panels_drawn():
    browser, table = client()
    stream = events(browser, "/events?page=control")
    name, data = next(stream)
    assert name == "page"
    assert 'id="verdict"' in data["html"]
    table.show(verdict="Ben <b>takes</b> both.")
    assert "Ben &lt;b&gt;takes&lt;/b&gt; both." in next(stream)[1]["html"]
    assert 'class="places' in next(events(browser, "/events?page=screen"))[1]["html"]


def test_a_quiet_stream_shows_that_it_lives(monkeypatch):
    seconds = iter((0.0, 0.0, 1.0, BEAT + 1, BEAT + 1, BEAT + 1))
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    parts = news(lambda: VERDICT, lambda now: "data: {}\n\n")
    assert [next(parts) for _ in range(4)][2:] == [b"", b": still here\nevent: beat\ndata: {}\n\n"]


def test_pictures_are_the_newest_or_none():
    browser, table = client()
    assert browser.get("/picture.jpg").data == JPEG
    table.picture = None
    assert browser.get("/picture.jpg").status_code == 404
    newest = [None, (1, b"one"), (2, b"two"), (2, b"two")]
    parts = frames(lambda: newest.pop(0))
    sent = [next(parts) for _ in range(5)]
    assert sent[:2] == [b"--frame\r\n", b""]
    assert sent[2] == b"Content-Type: image/jpeg\r\nContent-Length: 3\r\n\r\none\r\n--frame\r\n"
    assert b"two" in sent[3]
    assert sent[4] == b""


def test_without_a_log_there_are_no_stored_pictures_and_no_games():
    browser, _ = client()
    for path in ("/evidence/1.jpg", "/crops/1.jpg", "/sessions/1", "/sessions/1.json", "/sessions/1.csv"):
        assert browser.get(path).status_code == 404
    assert "No game has been kept yet." in text(browser.get("/sessions"))


SEATED = dataclasses.replace(
    VERDICT, seats=SeatsView((SeatView("Ana", "left", 0.25, 0.5), SeatView("Ben", "right", 0.75, 0.5)))
)


def test_the_page_says_who_sits_where_and_exchanges_two_with_one_tap():
    html = text(client(SEATED)[0].get("/"))
    assert "Ana: left" in html and "Ben: right" in html
    assert "Ana and Ben sit the other way round" in html
    assert html.count('name="swap"') == 2
    assert '<text class="sits" x="320" y="50"' in html and ">Ana</text>" in html
    assert "The camera mirrors the picture" not in html


def test_where_it_is_not_clear_who_sits_where_the_page_offers_each_way():
    offered = SeatsView((), True, ((("Ana", "Ben"), "Ana: near, Ben: far"), (("Ben", "Ana"), "Ben: near, Ana: far")))
    html = text(client(dataclasses.replace(VERDICT, seats=offered))[0].get("/"))
    assert "Ana: near, Ben: far" in html and "Ben: near, Ana: far" in html
    assert html.count('name="order"') == 4 and 'name="swap"' not in html


def test_a_picture_that_was_turned_round_is_said():
    camera = dataclasses.replace(VERDICT.camera, mirrored=True, facing="auto")
    html = text(client(dataclasses.replace(SEATED, camera=camera))[0].get("/"))
    assert "The camera mirrors the picture; it is turned round here." in html
    assert 'name="mirror" value="no"' in html


def test_a_correction_says_who_and_when():
    fixed = dataclasses.replace(VERDICT.log[0], corrected=True, corrected_by="Ben", corrected_at=75.0)
    html = text(client(dataclasses.replace(VERDICT, log=(fixed, *VERDICT.log[1:])))[0].get("/"))
    assert "corrected by Ben at 1:15" in html
    assert "corrected at 0:00" in html


def test_what_was_taken_back_is_struck_through_and_comes_back():
    html = text(client(UNDONE)[0].get("/"))
    assert "<s>Ana takes both: king beats nine.</s>" in html
    # In the buttons and in the log.
    assert html.count('name="look" value="10"') == 2 and html.count("Bring back") == 2
    later = dataclasses.replace(UNDONE, redo=None)
    assert 'href="/undoing?look=10"' in text(client(later)[0].get("/log"))
    assert "come back in their place" in text(client(later)[0].get("/undoing?look=10"))


def test_what_an_undo_in_a_war_brings_is_said_before():
    browser, _ = client(dataclasses.replace(VERDICT, undo=8))
    html = text(browser.get("/"))
    # The button for the last, and the line of that look; a plain round is one tap.
    assert html.count('href="/undoing?look=8"') == 2 and html.count('href="/undoing?look=6"') == 1
    assert 'href="/undoing?look=9"' not in html
    decided = text(browser.get("/undoing?look=8"))
    assert "helped to decide a war" in decided and "judged anew" in decided
    assert 'action="/undo"' in decided and 'name="look" value="8"' in decided
    assert "began a war" in text(browser.get("/undoing?look=6"))
    assert browser.get("/undoing?look=77").status_code == 404


def test_an_appeal_opens_the_ruling_it_disputes():
    now = dataclasses.replace(APPEAL, log=(APPEAL.log[0], dataclasses.replace(LOG[0], rule="higher_card"), *LOG[1:]))
    html = text(client(now)[0].get("/"))
    assert "The table and the page differ" not in html
    assert 'href="/appeal?look=10"' not in html
    assert 'class="evidence" src="/evidence/9.jpg' in html
    for look in (9, 10):
        opened = text(client(now)[0].get(f"/appeal?look={look}"))
        assert "Ana takes both: king beats nine." in opened and "the Esperanto rules, line 10" in opened
        assert "/evidence/9.jpg" in opened


def test_a_game_that_no_camera_looks_at_says_so_and_shows_no_old_picture():
    browser, _ = client(UNWATCHED)
    for page in ("/", "/screen"):
        assert "No camera looks on: plug one in" in text(browser.get(page))
    assert browser.get("/picture.jpg").status_code == 404
    assert 'class="no-picture none"' in text(browser.get("/"))
    assert "No camera looks on" not in text(client(VERDICT)[0].get("/"))


@pytest.mark.parametrize("demo", [True, False])
def test_a_film_is_named_without_its_folder(demo):
    camera = CameraView("/opt/war/_samples/classic.mp4", picture=1)
    html = text(client(dataclasses.replace(VERDICT, demo=demo, camera=camera))[0].get("/"))
    assert "/opt/war" not in html
    assert ("The sample game" if demo else "classic.mp4") in html


def test_every_variant_is_offered_the_rules_that_it_is_played_by():
    assert offered_in("faces_equal") == offered_in("short") == ("all",)
    assert offered_in("war_down") == ("classic", "multi", "steal", "arneson")
    assert "arneson" not in offered_in("double_tie")
    assert offered_in("multi_down") == ("multi",) and offered_in("razboi_ace") == ("razboi",)
    html = text(client()[0].get("/new-game"))
    assert '<label class="setting for-all"><span>Ten, jack, queen, king</span>' in html


def test_the_script_loads_nothing_that_its_own_policy_forbids():
    browser, _ = client()
    policy = browser.get("/").headers["Content-Security-Policy"]
    assert "data:" not in policy and "data:" not in text(browser.get("/static/page.js"))


def test_how_to_play_is_a_page_and_the_game_leads_there():
    view, _ = client(VERDICT)
    assert 'href="/rules/classic"' in text(view.get("/")) and 'href="/rules/steal"' in text(view.get("/new-game"))
    assert "until each has 26" in text(view.get("/rules"))
    steal = text(view.get("/rules/steal"))
    assert "steal that pile" in steal and "the Esperanto rules, line 22" in steal and 'aria-current="page"' in steal
    assert view.get("/rules/poker").status_code == 404
