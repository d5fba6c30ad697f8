"""The wheel, built and installed into an empty environment elsewhere: what it carries and that it works there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; fails with its complaint. Nothing of this checkout or environment leaks into it."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "PYTEST"))}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands in a new environment that holds the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("elsewhere")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    commands = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    run(commands / "python", "-m", "pip", "install", "-q", wheel, cwd=folder)
    return commands


def held(folder: str) -> set[str]:
    """The files of a folder of the checkout, relative to it; what tests alone need does not count."""
    base = ROOT / folder
    files = (path for path in base.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(base).as_posix() for path in files if path.name != "conftest.py"}


def test_the_wheel_carries_everything_that_runs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    wanted = {f"vision/_models/{name}" for name in held("models")}
    wanted |= {f"companion/_samples/{name}" for name in held("sample_images")}
    wanted |= {f"{package}/{name}" for package in ("vision", "companion") for name in held(package)}
    assert not wanted - names
    assert any(name.startswith("companion/web/templates/") for name in names)
    assert any(name.startswith("companion/web/static/") for name in names)
    assert any(name.startswith("companion/words/") for name in names)


def test_the_wheel_carries_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"vision", "companion", next(top for top in tops if top.endswith(".dist-info"))}
    needless = ("__pycache__", "/tests/", ".pyc", "conftest.py")
    assert not [name for name in names if any(part in name for part in needless)]
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_an_installed_copy_reads_a_sample_picture_from_another_folder(installed: Path, tmp_path: Path) -> None:
    picture = ROOT / "sample_images" / "pair.jpg"
    (line,) = run(installed / "warref", "read", picture, "--json", cwd=tmp_path).splitlines()
    seen = json.loads(line)
    assert seen["file"] == str(picture)
    assert seen["cards"], "a sample picture shows cards"


def test_an_installed_copy_plays_the_sample_game(installed: Path, tmp_path: Path) -> None:
    said = run(installed / "warref", "demo", "--no-page", "--json", cwd=tmp_path).splitlines()
    kinds = [json.loads(line)["ruling"] for line in said]
    assert "battle_won" in kinds
    assert kinds[-1] == "summary"
    assert not list(tmp_path.iterdir()), "nothing is left behind where it was called"


def test_an_installed_copy_finds_its_weights_and_samples_inside(installed: Path, tmp_path: Path) -> None:
    code = "from vision.detection.weights import load_weights; print(load_weights().folder)"
    folder = Path(run(installed / "python", "-c", code, cwd=tmp_path).strip())
    assert folder.name == "_models"
    assert ROOT not in folder.parents


def test_both_modules_run_as_programs(installed: Path, tmp_path: Path) -> None:
    assert "warref" in run(installed / "python", "-m", "companion", "--help", cwd=tmp_path)
    assert "benchmark" in run(installed / "python", "-m", "vision", "--help", cwd=tmp_path)
