"""Other runtimes and detectors, each measured in a process of its own: its memory and threads are not shared.

A peer is started by `python -m vision.lab.benchmark.runtimes NAME FOLDER`, with what it works on in FOLDER's
inputs.npz. It prints one line of JSON about itself, then waits: for each line "JOB N" it does the job N times and
answers with the milliseconds.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.types import THREADS, Image, VisionError

_Array = NDArray[np.float32]
_Run = Callable[[_Array], _Array]

#: Our networks. In the inputs each has its `file`, the batch that is timed under its bare name, `pictures` that are
#: compared, and our `answers` to them.
NETWORKS = ("finder", "reader")


def onnxruntime(path: Path, _: Path) -> _Run:
    """The runtime that the program uses."""
    from vision.detection.onnx_network import Network

    return Network(path, THREADS)


def openvino(path: Path, _: Path, **hints: str) -> _Run:
    """OpenVINO as it sets itself: where the processor has them, it computes with 16 bits (bfloat16)."""
    core: Any = importlib.import_module("openvino").Core()
    request = core.compile_model(str(path), "CPU", {"INFERENCE_NUM_THREADS": THREADS, **hints}).create_infer_request()
    return lambda batch: np.array(request.infer({0: batch}, share_inputs=True)[0])


def openvino_32(path: Path, folder: Path) -> _Run:
    """OpenVINO held to 32 bits, as we compute."""
    return openvino(path, folder, INFERENCE_PRECISION_HINT="f32")


def opencv(path: Path, _: Path) -> _Run:
    """OpenCV's own runtime."""
    cv2: Any = importlib.import_module("cv2")
    cv2.setNumThreads(THREADS)
    net = cv2.dnn.readNetFromONNX(str(path))

    def run(batch: _Array) -> _Array:
        net.setInput(batch)
        return np.array(net.forward())

    return run


#: Ways to run our networks: what must be installed, what of it is not part of the program, and how.
RUNTIMES: dict[str, tuple[tuple[str, ...], Callable[[Path, Path], _Run]]] = {
    "onnxruntime": (("onnxruntime",), onnxruntime),
    "openvino": (("openvino",), openvino),
    "openvino, 32 bits": (("openvino",), openvino_32),
    "cv2": (("cv2",), opencv),
}

#: The side of their picture, in pixels.
_RIVAL_SIDE = 640


def in_ultralytics(frame: Image, folder: Path) -> Callable[[], object]:
    """The loop of the tutorials: ultralytics' own predict with a YOLOv8m in torch."""
    import torch
    from ultralytics import YOLO

    torch.set_num_threads(THREADS)
    model: Any = YOLO("yolov8m.yaml", task="detect")
    return lambda: model.predict(frame, imgsz=_RIVAL_SIDE, device="cpu", verbose=False)


def in_onnxruntime(frame: Image, folder: Path) -> Callable[[], object]:
    """A YOLOv8s in the runtime that we use: letterbox and network alone, without its suppression."""
    from ultralytics import YOLO

    from vision.detection.finder import letterbox
    from vision.detection.onnx_network import Network, as_input

    model: Any = YOLO("yolov8s.yaml", task="detect")
    checkpoint = folder / "yolov8s.pt"
    model.save(checkpoint)
    network = Network(Path(YOLO(checkpoint).export(format="onnx", imgsz=_RIVAL_SIDE, simplify=False)), THREADS)
    return lambda: network(as_input(letterbox(frame, _RIVAL_SIDE, _RIVAL_SIDE)[0][None], flip_channels=True))


#: Plain YOLO networks on the whole frame, as people run them: what our own speed is measured against. Random weights
#: serve: they take as long as trained ones.
RIVALS: dict[str, Callable[[Image, Path], Callable[[], object]]] = {
    "YOLOv8m in ultralytics, 640": in_ultralytics,
    "YOLOv8s in onnxruntime, 640": in_onnxruntime,
}


def installed(needs: tuple[str, ...]) -> bool:
    """Whether all these can be imported."""
    return all(importlib.util.find_spec(name) for name in needs)


def jobs_of(name: str, inputs: Mapping[str, Any], folder: Path) -> dict[str, Callable[[], object]]:
    """The jobs that a peer can do."""
    if name in RIVALS:
        return {"whole": RIVALS[name](inputs["frame"], folder)}
    runs = {part: RUNTIMES[name][1](Path(str(inputs[f"{part} file"])), folder) for part in NETWORKS}
    return {part: partial(run, inputs[part]) for part, run in runs.items()}


def run_peer(name: str, folder: Path, say: Callable[[object], None]) -> None:
    """Load a peer, say how it is, and do what is asked for on the standard input."""
    inputs, empty_mb, started = np.load(folder / "inputs.npz"), resident_mb(), time.perf_counter()
    jobs = jobs_of(name, dict(inputs), folder)
    for work in jobs.values():
        work()
    ready = {"start_s": round(time.perf_counter() - started, 2), "rss_mb": round(resident_mb() - empty_mb, 1)}
    say(ready | ({} if name in RIVALS else {"apart": apart(name, dict(inputs), folder)}))
    for line in sys.stdin:
        job, times = line.split()
        say([milliseconds(jobs[job]) for _ in range(int(times))])


def apart(name: str, inputs: Mapping[str, Any], folder: Path) -> dict[str, float]:
    """For each network the largest difference of a score or probability to our own answers over all pictures."""
    found = {}
    for part in NETWORKS:
        run, ours = RUNTIMES[name][1](Path(str(inputs[f"{part} file"])), folder), inputs[f"{part} answers"]
        answers = np.concatenate([run(picture[None]) for picture in inputs[f"{part} pictures"]]).reshape(ours.shape)
        scores = slice(4, 6) if ours.ndim == 3 else slice(None)
        found[part] = round(float(np.abs(answers - ours)[:, scores].max()), 6)
    return found


def milliseconds(work: Callable[[], object]) -> float:
    """How long some work takes once."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


class Peer:
    """A peer in its process. Use it in a `with` statement."""

    def __init__(self, name: str, folder: Path) -> None:
        """Start it on what lies in `folder`; raises VisionError where it does not run here."""
        paths = os.pathsep.join(filter(None, [str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH")]))
        env = {**os.environ, "PYTHONPATH": paths, "YOLO_OFFLINE": "1", "YOLO_CONFIG_DIR": str(folder)}
        self._complaints = (folder / "complaints.txt").open("w+", encoding="utf-8", errors="replace")
        words = [sys.executable, "-m", "vision.lab.benchmark.runtimes", name, str(folder)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._complaints}
        self._process = subprocess.Popen(words, text=True, env=env, cwd=folder, **pipes)  # type: ignore[call-overload]
        self.name = name
        self.found: dict[str, Any] = self._answer()

    def run(self, job: str, times: int) -> list[float]:
        """Do a job so many times; the milliseconds of each."""
        self._process.stdin.write(f"{job} {times}\n")
        self._process.stdin.flush()
        return list(self._answer())

    def _answer(self) -> Any:
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._complaints.seek(0)
            last = (self._complaints.read().strip() or "it ended").splitlines()[-1]
            raise VisionError(f"{self.name} does not run here: {last}")
        return json.loads(line)

    def __enter__(self) -> Peer:
        """Use it in a `with` statement."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        """End the process."""
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._complaints.close()


def installed_mb(module: str, known: frozenset[str] = frozenset({"numpy"})) -> float:
    """MiB on the disk of the distribution of a module and of all that it needs, but for those `known`."""
    names = importlib.metadata.packages_distributions().get(module, [module])
    wanted, seen, total = [names[0]], set(known), 0
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        total += sum(
            path.stat().st_size for file in distribution.files or () if (path := Path(file.locate())).is_file()
        )
        wanted += [need for line in distribution.requires or () if (need := _needed(line))]
    return total / 2**20


def _needed(requirement: str) -> str:
    """The name in a requirement, or nothing where an extra alone asks for it."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    return match.group() if match and "extra ==" not in requirement else ""


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


def main() -> None:
    """Be a peer. What libraries print goes to the complaints: the output is for the answers."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(answer: object) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    run_peer(sys.argv[1], Path(sys.argv[2]), say)


if __name__ == "__main__":
    main()
