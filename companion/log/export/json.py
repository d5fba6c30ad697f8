"""A session as JSON: everything but the pictures; what the importer reads."""

from __future__ import annotations

import json
from pathlib import Path

from companion.log import store


def export_json(path: Path, number: int) -> str:
    """The object of session `number`, indented. Raises LogError."""
    return json.dumps(store.export_session(path, number), ensure_ascii=False, indent=2) + "\n"
