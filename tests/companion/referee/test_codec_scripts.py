"""Lines that make no sense get one sentence with the line's number and how to write it; nothing is read as another."""

import json
from pathlib import Path

import pytest

from companion.commands._looks_files import load_script
from companion.errors import Fault
from companion.referee.codec import (
    _READERS,
    EXAMPLES,
    BadInput,
    BadScript,
    game_from_json,
    input_from_json,
    read_script,
    script_game,
)
from companion.referee.reducer import RefereeError, start, step
from companion.referee.settings import RulesError

GAME = '{"game": {"variant": "classic", "players": ["Ana", "Ben"]}}'
#: A value of every kind that JSON has.
VALUES = (None, True, 7, -1, 3.5, 1e300, 10**400, "", "2S", "Ana", [], [1], ["2S"], [["2S"]], {}, {"Ana": 1}, {"x": []})


@pytest.mark.parametrize("line", ['{"game": "x"}', '{"game": {"set": []}}', '{"game": {"players": "AB"}}'])
def test_a_game_that_is_none(line: str) -> None:
    with pytest.raises(BadScript, match=r"Line 1: .*(variant|names)"):
        read_script([line])


@pytest.mark.parametrize("second", ["NaN", "1e999", "-Infinity", '"3"', "true", "null", "[1]"])
def test_a_second_that_is_no_number(second: str) -> None:
    with pytest.raises(BadScript, match="Line 2"):
        read_script([GAME, f'{{"at": {second}, "faces": {{}}}}'])


@pytest.mark.parametrize("line", ["[" * 100_000, '{"at":' * 100_000, "7" * 5000, '{"undo": ' + "7" * 5000 + "}"])
def test_a_line_that_no_reader_can_hold(line: str) -> None:
    with pytest.raises(BadScript, match="Line 2 is not a JSON object"):
        read_script([GAME, line])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"faces": {"Ana": "2S"}}, 'the faces of Ana are a list of cards, as ["9H"]'),
        ({"correct": 1, "faces": {"Ana": "10H"}}, "the faces of Ana are a list"),
        ({"faces": {"Ana": {"2S": 1}}}, "the faces of Ana are a list"),
        ({"faces": {"Ana": [{"9H": 1}]}}, "write it as"),
        ({"faces": {"Ana": [["9H", 0.9, [], 1]]}}, "write it as"),
        ({"faces": {"Ana": [["9H", 0.9, ["6H"]]]}}, "write it as"),
        ({"faces": {"Ana": [["9H", True]]}}, "a probability lies between 0 and 1"),
        ({"faces": {"Ana": [["9H", "0.9"]]}}, "a probability lies between 0 and 1"),
        ({"faces": {}, "backs": {"Ana": 1.5}}, "write it as"),
        ({"faces": {}, "backs": {"Ana": "3"}}, "write it as"),
        ({"faces": {}, "backs": {"Ana": True}}, "write it as"),
        ({"faces": {}, "unmoved": "Ana"}, "write it as"),
        ({"undo": "4"}, 'write it as {"undo": 4}'),
        ({"appeal": 4}, "the appeal line lacks 'by'"),
        ({"appeal": 4, "by": 5}, "write it as"),
        ({"answer": 1.5, "choice": "6C"}, "write it as"),
        ({"swap": "AB"}, "write it as"),
        ({"blind": ["1", "2"]}, "number of seconds"),
        ({"blind": [1, 2, 3]}, "write it as"),
        ({"undo": 4, "faces": {}}, "a line says one thing, not undo and faces"),
        ({"face": {}}, "a line needs one of"),
    ],
)
def test_what_is_of_the_wrong_kind_is_never_read_as_something_else(line: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput) as refused:
        input_from_json(line)
    assert says in str(refused.value)


def test_every_kind_of_line_has_an_example_that_is_read() -> None:
    assert list(EXAMPLES) == list(_READERS)
    for example in EXAMPLES.values():
        input_from_json(json.loads(example))


@pytest.mark.parametrize("kind", EXAMPLES)
def test_any_value_in_any_place_of_a_line_is_refused_or_makes_sense(kind: str) -> None:
    state = start(script_game(read_script([GAME])))
    example = json.loads(EXAMPLES[kind])
    for key in (*example, "at", "backs", "backs_seen", "piles", "unmoved"):
        for value in VALUES:
            try:
                step(state, input_from_json({"at": 1.0, **example, key: value}))
            except (BadInput, RefereeError) as refused:
                assert len(str(refused)) < 500


@pytest.mark.parametrize("key", ["variant", "players", "set", "counts", "piles", "wars_won"])
def test_any_value_in_any_place_of_the_game_is_refused_or_makes_sense(key: str) -> None:
    for value in (*VALUES, {"Ana": [], "Ben": "2S"}, {"Ana": ["2S"]}, {"Ana": -1, "Ben": 3}, {"Ana": "1", "Ben": 3}):
        try:
            game = game_from_json({"variant": "classic", "players": ["Ana", "Ben"], key: value})
            step(start(game), input_from_json({"faces": {"Ana": ["2S"], "Ben": ["3S"]}}))
        except (BadInput, RulesError, RefereeError) as refused:
            assert len(str(refused)) < 700


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_script_is_read_as_any_editor_saves_it(tmp_path: Path, encoding: str, end: str) -> None:
    path = tmp_path / "g.looks"
    path.write_bytes(end.join([GAME, '{"at": 1, "faces": {}}', ""]).encode(encoding))
    script = load_script(str(path))
    assert script.game and script.game["players"] == ["Ana", "Ben"] and script.lines == (2,)


def test_what_ends_no_line_of_a_file_may_stand_in_a_text(tmp_path: Path) -> None:
    path = tmp_path / "g.looks"
    path.write_text(f'{GAME}\n{{"at": 1, "answer": 1, "choice": "a\u2028b\x85c"}}\n', "utf-8")
    assert load_script(str(path)).lines == (2,)


def test_a_file_without_an_end_is_refused() -> None:
    with pytest.raises(Fault, match="too large"):
        load_script("/dev/zero")
