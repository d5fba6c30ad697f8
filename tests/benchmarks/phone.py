"""What a phone as the camera costs, and how late a second viewer is: `python tests/benchmarks/phone.py [--seconds S]`.

The program watches the sample table, first through a network camera on this computer (a stand-in for a webcam: the
same JPEGs, decoded once each), then through a phone that sends them over TLS, both ten a second; measured is the
processor time of the program alone. Then the table is paused and resumed, and two viewers listen: one at the laptop's
own address, one joined over the network; measured is the time from the click to either. Prints one line of JSON.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import ssl
import statistics
import sys
import threading
import time
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from companion.web.sharing.listening import list_addresses  # noqa: E402
from tests.films.served import Program, Served, pictures  # noqa: E402

#: Pictures a second, of either camera.
FPS = 10.0
#: The second of the sample film at which two cards lie on the table.
AT_S = 3.0
#: How often the table is paused and resumed.
CLICKS = 40
ID = "0123456789abcdef"


def processor_s(process: int) -> float:
    """Seconds of processor time that a process has used."""
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def share_of_a_core(program: Program, seconds: float) -> dict[str, float]:
    """Processor time of the program in per cent of one core, and the rate it sees, over some seconds."""
    time.sleep(5)  # models are loaded, the table has settled
    used, began = processor_s(program.pid), time.monotonic()
    time.sleep(seconds)
    percent = 100 * (processor_s(program.pid) - used) / (time.monotonic() - began)
    return {"percent": round(percent, 1), "pictures_per_s": program.state()["camera"]["frames_per_s"]}


class Phone:
    """A device in the network: it joins, sends pictures paced by the answers, or listens."""

    def __init__(self, program: Program, role: str) -> None:
        """Join by the code that the laptop shows."""
        with urllib.request.urlopen(f"{program.address}share?as={role}", timeout=20) as answer:
            page = answer.read().decode()
        self.origin, code = re.findall(r"<strong[^>]*>(https://[^<]+|[2-9A-Z]{4}-[2-9A-Z]{4})</strong>", page)[:2]
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        self.line = http.client.HTTPSConnection(self.origin.removeprefix("https://"), timeout=20, context=tls)
        self.head = {"Origin": self.origin, "Accept": "application/json"}
        answer = self.ask("/join", json.dumps({"code": code}).encode())
        self.head["Cookie"] = answer.headers["Set-Cookie"].split(";")[0]

    def ask(self, path: str, body: bytes, kind: str = "application/json") -> http.client.HTTPResponse:
        """POST, and the answer with its body in `said`."""
        self.line.request("POST", path, body, {**self.head, "Content-Type": kind})
        answer = self.line.getresponse()
        self.said = json.loads(answer.read())
        assert answer.status == 200, self.said
        return answer

    def send(self, frames: list[bytes], done: threading.Event) -> None:
        """Send the pictures in turn, each when the answer to the one before allows it."""
        turn = 0
        while not done.is_set():
            began = time.monotonic()
            self.ask(f"/phone/picture?phone={ID}", frames[turn % len(frames)], "image/jpeg")
            if turn == 0:
                self.ask("/phone/begin", json.dumps({"phone": ID, "first": True}).encode())
            turn += 1
            time.sleep(max(0.0, self.said["next_ms"] / 1000 - (time.monotonic() - began)))


def listen(line: http.client.HTTPConnection, head: dict[str, str], seen: dict[bool, float]) -> None:
    """Note when `paused` was last seen to change, and to what."""
    line.request("GET", "/events", headers=head)
    answer, before = line.getresponse(), None
    while data := answer.readline():
        if (
            data.startswith(b"data: {")
            and (now := json.loads(data[6:]).get("paused")) is not None
            and now is not before
        ):
            seen[now], before = time.monotonic(), now


def delays(program: Program) -> dict[str, dict[str, float]]:
    """Milliseconds from a click at the laptop to the laptop's own viewer and to one in the network."""
    network = Phone(program, "viewer")
    own = http.client.HTTPConnection(urlsplit(program.address).netloc, timeout=60)
    seen: dict[str, dict[bool, float]] = {"laptop": {}, "network": {}}
    for name, line, head in (("laptop", own, {}), ("network", network.line, network.head)):
        threading.Thread(target=listen, args=(line, head, seen[name]), daemon=True).start()
    time.sleep(1)
    late: dict[str, list[float]] = {"laptop": [], "network": []}
    for click in range(CLICKS):
        on, began = click % 2 == 0, time.monotonic()
        program.post("pause", on=on)
        time.sleep(0.5)
        for name, times in seen.items():
            late[name].append(1000 * (times[on] - began))
    return {
        name: {"p50_ms": round(statistics.median(them), 1), "max_ms": round(max(them), 1)}
        for name, them in late.items()
    }


def main() -> None:
    """Measure both, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="seconds that each camera is measured")
    seconds = parser.parse_args().seconds
    if not list_addresses():
        raise SystemExit("This computer is in no network.")
    frames = pictures(ROOT / "sample_images" / "classic.mp4", AT_S, FPS)[-2:]
    game = ("--variant", "classic", "--players", "Ana,Ben", "--json", "--port", 0)
    with TemporaryDirectory() as folder, Served(frames, FPS) as camera:
        place = Path(folder)
        with Program(place, "watch", "--source", camera.address, *game, "--log", place / "1.db") as program:
            program.watching()
            webcam = share_of_a_core(program, seconds)
        with Program(place, "watch", "--source", "phone", *game, "--log", place / "2.db") as program:
            program.post("share", on=True)
            done = threading.Event()
            threading.Thread(target=Phone(program, "camera").send, args=(frames, done), daemon=True).start()
            program.watching()
            phone = share_of_a_core(program, seconds)
            viewers = delays(program)
            done.set()
            time.sleep(0.5)
    more = round(phone["percent"] - webcam["percent"], 1)
    print(json.dumps({"webcam": webcam, "phone": phone, "phone_costs_more_percent": more, "viewers": viewers}))


if __name__ == "__main__":
    main()
