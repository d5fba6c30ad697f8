"""Presents rulings as lines of the log, newest first; each is worded only once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.referee.codec import ruling_to_json
from companion.referee.events import Appeal, Correct, Ruled
from companion.referee.reducer import State, ruled_before_undo, rulings, undone_inputs
from companion.table.session import LiveSession
from companion.table.snapshot import LogLine
from companion.words import Words

#: The page shows the newest lines; the log file and `/sessions` have them all.
MOST_LINES = 200


class LogLines:
    """The lines of the session at the table."""

    def __init__(self, words: Words) -> None:
        """Speak with `words`."""
        self._words = words
        self._ruled: tuple[Ruled, ...] = ()
        self._lines: list[LogLine] = []
        self._shown: tuple[LiveSession, tuple[LogLine, ...], tuple[LogLine, ...]] | None = None
        #: Lines that an undo took back, by the number of the undo. What was said before it never changes.
        self._undone: dict[int, tuple[LogLine, ...]] = {}

    def of(self, session: LiveSession) -> tuple[LogLine, ...]:
        """The newest lines of a session, newest first."""
        return self._both(session)[0]

    def undone(self, session: LiveSession) -> tuple[LogLine, ...]:
        """The lines of what is taken back, newest first."""
        return self._both(session)[1]

    def _both(self, session: LiveSession) -> tuple[tuple[LogLine, ...], tuple[LogLine, ...]]:
        if self._shown is None or self._shown[0] is not session:
            if self._shown is None or self._shown[0].id != session.id:
                self._undone.clear()
            self._shown = session, self._newest(session), self._taken_back(session)
        return self._shown[1:]

    def _taken_back(self, session: LiveSession) -> tuple[LogLine, ...]:
        found: list[LogLine] = []
        for number, undo in sorted(undone_inputs(session.state).items(), reverse=True):
            if undo not in self._undone:
                said = (
                    self._line(ruled, session.game.counts) for ruled in ruled_before_undo(session.state, number, undo)
                )
                self._undone[undo] = tuple(replace(line, counts={}, moved={}, undone=undo) for line in said)
            found += reversed(self._undone[undo])
        appeals, pictures = _appeals(session.state), session.pictures
        return tuple(
            replace(line, evidence=(line.look, "table") in pictures, disputes=appeals.get(line.look))
            for line in found[:MOST_LINES]
        )

    def _newest(self, session: LiveSession) -> tuple[LogLine, ...]:
        stand, corrected, appeals = rulings(session.state), _corrected(session.state), _appeals(session.state)
        same = _alike(stand, self._ruled) if self._shown and self._shown[0].id == session.id else 0
        counts = self._lines[same - 1].counts if same else session.game.counts
        del self._lines[same:]
        for ruled in stand[same:]:
            line = self._line(ruled, counts)
            counts = line.counts
            self._lines.append(line)
        self._ruled = stand
        newest = (replace(line, disputes=appeals.get(line.look)) for line in reversed(self._lines[-MOST_LINES:]))
        return tuple(self._marked(line, session, corrected) for line in newest)

    def _marked(self, line: LogLine, session: LiveSession, corrected: Mapping[int, State]) -> LogLine:
        evidence = (line.look, "table") in session.pictures
        act = corrected.get(line.look)
        if act is None:
            return replace(line, evidence=evidence)
        by = session.by.get(act.looks, "")
        return replace(line, evidence=evidence, corrected=True, corrected_by=by, corrected_at=act.at)

    def _line(self, ruled: Ruled, before: Mapping[str, int]) -> LogLine:
        record: dict[str, Any] = ruling_to_json(ruled)
        counts = record.get("counts") or before
        return LogLine(
            seq=ruled.seq,
            look=ruled.look,
            at=ruled.at,
            ruling=record["ruling"],
            round=record.get("round"),
            text=self._words.ruling(record),
            rule=record.get("rule", ""),
            kind=record.get("kind", ""),
            in_force=self._words.in_force(record),
            winner=record.get("winner", "") if record["ruling"] == "battle_won" else "",
            taken=sum(record.get("takes", {}).values()),
            faces={player: tuple(codes) for player, codes in record.get("faces", {}).items()},
            counts=counts,
            moved={player: n - before[player] for player, n in counts.items() if n != before[player]},
        )


def _alike(new: tuple[Ruled, ...], old: tuple[Ruled, ...]) -> int:
    """How many of the first rulings are the very same ones."""
    same = 0
    while same < min(len(new), len(old)) and new[same] is old[same]:
        same += 1
    return same


def _corrected(state: State) -> dict[int, State]:
    """The looks that a person has corrected, each with the state after the last act that did."""
    found: dict[int, State] = {}
    removed = undone_inputs(state)
    for past in state.history():
        if isinstance(past.cause, Correct) and past.looks not in removed:
            found.setdefault(past.cause.look, past)
    return found


def _appeals(state: State) -> dict[int, int]:
    """The appeals, each with the number of the input whose ruling it disputes."""
    return {past.looks: past.cause.look for past in state.history() if isinstance(past.cause, Appeal)}
