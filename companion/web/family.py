"""The family over all evenings, and a page for each player: numbers, records, streaks with kind words."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from companion.log.family import LEAST_STREAK, Best, Family, PlayerRecord, family_numbers
from companion.table.snapshot import Snapshot
from companion.web.context import source, table_now
from companion.web.error_pages import failed
from companion.web.panels import context
from companion.web.template_helpers import say, words

family_pages = Blueprint("family", __name__)

#: What each record is counted in: the key of its number in words.
UNITS = {
    "longest_war": "ties",
    "best_catch": "cards",
    "comeback": "down_to",
    "longest_game": "rounds",
    "most_wars": "wars",
    "most_survived": "wars",
}
#: Width of the widest bar, in units of the drawing.
_BAR = 260


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record in words: its label, how much, whose, when, and the address of its proof."""

    label: str
    text: str
    player: str
    opened: str
    address: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One player's bar: its length and a mark, in units of the drawing, and the words beside it."""

    name: str
    length: float
    mark: float
    text: str
    value: str


@family_pages.get("/family")
def family() -> str:
    """Everybody over all games."""
    now, path = table_now(), source().log
    found = family_numbers(path) if path else Family()
    shown = {
        "family": found,
        "records": [record_view(now, key, best) for key, best in found.records.items()],
        "streaks": [text for one in found.players if (text := streak_words(now, one))],
        "wins": _wins(now, found),
        "luck": _luck(now, found),
        "luck_words": {one.name: luck_words(now, one) for one in found.players},
        "best_words": {one.name: _bests(now, one) for one in found.players},
    }
    return render_template("family.html", **(context(now, name="family") | shown))


@family_pages.get("/family/<name>")
def player(name: str) -> ResponseReturnValue:
    """One player: what was best, what stands against the others, and all games."""
    now, path = table_now(), source().log
    found = family_numbers(path) if path else Family()
    it = found.player(name)
    if it is None:
        return failed(404, say(now, "page.family.unknown", name=name))
    shown = {
        "it": it,
        "records": _mine(now, it),
        "streak": streak_words(now, it),
        "luck_words": luck_words(now, it),
        "pairs": [pair for pair in found.pairs if name in (pair.one, pair.other)],
        "others": [one.name for one in found.players if one.name != name],
    }
    return render_template("player.html", **(context(now, name="family") | shown))


def record_view(now: Snapshot, key: str, best: Best) -> RecordView:
    """A record in the language of the table."""
    spoken = words(now.language)
    text = spoken.span(best.value) if key not in UNITS else say(now, f"page.family.{UNITS[key]}", n=int(best.value))
    step = f"/replay?look={best.look}" if best.look else ""
    address = f"/sessions/{best.session}{step}"
    return RecordView(say(now, f"page.family.record.{key}"), text, best.player, best.opened, address)


def _bests(now: Snapshot, one: PlayerRecord) -> dict[str, RecordView]:
    found = {key: getattr(one, key) for key in ("longest_war", "best_catch", "comeback")}
    return {key: record_view(now, key, best) for key, best in found.items() if best}


def _mine(now: Snapshot, one: PlayerRecord) -> list[RecordView]:
    """A player's own records, under the labels a child looks for."""
    views = _bests(now, one)
    return [
        RecordView(say(now, f"page.family.my_{key}"), it.text, it.player, it.opened, it.address)
        for key, it in views.items()
    ]


def luck_words(now: Snapshot, one: PlayerRecord) -> str:
    """How lucky somebody was, in whole rounds; empty where nothing was expected."""
    if not one.judged:
        return ""
    rounds = round(one.luck)
    key = "luck_even" if not rounds else "luck_plus" if rounds > 0 else "luck_minus"
    return say(now, f"page.family.{key}", n=abs(rounds))


def streak_words(now: Snapshot, one: PlayerRecord) -> str:
    """A kind word on a row of games; empty where there is none. Only won ones are counted out aloud as a feat."""
    if one.streak >= LEAST_STREAK:
        return say(now, "page.family.streak.won", name=one.name, n=one.streak)
    if one.streak > -LEAST_STREAK - 1:
        return ""
    key = "lost_luck" if one.luck < -1 else "lost_brave" if one.wars_survived else "lost"
    return say(now, f"page.family.streak.{key}", name=one.name, n=-one.streak, wars=one.wars_survived)


def _wins(now: Snapshot, found: Family) -> list[Bar]:
    most = max((one.won for one in found.players), default=0) or 1
    return [
        Bar(
            one.name,
            _BAR * one.won / most,
            0.0,
            say(now, "page.family.wins_bar", name=one.name, n=one.won, of=one.finished),
            str(one.won),
        )
        for one in found.players
        if one.finished
    ]


def _luck(now: Snapshot, found: Family) -> list[Bar]:
    """Rounds won as a bar, what was expected as a mark on it."""
    judged = [one for one in found.players if one.judged]
    most = max((max(one.judged_won, one.expected) for one in judged), default=0) or 1
    return [
        Bar(
            one.name,
            _BAR * one.judged_won / most,
            _BAR * one.expected / most,
            say(now, "page.family.expected_bar", name=one.name, won=one.judged_won, expected=f"{one.expected:.0f}"),
            f"{one.judged_won} / {one.expected:.0f}",
        )
        for one in judged
    ]
