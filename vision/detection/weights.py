"""The networks' files and what is known of them: models/manifest.toml, checked before anything is loaded.

made = "how and from what the weights were made, one sentence"

[finder]
file = "finder.onnx"         # beside the manifest
sha256 = "…"
size = 416                   # longer side of the network's picture in pixels, a multiple of 32
threshold = 0.3              # the least score of an outline, 0..1
nms_iou = 0.5                # outlines that overlap more than this are one card
fills = [1.0]                # optional: a run of the network for each, on the picture shrunk to this part of its input;
                             # [1.0, 0.5] finds cards too large for it as well, in twice the time
pt = "finder.pt"             # optional: the same weights for ultralytics …
pt_sha256 = "…"              # … and their sum

[reader]
file = "reader.onnx"
sha256 = "…"
size = 128                   # side of the straightened card picture in pixels
colour = "BGR"               # or "RGB": the order of its channels
classes = ["AC", …]          # all of vision.types.CLASSES, in the order of the output
read_above = 0.6             # `read` stands by a card from this probability on, 0..1
joker_above = 0.9            # optional: and by a joker from this one on
margin = 0.0                 # optional: how much is cut around a card, as a fraction of its sides
views = 1                    # optional: 2 averages the card and the card turned upside down
features = 1280              # optional: its output "features" gives so many values a card; a pack can be enrolled
pt = "reader.pt"             # optional, as above
pt_sha256 = "…"
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from vision.types import CLASSES, JOKER_CLASS, Reading, VisionError, describe_os_error

MANIFEST = "manifest.toml"
#: The reader's second output: what its last layer judges a card by.
FEATURES = "features"
_REMEDY = "Install the program again, or fetch the models folder anew."


@dataclass(frozen=True, slots=True)
class Net:
    """One network's file, checked against its sum. `pt` is the same network for ultralytics."""

    path: Path
    sha256: str
    size: int
    pt: Path | None = None
    pt_sha256: str = ""

    @property
    def for_ultralytics(self) -> Path:
        """The .pt file, checked; VisionError where it is missing or changed."""
        if not self.pt:
            raise VisionError(
                f"Beside {self.path.name} there is no .pt for ultralytics: leave out --engine ultralytics."
            )
        return check_file(self.pt, self.pt_sha256)


@dataclass(frozen=True, slots=True)
class FinderNet(Net):
    """The network that outlines cards. Thresholds are 0..1."""

    threshold: float = 0.3
    nms_iou: float = 0.5
    fills: tuple[float, ...] = (1.0,)


@dataclass(frozen=True, slots=True)
class ReadAbove:
    """From which probability on a reading is stood by, 0..1.

    A joker may look like anything, and the printed art of boxes and books looks like a joker: it can take more.
    """

    card: float = 0.5
    joker: float = 0.5

    def stands(self, reading: Reading) -> bool:
        """Whether this reading is sure enough."""
        return reading.p >= (self.joker if reading.code == JOKER_CLASS else self.card)


@dataclass(frozen=True, slots=True)
class ReaderNet(Net):
    """The network that names a straightened card."""

    colour: Literal["BGR", "RGB"] = "RGB"
    classes: tuple[str, ...] = CLASSES
    read_above: ReadAbove = ReadAbove()
    margin: float = 0.0
    views: int = 1


@dataclass(frozen=True, slots=True)
class Weights:
    """Both networks and how they were made. `hash` is short and names exactly these two files."""

    finder: FinderNet
    reader: ReaderNet
    made: str
    folder: Path

    @property
    def hash(self) -> str:
        """Twelve hex digits, logged beside every ruling."""
        return hashlib.sha256((self.finder.sha256 + self.reader.sha256).encode()).hexdigest()[:12]


def models_folder() -> Path:
    """Where the weights lie: inside an installed package, else beside it in a source checkout.

    Raises VisionError where neither holds a manifest.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_models", package.parent / "models"):
        if (folder / MANIFEST).is_file():
            return folder
    raise VisionError(f"The networks are missing: no models/{MANIFEST}. {_REMEDY}")


def load_weights(folder: Path | None = None) -> Weights:
    """Read and check the manifest of `folder` (None: the program's own models).

    Raises VisionError where it is missing, a value is off, or a file is missing or changed.
    """
    folder = folder or models_folder()
    try:
        manifest = tomllib.loads((folder / MANIFEST).read_text(encoding="utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        raise VisionError(f"{folder} holds no {MANIFEST}: give a folder with one, or one .pt file.") from None
    except OSError as error:
        why = describe_os_error(error)
        raise VisionError(f"{folder / MANIFEST} cannot be opened: {why}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise VisionError(f"{folder / MANIFEST} cannot be read ({error}). {_REMEDY}") from None
    try:
        return _weights(manifest, folder)
    except (KeyError, TypeError, ValueError) as error:
        raise VisionError(f"{folder / MANIFEST} lacks or garbles an entry: {error}. {_REMEDY}") from None


def _weights(manifest: dict[str, Any], folder: Path) -> Weights:
    finder, reader = manifest["finder"], manifest["reader"]
    classes = tuple(reader.get("classes", CLASSES))
    if set(classes) != set(CLASSES) or len(classes) != len(CLASSES):
        raise ValueError(f"reader.classes must hold each of the {len(CLASSES)} classes once")
    colour = reader.get("colour", "RGB")
    if colour not in ("BGR", "RGB"):
        raise ValueError(f'reader.colour is "BGR" or "RGB", not {colour!r}')
    return Weights(
        FinderNet(**_net(finder, folder, "threshold", "nms_iou"), fills=_fills(finder)),
        ReaderNet(
            **_net(reader, folder, "margin"),
            read_above=_read_above(reader),
            colour=cast(Literal["BGR", "RGB"], colour),
            classes=classes,
            views=int(reader.get("views", 1)),
        ),
        made=str(manifest.get("made", "")),
        folder=folder,
    )


def _net(entry: dict[str, Any], folder: Path, *fractions: str) -> dict[str, Any]:
    pt = entry.get("pt")
    return {
        "path": check_file(folder / entry["file"], entry["sha256"]),
        "sha256": str(entry["sha256"]),
        "size": int(entry["size"]),
        # Checked only when ultralytics is asked for: the .pt files may stay away from a small install.
        "pt": folder / pt if pt else None,
        "pt_sha256": str(entry.get("pt_sha256", "")),
        **_fractions(entry, *fractions),
    }


def _read_above(entry: dict[str, Any]) -> ReadAbove:
    values = _fractions(entry, "read_above", "joker_above")
    card = values.get("read_above", ReadAbove().card)
    return ReadAbove(card, values.get("joker_above", card))


def _fills(entry: dict[str, Any]) -> tuple[float, ...]:
    fills = tuple(float(fill) for fill in entry.get("fills", (1.0,)))
    if not fills or not all(0 < fill <= 1 for fill in fills):
        raise ValueError(f"fills must be a list of numbers above 0 and up to 1, not {list(fills)}")
    return fills


def _fractions(entry: dict[str, Any], *names: str) -> dict[str, float]:
    values = {name: float(entry[name]) for name in names if name in entry}
    for name, value in values.items():
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be 0..1, not {value}")
    return values


def check_file(path: Path, sha256: str) -> Path:
    """`path`, if its sum is `sha256`; raises VisionError where the file is missing or another one."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        raise VisionError(f"The network {path} is missing. {_REMEDY}") from None
    if found != sha256:
        raise VisionError(f"The network {path} is not the one its manifest names (sha256 differs). {_REMEDY}")
    return path
