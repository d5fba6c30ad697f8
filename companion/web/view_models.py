"""The snapshot as the templates need it: places with their cards, and where a correction belongs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from companion.table.snapshot import CardView, Chip, Snapshot

#: What kind of news each state is, for the voice's levels and the colour of the chip.
_PROBLEMS = {Chip.DIFFERS, Chip.QUESTION, Chip.CAMERA_LOST}
_VERDICTS = {Chip.VERDICT, Chip.WAR, Chip.COLLECT, Chip.GAME_OVER}


@dataclass(frozen=True, slots=True)
class Laid:
    """One card in a player's place, and the address of its correction."""

    card: CardView
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
    #: Where the next card of a war is said, at a table that no camera looks at.
    laid_on: str = ""


def kind(snapshot: Snapshot) -> str:
    """Whether the news is a `problem`, a `verdict` or just `news`."""
    if snapshot.chip in _PROBLEMS:
        return "problem"
    return "verdict" if snapshot.chip in _VERDICTS else "news"


def unwatched(now: Snapshot) -> bool:
    """Whether a game is played that no camera looks at, though one might."""
    return bool(now.players) and not now.camera.source and not now.camera.ok and not now.demo


def on_table(now: Snapshot) -> dict[str, tuple[str, ...]]:
    """The codes of all cards that lie in play, by player."""
    found = {name: tuple(card.code for card in now.cards if card.player == name and card.look) for name in now.players}
    return {name: codes for name, codes in found.items() if codes}


def places(snapshot: Snapshot) -> tuple[Place, ...]:
    """Every player in the order of the seats."""
    return tuple(_place(snapshot, name) for name in snapshot.players)


def _place(now: Snapshot, name: str) -> Place:
    cards = [card for card in now.cards if card.player == name]
    laid = tuple(Laid(card, _address(now, card)) for card in cards)
    return Place(
        name=name,
        count=now.counts.get(name, 0),
        change=now.change.get(name, 0),
        wars=now.wars_won.get(name, 0),
        split=now.split.get(name, {}),
        under=laid[:-1],
        top=laid[-1] if laid else None,
        pile_top=now.pile_tops.get(name),
        missed=_missed(now, name),
        state=_state(now, name),
        laid_on=f"/correct?{urlencode({'player': name})}" if unwatched(now) and now.war and name in now.waiting else "",
    )


def _state(now: Snapshot, name: str) -> str:
    if name in now.out:
        return "out"
    if name == now.winner:
        return "winner"
    return "waiting" if name in now.waiting else ""


def _address(now: Snapshot, card: CardView) -> str:
    """Where the card is put right; for one that is not in play, the newest look with all its cards."""
    if card.look is not None:
        return f"/correct?{urlencode({'look': card.look, 'player': card.player, 'place': card.place})}"
    return f"/correct?look={now.log[0].look}" if now.log else "/correct"


def _missed(now: Snapshot, player: str) -> str:
    """Where a card that was not seen is added: to the newest look of the round, else to a look of its own."""
    looks = [card.look for card in now.cards if card.look is not None]
    look = {"look": max(looks)} if looks else {}
    return f"/correct?{urlencode({'player': player, 'place': 'new', **look})}"


def reading(now: Snapshot, player: str, look: int | None, place: int) -> CardView | None:
    """The reading of a card that lies on the table now, for its crop and alternatives."""
    mine = (card for card in now.cards if card.player == player)
    return next((card for card in mine if card.look == look and card.place == place), None)
