"""Trains the reader: a YOLO classifier on straightened cards, through ultralytics' own trainer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch.utils.data import Dataset
from ultralytics.data.augment import classify_transforms
from ultralytics.models.yolo.classify import ClassificationTrainer

from vision.lab.training.cpu_training import on_cpu, settings
from vision.lab.training.run_settings import Run
from vision.types import CLASSES, Image, VisionError


class Crops(Dataset[dict[str, Any]]):
    """Straightened cards of one split, held in memory; training ones are shaken a little at each reading."""

    def __init__(self, folders: Sequence[Path], size: int, shaken: bool) -> None:
        """Read every shard in `folders`; raises VisionError where there is none."""
        shards = [np.load(file) for folder in folders for file in sorted(folder.glob("[0-9]*.npz"))]
        if not shards:
            raise VisionError(f"{folders[0]} holds no rendered cards: run `python -m vision train render` first.")
        self.labels = np.concatenate([shard["labels"] for shard in shards])
        # Filled in place: they are gigabytes, and joining a list of them would hold them twice.
        self.crops = np.empty((len(self.labels), *shards[0]["crops"].shape[1:]), np.uint8)
        start = 0
        for shard in shards:
            crops = shard["crops"]
            self.crops[start : start + len(crops)] = crops
            start += len(crops)
        self.size, self.shaken = size, shaken
        self.rng = np.random.default_rng(0)
        # The trainer looks for these two by name.
        self.samples = range(len(self.labels))
        self.torch_transforms = classify_transforms(size)

    def __len__(self) -> int:
        """How many cards there are."""
        return len(self.labels)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """One card as RGB float CHW 0..1 with its class."""
        card = self.crops[index]
        if self.shaken:
            card = shake(card, self.rng)
        if card.shape[0] != self.size:
            card = np.asarray(cv2.resize(card, (self.size, self.size), interpolation=cv2.INTER_AREA), np.uint8)
        planes = np.ascontiguousarray(card[..., ::-1].transpose(2, 0, 1))
        return {"img": torch.from_numpy(planes).float() / 255, "cls": int(self.labels[index])}


def shake(card: Image, rng: np.random.Generator) -> Image:
    """The same card a little moved, turned half round, brighter or duller: cheap variety between passes."""
    if rng.random() < 0.5:
        card = card[::-1, ::-1]
    if rng.random() < 0.5:
        side = card.shape[0]
        corners = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
        moved = corners + rng.normal(0, 0.02 * side, (4, 2)).astype(np.float32)
        warp = cv2.getPerspectiveTransform(corners, moved)
        card = np.asarray(cv2.warpPerspective(card, warp, (side, side), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    if rng.random() < 0.5:
        card = np.asarray(
            cv2.convertScaleAbs(card, alpha=float(rng.uniform(0.7, 1.35)), beta=float(rng.uniform(-20, 20))), np.uint8
        )
    return card


class ReaderTrainer(ClassificationTrainer):
    """ultralytics' classification trainer on rendered crops instead of a folder of files."""

    def get_dataset(self) -> dict[str, Any]:
        """The two splits and the classes, in the form the trainer expects."""
        folders = [Path(folder) / "reader" for folder in str(self.args.data).split(os.pathsep)]
        return {
            "train": [folder / "train" for folder in folders],
            "val": [folders[0] / "val"],
            "nc": len(CLASSES),
            "names": dict(enumerate(CLASSES)),
            "channels": 3,
        }

    def build_dataset(self, img_path: Sequence[Path], mode: str = "train", batch: int | None = None) -> Crops:
        """Crops of one split, from every folder of `img_path`."""
        return Crops(img_path, int(self.args.imgsz), mode == "train")

    def final_eval(self) -> None:
        """Nothing more: every pass was validated, and ultralytics would look for a folder of files here."""


def train_reader(data: Sequence[Path], run: Run, size: int = 160, batch: int = 64) -> Path:
    """Train on the cards of every folder in `data` for `run`'s hours; returns the best checkpoint.

    Takes up an interrupted run of the same name; starts from `run.start` where given.
    """
    overrides = settings(run) | {
        "model": str(run.start or "yolo26n-cls.yaml"),
        "data": os.pathsep.join(map(str, data)),
        "imgsz": size,
        "batch": batch,
        "optimizer": "AdamW",
        "lr0": run.rate or 0.002,
        "weight_decay": 0.01,
        "warmup_epochs": 0.3,
    }
    return on_cpu(ReaderTrainer, overrides, run)
