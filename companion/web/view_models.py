"""The snapshot as the templates need it: places with their cards, and where a correction belongs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from companion.table.snapshot import CardView, Chip, Snapshot
from companion.web.template_helpers import say
from companion.words.speech import HOW_TO_PLAY

#: What kind of news each state is, for the voice's levels and the colour of the chip.
_PROBLEMS = {Chip.DIFFERS, Chip.QUESTION, Chip.CAMERA_LOST}
_VERDICTS = {Chip.VERDICT, Chip.WAR, Chip.COLLECT, Chip.GAME_OVER}


@dataclass(frozen=True, slots=True)
class LaidView:
    """One card in a player's place, and the address of its correction."""

    card: CardView
    address: str


@dataclass(frozen=True, slots=True)
class PlaceView:
    """One player at the table. `top` is the card that counts, `under` those laid before it in this round.

    In a war that the player `fights`, `down` cards lie face down and at least `backs` of them were seen; all of
    them count as laid once he has `fought`: the card that lies on them is face up.
    """

    name: str
    count: int
    change: int
    wars: int
    split: Mapping[str, int]
    under: tuple[LaidView, ...]
    top: LaidView | None
    pile_top: str | None
    missed: str
    state: str
    fights: bool = False
    fought: bool = False
    down: int = 0
    backs: int = 0
    short: bool = False
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


def player_places(snapshot: Snapshot) -> tuple[PlaceView, ...]:
    """Every player in the order of the seats."""
    return tuple(_place(snapshot, name) for name in snapshot.players)


def _place(now: Snapshot, name: str) -> PlaceView:
    cards = [card for card in now.cards if card.player == name]
    laid = tuple(LaidView(card, _address(now, card)) for card in cards)
    return PlaceView(
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
        **_war(now, name),
        laid_on=f"/correct?{urlencode({'player': name})}" if unwatched(now) and now.war and name in now.waiting else "",
    )


def _war(now: Snapshot, name: str) -> dict[str, Any]:
    if now.war is None or name not in now.war.who:
        return {}
    down, fought = now.war.down.get(name, 0), name not in now.waiting
    backs = down if fought else min(now.war.seen.get(name, 0), down)
    return {"fights": True, "fought": fought, "down": down, "backs": backs, "short": name in now.war.short}


def _state(now: Snapshot, name: str) -> str:
    if name in now.out:
        return "out"
    if name == now.winner:
        return "winner"
    if name in now.waiting:
        return "waiting"
    return "won" if name == round_winner(now) else ""


def round_winner(now: Snapshot) -> str:
    """Who has taken the round whose cards still lie there; empty while it is open."""
    if now.war or now.waiting or not any(card.look for card in now.cards):
        return ""
    judged = next((line for line in now.log if line.round == now.round and line.ruling.startswith("battle_")), None)
    return judged.winner if judged else ""


#: Signs: a sentence up to this long is said in the largest type as a whole.
_HEADLINE = 40


def headline(verdict: str) -> tuple[str, str]:
    """The sentence in the largest type, and what is left of a long verdict for the line below.

    >>> headline("WAR. Two eights. Ana and Ben: 3 face down, then 1 face up.")
    ('WAR. Two eights.', 'Ana and Ben: 3 face down, then 1 face up.')
    >>> headline("Ana wins the war and takes 10 cards: king beats nine.")
    ('Ana wins the war and takes 10 cards:', 'king beats nine.')
    >>> headline("Ana takes both: king beats nine.")
    ('Ana takes both: king beats nine.', '')
    """
    if len(verdict) <= _HEADLINE:
        return verdict, ""
    for signs in ("[.!?] ", ": "):
        if cuts := [at.end() for at in re.finditer(signs, verdict) if at.end() <= _HEADLINE + 1]:
            return verdict[: cuts[-1]].rstrip(), verdict[cuts[-1] :]
    return verdict, ""


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


@dataclass(frozen=True, slots=True)
class GameEnd:
    """The end of a game, or of the sample film: what was best in it, each with the key of its label."""

    best: tuple[tuple[str, str], ...]


def end(now: Snapshot) -> GameEnd | None:
    """What to say at the end; None while the game goes on."""
    over = now.chip is Chip.GAME_OVER
    return GameEnd(_best(now)) if over or (now.demo and now.finished) else None


def _best(now: Snapshot) -> tuple[tuple[str, str], ...]:
    won = [line for line in now.log if line.ruling == "battle_won"]
    ties = Counter(line.round for line in now.log if line.ruling == "war_declared")
    found = []
    if wars := [line for line in won if ties[line.round]]:
        longest = max(wars, key=lambda line: (ties[line.round], line.taken))
        number = longest.round
        found.append(("longest", say(now, "page.end.war", n=ties[number], winner=longest.winner, round=number)))
    if won:
        catch = max(won, key=lambda line: line.taken)
        found.append(("catch", say(now, "page.end.cards", winner=catch.winner, n=catch.taken, round=catch.round)))
    lows = [(line.counts[now.winner], line.round) for line in won if now.winner in line.counts]
    if lows and min(lows)[0] < now.total / len(now.players) / 2:
        found.append(("comeback", say(now, "page.end.low", winner=now.winner, n=min(lows)[0], round=min(lows)[1])))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class SetupView:
    """How far the set-up has come: which of its steps are done, and the places as JSON, to be drawn."""

    game: bool
    camera: bool
    picture: bool
    places: bool
    ready: bool
    deal: str
    outlines: str


def setup_view(now: Snapshot) -> SetupView:
    """The steps of the set-up; all that needs a camera is done where one sees the table."""
    game, camera = bool(now.players) and not now.demo, now.camera.ok and bool(now.camera.source) and not now.demo
    picture = camera and bool(now.trying.meters) and all(one.ok for one in now.trying.meters)
    places = camera and bool(now.players) and all(name in now.trying.shown for name in now.players)
    deal = next((key for key in HOW_TO_PLAY.get(now.variant, ()) if key.startswith("deal")), "")
    outlines = [
        {"player": one.player, "zone": zone, "points": outline}
        for one in now.seats.seats
        for zone, outline in (("play", one.play), ("pile", one.pile))
        if outline or (zone == "pile" and now.pile_tops)
    ]
    text = say(now, f"how_to_play.{deal}") if deal else ""
    return SetupView(game, camera, picture, places, game and picture and places, text, json.dumps(outlines))


def describe_outcome(before: Snapshot, after: Snapshot) -> str:
    """What a person's act did to the rulings, in one sentence; empty where it changed none."""
    known = {(line.round, line.ruling, line.text) for line in before.log}
    new = [line for line in after.log if (line.round, line.ruling, line.text) not in known]
    if new:
        first = new[-1]
        said = say(after, "page.answer.judged", n=first.round, text=first.text) if first.round else first.text
        # Counts follow where a round in the past is judged anew.
        past = any(line.seq > first.seq for line in after.log if line.round != first.round)
        return say(after, "page.answer.follow", said=said) if past else said
    back = [line for line in after.undone if all(line.undone != old.undone for old in before.undone)]
    if not back:
        return ""
    if back[-1].disputes:
        return say(after, "page.answer.settled")
    said = say(after, "page.answer.back", text=back[0].text)
    return said if after.camera.source == "" else say(after, "page.answer.cards_lie", said=said)
