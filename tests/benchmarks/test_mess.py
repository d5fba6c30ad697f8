"""The benchmark of messy tables: a small run of it, and that it counts what it is there to count."""

from __future__ import annotations

from dataclasses import replace

from companion.referee import reducer
from companion.referee.events import Seen
from tests.benchmarks.mess import Tally, judge, measure, passed, referee, scripts, table
from tests.benchmarks.mess_script import KINDS, messy_game


def counted(tally: Tally) -> dict[str, int]:
    return dict(tally.counted["all", "all"])


def test_a_family_in_a_mess_is_ruled_right() -> None:
    tally = measure(300, seed=90_007)
    assert passed(counted(tally)), tally.faults
    assert counted(tally)["right"] == counted(tally)["rounds"] > 250


def test_every_kind_of_mess_comes_up() -> None:
    seen = {step.kind for script in scripts(2500, seed=0) for step in script.steps}
    assert seen == {kind.__name__ for kind in KINDS}


def test_the_same_seed_is_the_same_mess() -> None:
    assert messy_game(3, 5) == messy_game(3, 5)


def test_a_wrong_winner_and_a_round_that_was_not_judged_are_counted() -> None:
    script = next(script for script in scripts(20, seed=7) if len(script.rounds) > 5)
    done = referee(script)
    first, second, *rest = script.rounds
    other = next(player for player in script.game.players if player != first.winner)
    tally = Tally()
    judge(replace(done, script=replace(script, rounds=(replace(first, winner=other), second, *rest))), tally)
    assert counted(tally)["wrong"] == 1 and not passed(counted(tally))
    tally, blank = Tally(), replace(script, steps=tuple(s for s in script.steps if not isinstance(s.entry, Seen)))
    judge(referee(blank), tally)
    assert counted(tally)["lost"] >= len(script.rounds) - 1 and not passed(counted(tally))


def test_what_the_mess_gives_no_cause_for_is_counted() -> None:
    script = next(scripts(20, seed=5))
    done = referee(replace(script, steps=tuple(replace(step, kind="plain") for step in script.steps)))
    said = [
        one for one in reducer.rulings(done.state) if type(one.ruling).__name__ in ("Question", "Notice", "Violation")
    ]
    tally = Tally()
    judge(done, tally)
    assert counted(tally).get("needless", 0) == len(said)


def test_the_table_has_a_line_for_every_kind_and_variant() -> None:
    assert len(table(Tally()).splitlines()) == 2 + len(KINDS) + 5 + 1
