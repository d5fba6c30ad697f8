"""Makes the reader's probabilities honest: one temperature, fitted on rendered cards of held-out families."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import DataLoader

from vision.lab.training.train_reader import Crops

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
