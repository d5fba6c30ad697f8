import pytest

from companion.defaults import read_seats
from companion.errors import Fault, WrongWords
from companion.seats.layout import Place, Zone, parse_seats

THREE = ("Ana", "Ben", "Cai")
FILE = """
[Ana]
play = [[0.0, 0.0], [0.4, 0.0], [0.4, 1.0], [0.0, 1.0]]
[Ben]
play = [[0.6, 0.0], [1.0, 0.0], [1.0, 0.5], [0.6, 0.5]]
pile = [[0.6, 0.6], [1.0, 0.6], [0.8, 1.0]]
"""


def who(seats, x, y):
    place = seats.at(x, y)
    return place and place.player


@pytest.mark.parametrize(
    ("name", "players", "x", "y", "player"),
    [
        ("left-right", THREE, 0.0, 0.5, "Ana"),
        ("left-right", THREE, 0.34, 0.5, "Ben"),
        ("left-right", THREE, 0.999, 0.5, "Cai"),
        ("left-right", THREE, 1.0, 0.5, "Cai"),
        ("left-right", THREE, -0.01, 0.5, "Ana"),
        ("near-far", ("Ana", "Ben"), 0.9, 0.9, "Ana"),
        ("near-far", ("Ana", "Ben"), 0.1, 0.1, "Ben"),
        ("clockwise", (*THREE, "Dan"), 0.5, 0.9, "Ana"),
        ("clockwise", (*THREE, "Dan"), 0.1, 0.5, "Ben"),
        ("clockwise", (*THREE, "Dan"), 0.5, 0.1, "Cai"),
        ("clockwise", (*THREE, "Dan"), 0.9, 0.5, "Dan"),
        ("clockwise", THREE, 0.95, 0.6, "Ana"),
    ],
)
def test_a_card_belongs_where_its_centre_lies(name, players, x, y, player):
    assert who(parse_seats(name, players), x, y) == player


def test_drawn_places_and_piles():
    seats = parse_seats(FILE, ("Ana", "Ben"))
    assert seats.at(0.2, 0.9) == Place("Ana")
    assert seats.at(0.8, 0.7) == Place("Ben", Zone.PILE)
    assert seats.at(0.5, 0.5) is None
    assert seats.at(0.61, 0.95) is None
    assert seats.table == (0.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("text", "players", "says"),
    [
        ("sideways", ("Ana", "Ben"), "Unknown seats 'sideways'"),
        ("near-far", THREE, "two players"),
        ("[Ana]\nplay = [[0, 0", ("Ana", "Ben"), "not valid TOML"),
        (FILE, THREE, "no place for Cai"),
        (FILE, ("Ana",), "names Ben"),
        ("[Ana]\nplay = [[0, 0], [1, 1]]", ("Ana",), "three points"),
        ("[Ana]\nplay = [[0, 0], [1, 1], [2, 0]]", ("Ana",), "from 0 to 1"),
        ("[Ana]\nplay = 7", ("Ana",), "three points"),
        ("[Ana]\npile = []", ("Ana",), "no place for Ana"),
        ("a = " + "[" * 100_000, ("Ana",), "nested too deeply"),
        (FILE.replace("pile", "piel"), ("Ana", "Ben"), "says 'piel' of Ben: there are play and pile"),
        (FILE + "[ben]\nplay = 7", ("Ana", "Ben"), "one player in two ways"),
        ("[Ana]\nplay = [[0, 0], [0.5, 0.5], [1, 1]]", ("Ana",), "in one line"),
        ("[Ana]\nplay = [[0, 0], [1e999, 0.5], [1, 1]]", ("Ana",), "three points"),
        ("[Zoë\nplay = 7", ("Zoë",), r'line 1.*write \["Zoë"\] and below it play'),
    ],
)
def test_what_is_wrong_is_said(text, players, says):
    with pytest.raises(WrongWords, match=says):
        parse_seats(text, players)


MARKS = {"none": "utf-8", "of Notepad": "utf-8-sig", "of UTF-16": "utf-16"}


@pytest.mark.parametrize("encoding", MARKS.values(), ids=MARKS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_is_read_as_any_editor_saves_it(tmp_path, encoding, end):
    path = tmp_path / "places.TOML"
    path.write_bytes(FILE.replace("\n", end).encode(encoding))
    assert read_seats(str(path), ("Ana", "Ben")) == FILE
    assert read_seats("left-right", ("Ana", "Ben")) == "left-right"


@pytest.mark.parametrize(
    ("data", "says"), [(b"", "no place for Ana"), (b"\xff", "not text"), (b"left-right", "not valid")]
)
def test_a_file_that_says_nothing_is_named(tmp_path, data, says):
    path = tmp_path / "places.toml"
    path.write_bytes(data)
    with pytest.raises(Fault, match=says) as refused:
        read_seats(str(path), ("Ana", "Ben"))
    assert str(path) in str(refused.value) and refused.value.exit_code == 1


def test_a_file_may_write_the_names_as_it_likes():
    assert who(parse_seats(FILE.replace("Ana", "ana").replace("Ben", "BEN"), ("Ana", "Ben")), 0.2, 0.5) == "Ana"
