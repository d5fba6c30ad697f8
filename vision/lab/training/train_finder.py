"""Trains the finder: a YOLO oriented-box network on rendered pictures, started from the reader's backbone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ultralytics.models.yolo.obb import OBBTrainer
from ultralytics.nn.tasks import OBBModel, yaml_model_load

from vision.lab.training.cpu_training import on_cpu, settings
from vision.lab.training.run_settings import Run
from vision.types import VisionError


class FinderTrainer(OBBTrainer):
    """ultralytics' trainer of oriented boxes, for a network with the one-to-many head alone.

    The second, end-to-end head would take over most of the training and half of the head's time, and is not used.
    """

    def get_model(self, cfg: str | dict[str, Any] | None = None, weights: Any = None, verbose: bool = True) -> OBBModel:
        """The network as `cfg` names it, without its end-to-end head."""
        shape = yaml_model_load(cfg) if isinstance(cfg, str) else dict(cfg or {})
        return super().get_model(shape | {"end2end": False}, weights, verbose)


def train_finder(data: Sequence[Path], run: Run, size: int = 320, batch: int = 8) -> Path:
    """Train on the pictures of every folder in `data` for `run`'s hours; returns the best checkpoint.

    `run.start` may be a trained reader (its first layers are the same and are taken over) or a finder.
    Raises VisionError where nothing was rendered.
    """
    for folder in data:
        if not (folder / "finder" / "images" / "train").is_dir():
            raise VisionError(f"{folder} holds no rendered pictures: run `python -m vision train render` first.")
    overrides = settings(run) | {
        "model": "yolo26n-obb.yaml",
        "pretrained": str(run.start) if run.start else False,
        "data": str(_places(data, run)),
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
        "nbs": batch,
    }
    return on_cpu(FinderTrainer, overrides, run)


def _places(data: Sequence[Path], run: Run) -> Path:
    """The file that tells ultralytics where pictures lie and what the classes are."""
    run.folder.mkdir(parents=True, exist_ok=True)
    train = [str((folder / "finder" / "images" / "train").resolve()) for folder in data]
    val = str((data[0] / "finder" / "images" / "val").resolve())
    file = run.folder / f"{run.name}.yaml"
    # JSON is YAML, and quotes every path.
    file.write_text(json.dumps({"train": train, "val": val, "names": {0: "face", 1: "back"}}), encoding="utf-8")
    return file
