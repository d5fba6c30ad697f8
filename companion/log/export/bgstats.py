"""A session as a play link for BG Stats: an address with the play as JSON in summary.

The app maker's format for plays from other programs: name and source id of game and players,
the date in universal time as `2026-01-31 19:30:00`, and for every player `winner` and `startPlayer`, which one of
the apps wants even where they are false.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from companion.log import store
from companion.log.export import Shrink
from companion.log.export.html import describe_house_rules
from companion.log.summary import Summary
from companion.words import Words

#: Address that opens the app; the play follows, percent-encoded.
LINK = "bgstats://app.bgstatsapp.com/createPlay.html?data="
#: Name of this program in a play.
SOURCE = "War Referee"
#: Name of the game in a play.
_GAME = "War"


def export_bgstats(path: Path, number: int, words: Words, shrink: Shrink) -> str:
    """The link of session `number` and a line end. Raises LogError."""
    return play_link(stored_play(path, number, words)) + "\n"


def stored_play(path: Path, number: int, words: Words) -> dict[str, Any]:
    """The play of session `number` of the log at `path`. Raises LogError."""
    stored = store.load_session(path, number)
    return as_play(stored, store.load_summary(path, stored), words)


def play_link(play: dict[str, Any]) -> str:
    """The address that opens the app with this play."""
    return LINK + quote(json.dumps(play, ensure_ascii=False, separators=(",", ":")), safe="")


def as_play(stored: store.Session, summary: Summary, words: Words) -> dict[str, Any]:
    """The play of a session. The same session has the same `sourcePlayId` in every log it is kept in."""
    opened = datetime.fromisoformat(stored.opened).astimezone(UTC)
    variant = stored.game["variant"]
    rules = describe_house_rules(stored, words)
    return {
        "sourceName": SOURCE,
        "sourcePlayId": f"{stored.opened} {' '.join(summary.players)}",
        "playDate": opened.strftime("%Y-%m-%d %H:%M:%S"),
        "durationMin": round(summary.seconds / 60),
        "game": {"name": _GAME, "sourceGameId": f"war-{variant}", "highestWins": True, "noPoints": False},
        "board": words.say(f"variant.{variant}") + (f": {rules}" if rules else ""),
        "comments": _comments(summary, words),
        "players": _players(stored, summary),
    }


def _comments(summary: Summary, words: Words) -> str:
    end = words.ruling(summary.over) if summary.over else ""
    return words.say("session_page.bgstats", rounds=summary.rounds, wars=len(summary.wars), end=end).strip()


def _players(stored: store.Session, summary: Summary) -> list[dict[str, Any]]:
    people = summary.people(stored.game.get("counts", {}))
    winner = summary.over["winner"] if summary.over else None
    # By the rules of some houses somebody wins who does not hold the most cards.
    places = sorted((one.name != winner, -one.cards) for one in people)
    return [
        {
            "name": one.name,
            "sourcePlayerId": one.name.casefold(),
            "startPlayer": False,
            "rank": places.index((one.name != winner, -one.cards)) + 1,
            "score": one.cards,
            "winner": one.name == winner,
        }
        for one in people
    ]
