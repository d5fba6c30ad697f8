"""What an act did, in one sentence; what was best in a game; how far the set-up has come."""

from __future__ import annotations

import dataclasses

from companion.table.snapshot import Chip
from companion.web.panels import hint
from companion.web.view_models import describe_outcome, end, setup_view
from tests.companion.web.fake_table import GAME_OVER, LOG, READY, TRYING, UNDONE, VERDICT


def test_what_is_judged_anew_is_said_and_that_counts_follow():
    anew = dataclasses.replace(LOG[1], text="Ana wins the war and takes 10 cards: king beats ten.", winner="Ana")
    after = dataclasses.replace(VERDICT, log=(LOG[0], anew, *LOG[2:]))
    said = describe_outcome(VERDICT, after)
    assert "king beats ten" in said and "5" in said
    assert said != describe_outcome(
        dataclasses.replace(VERDICT, log=LOG[2:]), dataclasses.replace(VERDICT, log=LOG[1:])
    )


def test_an_undo_names_what_it_took_back():
    assert LOG[0].text in describe_outcome(VERDICT, UNDONE)


def test_an_act_that_changes_no_ruling_says_nothing_of_its_own():
    assert describe_outcome(VERDICT, VERDICT) == ""


def test_the_end_of_a_game_tells_its_longest_war_and_best_catch():
    found = dict(end(GAME_OVER).best)
    assert "Ben" in found["longest"] and "10" in found["catch"]
    assert end(VERDICT) is None


def test_the_set_up_is_ready_when_every_meter_is_well_and_every_place_was_tried():
    trying, ready = setup_view(TRYING), setup_view(READY)
    assert (trying.game, trying.camera, trying.picture, trying.places, trying.ready) == (
        True,
        True,
        False,
        False,
        False,
    )
    assert ready.ready and "26" in ready.deal


def test_what_is_worth_saying_while_nothing_else_is():
    rounds = tuple(dataclasses.replace(LOG[0], seq=n, look=n, round=n) for n in range(6, 0, -1))
    settled = dataclasses.replace(VERDICT, hint="", log=rounds, settings={"end": "all_cards"})
    assert hint(settled) == "6 in a row for Ana. Chin up, Ben: one war can turn it all."
    assert hint(dataclasses.replace(settled, log=rounds[:4])) == ""
    assert hint(dataclasses.replace(settled, hint="Glare.")) == "Glare."
    lying = dataclasses.replace(settled, chip=Chip.COLLECT)
    assert hint(lying).startswith("The same cards as before")
    assert not hint(dataclasses.replace(lying, cards=VERDICT.cards[:1])).startswith("The same")
    long = dataclasses.replace(settled, round=350)
    assert hint(long).startswith("Round 350, and War can go on for ever.")
    assert not hint(dataclasses.replace(long, settings={"end": "time"})).startswith("Round")
    assert not hint(dataclasses.replace(long, round=353)).startswith("Round")
