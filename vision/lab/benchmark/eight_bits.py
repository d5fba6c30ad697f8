"""Our networks in 8 bits: measured beside the ones in use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

#: What the ranges of the values are fitted to: so many pictures.
_PICTURES = 32


def quantise_weights(path: Path, folder: Path) -> Path:
    """A copy of a network with its weights in 8 bits."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    out = folder / f"{path.stem}-weights.onnx"
    quantize_dynamic(path, out, weight_type=QuantType.QUInt8)
    return out


def quantise(path: Path, folder: Path) -> Path:
    """A copy of a network with weights and values in 8 bits, fitted to the pictures of `folder`/inputs.npz."""
    from onnxruntime.quantization import QuantType, quantize_static

    out = folder / f"{path.stem}-8.onnx"
    pictures = np.load(folder / "inputs.npz")[f"{path.stem} pictures"][:_PICTURES]
    quantize_static(
        path,
        out,
        Pictures(pictures),
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        op_types_to_quantize=["Conv", "MatMul", "Gemm"],
    )
    return out


class Pictures:
    """Pictures, one after another, as the library asks for them."""

    def __init__(self, pictures: Any) -> None:
        """Give these, one at a time."""
        self._rest: Iterator[Any] = iter(pictures)

    def get_next(self) -> dict[str, Any] | None:
        """The next one, or None."""
        picture = next(self._rest, None)
        return None if picture is None else {"images": picture[None]}
