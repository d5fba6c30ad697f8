"""The language of a page: chosen on it, else asked for at the start, else the browser's."""

from __future__ import annotations

import pytest

from companion.referee.codec import input_from_json
from companion.referee.events import Seen
from companion.referee.game import new_game
from companion.table.presenter import Presenter
from companion.table.table import Table
from companion.web import create_app
from companion.words import languages, speak
from tests.companion.web.fake_table import FakeTable, scene


def lang(answer) -> str:
    return answer.get_data(as_text=True).partition('<html lang="')[2].partition('"')[0]


@pytest.mark.parametrize(
    ("header", "asked", "is_said"),
    [
        ("", "", "en"),
        ("fi-FI,fi;q=0.9,en;q=0.8", "", "fi"),
        ("de-DE,de;q=0.9", "", "en"),
        ("de,lv;q=0.5,en;q=0.3", "", "lv"),
        ("fi", "mk", "mk"),
    ],
)
def test_a_browser_is_answered_in_its_language_unless_another_was_asked_for(header, asked, is_said):
    client = create_app(FakeTable(scene()), language=asked).test_client()
    headers = {"Accept-Language": header} if header else {}
    assert lang(client.get("/", headers=headers)) == is_said
    assert lang(client.get("/rules/classic", headers=headers)) == is_said
    assert lang(client.get("/nowhere", headers={**headers, "Accept": "text/html"})) == is_said


def test_a_language_chosen_on_the_page_is_remembered():
    client = create_app(FakeTable(scene()), language="mk").test_client()
    assert all(f'?language={code}"' in client.get("/").get_data(as_text=True) for code in languages())
    assert lang(client.get("/?language=ro", headers={"Accept-Language": "fi"})) == "ro"
    assert lang(client.get("/log", headers={"Accept-Language": "fi"})) == "ro"
    assert lang(client.get("/log?language=klingon")) == "ro"


def test_two_viewers_are_told_of_one_table_each_in_their_language():
    table = Table(None, Presenter(speak("en")))
    table.resume(_session())
    table.submit(_seen())
    client = create_app(table).test_client()
    assert "Ana takes both: king beats nine." in client.get("/").get_data(as_text=True)
    finnish = client.get("/", headers={"Accept-Language": "fi"}).get_data(as_text=True)
    assert "Ana saa molemmat: kuningas voittaa yhdeksikön." in finnish and "takes both" not in finnish
    events = iter(client.get("/events?page=control", headers={"Accept-Language": "ro"}).response)
    assert next(events).startswith(b"retry") and "Ana ia ambele cărți".encode() in next(events)
    table.show(trouble="There is no session 7 in the log /tmp/a.db.")
    assert "There is no session 7" in client.get("/").get_data(as_text=True)


def test_a_refusal_is_said_in_the_viewers_language():
    table = FakeTable(scene())
    table.refusal = "There is nothing to undo."
    answer = create_app(table).test_client().post("/undo", json={}, headers={"Accept-Language": "fi"})
    assert answer.status_code == 409 and answer.get_json()["error"] == speak("fi").retell("There is nothing to undo.")


def _session():
    from companion.referee import reducer
    from companion.table.session import LiveSession

    game = new_game("classic", ("Ana", "Ben"))
    return LiveSession(1, game, "", "left-right", True, reducer.start(game), kept=False)


def _seen() -> Seen:
    return input_from_json({"at": 1.0, "faces": {"Ana": ["KS"], "Ben": ["9H"]}})
