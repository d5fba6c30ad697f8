"""The speed measurement beside others: what a peer says of itself, and what is told where one does not run."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.vision.detection.test_onnx_network import BOXES, by_colour, finder, reader
from vision.detection.weights import Weights
from vision.lab.benchmark.benchmark import format_benchmark, inputs, lay_eight_cards, rivals, runtimes
from vision.lab.benchmark.runtimes import RIVALS, RUNTIMES, Peer, installed, installed_mb
from vision.types import VisionError


@pytest.fixture
def weights(tmp_path):
    (tmp_path / "nets").mkdir()
    nets = finder(tmp_path / "nets" / "finder.onnx", BOXES), reader(tmp_path / "nets" / "reader.onnx", by_colour())
    return Weights(*nets, made="", folder=tmp_path / "nets")


def test_our_networks_are_measured_in_each_runtime_in_a_process_of_its_own(weights, monkeypatch):
    others = {"no such runtime": ((), None), "not installed": (("no_such_library",), None)}
    monkeypatch.setattr("vision.lab.benchmark.benchmark.RUNTIMES", {"onnxruntime": RUNTIMES["onnxruntime"], **others})
    rows = runtimes(weights, *lay_eight_cards())
    assert list(rows) == ["onnxruntime", "no such runtime"]
    ours = rows["onnxruntime"]
    assert ours["apart"] == {"finder": 0, "reader": 0}
    assert all(ours[key] > 0 for key in ("finder_ms", "reader_ms", "start_s", "rss_mb", "installed_mb"))
    assert "no such runtime does not run here: KeyError" in rows["no such runtime"]["failed"]
    told = format_benchmark(
        {"frames_per_s": 1, "stages_ms": {}, "rss_mb": 1, "threads": 2, "peers": {}, "runtimes": rows}
    )
    assert str(ours["finder_ms"]) in told and "KeyError" in told
    json.dumps(rows)


def test_a_runtime_that_answers_otherwise_is_told_by_how_much(weights, tmp_path):
    arrays = inputs(weights, *lay_eight_cards())
    arrays["reader answers"] = arrays["reader answers"] + np.float32(0.25)
    np.savez(tmp_path / "inputs.npz", **arrays)
    with Peer("onnxruntime", tmp_path) as peer:
        assert peer.found["apart"] == {"finder": 0, "reader": 0.25}
        assert len(peer.run("finder", 3)) == 3


def test_a_peer_that_cannot_start_says_why(weights, tmp_path):
    lost = replace(weights, finder=replace(weights.finder, path=tmp_path / "none.onnx"))
    np.savez(tmp_path / "inputs.npz", **(inputs(weights, *lay_eight_cards()) | {"finder file": str(lost.finder.path)}))
    with pytest.raises(VisionError, match="onnxruntime does not run here: .*none.onnx"):
        Peer("onnxruntime", tmp_path)


def test_how_many_times_slower_others_are_is_told_by_medians(monkeypatch):
    class Other:
        found = {"start_s": 1.0, "rss_mb": 900.0}

        def __init__(self, name, folder):
            self.name, self.times = name, iter([50.0, 30.0, 9000.0] * 8)

        def run(self, job, times):
            assert job == "whole"
            return [next(self.times) for _ in range(times)]

        def __enter__(self):
            return self

        def __exit__(self, *_):
            """Nothing to end."""

    monkeypatch.setattr("vision.lab.benchmark.benchmark.Peer", Other)
    monkeypatch.setattr("vision.lab.benchmark.benchmark.installed", lambda _: True)
    monkeypatch.setattr("vision.lab.benchmark.benchmark.milliseconds", lambda work: work())
    whole, rows = rivals(lambda: 10.0, lay_eight_cards()[0])
    assert whole == 10.0
    assert rows == {name: {"start_s": 1.0, "rss_mb": 900.0, "ms": 50.0, "times_ours": 5.0} for name in RIVALS}


def test_what_a_runtime_takes_on_the_disk_counts_what_it_brings_along():
    assert installed_mb("onnxruntime") > installed_mb("onnxruntime", frozenset({"numpy", "protobuf"})) > 10
    assert installed_mb("numpy") == 0
    assert installed(("json",)) and not installed(("json", "no_such_library"))
