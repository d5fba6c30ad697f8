"""`python -m vision export`: trained checkpoints become the files of models/ with their manifest."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomli_w

from vision.detection.weights import FEATURES, MANIFEST
from vision.types import CLASSES, VisionError


def main(argv: Sequence[str] | None = None) -> int:
    """Export both networks into a folder; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m vision export", description=__doc__)
    parser.add_argument("--finder", type=Path, required=True, help="trained finder (.pt)")
    parser.add_argument("--reader", type=Path, required=True, help="trained reader (.pt)")
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--made", required=True, help="how and from what the weights were made, one sentence")
    parser.add_argument("--finder-size", type=int, default=416, help="longer side of the finder's picture, pixels")
    parser.add_argument("--reader-size", type=int, default=160, help="side of a straightened card, pixels")
    parser.add_argument("--threshold", type=float, default=0.3, help="least score of an outline")
    parser.add_argument("--nms-iou", type=float, default=0.5, help="outlines that overlap more are one card")
    parser.add_argument("--read-above", type=float, default=0.6, help="`read` stands by a card from here on")
    parser.add_argument("--joker-above", type=float, help="and by a joker from here on (default: the same)")
    parser.add_argument("--views", type=int, default=1, choices=(1, 2), help="2: read each card turned round as well")
    parser.add_argument("--data", type=Path, help="rendered data: calibrates the reader on its held-out cards")
    args = parser.parse_args(argv)
    export_networks(args)
    return 0


def export_networks(args: argparse.Namespace) -> None:
    """Write both networks as ONNX and half-precision .pt, and the manifest that names their sums."""
    args.out.mkdir(parents=True, exist_ok=True)
    finder = _network(_checkpoint(args.finder, args.out / "finder.pt"), args.finder_size, end2end=False)
    reader_pt = _checkpoint(args.reader, args.out / "reader.pt")
    if args.data:
        calibrate(reader_pt, args.data, args.reader_size, args.views)
    reader = _network(reader_pt, args.reader_size)
    reader |= {"features": give_features(args.out / reader["file"]), "sha256": _sum(args.out / reader["file"])}
    finder |= {"size": args.finder_size, "threshold": args.threshold, "nms_iou": args.nms_iou}
    reader |= {
        "size": args.reader_size,
        "colour": "RGB",
        "classes": list(CLASSES),
        "read_above": args.read_above,
        "joker_above": args.joker_above or args.read_above,
        "views": args.views,
    }
    manifest = {"made": args.made, "finder": finder, "reader": reader}
    (args.out / MANIFEST).write_text(tomli_w.dumps(manifest), encoding="utf-8")


def _checkpoint(trained: Path, out: Path) -> Path:
    """The trained weights alone, in half precision; without the folders they were trained in."""
    import torch
    from ultralytics.utils.torch_utils import strip_optimizer

    if not strip_optimizer(str(trained), str(out)):
        raise VisionError(f"{trained} is no trained checkpoint: give the best.pt of a run.")
    checkpoint = torch.load(out, weights_only=False)
    settings = _without_folders(checkpoint["train_args"])
    checkpoint["model"].args, checkpoint["model"].pt_path = settings, out.name
    checkpoint |= {"train_args": settings, "git": None}
    torch.save(checkpoint, out)
    return out


def _without_folders(settings: dict[str, Any]) -> dict[str, Any]:
    return {
        key: "" if isinstance(value, (str, Path)) and "/" in str(value) else value for key, value in settings.items()
    }


def calibrate(pt: Path, data: Path, size: int, views: int) -> None:
    """Fit the reader's temperature on `data` and write it into the checkpoint."""
    import torch

    from vision.lab.training.trainers import cool, fitted_temperature

    checkpoint = torch.load(pt, weights_only=False)
    model = checkpoint["model"].float()
    temperature = fitted_temperature(model, data, size, views)
    print(f"temperature {temperature:.2f}")
    cool(model, temperature)
    torch.save(checkpoint | {"model": model.half()}, pt)


def _network(pt: Path, size: int, **options: Any) -> dict[str, Any]:
    from ultralytics import YOLO

    # The bare one-to-many output of the finder: suppression outside the network is three times faster than inside.
    onnx = Path(YOLO(str(pt)).export(format="onnx", imgsz=size, dynamic=True, nms=False, **options))
    return {"file": onnx.name, "sha256": _sum(onnx), "pt": pt.name, "pt_sha256": _sum(pt)}


def give_features(path: Path) -> int:
    """Let a classifier give what its last layer judges by as a second output; returns how many values a picture.

    An enrolled pack is known by them. Raises VisionError where the network does not end in a linear layer.
    """
    import onnx

    model = onnx.load(path)
    sizes = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    last = next((node for node in reversed(model.graph.node) if node.op_type in ("Gemm", "MatMul")), None)
    if last is None or last.input[1] not in sizes:
        raise VisionError(f"{path} does not end in a linear layer: it is no classifier to enrol a pack with.")
    # One side of the layer's matrix is the classes; the other is what it judges by.
    (count,) = set(sizes[last.input[1]]) - {len(CLASSES)}
    model.graph.node.append(onnx.helper.make_node("Identity", [last.input[0]], [FEATURES]))
    shape = ["batch", count]
    model.graph.output.append(onnx.helper.make_tensor_value_info(FEATURES, onnx.TensorProto.FLOAT, shape))
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return int(count)


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
