"""How to play: every game is told whole, in sentences of the catalogue."""

import pytest

from companion.cli import main
from companion.referee.variants import VARIANTS
from companion.words import speak
from companion.words.speech import HOW_TO_PLAY, how_to_play


def test_every_variant_is_told() -> None:
    assert set(HOW_TO_PLAY) == {variant.name for variant in VARIANTS}


@pytest.mark.parametrize("variant", HOW_TO_PLAY)
def test_a_game_is_told_from_its_aim_to_its_end(variant: str) -> None:
    told = list(how_to_play(speak("en"), variant))
    headings = [heading for heading, _ in told]
    assert headings[0] == "The aim" and "Shuffle and deal" in headings and "War" in headings and "The end" in headings
    assert len(set(headings) - {"A round", "War", "Out of cards"}) >= 6
    assert all(text.endswith(".") for _, text in told)


def test_the_command_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "razboi"]) == 0
    said = capsys.readouterr().out
    assert "seven cards face down and the eighth face up" in said and "13 each for four" in said


def test_an_unknown_game_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "poker"]) == 2
    assert "poker" in capsys.readouterr().err
