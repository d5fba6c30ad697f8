"""`benchmark`: speed of the detector on this computer, eight cards in a 1280x720 frame, beside other detectors.

Ours and the others take turns, so that whatever else the computer does slows all of them alike.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.detector import CardDetector
from vision.detection.engines import open_detector
from vision.detection.finder import Finder, letterbox
from vision.detection.onnx_network import Network, as_input
from vision.detection.reader import Reader
from vision.detection.weights import Weights, load_weights
from vision.geometry import as_quad
from vision.images import load_picture, straighten
from vision.lab.benchmark.runtimes import (
    NETWORKS,
    RIVALS,
    RUNTIMES,
    Peer,
    installed,
    installed_mb,
    milliseconds,
    resident_mb,
)
from vision.lab.render.decks.generate import made_deck
from vision.types import THREADS, Detector, Frame, Quad, VisionError

_WIDTH, _HEIGHT = 1280, 720
#: The deck of the eight cards, which they are, and how tall they lie there in pixels.
DECK, _SHOWN, TALL = 17, ("AS", "7H", "KD", "2C", "10D", "JC", "5S", "QH"), 182
#: Their centres and turns (degrees).
LAID = tuple((190 + 300 * (i % 4), 210 + 300 * (i // 4), 17 * i - 50) for i in range(8))
WARM_UP, ROUNDS = 3, 20
#: Turns of ours and the others, and what each does in one turn: ours and the runtimes, and the much slower rivals.
_TURNS, OURS, THEIRS = 8, 5, 1
RIVALS_NEED = ("torch", "ultralytics", "onnx")

_Row = dict[str, Any]
Work = Mapping[str, Callable[[], object]]


def benchmark(weights: Path | None = None, engine: str = "auto", alone: bool = False) -> _Row:
    """Measure the detector and its stages, in milliseconds (median), the memory it takes, and its peers.

    `alone`: no peers, which takes seconds instead of minutes.
    """
    detector = open_detector(weights, engine)
    frame, quads = lay_eight_cards()
    work = {"whole": lambda: detector.detect(frame), **_stages(detector, frame, quads)}
    stages = {name: round(_ms(run), 2) for name, run in work.items()}
    result: _Row = {"stages_ms": stages, "rss_mb": round(resident_mb(), 1), "threads": THREADS, "peers": {}}
    if engine == "auto" and not alone:
        whole, result["peers"] = rivals(work["whole"], frame)
        stages["whole"] = whole or stages["whole"]
        result["runtimes"] = runtimes(load_weights(weights), frame, quads)
    return {"frames_per_s": round(1000 / stages["whole"], 1), **result}


def lay_eight_cards() -> tuple[Frame, list[Quad]]:
    """A green table with eight cards of a made deck, and their outlines."""
    image = np.full((_HEIGHT, _WIDTH, 3), (60, 90, 40), dtype=np.uint8)
    image += np.random.default_rng(1).integers(0, 12, image.shape, dtype=np.uint8)
    deck, quads = made_deck(DECK), []
    for (x, y, turn), code in zip(LAID, _SHOWN, strict=True):
        face = deck.faces[code]
        height, width = face.shape[:2]
        put = cv2.getRotationMatrix2D((width / 2, height / 2), turn, TALL / height)
        put[:, 2] += (x - width / 2, y - height / 2)
        laid = cv2.warpAffine(face, put, (_WIDTH, _HEIGHT), flags=cv2.INTER_AREA)
        opaque = laid[..., 3:] / 255
        image = np.asarray(laid[..., :3] * opaque + image * (1 - opaque), np.uint8)
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ put[:, :2].T + put[:, 2]
        quads.append(as_quad(corners))
    return Frame(image, at=0.0, name="benchmark"), quads


def _ms(work: Callable[[], object]) -> float:
    """Median milliseconds of some work, after a little warming up."""
    return statistics.median([milliseconds(work) for _ in range(WARM_UP + ROUNDS)][WARM_UP:])


def _stages(detector: Detector, frame: Frame, quads: list[Quad]) -> Work:
    """The parts of the work. `reader` reads all eight cards, however many the finder found."""
    if not isinstance(detector, CardDetector) or not isinstance(detector.reader, Reader):
        return {}
    size = detector.reader.net.size
    return {
        "finder": lambda: detector.finder.find(frame.image),
        "reader": lambda: detector.reader.read(frame.image, quads),
        "straighten": lambda: [straighten(frame.image, quad, size) for quad in quads],
    }


# --- others -------------------------------------------------------------------------------------------------


def rivals(ours: Callable[[], object], frame: Frame) -> tuple[float | None, _Row]:
    """Our milliseconds a frame, and those of plain YOLO networks that can run here, turn by turn."""
    names = [name for name in RIVALS if installed(RIVALS_NEED)]
    with _at_work(names, {"frame": frame.image}) as (peers, rows):
        times: dict[str, list[float]] = defaultdict(list)
        for _ in range(_TURNS if peers else 0):
            times["ours"] += [milliseconds(ours) for _ in range(OURS)]
            for peer in peers:
                times[peer.name] += peer.run("whole", THEIRS)
    whole = round(statistics.median(times["ours"]), 2) if peers else None
    for peer in peers:
        ms = statistics.median(times[peer.name])
        rows[peer.name] |= {"ms": round(ms, 1), "times_ours": round(ms / (whole or ms), 1)}
    return whole, rows


def runtimes(weights: Weights, frame: Frame, quads: list[Quad]) -> _Row:
    """Our two networks in each runtime that is installed here, turn by turn: the finder, and the reader on eight."""
    names = [name for name, (needs, _) in RUNTIMES.items() if installed(needs)]
    with _at_work(names, inputs(weights, frame, quads)) as (peers, rows):
        times: dict[tuple[str, str], list[float]] = defaultdict(list)
        for _ in range(_TURNS):
            for peer in peers:
                for part in NETWORKS:
                    times[peer.name, part] += peer.run(part, 1 + OURS)[1:]
    for peer in peers:
        rows[peer.name] |= {f"{part}_ms": round(statistics.median(times[peer.name, part]), 2) for part in NETWORKS}
        rows[peer.name]["installed_mb"] = round(installed_mb(RUNTIMES[peer.name][0][0]), 1)
    return rows


@contextmanager
def _at_work(names: list[str], arrays: Mapping[str, Any]) -> Iterator[tuple[list[Peer], _Row]]:
    """The peers that run here, and a row for each name: its start time and memory, or why it does not run."""
    peers: list[Peer] = []
    rows: _Row = {}
    with TemporaryDirectory() as scratch, ExitStack() as held:
        for number, name in enumerate(names):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            np.savez(folder / "inputs.npz", **arrays)
            try:
                peers.append(held.enter_context(Peer(name, folder)))
                rows[name] = dict(peers[-1].found)
            except VisionError as error:
                rows[name] = {"failed": str(error)}
        yield peers, rows


def inputs(weights: Weights, frame: Frame, quads: list[Quad]) -> dict[str, Any]:
    """What the runtimes work on: the measured picture, and the sample pictures where this is a checkout."""
    size = weights.reader.size
    samples = sorted((weights.folder.parent / "sample_images").glob("*.jpg"))
    images = [
        frame.image,
        *(np.asarray(cv2.resize(load_picture(path), (_WIDTH, _HEIGHT)), np.uint8) for path in samples),
    ]
    finder = Finder(weights.finder)
    cards = [straighten(frame.image, quad, size) for quad in quads]
    for image in images[1:]:
        cards += [straighten(image, outline.quad, size) for outline in finder.find(image)]
    pictures = {"finder": _batch(_framed(image, finder) for image in images), "reader": _batch(cards)}
    found: dict[str, Any] = {"finder": pictures["finder"][:1], "reader": pictures["reader"][: len(quads)]}
    for part, net in (("finder", weights.finder), ("reader", weights.reader)):
        network = Network(net.path)
        answers = np.concatenate([network(picture[None]) for picture in pictures[part]])
        found |= {f"{part} file": str(net.path), f"{part} pictures": pictures[part], f"{part} answers": answers}
    return found


def _framed(image: NDArray[np.uint8], finder: Finder) -> NDArray[np.uint8]:
    return letterbox(image, *finder.input_size(image))[0]


def _batch(pictures: Any) -> NDArray[np.float32]:
    return as_input(np.stack(list(pictures)), flip_channels=True)


def format_benchmark(result: _Row) -> str:
    """The result in words."""
    lines = [f"{result['frames_per_s']} frames/s on {result['threads']} threads, {result['rss_mb']} MiB"]
    lines += [f"  {name}: {value} ms" for name, value in result["stages_ms"].items()]
    lines += [f"{name}: {_in_words(row)}" for name, row in result["peers"].items()]
    if "runtimes" in result:
        columns = ("finder ms", "reader ms", "start s", "MiB held", "MiB on disk", "finder apart", "reader apart")
        lines += ["", f"{'our networks in':28}" + "".join(f"{column:>14}" for column in columns)]
        lines += [f"{name:28}{_columns(row)}" for name, row in result["runtimes"].items()]
    return "\n".join(lines)


def _in_words(row: _Row) -> str:
    if "failed" in row:
        return str(row["failed"])
    return f"{row['ms']} ms, {row['times_ours']} times ours; {row['rss_mb']} MiB"


def _columns(row: _Row) -> str:
    if "failed" in row:
        return f"  {row['failed']}"
    values = (row[key] for key in ("finder_ms", "reader_ms", "start_s", "rss_mb", "installed_mb"))
    return "".join(f"{value:>14}" for value in (*values, row["apart"]["finder"], row["apart"]["reader"]))
