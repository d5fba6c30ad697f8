"""Names straightened cards with a YOLO classifier: probabilities over 52 cards, joker, back and not-a-card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.onnx_network import GREY, Array, Network, as_input
from vision.detection.weights import FEATURES, ReaderNet
from vision.geometry import points, short_and_long, upright
from vision.packs.pack import Pack
from vision.types import CLASSES, Quad, VisionError

#: A card many times larger than the network's picture gains nothing from finer sampling than this.
FINEST = 8
#: What is narrower than this share of its length is a strip of a covered card: it keeps its shape, on grey.
NARROWEST = 0.55
#: Cards handed to the network in one go.
MOST_AT_ONCE = 64
#: A card that is read so surely one way up is not read the other way up as well: most cards, and half of the work.
ONE_WAY = 0.995

Image = NDArray[np.uint8]


class Reader:
    """A loaded network that names cards, with the pack of the family where one is enrolled."""

    def __init__(self, net: ReaderNet, pack: Pack | None = None) -> None:
        """Load the network; raises VisionError where it does not run here."""
        self.net, self.pack = net, pack
        self._network = Network(net.path)
        self._order = [net.classes.index(name) for name in CLASSES]

    @property
    def knows_packs(self) -> bool:
        """Whether the network gives what a pack is known by."""
        return FEATURES in self._network.names

    def knowing(self, pack: Pack | None) -> Reader:
        """The same loaded network with another pack, or with none."""
        other = copy(self)
        other.pack = pack
        return other

    def read(self, image: Image, quads: Sequence[Quad]) -> Array:
        """Probabilities of CLASSES for each outline in a BGR picture: NxC, each row adding up to 1."""
        if not quads:
            return np.zeros((0, len(CLASSES)), dtype=np.float32)
        cards = np.stack([straighten(image, quad, self.net.size, self.net.margin) for quad in quads])
        if self.pack is None:
            return answers(lambda some: self._classify(some)[0], cards, self.net.views)[:, self._order]
        ways = self._both_ways(cards)
        p = np.asarray(np.mean([answer for answer, _ in ways[: self.net.views]], axis=0, dtype=np.float32))
        return self.pack.mixed(p[:, self._order], _mean_features(ways), cards)

    def features(self, cards: Image) -> Array:
        """What a pack knows straightened cards (NxSxSx3, BGR) by: NxF, the mean over both ways up."""
        return _mean_features(self._both_ways(cards))

    def _both_ways(self, cards: Image) -> list[tuple[Array, Array]]:
        return [self._classify(cards), self._classify(cards[:, ::-1, ::-1])]

    def _classify(self, cards: Image) -> tuple[Array, Array]:
        """Probabilities in the network's own order, and its features (of no width where it gives none)."""
        inputs = as_input(cards, flip_channels=self.net.colour == "RGB")
        batch = self._network.batch or MOST_AT_ONCE
        parts = [self._network.outputs(inputs[i : i + batch]) for i in range(0, len(inputs), batch)]
        p = np.concatenate([part[self._network.names[0]] for part in parts])
        if p.shape[1] != len(CLASSES):
            raise VisionError(f"{self.net.path} is no reader: it knows {p.shape[1]} classes, not {len(CLASSES)}.")
        none = np.zeros((len(inputs), 0), dtype=np.float32)
        return p, np.concatenate([part[FEATURES] for part in parts]) if self.knows_packs else none


def answers(classify: Callable[[Image], Array], cards: Image, views: int) -> Array:
    """Probabilities of straightened cards; with two `views` the mean of both ways up, where one way is not sure."""
    p = classify(cards)
    unsure = p.max(axis=1) < ONE_WAY
    if views > 1 and unsure.any():
        p[unsure] = (p[unsure] + classify(cards[unsure][:, ::-1, ::-1])) / 2
    return p


def _mean_features(ways: Sequence[tuple[Array, Array]]) -> Array:
    return np.asarray(np.mean([features for _, features in ways], axis=0, dtype=np.float32))


def straighten(image: Image, quad: Quad, size: int, margin: float = 0.0) -> Image:
    """Cut a card out of a picture and squeeze it to size x size pixels, a short side on top.

    `margin` is cut around it, as a fraction of its sides. Either end may come out on top: a card has none.
    """
    corners = points(upright(quad))
    middle = corners.mean(axis=0)
    corners = middle + (corners - middle) * (1 + 2 * margin)
    short, long = short_and_long(quad)
    across = int(np.clip(round(size * short / (NARROWEST * long)), size // 8, size)) if long else size
    # Sampled finer than needed and averaged down, or the thin strokes of an index would fall between samples.
    finer_across, finer_down = (
        int(np.clip(np.ceil(side * (1 + 2 * margin) / pixels), 1, FINEST))
        for side, pixels in ((short, across), (long, size))
    )
    width, height = across * finer_across, size * finer_down
    # Outlines measure from pixels' edges, the warp from their middles.
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform((corners - 0.5).astype(np.float32), target)
    card = cv2.warpPerspective(image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    card = cv2.resize(card, (across, size), interpolation=cv2.INTER_AREA)
    left = (size - across) // 2
    sides = 0, 0, left, size - across - left
    return np.asarray(cv2.copyMakeBorder(card, *sides, cv2.BORDER_CONSTANT, value=GREY), dtype=np.uint8)
