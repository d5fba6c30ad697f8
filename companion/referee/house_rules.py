"""Playing by other house rules in the middle of a game: from the next round on, the counts staying as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion.referee.events import Notice, NoticeKind
from companion.referee.game import Game
from companion.referee.position import Position, Turn
from companion.referee.settings import RulesError, Settings
from companion.referee.variants import settings_for
from companion.referee.wars import house_rule_words

#: What is settled by the deal.
DEALT = ("jokers", "leftover")
#: What says how long is played: counted from when it was agreed.
LENGTH = ("end", "end_minutes", "end_rounds")


class NewDeal(RulesError):
    """The setting can only be chosen with a new deal."""


def agreed(pos: Position, rules: Mapping[str, object]) -> Settings:
    """The house rules in force once `rules` are added. Raises RulesError."""
    game = _next(pos)
    base = settings_for(game.variant.name, {})
    after = settings_for(game.variant.name, {**game.settings.changed(base), **rules})
    dealt = [key for key in DEALT if getattr(after, key) != getattr(game.settings, key)]
    if dealt:
        raise NewDeal(f"{dealt[0]} is settled when the cards are dealt: begin a new game for that.")
    return after


def agree(turn: Turn, rules: Mapping[str, object]) -> None:
    """Note what is agreed; it holds at once where no card of the round lies yet, else from the next round on."""
    before, after = _next(turn.pos), agreed(turn.pos, rules)
    keys = tuple(after.changed(before.settings))
    if not keys:
        turn.say(Notice(NoticeKind.NOTHING_TO_DO))
        return
    turn.say(Notice(NoticeKind.AGREED, house_rules=house_rule_words(after, keys)))
    turn.change(agreed=replace(before, settings=after))
    now = turn.pos.round
    if now.verdict is None and not now.laid:
        take_up(turn)


def take_up(turn: Turn) -> None:
    """Play by what was agreed."""
    pos = turn.pos
    if pos.agreed is None:
        return
    anew = set(pos.agreed.settings.changed(pos.game.settings)).intersection(LENGTH)
    since = (turn.at, pos.round.number - 1) if anew else pos.since
    turn.change(game=pos.agreed, agreed=None, since=since)


def _next(pos: Position) -> Game:
    """The game as the next round is played."""
    return pos.agreed or pos.game
