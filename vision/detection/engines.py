"""Opens the detector that was asked for: the program's own networks on onnxruntime, or ultralytics."""

from __future__ import annotations

from pathlib import Path

from vision.detection.detector import CardDetector
from vision.detection.weights import load_weights
from vision.types import ENGINES, Detector, VisionError


def open_detector(weights: Path | None = None, engine: str = "auto") -> Detector:
    """The detector for `--weights` and `--engine`; None and "auto" give the program's own networks.

    `weights` is a folder with a manifest.toml, or one .pt of a network whose class names are card codes.
    Raises VisionError where files are missing or changed, or ultralytics is asked for and not installed.
    """
    if engine not in ENGINES:
        raise VisionError(f"There is no engine {engine}: choose one of {', '.join(ENGINES)}.")
    if engine == "ultralytics" or (weights and weights.suffix == ".pt"):
        from vision.detection.ultralytics_engine import (
            open_ultralytics,  # torch takes seconds to load and may be absent
        )

        return open_ultralytics(weights)
    return CardDetector.load(load_weights(weights))
