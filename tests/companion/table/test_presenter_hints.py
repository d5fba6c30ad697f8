"""What the page says where a card cannot be read: a hint how to help, instead of a guess."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.referee import reducer
from companion.referee.game import new_game
from companion.seats.layout import parse_seats
from companion.table.presenter import Presenter
from companion.table.session import LiveSession, Phase, WatchStatus
from companion.watching.look_builder import LookBuilder
from companion.words import speak
from vision.types import FoundCard, Look, Reading, Side

SIZE = (1280, 720)
PLAYERS = ("Ana", "Ben")


def card(x: float, height: float = 180, p: float = 0.95, glare: float = 0.0) -> FoundCard:
    """A face round x, read where p is above a half."""
    wide = height * 0.36
    quad = ((x - wide, 200.0), (x + wide, 200.0), (x + wide, 200.0 + height), (x - wide, 200.0 + height))
    return FoundCard(quad, Side.FACE, 0.9, (Reading("9H", p), Reading("6H", 0.05)), read=p >= 0.5, glare=glare)


def hint(*cards: FoundCard, phase: Phase = Phase.SETTLED) -> str:
    """What the page says to these cards lying before Ana (left) and Ben."""
    game = new_game("classic", PLAYERS)
    session = LiveSession(1, game, "0", "left-right", True, reducer.start(game))
    views = LookBuilder(PLAYERS, parse_seats("left-right", PLAYERS)).views(Look(1.0, cards, SIZE))
    return Presenter(speak("en"))(1, session, WatchStatus(phase=phase, cards=views)).hint


def test_glare_is_said_with_whose_card_it_is() -> None:
    dazzled = card(900, p=0.3, glare=0.4)
    assert hint(card(300), dazzled) == "Glare on Ben's card: turn the lamp away, or the card a little."


def test_a_small_card_is_said_with_its_height() -> None:
    assert hint(card(300, height=42, p=0.3)) == "Ana's card is only 42 pixels high: move the camera closer."


@pytest.mark.parametrize(
    "fine", [card(300, glare=0.4), card(300, height=42), card(300, p=0.3)], ids=["read", "read small", "no reason"]
)
def test_nothing_is_said_where_nothing_can_be_helped(fine: FoundCard) -> None:
    assert hint(fine) == ""


def test_a_hand_in_the_way_is_hint_enough() -> None:
    assert hint(card(300, p=0.3, glare=0.4), phase=Phase.HAND) == ""


def test_the_hint_goes_with_the_better_reading() -> None:
    spoilt = card(300, p=0.3, glare=0.4)
    assert hint(spoilt) and not hint(replace(spoilt, read=True))
