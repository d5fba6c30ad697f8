"""Who answers on a port of this computer."""

from __future__ import annotations

import json
import socket
import sys
from http.client import HTTPConnection, HTTPException
from pathlib import Path

#: Seconds that a program on the port has to answer.
_LIMIT_S = 2.0
LISTENING = "0A"


def free(number: int) -> bool:
    """Whether the page could be served there now."""
    try:
        _try(number)
    except OSError:
        return False
    return True


def why_not(number: int) -> str:
    """Why the page could not be served there just now, and what to do."""
    try:
        _try(number)
    except PermissionError:
        return f"Port {number} is not for everybody's use: choose one from 1024 on with --port."
    except OSError:
        pass
    if ours(number):
        return f"Port {number} is taken by War Referee itself: close that window, or choose another port with --port."
    return f"Port {number} is taken by another program: close that, or choose another with --port."


def _try(number: int) -> None:
    with socket.socket() as trial:
        if sys.platform != "win32":
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind(("127.0.0.1", number))


def ours(number: int) -> bool:
    """Whether a War Referee answers there."""
    connection = HTTPConnection("127.0.0.1", number, timeout=_LIMIT_S)
    try:
        connection.request("GET", "/healthz")
        answer = json.loads(connection.getresponse().read(1000))
        return isinstance(answer, dict) and {"ok", "version", "session", "camera"} <= set(answer)
    except (OSError, HTTPException, ValueError):
        return False
    finally:
        connection.close()


def holder(number: int, proc: Path = Path("/proc")) -> str | None:
    """The name and number of the process that listens there, where Linux tells."""
    inodes = {f"socket:[{inode}]" for inode in _inodes(number, proc)}
    for process in proc.glob("[0-9]*") if inodes else ():
        try:
            if any(str(file.readlink()) in inodes for file in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text().strip()} ({process.name})"
        except OSError:
            continue  # it has ended, or is somebody else's
    return None


def _inodes(number: int, proc: Path) -> set[str]:
    found = set()
    for table in ("tcp", "tcp6"):
        try:
            rows = [line.split() for line in (proc / "net" / table).read_text().splitlines()[1:]]
        except OSError:
            continue
        found |= {row[9] for row in rows if row[3] == LISTENING and int(row[1].rpartition(":")[2], 16) == number}
    return found
