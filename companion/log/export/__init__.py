"""A stored session in other formats: one module a format, all of them in FORMATS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from companion.log.export.bgstats import export_bgstats
from companion.log.export.csv import export_csv
from companion.log.export.html import POLICY, export_html
from companion.log.export.json import export_json
from companion.words import Words


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One format. `export` takes the log's path, a session's number, the words, and what makes a JPEG smaller.

    `file` is the name a download is saved under, empty where a browser shows it; `headers` go with an answer over HTTP.
    """

    name: str
    media_type: str
    export: Callable[[Path, int, Words, Callable[[bytes], bytes]], str]
    file: str = ""
    headers: dict[str, str] = field(default_factory=dict)


#: The page brings its own style and pictures, so it brings its own policy, too.
_PAGE_HEADERS = {"Content-Security-Policy": POLICY}
#: Every format, by the name that `warref export --format` and the page's addresses use.
FORMATS = {
    entry.name: entry
    for entry in (
        ExportFormat("json", "application/json", lambda path, n, words, _: export_json(path, n)),
        ExportFormat("csv", "text/csv", lambda path, n, words, _: export_csv(path, n, words)),
        ExportFormat("html", "text/html", export_html, "war-{number}.html", _PAGE_HEADERS),
        ExportFormat(
            "bgstats",
            "text/plain",
            lambda path, n, words, _: export_bgstats(path, n, words),
            "war-{number}-bgstats.txt",
        ),
    )
}
