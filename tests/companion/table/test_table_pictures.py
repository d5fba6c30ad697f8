"""Which pictures of a look are kept, and how many backs of a war were seen."""

from __future__ import annotations

from companion.log.store import Log
from companion.referee.codec import input_from_json
from companion.referee.game import new_game
from companion.table.presenter import Presenter
from companion.table.table import Table
from companion.words import speak

PICTURES = {"Ana 0": b"ana", "Ben 0": b"ben", "table": b"table"}


def table_of(path):
    log = Log(path)
    table = Table(log, Presenter(speak("en")))
    table.open(new_game("classic", ("Ana", "Ben")), "0", "left-right", live=True)
    return table


def lay(table, at, backs=None, **faces):
    line = {"at": at, "faces": {player: [code] if isinstance(code, str) else code for player, code in faces.items()}}
    if backs is not None:
        line["backs_seen"] = backs
    table.submit(input_from_json(line), pictures=PICTURES)


def test_who_turns_first_keeps_the_crop_and_a_ruling_keeps_the_whole_table(tmp_path):
    table = table_of(tmp_path / "log.db")
    lay(table, 1.0, Ana="KS")
    ana = {card.player: card.crop for card in table.now.cards}
    assert ana["Ana"] is not None, "nothing is ruled yet, and the card lies there"
    lay(table, 2.0, Ana="KS", Ben="9H")
    crops = {card.player: card.crop for card in table.now.cards}
    assert crops["Ana"] == ana["Ana"] and crops["Ben"] not in (None, ana["Ana"])
    assert table.now.log[0].evidence


def test_backs_that_were_seen_never_go_down_within_a_war_and_older_ones_do_not_count(tmp_path):
    table = table_of(tmp_path / "log.db")
    lay(table, 0.5, {"Ana": 1, "Ben": 0}, Ana="8S")
    lay(table, 1.0, {"Ana": 1, "Ben": 0}, Ana="8S", Ben="8H")
    assert dict(table.now.war.seen) == {"Ana": 0, "Ben": 0}, "one lay there before"
    lay(table, 2.0, {"Ana": 3, "Ben": 1}, Ana="8S", Ben="8H")
    lay(table, 3.0, {"Ana": 1, "Ben": 2}, Ana="8S", Ben="8H")
    assert dict(table.now.war.seen) == {"Ana": 2, "Ben": 2}
    lay(table, 4.0, {"Ana": 0, "Ben": 3}, Ana=["8S", "KC"], Ben="8H")
    assert table.now.war.seen["Ana"] == 2 and table.now.waiting == ("Ben",)
