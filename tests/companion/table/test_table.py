import threading

import pytest

from companion.commands.watch import restore_session
from companion.log import store as family
from companion.log.store import LogError
from companion.referee import reducer
from companion.referee.cards import Card
from companion.referee.codec import input_from_json
from companion.referee.events import Agree, Correct, Face, GameOver, Seen
from companion.referee.game import new_game
from companion.referee.reducer import RefereeError
from companion.table.presenter import Presenter
from companion.table.requests import NewGame, Pause, Refused, parse_input
from companion.table.snapshot import Chip
from companion.table.table import Table
from companion.words import speak
from tests.companion.asking import appeal_look, change_settings, correct_look, give_answer, swap_seats, undo_look


def look(at, **faces):
    return Seen(
        at, {player: tuple(Face(Card.parse(code)) for code in codes.split()) for player, codes in faces.items()}
    )


@pytest.fixture
def table(log):
    table = Table(log, Presenter(speak("en")))
    table.open(new_game("classic", ("Ana", "Ben")), "0", "left-right", live=True)
    return table


def do(table, act):
    """The answer to an act, carried out at once."""
    answer = table.send(act)
    table.serve()
    return answer.result(timeout=0)


def test_a_look_is_ruled_written_and_shown(table, path):
    before = table.now
    (ruled,) = table.submit(look(5, Ana="KS", Ben="9H"), mark=1, model="abc123", pictures={"table": b"jpeg"})
    assert ruled.ruling.winner == "Ana"
    now = table.now
    assert now is not before and now.version > before.version
    assert (now.verdict, now.chip) == ("Ana takes both: king beats nine.", Chip.VERDICT)
    assert now.reason == "The higher card takes all the cards played."
    assert (now.counts, now.change) == ({"Ana": 27, "Ben": 25}, {"Ana": 1, "Ben": -1})
    assert now.proof == "27 + 25 = 52"
    assert now.log[0].evidence and now.log[0].text == now.verdict
    assert family.export_session(path, 1)["rulings"][0]["model"] == "abc123"
    assert family.load_table_picture(path, 1, 1) == b"jpeg"


def test_a_card_waits_for_the_other_and_a_verdict_stays_until_the_next_card(table):
    assert (table.now.verdict, table.now.chip) == ("Turn your first cards.", Chip.WAITING_FOR_CARDS)
    table.submit(look(1, Ana="KS"))
    assert (table.now.chip, table.now.chip_text) == (Chip.WAITING_FOR_PLAYERS, "Waiting for Ben")
    assert table.now.verdict == "Ana: king. Waiting for Ben."
    (card,) = table.now.cards
    assert (card.player, card.code, card.look, card.place, card.certainty) == ("Ana", "KS", 1, 0, "sure")
    table.submit(look(2, Ana="KS", Ben="9H"))
    table.submit(look(3))
    assert (table.now.verdict, table.now.chip) == ("Ana takes both: king beats nine.", Chip.WAITING_FOR_CARDS)


def test_an_agreed_time_counts_down_from_where_it_was_agreed(table):
    assert table.now.time_left is None
    table.open(new_game("classic", ("Ana", "Ben"), {"end": "time", "end_minutes": "10"}), "0", "left-right", live=True)
    assert table.now.time_left == 600
    table.at = 61.5
    table.show(paused=True)
    assert table.now.time_left == 539
    table.submit(Agree(90, {"end_minutes": "20"}))
    assert table.now.time_left == 1200
    table.submit(look(1289, Ana="KS", Ben="9H"))
    assert table.now.time_left == 1
    table.submit(look(1295))
    assert (table.now.chip, table.now.time_left) == (Chip.GAME_OVER, None)


def test_a_war_fills_its_panel(table):
    table.submit(look(1, Ana="8S", Ben="8H"))
    war = table.now.war
    assert (war.rank, war.who, war.down, war.sum) == ("8", ("Ana", "Ben"), {"Ana": 3, "Ben": 3}, "8: 3 down + 1 up")
    assert table.now.chip is Chip.WAR
    table.submit(Seen(2, {"Ana": (Face(Card.parse("8S")),), "Ben": ()}, backs_seen={"Ana": 2, "Ben": 5}))
    assert table.now.war.seen == {"Ana": 2, "Ben": 3}
    assert table.now.proof == "25 + 25 + 2 on the table = 52"


def test_razboi_names_the_size_as_a_sum(log):
    table = Table(log, Presenter(speak("en")))
    table.open(new_game("razboi", ("Ana", "Ben")), "0", "left-right", live=True)
    table.submit(look(1, Ana="8S", Ben="8H"))
    assert table.now.war.sum == "8: 7 down + no. 8 up"


def test_a_correction_replaces_the_verdict_and_marks_the_line(table, path):
    table.submit(look(5, Ana="KS", Ben="6H"))
    table.submit(look(6))
    table.submit(look(7, Ana="3S", Ben="4H"))
    assert do(table, correct_look(1, {"Ben": ("AH",)}, by="Ben"))
    assert table.now.counts == {"Ana": 24, "Ben": 28}
    assert [line.corrected for line in table.now.log] == [False, True]
    assert (table.now.log[1].corrected_by, table.now.log[1].corrected_at) == ("Ben", 7)
    assert [ruling["winner"] for ruling in family.load_rulings(path, 1)] == ["Ben", "Ben"]
    assert [r["replaced_by"] for r in family.export_session(path, 1)["rulings"]] == [4, 4, None, None]
    assert family.export_session(path, 1)["inputs"][-1]["by"] == "Ben"


def test_undo_takes_back_the_last_thing_that_did_something(table):
    table.submit(look(5, Ana="KS", Ben="6H"))
    table.submit(look(6))
    do(table, undo_look())
    assert table.now.counts == {"Ana": 26, "Ben": 26}
    with pytest.raises(Refused, match="nothing to undo"):
        do(table, undo_look())


def test_a_correction_can_be_undone(table):
    table.submit(look(5, Ana="KS", Ben="6H"))
    do(table, correct_look(1, {"Ben": ("AH",)}))
    do(table, undo_look())
    assert table.now.counts == {"Ana": 27, "Ben": 25}


def test_a_question_is_shown_and_answered(table):
    table.submit(look(1, Ana="7S"))
    doubtful = Face(Card.parse("9H"), 0.55, ((Card.parse("6H"), 0.44),))
    table.submit(Seen(2, {"Ana": (Face(Card.parse("7S")),), "Ben": (doubtful,)}))
    question = table.now.question
    assert (question.about, set(question.choices), table.now.chip) == ("Ben", {"9H", "6H"}, Chip.QUESTION)
    assert question.text == "Which card did Ben lay: nine or six?"
    do(table, give_answer(question.seq, "6H"))
    assert table.now.question is None and table.now.verdict.startswith("Ana takes both")


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (correct_look(9, {"Ana": ("KS",)}), "There is no input number 9"),
        (correct_look(1, {"Cai": ("KS",)}), "Cai is not among"),
        (undo_look(9), "There is no input number 9"),
        (give_answer(5, "KS"), "not a question"),
        (parse_input({"steal": {"by": "Ana", "card": "7H", "from": ["Ben"]}}), "no face-up piles"),
        (parse_input({"seats": "sideways"}), "Unknown seats"),
        (NewGame("classic", ("Ana", "Ben", "Cai")), "2 players, not 3"),
        (NewGame("classic", ("Ana", "Ben"), {"short": "often"}), "^short can be"),
        (NewGame("classic", ("Ana", "Ben"), seats="sideways"), "Unknown seats"),
        (Pause(), "Nobody is watching"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(table, path, act, says):
    table.submit(look(5, Ana="KS", Ben="6H"))
    before, stored = table.now, family.export_session(path, 1)
    with pytest.raises(Refused, match=says):
        do(table, act)
    assert table.now is before and family.export_session(path, 1) == stored


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"correct": 1, "faces": {"Ana": ["1S"]}}, "no card code"),
        ({"faces": {"Ana": ["KX"]}}, "no card code"),
        ({"dance": 1}, "^A line needs"),
    ],
)
def test_what_is_no_input_never_reaches_the_table(line, says):
    with pytest.raises(Refused, match=says):
        parse_input(line)


def test_a_slip_is_said_beside_the_verdict_and_cards_wait_to_be_collected(table):
    table.submit(look(5, Ana="KS", Ben="6H"))
    table.submit(look(6, Ana="KS 4D", Ben="6H"))
    now = table.now
    assert now.verdict == "Ana takes both: king beats six."
    assert now.violation == "A moment, Ana: the four of diamonds came early and waits for its turn."
    table.submit(look(7, Ana="KS"))
    assert (table.now.chip, table.now.violation) == (Chip.COLLECT, "")


def test_what_holds_the_game_is_said_large(table):
    table.submit(look(5, Ana="KS 4D", Ben="6H"))
    assert table.now.chip is Chip.DIFFERS
    assert table.now.verdict == table.now.violation
    assert "Ana, leave one of these: king of spades and four of diamonds." in table.now.verdict


def test_an_appeal_is_noted(table):
    table.submit(look(5, Ana="KS", Ben="6H"))
    do(table, appeal_look(1, "Ben"))
    assert table.now.log[0].text.startswith("Ben disagrees")
    assert table.now.verdict == "Ana takes both: king beats six."


def test_a_look_typed_by_hand_counts(table):
    do(table, parse_input({"faces": {"Ana": ["KS"], "Ben": ["6H"]}}, by="Ben"))
    assert table.now.counts["Ana"] == 27


def test_a_new_game_ends_the_old_session(table, path):
    do(table, NewGame("multi", ("Ana", "Ben", "Cai")))
    assert (table.now.session, table.now.counts["Cai"]) == (2, 17)
    assert family.load_session(path, 1).end_reason and not family.load_session(path, 2).ended


def test_settings_change_between_rounds_only_and_keep_the_counts(table):
    table.submit(look(5, Ana="KS"))
    with pytest.raises(Refused, match="Finish this round"):
        do(table, change_settings({"war_down": "1"}))
    table.submit(look(6, Ana="KS", Ben="6H"))
    do(table, change_settings({"war_down": "1"}))
    assert (table.now.counts, table.now.settings["war_down"]) == ({"Ana": 27, "Ben": 25}, 1)
    table.submit(look(7, Ana="8S", Ben="8H"))
    assert table.now.war.down == {"Ana": 1, "Ben": 1}


def test_what_was_played_before_other_rules_stays_in_sight_and_can_be_corrected(table, path):
    table.submit(look(5, Ana="KS", Ben="6H"))
    do(table, change_settings({"war_down": "1", "short": "lose"}, by="Ben"))
    now = table.now
    assert (now.session, now.settings["war_down"], now.settings["short"]) == (1, 1, "lose")
    assert [line.ruling for line in now.log] == ["notice", "battle_won"]
    assert now.log[0].text.startswith("From the next round on it is played like this: one card face down; ")
    assert now.verdict == "Ana takes both: king beats six." and not now.violation
    table.submit(look(6))
    table.submit(look(7, Ana="8S", Ben="8H"))
    do(table, correct_look(1, {"Ben": ("AH",)}))
    assert table.now.counts == {"Ana": 24, "Ben": 26}
    assert table.now.war.down == {"Ana": 1, "Ben": 1}
    assert table.now.log[-1].text == "Ben takes both: ace beats king."
    again, _ = reducer.fold(table.session.game, map(input_from_json, family.load_inputs(path, 1)))
    assert again.position == table.session.state.position
    do(table, undo_look())
    do(table, undo_look())
    do(table, undo_look())
    assert (table.now.settings["war_down"], table.now.counts) == (3, {"Ana": 27, "Ben": 25})


def test_rules_that_a_correction_puts_into_a_round_wait_for_the_next_one():
    game = new_game("classic", ("Ana", "Ben"))
    inputs = [look(5, Ana="KS", Ben="6H"), Agree(6, {"war_down": "1"}), look(7), look(8, Ana="8S", Ben="8H")]
    state, _ = reducer.fold(game, [*inputs, Correct(9, 1, {"Ben": (Face(Card.parse("KH")),)})])
    assert state.position.game.settings.war_down == 3 and state.position.agreed.settings.war_down == 1
    assert state.position.round.due == {"Ana": 3, "Ben": 3}


@pytest.mark.parametrize(("length", "last"), [({"end": "rounds", "end_rounds": "2"}, 4), ({"end": "all_cards"}, None)])
def test_a_length_that_is_agreed_on_the_way_counts_from_then(length, last):
    game, over = new_game("classic", ("Ana", "Ben"), {"end": "rounds", "end_rounds": 3}), None
    state = reducer.start(game)
    for number, rank in enumerate("23456", start=1):
        state, ruled = reducer.step(state, look(10 * number, Ana=f"{rank}S", Ben="AH"))
        over = over or next((number for one in ruled if isinstance(one.ruling, GameOver)), None)
        state, _ = reducer.step(state, look(10 * number + 5))
        if number == 2:
            state, _ = reducer.step(state, Agree(10 * number + 6, length))
    assert over == last


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"war_down": "99"}, "^war_down can be 3, 1, 2, 4, not 99"),
        ({"dance": "1"}, "no setting dance"),
        ({"jokers": "2"}, "^jokers is settled when the cards are dealt"),
        ({}, "Say which rule"),
    ],
)
def test_rules_that_cannot_be_agreed_now(table, path, settings, says):
    before = table.now
    with pytest.raises(Refused, match=says):
        do(table, change_settings(settings))
    assert table.now is before and family.load_inputs(path, 1) == ()


def test_a_session_is_resumed_as_it_was(table, log, path):
    table.submit(look(5, Ana="8S", Ben="8H"), pictures={"table": b"jpeg", "Ana 0": b"crop"})
    again = Table(log, Presenter(speak("en")))
    again.resume(restore_session(path, family.load_session(path, 1)))
    for part in ("counts", "round", "war", "log", "cards", "verdict", "chip", "session"):
        assert getattr(again.now, part) == getattr(table.now, part), part
    assert again.now.cards[0].crop


class Full:
    """A log whose disk is full."""

    def open_session(self, *_):
        return 1

    def write(self, *_):
        raise LogError("The disk is full.")

    def end_session(self, *_):
        pass


def test_what_cannot_be_written_is_not_ruled():
    table = Table(Full(), Presenter(speak("en")))
    table.open(new_game("classic", ("Ana", "Ben")), "0", "left-right", live=True)
    before = table.now
    with pytest.raises(LogError):
        table.submit(look(5, Ana="KS", Ben="6H"))
    assert table.now is before and table.session.state.looks == 0


def test_a_game_that_cannot_be_begun_leaves_the_one_before_as_it_is(table, log, path):
    log._db.execute("CREATE TRIGGER full BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'full'); END")
    before = table.now
    with pytest.raises(Refused, match="cannot be used"):
        do(table, NewGame("classic", ("Cai", "Dee")))
    assert table.now is before
    assert [(one.id, one.ended) for one in family.list_sessions(path)] == [(1, None)]
    table.submit(look(5, Ana="KS", Ben="6H"))
    assert table.now.verdict == "Ana takes both: king beats six."


def test_an_unknown_player_is_no_input(table, path):
    with pytest.raises(RefereeError, match="Cai"):
        table.submit(look(5, Cai="KS"))
    assert family.load_inputs(path, 1) == ()


def test_names_are_the_same_however_they_are_written(table, path):
    do(table, parse_input({"faces": {"ANA": ["KS"], " ben": ["9H"]}}))
    assert table.now.counts == {"Ana": 27, "Ben": 25}
    assert set(family.load_inputs(path, 1)[0]["faces"]) == {"Ana", "Ben"}
    do(table, correct_look(1, {"ana": ("2S",)}))
    do(table, appeal_look(1, "BEN"))
    do(table, swap_seats(("ben", "ana")))
    assert table.now.counts == {"Ana": 27, "Ben": 25}, "Ana has the nine now, and Ben the two"
    with pytest.raises(Refused, match="Ana is named in two ways"):
        do(table, parse_input({"faces": {"Ana": ["KS"], "ana": ["9H"]}}))
    game = new_game("steal", ("Ana", "Ben"), None, {"ana": 9, "BEN": 9}, {"ben": (Card.parse("2S"),)}, {"ana": 1})
    assert (game.counts["Ana"], len(game.piles["Ben"]), game.wars_won) == (9, 1, {"Ana": 1, "Ben": 0})


def test_acts_come_from_any_thread_and_are_refused_once_closed(table):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(table.send(undo_look()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    table.serve(wait_s=1.0)
    for thread in threads:
        thread.join()
    table.close()
    late = table.send(undo_look())
    assert all(isinstance(answer.exception(timeout=0), Refused) for answer in (*answers, late))


def test_an_empty_table_can_be_shown():
    now = Table(Full(), Presenter(speak("en"))).now
    assert (now.session, now.players, now.chip) == (None, (), Chip.WAITING_FOR_CARDS)
