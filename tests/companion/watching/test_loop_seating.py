"""Before the first verdict: who sits where, and whether the picture is mirrored; and what is put right later."""

import cv2
import numpy as np
import pytest

from companion.commands.watch import restore_session
from companion.log import store as family
from companion.referee.game import new_game
from companion.table.presenter import Presenter
from companion.table.requests import NewGame, Refused, SetMirror, TryPlaces
from companion.table.snapshot import Chip
from companion.table.table import Table
from companion.watching.feeds import open_feed
from companion.watching.loop import Watch
from companion.words import speak
from tests.companion.asking import correct_look, swap_seats, take_seats, undo_look
from tests.companion.watching.test_loop import SIZE, card, pictures
from vision.detection.detector import CannedDetector
from vision.tracking.mirror import Facing


def table_of(log, source, seats="auto", players=("Ana", "Ben"), variant="classic"):
    table = Table(log, Presenter(speak("en")))
    table.open(new_game(variant, players), source, seats, live=False)
    return table


def watching(table, detector, facing=Facing.NO):
    watch = Watch(table, detector, open_feed, facing=facing)
    watch.use(open_feed(table.session.source))
    watch.run()
    return watch


def ask(table, watch, act):
    answer = table.send(act)
    watch.once()
    return answer.result(timeout=1)


def sits(table):
    return {seat.player: seat.side for seat in table.now.seats.seats}


# --- seats ------------------------------------------------------------------------------------------

#: Ana near, Ben far; the first card lies there alone for a while.
FACING = [
    [card("KS", 80, 70)],
    [card("KS", 80, 70), card("9H", 75, 20)],
    [],
    [card("8S", 80, 70), card("8H", 75, 20)],
    [card("QS", 80, 70), card("3H", 75, 20)],
]


def test_seats_are_found_and_nothing_that_was_seen_before_is_lost(log, path, tmp_path):
    table = table_of(log, pictures(tmp_path / "p", 5))
    watching(table, CannedDetector(FACING))
    assert sits(table) == {"Ana": "near", "Ben": "far"}
    assert table.now.counts == {"Ana": 32, "Ben": 20}
    told = family.load_inputs(path, 1)
    assert told[0]["seats"].startswith("auto\n") and told[1]["faces"] == {"Ana": [["KS", 0.95, []]], "Ben": []}
    assert family.load_table_picture(path, 1, 3) is not None, "the look that the verdict came with is kept as evidence"


def test_a_found_seat_outlives_the_program(log, path, tmp_path):
    table = table_of(log, pictures(tmp_path / "p", 5))
    watching(table, CannedDetector(FACING[:3]))
    table.resume(restore_session(path, family.load_session(path, 1)))
    watch = Watch(table, CannedDetector(FACING), open_feed)
    watch.use(open_feed(table.session.source), told_to=family.load_marks(path, 1)[-1])
    watch.run()
    assert sits(table) == {"Ana": "near", "Ben": "far"}
    assert [sorted(entry)[-1] for entry in family.load_inputs(path, 1)].count("seats") == 1


SLANTED = [[card("KS", 50, 20), card("9H", 90, 70)], [], [card("2S", 50, 20), card("9C", 90, 70)]]


def test_where_it_is_not_clear_it_is_asked_and_then_told_from_the_beginning(log, path, tmp_path):
    table = table_of(log, pictures(tmp_path / "p", 3))
    watch = watching(table, CannedDetector(SLANTED))
    now = table.now
    assert (now.chip, now.log, sits(table)) == (Chip.QUESTION, (), {})
    assert [text for _, text in now.seats.choices] == ["Ana: near, Ben: far", "Ben: near, Ana: far"]
    assert watch.unseated and family.load_inputs(path, 1) == ()
    with pytest.raises(Refused):
        ask(table, watch, take_seats(order=("Ana", "Cai")))
    ask(table, watch, take_seats(order=("Ana", "Ben"), by="Ben"))
    assert [line.text for line in table.now.log] == [
        "Ana takes both: nine beats two.",
        "Ben takes both: king beats nine.",
    ]
    assert family.export_session(path, 1)["inputs"][0]["by"] == "Ben"


def test_two_who_sit_the_other_way_round_have_always_sat_so(log, path, tmp_path):
    table = table_of(log, pictures(tmp_path / "p", 3), seats="left-right")
    game = [[card("KS", 40), card("9H", 120)], [], [card("2S", 40), card("9C", 120)]]
    watch = watching(table, CannedDetector(game))
    assert (table.now.counts, sits(table)) == ({"Ana": 26, "Ben": 26}, {"Ana": "left", "Ben": "right"})
    before = [(line.text, line.counts) for line in table.now.log]
    ask(table, watch, correct_look(3, {"Ana": ("AS",)}))
    assert table.now.counts == {"Ana": 28, "Ben": 24}
    ask(table, watch, swap_seats(("Ana", "Ben"), by="Ben"))
    assert (table.now.counts, sits(table)) == ({"Ana": 24, "Ben": 28}, {"Ana": "right", "Ben": "left"})
    lying = [card for card in table.now.cards if card.look is not None]
    assert [(card.player, card.code) for card in lying] == [("Ana", "9C"), ("Ben", "AS")]
    assert all(card.crop is None or card.crop in family.list_evidence(path, 1).values() for card in lying)
    assert family.load_inputs(path, 1)[-1]["swap"] == ["Ana", "Ben"]
    ask(table, watch, undo_look())
    ask(table, watch, undo_look())
    assert [(line.text, line.counts) for line in table.now.log] == before
    assert sits(table) == {"Ana": "left", "Ben": "right"}


def test_the_crop_of_a_card_goes_with_it(log, path, tmp_path):
    table = table_of(log, pictures(tmp_path / "p", 1), seats="left-right")
    watch = watching(table, CannedDetector([[card("KS", 40), card("9H", 120)]]))
    crops = {card.code: card.crop for card in table.now.cards}
    ask(table, watch, swap_seats(("Ana", "Ben")))
    assert {card.player: card.code for card in table.now.cards} == {"Ana": "9H", "Ben": "KS"}
    assert {card.code: card.crop for card in table.now.cards} == crops and None not in crops.values()


# --- face-up piles ----------------------------------------------------------------------------------

#: Steal War: where Ana and Ben lay their cards, and where their piles come to lie.
SPOTS = {"Ana": (60, 70), "Ben": (60, 20), "Ana's pile": (130, 68), "Ben's pile": (128, 22)}


def laid(**codes):
    return [card(code, *SPOTS[spot.replace("_", "'s ")]) for spot, code in codes.items()]


STEALING = [
    laid(Ana="KS", Ben="7C"),
    laid(Ana_pile="7C"),
    laid(Ana_pile="7H"),
    laid(Ben_pile="7H"),
    laid(Ana="5S", Ben="9D", Ben_pile="7H"),
    laid(Ben_pile="9D"),
    laid(Ben_pile="9C"),
    laid(Ana_pile="9C"),
    laid(Ana="AS", Ben="2H", Ana_pile="9C"),
    laid(Ana_pile="AS"),
]


@pytest.mark.parametrize("seats", ["near-far", "auto"])
def test_piles_find_their_places_from_the_first_cards_that_lie_there(log, path, tmp_path, seats):
    table = table_of(log, pictures(tmp_path / "p", len(STEALING)), seats=seats, variant="steal")
    watching(table, CannedDetector(STEALING))
    told = [
        (line["ruling"], line.get("winner") or line.get("by"))
        for line in family.load_rulings(path, 1)
        if line["ruling"] in ("battle_won", "steal", "question", "violation")
    ]
    assert told == [
        ("battle_won", "Ana"), ("steal", "Ben"), ("battle_won", "Ben"), ("steal", "Ana"), ("battle_won", "Ana"),
    ]  # fmt: skip
    assert sits(table) == {"Ana": "near", "Ben": "far"}
    assert table.now.pile_tops == {"Ana": "AS", "Ben": None}


def test_a_pile_that_was_drawn_stays_where_it_is(log, path, tmp_path):
    drawn = """
    [Ana]
    play = [[0, 0.5], [1, 0.5], [1, 1], [0, 1]]
    pile = [[0.9, 0.9], [1, 0.9], [1, 1], [0.9, 1]]
    [Ben]
    play = [[0, 0], [1, 0], [1, 0.5], [0, 0.5]]
    """
    table = table_of(log, pictures(tmp_path / "p", 2), seats=drawn, variant="steal")
    watching(table, CannedDetector(STEALING[:2]))
    assert not [entry for entry in family.load_inputs(path, 1) if "seats" in entry]


def test_a_card_that_was_not_collected_yet_is_no_pile(log, path, tmp_path):
    table = table_of(log, pictures(tmp_path / "p", 3), seats="near-far", variant="steal")
    nudged = [[card("KS", 60, 70), card("7C", 60, 20)], [card("KS", 60, 70)], [card("KS", 66, 68)]]
    watching(table, CannedDetector(nudged))
    assert not [entry for entry in family.load_inputs(path, 1) if "seats" in entry]


# --- mirrored pictures ------------------------------------------------------------------------------


class Glass:
    """A detector that reads the cards of a scene well in the picture as it is, and badly in a mirror.

    A picture's brightness is the number of its scene; its left half is darker where it is not mirrored.
    """

    model_hash = "glass"

    def __init__(self, scenes):
        self.scenes = scenes

    def detect(self, frame):
        left, right = (int(frame.image[0, x].mean()) for x in (0, SIZE[0] - 1))
        number, right_way = round((min(left, right) - 40) / 10), left < right
        for code, x in self.scenes[number]:
            yield card(code, x if right_way else SIZE[0] - x, p=0.99 if right_way else 0.92)


class Listed(Glass):
    def detect(self, frame):
        return tuple(super().detect(frame))


def scenes(folder, number, mirrored):
    """Pictures for `Glass`, with an index in two corners of each card."""
    folder.mkdir()
    for n in range(number):
        image = np.full((SIZE[1], SIZE[0], 3), 40 + 10 * n, np.uint8)
        image[:, SIZE[0] // 2 :] += 100
        for x in (40, 120):
            image[38:42, x - 5 : x - 3] = image[48:52, x + 3 : x + 5] = 0
        cv2.imwrite(str(folder / f"{n:02}.png"), image[:, ::-1] if mirrored else image)
    return str(folder)


EVENING = [
    [("KS", 40), ("9H", 120)],
    [],
    [("2S", 40), ("5C", 120)],
    [],
    [("AD", 40), ("7C", 120)],
    [],
    [("JD", 40), ("QC", 120)],
    [],
    [("10D", 40), ("4C", 120)],
]


@pytest.mark.parametrize("facing", [Facing.AUTO, Facing.YES])
def test_a_mirrored_evening_is_ruled_as_it_was_played(log, path, tmp_path, facing):
    table = table_of(log, scenes(tmp_path / "p", 9, mirrored=True), seats="left-right")
    watching(table, Listed(EVENING), facing)
    assert table.now.camera.mirrored
    assert table.now.counts == {"Ana": 27, "Ben": 25}
    assert [line.faces for line in table.now.log if line.faces][-1] == {"Ana": ("KS",), "Ben": ("9H",)}
    _, jpeg = table.picture
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image[5, 5].mean() < image[5, -5].mean(), "the page shows it the right way round"
    told = family.load_inputs(path, 1)
    assert [entry["mirrored"] for entry in told if "seats" in entry] == [True]


def test_a_picture_as_it_is_stays_so(log, path, tmp_path):
    table = table_of(log, scenes(tmp_path / "p", 9, mirrored=False), seats="left-right")
    watching(table, Listed(EVENING), Facing.AUTO)
    assert not table.now.camera.mirrored
    assert table.now.counts == {"Ana": 27, "Ben": 25}
    assert not [entry for entry in family.load_inputs(path, 1) if "seats" in entry or "swap" in entry]


def test_found_places_keep_their_cards_in_the_turned_picture(log, path, tmp_path):
    table = table_of(log, scenes(tmp_path / "p", 9, mirrored=True), seats="auto")
    watching(table, Listed(EVENING), Facing.AUTO)
    assert table.now.camera.mirrored
    owners = {line.faces["Ana"][0] for line in table.now.log if line.faces}
    assert owners in ({"KS", "2S", "AD", "JD", "10D"}, {"9H", "5C", "7C", "QC", "4C"}), "nobody gets another's cards"


def test_what_a_person_says_about_the_mirror_counts(log, path, tmp_path):
    table = table_of(log, scenes(tmp_path / "p", 3, mirrored=False), seats="left-right")
    watch = watching(table, Listed(EVENING), Facing.AUTO)
    assert table.now.counts == {"Ana": 26, "Ben": 26}
    ask(table, watch, SetMirror("yes"))
    now = table.now
    assert (now.camera.mirrored, now.camera.facing, sits(table)) == (True, "yes", {"Ana": "left", "Ben": "right"})
    assert now.log[-1].faces == {"Ana": ("9H",), "Ben": ("KS",)}
    ask(table, watch, SetMirror("no"))
    assert table.now.log[-1].faces == {"Ana": ("KS",), "Ben": ("9H",)}
    with pytest.raises(Refused, match="auto, yes or no"):
        ask(table, watch, SetMirror("perhaps"))


def test_the_picture_is_turned_round_in_a_game_begun_after_the_film(log, path, tmp_path):
    table = table_of(log, scenes(tmp_path / "p", 3, mirrored=False), seats="left-right")
    watch = watching(table, Listed(EVENING))
    ask(table, watch, NewGame("classic", ("Zoe", "Max")))
    ask(table, watch, SetMirror("yes"))
    assert table.now.camera.mirrored and table.now.counts == {"Zoe": 26, "Max": 26}
    with pytest.raises(Refused, match="no input"):
        ask(table, watch, undo_look(1))


def test_a_swap_and_a_picture_turned_twice_leave_everybody_the_same_cards(log, path, tmp_path):
    table = table_of(log, scenes(tmp_path / "p", 3, mirrored=False), seats="left-right")
    watch = watching(table, Listed(EVENING))
    ask(table, watch, swap_seats(("Ana", "Ben")))
    swapped, faces = sits(table), table.now.log[-1].faces
    ask(table, watch, SetMirror("yes"))
    ask(table, watch, SetMirror("no"))
    assert (sits(table), table.now.log[-1].faces) == (swapped, faces)


# --- the page ---------------------------------------------------------------------------------------


def test_after_undo_nobody_shows_a_card_of_the_look_that_was_taken_back(log, tmp_path):
    table = table_of(log, pictures(tmp_path / "p", 2), seats="left-right")
    watch = watching(table, CannedDetector([[card("KS", 40), card("9H", 120)], [card("2S", 40), card("9C", 120)]]))
    ask(table, watch, undo_look())
    assert [(one.player, one.code) for one in table.now.cards] == [("Ana", "KS"), ("Ben", "9H")]


def test_the_last_picture_of_a_folder_is_the_one_in_sight(log, tmp_path):
    table = table_of(log, pictures(tmp_path / "p", 9), seats="left-right")
    watching(table, CannedDetector([[]]))
    _, jpeg = table.picture
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert abs(float(image.mean()) - 120) < 3


# --- places are tried before the game ---------------------------------------------------------------


def test_while_places_are_tried_seats_are_found_cards_are_named_and_nothing_is_judged(log, path, tmp_path):
    table = table_of(log, pictures(tmp_path / "p", 5))
    watch = Watch(table, CannedDetector(FACING), open_feed)
    watch.use(open_feed(table.session.source))
    assert ask(table, watch, TryPlaces(True)) == "Show any card in each place."
    watch.run()
    now = table.now
    assert sits(table) == {"Ana": "near", "Ben": "far"}
    assert dict(now.trying.shown) == {"Ana": "QS", "Ben": "3H"} and now.trying.on
    assert (now.round, now.log, now.chip, dict(now.counts)) == (1, (), Chip.PAUSED, {"Ana": 26, "Ben": 26})
    assert now.banner == "The places are being tried: nothing is judged until you begin."
    assert {one.name for one in now.trying.meters} == {"light", "sharpness", "glare", "size", "rate", "mirrored"}
    assert ask(table, watch, TryPlaces(False)) == "The game begins: turn your first cards."
    assert not table.now.trying.on and not table.now.trying.shown


def test_places_are_tried_in_a_game_only(log, tmp_path):
    table = Table(log, Presenter(speak("en")))
    watch = Watch(table, CannedDetector([]), open_feed)
    with pytest.raises(Refused, match="Begin a game first"):
        ask(table, watch, TryPlaces(True))
