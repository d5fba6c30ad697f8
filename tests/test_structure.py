"""The shape of the code: functions and files stay small, and what is imported is what is declared."""

from __future__ import annotations

import ast
import re
import statistics
import sys
import tomllib
from collections.abc import Iterable, Iterator
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


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Each function of a file as "file:line name" and the length of its body in lines, docstring aside."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
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


def declared(requirements: Iterable[str]) -> set[str]:
    """The distribution names in a list of requirements, lower case."""
    names = (re.match(r"[A-Za-z0-9._-]+", line) for line in requirements)
    return {name.group().lower() for name in names if name}


def imported(paths: Iterable[Path]) -> dict[str, str]:
    """Distributions imported from outside, at any depth of the code, each with one file that does."""
    ours = {*PACKAGES, "tests", "__future__", *sys.stdlib_module_names}
    found: dict[str, str] = {}
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
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
