"""Stored games in other formats: one module a format, all of them in FORMATS and LOG_FORMATS, which load none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

#: Content Security Policy of the page to keep: it brings its style and pictures, and a browser may show nothing else.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

Shrink = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One format, written by the function `where` (`module:function` of this package).

    `file` is the name a download is saved under; `headers` go with an answer over HTTP.
    """

    name: str
    media_type: str
    where: str
    file: str
    headers: dict[str, str] = field(default_factory=dict)

    def _function(self) -> Callable[..., str | bytes]:
        module, _, function = self.where.partition(":")
        found: Callable[..., str | bytes] = getattr(import_module(f"{__name__}.{module}"), function)
        return found

    def export(self, path: Path, number: int, words: Any, shrink: Shrink) -> bytes:
        """Session `number` of the log at `path`; `shrink` makes a JPEG smaller. Raises LogError."""
        return _as_bytes(self._function()(path, number, words, shrink))

    def export_all(self, path: Path, words: Any) -> bytes:
        """The whole log at `path`, for a format of LOG_FORMATS. Raises LogError."""
        return _as_bytes(self._function()(path, words))


def _as_bytes(made: str | bytes) -> bytes:
    # Half a letter, as in the name of a foreign file, is written as its escape.
    return made.encode(errors="backslashreplace") if isinstance(made, str) else made


def _listed(*entries: ExportFormat) -> dict[str, ExportFormat]:
    return {entry.name: entry for entry in entries}


#: Every format of one game, by the name that `warref export --format` and the page's addresses use.
FORMATS = _listed(
    ExportFormat("json", "application/json", "json:export_json", "war-{number}.json"),
    ExportFormat("csv", "text/csv", "csv:export_csv", "war-{number}.csv"),
    ExportFormat("html", "text/html", "html:export_html", "war-{number}.html", {"Content-Security-Policy": POLICY}),
    ExportFormat("png", "image/png", "png:export_png", "war-{number}.png"),
    ExportFormat("bgstats", "text/plain", "bgstats:export_bgstats", "war-{number}-bgstats.txt"),
)
#: Every format of the whole log.
LOG_FORMATS = _listed(
    ExportFormat("json", "application/json", "json:export_log_json", "war-games.json"),
    ExportFormat("games", "text/csv", "csv:export_games", "war-games.csv"),
    ExportFormat("players", "text/csv", "csv:export_players", "war-players.csv"),
    ExportFormat("rounds", "text/csv", "csv:export_rounds", "war-rounds.csv"),
)
