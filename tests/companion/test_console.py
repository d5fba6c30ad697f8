"""What is said on the terminal arrives, or one plain sentence says why not; no traceback, and no second complaint."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.console import out, tell
from companion.errors import Fault

ROOT = Path(__file__).parents[2]
SAY = "from companion.console import any_writing, out; any_writing(); "


def run(code: str, where: object = subprocess.PIPE, **environment: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run([sys.executable, "-c", code], stdout=where, stderr=subprocess.PIPE, env=env, check=False)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("name", ["Țșă ♠ 🂡", "half \udcff"])
def test_every_letter_is_written_whatever_the_system_takes(encoding: str, name: str) -> None:
    said = run(f"{SAY}out({{'name': {name!a}}}); out({name!a})", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert said.returncode == 0 and said.stderr == b""
    line, text = said.stdout.decode("utf-8").splitlines()
    assert json.loads(line) == {"name": name} and text in (name, "half \\udcff")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is full")
def test_a_full_disk_behind_the_answer_is_one_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        said = run("import sys; from companion.cli import main; sys.exit(main(['explain', 'war']))", full)
    assert said.returncode == 1
    assert said.stderr.decode() == "The answer cannot be written: no space left on device.\n"


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    out("anything")
    tell("anything")


def test_a_sentence_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    tell("There is no variant a\nb\x1b[31m; Țșă.")
    assert capsys.readouterr().err == "There is no variant a\\nb\\x1b[31m; Țșă.\n"


def test_a_word_without_an_end_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    tell(f"{'a' * 100_000}.jpg cannot be opened.")
    said = capsys.readouterr().err
    assert said.startswith("aaa") and said.endswith("a.jpg cannot be opened.\n") and len(said) < 200


def test_what_cannot_be_written_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, _: str) -> None:
            raise OSError(28, "No space left on device")

        def fileno(self) -> int:
            raise OSError

    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(Fault, match="no space left"):
        out("anything")
