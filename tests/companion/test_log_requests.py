"""What people ask of the log from the page, in words; nothing else is lost, and what can be taken back can."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from companion.commands.watch import restore_session
from companion.log import games, store
from companion.log.games import GameFilter
from companion.log.store import Log, NoSession
from companion.log_requests import LogRequests
from companion.referee.codec import game_from_json, input_from_json, ruling_to_json
from companion.referee.game import new_game
from companion.referee.reducer import fold, rulings
from companion.table.presenter import Presenter
from companion.table.requests import (
    BringBackGame,
    DeleteGame,
    DropPictures,
    DropPicturesOf,
    EndGame,
    ForgetPlayer,
    Refused,
    RemoveGame,
    RenamePlayer,
    TakeBackRename,
    WriteNote,
    parse_input,
)
from companion.table.table import Table
from companion.words import speak

WORDS = speak("en")


@pytest.fixture
def table(log: Log) -> Table:
    """Two games that are over and one at the table: Ana and Ben, Ana and Cai, Anna and Ben."""
    table = Table(log, Presenter(WORDS))
    requests = LogRequests(log, table, WORDS, lambda stored: restore_session(log.path, stored))
    table.add_handlers(requests.handlers)
    for players in (("Ana", "Ben"), ("Ana", "Cai"), ("Anna", "Ben")):
        seats = "\n".join(f"[{p}]\nplay = [[0, 0], [1, 0], [1, {n}]]" for n, p in enumerate(players, start=1))
        seats = seats if players[1] == "Cai" else "left-right"
        table.open(new_game("classic", players, {"end": "three_wars"}), "0", seats.replace(", 2]", ", 0.5]"), live=True)
        for n, faces in enumerate((["8S"], ["8S", "KC"], [], ["2H"]), start=1):
            other = [code.replace("S", "H").replace("KC", "QD").replace("2H", "3C") for code in faces]
            line = parse_input({"faces": {players[0]: faces, players[1]: other} if faces else {}}).entry
            table.submit(line, by=players[1], pictures={"table": b"jpeg", f"{players[0]} 0": b"crop"})
            assert n == table.session.state.looks
    return table


def do(table: Table, request: object) -> str:
    answer = table.send(request)
    table.serve()
    return answer.result(timeout=0)


def replayed(path: Path, number: int) -> list[object]:
    stored = store.load_session(path, number)
    state, _ = fold(game_from_json(stored.game), map(input_from_json, store.load_inputs(path, number)))
    return [ruling_to_json(one) for one in rulings(state)]


def everything(path: Path) -> list[object]:
    return [store.export_session(path, one.id) for one in store.list_sessions(path)]


def test_a_renamed_player_is_renamed_everywhere_and_the_rulings_follow_from_the_inputs(table: Table, path: Path):
    before = everything(path)
    assert do(table, RenamePlayer("Ana", "Dana O'Neill")) == "Ana is called Dana O'Neill now, in 2 games."
    with sqlite3.connect(path) as db:
        kept = "\n".join(line for line in db.iterdump() if "acts" not in line)
    assert '"Ana"' not in kept and "'Ana" not in kept and "[Ana]" not in kept
    for one in store.list_sessions(path):
        assert list(store.load_rulings(path, one.id)) == replayed(path, one.id)
    assert {name for _, name in store.list_evidence(path, 1)} == {"table", "Dana O'Neill 0"}
    assert games.sessions_with(path, "Dana O'Neill") == (1, 2)
    act = games.last_rename(path)
    assert act and do(table, TakeBackRename(act["id"])) == "Ana is called Ana again, where the name was Dana O'Neill."
    assert everything(path) == before
    with pytest.raises(Refused, match="nothing to take back"):
        do(table, TakeBackRename(act["id"]))


def test_two_players_are_made_one_and_told_apart_again(table: Table, path: Path):
    before = everything(path)
    assert do(table, RenamePlayer("Anna", "Ana")) == "Anna and Ana are one player now: Ana. It changed 1 game."
    assert games.sessions_with(path, "Ana") == (1, 2, 3)
    assert table.now.players == ("Ana", "Ben") and table.now.counts["Ana"] != 26
    act = games.last_rename(path)
    assert act
    do(table, TakeBackRename(act["id"]))
    assert everything(path) == before and table.now.players == ("Anna", "Ben")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Ana", "ben", "Ana and ben played together in game 1"),
        ("Dee", "Ana", "Nobody called Dee plays"),
        ("Ana", "Ana", "The name is Ana already"),
        ("Ana", " ", "has no name"),
        ("Ana", "A" * 500, "letters: take"),
    ],
)
def test_a_name_that_cannot_be_given(table: Table, path: Path, old: str, new: str, says: str):
    before = everything(path)
    with pytest.raises(Refused, match=says):
        do(table, RenamePlayer(old, new))
    assert everything(path) == before


def test_a_player_who_is_forgotten_is_nowhere_in_the_file(table: Table, path: Path):
    do(table, RenamePlayer("Cai", "Caius"))
    do(table, RenamePlayer("Ana", "Anastasia"))
    assert do(table, ForgetPlayer("Anastasia")) == "Anastasia is forgotten, in 2 games."
    assert [store.load_session(path, n).game["players"] for n in (1, 2)] == [["Player 1", "Ben"], ["Player 1", "Caius"]]
    for file in path.parent.iterdir():
        assert b"Anastasia" not in file.read_bytes()
    assert games.last_rename(path) == {"id": 1, "old": "Cai", "new": "Caius", "sessions": [2]}
    for n in (1, 2):
        assert list(store.load_rulings(path, n)) == replayed(path, n)


def test_a_game_is_removed_brought_back_and_deleted_for_good(table: Table, path: Path):
    whole = store.export_session(path, 1)
    with pytest.raises(Refused, match="not removed yet"):
        do(table, DeleteGame(1))
    assert "removed games" in do(table, RemoveGame(1))
    assert [one.id for one in store.list_sessions(path)] == [3, 2]
    assert [row.session.id for row in games.find_games(path, GameFilter(removed=True)).rows] == [1]
    do(table, BringBackGame(1))
    assert store.export_session(path, 1) == whole
    do(table, RemoveGame(1))
    assert do(table, DeleteGame(1)) == "Game 1 is deleted for good."
    with pytest.raises(NoSession):
        store.load_session(path, 1)
    assert len(everything(path)) == 2
    with pytest.raises(Refused, match="is being played"):
        do(table, RemoveGame(3))


def test_a_game_left_open_is_ended_by_hand(table: Table, path: Path, log: Log):
    number = log.open_session({"variant": "classic", "players": ["Ana", "Ben"]}, "0", "left-right", live=True)
    assert do(table, EndGame(number)) == f"Game {number} is ended."
    assert store.load_session(path, number).end_reason == "ended by hand"
    assert table.session is not None
    do(table, EndGame(3))
    assert table.session is None and store.load_session(path, 3).ended


def test_a_note_is_kept_and_taken_away(table: Table, path: Path):
    do(table, WriteNote(2, "Rain, and Cai's first game"))
    assert store.load_session(path, 2).note == "Rain, and Cai's first game"
    assert store.export_session(path, 2)["note"] == "Rain, and Cai's first game"
    assert do(table, WriteNote(2, "")) == "Game 2 has no note any more."


def test_pictures_of_a_game_and_of_an_evening(table: Table, path: Path, log: Log):
    assert do(table, DropPictures(3)).startswith("Deleted: ")
    assert store.list_evidence(path, 3) == {} and not table.now.log[0].evidence
    evening = games.find_games(path, GameFilter()).rows[0].evening
    do(table, DropPicturesOf(evening))
    assert not store.list_evidence(path, 1) and not store.list_evidence(path, 2)
    assert len(everything(path)) == 3


def test_pictures_older_than_some_days_go_but_not_those_of_a_game_that_goes_on(table: Table, path: Path, log: Log):
    assert log.drop_pictures_before("2000-01-01") == 0
    gone = log.drop_pictures_before("9999-01-01")
    assert gone and not store.list_evidence(path, 1) and store.list_evidence(path, 3)
