"""What the table asks of a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from companion.referee.codec import Json


@dataclass(frozen=True, slots=True)
class Entry:
    """One input and what it caused, written together or not at all.

    `rulings` are the new ones as (seq, look, JSON); rulings in force with a seq above `keep` are replaced.
    `mark` is the place in the source, None for a person's act. `pictures` are JPEG bytes by name.
    """

    look: int
    input: Json
    rulings: tuple[tuple[int, int, Json], ...] = ()
    keep: int = 0
    mark: float | None = None
    by: str = ""
    model: str = ""
    pictures: Mapping[str, bytes] = field(default_factory=dict)


class Keeper(Protocol):
    """Where inputs and rulings are kept; `companion.log.store.Log` is the one that lasts."""

    def open_session(
        self, game: Json, source: str, seats: str, live: bool, program: str = "", ends: int | None = None
    ) -> int:
        """Begin a session and return its number; session `ends` is over with it, or neither is written."""

    def set_source(self, session: int, source: str) -> None:
        """Note the camera that the session is watched by now."""

    def write(self, session: int, entry: Entry) -> dict[str, int]:
        """Store one input with all it caused, or nothing; return the numbers of its pictures by name."""

    def end_session(self, session: int, reason: str) -> None:
        """Mark the session as over."""
