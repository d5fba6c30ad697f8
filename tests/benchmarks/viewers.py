"""What a hundred open screens cost: `python tests/benchmarks/viewers.py [--screens N] [--pictures N] [--seconds S]`.

Starts the page with a table that changes twice a second and a picture 15 times a second, opens the
screens and picture streams, and prints one line of JSON: how late a change reaches the screens, how
long `/state` takes meanwhile, and the server's memory, threads and processor share.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))


def serve() -> None:
    """The server under test; says its port on the first line."""
    from companion.web.app import create_app
    from companion.web.server import Server
    from tests.companion.web.fake_table import VERDICT, FakeTable

    table = FakeTable(VERDICT, (0, os.urandom(60_000)))
    server = Server(create_app(table), 0)
    server.prepare()

    def change() -> None:
        for n in range(1, 1_000_000):
            time.sleep(1 / 15)
            table.picture = (n, table.picture[1] if table.picture else b"")
            if n % 8 == 0:
                table.now = dataclasses.replace(table.now, version=n, reason=f"at {time.time()} .")
            if n % 15 == 0:
                used = resource.getrusage(resource.RUSAGE_SELF)
                cost = (used.ru_maxrss // 1024, threading.active_count(), used.ru_utime + used.ru_stime)
                table.now = dataclasses.replace(table.now, proof=json.dumps(cost))

    print(server.bind_addr[1], flush=True)
    threading.Thread(target=change, daemon=True).start()
    server.serve()


class Load:
    """The screens, and what they saw."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.late: list[float] = []
        self.state: list[float] = []
        self.cost: list[list[float]] = []
        self.connected = 0
        self.bytes = 0

    async def open(self, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n\r\n".encode())
        return reader, writer

    async def screen(self, path: str) -> None:
        reader, _ = await self.open(path)
        first, last = True, ""
        while line := await reader.readline():
            if not line.startswith(b"data: {") or b"at " not in line:
                continue
            said = line.partition(b"at ")[2].split(b" ")[0].decode()
            if first:
                self.connected += 1
            elif said != last:
                self.late.append(time.time() - float(said))
            first, last = False, said

    async def pictures(self) -> None:
        reader, _ = await self.open("/picture.mjpg")
        while part := await reader.read(1 << 16):
            self.bytes += len(part)

    async def ask(self) -> None:
        while True:
            began = time.perf_counter()
            reader, writer = await self.open("/state")
            body = (await reader.read(-1)).partition(b"\r\n\r\n")[2]
            writer.close()
            self.state.append(time.perf_counter() - began)
            if json.loads(body)["proof"].startswith("["):
                self.cost.append(json.loads(json.loads(body)["proof"]))
            await asyncio.sleep(0.1)


async def measure(port: int, screens: int, pictures: int, seconds: float) -> dict[str, object]:
    """Open everything, let it settle, and measure for `seconds`."""
    load = Load(port)
    tasks = [asyncio.create_task(load.ask())]
    await asyncio.sleep(2.5)
    alone = load.cost[-1]
    paths = ("/events", "/events?page=control", "/events?page=screen")
    tasks += [asyncio.create_task(load.screen(paths[n % 3])) for n in range(screens)]
    tasks += [asyncio.create_task(load.pictures()) for _ in range(pictures)]
    await asyncio.sleep(2.5)
    load.late.clear(), load.state.clear()
    load.bytes, before, began = 0, load.cost[-1], time.perf_counter()
    await asyncio.sleep(seconds)
    lasted, after = time.perf_counter() - began, load.cost[-1]
    for task in tasks:
        task.cancel()
    return {
        "screens": load.connected,
        "pictures": pictures,
        "late_ms": spread(load.late),
        "state_ms": spread(load.state),
        "rss_mb": [alone[0], after[0]],
        "threads": [alone[1], after[1]],
        "cpu_percent": round(100 * (after[2] - before[2]) / lasted),
        "pictures_mb_per_s": round(load.bytes / lasted / 1e6, 1),
    }


def spread(values: list[float]) -> dict[str, float]:
    """Median, 95th percentile and largest of some seconds, in milliseconds."""
    ordered = sorted(values)
    return {
        name: round(1000 * ordered[int((len(ordered) - 1) * part)], 1)
        for name, part in (("median", 0.5), ("p95", 0.95), ("max", 1.0))
    }


def main() -> None:
    """Run the server in a process of its own and the screens in this one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--screens", type=int, default=100)
    parser.add_argument("--pictures", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=6.0)
    args = parser.parse_args()
    if args.serve:
        return serve()
    with subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline()) if server.stdout else 0
            print(json.dumps(asyncio.run(measure(port, args.screens, args.pictures, args.seconds))))
        finally:
            server.kill()


if __name__ == "__main__":
    main()
