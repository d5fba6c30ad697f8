"""Sessions as JSON: everything but the pictures; what the importer reads."""

from __future__ import annotations

import json
from pathlib import Path

from companion.log import store
from companion.log.export import Shrink
from companion.log.games import each_session
from companion.words import Words


def export_json(path: Path, number: int, words: Words, shrink: Shrink) -> str:
    """The object of session `number`, indented. Raises LogError."""
    return json.dumps(store.export_session(path, number), ensure_ascii=False, indent=2) + "\n"


def export_log_json(path: Path, words: Words) -> str:
    """One object with every session, a line each, oldest first. Raises LogError."""
    sessions = (store.export_session(path, one.id) for one in each_session(path))
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in sessions)
    return f'{{"export": {store.EXPORT}, "sessions": [\n{lines}\n]}}\n'
