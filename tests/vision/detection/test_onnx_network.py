"""Finder and reader on tiny ONNX networks made here: sizes, colours, order of classes, wrong shapes."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.cards import picture, quad
from vision.detection.detector import CardDetector
from vision.detection.finder import Finder
from vision.detection.onnx_network import Network
from vision.detection.reader import Reader
from vision.detection.weights import FinderNet, ReadAbove, ReaderNet
from vision.geometry import bounds
from vision.types import CLASSES, Frame, Side, VisionError

onnx = pytest.importorskip("onnx", reason="onnx is not installed (extra `train`).")
FLOAT = onnx.TensorProto.FLOAT


def save(path, nodes, shape_in, shape_out, constants):
    graph = onnx.helper.make_graph(
        nodes,
        "net",
        [onnx.helper.make_tensor_value_info("images", FLOAT, shape_in)],
        [onnx.helper.make_tensor_value_info("out", FLOAT, shape_out)],
        [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def finder(path, boxes, height=None, width=None):
    """A network that always finds these boxes; its input must be of that size, or may be any."""
    values = np.asarray(boxes, dtype=np.float32).T[None]
    nodes = [
        onnx.helper.make_node("ReduceMean", ["images"], ["mean"], keepdims=0),
        onnx.helper.make_node("Mul", ["mean", "nothing"], ["zero"]),
        onnx.helper.make_node("Add", ["boxes", "zero"], ["out"]),
    ]
    shape = [1, 3, height or "h", width or "w"]
    save(path, nodes, shape, list(values.shape), {"boxes": values, "nothing": np.float32(0)})
    return FinderNet(path, "0", 320, threshold=0.3, nms_iou=0.5)


def reader(path, weights):
    """A network that weighs the mean of each channel: 3 x classes."""
    nodes = [
        onnx.helper.make_node("GlobalAveragePool", ["images"], ["pooled"]),
        onnx.helper.make_node("Flatten", ["pooled"], ["flat"]),
        onnx.helper.make_node("MatMul", ["flat", "weights"], ["logits"]),
        onnx.helper.make_node("Softmax", ["logits"], ["out"], axis=1),
    ]
    weights = np.asarray(weights, dtype=np.float32)
    save(path, nodes, ["n", 3, "s", "t"], ["n", weights.shape[1]], {"weights": weights})
    return ReaderNet(path, "0", 32, colour="RGB")


def by_colour(red="9H", green="KC", blue="back"):
    weights = np.zeros((3, len(CLASSES)))
    for channel, name in enumerate((red, green, blue)):
        weights[channel, CLASSES.index(name)] = 20
    return weights


#: Two candidates of one face, a back, and one below the threshold, on a 320x192 picture of a 1280x720 frame.
BOXES = [
    [80, 96, 30, 40, 0.9, 0.0, 0.0],
    [81, 96, 40, 30, 0.8, 0.1, np.pi / 2],
    [240, 96, 30, 40, 0.1, 0.7, 0.0],
    [160, 20, 30, 40, 0.2, 0.1, 0.0],
]


def test_boxes_come_out_in_pixels_of_the_frame(tmp_path):
    outlines = Finder(finder(tmp_path / "f.onnx", BOXES)).find(picture(0, (1280, 720)))
    assert [outline.side for outline in outlines] == [Side.FACE, Side.BACK]
    assert outlines[0].score == pytest.approx(0.9)
    # 320/1280 with (192 - 180) / 2 = 6 rows of grey above; the two candidates of the face are averaged.
    assert bounds(outlines[0].quad) == pytest.approx((260, 280, 380, 440), abs=4)
    assert bounds(outlines[1].quad) == pytest.approx((900, 280, 1020, 440), abs=1)


def test_a_network_of_fixed_size_gets_that_size(tmp_path):
    outlines = Finder(finder(tmp_path / "f.onnx", [[160, 160, 30, 40, 0.9, 0, 0]], 320, 320)).find(
        picture(0, (1280, 720))
    )
    assert bounds(outlines[0].quad) == pytest.approx((580, 280, 700, 440), abs=1)


def test_a_shrunk_second_run_is_joined_with_the_first(tmp_path):
    net = replace(finder(tmp_path / "f.onnx", [[160, 96, 30, 40, 0.9, 0, 0]]), fills=(1.0, 0.5))
    (outline,) = Finder(replace(net, fills=(0.5,))).find(picture(0, (1280, 720)))
    assert bounds(outline.quad) == pytest.approx((520, 200, 760, 520), abs=1)
    assert len(Finder(net).find(picture(0, (1280, 720)))) == 2


def test_colours_and_the_order_of_classes_are_the_manifests(tmp_path):
    net = reader(tmp_path / "r.onnx", by_colour())
    red = np.full((90, 90, 3), (0, 0, 255), dtype=np.uint8)
    outline = [quad(45, 45, 40, 60)]
    assert CLASSES[Reader(net).read(red, outline)[0].argmax()] == "9H"
    assert CLASSES[Reader(replace(net, colour="BGR")).read(red, outline)[0].argmax()] == "back"
    assert CLASSES[Reader(replace(net, views=2)).read(red, outline)[0].argmax()] == "9H"
    swapped = tuple({"9H": "KC", "KC": "9H"}.get(name, name) for name in CLASSES)
    assert CLASSES[Reader(replace(net, classes=swapped)).read(red, outline)[0].argmax()] == "KC"


def test_both_networks_together(tmp_path):
    image = np.full((720, 1280, 3), (0, 0, 255), dtype=np.uint8)
    image[:, 640:] = (255, 0, 0)
    found = Finder(finder(tmp_path / "f.onnx", BOXES)), Reader(reader(tmp_path / "r.onnx", by_colour()))
    face, back = CardDetector(*found, ReadAbove(), "x").detect(Frame(image, 0.0))
    assert (face.code, face.side, face.read) == ("9H", Side.FACE, True) and face.p > 0.99
    assert (back.code, back.side, back.p) == (None, Side.BACK, pytest.approx(0.7))


def test_networks_of_another_shape_are_refused(tmp_path):
    with pytest.raises(VisionError, match="no finder"):
        Finder(finder(tmp_path / "f.onnx", [[1, 2, 3, 4, 0.5, 0]])).find(picture())
    with pytest.raises(VisionError, match="no reader"):
        Reader(reader(tmp_path / "r.onnx", np.zeros((3, 52)))).read(picture(), [quad(50, 50)])
    (tmp_path / "x.onnx").write_bytes(b"no network")
    with pytest.raises(VisionError, match="does not run here"):
        Network(tmp_path / "x.onnx")
