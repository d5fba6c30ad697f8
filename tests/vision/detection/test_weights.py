"""The networks' manifest: what is checked before anything is loaded."""

import hashlib

import pytest

from vision.detection.weights import ReadAbove, load_weights
from vision.types import CLASSES, Reading, VisionError

MANIFEST = """
made = "by hand"
[finder]
file = "finder.onnx"
sha256 = "{finder}"
size = 416
threshold = 0.25
nms_iou = 0.5
pt = "finder.pt"
[reader]
file = "reader.onnx"
sha256 = "{reader}"
size = 128
colour = "BGR"
read_above = 0.6
"""


@pytest.fixture
def folder(tmp_path):
    sums = {}
    for name in ("finder", "reader"):
        (tmp_path / f"{name}.onnx").write_bytes(name.encode())
        sums[name] = hashlib.sha256(name.encode()).hexdigest()
    (tmp_path / "manifest.toml").write_text(MANIFEST.format(**sums))
    return tmp_path


def edit(folder, old, new):
    path = folder / "manifest.toml"
    path.write_text(path.read_text().replace(old, new))


def test_a_manifest_gives_checked_paths_and_what_is_known(folder):
    weights = load_weights(folder)
    assert weights.finder.path == folder / "finder.onnx" and weights.finder.pt == folder / "finder.pt"
    assert (weights.finder.size, weights.finder.threshold) == (416, 0.25)
    assert (weights.reader.colour, weights.reader.read_above) == ("BGR", ReadAbove(0.6, 0.6))
    assert weights.reader.classes == CLASSES
    assert weights.made == "by hand" and len(weights.hash) == 12 and weights.reader.pt is None


def test_a_joker_can_take_more_to_be_stood_by(folder):
    edit(folder, "read_above = 0.6", "read_above = 0.6\njoker_above = 0.9")
    above = load_weights(folder).reader.read_above
    assert above.stands(Reading("9C", 0.6)) and not above.stands(Reading("JOKER", 0.89))
    assert above.stands(Reading("JOKER", 0.9)) and not above.stands(Reading("9C", 0.59))


def test_other_weights_have_another_hash(folder):
    before = load_weights(folder).hash
    (folder / "reader.onnx").write_bytes(b"new")
    edit(folder, hashlib.sha256(b"reader").hexdigest(), hashlib.sha256(b"new").hexdigest())
    assert load_weights(folder).hash != before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("size = 416", "size = 'big'", "garbles"),
        ("threshold = 0.25", "threshold = 25", "must be 0..1"),
        ('colour = "BGR"', 'colour = "green"', "BGR"),
        ("[reader]", "[writer]", "lacks"),
        ("[reader]", "[reader", "cannot be read"),
        ("size = 416", "size = 416\nfills = [2]", "fills must be"),
        ('colour = "BGR"', 'classes = ["AC"]', "55 classes"),
    ],
)
def test_a_garbled_manifest_is_said_in_one_sentence(folder, old, new, said):
    edit(folder, old, new)
    with pytest.raises(VisionError, match=said) as error:
        load_weights(folder)
    assert "\n" not in str(error.value)


def test_a_changed_or_missing_file_is_named_with_the_remedy(folder):
    (folder / "finder.onnx").write_bytes(b"something else")
    with pytest.raises(VisionError, match=r"finder\.onnx is not the one .* Install the program again"):
        load_weights(folder)
    (folder / "finder.onnx").unlink()
    with pytest.raises(VisionError, match=r"finder\.onnx is missing"):
        load_weights(folder)


def test_a_folder_without_a_manifest(tmp_path):
    with pytest.raises(VisionError, match="holds no manifest"):
        load_weights(tmp_path)
    (file := tmp_path / "finder.onnx").write_bytes(b"")
    with pytest.raises(VisionError, match="finder.onnx holds no manifest"):
        load_weights(file)
