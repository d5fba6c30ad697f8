"""Lines for the terminal: what was asked for on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any


def out(line: str | Mapping[str, Any]) -> None:
    """A line of the answer, text or JSON, at once."""
    text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def tell(sentence: str) -> None:
    """A sentence beside the answer."""
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()
