"""Running one ONNX network on a few processor threads. The only file that knows the inference runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from vision.types import THREADS, VisionError

Array = NDArray[np.float32]


class Network:
    """One network with one picture input; its first output is the answer, others may stand beside it."""

    def __init__(self, path: Path, threads: int = THREADS) -> None:
        """Load `path`; raises VisionError where it is no network that runs here."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Within a run threads that spin while they wait save a third of its time; between two runs they would take
        # the processor from the camera and the page.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime raises its own unrelated types
            reason = str(error).splitlines()[0]
            raise VisionError(f"The network {path} does not run here ({reason}); fetch it anew.") from None
        self._input = self._session.get_inputs()[0]

    @property
    def height_width(self) -> tuple[int | None, int | None]:
        """The picture size that the network insists on, in pixels; None where it takes any."""
        height, width = self._input.shape[2:4]
        return (height if isinstance(height, int) else None), (width if isinstance(width, int) else None)

    @property
    def batch(self) -> int | None:
        """How many pictures it insists on at once; None where it takes any number."""
        first = self._input.shape[0]
        return first if isinstance(first, int) else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its outputs, the answer's first."""
        return tuple(output.name for output in self._session.get_outputs())

    def outputs(self, pictures: Array) -> dict[str, Array]:
        """Run on Nx3xHxW values 0..1: every output by its name."""
        values = self._session.run(None, {self._input.name: pictures})
        return {name: np.asarray(value, dtype=np.float32) for name, value in zip(self.names, values, strict=True)}

    def __call__(self, pictures: Array) -> Array:
        """Run on Nx3xHxW values 0..1: the answer."""
        (output,) = self._session.run([self._session.get_outputs()[0].name], {self._input.name: pictures})
        return np.asarray(output, dtype=np.float32)


def as_input(pictures: NDArray[np.uint8], flip_channels: bool) -> Array:
    """NxHxWx3 bytes as Nx3xHxW values 0..1, with the channel order turned round where asked for."""
    if flip_channels:
        pictures = pictures[..., ::-1]
    return np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), dtype=np.float32) / np.float32(255)
