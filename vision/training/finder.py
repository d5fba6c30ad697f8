"""Trains the finder: a YOLO oriented-box network on rendered pictures, started from the reader's backbone."""

from __future__ import annotations

from pathlib import Path

from ultralytics.models.yolo.obb import OBBTrainer

from vision.training.cpu import on_cpu, settings
from vision.training.run import Run
from vision.types import VisionError


def train_finder(data: Path, run: Run, size: int = 320, batch: int = 8) -> Path:
    """Train on `data`/data.yaml for `run`'s hours; returns the best checkpoint.

    `run.start` may be a trained reader (its first layers are the same and are taken over) or a finder.
    Raises VisionError where nothing was rendered.
    """
    if not (data / "data.yaml").exists():
        raise VisionError(f"{data} holds no rendered pictures: run `python -m vision train render` first.")
    overrides = settings(run) | {
        "model": "yolo26n-obb.yaml",
        "pretrained": str(run.start) if run.start else False,
        "data": str(data / "data.yaml"),
        "imgsz": size,
        "batch": batch,
        "optimizer": "AdamW",
        "lr0": run.rate or 0.001,
        "warmup_epochs": 0.3,
        # The scenes bring their own variety; a mosaic would only make every card small.
        "mosaic": 0.0,
        "close_mosaic": 0,
        "scale": 0.3,
        "translate": 0.1,
        "fliplr": 0.5,
        "flipud": 0.5,
        "hsv_h": 0.02,
        "hsv_s": 0.4,
        "hsv_v": 0.3,
        "cache": "ram",
        "nbs": batch,
    }
    return on_cpu(OBBTrainer, overrides, run)
