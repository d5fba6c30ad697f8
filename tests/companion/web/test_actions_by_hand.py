"""A game that no camera looks at, played on the page alone."""

from __future__ import annotations

import threading

import pytest

from companion.referee import reducer
from companion.referee.game import new_game
from companion.table.presenter import Presenter
from companion.table.session import LiveSession
from companion.table.snapshot import CameraView
from companion.table.table import Table
from companion.web import create_app
from companion.web.view_models import player_places
from companion.words import speak


@pytest.fixture
def table():
    table = Table(None, Presenter(speak("en")))
    game = new_game("classic", ("Ana", "Ben"))
    table.resume(LiveSession(0, game, "", "left-right", True, reducer.start(game), kept=False))
    table.show(camera=CameraView(ok=False))
    over = threading.Event()

    def serve():
        while not over.is_set():
            table.serve(wait_s=0.02)

    thread = threading.Thread(target=serve)
    thread.start()
    yield table
    over.set()
    thread.join()


@pytest.fixture
def browser(table):
    return create_app(table).test_client()


def tap(browser, address, **fields):
    """Open a card's place, and send its form with one more field."""
    html = browser.get(address).get_data(as_text=True)
    form = html.partition('<form method="post" action="/correct"')[2].partition("</form>")[0]
    told = {}
    for part in form.split('<input type="hidden" ')[1:]:
        name, value = part.split('"')[1], part.split('"')[3]
        told.setdefault(name, []).append(value)
    assert browser.post("/correct", data={**told, **fields}).status_code == 200


def lay(table, browser, player, rank):
    place = next(place for place in player_places(table.now) if place.name == player)
    tap(browser, place.laid_on or place.missed, rank=rank)


def test_rounds_and_a_war_are_played_by_hand(table, browser):
    lay(table, browser, "Ana", "K")
    lay(table, browser, "Ben", "9")
    assert table.now.verdict == "Ana takes both: king beats nine."
    assert 'action="/collected"' in browser.get("/").get_data(as_text=True)
    assert browser.post("/collected").status_code == 200
    assert 'action="/collected"' not in browser.get("/").get_data(as_text=True)
    lay(table, browser, "Ana", "8")
    lay(table, browser, "Ben", "8")
    assert table.now.verdict.startswith("WAR. Two eights.")
    assert browser.get("/").get_data(as_text=True).count("The next card") == 2
    lay(table, browser, "Ana", "10")
    lay(table, browser, "Ben", "Q")
    assert table.now.verdict == "Ben wins the war and takes 10 cards: queen beats ten."
    assert (table.now.counts["Ana"], table.now.counts["Ben"]) == (22, 30)


def test_a_round_that_nobody_saw_is_entered_in_its_place(table, browser):
    lay(table, browser, "Ana", "K")
    lay(table, browser, "Ben", "9")
    assert browser.post("/collected").status_code == 200
    last = table.now.log[0].look
    told = {"look": last, "faces": {"Ana": ["QS"], "Ben": ["7H"]}}
    assert browser.post("/missed", json=told).status_code == 200
    assert (table.now.round, table.now.counts["Ana"], table.now.counts["Ben"]) == (3, 28, 24)
    assert browser.post("/missed", json={"look": 999, "faces": {"Ana": ["QS"]}}).status_code == 409
