"""A game's best moments: the verdict that decided it, its longest war, its best catch, the winner's comeback."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.log.summary import RulingRow, Summary
from companion.words import Words


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment: the key of its label, its sentence, the input and round it happened at, and the cards laid there."""

    key: str
    text: str
    look: int
    round: int
    faces: Mapping[str, tuple[str, ...]]


def find_moments(summary: Summary, words: Words) -> tuple[Moment, ...]:
    """The best moments of a game, the deciding one first; none where no round was won. One round is told once."""
    if not summary.won:
        return ()
    last, catch, low = summary.won[-1], summary.biggest or {}, _lowest(summary)
    found = [_moment("decisive", last, words.ruling(last))]
    if war := summary.longest:
        found.append(_moment("longest", war, _said("war", war, words, n=war["wars"])))
    found.append(_moment("catch", catch, _said("cards", catch, words, n=max(catch["takes"].values(), default=0))))
    if low:
        cards = low["counts"][summary.winner]
        said = words.say("page.end.low", winner=summary.winner, n=cards, round=low["round"])
        found.append(_moment("comeback", low, said))
    return tuple(one for place, one in enumerate(found) if all(one.look != before.look for before in found[:place]))


def _said(key: str, ruling: RulingRow, words: Words, **values: object) -> str:
    return words.say(f"page.end.{key}", winner=ruling["winner"], round=ruling["round"], **values)


def _moment(key: str, ruling: RulingRow, text: str) -> Moment:
    faces = {player: tuple(codes) for player, codes in ruling["faces"].items() if codes}
    return Moment(key, text, ruling["look"], ruling["round"], faces)


def _lowest(summary: Summary) -> RulingRow | None:
    """The round after which the later winner had the fewest cards, where that was less than half of a fair share."""
    if not summary.winner:
        return None
    low = min(summary.won, key=lambda ruling: int(ruling["counts"].get(summary.winner, 0)))
    cards, total = low["counts"].get(summary.winner, 0), sum(low["counts"].values())
    return low if cards < total / len(summary.players) / 2 else None
