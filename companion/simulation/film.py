"""Films of `.looks` scripts: looks and seats as the referee reads them, drawn by the renderer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from companion.console import read_text
from companion.errors import Fault
from companion.referee.cards import Card, Rank
from companion.referee.codec import read_script
from companion.referee.events import Input, Reshuffle, Seen, Steal, Top
from companion.seats.layout import Zone, parse_seats
from vision.lab.render.decks.catalogue import load_deck
from vision.lab.render.decks.deck import PAINTED_JOKERS, Deck
from vision.lab.render.films.film import FPS, SIZE, Film, Shot, write_film
from vision.lab.render.films.placement import Places
from vision.lab.render.films.staging import TableLook

#: Face-down cards that a place can show at most.
MOST_BACKS = 60

#: Each player's face-up pile as far as its cards are known, codes, bottom first.
KnownPiles = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class FilmScript:
    """The players in the order of their seats, and what lies on the table in the order of time."""

    players: tuple[str, ...]
    looks: tuple[TableLook, ...]


@dataclass(slots=True)
class PileTracker:
    """The face-up piles of Steal War as they lie on the table while a script is read.

    The referee's piles are no help: they hold what was won from the verdict on, the table from the collecting on.
    """

    known: KnownPiles = field(default_factory=dict)

    def show(self, tops: Mapping[str, str | None]) -> KnownPiles:
        """The piles once these cards lie on top; None is an empty place.

        >>> PileTracker({"Ana": ("7C",), "Ben": ("2D",)}).show({"Ana": "9S", "Ben": None})
        {'Ana': ('7C', '9S'), 'Ben': ()}
        """
        for player, top in tops.items():
            pile = self.known.get(player, ())
            if top is None:
                self.known[player] = ()
            elif pile[-1:] != (top,):
                self.known[player] = (*pile, top)
        return dict(self.known)

    def steal(self, thief: str, card: str, victims: Sequence[str]) -> tuple[KnownPiles, KnownPiles]:
        """The piles while the card lies on the first pile to be stolen, and once the thief has them all.

        >>> PileTracker({"Ana": ("2C",), "Ben": ("KD", "7C")}).steal("Ana", "7H", ["Ben"])[1]
        {'Ana': ('2C', 'KD', '7C', '7H'), 'Ben': ()}
        """
        reached = {**self.known, victims[0]: (*self.known.get(victims[0], ()), card)}
        loot = [code for victim in victims for code in self.known.get(victim, ())]
        self.known |= dict.fromkeys(victims, ())
        self.known[thief] = (*self.known.get(thief, ()), *loot, card)
        return reached, dict(self.known)


def read_film_script(path: Path) -> FilmScript:
    """What a `.looks` file shows. Raises Fault with the line's number where it cannot be filmed."""
    script = read_script(read_text(path).split("\n"))
    looks: list[TableLook] = []
    piles = PileTracker()
    for number, entry in zip(script.lines, script.inputs, strict=True):
        for look in _table_looks(number, entry, looks, piles):
            if looks and look.at < looks[-1].at:
                raise Fault(f"Line {number} of {path} cannot be filmed: its time lies before that of the look above.")
            looks.append(look)
    if not looks:
        raise Fault(f"The script {path} shows no look.")
    return FilmScript(_players(path, tuple((script.game or {}).get("players", ())), looks), tuple(looks))


def _table_looks(number: int, entry: Input, before: Sequence[TableLook], piles: PileTracker) -> Iterator[TableLook]:
    """The looks of an input: two for a steal, whose cards move twice; none for what only people say."""
    if not math.isfinite(entry.at) or entry.at < 0:
        raise Fault(f"Line {number} cannot be filmed: its time lies before the film's beginning.")
    match entry:
        case Seen():
            faces = {player: tuple(_code(number, face.card) for face in laid) for player, laid in entry.faces.items()}
            tops = {player: None if top is None else _code(number, top) for player, top in (entry.piles or {}).items()}
            yield TableLook(entry.at, faces, _backs(number, entry.backs or {}), piles.show(tops))
        case Steal():
            last = before[-1] if before else TableLook(entry.at, {})
            reached, moved = piles.steal(entry.by, _code(number, entry.card), entry.victims)
            yield TableLook(entry.at, last.faces, last.backs, reached, entry.by)
            yield TableLook(entry.at, last.faces, last.backs, moved)
        case Top():
            piles.show({player: _code(number, card) for player, card in entry.cards.items()})
        case Reshuffle():
            piles.show({entry.player: None})


def _backs(number: int, backs: Mapping[str, int]) -> Mapping[str, int]:
    if any(count > MOST_BACKS for count in backs.values()):
        raise Fault(f"Line {number} cannot be filmed: at most {MOST_BACKS} cards lie face down.")
    return backs


def _code(number: int, card: Card) -> str:
    """The code of a card that can be drawn; a joker of unknown colour is drawn in one of them."""
    if card.rank is Rank.JOKER and card.suit is None:
        return PAINTED_JOKERS[-1]
    if card.suit is None:
        raise Fault(f"Line {number} cannot be filmed: {card.code} is no card that can be shown.")
    return card.code


def _players(path: Path, named: tuple[str, ...], looks: Sequence[TableLook]) -> tuple[str, ...]:
    """The players that the script names, else those who show a card."""
    shown = tuple(dict.fromkeys(name for look in looks for cards in (look.faces, look.backs) for name in cards))
    if strangers := [name for name in shown if named and name not in named]:
        raise Fault(f"The script {path} shows cards of {strangers[0]}, who is not among the players.")
    if not (named or shown):
        raise Fault(f"The script {path} shows no card of anybody.")
    return named or shown


def divide_table(text: str, players: tuple[str, ...]) -> Places:
    """Whose place each point of the picture is, by the words or the text of a seats file. Raises WrongWords."""
    seats = parse_seats(text, players)

    def owner(zone: Zone, x: float, y: float) -> str | None:
        place = seats.at(x, y)
        return place.player if place is not None and place.zone is zone else None

    return Places(
        players,
        play=lambda x, y: owner(Zone.PLAY, x, y),
        pile=lambda x, y: owner(Zone.PILE, x, y),
    )


def make_film(
    script: FilmScript,
    deck: Deck,
    seats: str = "left-right",
    seed: int = 1,
    size: tuple[int, int] = SIZE,
    fps: float = FPS,
) -> Film:
    """The film of a script; the same seed gives the same frames of `size` pixels (width, height).

    Raises WrongWords for unknown seats, VisionError where a place is too small or the deck lacks a card.
    """
    return Film(script.looks, deck, divide_table(seats, script.players), seed, size, fps)


def render_look(
    look: TableLook,
    players: Sequence[str],
    deck: Deck,
    seats: str = "left-right",
    seed: int = 1,
    size: tuple[int, int] = SIZE,
) -> Shot:
    """One look as a still picture with its exact labels. Raises as `make_film`."""
    return make_film(FilmScript(tuple(players), (look,)), deck, seats, seed, size).shot(0)


def film_script_file(
    script: Path, out: Path, deck: str = "", art: Path | None = None, seats: str = "", seed: int = 1, fps: float = FPS
) -> None:
    """Write the film of a `.looks` file as MP4; `deck` is made-SEED where none is named.

    Raises Fault, WrongWords or VisionError where it cannot be read, drawn or written.
    """
    read = read_film_script(script)
    write_film(make_film(read, load_deck(deck or f"made-{seed}", art), seats or "left-right", seed, fps=fps), out)
