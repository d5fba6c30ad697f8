"""What is agreed before the first card: variant, players, rules, and who starts with how many cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from companion.referee.cards import Card, deal, pack
from companion.referee.settings import Leftover, RulesError, Settings
from companion.referee.variants import Variant, called, check_name, check_players, settings_for, variant

Value = TypeVar("Value")


class BadCounts(RulesError):
    """The starting counts, piles or wars do not fit the players and the pack."""


@dataclass(frozen=True, slots=True)
class Game:
    """One game as agreed. `counts` are the cards each player owns at the start.

    `piles` are the face-up piles at the start, bottom first (Steal War); `wars_won` the wars won before.
    """

    variant: Variant
    players: tuple[str, ...]
    settings: Settings
    counts: Mapping[str, int]
    piles: Mapping[str, tuple[Card, ...]] = field(default_factory=dict)
    wars_won: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many cards are in play."""
        return sum(self.counts.values())


def new_game(
    name: str,
    players: tuple[str, ...],
    chosen: Mapping[str, object] | None = None,
    counts: Mapping[str, int] | None = None,
    piles: Mapping[str, tuple[Card, ...]] | None = None,
    wars_won: Mapping[str, int] | None = None,
) -> Game:
    """A checked game. Raises RulesError: unknown variant or setting, wrong players or counts.

    >>> new_game("multi", ("Ana", "Ben", "Cai")).counts
    {'Ana': 17, 'Ben': 17, 'Cai': 17}
    """
    entry = variant(name)
    players = tuple(check_name(player, place) for place, player in enumerate(players, start=1))
    check_players(entry, players)
    rules = settings_for(name, chosen or {})
    start = starting_counts(players, rules) if counts is None else _by_player(players, counts)
    won = _by_player(players, wars_won or {})
    mine = _by_player(players, piles or {})
    game = Game(entry, players, rules, start, mine, {**dict.fromkeys(players, 0), **won})
    _check_counts(game)
    return game


def _by_player(players: tuple[str, ...], given: Mapping[str, Value]) -> dict[str, Value]:
    found = {called(players, player): value for player, value in given.items()}
    if len(found) < len(given):
        raise BadCounts("One player is named in two ways.")
    return found


def starting_counts(players: tuple[str, ...], rules: Settings) -> dict[str, int]:
    """How many cards each is dealt; cards that do not divide are treated as `leftover` says (E16, PAGAT).

    >>> starting_counts(("A", "B", "C"), settings_for("multi", {"leftover": "extra_card"}))
    {'A': 18, 'B': 17, 'C': 17}
    """
    each, left = deal(len(players), 52 + rules.jokers)
    extra = left if rules.leftover is Leftover.EXTRA_CARD else 0
    return {player: each + (place < extra) for place, player in enumerate(players)}


def _check_counts(game: Game) -> None:
    for given in (game.counts, game.piles, game.wars_won):
        strangers = [player for player in given if player not in game.players]
        if strangers:
            raise BadCounts(f"{strangers[0]} is not among the players {', '.join(game.players)}.")
    if set(game.counts) != set(game.players) or not all(type(n) is int and n >= 0 for n in game.counts.values()):
        raise BadCounts("Every player needs a starting count of 0 or more cards.")
    if not all(type(n) is int and n >= 0 for n in game.wars_won.values()):
        raise BadCounts("The wars won before are whole numbers from 0 on.")
    if game.total > pack(game.settings.jokers).bit_count():
        raise BadCounts(f"{game.total} cards are more than the pack has.")
    if any(len(pile) > game.counts[player] for player, pile in game.piles.items()):
        raise BadCounts("A face-up pile cannot hold more cards than its owner has.")
