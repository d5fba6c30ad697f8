"""Who may import whom: the table of the architecture, for every module of both packages."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(path for package in ("companion", "vision") for path in (ROOT / package).rglob("*.py"))

#: Modules of the pure core, each allowed to import those before it.
CORE_ORDER = (
    *("cards", "settings", "rulebook", "variants", "game", "events", "codec", "effects", "ownership"),
    *("position", "wars", "readings", "verdict", "steal_war", "classify", "moved_cards", "placement"),
    *("look_reducer", "reducer", "view"),
)
#: What the pure core may import from outside.
PURE_LIBRARIES = {
    *(
        "__future__",
        "collections",
        "dataclasses",
        "enum",
        "functools",
        "itertools",
        "json",
        "math",
        "msgspec",
        "operator",
        "typing",
    ),
}

#: Which packages and modules of the tree each may import, beside itself.
MAY_IMPORT = {
    "companion.errors": (),
    "companion.text": (),
    "companion.console": ("companion.errors", "companion.text"),
    "companion.defaults": ("companion.console", "companion.errors", "companion.seats", "companion.words"),
    "companion.referee": ("companion.errors", "companion.text"),
    "companion.preferences": (
        "companion.console",
        "companion.defaults",
        "companion.errors",
        "companion.text",
        "companion.words",
    ),
    "companion.log_requests": (
        *("companion.table", "companion.log", "companion.referee", "companion.words", "companion.errors"),
    ),
    "companion.simulation": (
        *("companion.referee", "companion.seats", "companion.console", "companion.errors"),
        *("vision.lab.render", "vision.types"),
    ),
    "companion.seats": ("companion.referee", "companion.errors"),
    "companion.table": (
        *("companion.referee", "companion.seats", "companion.words", "companion.errors", "companion.log.protocol"),
    ),
    "companion.log": ("companion.referee", "companion.seats", "companion.words", "companion.errors", "companion.text"),
    "companion.packs": ("companion.table", "companion.words", "companion.defaults", "companion.errors", "vision"),
    "companion.watching": (
        *(
            "companion.table",
            "companion.referee",
            "companion.seats",
            "companion.packs",
            "companion.log",
            "companion.words",
            "vision",
        ),
    ),
    "companion.words": ("companion.referee", "companion.errors"),
    "companion.web": (
        *(
            "companion.preferences",
            "companion.table",
            "companion.log",
            "companion.referee",
            "companion.words",
            "companion.text",
            "companion.errors",
        ),
    ),
    "companion.commands": ("companion", "vision"),
    "companion.cli": ("companion",),
    "companion.__main__": ("companion",),
    "companion": (),
    "vision.types": (),
    "vision.background": (),
    "vision.progress": (),
    "vision.geometry": ("vision.types",),
    "vision.images": ("vision.types", "vision.geometry", "vision.background"),
    "vision.light": ("vision.types", "vision.geometry"),
    "vision.annotate": ("vision.types", "vision.geometry"),
    "vision.detection": ("vision.types", "vision.geometry", "vision.images", "vision.light"),
    "vision.packs": ("vision.types", "vision.progress", "vision.geometry", "vision.images", "vision.detection"),
    "vision.tracking": ("vision.types", "vision.geometry", "vision.images", "vision.light"),
    "vision.sources": ("vision.types", "vision.images", "vision.background"),
    "vision.read": ("vision.types", "vision.images"),
    "vision.lab": ("vision",),
    "vision.__main__": ("vision",),
    "vision": (),
}
#: Libraries that only these modules import.
ONLY_IN = {
    "sqlite3": ("companion.log",),
    "sqlite_utils": ("companion.log",),
    "cryptography": ("companion.web.sharing.certificate",),
    "flask": ("companion.web",),
    "ifaddr": ("companion.web.sharing.listening",),
    "segno": ("companion.web.sharing.pages",),
    "PIL": ("companion.log.export.png", "vision.lab"),
    "torch": ("vision.lab", "vision.detection.ultralytics_engine"),
    "ultralytics": ("vision.lab", "vision.detection.ultralytics_engine"),
}
#: Modules that calculate on what they are given: no pictures library, no threads, no clock.
CALCULATING = ("vision.types", "vision.tracking.settler", "vision.tracking.fusion")
WORLD = ("cv2", "torch", "threading", "time")


def module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """The nodes of a file that bind or import a name."""
    told = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Name, ast.alias)
    return tuple(node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, told))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every module named in an import; `from package import name` gives both package and package.name."""
    found: list[str] = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found += (f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(found)


def inside(name: str, start: str) -> bool:
    return name == start or name.startswith(f"{start}.")


def row(name: str) -> str:
    """The entry of MAY_IMPORT that covers a module: the longest that it is inside of."""
    return max((start for start in MAY_IMPORT if inside(name, start)), key=len)


@pytest.mark.parametrize("name", CORE_ORDER)
def test_the_core_is_pure_and_in_order(name: str) -> None:
    before = [f"companion.referee.{other}" for other in CORE_ORDER[: CORE_ORDER.index(name)]]
    for used in imports(ROOT / "companion" / "referee" / f"{name}.py"):
        if used.startswith("companion"):
            assert any(inside(used, other) for other in (*before, "companion.errors", "companion.text")), used
        else:
            assert used.split(".")[0] in PURE_LIBRARIES, used


def test_every_module_of_the_core_has_its_place() -> None:
    found = {path.stem for path in (ROOT / "companion" / "referee").glob("*.py")}
    assert found - {"__init__"} == set(CORE_ORDER)


@pytest.mark.parametrize("path", FILES, ids=module)
def test_imports_follow_the_table(path: Path) -> None:
    name = module(path)
    allowed = (row(name), *MAY_IMPORT[row(name)])
    ours = [used for used in imports(path) if used.split(".")[0] in ("companion", "vision")]
    assert not [used for used in ours if not any(inside(used, start) for start in allowed)]


@pytest.mark.parametrize("path", FILES, ids=module)
def test_each_outside_library_has_one_home(path: Path) -> None:
    for library, homes in ONLY_IN.items():
        if not any(inside(module(path), home) for home in homes):
            assert not [used for used in imports(path) if inside(used, library)]


@pytest.mark.parametrize("name", CALCULATING)
def test_calculating_modules_know_no_world(name: str) -> None:
    path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
    assert not [used for used in imports(path) for library in WORLD if inside(used, library)]


def test_nothing_but_the_lab_and_its_commands_imports_the_lab() -> None:
    outside = [path for path in FILES if not inside(module(path), "vision.lab")]
    users = {module(path) for path in outside for used in imports(path) if inside(used, "vision.lab")}
    assert users <= {"vision.__main__", "companion.simulation.film", "companion.simulation.samples"}


def defined(path: Path) -> set[str]:
    """Every name that a module binds anywhere: enough to find an import of what is gone."""
    found: set[str] = set()
    for node in nodes(path):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.Name():
                found.add(node.id)
            case ast.alias():
                found.add((node.asname or node.name).split(".")[0])
    return found


def test_what_is_imported_is_there() -> None:
    """Benchmarks and the command that takes pictures are run by hand, by no test: their imports must hold, too."""
    every = {module(path): path for path in (*FILES, *(ROOT / "tests").rglob("*.py"))}
    folders = {".".join(name.split(".")[:depth]) for name in every for depth in range(1, name.count(".") + 1)}
    names = {name: defined(path) for name, path in every.items()}
    missing = []
    for name, path in every.items():
        for used in imports(path):
            start, _, last = used.rpartition(".")
            ours = used.split(".")[0] in ("companion", "vision", "tests")
            if ours and used not in every and used not in folders and last not in names.get(start, ()):
                missing.append(f"{name}: {used}")
    assert not missing
