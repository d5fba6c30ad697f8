"""The family page and a page for each player."""

from __future__ import annotations

import pytest

from companion.log.family import PlayerRecord
from companion.web import create_app
from companion.web.family import luck_words, streak_words
from tests.companion.log.test_family import path as path  # noqa: PLC0414 a fixture of the same games
from tests.companion.web.fake_table import VERDICT, FakeTable


@pytest.fixture
def browser(path):
    return create_app(FakeTable(VERDICT), path).test_client()


def test_everybody_stands_on_the_family_page(browser):
    html = browser.get("/family").get_data(as_text=True)
    assert "5 games on 5 evenings since Jan 1, 2026." in html
    assert "Ana won" not in html and "3 games won of 4 games" in html
    assert 'href="/sessions/2/replay?look=2"' in html and "2 ties in a row" in html
    assert "down to 2 cards" in html and 'href="/family/Ben"' in html
    assert html.count('<svg class="bars"') == 2 and html.count("<table") == 3


def test_a_child_finds_the_longest_war_by_its_name(browser):
    html = browser.get("/family/Ben").get_data(as_text=True)
    assert "My longest war" in html and 'href="/sessions/2/replay?look=2"' in html
    assert browser.get("/sessions/2/replay?look=2").status_code == 200
    assert browser.get("/family/Nobody").status_code == 404


def test_no_game_yet_is_a_sentence(tmp_path):
    html = create_app(FakeTable(VERDICT), tmp_path / "none.db").test_client().get("/family").get_data(as_text=True)
    assert "Nothing to look back on yet" in html


@pytest.mark.parametrize(
    ("streak", "expected", "survived", "says"),
    [
        (3, 0.0, 0, "Ana has won the last 3 games. Who stops that?"),
        (1, 0.0, 0, ""),
        (-2, 0.0, 0, ""),
        (-4, 20.0, 1, "chance alone"),
        (-4, 0.0, 2, "came through 2 wars"),
        (-4, 0.0, 0, "as open as any"),
    ],
)
def test_rows_of_games_have_kind_words(streak, expected, survived, says):
    one = PlayerRecord("Ana", 9, 9, 3, 10, 4, 2, survived, 20, 10, expected, streak=streak)
    said = streak_words(VERDICT, one)
    assert says in said and bool(says) == bool(said)
    assert "lost" not in said.lower()


def test_luck_in_words():
    def record(won, expected, judged=20):
        return PlayerRecord("Ana", 1, 1, 0, won, 0, 0, 0, judged, won, expected)

    assert luck_words(VERDICT, record(12, 9.0)) == "3 rounds more than the cards let expect"
    assert luck_words(VERDICT, record(8, 9.0)) == "1 round fewer than the cards let expect"
    assert luck_words(VERDICT, record(9, 9.2)) == "just what the cards let expect"
    assert luck_words(VERDICT, record(0, 0.0, 0)) == ""
