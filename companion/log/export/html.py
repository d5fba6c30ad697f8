"""A session as one HTML page: no script, nothing loaded from elsewhere, its pictures embedded."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader

from companion.log import store
from companion.log.export import POLICY, Shrink
from companion.log.export.curve import draw_session_curve
from companion.log.export.moments import Moment, find_moments
from companion.log.summary import RulingRow, Summary
from companion.referee.cards import short_name
from companion.words import Words
from companion.words.times import format_clock

_TEMPLATES = Environment(
    loader=PackageLoader("companion.log.export"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)


def export_html(path: Path, number: int, words: Words, shrink: Shrink) -> str:
    """The page of session `number`; `shrink` makes a JPEG of the table as small as the page needs. Raises LogError."""
    stored = store.load_session(path, number)
    numbers = store.list_evidence(path, number).items()
    tables = {look: store.load_evidence_picture(path, picture) for (look, name), picture in numbers if name == "table"}
    pictures = {look: shrink(jpeg) for look, jpeg in tables.items() if jpeg}
    return render_page(stored, store.load_summary(path, stored), pictures, words)


def render_page(stored: store.Session, summary: Summary, pictures: Mapping[int, bytes], words: Words) -> str:
    """The page of a session; `pictures` are JPEGs of the table by look."""
    moments = find_moments(summary, words)
    # A picture is embedded once: with its moment, or in its round.
    others = {look: jpeg for look, jpeg in pictures.items() if all(look != one.look for one in moments)}
    return _TEMPLATES.get_template("session_page.html").render(
        words=words,
        short=short_name,
        policy=POLICY,
        opened=words.moment(stored.opened),
        title=words.say("session_page.title", players=words.names(summary.players)),
        end=words.ruling(summary.over) if summary.over else "",
        note=stored.note,
        facts=_facts(stored, summary, words),
        moments=[_moment(one, summary, pictures) for one in moments],
        people=summary.people(store.starting_counts_of(stored.game)),
        curve=draw_session_curve(stored, summary, words, "#round-{round}") or "",
        rounds=_rounds(summary, others, words),
        with_pictures=any(ruling["look"] in others for ruling in summary.told),
    )


def _moment(it: Moment, summary: Summary, pictures: Mapping[int, bytes]) -> dict[str, Any]:
    """A moment for the page, with the picture of its input where one is kept."""
    at = next(ruling["at"] for ruling in summary.rulings if ruling["look"] == it.look)
    picture = b64encode(pictures[it.look]).decode() if it.look in pictures else ""
    return {"key": it.key, "text": it.text, "faces": it.faces, "time": format_clock(at), "picture": picture}


def describe_house_rules(stored: store.Session, words: Words) -> str:
    """The house rules agreed before the game, in words; empty where there are none."""
    return "; ".join(words.setting(key, value) for key, value in stored.game.get("set", {}).items())


def _facts(stored: store.Session, summary: Summary, words: Words) -> dict[str, str]:
    """Facts of the game in words, by the key of their label."""
    longest = words.say("session_page.no_war")
    if war := summary.longest:
        n, ties, cards = war["round"], war["wars"], war["pot"]
        longest = words.say("session_page.longest_war", n=n, ties=ties, cards=cards, winner=war["winner"])
    return {
        "played": words.say(f"variant.{stored.game['variant']}"),
        "span": words.span(summary.seconds) if summary.rounds else "–",
        "rules": describe_house_rules(stored, words) or words.say("session_page.no_rules"),
        "rounds": str(summary.rounds),
        "wars": str(len(summary.wars)),
        "longest": longest,
        "corrections": str(summary.corrections),
    }


def _rounds(summary: Summary, pictures: Mapping[int, bytes], words: Words) -> list[dict[str, Any]]:
    """The rows of the table of rounds; a picture stands at the first ruling of its look only."""
    rows: list[dict[str, Any]] = []
    shown = set()
    for ruling in summary.told:
        look = ruling["look"]
        jpeg = pictures.get(look) if look not in shown else None
        shown.add(look)
        row = _row(ruling, look in summary.corrected, jpeg, words)
        # The curve leads to the first ruling of a round.
        rows.append(row | {"anchor": all(row["round"] != other["round"] for other in rows)})
    return rows


def _row(ruling: RulingRow, corrected: bool, jpeg: bytes | None, words: Words) -> dict[str, Any]:
    counts = ruling.get("counts") or {}
    return {
        "round": ruling.get("round", ""),
        "time": format_clock(ruling["at"]),
        "faces": ruling.get("faces") or {},
        "text": words.ruling(ruling),
        "counts": ", ".join(f"{player} {n}" for player, n in counts.items()),
        "corrected": corrected,
        "picture": b64encode(jpeg).decode() if jpeg else "",
    }
