"""Names straightened cards with a YOLO classifier: probabilities over 52 cards, joker, back and not-a-card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Protocol

import numpy as np

from vision.detection.onnx_network import Array, Network, as_input
from vision.detection.weights import FEATURES, ReaderNet
from vision.images import straighten
from vision.types import CLASSES, Image, Quad, VisionError

#: Cards handed to the network in one go.
MOST_AT_ONCE = 64
#: A card that is read so surely one way up is not read the other way up as well: most cards, and half of the work.
ONE_WAY = 0.995


class KnownPack(Protocol):
    """What a family's enrolled pack adds to the reader's own opinion."""

    @property
    def name(self) -> str:
        """The pack's name."""
        ...

    def mixed(self, p: Array, features: Array, cards: Image) -> Array:
        """The reader's probabilities of CLASSES (NxC), weighed with the cards' features (NxF) and pictures."""
        ...


class Reader:
    """A loaded network that names cards, with the pack of the family where one is enrolled."""

    def __init__(self, net: ReaderNet, pack: KnownPack | None = None) -> None:
        """Load the network; raises VisionError where it does not run here."""
        self.net, self.pack = net, pack
        self._network = Network(net.path)
        self._order = [net.classes.index(name) for name in CLASSES]

    @property
    def knows_packs(self) -> bool:
        """Whether the network gives what a pack is known by."""
        return FEATURES in self._network.names

    def knowing(self, pack: KnownPack | None) -> Reader:
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
            return classify_both_ways(lambda some: self._classify(some)[0], cards, self.net.views)[:, self._order]
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


def classify_both_ways(classify: Callable[[Image], Array], cards: Image, views: int) -> Array:
    """Probabilities of straightened cards; with two `views` the mean of both ways up, where one way is not sure."""
    p = classify(cards)
    unsure = p.max(axis=1) < ONE_WAY
    if views > 1 and unsure.any():
        p[unsure] = (p[unsure] + classify(cards[unsure][:, ::-1, ::-1])) / 2
    return p


def _mean_features(ways: Sequence[tuple[Array, Array]]) -> Array:
    return np.asarray(np.mean([features for _, features in ways], axis=0, dtype=np.float32))
