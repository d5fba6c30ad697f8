"""Who may import whom: the table of the architecture, for every module of both packages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: The pure core, each allowed to import those before it.
PURE = (
    *("faults", "cards", "records", "rules", "rulebook", "variants", "game", "events", "wire", "history", "knowledge"),
    *("position", "battle", "doubt", "verdict", "steal", "sorting", "holding", "rereading", "laying"),
    *("agreeing", "looks"),
    *("referee", "view"),
)
PLAIN = {"__future__", "dataclasses", "enum", "functools", "itertools", "collections", "typing", "math", "operator"}
#: What the other modules may not import, by the start of their names.
FORBIDDEN = {
    "companion.web": ("vision", "companion.watching.loop", "companion.watching.feeds", "companion.watching.look_builder"),
    "companion.words": ("vision", "companion.table.table", "companion.log.store", "companion.watching.loop", "companion.web"),
    "companion.table.table": ("vision", "companion.web", "sqlite3", "sqlite_utils", "flask"),
    "companion.log.store": ("vision", "companion.table.table", "companion.web", "companion.watching.loop"),
    "companion.simulation.dealer": ("vision", "companion.table.table", "companion.log.store", "time"),
    "companion.simulation.simulate": ("vision", "companion.table.table", "companion.log.store", "time"),
    "companion.referee.looks_file": ("vision", "companion.table.table", "companion.log.store", "time", "random", "pathlib"),
    "vision.types": ("cv2", "torch", "threading", "time"),
    "vision.tracking.settler": ("cv2", "torch", "threading", "time"),
    "vision.tracking.fusion": ("cv2", "torch", "threading", "time"),
    "vision": ("companion",),
}
FILES = sorted(path for package in ("companion", "vision") for path in (ROOT / package).rglob("*.py"))


def module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, *, nested: bool = True) -> Iterator[str]:
    """Every module named in an import; `from package import module` names both."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree) if nested else tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def inside(name: str, start: str) -> bool:
    return name == start or name.startswith(f"{start}.")


@pytest.mark.parametrize("name", PURE)
def test_the_core_is_pure(name: str) -> None:
    before = {f"companion.{other}" for other in PURE[: PURE.index(name)]}
    for used in imports(ROOT / "companion" / f"{name}.py"):
        ours = used.startswith("companion")
        allowed = used == "companion" or any(inside(used, other) for other in before)
        assert allowed if ours else used.split(".")[0] in PLAIN, used


@pytest.mark.parametrize("path", FILES, ids=module)
def test_nothing_imports_what_it_may_not(path: Path) -> None:
    for start, banned in FORBIDDEN.items():
        if inside(module(path), start):
            assert not [used for used in imports(path) for other in banned if inside(used, other)]


def test_heavy_libraries_are_imported_only_for_training() -> None:
    light = [path for path in FILES if "training" not in path.parts and path.name != "by_ultralytics.py"]
    assert not [
        path for path in light for used in imports(path) if inside(used, "torch") or inside(used, "ultralytics")
    ]


def test_only_the_edge_of_companion_imports_vision() -> None:
    """Watching and the commands may; everything else is usable without a camera."""
    names = ("watch", "aim", "choosing", "enrolling", "feeds", "picturing", "sight", "usher")
    eyes = tuple(f"companion.{name}" for name in names)
    edge = (*eyes, "companion.cli", "companion.commands", "companion.__main__")
    inner = [path for path in FILES if module(path).startswith("companion")]
    inner = [path for path in inner if not any(inside(module(path), start) for start in edge)]
    assert not [(module(path), used) for path in inner for used in imports(path) if inside(used, "vision")]
