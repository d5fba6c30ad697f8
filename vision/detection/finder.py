"""Outlines the cards of a whole frame with a YOLO network for oriented boxes.

The network's bare output is 1x7xN: centre x, centre y, width, height (pixels of its input), score face,
score back, angle (radians). Its input is RGB, letterboxed with grey.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.onnx_network import Array, Network, as_input
from vision.detection.weights import FinderNet
from vision.geometry import as_quad, matched_corners, overlap, short_and_long
from vision.images import GREY
from vision.types import Image, Quad, Side, VisionError

STRIDE = 32
#: Longer side of a careful look's pictures in pixels, and the part of it that each run's picture fills: measured on 457
#: photographs of 14 tables, recall 0.946 -> 0.961.
_CAREFUL_PX = 640
_CAREFUL_FILLS = (1.0, 0.65)
#: Values that the network gives for each box.
CHANNELS = 7
#: No table shows more candidates than this that matter.
MOST_CANDIDATES = 400
#: Candidates that overlap the chosen outline more than this say where the same card lies.
AGREEING = 0.7


@dataclass(frozen=True, slots=True)
class Outline:
    """One card found: its outline in frame pixels, the side that lies up, and the score, 0..1."""

    quad: Quad
    side: Side
    score: float


class Finder:
    """A loaded network that outlines cards."""

    def __init__(self, net: FinderNet) -> None:
        """Load the network; raises VisionError where it does not run here."""
        self.net = net
        self._network = Network(net.path)

    def find(self, image: Image) -> tuple[Outline, ...]:
        """Outline the cards of a BGR picture, best score first."""
        return self._find(image, self.net.size, self.net.fills)

    def find_carefully(self, image: Image) -> tuple[Outline, ...]:
        """The same at two scales: finds smaller cards and those that fill the picture, three to four times slower."""
        return self._find(image, _CAREFUL_PX, _CAREFUL_FILLS)

    def _find(self, image: Image, longest: int, fills: Sequence[float]) -> tuple[Outline, ...]:
        seen = [self._candidates(image, longest, fill) for fill in fills]
        boxes, scores, backs = (np.concatenate(parts) for parts in zip(*seen, strict=True))
        quads = box_corners(boxes)
        return tuple(
            Outline(average_agreeing(quads, scores, i), Side.BACK if backs[i] else Side.FACE, float(scores[i]))
            for i in suppress_overlaps(quads, scores, self.net.nms_iou)
        )

    def _candidates(self, image: Image, longest: int, fill: float) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Boxes in frame pixels, scores and whether each is a back, from one run of the network."""
        picture, scale, left, top = letterbox(image, *self.input_size(image, longest), fill)
        output = self._network(as_input(picture[None], flip_channels=True))[0]
        if output.shape[0] != CHANNELS:
            raise VisionError(f"{self.net.path} is no finder: it gives {output.shape[0]} values a box, not {CHANNELS}.")
        boxes, scores, backs = select_candidates(output, self.net.threshold)
        boxes[:, :4] = (boxes[:, :4] - (left, top, 0, 0)) / scale
        return boxes, scores, backs

    def input_size(self, image: Image, longest: int | None = None) -> tuple[int, int]:
        """Width and height in pixels that the picture is letterboxed to, with a longer side of so many pixels."""
        height, width = image.shape[:2]
        fixed_height, fixed_width = self._network.height_width
        scale = (longest or self.net.size) / max(width, height)
        return fixed_width or _strided(width * scale), fixed_height or _strided(height * scale)


def _strided(pixels: float) -> int:
    """The next multiple of the network's stride.

    >>> _strided(216.0), _strided(416.0), _strided(3)
    (224, 416, 32)
    """
    return max(STRIDE, int(np.ceil(round(pixels, 3) / STRIDE)) * STRIDE)


def letterbox(image: Image, width: int, height: int, fill: float = 1.0) -> tuple[Image, float, int, int]:
    """Fit a picture into a part (`fill`) of width x height on grey; gives it with its scale, left and top margins."""
    scale = fill * min(width / image.shape[1], height / image.shape[0])
    inner = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
    # Plain interpolation skips pixels when it shrinks and leaves a grain that the network never saw.
    shrunk = cv2.resize(image, inner, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    sides = top, height - inner[1] - top, left, width - inner[0] - left
    framed = cv2.copyMakeBorder(shrunk, *sides, cv2.BORDER_CONSTANT, value=GREY)
    return np.asarray(framed, dtype=np.uint8), scale, left, top


def select_candidates(output: Array, threshold: float) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Boxes (Nx5: centre, size, angle), scores and whether each is a back, of those at or above `threshold`."""
    scores = output[4:6].max(axis=0)
    chosen = np.flatnonzero(scores >= threshold)
    chosen = chosen[np.argsort(-scores[chosen], kind="stable")][:MOST_CANDIDATES]
    boxes = output[[0, 1, 2, 3, 6]][:, chosen].T.copy()
    return boxes, scores[chosen], output[5, chosen] > output[4, chosen]


def suppress_overlaps(quads: Array, scores: Array, iou: float) -> list[int]:
    """Indices to keep, best score first, so that no two outlines overlap more than `iou`, whichever side they claim.

    Not OpenCV's own suppression: it takes an outline inside another for the same one, however small it is.
    """
    kept: list[tuple[int, Quad]] = []
    for i in np.argsort(-scores, kind="stable"):
        mine = as_quad(quads[i])
        if all(overlap(mine, other)[0] <= iou for _, other in kept):
            kept.append((int(i), mine))
    return [i for i, _ in kept]


def average_agreeing(quads: Array, scores: Array, chosen: int) -> Quad:
    """The chosen one of Nx4x2 outlines, averaged with the candidates that nearly agree with it, by their scores.

    One candidate is a few pixels off as often as not, which costs the reader an index; their mean is much less so.
    """
    mine = as_quad(quads[chosen])
    far = np.abs(quads.mean(axis=1) - quads[chosen].mean(axis=0)).max(axis=1)
    near = list(np.flatnonzero(far <= max(short_and_long(mine)) * (1 - AGREEING)))
    near = [i for i in near if overlap(as_quad(quads[i]), mine)[0] > AGREEING]
    return as_quad(np.average(matched_corners(quads[near], mine), axis=0, weights=scores[near]))


def box_corners(boxes: Array) -> Array:
    """Corners of Nx5 turned boxes (centre x, y, width, height, angle in radians), clockwise on the screen: Nx4x2.

    >>> box_corners(np.array([[5, 5, 4, 2, 0]], dtype=np.float32))[0].tolist()
    [[3.0, 4.0], [7.0, 4.0], [7.0, 6.0], [3.0, 6.0]]
    """
    centre, (width, height, angle) = boxes[:, :2], boxes[:, 2:].T
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1) * width[:, None] / 2
    down = np.stack([-np.sin(angle), np.cos(angle)], axis=1) * height[:, None] / 2
    top, bottom = centre - down, centre + down
    return np.stack([top - along, top + along, bottom + along, bottom - along], axis=1)
