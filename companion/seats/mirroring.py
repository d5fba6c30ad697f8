"""A mirrored picture that is turned round in the middle of a game: what has to be put right in the history. Pure."""

from __future__ import annotations

from companion.referee.events import Input, Seated, Swap
from companion.seats.arrangement import Arrangement, Layout, seats_text, turned_text
from companion.seats.history import InForce, exchanges, in_force
from companion.seats.layout import AUTO, exchanged, parse
from companion.table.session import Sitting


def turn_round(sitting: Sitting, at: float, mirrored: bool) -> tuple[Input, ...]:
    """The inputs at second `at` that go with showing the picture the other way round from now on.

    Seats in words, as left to right, mean the true table: whoever was taken for the other is exchanged, in all that
    was told before. Places that were found or drawn go with the cards that lie in them.
    """
    now, players = in_force(sitting.state, sitting.seats), sitting.game.players
    if now.text == AUTO:
        return ()
    if "=" in now.text:
        return (Seated(at, turned_text(now.text, players, dict(now.names)), mirrored),)
    if now.names:
        # Somebody has said who sits where: those cards stay theirs.
        return (Seated(at, _mirrored(now, players), mirrored),)
    told = sitting.state.looks > 0
    return (*(Swap(at, pair) for pair in _mistaken(now, players) if told), Seated(at, now.text, mirrored))


def _mistaken(now: InForce, players: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Who was taken for whom in the picture the wrong way round."""
    seats = parse(now.text, players)
    places = ((name, seats.at(1 - x, y)) for name, (x, y) in seats.middles.items())
    return exchanges((name, place.player) for name, place in places if place is not None)


def _mirrored(now: InForce, players: tuple[str, ...]) -> str:
    """Seats in words with people exchanged, as the places of the picture turned round."""
    seats = exchanged(parse(now.text, players), dict(now.names))
    points = tuple((1 - x, y) for x, y in seats.middles.values())
    return seats_text(tuple(seats.middles), Arrangement(points, _LAYOUTS[now.text], ()))


_LAYOUTS = {"left-right": Layout.COLUMNS, "near-far": Layout.ROWS, "clockwise": Layout.AROUND}
