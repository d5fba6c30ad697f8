"""Films of game scripts: what lies where, for how long, and what is refused."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import main
from companion.errors import WrongWords
from companion.seats.layout import Seats, Zone, parse_seats
from companion.simulation.film import FilmScript, make_film, read_film_script, render_look
from vision.lab.render.decks.catalogue import made_deck
from vision.lab.render.decks.deck import Deck
from vision.lab.render.films.film import MOVE_S, SETTLED_S, STILL_S, Film, Shot, write_film
from vision.lab.render.films.gestures import gestures
from vision.lab.render.films.staging import TableLook
from vision.lab.render.scenes.table import ShownCard
from vision.sources.video import Video
from vision.types import VisionError

SIZE, FPS = (320, 180), 8.0
#: Tables that are found at the first try, which saves time.
TABLE, OTHER = 7, 4
ANA_BEN = ("Ana", "Ben")


@functools.cache
def deck() -> Deck:
    return made_deck(12)


def look(at: float, *shown: str, backs: int | None = None, players: tuple[str, ...] = ("Ana", "Ben", "Cai", "Dan")):
    """A look with each player's faces as "QS AD"."""
    faces = {player: tuple(cards.split()) for player, cards in zip(players, shown, strict=False)}
    return TableLook(at, faces, {} if backs is None else dict.fromkeys(faces, backs))


def film(*looks: TableLook, seed: int = TABLE) -> Film:
    return make_film(FilmScript(ANA_BEN, looks), deck(), seed=seed, size=SIZE, fps=FPS)


def still(shown: TableLook, seats: str = "left-right") -> Shot:
    return render_look(shown, ANA_BEN, deck(), seats, TABLE, SIZE)


def centre(seen: ShownCard) -> tuple[float, float]:
    x, y = seen.placed.quad.mean(axis=0)
    return float(x / SIZE[0]), float(y / SIZE[1])


def codes(shot: Shot, player: str) -> list[str]:
    return [card.placed.code for card in shot.cards if card.player == player]


ROUND = look(2.0, "KS", "9H")


def test_the_same_seed_gives_the_same_frames() -> None:
    one, same, other = (list(film(ROUND, seed=seed).frames()) for seed in (TABLE, TABLE, OTHER))
    assert len(one) == len(same)
    assert all(np.array_equal(a, b) for a, b in zip(one, same, strict=True))
    assert np.abs(one[-1].astype(int) - other[-1]).mean() > 3


def test_every_look_lies_still_for_its_time_and_is_reached_in_time() -> None:
    played = film(ROUND, look(6.0), look(10.0, "4C", "7D"), look(13.0, "4C 5H", "7D QC", backs=2))
    frames = [frame.astype(int) for frame in played.frames()]
    calm = float(np.abs(frames[1] - frames[0]).mean())
    stills = played.still_frames()
    for still, at in zip(stills, (2.0, 6.0, 10.0, 13.0), strict=True):
        assert still.start == pytest.approx((at - SETTLED_S) * FPS, abs=1)
        assert all(np.abs(frames[n] - frames[n - 1]).mean() < 1.2 * calm for n in still[1:])
    moving = {n for n in range(1, len(frames)) if not any(n in still for still in stills)} - set(range(stills[0].start))
    assert moving and np.mean([np.abs(frames[n] - frames[n - 1]).mean() for n in moving]) > 2 * calm


def test_looks_too_close_in_time_still_lie_still_long_enough() -> None:
    stills = film(*(look(0.1 * n, f"{n}S", f"{n}H") for n in range(2, 6))).still_frames()
    assert all(len(still) >= int(STILL_S * FPS) for still in stills)
    assert all(b.start - a.stop == 2 * round(MOVE_S * FPS) for a, b in zip(stills, stills[1:], strict=False))


def test_a_cleared_table_is_bare() -> None:
    played = film(ROUND, look(5.0))
    bare = played.table.shoot(played.table.bare().image, np.random.default_rng(0))
    assert played.shot(1).cards == ()
    assert np.abs(played.shot(1).image.astype(int) - bare).mean() < 2


def war(players: int = 2) -> tuple[TableLook, ...]:
    """A tie, then nine face down and another tie, then three more and the end."""
    cards = (("QS", "QH", "QD", "QC"), ("4D", "4C", "4S", "4H"), ("AC", "2C", "3C", "5C"))
    laid = [[" ".join(row[:turn]) for row in zip(*cards, strict=True)][:players] for turn in (1, 2, 3)]
    return tuple(look(4.0, *shown, backs=backs) for shown, backs in zip(laid, (0, 9, 12), strict=True))


DRAWN = """
[Ana]
play = [[0.05, 0.05], [0.5, 0.05], [0.5, 0.95], [0.05, 0.95]]
pile = [[0.8, 0.7], [0.98, 0.7], [0.98, 0.98], [0.8, 0.98]]
[Ben]
play = [[0.55, 0.05], [0.95, 0.05], [0.75, 0.65]]
"""


@pytest.mark.parametrize(
    ("seats", "players"),
    [("left-right", 1), ("left-right", 2), ("left-right", 3), ("left-right", 4), ("near-far", 2), ("clockwise", 2),
     ("clockwise", 3), ("clockwise", 4), ("drawn", 2)],
)  # fmt: skip
@pytest.mark.parametrize("seed", [TABLE, OTHER])
def test_every_card_lies_in_its_players_place(seats: str, players: int, seed: int) -> None:
    names = ("Ana", "Ben", "Cai", "Dan")[:players]
    words, referee = places(seats, names)
    played = make_film(FilmScript(names, war(players)), deck(), words, seed, SIZE)
    for number in range(3):
        for card in played.shot(number).cards:
            place = referee.at(*centre(card))
            assert place is not None and (place.player, place.zone) == (card.player, Zone.PLAY)


def places(seats: str, players: tuple[str, ...]) -> tuple[str, Seats]:
    """The words for the film, and the places as the referee knows them."""
    if seats != "drawn":
        return seats, parse_seats(seats, players)
    return DRAWN, parse_seats(DRAWN, players)


def test_won_cards_lie_on_the_drawn_pile() -> None:
    words, referee = places("drawn", ANA_BEN)
    shown = TableLook(1.0, {"Ben": ("9H",)}, piles={"Ana": ("7C",), "Ben": ("8C",)})
    cards = still(shown, words).cards
    assert [card.placed.code for card in cards] == ["7C", "9H"], "Ben has no pile in these seats"
    place = referee.at(*centre(cards[0]))
    assert place is not None and (place.player, place.zone) == ("Ana", Zone.PILE)


@pytest.mark.parametrize("seats", ["left-right", "near-far"])
def test_a_war_leaves_every_face_legible_and_moves_nothing(seats: str) -> None:
    played = make_film(FilmScript(ANA_BEN, war()), deck(), seats, TABLE, (1280, 720))
    tied, fought = played.shot(0), played.shot(1)
    assert codes(fought, "Ben") == ["QH", *["back"] * 9, "4C"]
    assert [card.placed.code for card in fought.cards if card.legible] == ["QS", "4D", "QH", "4C"]
    before, after = ({card.placed.code: card.placed.quad for card in shot.cards} for shot in (tied, fought))
    assert all(np.array_equal(before[code], after[code]) for code in before)
    tall = [np.linalg.norm(quad[0] - quad[3]) for quad in before.values()]
    assert min(tall) > 165 and max(tall) < 240


def test_a_script_may_show_only_the_cards_on_top_of_a_war() -> None:
    played = film(look(2.0, "QS", "QH", backs=0), look(6.0, "AD", "10C", backs=3), look(9.0, "2C", "3C"))
    assert codes(played.shot(1), "Ana") == ["QS", "back", "back", "back", "AD"]
    assert codes(played.shot(2), "Ana") == ["2C"], "where nothing is said of backs, the cards before were taken away"


def test_another_card_changes_the_picture_only_where_it_lies() -> None:
    one, other = (still(look(1.0, cards, "9H")) for cards in ("KS", "4D"))
    changed = np.abs(one.image.astype(int) - other.image).max(axis=2) > 0
    left, top, right, bottom = one.cards[0].box or (0, 0, 0, 0)
    assert changed[top:bottom, left:right].mean() > 0.1
    changed[top - 3 : bottom + 3, left - 3 : right + 3] = False
    assert not changed.any()


def test_an_outline_is_where_the_card_is() -> None:
    shot = still(look(1.0, "2S"))
    inside = np.zeros(SIZE[::-1], np.uint8)
    cv2.fillConvexPoly(inside, shot.cards[0].placed.quad.round().astype(np.int32), 1)
    light = shot.image.min(axis=2)
    kernel = np.ones((7, 7), np.uint8)
    ring = cv2.dilate(inside, kernel) - inside
    assert np.median(light[cv2.erode(inside, kernel) > 0]) > 1.3 * np.median(light[ring > 0])


def test_a_written_film_can_be_watched(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    played = film(ROUND)
    write_film(played, path)
    frames = list(Video(str(path)))
    assert len(frames) == played.still_frames()[-1].stop
    assert frames[-1].size == SIZE and frames[8].at == pytest.approx(1.0)
    assert np.abs(frames[-1].image.astype(int) - played.shot(0).image).mean() < 4


HEADER = {"game": {"variant": "classic", "players": ["Ana", "Ben"]}}


def script(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def test_what_people_say_is_passed_over_and_readings_are_cards(tmp_path: Path) -> None:
    read = read_film_script(script(
        tmp_path / "a.looks",
        {"at": 1, "faces": {"Ben": [["9H", 0.61, [["6H", 0.37]]]], "Ana": ["JOKER"]}, "piles": {"Ana": "7C"}},
        {"at": 2, "correct": 1, "faces": {"Ben": ["6H"]}},
        {"at": 4, "faces": {}},
    ))  # fmt: skip
    assert read.players == ("Ben", "Ana")
    piles = {"Ana": ("7C",)}
    assert read.looks == (TableLook(1, {"Ben": ("9H",), "Ana": ("JR",)}, {}, piles), TableLook(4, {}, {}, piles))


def test_a_steal_is_two_looks_and_a_shuffle_empties_the_place(tmp_path: Path) -> None:
    read = read_film_script(script(
        tmp_path / "a.looks",
        {"at": 1, "faces": {"Ana": ["9S"], "Ben": ["4H"]}, "piles": {"Ana": None, "Ben": "7C"}},
        {"at": 2, "top": {"Ana": "4H"}},
        {"at": 3, "faces": {}},
        {"at": 4, "steal": {"by": "Ana", "card": "7H", "from": ["Ben"]}},
        {"at": 9, "reshuffle": "Ana"},
        {"at": 10, "faces": {"Ana": ["2S"]}},
    ))  # fmt: skip
    piles = [{player: pile for player, pile in look.piles.items() if pile} for look in read.looks]
    assert piles == [
        {"Ben": ("7C",)},
        {"Ana": ("4H",), "Ben": ("7C",)},
        {"Ana": ("4H",), "Ben": ("7C", "7H")},
        {"Ana": ("4H", "7C", "7H")},
        {},
    ]
    assert [look.thief for look in read.looks] == ["", "", "Ana", "", ""]


def test_won_cards_go_to_the_pile_and_a_stolen_pile_goes_as_one() -> None:
    words, _ = places("drawn", ANA_BEN)
    faces = {"Ana": ("9S",), "Ben": ("4H",)}
    looks = (
        TableLook(1.0, faces, piles={"Ana": ("7C",)}),
        TableLook(4.0, {}, piles={"Ana": ("7C", "4H")}),
        TableLook(7.0, {}, piles={"Ana": ("7C", "4H", "4D")}, thief="Ben"),
        TableLook(10.0, {}),
    )
    shown = make_film(FilmScript(ANA_BEN, looks), deck(), words)
    steps = [
        gestures(before, after, shown.seats, shown.table)
        for before, after in zip(shown.stages, shown.stages[1:], strict=False)
    ]
    won, stealing, shuffled = ([(moves.coming, [c.code for c in moves.moving]) for moves in step] for step in steps)
    assert won == [(False, ["9S", "4H"])]
    assert set(steps[0][0].away) == {shown.stages[1][-1].spot}
    assert stealing == [(True, ["4D"])]
    assert shown.stages[2][-1].player == "Ben"
    assert shuffled == [(False, ["7C", "4H", "4D"])]


BAD: dict[str, tuple[object, ...]] = {
    "is no card": (HEADER, {"at": 1, "faces": {"Ana": ["11H"]}}),
    "no card that can be shown": (HEADER, {"at": 1, "faces": {"Ana": ["9?"]}}),
    "is not a JSON object": (HEADER, "faces: Ana KS"),
    "Line 2": (HEADER, [1, 2]),
    "before the film's beginning": (HEADER, {"at": -1, "faces": {"Ana": ["KS"]}}),
    "before that of the look above": ({"at": 3, "faces": {"Ana": ["KS"]}}, {"at": 2, "faces": {}}),
    "Cai, who is not among": (HEADER, {"at": 1, "faces": {"Cai": ["KS"]}}),
    "at most 60 cards": (HEADER, {"at": 1, "faces": {}, "backs": {"Ana": 61}}),
    "cannot be below 0": (HEADER, {"at": 1, "faces": {}, "backs": {"Ana": -1}}),
    "needs one of": (HEADER, {"at": 1, "cards": {}}),
    "shows no look": (HEADER,),
    "of anybody": ({"at": 1, "faces": {}},),
    "is not understood": (HEADER, {"at": 1, "faces": ["KS", "9H"]}),
}


@pytest.mark.parametrize(("sentence", "lines"), BAD.items())
def test_a_bad_script_is_refused_in_one_sentence(
    sentence: str, lines: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = script(tmp_path / "bad.looks", *lines)
    assert main(["film", str(bad), str(tmp_path / "out.mp4")]) == 1
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1 and said.endswith(".\n")
    assert not (tmp_path / "out.mp4").exists()


FAULTS: dict[str, Callable[[Path], list[str]]] = {
    "cannot be opened": lambda folder: [str(folder / "none.looks"), "out.mp4"],
    "There is no deck called": lambda folder: [good(folder), "out.mp4", "--deck", "bicycle"],
    "in which folder": lambda folder: [good(folder), "out.mp4", "--deck", "anglo"],
    "none.toml cannot be opened": lambda folder: [good(folder), "out.mp4", "--seats", str(folder / "none.toml")],
    "cannot be written": lambda folder: [good(folder), str(folder / "nowhere" / "out.mp4")],
}


def good(folder: Path) -> str:
    return str(script(folder / "good.looks", HEADER, {"at": 1, "faces": {"Ana": ["KS"]}}))


@pytest.mark.parametrize(("sentence", "words"), FAULTS.items())
def test_faults_are_told_in_one_sentence(
    sentence: str, words: Callable[[Path], list[str]], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["film", *words(tmp_path)]) == 1
    said = capfd.readouterr().err
    assert sentence in said and said.count("\n") == 1 and "Traceback" not in said


@pytest.mark.parametrize("words", [["--fps", "1000"], ["--seed", "-1"], ["--seed", "x"], ["--seats", "round"], []])
def test_wrong_words_are_the_callers(words: list[str], tmp_path: Path) -> None:
    assert main(["film", *([good(tmp_path), "out.mp4", *words] if words else [])]) == 2


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("[Ana]\nplay = [[0, 0], [1, 0], [1, 1]]", "no place for Ben"),
        ("[Ana]\nplay = [[0, 0], [1, 1]]\n[Ben]\nplay = [[0, 0], [1, 0], [1, 1]]", "at least three points"),
        ("[Ana\nplay = 1", "not valid TOML"),
        ("[Ana]\nplay = [[0.5, 0.5], [0.52, 0.5], [0.5, 0.52]]\n[Ben]\nplay = [[0, 0], [1, 0], [1, 1]]", "too small"),
    ],
)
def test_drawn_seats_that_do_not_fit_are_refused(toml: str, sentence: str) -> None:
    with pytest.raises((WrongWords, VisionError), match=sentence):
        still(ROUND, toml)


def test_a_card_the_deck_lacks_is_named() -> None:
    whole = deck()
    poor = Deck("poor", "made", {code: face for code, face in whole.faces.items() if code != "JR"}, whole.backs)
    with pytest.raises(VisionError, match="The deck poor has no JR"):
        render_look(look(1.0, "JR", "9H"), ANA_BEN, poor, seed=TABLE, size=SIZE)
