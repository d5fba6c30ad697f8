"""Settings of one training run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Run:
    """One training run. `hours` is its whole length by the clock, interrupted parts included; `start` are the weights
    to go on from; `device` is ultralytics' name of the device: cpu, mps, 0, or 0,1 for two GPUs.
    """

    folder: Path
    name: str
    hours: float
    start: Path | None = None
    rate: float | None = None
    seed: int = 0
    threads: int = os.cpu_count() or 2
    epochs: int = 100
    bfloat16: bool = False
    loaders: int = 0
    device: str = "cpu"
