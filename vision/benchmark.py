"""`benchmark`: how fast this computer finds and reads eight cards in a 1280x720 frame."""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detector import CardDetector, open_detector
from vision.finder import letterbox
from vision.network import THREADS
from vision.reader import straighten
from vision.types import Detector, Frame, Quad, VisionError
from vision.weights import Weights, load_weights

WIDTH, HEIGHT = 1280, 720
CARD = (130, 182)
#: Centres and turns (degrees) of the eight cards.
LAID = tuple((190 + 300 * (i % 4), 210 + 300 * (i // 4), 17 * i - 50) for i in range(8))
WARM_UP, ROUNDS = 3, 20

Row = dict[str, Any]


def benchmark(weights: Path | None = None, engine: str = "auto") -> Row:
    """Measure the whole detector and its stages, in milliseconds (median), and the memory it takes."""
    detector = open_detector(weights, engine)
    frame, quads = table()
    whole = _ms(lambda: detector.detect(frame))
    return {
        "frames_per_s": round(1000 / whole, 1),
        "stages_ms": {"whole": round(whole, 2), **_stages(detector, frame, quads)},
        "rss_mb": round(resident_mb(), 1),
        "threads": THREADS,
        "peers": _peers(weights, frame) if engine == "auto" else {},
    }


def table() -> tuple[Frame, list[Quad]]:
    """A green table with eight cards in flat colours, and their outlines."""
    image = np.full((HEIGHT, WIDTH, 3), (60, 90, 40), dtype=np.uint8)
    image += np.random.default_rng(1).integers(0, 12, image.shape, dtype=np.uint8)
    quads = []
    for x, y, turn in LAID:
        box = cv2.boxPoints(((x, y), CARD, turn))
        cv2.fillPoly(image, [np.round(box).astype(np.int32)], (245, 245, 245), cv2.LINE_AA)
        cv2.circle(image, (x, y), 25, (30, 30, 200), -1, cv2.LINE_AA)
        a, b, c, d = ((float(px), float(py)) for px, py in box)
        quads.append((a, b, c, d))
    return Frame(image, at=0.0, name="benchmark"), quads


def _ms(work: Callable[[], object]) -> float:
    """Median milliseconds of some work, after a little warming up."""
    for _ in range(WARM_UP):
        work()
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def _stages(detector: Detector, frame: Frame, quads: list[Quad]) -> dict[str, float]:
    """The parts of the work. `reader` reads all eight cards, however many the finder found."""
    if not isinstance(detector, CardDetector):
        return {}
    stages = {
        "finder": lambda: detector.finder.find(frame.image),
        "reader": lambda: detector.reader.read(frame.image, quads),
        "straighten": lambda: [straighten(frame.image, quad, 128) for quad in quads],
    }
    return {name: round(_ms(work), 2) for name, work in stages.items()}


def _peers(weights: Path | None, frame: Frame) -> dict[str, float]:
    """Milliseconds of the finder's network alone in other runtimes that are installed here, beside our own."""
    loaded = load_weights(weights)
    picture = letterbox(frame.image, loaded.finder.size, loaded.finder.size)[0]
    batch = np.ascontiguousarray(picture[None, ..., ::-1].transpose(0, 3, 1, 2), dtype=np.float32) / np.float32(255)
    measured = {}
    for name, runner in PEERS.items():
        if importlib.util.find_spec(name):
            measured[f"finder in {name}, ms"] = round(_ms(runner(loaded, batch)), 2)
    return measured


def _onnxruntime(weights: Weights, batch: NDArray[np.float32]) -> Callable[[], object]:
    from vision.network import Network

    network = Network(weights.finder.path)
    return lambda: network(batch)


def _openvino(weights: Weights, batch: NDArray[np.float32]) -> Callable[[], object]:
    openvino: Any = importlib.import_module("openvino")  # measured where somebody has it; never needed
    model = openvino.Core().compile_model(str(weights.finder.path), "CPU", {"INFERENCE_NUM_THREADS": THREADS})
    return lambda: model(batch)


def _opencv(weights: Weights, batch: NDArray[np.float32]) -> Callable[[], object]:
    network = cv2.dnn.readNetFromONNX(str(weights.finder.path))

    def run() -> object:
        network.setInput(batch)
        return network.forward()

    return run


PEERS: dict[str, Callable[[Weights, NDArray[np.float32]], Callable[[], object]]] = {
    "onnxruntime": _onnxruntime,
    "openvino": _openvino,
    "cv2": _opencv,
}


def resident_mb() -> float:
    """Memory that this process holds, in MiB: at this moment on Linux, at its highest elsewhere."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return _highest_mb()
    import resource

    return pages * resource.getpagesize() / 2**20


def _highest_mb() -> float:
    try:
        import resource
    except ImportError:  # Windows has no such count in Python's own library
        raise VisionError("This system does not tell how much memory a program takes.") from None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def report(result: Row) -> str:
    """The result in words."""
    lines = [f"{result['frames_per_s']} frames/s on {result['threads']} threads, {result['rss_mb']} MiB"]
    lines += [f"  {name}: {value} ms" for name, value in result["stages_ms"].items()]
    lines += [f"  beside it, {name}: {value}" for name, value in result["peers"].items()]
    return "\n".join(lines)
