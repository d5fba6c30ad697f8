"""An enrolled pack: what this family's cards look like to the reader, and how that weighs beside its own opinion.

A card is known by what the reader's last layer judges by, averaged over both ways up. Directions in which one card
differs from picture to picture (light, blur, outline) count less, those in which the cards of the pack differ count
more: the features are whitened by how the enrolled cards vary when they are shaken. What resembles no enrolled card
is left to the reader alone, so that another pack on the table is read as if none had been enrolled.

Features tell one pack's courts from each other little better than the reader does. So where a card remains unsure,
it is laid upon the enrolled pictures of those that it may be.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.detector import CardDetector
from vision.detection.reader import Reader
from vision.types import CLASSES, Detector, Image, VisionError, describe_os_error

#: How the evidence mixes, and the whitening: chosen on renders of made decks of seeds that nothing was trained on.
#: The reader's own opinion counts with this power …
OWN = 0.9
#: … a likeness (cosine) with so many nats from 0 to 1, and any card at all with at least this much.
NATS, _LEAST = 20.0, 1e-4
#: Below this probability the likeliest cards, at most so many and none less likely than that, are compared by picture …
_UNSURE, _RIVALS, LEAST_RIVAL = 0.95, 4, 0.002
#: … with so many nats from no correlation to a perfect one, and any card at all with at least this much.
PICTURE_NATS, PICTURE_LEAST = 25.0, 1e-3
#: Directions of variation kept, and how much variation is assumed everywhere beside them.
DIRECTIONS, SHRINKAGE = 128, 0.03

#: Side of a normalised picture, in pixels, and how far the neighbourhood reaches that a pixel is measured against.
SIDE, _AROUND = 32, 8.0
#: Contrast below this is noise, in grey levels.
NOISE = 4.0
#: A picture is tried in this many of its four turns, the likeliest ones, and moved in at most so many steps.
_TURNS, _STEPS = 2, 15
#: Less of the card than this, seen in both pictures, says nothing.
IN_BOTH = 0.6

#: What is said where other networks are to know a pack.
FOREIGN = "An enrolled pack is known to the program's own networks only: cards are read without it."

_SUFFIX = ".npz"
_FORMAT = 2

Features = NDArray[np.float32]


class PackError(VisionError):
    """A pack that cannot be used, now or any more; cards are read without it."""


@dataclass(frozen=True, slots=True, eq=False)
class Pack:
    """`cards` are unit vectors, one an enrolled card (RxF), `codes` what they are, `reader` the network's sha256.

    `middle` (F), `directions` (KxF) and `shares` (K, 0..1) whiten what is compared with them. `pictures` are the
    same cards as `correlate_pictures` compares them (RxSIDExSIDEx3).
    """

    name: str
    reader: str
    codes: tuple[str, ...]
    middle: Features
    directions: Features
    shares: Features
    cards: Features
    pictures: Features

    def mixed(self, p: Features, features: Features, cards: Image) -> Features:
        """The reader's probabilities of CLASSES (NxC) with the evidence of the cards' features (NxF) and pictures.

        `cards` are straightened, one a row, in BGR.
        """
        mixed = self.by_features(p, features)
        for row in np.flatnonzero(mixed.max(axis=1) < _UNSURE):
            mixed[row] = self.by_picture(mixed[row], cards[row])
        return mixed

    def by_features(self, p: Features, features: Features) -> Features:
        """Probabilities (NxC) with the evidence of the features (NxF)."""
        alike = np.full(p.shape, -np.inf, dtype=np.float32)
        near = whiten(features, self.middle, self.directions, self.shares) @ self.cards.T
        for place, code in enumerate(self.codes):
            column = alike[:, CLASSES.index(code)]
            np.maximum(column, near[:, place], out=column)
        mixed = p**OWN * (_LEAST + np.exp(NATS * (alike - 1)))
        return np.asarray(mixed / np.maximum(mixed.sum(axis=1, keepdims=True), 1e-12), dtype=np.float32)

    def by_picture(self, p: Features, card: Image) -> Features:
        """Probabilities (C) of one card with the evidence of its picture, SxSx3."""
        alike = np.full(p.shape, -np.inf, dtype=np.float32)
        rivals = [place for place in np.argsort(-p)[:_RIVALS] if p[place] >= LEAST_RIVAL]
        turns = four_turns(normalise_card(card))
        for code, picture in zip(self.codes, self.pictures, strict=True):
            if (place := CLASSES.index(code)) in rivals:
                alike[place] = max(alike[place], correlate_pictures(picture, turns))
        mixed = p * (PICTURE_LEAST + np.exp(PICTURE_NATS * (alike - 1)))
        return np.asarray(mixed / mixed.sum(), dtype=np.float32)


def whiten(features: Features, middle: Features, directions: Features, shares: Features) -> Features:
    """Unit vectors in which the known variation of one card counts only with its `shares`."""
    apart = features - middle
    along = apart @ directions.T
    apart = apart + (along * (shares - 1)) @ directions
    return np.asarray(apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def learn_pack(name: str, reader: str, cards: Sequence[tuple[str, Features, Image]]) -> Pack:
    """A pack from each card's code, features and picture (SxSx3, BGR).

    The features have one row a picture or a shaken copy of one, two at least.
    """
    means = np.stack([features.mean(axis=0) for _, features, _ in cards])
    within = np.concatenate([features - features.mean(axis=0) for _, features, _ in cards])
    variances, directions = _principal(within / np.sqrt(max(1, len(within) - len(cards))))
    everywhere = SHRINKAGE * float((within**2).sum()) / max(1, len(within) - len(cards)) / means.shape[1] + 1e-12
    shares = np.sqrt(everywhere / ((1 - SHRINKAGE) * variances + everywhere)).astype(np.float32)
    middle = means.mean(axis=0)
    unit = whiten(means, middle, directions, shares)
    pictures = np.stack([normalise_card(picture) for _, _, picture in cards])
    return Pack(name, reader, tuple(code for code, _, _ in cards), middle, directions, shares, unit, pictures)


def _principal(rows: Features) -> tuple[Features, Features]:
    """The largest variances of rows about nought, and their directions as unit vectors."""
    # Of the rows' products with each other, since there are fewer rows than values in one.
    variances, mixtures = np.linalg.eigh(rows @ rows.T)
    large = np.flatnonzero(variances > 1e-6 * max(float(variances[-1]), 1e-12))[::-1][:DIRECTIONS]
    return variances[large], (mixtures[:, large] / np.sqrt(variances[large])).T @ rows


# --- pictures of cards compared ---------------------------------------------------------------------


def normalise_card(card: Image) -> Features:
    """A straightened card as lightness and two colours, each against its neighbourhood: SIDExSIDEx3."""
    small = cv2.cvtColor(cv2.resize(card, (SIDE, SIDE), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2LAB)
    values = _blurred(small.astype(np.float32), 1)
    values -= _blurred(values, _AROUND)
    contrast = _blurred(values**2, 1.5 * _AROUND) + NOISE**2
    scale = np.stack([contrast[..., 0], *2 * [contrast[..., 1:].sum(axis=-1) - NOISE**2]], axis=-1)
    return np.asarray(values / np.sqrt(scale), dtype=np.float32)


def _blurred(values: Features, reach: float) -> Features:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), reach, borderType=cv2.BORDER_REFLECT))


def four_turns(seen: Features) -> Features:
    """A normalised picture as it is and turned by each quarter: 4xSIDExSIDEx3."""
    return np.stack([np.rot90(seen, quarters) for quarters in range(4)])


def correlate_pictures(known: Features, turns: Features) -> float:
    """Correlation, -1..1, of a normalised picture with another one in its `four_turns`, the best that is found."""
    plain = turns.reshape(len(turns), -1) @ known.ravel()
    return max(_laid_upon(known, turns[turn]) for turn in np.argsort(-plain)[:_TURNS])


def _laid_upon(known: Features, seen: Features) -> float:
    """Outlines are never quite right, so the second picture is moved until the lightness of both agrees best."""
    stop = cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, _STEPS, 0.01
    still = np.eye(2, 3, dtype=np.float32)
    whole = np.full((SIDE, SIDE), 255, np.uint8)
    light, other = (np.ascontiguousarray(picture[..., 0]) for picture in (known, seen))
    try:
        _, move = cv2.findTransformECC(light, other, still.copy(), cv2.MOTION_AFFINE, stop, whole, 1)
    except cv2.error:  # they have too little in common to be laid upon each other
        move = still
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    both = cv2.warpAffine(np.ones((SIDE, SIDE), np.float32), move, (SIDE, SIDE), flags=how) > 0.98
    if both.mean() < IN_BOTH:
        return -1.0
    moved = cv2.warpAffine(seen, move, (SIDE, SIDE), flags=how)
    a, b = (picture[both] - picture[both].mean(axis=0) for picture in (known, moved))
    return float((a * b).sum() / max(1e-6, np.sqrt((a * a).sum() * (b * b).sum())))


# --- files ----------------------------------------------------------------------------------------


def pack_file(folder: Path, name: str) -> Path:
    """Where the pack of that name lies. Raises VisionError where the name would be no plain file name."""
    if not re.fullmatch(r"\w[\w \-]{0,39}", name):
        raise VisionError(f"The name {name!r} cannot be used: take letters, digits, spaces and hyphens, 40 at most.")
    return folder / (name + _SUFFIX)


def list_packs(folder: Path) -> tuple[str, ...]:
    """The names of the packs in a folder, the newest first."""
    files = [path for path in folder.glob("*" + _SUFFIX) if not path.name.startswith(".")]
    return tuple(path.stem for path in sorted(files, key=lambda path: path.stat().st_mtime, reverse=True))


def save_pack(pack: Pack, folder: Path) -> Path:
    """Write a pack, whole or not at all, in place of an earlier one of its name. Raises VisionError."""
    path = pack_file(folder, pack.name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".", delete=False) as part:
            _write(pack, part.file)
        os.replace(part.name, path)
    except OSError as error:
        reason = describe_os_error(error)
        raise VisionError(f"The pack cannot be kept in {folder}: {reason}.") from None
    finally:
        with contextlib.suppress(OSError, UnboundLocalError):
            os.unlink(part.name)
    return path


def _write(pack: Pack, file: object) -> None:
    fine = {"middle": pack.middle, "shares": pack.shares}
    coarse = {"directions": pack.directions, "cards": pack.cards, "pictures": pack.pictures}
    arrays = {
        "format": np.array(_FORMAT),
        "reader": np.array(pack.reader),
        "codes": np.array(pack.codes),
        **{name: values.astype(np.float32) for name, values in fine.items()},
        **{name: values.astype(np.float16) for name, values in coarse.items()},
    }
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def load_pack(path: Path, reader: str) -> Pack:
    """Read a pack for the reader of that sha256; PackError where it is damaged or belongs to another reader."""
    again = "enrol it again or forget it; until then cards are read without it."
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        if int(arrays["format"]) != _FORMAT:
            raise PackError(f"The pack {path.stem} was enrolled with another version: {again}")
        if str(arrays["reader"]) != reader:
            raise PackError(f"The pack {path.stem} was enrolled with other networks: {again}")
        pack = _from(path.stem, arrays)
    except FileNotFoundError:
        raise PackError(f"There is no pack {path.stem}: enrol it first.") from None
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile):
        raise PackError(f"The pack {path.stem} is damaged or no pack: {again}") from None
    return pack


def _from(name: str, arrays: dict[str, NDArray[np.generic]]) -> Pack:
    values = {key: arrays[key].astype(np.float32) for key in ("middle", "directions", "shares", "cards", "pictures")}
    codes = tuple(str(code) for code in arrays["codes"])
    count = len(values["middle"])
    shapes = {
        "directions": (len(values["shares"]), count),
        "cards": (len(codes), count),
        "pictures": (len(codes), SIDE, SIDE, 3),
    }
    whole = all(values[key].shape == shape for key, shape in shapes.items())
    if not codes or not whole or not set(codes) <= set(CLASSES):
        raise ValueError("its parts do not fit together")
    if not all(np.isfinite(value).all() for value in values.values()):
        raise ValueError("it holds values that are no numbers")
    return Pack(name, str(arrays["reader"]), codes, **values)


def delete_pack(folder: Path, name: str) -> None:
    """Delete a pack. Raises VisionError where there is none of that name."""
    try:
        pack_file(folder, name).unlink()
    except FileNotFoundError:
        known = ", ".join(list_packs(folder)) or "none"
        raise VisionError(f"There is no pack {name}; enrolled: {known}.") from None
    except OSError as error:
        raise VisionError(f"The pack {name} cannot be deleted: {describe_os_error(error)}.") from None


def with_pack(detector: Detector, path: Path | None) -> CardDetector:
    """The same loaded networks with the pack of that file, or with none.

    Raises PackError where it cannot be used with them.
    """
    if not isinstance(detector, CardDetector) or not isinstance(detector.reader, Reader):
        raise PackError(FOREIGN)
    pack = load_pack(path, detector.reader.net.sha256) if path else None
    own, _, _ = detector.model_hash.partition("+")
    named = f"{own}+{pack.name}" if pack else own
    return CardDetector(detector.finder, detector.reader.knowing(pack), detector.read_above, named)
