"""Who sits where, derived from the history of a session: seats found, swaps, a picture that was mirrored. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.referee.events import Input, Seated, Swap
from companion.referee.reducer import State, undone_inputs
from companion.seats.arrangement import Arrangement, Layout, add_pile, flip_seats_text, format_seats
from companion.seats.layout import AUTO, Polygon, exchange_names, parse_seats


@dataclass(frozen=True, slots=True)
class SeatsInForce:
    """The seats as they are now: their text, whether the picture is flipped, and the swaps since then.

    `names` are pairs: the player a place was given to, and the one who sits there now.
    """

    text: str
    mirrored: bool = False
    names: tuple[tuple[str, str], ...] = ()


def seats_in_force(state: State, agreed: str) -> SeatsInForce:
    """The seats after a session's inputs; `agreed` is the text of the seats it was opened with."""
    seated, since, text, mirrored = _told(state), 0, agreed, False
    for number, entry in seated:
        if isinstance(entry, Seated):
            since, text, mirrored = number, entry.seats, entry.mirrored
    after = [entry for number, entry in seated if number > since and isinstance(entry, Swap)]
    names = {name: name for swap in after for name in swap.players}
    for swap in after:
        other = dict(zip(swap.players, swap.players[::-1], strict=True))
        names = {name: other.get(now, now) for name, now in names.items()}
    return SeatsInForce(text, mirrored, tuple(sorted((name, now) for name, now in names.items() if name != now)))


def name_at(state: State, player: str, look: int) -> str:
    """The name under which the cards of `player` stood in input `look`, before later swaps."""
    swaps = [entry for number, entry in _told(state) if number > look and isinstance(entry, Swap)]
    for swap in reversed(swaps):
        player = dict(zip(swap.players, swap.players[::-1], strict=True)).get(player, player)
    return player


def exchanges(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The fewest exchanges of two players that give each name the other of its pair.

    >>> exchanges([("Ana", "Cai"), ("Ben", "Ben"), ("Cai", "Ana")])
    (('Ana', 'Cai'),)
    >>> exchanges([("Ana", "Ben"), ("Ben", "Cai"), ("Cai", "Ana")])
    (('Ana', 'Ben'), ('Ana', 'Cai'))
    """
    wanted, found = dict(pairs), []
    for name in wanted:
        while wanted[name] != name:
            other = wanted[name]
            found.append((name, other))
            wanted[name], wanted[other] = wanted[other], other
    return tuple(found)


def flip_inputs(state: State, agreed: str, at: float, mirrored: bool) -> tuple[Input, ...]:
    """The inputs at second `at` that keep the seats right when the picture is mirrored (or no more) from now on.

    Seats in words, as left-right, mean the true table: players mistaken for each other are exchanged in all earlier
    looks. Places that were found or drawn move with the cards that lie in them. `agreed` as in `seats_in_force`.
    """
    now, players = seats_in_force(state, agreed), state.game.players
    if now.text == AUTO:
        return ()
    if "=" in now.text:
        return (Seated(at, flip_seats_text(now.text, players, dict(now.names)), mirrored),)
    if now.names:
        # Somebody has said who sits where: those cards stay theirs.
        return (Seated(at, _mirrored(now, players), mirrored),)
    told = state.looks > 0
    return (*(Swap(at, pair) for pair in _mistaken(now, players) if told), Seated(at, now.text, mirrored))


def _mistaken(now: SeatsInForce, players: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Who was taken for whom in the picture the wrong way round."""
    seats = parse_seats(now.text, players)
    places = ((name, seats.at(1 - x, y)) for name, (x, y) in seats.middles.items())
    return exchanges((name, place.player) for name, place in places if place is not None)


def with_pile(now: SeatsInForce, players: tuple[str, ...], player: str, pile: Polygon) -> str | None:
    """The text of the seats with the place of a player's face-up pile; None for seats that somebody has drawn."""
    names = dict(now.names)
    if now.text in _LAYOUTS:
        seats = exchange_names(parse_seats(now.text, players), names)
        points = tuple(seats.middles.values())
        text = format_seats(tuple(seats.middles), Arrangement(points, _LAYOUTS[now.text], ()))
        return add_pile(text, players, player, pile)
    if not now.text.startswith(f"{AUTO}\n"):
        return None
    # The text names whoever sat there when it was written.
    then = next((before for before, sits in now.names if sits == player), player)
    return add_pile(now.text, players, then, pile)


def _mirrored(now: SeatsInForce, players: tuple[str, ...]) -> str:
    """Seats in words with people exchanged, as the places of the picture turned round."""
    seats = exchange_names(parse_seats(now.text, players), dict(now.names))
    points = tuple((1 - x, y) for x, y in seats.middles.values())
    return format_seats(tuple(seats.middles), Arrangement(points, _LAYOUTS[now.text], ()))


_LAYOUTS = {"left-right": Layout.COLUMNS, "near-far": Layout.ROWS, "clockwise": Layout.AROUND}


def _told(state: State) -> list[tuple[int, Seated | Swap]]:
    """The inputs about seats that are not undone, with their numbers, oldest first."""
    removed = undone_inputs(state)
    found = [(past.looks, past.cause) for past in state.history() if isinstance(past.cause, Seated | Swap)]
    return [(number, entry) for number, entry in reversed(found) if number not in removed]
