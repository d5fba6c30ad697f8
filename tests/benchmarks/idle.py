"""What a table on which nothing happens costs: `python tests/benchmarks/idle.py [--seconds S] [--fps N] [--looks-at]`.

A still picture of a sample table stands before a network camera of 1280x720, with sensor noise of its own in every
frame. The program watches it as a family would have it, with its page; measured is the processor time that it takes
once the table has settled, as a share of one core. Prints one line of JSON. WARREF_WEIGHTS names other networks than
those in models/.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.films.served import Program, Served  # noqa: E402

#: Seconds that the table lies still before the measuring begins: it settles, and its readings are joined.
BEFORE_S = 8.0
#: Pictures that take turns, each with other noise.
PICTURES = 8


def still_table(picture: Path) -> list[bytes]:
    """JPEGs of one table in 1280x720 that differ by noise alone."""
    table = cv2.resize(cv2.imread(str(picture)), (1280, 720), interpolation=cv2.INTER_AREA)
    chance = np.random.default_rng(1)
    noisy = (np.clip(table + chance.normal(0, 3, table.shape), 0, 255).astype(np.uint8) for _ in range(PICTURES))
    return [cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes() for image in noisy]


class Still(Served):
    """A network camera before which nothing moves."""

    def picture(self, turn: int) -> bytes:
        """The next picture of the same table."""
        return self.frames[turn % len(self.frames)]


def processor_s(pid: int) -> float:
    """Seconds of processor time that a process has taken, all threads together (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def look_on(address: str) -> None:
    """Show the live picture, as an open page does."""
    with urllib.request.urlopen(address + "picture.mjpg") as stream:
        while stream.read(1 << 16):
            pass


def main() -> None:
    """Watch a still table and print what it costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long is measured")
    parser.add_argument("--fps", type=float, default=30.0, help="pictures a second of the camera")
    parser.add_argument("--picture", type=Path, default=ROOT / "sample_images" / "pair.jpg")
    parser.add_argument("--looks-at", action="store_true", help="somebody has the live picture on a screen")
    args = parser.parse_args()
    with TemporaryDirectory() as folder, Still(still_table(args.picture), args.fps) as camera:
        words = ("--source", camera.address, "--variant", "classic", "--players", "Ana,Ben", "--json", "--port", 0)
        with Program(Path(folder), "watch", *words, "--log", Path(folder) / "log.db") as program:
            program.watching()
            if args.looks_at:
                threading.Thread(target=look_on, args=(program.address,), daemon=True).start()
            time.sleep(BEFORE_S)
            began, used = time.monotonic(), processor_s(program.pid)
            time.sleep(args.seconds)
            share = (processor_s(program.pid) - used) / (time.monotonic() - began)
            chip = program.state()["chip"]
    print(json.dumps({"core_percent": round(100 * share, 1), "chip": chip, "rulings": len(program.said)}))


if __name__ == "__main__":
    main()
