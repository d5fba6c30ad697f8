"""Plain YOLO networks on the whole frame, as people run them: what our own speed is measured against.

Random weights serve: they take as long as trained ones.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from vision.detection.finder import letterbox
from vision.detection.onnx_network import Network, as_input
from vision.types import THREADS, Image

#: The side of their picture, in pixels.
_SIZE = 640


def in_ultralytics(frame: Image, folder: Path) -> Callable[[], object]:
    """The loop of the tutorials: ultralytics' own predict with a YOLOv8m in torch."""
    import torch
    from ultralytics import YOLO

    torch.set_num_threads(THREADS)
    model: Any = YOLO("yolov8m.yaml", task="detect")
    return lambda: model.predict(frame, imgsz=_SIZE, device="cpu", verbose=False)


def in_onnxruntime(frame: Image, folder: Path) -> Callable[[], object]:
    """A YOLOv8s in the runtime that we use: letterbox and network alone, without its suppression."""
    from ultralytics import YOLO

    model: Any = YOLO("yolov8s.yaml", task="detect")
    checkpoint = folder / "yolov8s.pt"
    model.save(checkpoint)
    network = Network(Path(YOLO(checkpoint).export(format="onnx", imgsz=_SIZE, simplify=False)), THREADS)
    return lambda: network(as_input(letterbox(frame, _SIZE, _SIZE)[0][None], flip_channels=True))


_RIVALS: dict[str, Callable[[Image, Path], Callable[[], object]]] = {
    "YOLOv8m in ultralytics, 640": in_ultralytics,
    "YOLOv8s in onnxruntime, 640": in_onnxruntime,
}
