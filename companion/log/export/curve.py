"""Everybody's cards over the rounds as one small SVG curve, for the page and for the page to keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader

from companion.log.store import Session
from companion.log.summary import Summary
from companion.words import Words

#: Size of the drawing in its own units, and the margins around the curves.
_WIDTH, _HEIGHT = 900, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 120, 12, 24
_VERDICTS = ("battle_won", "battle_drawn")
_TEMPLATES = Environment(
    loader=PackageLoader("companion.log.export"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)

#: One ruling of the game in order: round, input, everybody's cards, kind.
CurvePoint = tuple[int, int, Mapping[str, int], str]


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    points: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class _Round:
    number: int
    x: float
    left: float
    width: float
    war: bool
    here: bool
    text: str
    address: str


def draw_curve(
    players: tuple[str, ...],
    start: Mapping[str, int],
    told: Iterable[CurvePoint],
    words: Words,
    address: str = "",
    here: int | None = None,
) -> str | None:
    """The curve of a game as SVG; None before its second round.

    `start` are the cards at the deal. `address` leads from a round to its replay, with `{look}` or `{round}` in it;
    empty for no links. `here` is a round to mark.
    """
    rulings = list(told)
    wars = {number for number, _, _, kind in rulings if kind == "war_declared"}
    judged = {number: (look, counts) for number, look, counts, kind in rulings if kind in _VERDICTS and counts}
    if len(judged) < 2:
        return None
    counts = [start, *(counts for _, counts in judged.values())]
    most = max(max(each.values()) for each in counts)
    step = (_WIDTH - _LEFT - _RIGHT) / (len(counts) - 1)
    # The sample of a game that is not kept whole begins where its newest lines begin.
    rounds = [
        _Round(
            number,
            _LEFT + place * step,
            _LEFT + (place - 0.5) * step,
            step,
            number in wars,
            number == here,
            words.say("page.story.round", n=number, counts=_counts(players, there, words)),
            address.format(look=look, round=number) if address else "",
        )
        for place, (number, (look, there)) in enumerate(judged.items(), start=1)
    ]
    ends = _spread([_y(counts[-1].get(name, 0), most) for name in players])
    lines = [
        _Line(name, _points(name, counts, step, most), _WIDTH - _RIGHT + 8, ends[place])
        for place, name in enumerate(players)
    ]
    return _TEMPLATES.get_template("curve.svg").render(
        lines=lines,
        rounds=rounds,
        most=most,
        width=_WIDTH,
        height=_HEIGHT,
        left=_LEFT,
        right=_WIDTH - _RIGHT,
        top=_TOP,
        bottom=_HEIGHT - _BOTTOM,
        says=words.say("page.story.says", players=players),
        war=words.say("page.story.war"),
    )


def _counts(players: tuple[str, ...], counts: Mapping[str, int], words: Words) -> str:
    return ", ".join(f"{name} {counts.get(name, 0)}" for name in players)


def _y(cards: int, most: int) -> float:
    return round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * cards / max(1, most), 1)


def _points(name: str, counts: list[Mapping[str, int]], step: float, most: int) -> str:
    return " ".join(f"{_LEFT + place * step:.1f},{_y(each.get(name, 0), most)}" for place, each in enumerate(counts))


def _spread(heights: list[float], apart: float = 17.0) -> list[float]:
    """The heights of the names at the curves' ends, moved so that no two lie on each other."""
    moved = list(heights)
    for place in sorted(range(len(heights)), key=heights.__getitem__):
        above = [moved[other] for other in range(len(heights)) if (heights[other], other) < (heights[place], place)]
        moved[place] = max([heights[place], *(one + apart for one in above)])
    over = max(0.0, max(moved) - (_HEIGHT - 6))
    return [one - over for one in moved]


def draw_session_curve(
    stored: Session, summary: Summary, words: Words, address: str = "", here: int | None = None
) -> str | None:
    """The curve of a stored game; `address` may have `{session}` in it too."""
    told = [(one.get("round") or 0, one["look"], one.get("counts") or {}, one["ruling"]) for one in summary.told]
    start = stored.game.get("counts") or dict.fromkeys(summary.players, 52 // len(summary.players))
    link = address.replace("{session}", str(stored.id))
    return draw_curve(summary.players, start, told, words, link, here)
