"""`python -m vision export`: trained checkpoints become the files of models/ with their manifest."""

from __future__ import annotations

import argparse
import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomli_w

from vision.types import CLASSES
from vision.weights import MANIFEST


def main(argv: Sequence[str] | None = None) -> int:
    """Export both networks into a folder; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m vision export", description=__doc__)
    parser.add_argument("--finder", type=Path, required=True, help="trained finder (.pt)")
    parser.add_argument("--reader", type=Path, required=True, help="trained reader (.pt)")
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--made", required=True, help="how and from what the weights were made, one sentence")
    parser.add_argument("--finder-size", type=int, default=416, help="longer side of the finder's picture, pixels")
    parser.add_argument("--reader-size", type=int, default=128, help="side of a straightened card, pixels")
    parser.add_argument("--threshold", type=float, default=0.3, help="least score of an outline")
    parser.add_argument("--nms-iou", type=float, default=0.5, help="outlines that overlap more are one card")
    parser.add_argument("--read-above", type=float, default=0.6, help="`read` stands by a card from here on")
    parser.add_argument("--views", type=int, default=1, choices=(1, 2), help="2: read each card turned round as well")
    args = parser.parse_args(argv)
    export(args)
    return 0


def export(args: argparse.Namespace) -> None:
    """Write both networks as ONNX and half-precision .pt, and the manifest that names their sums."""
    args.out.mkdir(parents=True, exist_ok=True)
    finder = _network(args.finder, args.out, "finder", args.finder_size)
    reader = _network(args.reader, args.out, "reader", args.reader_size)
    finder |= {"size": args.finder_size, "threshold": args.threshold, "nms_iou": args.nms_iou}
    reader |= {
        "size": args.reader_size,
        "colour": "RGB",
        "classes": list(CLASSES),
        "read_above": args.read_above,
        "views": args.views,
    }
    manifest = {"made": args.made, "finder": finder, "reader": reader}
    (args.out / MANIFEST).write_text(tomli_w.dumps(manifest), encoding="utf-8")


def _network(checkpoint: Path, out: Path, name: str, size: int) -> dict[str, Any]:
    from ultralytics import YOLO
    from ultralytics.utils.torch_utils import strip_optimizer

    pt = out / f"{name}.pt"
    strip_optimizer(str(checkpoint), str(pt))
    onnx = out / f"{name}.onnx"
    # The bare one-to-many output: suppression outside the network is three times faster than inside.
    options = {"end2end": False} if name == "finder" else {}
    made = YOLO(str(pt)).export(format="onnx", imgsz=size, dynamic=True, nms=False, **options)
    if Path(made) != onnx:
        shutil.move(made, onnx)
    return {"file": onnx.name, "sha256": _sum(onnx), "pt": pt.name, "pt_sha256": _sum(pt)}


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
