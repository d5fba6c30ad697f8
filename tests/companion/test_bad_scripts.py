"""First lines and seconds that make no sense get one sentence with the line's number."""

import pytest

from companion.script import BadScript, read_script

GAME = '{"game": {"variant": "classic", "players": ["Ana", "Ben"]}}'


@pytest.mark.parametrize("line", ['{"game": "x"}', '{"game": {"set": []}}', '{"game": {"players": "AB"}}'])
def test_a_game_that_is_none(line: str) -> None:
    with pytest.raises(BadScript, match=r"Line 1: .*(variant|names)"):
        read_script([line])


@pytest.mark.parametrize("second", ["NaN", "1e999", "-Infinity"])
def test_a_second_that_is_no_number(second: str) -> None:
    with pytest.raises(BadScript, match="Line 2"):
        read_script([GAME, f'{{"at": {second}, "faces": {{}}}}'])
