"""From nothing to two networks in seconds: too little to read a card, enough to see that every step fits the next."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason='training needs the extra "train"')
pytest.importorskip("ultralytics", reason='training needs the extra "train"')

from vision.detection.engines import open_detector
from vision.lab.training import cli
from vision.lab.training.dataset import CROP, Recipe, render
from vision.lab.training.export import main as export
from vision.types import CLASSES, Frame, VisionError

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few rendered scenes of made decks."""
    out = tmp_path_factory.mktemp("data")
    render(Recipe(out, scenes=12, val_scenes=4, made=2, tables=4, shard=4, workers=1))
    return out


@pytest.fixture(scope="module")
def trained(data: Path) -> Path:
    """Both networks after a handful of steps, the finder started from the reader, exported into a folder."""
    runs = data / "runs"
    common = ["--runs", str(runs), "--hours", "0", "--epochs", "1"]
    assert cli.main(["reader", str(data), *common, "--size", "64", "--batch", "16", "--bfloat16"]) == 0
    reader = runs / "reader" / "weights" / "last.pt"
    assert cli.main(["finder", str(data), *common, "--size", "160", "--batch", "4", "--start", str(reader)]) == 0
    finder = runs / "finder" / "weights" / "last.pt"
    models = data / "models"
    words = ["--finder", str(finder), "--reader", str(reader), "--out", str(models), "--made", "a smoke test"]
    words += ["--data", str(data)]
    assert export([*words, "--finder-size", "160", "--reader-size", "64"]) == 0
    return models


def test_rendered_labels_are_complete(data: Path) -> None:
    shards = [np.load(file) for file in (data / "reader" / "train").glob("*.npz")]
    assert len(shards) == 3
    for shard in shards:
        assert shard["crops"].shape[1:] == (CROP, CROP, 3)
        assert len(shard["crops"]) == len(shard["labels"]) > 0
        assert shard["labels"].max() < len(CLASSES)
    assert (
        len(list((data / "finder/images/train").glob("*.jpg")))
        == len(list((data / "finder/labels/train").glob("*.txt")))
        == 12
    )


def test_exported_files_do_not_say_where_they_were_made(data: Path, trained: Path) -> None:
    for file in trained.iterdir():
        assert str(data).encode() not in file.read_bytes(), file.name


def test_rendering_goes_on_where_it_stopped(data: Path) -> None:
    shard = data / "reader" / "train" / "00001.npz"
    other = data / "reader" / "train" / "00000.npz"
    before, kept = np.load(shard)["crops"], other.stat().st_mtime_ns
    shard.unlink()
    render(Recipe(data, scenes=12, val_scenes=4, made=2, tables=4, shard=4, workers=1))
    assert np.array_equal(np.load(shard)["crops"], before)
    assert other.stat().st_mtime_ns == kept


def test_exported_networks_run(trained: Path) -> None:
    detector = open_detector(trained)
    frame = Frame(np.full((240, 320, 3), 90, np.uint8), 0.0)
    assert isinstance(detector.detect(frame), tuple)


def test_the_finder_starts_from_the_readers_first_layers(data: Path, trained: Path) -> None:
    import torch

    reader, finder = (
        torch.load(data / "runs" / name / "weights" / "last.pt", weights_only=False)["train_args"]
        for name in ("reader", "finder")
    )
    assert reader["task"] == "classify"
    assert str(finder["pretrained"]).endswith("reader/weights/last.pt")


def test_training_without_data_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="train render"):
        cli.main(["finder", str(tmp_path)])


def test_labels_stay_inside_their_pictures(data: Path) -> None:
    lines = [line for file in (data / "finder/labels").rglob("*.txt") for line in file.read_text().splitlines()]
    corners = np.array([[float(v) for v in line.split()[1:]] for line in lines])
    assert len(corners)
    assert corners.min() >= 0 and corners.max() <= 1


def test_hands_are_classes_of_the_finder_where_a_recipe_asks_for_them(tmp_path: Path) -> None:
    recipe = Recipe(
        tmp_path, scenes=8, val_scenes=4, made=2, tables=4, seed=2, shard=4, workers=2, wide=True, hands=True
    )
    render(recipe)
    assert json.loads((tmp_path / "finder/classes.json").read_text("utf-8")) == ["face", "back", "held", "hand"]
    lines = [line for file in (tmp_path / "finder/labels").rglob("*.txt") for line in file.read_text().splitlines()]
    assert {int(line.split()[0]) for line in lines} == {0, 1, 2, 3}
    runs = ["--runs", str(tmp_path / "runs"), "--hours", "0", "--epochs", "1", "--device", "cpu"]
    assert cli.main(["finder", str(tmp_path), *runs, "--size", "160", "--batch", "4"]) == 0


def test_a_run_names_its_device_as_ultralytics_does(tmp_path: Path) -> None:
    from vision.lab.training.run_settings import Run
    from vision.lab.training.trainers import common_settings

    assert common_settings(Run(tmp_path, "finder", 1.0, device="0,1"))["device"] == "0,1"
