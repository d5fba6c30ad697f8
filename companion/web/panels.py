"""The live panels of a page as HTML, drawn once for every change and handed to all who watch."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path, PureWindowsPath
from typing import Any
from urllib.parse import urlsplit

from flask import Flask

from companion.log import store
from companion.log.export.curve import draw_curve
from companion.table.snapshot import Chip, LogLine, Snapshot
from companion.web.template_helpers import say, saying, words
from companion.web.view_models import end, headline, kind, on_table, player_places, setup_view, unwatched

#: Page name -> template of its panels.
PARTS = {
    "control": "parts/control.html",
    "screen": "parts/screen.html",
    "log": "parts/log_page.html",
    "enrol": "enrol_live.html",
    "setup": "parts/setup.html",
}
#: An appeal is a notice in the log.
DISPUTES = ("question", "violation", "notice")
#: What the appeal beside the verdict is against.
DISPUTABLE = ("battle_won", "battle_drawn", "war_declared", "steal", "game_over")


def fragment(app: Flask, now: Snapshot, page: str, only: str) -> str:
    """The panels of `page` for this snapshot; an unknown page is the control page."""
    drawn: dict[tuple[str, str, str], tuple[Snapshot, str]] = app.extensions["war-referee-fragments"]
    part = page if page in PARTS else "control"
    key = (part, only if only in FILTERS else "all", now.language)
    known = drawn.get(key)
    if known is None or known[0] is not now:
        shown = context(now, only, part) | {"earlier": earlier(app.extensions["war-referee"].log, now.session)}
        html = app.jinja_env.get_template(PARTS[part]).render(shown)
        known = drawn[key] = (now, html)
    return known[1]


def context(now: Snapshot, only: str = "all", name: str = "control") -> dict[str, Any]:
    """Everything the templates of a live page use."""
    shown = only if only in FILTERS else "all"
    return {
        **saying(now.language),
        "name": name,
        "now": now,
        "kind": kind(now),
        "places": player_places(now),
        "headline": headline(now.verdict or (now.chip_text if now.players else say(now, "page.start"))),
        "hint": hint(now),
        "end": end(now),
        "again": {key: _text(value) for key, value in now.settings.items() if key != "ask_above"},
        "curve": curve(now),
        "verified": verified(now),
        "disputable": next((line.look for line in now.log if line.ruling in DISPUTABLE), None),
        "lines": lines(now, shown),
        "only": shown,
        "expected": expected(now),
        "differs_at": next((line.look for line in now.log if line.ruling == "violation"), None),
        "appealed": appealed(now),
        "in_war": frozenset(line.look for line in now.log if of_war(line)),
        "camera_name": camera_name(now),
        "unwatched": unwatched(now),
        "setup": setup_view(now),
        "to_collect": unwatched(now) and now.chip in (Chip.VERDICT, Chip.COLLECT) and bool(now.cards),
        "banner": now.banner or (say(now, "page.camera.nobody") if unwatched(now) else ""),
    }


def earlier(path: Path | None, session: int | None) -> int | None:
    """The number of the game that was played before this session, where the log knows one."""
    return store.find_previous(path, session) if path else None


def lines(now: Snapshot, only: str) -> tuple[LogLine, ...]:
    """The log's lines of one kind, with those taken back. Faces that are not judged yet are no line."""
    told = [line for line in (*now.log, *now.undone) if line.ruling != "shown"]
    return tuple(filter(FILTERS[only], sorted(told, key=lambda line: line.look, reverse=True)))


def of_war(line: LogLine) -> bool:
    """Whether a war was declared or fought there."""
    return line.ruling == "war_declared" or any(len(laid) > 1 for laid in line.faces.values())


FILTERS: dict[str, Callable[[LogLine], bool]] = {
    "all": lambda line: True,
    "wars": of_war,
    "corrections": lambda line: line.corrected or line.undone > 0,
    "disputes": lambda line: line.ruling in DISPUTES,
}


def expected(now: Snapshot) -> str:
    """What ought to lie on the table, in one phrase."""
    names = ", ".join(name for name in now.players if name not in now.out)
    if now.war:
        return say(now, "page.differs.war_each", players=", ".join(now.war.who))
    return say(now, "page.differs.card_each", players=names)


def verified(now: Snapshot) -> int:
    """The round before which people have counted last, 0 where nobody did."""
    told = iter(now.log)
    if not any(line.kind == "counted" for line in told):
        return 0
    return next((line.round for line in told if line.round), 0) + 1


def appealed(now: Snapshot) -> LogLine | None:
    """The ruling that the newest line disputes."""
    disputed = now.log[0].disputes if now.log else None
    return next((line for line in now.log if line.look == disputed), None)


def hint(now: Snapshot) -> str:
    """What would help now: with a card, or with a camera that is lost while a verdict stands."""
    if now.chip is Chip.CAMERA_LOST and now.log and now.camera.message not in (now.verdict, ""):
        return now.camera.message
    return now.hint or aside(now)


#: Rounds after which a game is long: about two in three end earlier, as `warref simulate --games 1000` plays them.
LONG_ROUNDS = 300
#: Every so many rounds of a long game that is said, for so many rounds.
LONG_EVERY, LONG_TOLD = 50, 2
#: Rounds won in a row from which on the others are cheered up.
STREAK = 5


def aside(now: Snapshot) -> str:
    """What is worth saying while nothing else is: no new cards, no end in sight, somebody out of luck."""
    if now.chip not in (Chip.VERDICT, Chip.COLLECT, Chip.WAITING_FOR_CARDS) or now.finished:
        return ""
    judged = [line for line in now.log if line.ruling in ("battle_won", "battle_drawn")]
    if now.chip is Chip.COLLECT and judged and set(judged[0].faces) <= set(on_table(now)):
        return say(now, "page.aside.same_cards")
    if now.settings.get("end") == "all_cards" and now.round >= LONG_ROUNDS and now.round % LONG_EVERY < LONG_TOLD:
        return say(now, "page.aside.no_end", n=now.round)
    winners = [line.winner for line in judged]
    row = len(list(takewhile(lambda winner: winner == winners[0], winners)))
    others = tuple(name for name in now.players if name not in (*now.out, *winners[:1]))
    if row < STREAK or not winners[0] or not others:
        return ""
    return say(now, "page.aside.streak", n=row, winner=winners[0], others=others)


def curve(now: Snapshot) -> str | None:
    """Everybody's cards over the rounds so far; each round leads to its replay where the game is kept."""
    told = [(line.round or 0, line.look, line.counts, line.ruling) for line in reversed(now.log)]
    address = f"/sessions/{now.session}/replay?look={{look}}" if now.session else ""
    start = {name: now.total // max(1, len(now.players)) for name in now.players}
    return draw_curve(now.players, start, told, words(now.language), address)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def camera_name(now: Snapshot) -> str:
    """The watched camera's name as the picker has it, else a name for what is watched, never a path or a password."""
    if now.demo:
        return say(now, "page.camera.sample")
    named = (choice.name for choice in now.camera.choices if choice.source == now.camera.source)
    return next(named, "" if now.camera.source.isdigit() else short_source(now.camera.source))


def short_source(source: str) -> str:
    r"""The end of a path, or the host of an address.

    >>> short_source("/home/ana/film.mp4"), short_source(r"C:\film.mp4"), short_source("rtsp://ana:secret@10.0.0.7/1")
    ('film.mp4', 'film.mp4', '10.0.0.7')
    >>> short_source("phone:0123abcd:Ana's iPhone")
    "Ana's iPhone"
    """
    if source.startswith("phone:"):
        return source.rpartition(":")[2]
    if "://" in source:
        # What an address looks like is anybody's guess: it was typed.
        with suppress(ValueError):
            return urlsplit(source).hostname or ""
        return ""
    return PureWindowsPath(source).name


def lines_of(now: Snapshot, look: int) -> tuple[LogLine, ...]:
    """What the log says about one input, oldest first; of one that is taken back, what it said."""
    return tuple(line for line in reversed((*now.log, *now.undone)) if line.look == look)
