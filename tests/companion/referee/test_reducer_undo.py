"""What was taken back stays readable, and can be brought back."""

from __future__ import annotations

import pytest

from companion.commands.watch import restore_session
from companion.log import store as family
from companion.referee.game import new_game
from companion.table.presenter import Presenter
from companion.table.table import Table
from companion.words import speak
from tests.companion.asking import appeal_look, correct_look, undo_look
from tests.companion.table.test_table import look


@pytest.fixture
def table(log):
    table = Table(log, Presenter(speak("en")))
    table.open(new_game("classic", ("Ana", "Ben")), "0", "left-right", live=True)
    for entry in (look(1, Ana="KS", Ben="6H"), look(2), look(3, Ana="8S", Ben="8H")):
        table.submit(entry)
    return table


def do(table, act):
    answer = table.send(act)
    table.serve()
    return answer.result(timeout=0)


def texts(lines):
    return [line.text for line in lines]


def test_what_was_taken_back_is_said_once_more_and_comes_back(table):
    stood = table.now.log
    do(table, undo_look(1))
    (gone,) = table.now.undone
    assert (gone.look, gone.undone, gone.text) == (1, 4, "Ana takes both: king beats six.")
    assert table.now.counts["Ana"] == 25
    do(table, undo_look(table.now.redo))
    assert (table.now.undone, table.now.redo) == ((), None)
    assert texts(table.now.log) == texts(stood)


def test_undos_are_brought_back_in_turn(table):
    before = table.now
    do(table, undo_look())
    do(table, undo_look())
    assert texts(table.now.log) == []
    assert [line.look for line in table.now.undone] == [3, 1]
    do(table, undo_look(table.now.redo))
    assert [line.look for line in table.now.undone] == [3]
    do(table, undo_look(table.now.redo))
    assert (texts(table.now.log), table.now.counts) == (texts(before.log), before.counts)


def test_a_correction_that_was_taken_back_is_none_and_comes_back(table):
    do(table, correct_look(1, {"Ben": ("AH",)}))
    do(table, undo_look())
    assert not any(line.corrected for line in table.now.log)
    do(table, undo_look(table.now.redo))
    assert table.now.log[-1].corrected and table.now.log[-1].text == "Ben takes both: ace beats king."


def test_after_something_else_nothing_is_offered_to_come_back(table):
    do(table, undo_look())
    assert table.now.redo == 4
    table.submit(look(5, Ana="QS", Ben="9H"))
    assert (table.now.redo, len(table.now.undone)) == (None, 1)


def test_what_was_taken_back_outlasts_a_crash(table, path):
    do(table, undo_look())
    again = Table(None, Presenter(speak("en")))
    again.resume(restore_session(path, family.load_session(path, 1)))
    assert (again.now.undone, again.now.redo) == (table.now.undone, table.now.redo)


def test_an_appeal_names_the_ruling_it_disputes(table):
    do(table, appeal_look(1, "Ben"))
    assert (table.now.log[0].ruling, table.now.log[0].disputes) == ("notice", 1)
    assert not table.now.held
    assert table.now.log[-1].rule == "higher_card"
