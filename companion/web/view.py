"""The snapshot as the templates need it: places with their cards, and where a correction belongs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from companion.snapshot import CardView, Chip, LogLine, Snapshot

#: What kind of news each state is, for the voice's levels and the colour of the chip.
_PROBLEMS = {Chip.DIFFERS, Chip.QUESTION, Chip.CAMERA_LOST}
_VERDICTS = {Chip.VERDICT, Chip.WAR, Chip.COLLECT, Chip.GAME_OVER}


@dataclass(frozen=True, slots=True)
class Laid:
    """One card in a player's place, and the address of its correction."""

    card: CardView
    place: int
    address: str


@dataclass(frozen=True, slots=True)
class Place:
    """One player at the table. `top` is the card that counts, `under` those laid before it in this round."""

    name: str
    count: int
    change: int
    wars: int
    split: Mapping[str, int]
    under: tuple[Laid, ...]
    top: Laid | None
    pile_top: str | None
    missed: str
    state: str


def kind(snapshot: Snapshot) -> str:
    """Whether the news is a `problem`, a `verdict` or just `news`."""
    if snapshot.chip in _PROBLEMS:
        return "problem"
    return "verdict" if snapshot.chip in _VERDICTS else "news"


def places(snapshot: Snapshot) -> tuple[Place, ...]:
    """Every player in the order of the seats."""
    return tuple(_place(snapshot, name) for name in snapshot.players)


def _place(now: Snapshot, name: str) -> Place:
    cards = [card for card in now.cards if card.player == name]
    laid = tuple(Laid(card, i, _address(now, name, i)) for i, card in enumerate(cards))
    return Place(
        name=name,
        count=now.counts.get(name, 0),
        change=now.change.get(name, 0),
        wars=now.wars_won.get(name, 0),
        split=now.split.get(name, {}),
        under=laid[:-1],
        top=laid[-1] if laid else None,
        pile_top=now.pile_tops.get(name),
        missed=_address(now, name, len(laid)),
        state=_state(now, name),
    )


def _state(now: Snapshot, name: str) -> str:
    if name in now.out:
        return "out"
    if name == now.winner:
        return "winner"
    return "waiting" if name in now.waiting else ""


def _address(now: Snapshot, player: str, place: int) -> str:
    look = look_that_showed(now, player, place)
    where: dict[str, object] = {"player": player, "place": place}
    if look is not None:
        where["look"] = look
    return f"/correct?{urlencode(where)}"


def look_that_showed(now: Snapshot, player: str, place: int) -> int | None:
    """The input in which the card at `place` of the current round was first seen.

    Past the last card it is the newest look of the round, and None where the round has none yet.
    """
    lines = [line for line in now.log if line.round == now.round and line.faces]
    for line in reversed(lines):
        if len(line.faces.get(player, ())) > place:
            return line.look
    return lines[0].look if lines else None


def faces_at(now: Snapshot, look: int) -> dict[str, tuple[str, ...]]:
    """The card codes by player as the log shows them for one input; empty where it shows none."""
    lines: list[LogLine] = [line for line in now.log if line.look == look and line.faces]
    return {player: tuple(codes) for player, codes in lines[0].faces.items()} if lines else {}


def reading(now: Snapshot, player: str, place: int) -> CardView | None:
    """The reading of a card that lies on the table now, for its crop and alternatives."""
    cards = [card for card in now.cards if card.player == player]
    return cards[place] if place < len(cards) else None
