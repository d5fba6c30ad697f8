"""What a hundred open screens cost, beside idle, dripping and endless requests:
`python tests/benchmarks/viewers.py [--server NAME] [--screens N] [--pictures N] [--idle N] [--drips N] [--seconds S]`.

Starts the page with a table that changes twice a second and a picture 15 times a second, opens the screens and picture
streams, connections that say nothing and connections that send one byte a second of a head or a body, and prints one
line of JSON: how late a change reaches the screens, how long `/state` and a click (POST) take meanwhile, and the
server's memory, threads and processor share; last, what a head of 200 MB costs. `--server` tries another server with
the same application, where it was installed for that (waitress, uvicorn with a2wsgi, hypercorn, cheroot).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import json
import logging
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
#: Seconds that an answer is waited for.
LIMIT_S = 15.0
#: Bytes of the endless head.
HEAD = 200_000_000
Serve = Callable[[], None]


def ours(app: Any) -> tuple[int, Serve]:
    """The product's own."""
    from companion.web.server import Server

    server = Server(app, 0)
    server.prepare()
    return server.port, server.serve


def by_cheroot(app: Any) -> tuple[int, Serve]:
    wsgi = import_module("cheroot.wsgi")

    server = wsgi.Server(("127.0.0.1", 0), app, numthreads=120, request_queue_size=512)
    server.prepare()
    return server.bind_addr[1], server.serve


def by_werkzeug(app: Any) -> tuple[int, Serve]:
    logging.getLogger("werkzeug").setLevel("ERROR")
    server = import_module("werkzeug.serving").make_server("127.0.0.1", 0, app, threaded=True)
    return server.server_port, server.serve_forever


def by_waitress(app: Any) -> tuple[int, Serve]:
    more = {"connection_limit": 2000, "asyncore_use_poll": True, "outbuf_high_watermark": 65536, "backlog": 512}
    server = import_module("waitress").create_server(app, host="127.0.0.1", port=0, threads=130, **more)
    return server.effective_port, server.run


def by_uvicorn(app: Any) -> tuple[int, Serve]:
    uvicorn, adapter = import_module("uvicorn"), import_module("a2wsgi")
    config = uvicorn.Config(adapter.WSGIMiddleware(app, workers=130), log_level="error", http="h11", backlog=512)
    sock = bound()
    return sock.getsockname()[1], lambda: uvicorn.Server(config).run([sock])


def by_hypercorn(app: Any) -> tuple[int, Serve]:
    run = import_module("hypercorn.asyncio").serve
    config, sock = import_module("hypercorn.config").Config(), bound()
    port = sock.getsockname()[1]
    sock.close()
    config.bind = [f"127.0.0.1:{port}"]
    return port, lambda: asyncio.run(run(app, config, mode="wsgi"))  # type: ignore[arg-type]


def bound() -> socket.socket:
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    return sock


SERVERS = {
    "ours": ours,
    "cheroot": by_cheroot,
    "werkzeug": by_werkzeug,
    "waitress": by_waitress,
    "uvicorn": by_uvicorn,
    "hypercorn": by_hypercorn,
}


def serve(name: str) -> None:
    """The server under test; says its port on the first line."""
    from companion.web import create_app
    from tests.companion.web.fake_table import VERDICT, FakeTable

    table = FakeTable(VERDICT, (0, os.urandom(60_000)))
    port, run = SERVERS[name](create_app(table))

    def change() -> None:
        for n in range(1, 1_000_000):
            time.sleep(1 / 15)
            table.picture = (n, table.picture[1] if table.picture else b"")
            if n % 8 == 0:
                table.now = dataclasses.replace(table.now, version=n, reason=f"at {time.time()} .")

    print(port, flush=True)
    threading.Thread(target=change, daemon=True).start()
    run()


def cost(process: int) -> tuple[int, int, int, float]:
    """Memory now and at its highest in MB, threads, and seconds of the processor, of a process."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    used = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
    return int(lines["VmRSS"].split()[0]) // 1024, int(lines["VmHWM"].split()[0]) // 1024, int(lines["Threads"]), used


class Load:
    """The screens, and what they saw."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.late: list[float] = []
        self.state: list[float] = []
        self.click: list[float] = []
        self.connected = self.bytes = self.failed = 0

    async def open(self, path: str, body: str = "") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        verb, more = (
            ("POST", f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n") if body else ("GET", "")
        )
        head = f"{verb} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{more}Connection: close\r\n\r\n"
        writer.write((head + body).encode())
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

    async def idle(self) -> None:
        reader, _ = await asyncio.open_connection("127.0.0.1", self.port)
        await reader.read(-1)

    async def drip(self, body: bool) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"POST /pause HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Length: 5000\r\n"
        writer.write((head + "\r\n{" if body else head + "X-Slow: ").encode())
        with contextlib.suppress(OSError):
            while not writer.is_closing():
                await asyncio.sleep(1)
                writer.write(b" ")
                await writer.drain()

    async def ask(self, times: list[float], path: str, body: str = "") -> None:
        while True:
            began = time.perf_counter()
            try:
                async with asyncio.timeout(LIMIT_S):
                    reader, writer = await self.open(path, body)
                    answer = await reader.read(-1)
                    writer.close()
                self.failed += b" 200 " not in answer[:20]
            except (OSError, TimeoutError):
                self.failed += 1
            times.append(time.perf_counter() - began)
            await asyncio.sleep(0.1)


async def measure(port: int, process: int, args: argparse.Namespace) -> dict[str, object]:
    """Open everything, let it settle, and measure for some seconds."""
    load = Load(port)
    await asyncio.sleep(1)
    alone = cost(process)
    tasks = [asyncio.create_task(load.idle()) for _ in range(args.idle)]
    tasks += [asyncio.create_task(load.drip(n % 2 == 0)) for n in range(args.drips)]
    await asyncio.sleep(1)
    paths = ("/events", "/events?page=control", "/events?page=screen")
    tasks += [asyncio.create_task(load.screen(paths[n % 3])) for n in range(args.screens)]
    tasks += [asyncio.create_task(load.pictures()) for _ in range(args.pictures)]
    await asyncio.sleep(3)
    tasks += [asyncio.create_task(load.ask(load.state, "/state"))]
    tasks += [asyncio.create_task(load.ask(load.click, "/pause", '{"on": true}'))]
    load.late.clear()
    load.bytes, before, began = 0, cost(process), time.perf_counter()
    await asyncio.sleep(args.seconds)
    lasted, after = time.perf_counter() - began, cost(process)
    if not load.click or not load.state:
        await asyncio.sleep(LIMIT_S)
    for task in tasks:
        task.cancel()
    return {
        "server": args.server,
        "screens": load.connected,
        "pictures": args.pictures,
        "idle": args.idle,
        "drips": args.drips,
        "late_ms": spread(load.late),
        "state_ms": spread(load.state),
        "click_ms": spread(load.click),
        "failed": load.failed,
        "rss_mb": [alone[0], after[0]],
        "threads": [alone[2], after[2]],
        "cpu_percent": round(100 * (after[3] - before[3]) / lasted),
        "pictures_mb_per_s": round(load.bytes / lasted / 1e6, 1),
    }


def endless_head(port: int, process: int) -> dict[str, object]:
    """Send one head of 200 MB; how much of it is taken, and the memory at its highest."""
    taken, part = 0, b"a" * 1_000_000
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S) as sock, contextlib.suppress(OSError):
        sock.sendall(f"GET /state HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Long: ".encode())
        while taken < HEAD:
            sock.sendall(part)
            taken += len(part)
    time.sleep(0.5)
    return {"head_mb_taken": taken // 1_000_000, "peak_mb": cost(process)[1]}


def spread(values: list[float]) -> dict[str, float]:
    """Median, 95th percentile and largest of some seconds, in milliseconds."""
    ordered = sorted(values) or [float("nan")]
    return {
        name: round(1000 * ordered[int((len(ordered) - 1) * part)], 1)
        for name, part in (("median", 0.5), ("p95", 0.95), ("max", 1.0))
    }


def main() -> None:
    """Run the server in a process of its own and the screens in this one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--server", choices=SERVERS, default="ours")
    parser.add_argument("--screens", type=int, default=80)
    parser.add_argument("--pictures", type=int, default=20)
    parser.add_argument("--idle", type=int, default=0)
    parser.add_argument("--drips", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=6.0)
    args = parser.parse_args()
    if args.serve:
        return serve(args.server)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    command = [sys.executable, __file__, "--serve", "--server", args.server]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline()) if server.stdout else 0
            found = asyncio.run(measure(port, server.pid, args))
            print(json.dumps({**found, **endless_head(port, server.pid)}))
        finally:
            server.kill()


if __name__ == "__main__":
    main()
