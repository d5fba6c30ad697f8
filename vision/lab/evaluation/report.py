"""The result of `evaluate` as plain text tables, as the model card shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vision.lab.evaluation.evaluate import FIGURES

_Row = Mapping[str, Any]

_NAMES = {
    "recall": "recall",
    "rank_recall": "rank rec.",
    "precision": "precision",
    "rank_precision": "rank prec.",
    "photo_right": "photo right",
    "photo_rank_right": "ranks right",
    "map50": "mAP50",
    "map50_clear": "mAP50 clear",
    "from_photos": "from photos",
}


def format_scores(result: _Row) -> str:
    """All tables, with the mean over the sources under the first."""
    sources = dict(result["sources"]) | {"mean of sources": result["macro"]}
    return "\n\n".join(
        [
            f"model {result['model']}",
            format_table("source", sources, ("photos", "unread", "cards", *FIGURES, "map50", "map50_clear")),
            format_table("card height, px", result["by_height"], ("cards", "recall", "rank_recall")),
            format_table("suit", result["by_suit"], ("cards", "recall", "precision")),
            format_table("rank", result["by_rank"], ("cards", "rank_recall", "rank_precision")),
            format_table("called at least", _by_sureness(result["reliability"]), ("said", "exact", "rank")),
            _confusions(result["confusions"]),
        ]
    )


def _by_sureness(rows: Iterable[_Row]) -> dict[str, _Row]:
    return {str(row["at_least"]): row for row in rows}


def format_table(what: str, rows: Mapping[str, _Row], columns: Sequence[str], width: int = 18) -> str:
    """A table with a line a row; the first column, `width` characters wide, holds the rows' names."""
    head = f"{what:{width}}" + "".join(f"{_NAMES.get(name, name):>12}" for name in columns)
    return "\n".join([head, *(_line(name, row, columns, width) for name, row in rows.items())])


def _line(name: str, row: _Row, columns: Sequence[str], width: int) -> str:
    return f"{name[:width]:{width}}" + "".join(f"{_cell(row.get(column)):>12}" for column in columns)


def _cell(value: float | None) -> str:
    """One figure.

    >>> _cell(0.5), _cell(12), _cell(None)
    ('0.500', '12', '-')
    """
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _confusions(rows: Sequence[_Row], most: int = 20) -> str:
    if not rows:
        return "no card taken for another"
    said = (
        f"{row['is']} as {row['said']}" + (f" ({row['cards']}x)" if row["cards"] > 1 else "") for row in rows[:most]
    )
    return "taken for another: " + ", ".join(said)
