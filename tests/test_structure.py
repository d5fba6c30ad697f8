"""The shape of the code: functions, files, folders and names; and what is imported is what is declared."""

from __future__ import annotations

import ast
import re
import statistics
import sys
import tomllib
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("vision", "companion")
#: Import name -> distribution, where the two differ.
DISTRIBUTION = {
    "PIL": "pillow",
    "cv2": "opencv-python",
    "sqlite_utils": "sqlite-utils",
    "tomli_w": "tomli-w",
    "yaml": "pyyaml",
}
#: Only these may need the extra `train`.
TRAINING = ("vision/lab/", "vision/detection/ultralytics_engine.py")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
TREES = {path: ast.parse(path.read_text("utf-8")) for path in FILES}

#: Lines of a module that only one other imports.
LEAST_LINES = 80
#: Modules of a folder.
MOST_MODULES = 21
#: Short modules with one importer that stay apart, and why.
APART = {
    "companion.log.export.json": "a plug-in: one module an export format",
    "vision.sources.video": "a plug-in: one module a kind of source",
}
#: Public names that mean one thing in several modules by the nature of the place, and why.
SHARED_NAMES = {
    "main": "the entry point of each program that is run with -m",
    "run": "the entry point of each command of warref",
}


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Each function of a file as "file:line name" and the length of its body in lines, docstring aside."""
    for node in ast.walk(TREES[path] if path in TREES else ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            said = ast.get_docstring(node) is not None
            body = node.body[1:] if said else node.body
            length = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", length


def test_functions_are_short() -> None:
    found = dict(entry for path in FILES for entry in functions(path))
    longest = {name: length for name, length in found.items() if length > 60}
    assert not longest, "longer than 60 lines"
    lengths = sorted(found.values())
    over = sorted((name for name in found if found[name] > 25), key=lambda name: -found[name])
    assert lengths[int(len(lengths) * 0.9)] <= 25, f"more than one in ten is over 25 lines: {over}"
    assert statistics.median(lengths) <= 8


def test_files_are_short() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert not {name: length for name, length in lengths.items() if length > 700}, "longer than 700 lines"
    assert statistics.median(lengths.values()) <= 150


def module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module(path): path for path in FILES}


def imported_modules(path: Path) -> set[str]:
    """The modules of the tree that a module names in its imports."""
    found = set()
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in MODULES else node.module or "" for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & MODULES.keys() - {module(path)}


def is_view(node: ast.stmt) -> bool:
    """Whether a function answers an HTTP address: it is named for the address, and nothing imports it."""
    routes = ("get", "post", "route")
    calls = (mark.func for mark in getattr(node, "decorator_list", ()) if isinstance(mark, ast.Call))
    return any(isinstance(call, ast.Attribute) and call.attr in routes for call in calls)


def public_names(path: Path) -> set[str]:
    """What a module defines at its top level without a leading underscore; views aside."""
    found: set[str] = set()
    for node in TREES[path].body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not is_view(node):
            found.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in filter(None, targets):
            found |= {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
    return {name for name in found if not name.startswith("_")}


def test_folders_can_be_taken_in_at_a_glance() -> None:
    folders: dict[Path, int] = {}
    for path in FILES:
        if path.name not in ("__init__.py", "__main__.py"):
            folders[path.parent] = folders.get(path.parent, 0) + 1
    assert not {str(folder): n for folder, n in folders.items() if n > MOST_MODULES}


def test_a_short_module_with_one_importer_is_part_of_it() -> None:
    importers: dict[str, set[str]] = {name: set() for name in MODULES}
    for name, path in MODULES.items():
        for other in imported_modules(path):
            importers[other].add(name)
    short = {
        name
        for name, path in MODULES.items()
        if len(path.read_text("utf-8").splitlines()) < LEAST_LINES
        and len(importers[name]) < 2
        and path.name not in ("__init__.py", "__main__.py", "conftest.py")
        and not name.startswith("companion.commands.")
    }
    assert not short - APART.keys()
    assert not APART.keys() - short, "an exception that is no longer needed"


def test_packages_import_each_other_in_no_circle() -> None:
    def package(name: str) -> str:
        parts = name.split(".")
        return ".".join(parts[: 3 if parts[:2] == ["vision", "lab"] else 2])

    arrows: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        arrows.setdefault(package(name), set()).update(map(package, imported_modules(path)))
    graph = {name: used - {name, "companion", "vision"} for name, used in arrows.items()}
    list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def test_a_public_name_means_one_thing() -> None:
    where: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        for public in public_names(path):
            where.setdefault(public, []).append(name)
    twice = {public: names for public, names in where.items() if len(names) > 1}
    assert not {public: names for public, names in twice.items() if public not in SHARED_NAMES}
    assert not SHARED_NAMES.keys() - twice.keys(), "an exception that is no longer needed"


def own_raises(function: ast.FunctionDef) -> Iterator[str]:
    """The names of what a function raises itself; bare `raise` and functions inside it aside."""
    nodes: list[ast.AST] = list(function.body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            yield ast.unparse(error).split(".")[-1]
        nodes += ast.iter_child_nodes(node)


def public_functions(path: Path) -> Iterator[ast.FunctionDef]:
    """The functions of a module and the methods of its classes that have no leading underscore."""
    for node in TREES[path].body:
        for one in [node, *(node.body if isinstance(node, ast.ClassDef) else ())]:
            if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
                yield one


def test_a_public_function_that_raises_says_what() -> None:
    silent = []
    for path in FILES:
        for function in public_functions(path):
            errors, said = set(own_raises(function)), ast.get_docstring(function) or ""
            if errors and not re.search(r"\bRaises?\b|\braises?\b", said) and not any(name in said for name in errors):
                silent.append(f"{path.relative_to(ROOT)}:{function.lineno} {function.name}")
    assert not silent, "raises, and its docstring does not say what"


def unit_of(test: Path) -> bool:
    """Whether a test file is named for a module or package of the folder that it mirrors."""
    folder = ROOT / test.relative_to(ROOT / "tests").parent
    units = {path.stem.lstrip("_") for path in folder.glob("*.py")} | {
        path.name for path in folder.iterdir() if path.is_dir()
    }
    units.add(folder.name)
    name = test.stem.removeprefix("test_")
    return any(name == unit or name.startswith(f"{unit}_") for unit in units)


def test_tests_find_their_unit_by_name() -> None:
    tests = [path for package in PACKAGES for path in (ROOT / "tests" / package).rglob("test_*.py")]
    assert not [str(path.relative_to(ROOT)) for path in tests if not unit_of(path)]


def declared(requirements: Iterable[str]) -> set[str]:
    """The distribution names in a list of requirements, lower case."""
    names = (re.match(r"[A-Za-z0-9._-]+", line) for line in requirements)
    return {name.group().lower() for name in names if name}


def imported(paths: Iterable[Path]) -> dict[str, str]:
    """Distributions imported from outside, at any depth of the code, each with one file that does."""
    ours = {*PACKAGES, "tests", "__future__", *sys.stdlib_module_names}
    found: dict[str, str] = {}
    for path in paths:
        for node in ast.walk(TREES[path] if path in TREES else ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for top in {name.split(".")[0] for name in names} - ours:
                found[DISTRIBUTION.get(top, top).lower()] = str(path.relative_to(ROOT))
    return found


BASE = declared(PROJECT["dependencies"])
EXTRAS = {name: declared(lines) for name, lines in PROJECT["optional-dependencies"].items()}


def needs_training(path: Path) -> bool:
    return str(path.relative_to(ROOT)).startswith(TRAINING)


def test_the_program_imports_what_it_declares() -> None:
    found = imported(path for path in FILES if not needs_training(path))
    assert not {name: where for name, where in found.items() if name not in BASE}, "imported, not declared"
    assert not BASE - set(found), "declared, imported nowhere"


@pytest.mark.parametrize("extra", ["train", "test"])
def test_extras_declare_what_is_imported(extra: str) -> None:
    tests = sorted((ROOT / "tests").rglob("*.py"))
    paths = tests if extra == "test" else [path for path in FILES if needs_training(path)]
    known = BASE | EXTRAS[extra] | (EXTRAS["train"] if extra == "test" else set())
    assert not {name: where for name, where in imported(paths).items() if name not in known}, "imported, not declared"


def test_light_packages_stay_light() -> None:
    heavy = {"torch", "torchvision", "ultralytics", "onnx", "tensorflow", "openvino"}
    assert not BASE & heavy, "the family's install carries no training library"
