"""The program in a process of its own: started, asked through its page, measured.

`start` begins a new interpreter; `start_forked` takes a process with the modules loaded, from a server that has one
thread alone: half the work, for runs in which nothing but what happens after the start is looked at.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import multiprocessing
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from companion.cli import main
from tests.robustness.tally import ROOT, home_variables

#: Seconds for the page to answer after the program was started; a busy machine takes many times the usual two.
PAGE_LIMIT_S = 60.0
#: Seconds for one answer of the page.
ANSWER_LIMIT_S = 20.0
#: Name of the log in a program's folder.
LOG = "family.db"
#: Where the program's forked processes come from. The networks' runtime, which has threads, is loaded by each.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["companion.cli", "companion.commands.watch", "companion.web", "tests.robustness.programs"]
)
#: What a broken connection to a killed program raises.
GONE = (OSError, http.client.HTTPException)


def command(*words: object) -> list[str]:
    """The words that start the program in a process of its own."""
    return [sys.executable, "-m", "companion", *map(str, words)]


def environment(folder: Path) -> dict[str, str]:
    """A home in `folder` for a process of its own."""
    return {**os.environ, **home_variables(folder), "PYTHONPATH": str(ROOT)}


def start(folder: Path, *words: object) -> subprocess.Popen[str]:
    """Start the program with the log of this folder."""
    line = command(*words, "--log", folder / LOG)
    pipe = subprocess.PIPE
    return subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True, env=environment(folder), cwd=folder)


class Program(Protocol):
    """What is asked of a running program, of `subprocess.Popen` too."""

    pid: int
    stdout: Any

    def poll(self) -> int | None:
        """The exit code once it has ended."""

    def kill(self) -> None:
        """End it at once (SIGKILL)."""

    def communicate(self) -> tuple[str, str]:
        """Wait for its end; what it printed and was not read yet, and its sentences."""


class _Forked:
    """A program that was forked; its sentences go into a file."""

    def __init__(self, folder: Path, words: list[str]) -> None:
        self._err = folder / "err.txt"
        reads, writes = _FORKS.Pipe(duplex=False)
        self._process = _FORKS.Process(target=_run_forked, args=(folder, words, writes, self._err))
        self._process.start()
        writes.close()
        self.pid = self._process.pid or 0
        self.stdout = os.fdopen(os.dup(reads.fileno()), encoding="utf-8")
        reads.close()

    def poll(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def communicate(self) -> tuple[str, str]:
        with self.stdout:
            out = self.stdout.read()
        self._process.join()
        return out, self._err.read_text("utf-8") if self._err.exists() else ""


def _run_forked(folder: Path, words: list[str], writes: Any, err: Path) -> None:
    os.environ.update(environment(folder))
    os.chdir(folder)
    os.dup2(writes.fileno(), 1)
    os.dup2(os.open(err, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    writes.close()
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.exit(main(words))


def start_forked(folder: Path, *words: object) -> Program:
    """Start the program with the log of this folder, its modules loaded before."""
    return _Forked(folder, [*map(str, words), "--log", str(folder / LOG)])


@contextlib.contextmanager
def serving(folder: Path, *words: object, begin: Callable[..., Program] = start) -> Iterator[tuple[Any, int]]:
    """The program with its page while the block runs, and its port; killed at the end."""
    port = free_port()
    run = begin(folder, *words, "--port", port)
    try:
        await_page(run, port)
        yield run, port
    finally:
        run.kill()
        run.communicate()


def await_page(run: Any, port: int) -> None:
    """Wait until the page of a program answers. Raises AssertionError where it does not."""
    until = time.monotonic() + PAGE_LIMIT_S
    while not _answers(port):
        if run.poll() is not None or time.monotonic() > until:
            raise AssertionError(f"no page: {run.poll()}")
        time.sleep(0.05)


def _answers(port: int) -> bool:
    try:
        return get(port, "/healthz")[0] == 200
    except GONE:
        return False


def free_port() -> int:
    """A port that nobody uses just now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def get(port: int, address: str) -> tuple[int, bytes]:
    """Status and body."""
    return _ask(port, "GET", address)


def get_state(port: int) -> dict[str, Any]:
    """The live table as the page sees it."""
    found: dict[str, Any] = json.loads(get(port, "/state")[1])
    return found


def post(port: int, address: str, body: dict[str, Any]) -> int:
    """The status of what is asked."""
    return _ask(port, "POST", address, json.dumps(body))[0]


def _ask(port: int, verb: str, address: str, body: str | None = None) -> tuple[int, bytes]:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_LIMIT_S)
    try:
        line.request(verb, address, body, {"Content-Type": "application/json", "Accept": "application/json"})
        answer = line.getresponse()
        return answer.status, answer.read()
    finally:
        line.close()


# --- measured ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ended:
    """A program that has ended: exit code, what it printed, seconds, and its largest resident memory in MB.

    `worked` are seconds of the processor: what a call takes on an idle machine, however busy this one is.
    """

    code: int
    out: str
    err: str
    seconds: float
    worked: float
    peak_mb: int


def run_to_end(folder: Path, line: list[str], limit_s: float) -> Ended:
    """Run a command line in `folder` and measure it; code -1 and "Hang" among its sentences after `limit_s` seconds."""
    began = time.monotonic()
    with open(folder / "out.txt", "w+") as out, open(folder / "err.txt", "w+") as err:
        run = subprocess.Popen(line, stdout=out, stderr=err, env=environment(folder), cwd=folder)
        status, usage, peak_kb = _wait(run.pid, began + limit_s)
        run.returncode = os.waitstatus_to_exitcode(status)  # `wait4` has taken it, Popen must not wait for it
        seconds = time.monotonic() - began
        hang = "Hang\n" if seconds >= limit_s else ""
        texts = [_text(file) for file in (out, err)]
    return Ended(
        -1 if hang else run.returncode,
        texts[0],
        hang + texts[1],
        seconds,
        usage.ru_utime + usage.ru_stime,
        peak_kb // 1024,
    )


def _wait(process: int, until: float) -> tuple[int, Any, int]:
    """Wait for the end of a process, which is killed at `until`: its status, usage, and largest memory in KB."""
    peak_kb, options = 0, os.WNOHANG
    while True:
        peak_kb = max(peak_kb, _peak_kb(process))
        found, status, usage = os.wait4(process, options)
        if found:
            return status, usage, peak_kb or usage.ru_maxrss
        if time.monotonic() > until:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, 9)
            options = 0
        time.sleep(0.02)


def _peak_kb(process: int) -> int:
    """The largest resident memory of a running process so far; 0 where the system does not say.

    What `wait4` tells counts the memory of whoever started it, too: that of a test run is larger than the program's.
    """
    try:
        status = Path(f"/proc/{process}/status").read_text("ascii", "replace")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def _text(file: Any) -> str:
    file.seek(0)
    return str(file.read())


def peak_mb(process: int) -> int:
    """Largest resident memory of a running process in megabytes, where Linux tells; else 0."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), 0)


def held(process: int) -> tuple[int, int, int]:
    """Resident megabytes, open handles and threads of a running process, where Linux tells."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return int(lines["VmRSS"].split()[0]) // 1024, len(os.listdir(f"/proc/{process}/fd")), int(lines["Threads"])
