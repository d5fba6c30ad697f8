"""The long run of simulated games goes on where it stopped, and finds what is wrong when something is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.referee import verdict
from companion.referee.cards import Card
from companion.referee.ownership import Knowledge, Lot, note_played
from companion.simulation.dealer import Tabletop
from tests.benchmarks import simulate_many
from tests.benchmarks.simulate_many import chunk


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, float]:
    """The figures that a run of the program prints, but for its speed."""
    monkeypatch.setattr("sys.argv", ["simulate_many", "--cap", "30", "--workers", "1", *words])
    assert simulate_many.main() == 0
    figures = json.loads(capsys.readouterr().out)
    return {key: value for key, value in figures.items() if "processor_s" not in key}


def test_a_run_goes_on_where_the_last_one_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.jsonl"
    monkeypatch.setattr(simulate_many, "CHUNK", 2)
    first = run(monkeypatch, capsys, "--games", "3", "--file", str(file))
    assert first["games"] == first["over"] + first.get("capped", 0) == 3
    file.write_text(file.read_text("utf-8") + '\n{"seeds": [3', "utf-8")
    together = run(monkeypatch, capsys, "--games", "6", "--file", str(file))
    assert len([line for line in file.read_text("utf-8").splitlines() if line]) == 5, "0 and 1, 2, torn, 3, 4 and 5"
    assert together == run(monkeypatch, capsys, "--games", "6")
    assert together == run(monkeypatch, capsys, "--games", "0", "--file", str(file))


def test_half_of_the_games_are_from_small_piles() -> None:
    totals = [simulate_many.any_game(simulate_many.random.Random(seed)).total for seed in range(400)]
    assert 170 < sum(total < 40 for total in totals) < 230


def test_honest_games_have_no_failures() -> None:
    assert chunk(list(range(12)), 40).failures == []


def test_a_lost_card_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    put_away = Tabletop._put_away

    def lose_one(self: Tabletop, player: str, cards: list[Card]) -> None:
        put_away(self, player, cards[1:])

    monkeypatch.setattr(Tabletop, "_put_away", lose_one)
    failures = chunk(list(range(12)), 40).failures
    assert failures and all("the cards are not those that were dealt" in told for told in failures)


def test_a_card_that_nobody_is_given_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    takes = verdict._takes
    monkeypatch.setattr(verdict, "_takes", lambda pos, winner: {**takes(pos, winner), winner: 1})
    failures = chunk(list(range(12)), 40).failures
    assert failures and any("on the table" in told for told in failures)


def test_a_card_that_nobody_can_own_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "_collected", lambda pos, winner: pos.known)
    failures = chunk(list(range(12)), 40).failures
    assert failures and any("owns the impossible" in told for told in failures)


def test_more_unseen_cards_may_have_gone_down_than_were_expected() -> None:
    """Of twelve cards out of seventeen one in eleven was expected to be unseen: the first seen need not be the last."""
    seen = sum(Card.parse(f"{rank}{suit}").bits for rank in "23456789" for suit in "SH")
    sevens = Card.parse("7C").bits | Card.parse("7D").bits
    known = Knowledge(sevens, {"Ana": (Lot(seen, 12, 0.09),)})
    after = note_played(known, "Ana", Card.parse("7C").bits)
    assert after.can_own("Ana", sevens) == Card.parse("7D").bits
    sure = note_played(Knowledge(sevens, {"Ana": (Lot(seen, 16),)}), "Ana", Card.parse("7C").bits)
    assert not sure.can_own("Ana", sevens), "where no unseen card was, none is left"
