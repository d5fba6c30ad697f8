"""How to train on an ordinary processor: all cores, channels last, offline, resumable, by the clock."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from vision.lab.training.run_settings import Run


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

    def tune(trainer: Any) -> None:
        # ultralytics leaves one core free on a CPU, which halves the speed on two.
        torch.set_num_threads(run.threads)
        trainer.model.to(memory_format=torch.channels_last)
        if run.bfloat16:
            trainer.model.predict = in_bfloat16(trainer.model.predict)

    # It also forbids loading beside the training, which costs a fifth of the time.
    trainer.args.workers = run.loaders
    trainer.add_callback("on_train_start", tune)
    trainer.train()
    return Path(trainer.best if trainer.best.exists() else trainer.last)


def in_bfloat16(predict: Callable[..., Any]) -> Callable[..., Any]:
    """The same forward pass in bfloat16, its outputs in float32: faster on processors with AMX."""

    def forward(*args: Any, **kwargs: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return _as_float(predict(*args, **kwargs))

    return forward


def _as_float(output: Any) -> Any:
    match output:
        case torch.Tensor():
            return output.float()
        case dict():
            return {key: _as_float(value) for key, value in output.items()}
        case list() | tuple():
            return type(output)(_as_float(value) for value in output)
        case _:
            return output
