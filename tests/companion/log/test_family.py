"""The family's numbers, against games whose numbers can be counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.log.family import family_numbers
from companion.log.store import Log
from companion.log.summary import win_chance
from companion.referee.variants import settings_for
from tests.companion.log.test_store import ruling

#: Winner, and the counts of Ana and Ben after each round of the game; ended for good or stopped.
GAMES = (
    ("Ana", [(27, 25), (2, 50), (52, 0)]),
    ("Ana", [(30, 22), (52, 0)]),
    ("Ben", [(25, 27), (0, 52)]),
    ("Ana", [(27, 25), (52, 0)]),
    ("", [(27, 25)]),
)


def won(seq: int, counts: tuple[int, int], **more: object) -> dict[str, object]:
    by_player = dict(zip(("Ana", "Ben"), counts, strict=True))
    return ruling("battle_won", seq=seq, look=seq, round=seq, counts=by_player, **more)


@pytest.fixture
def path(path: Path) -> Path:
    with Log(path) as log:
        for day, (winner, counts) in enumerate(GAMES, start=1):
            made = [won(n, both) for n, both in enumerate(counts, start=1)]
            if day == 2:
                war = {"ruling": "war_declared", "seq": 3, "look": 2, "at": 1.0, "round": 2, "rank": "9", "rule": "war"}
                made.append({**war, "who": ["Ana", "Ben"], "down": {"Ana": 3, "Ben": 3}})
                made[1] = won(2, counts[1], wars=2, pot=18, takes={"Ana": 18})
            if winner:
                over = {"ruling": "game_over", "seq": 9, "look": 9, "at": 60.0 * day, "winner": winner}
                made.append({**over, "reason": "all_cards", "counts": {}, "rule": "all_cards"})
            rows = [
                {
                    **{key: one[key] for key in ("seq", "look")},
                    "kind": one["ruling"],
                    "ruling": json.dumps(one),
                    "model": "",
                    "made_by": 1,
                    "replaced_by": None,
                }
                for one in made
            ]
            at = f"2026-01-0{day}T20:00:00+01:00"
            about = {"opened": at, "ended": at, "end_reason": "", "source": "", "seats": ""}
            log.take_in({**about, "game": {"variant": "classic", "players": ["Ana", "Ben"]}}, (), rows)
    return path


def test_wins_rounds_and_rows_of_games(path: Path) -> None:
    family = family_numbers(path)
    ana, ben = family.players
    assert (family.games, family.evenings, family.first[:10]) == (5, 5, "2026-01-01")
    assert (ana.name, ana.games, ana.finished, ana.won) == ("Ana", 5, 4, 3)
    assert (ben.name, ben.won, ben.rounds_won) == ("Ben", 1, 0)
    assert (ana.streak, ana.best_streak, ben.streak, ben.best_streak) == (1, 2, -1, 1)
    (pair,) = family.pairs
    assert (pair.one, pair.other, pair.games, pair.one_won, pair.other_won) == ("Ana", "Ben", 4, 3, 1)


def test_wars_catches_and_comebacks_lead_to_their_game(path: Path) -> None:
    family = family_numbers(path)
    ana, ben = family.players
    assert ana.longest_war and (ana.longest_war.value, ana.longest_war.session, ana.longest_war.look) == (2, 2, 2)
    assert ben.longest_war and ben.longest_war.session == 2 and (ben.wars_fought, ben.wars_survived) == (1, 0)
    assert ana.best_catch and (ana.best_catch.value, ana.best_catch.session) == (18, 2) and ben.best_catch is None
    assert ana.comeback and (ana.comeback.value, ana.comeback.session) == (2, 1)
    records = family.records
    assert (records["comeback"].player, records["comeback"].value) == ("Ana", 2)
    assert (records["longest_game"].value, records["longest_game"].session) == (3, 1)
    assert records["longest_evening"].value == 240.0 and records["most_survived"].player == "Ana"


def test_luck_is_what_was_won_beyond_the_chances(path: Path) -> None:
    ana, ben = family_numbers(path).players
    rules = settings_for("classic", {})
    rounds = sum(len(counts) for _, counts in GAMES)
    assert ana.judged == ben.judged == rounds and ana.judged_won == rounds
    assert ana.expected == pytest.approx(rounds * win_chance("9H", 1, rules), abs=0.01)
    assert ben.luck == pytest.approx(-rounds * win_chance("4C", 1, rules), abs=0.01)


def test_all_chances_of_a_pack_are_one_half_on_average() -> None:
    rules = settings_for("classic", {})
    codes = [
        rank + suit for rank in ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"] for suit in "SHDC"
    ]
    assert sum(win_chance(code, 1, rules) for code in codes) == pytest.approx(26)
    equal = settings_for("classic", {"faces_equal": "true"})
    assert win_chance("10S", 1, equal) == win_chance("KS", 1, equal)


def test_removed_and_open_games_do_not_count(path: Path) -> None:
    with Log(path) as log:
        log.remove_session(2)
        log.open_session({"variant": "classic", "players": ["Ana", "Ben"]}, "", "", live=True)
    family = family_numbers(path)
    assert family.games == 4 and "most_survived" not in family.records


def test_no_log_no_numbers(tmp_path: Path) -> None:
    assert family_numbers(tmp_path / "none.db").players == ()
    (tmp_path / "empty.db").touch()
    assert family_numbers(tmp_path / "empty.db").games == 0
