"""An evening as BG Stats takes it: a play link, an address with the play as JSON in it.

The form is the app maker's own for plays that other programs hand over: name and source id of game and players,
the date in universal time as `2026-01-31 19:30:00`, and for every player `winner` and `startPlayer`, which one of
the apps wants even where they are false.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from companion.log.export.html import houses
from companion.log.export.summary import Evening
from companion.log.store import Session
from companion.words import Words

LINK = "bgstats://app.bgstatsapp.com/createPlay.html?data="
SOURCE, GAME = "War Referee", "War"


def link(play: dict[str, Any]) -> str:
    """The address that opens the app with this play."""
    return LINK + quote(json.dumps(play, ensure_ascii=False, separators=(",", ":")), safe="")


def play(stored: Session, it: Evening, words: Words) -> dict[str, Any]:
    """The play of a session. The same session has the same `sourcePlayId` in every log it is kept in."""
    opened = datetime.fromisoformat(stored.opened).astimezone(UTC)
    variant = stored.game["variant"]
    rules = houses(stored, words)
    return {
        "sourceName": SOURCE,
        "sourcePlayId": f"{stored.opened} {' '.join(it.players)}",
        "playDate": opened.strftime("%Y-%m-%d %H:%M:%S"),
        "durationMin": round(it.seconds / 60),
        "game": {"name": GAME, "sourceGameId": f"war-{variant}", "highestWins": True, "noPoints": False},
        "board": words.say(f"variant.{variant}") + (f": {rules}" if rules else ""),
        "comments": _comments(it, words),
        "players": _players(stored, it),
    }


def _comments(it: Evening, words: Words) -> str:
    end = words.ruling(it.over) if it.over else ""
    return words.say("keepsake.bgstats", rounds=it.rounds, wars=len(it.wars), end=end).strip()


def _players(stored: Session, it: Evening) -> list[dict[str, Any]]:
    people = it.people(stored.game.get("counts", {}))
    winner = it.over["winner"] if it.over else None
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
