"""How to train on an ordinary processor: all cores, channels last, offline, resumable, by the clock."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from vision.training.run import Run


def settings(run: Run) -> dict[str, Any]:
    """What both networks' runs have in common; an interrupted run of this name is taken up."""
    last = run.folder / run.name / "weights" / "last.pt"
    return {
        "project": str(run.folder.resolve()),
        "name": run.name,
        "exist_ok": True,
        "resume": str(last) if last.exists() else False,
        "time": run.hours,
        "epochs": run.epochs,
        "seed": run.seed,
        "device": "cpu",
        "amp": False,
        "plots": False,
        "patience": 0,
        "cos_lr": True,
        "workers": 0,
    }


def on_cpu(trainer_class: type[Any], overrides: dict[str, Any], run: Run) -> Path:
    """Run one of ultralytics' trainers to its end; returns the path of its best checkpoint."""
    os.environ.setdefault("YOLO_OFFLINE", "1")
    trainer = trainer_class(overrides=overrides)

    def use_all_cores(trainer: Any) -> None:
        # ultralytics leaves one core free on a CPU, which halves the speed on two.
        torch.set_num_threads(run.threads)
        trainer.model.to(memory_format=torch.channels_last)

    trainer.add_callback("on_train_start", use_all_cores)
    trainer.train()
    return Path(trainer.best if trainer.best.exists() else trainer.last)
