"""The trainers of both networks on rendered data: ultralytics' own, resumable, offline, limited by the clock."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import DataLoader, Dataset
from ultralytics.data.augment import classify_transforms
from ultralytics.models.yolo.classify import ClassificationTrainer
from ultralytics.models.yolo.obb import OBBTrainer
from ultralytics.nn.tasks import OBBModel, yaml_model_load

from vision.lab.training.dataset import FINDER_CLASS_FILE
from vision.lab.training.run_settings import Run
from vision.types import CLASSES, Image, VisionError

#: The folder that holds the package.
_ROOT = Path(__file__).parents[3]


def common_settings(run: Run) -> dict[str, Any]:
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
        "device": run.device,
        "amp": False,
        "plots": False,
        "patience": 0,
        "cos_lr": True,
        "workers": 0,
    }


def run_trainer(trainer_class: type[Any], overrides: dict[str, Any], run: Run) -> Path:
    """Run one of ultralytics' trainers to its end; returns the path of its best checkpoint.

    Several GPUs are trained on by its own DDP, which starts a process a GPU; those must find this package too.
    """
    os.environ.setdefault("YOLO_OFFLINE", "1")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")]))
    trainer = trainer_class(overrides=overrides)

    def tune(trainer: Any) -> None:
        # ultralytics leaves one core free on a CPU, which halves the speed on two.
        torch.set_num_threads(run.threads)
        trainer.model.to(memory_format=torch.channels_last)
        if run.bfloat16:
            trainer.model.predict = in_bfloat16(trainer.model.predict)

    # On a CPU it forbids loading beside the training, which costs a fifth of the time.
    trainer.args.workers = run.loaders
    if run.device == "cpu":
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
    overrides = common_settings(run) | {
        "model": str(run.start or "yolo26n-cls.yaml"),
        "data": os.pathsep.join(map(str, data)),
        "imgsz": size,
        "batch": batch,
        "optimizer": "AdamW",
        "lr0": run.rate or 0.002,
        "weight_decay": 0.01,
        "warmup_epochs": 0.3,
    }
    return run_trainer(ReaderTrainer, overrides, run)


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
    overrides = common_settings(run) | {
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
    return run_trainer(FinderTrainer, overrides, run)


def _places(data: Sequence[Path], run: Run) -> Path:
    """The file that tells ultralytics where pictures lie and what the classes are."""
    run.folder.mkdir(parents=True, exist_ok=True)
    train = [str((folder / "finder" / "images" / "train").resolve()) for folder in data]
    val = str((data[0] / "finder" / "images" / "val").resolve())
    file = run.folder / f"{run.name}.yaml"
    # JSON is YAML, and quotes every path.
    classes = json.loads((data[0] / FINDER_CLASS_FILE).read_text("utf-8"))
    file.write_text(json.dumps({"train": train, "val": val, "names": dict(enumerate(classes))}), encoding="utf-8")
    return file


#: Temperatures tried; above 1 the network was too sure of itself.
TEMPERATURES = np.exp(np.linspace(np.log(0.5), np.log(4.0), 60))


def fitted_temperature(model: Any, data: Path, size: int, views: int = 1) -> float:
    """The temperature under which the cards of `data`/reader/val are least surprising to `model`.

    With two `views` it is the mean of both ways up that has to be honest: that is what is used.
    """
    looks, labels = _logits(model, Crops([data / "reader" / "val"], size, shaken=False), views)
    return float(min(TEMPERATURES, key=lambda t: surprise(looks / t, labels)))


def surprise(looks: NDArray[np.float32], labels: NDArray[np.integer]) -> float:
    """Mean negative log-likelihood of the labels; `looks` are VxNxC scores of V averaged views.

    >>> round(surprise(np.zeros((1, 2, 4), np.float32), np.array([0, 3])), 3)
    1.386
    """
    shifted = looks - looks.max(-1, keepdims=True)
    p = (np.exp(shifted) / np.exp(shifted).sum(-1, keepdims=True)).mean(0)
    return float(-np.log(p[np.arange(len(labels)), labels] + 1e-12).mean())


def cool(model: Any, temperature: float) -> None:
    """Divide the classifier's last layer by `temperature`, so that every runtime gives the same probabilities."""
    last = model.model[-1].linear
    with torch.no_grad():
        last.weight /= temperature
        last.bias /= temperature


def _logits(model: Any, crops: Crops, views: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Unnormalised scores of every crop, `views` ways up (VxNxC), and its label.

    A YOLO classifier gives them beside its probabilities.
    """
    model = model.float().eval()
    rows, labels = [], []
    with torch.inference_mode():
        for batch in DataLoader(crops, batch_size=128):
            ways = (batch["img"], batch["img"].flip(2, 3))[:views]
            rows.append(np.stack([model(way)[1].numpy() for way in ways]))
            labels.append(batch["cls"].numpy())
    return np.concatenate(rows, axis=1), np.concatenate(labels)
