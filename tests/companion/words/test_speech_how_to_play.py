"""How to play: every game is told whole, in sentences of the catalogue, and answers what a new player asks."""

from __future__ import annotations

import pytest

from companion.cli import main
from companion.referee.game import new_game
from companion.referee.variants import VARIANTS, variant
from companion.simulation.simulate import simulate
from companion.words import speak
from companion.words.speech import HOW_TO_PLAY, how_to_play, load_lengths

#: What a new player asks, for whom, and words that the answer has.
QUESTIONS = (
    ("which card beats which?", "all", "the ace beats them all"),
    ("do suits count?", "all", "Suits never matter"),
    ("how is a new pack shuffled?", "all", "push the cards about with both hands"),
    ("who deals?", "all", "somebody who does not play"),
    ("how many cards has each?", "classic arneson", "until each has 26"),
    ("how many cards has each?", "multi razboi", "26 each for two, 17 each for three, 13 each for four"),
    ("how many cards has each, with jokers?", "steal", "27 each for two, 18 each for three, 13 each for four"),
    ("what of the card that is left over?", "multi razboi", "lay it aside face up"),
    ("may I look at my cards?", "classic multi razboi", "look at none"),
    ("may I look at my cards?", "steal", "only that one, and without showing it"),
    ("when do we turn?", "all", "three, two, one"),
    ("what if somebody turns two?", "classic multi razboi", "puts the second back"),
    ("in which order do won cards go under the pile?", "classic multi razboi", "in any order"),
    ("who fights in a war?", "multi", "also those whose card was lower"),
    ("who fights in a war?", "razboi", "only those who tied fight"),
    ("what if lower cards tie?", "multi", "A tie of lower cards is no war"),
    ("what if the fourth cards tie?", "classic", "do the same again"),
    ("how large is a war of aces?", "razboi", "the ace one of eleven"),
    ("do a jack and a king tie?", "razboi", "a king still beats a jack"),
    ("what if I am short of cards?", "classic multi razboi", "the last one face up"),
    ("what if my last card tied?", "classic multi razboi arneson", "fights with the card that tied"),
    ("what if both run out?", "classic multi razboi arneson", "it is a draw"),
    ("what if I am out?", "multi razboi", "the others play on"),
    ("where do won cards go?", "steal", "face up on a second pile"),
    ("can I steal twice, or two piles?", "steal", "One card may steal several piles"),
    ("what if two want to steal?", "steal", "the card that is laid first counts"),
    ("can it be stolen back?", "steal", "stolen straight back"),
    ("must I steal?", "steal", "You need not steal"),
    ("may war cards steal?", "steal", "The fourth card may steal"),
    ("what if my pile is used up?", "steal", "shuffle your face-up pile"),
    ("what if I run out in a war?", "steal", "loses the game"),
    ("when do I draw again?", "arneson", "to hold three again"),
    ("who turns first?", "arneson", "When both have"),
    ("what does a lost war cost?", "arneson", "three cards and not five"),
    ("what if the pile has fewer than three cards?", "arneson", "those there are"),
    ("when is the game over?", "all", "when one player has every card"),
    ("how long does it take?", "all", "minutes"),
    ("what about little children?", "all", "for children"),
)


def test_every_variant_is_told() -> None:
    assert set(HOW_TO_PLAY) == set(load_lengths()) == {variant.name for variant in VARIANTS}


@pytest.mark.parametrize("name", HOW_TO_PLAY)
def test_a_game_is_told_from_its_aim_to_its_end(name: str) -> None:
    told = list(how_to_play(speak("en"), name))
    headings = [heading for heading, _ in told]
    assert headings[:4] == ["In short, for children", "The aim", "What you need", "Shuffle"]
    assert "War" in headings and headings[-3:] == ["The end", "How long it takes", "With the referee"]
    assert all(text.endswith((".", "!")) and "{" not in text for _, text in told)


@pytest.mark.parametrize(("question", "names", "answer"), QUESTIONS, ids=[f"{q} {n}" for q, n, _ in QUESTIONS])
def test_a_new_player_is_answered(question: str, names: str, answer: str) -> None:
    for name in HOW_TO_PLAY if names == "all" else names.split():
        told = " ".join(f"{heading}. {text}" for heading, text in how_to_play(speak("en"), name))
        assert answer in told, (name, question)


def test_the_command_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "razboi"]) == 0
    said = capsys.readouterr().out
    assert "seven cards face down and the eighth face up" in said and "13 each for four" in said


def test_an_unknown_game_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "poker"]) == 2
    assert "poker" in capsys.readouterr().err


@pytest.mark.slow
def test_the_lengths_are_those_that_simulate_gives() -> None:
    """The command that the file names, for the shortest of its games; the others take minutes."""
    players = tuple("ABCD"[: variant("steal").players[0]])
    report = simulate(new_game("steal", players), 200, 1)
    lasts = load_lengths()["steal"]
    assert (report.games, report.rounds_median, report.rounds_95) == (lasts["games"], lasts["median"], lasts["most"])
