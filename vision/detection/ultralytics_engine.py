"""The Detector protocol on ultralytics' own predict: any device it knows, and a person's own .pt.

Needs the extra `train`. Nothing else imports this file unless `--engine ultralytics` or a .pt is asked for.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from vision.detection.detector import CardDetector, merge_duplicates
from vision.detection.finder import Outline
from vision.detection.onnx_network import Array
from vision.detection.reader import classify_both_ways
from vision.detection.weights import FinderNet, ReaderNet, load_weights
from vision.geometry import as_quad
from vision.images import straighten
from vision.types import (
    BACK,
    CLASSES,
    RANKS,
    SUITS,
    Detector,
    FoundCard,
    Frame,
    Image,
    Quad,
    Reading,
    Side,
    VisionError,
)

# Nothing is fetched and nothing is reported to anybody.
os.environ.setdefault("YOLO_OFFLINE", "1")
os.environ.setdefault("YOLO_VERBOSE", "False")

try:
    import torch
    from ultralytics.models.yolo.model import YOLO
except ImportError:
    raise VisionError("ultralytics is not installed: install the program with its extra `train`.") from None


#: What saved networks are made of: the classes of these modules, and these names.
_LAYERS = ("torch.nn.modules.", "torchvision.transforms.", "ultralytics.nn.modules.", "ultralytics.nn.tasks")
_PARTS = frozenset(
    {
        "collections.OrderedDict",
        "builtins.set",
        "__builtin__.set",
        "builtins.slice",
        "__builtin__.slice",
        "pathlib.Path",
        "pathlib.PosixPath",
        "pathlib.WindowsPath",
        "torch.FloatStorage",
        "torch.HalfStorage",
        "torch.BFloat16Storage",
        "torch.LongStorage",
        "torch.IntStorage",
        "torch.BoolStorage",
        "torch.ByteStorage",
        "torch.Size",
        "torch.device",
        "torch.dtype",
        "torch._utils._rebuild_tensor_v2",
        "torch._utils._rebuild_parameter",
        "ultralytics.utils.IterableSimpleNamespace",
    }
)

#: A person's own network brings no threshold: cards are shown from the first on, stood by from the second on.
SHOWN_ABOVE, _READ_ABOVE = 0.25, 0.5
NMS_IOU = 0.5


def open_ultralytics(weights: Path | None) -> Detector:
    """A detector for a folder of weights (None: the program's own) or for one .pt file.

    Raises VisionError where the files are missing or the .pt knows no cards.
    """
    if weights and weights.suffix == ".pt":
        return OneNetwork(weights)
    loaded = load_weights(weights)
    finder, reader = PtFinder(loaded.finder), PtReader(loaded.reader)
    return CardDetector(finder, reader, loaded.reader.read_above, loaded.hash)


def _load(path: Path) -> Any:
    """A network in ultralytics' own wrapping; VisionError where the file holds more than a network, or none."""
    try:
        torch.load(path, map_location="cpu", weights_only=False, pickle_module=_NetworksOnly)
    except _ForeignCodeError as error:
        raise VisionError(
            f"{path} asks for {error} to be run while it is loaded, which no network needs: it was not opened. "
            "Get it from somebody you trust as .onnx, or save the weights anew with ultralytics."
        ) from None
    except Exception as error:  # whatever reading a foreign file may raise
        raise _unreadable(path) from error
    try:
        return YOLO(str(path))
    except Exception as error:  # whatever ultralytics may raise
        raise _unreadable(path) from error


def _unreadable(path: Path) -> VisionError:
    what = "it is damaged or of another kind: give the .pt of a detect or OBB model"
    return VisionError(f"{path} is no network that ultralytics can load, {what}.")


class _ForeignCodeError(Exception):
    """A .pt file names something that is no part of a network."""


class _NetworksOnly:
    """In place of the module `pickle`: a .pt file is a pickle, which can name any function to be called.

    Only what saved networks are made of may be named; whoever made the file could run anything otherwise.
    """

    class Unpickler(pickle.Unpickler):
        """Refuses every name that is no part of a network."""

        def find_class(self, module: str, name: str) -> Any:
            """The thing of that name, where networks are made of such things. Raises _ForeignCodeError."""
            named = f"{module}.{name}"
            if named in _PARTS:
                return super().find_class(module, name)
            # A dotted name, or a module's own imports, would lead out of the layers.
            if not module.startswith(_LAYERS) or "." in name:
                raise _ForeignCodeError(named)
            found = super().find_class(module, name)
            if not isinstance(found, type) or not found.__module__.startswith(_LAYERS):
                raise _ForeignCodeError(named)
            return found

    @staticmethod
    def load(file: IO[bytes], **options: Any) -> Any:
        """Read one object, as the oldest .pt files need it."""
        return _NetworksOnly.Unpickler(file, **options).load()


class PtFinder:
    """The finder's weights run by ultralytics."""

    def __init__(self, net: FinderNet) -> None:
        """Load the .pt beside the network's file."""
        self._net, self._yolo = net, _load(net.for_ultralytics)

    def find(self, image: Image) -> tuple[Outline, ...]:
        """Outline the cards of a BGR picture, best score first."""
        result = self._yolo.predict(
            image,
            imgsz=self._net.size,
            conf=self._net.threshold,
            iou=self._net.nms_iou,
            agnostic_nms=True,
            verbose=False,
        )[0]
        return tuple(
            Outline(quad, Side.BACK if number else Side.FACE, score) for quad, number, score in read_outlines(result)
        )


class PtReader:
    """The reader's weights run by ultralytics."""

    def __init__(self, net: ReaderNet) -> None:
        """Load the .pt beside the network's file."""
        self._net, self._yolo = net, _load(net.for_ultralytics)
        self._order = [net.classes.index(name) for name in CLASSES]

    def read(self, image: Image, quads: Sequence[Quad]) -> NDArray[np.floating]:
        """Probabilities of CLASSES for each outline in a BGR picture."""
        if not quads:
            return np.zeros((0, len(CLASSES)))
        cards = np.stack([straighten(image, quad, self._net.size, self._net.margin) for quad in quads])
        return classify_both_ways(self._classify, cards, self._net.views)[:, self._order]

    def _classify(self, cards: Image) -> Array:
        # It takes BGR and turns it into RGB by itself; a network made for BGR must be handed the reverse.
        turned = [np.ascontiguousarray(card if self._net.colour == "RGB" else card[..., ::-1]) for card in cards]
        results = self._yolo.predict(turned, imgsz=self._net.size, verbose=False)
        return np.stack([result.probs.data.cpu().numpy() for result in results])


class OneNetwork:
    """One detect or OBB network whose class names are card codes, as people train them."""

    def __init__(self, path: Path) -> None:
        """Load it; VisionError where the file is missing, or none of its classes is a card."""
        if not path.is_file():
            raise VisionError(f"There is no file {path}: give a .pt of a detect or OBB model.")
        self.model_hash = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        self._yolo = _load(path)
        self._codes = {
            number: code for number, name in self._yolo.names.items() if (code := parse_card_code(str(name)))
        }
        if self._yolo.task not in ("detect", "obb") or not set(self._codes.values()) - {BACK}:
            raise VisionError(f"{path} is no detect or OBB model whose class names are card codes such as 10H or QS.")

    def detect(self, frame: Frame) -> tuple[FoundCard, ...]:
        """Every card of the frame."""
        result = self._yolo.predict(frame.image, conf=SHOWN_ABOVE, iou=NMS_IOU, agnostic_nms=True, verbose=False)[0]
        found = ((quad, self._codes.get(number), p) for quad, number, p in read_outlines(result))
        return merge_duplicates(_card(quad, code, p) for quad, code, p in found if code)


def _card(quad: Quad, code: str, p: float) -> FoundCard:
    if code == BACK:
        return FoundCard(quad, Side.BACK, p)
    return FoundCard(quad, Side.FACE, p, (Reading(code, p),), read=p >= _READ_ABOVE)


def read_outlines(result: Any) -> list[tuple[Quad, int, float]]:
    """Outline in frame pixels, class number and score of each box in one of ultralytics' results, best first."""
    boxes = result.boxes if result.obb is None else result.obb
    if result.obb is None:
        left, top, right, bottom = boxes.xyxy.cpu().numpy().astype(float).reshape(-1, 4).T
        corners = np.stack([left, top, right, top, right, bottom, left, bottom], axis=1).reshape(-1, 4, 2)
    else:
        corners = boxes.xyxyxyxy.cpu().numpy().astype(float).reshape(-1, 4, 2)
    numbers, scores = boxes.cls.cpu().numpy().astype(int), boxes.conf.cpu().numpy().astype(float)
    order = np.argsort(-scores, kind="stable")
    return [(as_quad(corners[i]), int(numbers[i]), float(scores[i])) for i in order]


def parse_card_code(name: str) -> str | None:
    """The card code that a class name means, BACK, or None.

    >>> [parse_card_code(name) for name in ("10h", "Qs", "TD", "joker", "back", "dog")]
    ['10H', 'QS', '10D', 'JOKER', 'back', None]
    """
    code = name.strip().upper()
    if code in ("JOKER", "JR", "JB"):
        return "JOKER"
    if code == BACK.upper():
        return BACK
    rank, suit = code[:-1].replace("T", "10"), code[-1:]
    return rank + suit if rank in RANKS and suit in SUITS else None
