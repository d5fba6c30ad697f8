"""`python -m vision`: the lines of `read`, exit codes, and where words go."""

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import pytest

from tests.vision.cards import back, face, picture
from vision.__main__ import main
from vision.detection.detector import CannedDetector
from vision.read import format_line, read_lines

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def photo(tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), picture())
    return tmp_path / "a.png"


def test_a_line_holds_what_is_stood_by_what_is_not_and_backs(photo):
    cards = [face("QH", 100, 100, 0.993, 0.9, ("QD", 0.004)), face("9C", 200, 100, 0.31, 0.9, ("6C", 0.3)), back(50)]
    (line,) = read_lines([photo], CannedDetector([cards]))
    assert json.loads(json.dumps(line)) == line
    assert (line["file"], line["width"], line["height"]) == (str(photo), 320, 240)
    (card,) = line["cards"]
    assert (card["code"], card["p"], card["alternatives"]) == ("QH", 0.993, [["QD", 0.004]])
    assert card["polygon"] == [[70, 55], [130, 55], [130, 145], [70, 145]]
    assert line["unread"] == [{"polygon": line["unread"][0]["polygon"], "alternatives": [["9C", 0.31], ["6C", 0.3]]}]
    assert line["backs"] == [{"p": 0.9, "polygon": [[20, 55], [80, 55], [80, 145], [20, 145]]}]


def test_a_folder_stands_for_its_pictures_and_a_bad_file_does_not_stop_the_rest(photo):
    (photo.parent / "b.jpg").write_text("no picture")
    lines = list(read_lines([photo.parent, Path("none.png"), photo], CannedDetector([[face("QH")]])))
    assert [Path(line["file"]).name for line in lines] == ["a.png", "b.jpg", "none.png", "a.png"]
    assert ["error" in line for line in lines] == [False, True, True, False]


def test_an_empty_folder_is_an_error_line(tmp_path):
    (line,) = read_lines([tmp_path], CannedDetector([]))
    assert "error" in line and format_line(line).startswith(f"{tmp_path}: ")
    assert "holds no pictures: put JPEG or PNG files into it" in line["error"]


def test_a_place_that_may_not_be_looked_into_does_not_stop_the_rest(photo, monkeypatch):
    closed = Path("closed")
    real = Path.is_dir

    def is_dir(self):
        if self == closed:
            raise PermissionError(13, "Permission denied")
        return real(self)

    monkeypatch.setattr(Path, "is_dir", is_dir)
    told, read = read_lines([closed, photo], CannedDetector([[face("QH")]]))
    assert told == {"file": "closed", "error": "closed cannot be opened: permission denied."}
    assert "error" not in read


def test_words_for_people(photo):
    (line,) = read_lines([photo], CannedDetector([[face("QH", p=0.99), back(200), back(300)]]))
    assert format_line(line) == f"{photo}: QH 99%, 2 cards face down"
    assert format_line(next(read_lines([photo], CannedDetector([])))) == f"{photo}: no cards"


@pytest.mark.parametrize("words", [[], ["no-such-command"], ["read"], ["evaluate"], ["read", "a", "--engine", "magic"]])
def test_words_that_are_off_exit_with_2(words):
    with pytest.raises(SystemExit) as error:
        main(words)
    assert error.value.code == 2


def test_a_failed_job_is_one_plain_sentence(tmp_path, capsys):
    assert main(["read", "a.png", "--weights", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and "Traceback" not in err


def test_nothing_heavy_is_loaded_by_reading(tmp_path):
    modules = ("detection.detector", "sources.open", "read", "tracking.pipeline", "sources.latest_frame")
    words = "import sys, " + ", ".join(f"vision.{name}" for name in modules) + "; "
    heavy = ("torch", "ultralytics", "companion", "vision.lab", "vision.detection.ultralytics_engine")
    check = f"print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", words + check], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_the_inference_runtime_reports_to_nobody(tmp_path):
    code = "import vision.detection.onnx_network, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    env = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": os.getcwd()}
    env.pop("ORT_DISABLE_TELEMETRY", None)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert run.stdout == "1\n"
    assert not list(tmp_path.rglob("*onnxruntime*"))
