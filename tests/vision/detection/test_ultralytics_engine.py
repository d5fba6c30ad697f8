"""The other engine: untrained networks are enough to see that everything fits together."""

import hashlib
import importlib.util
import json
import os
from pathlib import Path

import pytest

from tests.vision.cards import picture, quad
from vision.detection.engines import open_detector
from vision.geometry import bounds, overlap
from vision.images import load_picture
from vision.types import CLASSES, Frame, VisionError

pytestmark = pytest.mark.train

if not importlib.util.find_spec("ultralytics"):
    pytest.skip("ultralytics is not installed (extra `train`).", allow_module_level=True)

SAMPLES = Path(__file__).parents[3] / "sample_images"
SEEN = [json.loads(line) for line in (SAMPLES / "seen.jsonl").read_text("utf-8").splitlines()]
GAME = [line for line in SEEN if line["file"].startswith("game/")]
#: The engines shrink a picture differently and outline a card a few pixels apart. A reading as sure as this must be
#: the other's too; that of a narrow strip may lie just above the threshold in one and just below it in the other.
CLEAR = 0.9


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A finder, a reader and somebody's own detector, all untrained, with a manifest."""
    into = tmp_path_factory.mktemp("models")
    os.environ.setdefault("YOLO_CONFIG_DIR", str(into))
    os.environ.setdefault("YOLO_OFFLINE", "1")
    save(into / "finder.pt", "yolo26n-obb.yaml", ("face", "back"))
    save(into / "reader.pt", "yolo26n-cls.yaml", CLASSES)
    save(into / "own.pt", "yolo26n.yaml", ("10h", "Qs", "back", "dog"))
    save(into / "dogs.pt", "yolo26n.yaml", ("dog", "cat"))
    (into / "net.onnx").write_bytes(b"never loaded here")
    sums = {
        name: hashlib.sha256((into / name).read_bytes()).hexdigest() for name in ("finder.pt", "reader.pt", "net.onnx")
    }
    common = f'file = "net.onnx"\nsha256 = "{sums["net.onnx"]}"\n'
    (into / "manifest.toml").write_text(
        f'[finder]\n{common}size = 160\npt = "finder.pt"\npt_sha256 = "{sums["finder.pt"]}"\nthreshold = 0.0\n'
        f'[reader]\n{common}size = 64\npt = "reader.pt"\npt_sha256 = "{sums["reader.pt"]}"\ncolour = "BGR"\n'
    )
    return into


def save(path: Path, layout: str, names) -> None:
    from ultralytics.cfg import get_cfg
    from ultralytics.models.yolo.model import YOLO

    yolo = YOLO(layout)
    kind = type(yolo.model)
    yolo.model = kind(layout, nc=len(names), verbose=False)
    yolo.model.names = dict(enumerate(names))
    yolo.model.args, yolo.model.task = get_cfg(), yolo.task
    yolo.save(str(path))


def test_the_same_protocol_on_ultralytics_predict(folder):
    detector = open_detector(folder, "ultralytics")
    cards = detector.detect(Frame(picture(), 0.0))
    assert len(detector.model_hash) == 12 and isinstance(cards, tuple)
    rows = detector.reader.read(picture(), [quad(100, 100), quad(200, 100)])
    assert rows.shape == (2, len(CLASSES)) and rows.sum(axis=1) == pytest.approx([1, 1], abs=1e-3)


def test_somebodys_own_network_with_card_codes_as_names(folder):
    detector = open_detector(folder / "own.pt")
    assert all(card.code in ("10H", "QS", None) for card in detector.detect(Frame(picture(), 0.0)))
    assert set(detector._codes.values()) == {"10H", "QS", "back"}


def test_networks_that_know_no_cards_are_refused(folder):
    with pytest.raises(VisionError, match="card codes"):
        open_detector(folder / "dogs.pt")
    with pytest.raises(VisionError, match="card codes"):
        open_detector(folder / "reader.pt")
    with pytest.raises(VisionError, match="There is no file"):
        open_detector(folder / "none.pt")
    (folder / "broken.pt").write_bytes(b"nothing")
    with pytest.raises(VisionError, match="no network that ultralytics can load"):
        open_detector(folder / "broken.pt")


class Harmful:
    def __init__(self, mark):
        self.mark = str(mark)

    def __reduce__(self):
        return Path.touch, (Path(self.mark),)


@pytest.mark.parametrize("zipped", [True, False])
def test_a_pt_that_runs_code_is_not_opened(tmp_path, zipped):
    torch = pytest.importorskip("torch")
    torch.save({"model": Harmful(tmp_path / "run")}, tmp_path / "own.pt", _use_new_zipfile_serialization=zipped)
    with pytest.raises(VisionError, match="to be run while it is loaded"):
        open_detector(tmp_path / "own.pt")
    assert not (tmp_path / "run").exists()


def test_changed_pt_files_are_refused(folder):
    (folder / "reader.pt").write_bytes((folder / "reader.pt").read_bytes() + b" ")
    with pytest.raises(VisionError, match="not the one its manifest names"):
        open_detector(folder, "ultralytics")


@pytest.fixture(scope="module")
def engines():
    """The program's own networks in onnxruntime and in ultralytics."""
    return open_detector(), open_detector(engine="ultralytics")


@pytest.mark.parametrize("line", GAME, ids=lambda line: line["file"])
def test_both_engines_read_the_same_cards_in_the_sample_game(engines, line):
    frame = Frame(load_picture(SAMPLES / line["file"]), 0.0)
    here, there = ([card for card in engine.detect(frame) if card.code] for engine in engines)
    for label in line["cards"]:
        if uncovered(label):
            for cards in (here, there):
                assert [card.read for card in cards if card.code == label["code"]] == [True], label["code"]
    for mine, others in ((here, there), (there, here)):
        for card in mine:
            if card.p >= CLEAR:
                assert card.code in {label["code"] for label in line["cards"]}
                assert max(others, key=lambda other: overlap(card.quad, other.quad)[0]).code == card.code


def uncovered(label) -> bool:
    """Whether the whole card is seen."""
    left, top, right, bottom = label["box"]
    low_x, low_y, high_x, high_y = bounds(label["polygon"])
    return (right - left) * (bottom - top) > 0.9 * (high_x - low_x) * (high_y - low_y)
