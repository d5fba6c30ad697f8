"""The program's settings: defaults, file, environment and call, and what is said of a file that cannot be meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.cli import main
from companion.errors import WrongWords
from companion.preferences import PREFERENCES, BadPreferences, load_preferences, settings_file, write_preferences
from companion.web import create_app
from tests.companion.web.fake_table import VERDICT, FakeTable


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "conf" / "settings.toml"
    monkeypatch.setenv("WARREF_SETTINGS", str(path))
    return path


def written(file: Path, text: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    return {one["key"]: one for one in map(json.loads, capsys.readouterr().out.splitlines())}


def test_what_goes_before_what(file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--json"]) == 0
    assert told(capsys)["port"]["value"] == 8765 and not file.exists()
    written(file, "# ours\n\nport = 9000\nmirror = 'auto'\n")
    main(["settings", "--json"])
    port = told(capsys)["port"]
    assert (port["value"], port["from"], port["where"]) == (9000, "file", f"{file}, line 3")
    monkeypatch.setenv("WARREF_PORT", "9001")
    main(["settings", "--json"])
    found = told(capsys)
    assert (found["port"]["value"], found["port"]["from"]) == (9001, "environment")
    assert (found["mirror"]["from"], found["engine"]["from"]) == ("file", "default")
    main(["settings", "--json", "--port", "9002"])
    assert (port := told(capsys)["port"]) and (port["value"], port["from"]) == (9002, "call")


def test_every_setting_has_its_words_and_option(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--lang", "en"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" = ")[0] for line in lines[:-1]] == [one.key for one in PREFERENCES]
    assert "(this call, --lang)" in lines[0] and str(file) in lines[-1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("port = 9000\nport = = 3\n", "line 2: that is no TOML"),
        ("\n\nprot = 3\n", "line 3: there is no setting prot; there are lang"),
        ("lang = 'en'\nport = 'many'\n", "line 2: port cannot be 'many'; it can be 0-65535"),
        ("mirror = true\n", "line 1: mirror cannot be 'True'; it can be no, yes, auto"),
        ("keep_pictures_days = -1\n", "line 1: keep_pictures_days cannot be '-1'"),
        ("[port]\na = 1\n", "line 1: port cannot be"),
        ("log = ''\n", "line 1: log cannot be"),
    ],
)
def test_a_file_that_cannot_be_meant_is_one_sentence_with_its_line(
    file: Path, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    written(file, text)
    for command in ("settings", "sessions"):
        assert main([command, "--lang", "en"]) == 1
        (sentence,) = capsys.readouterr().err.splitlines()
        assert sentence.startswith(f"{file}, ") and says in sentence


def test_a_bad_variable_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARREF_ENGINE", "steam")
    with pytest.raises(BadPreferences, match="WARREF_ENGINE: engine cannot be 'steam'; it can be auto, ultralytics"):
        load_preferences()


def test_a_setting_is_written_and_comments_stay(file: Path) -> None:
    written(file, "# our laptop\nport = 9000  # beside the other one\n")
    write_preferences({"keep_pictures_days": "30", "port": "9001"})
    assert file.read_text("utf-8") == "# our laptop\nport = 9001  # beside the other one\nkeep_pictures_days = 30\n"
    assert load_preferences()["keep_pictures_days"].value == 30
    write_preferences({"port": None})
    assert load_preferences()["port"].value == 8765
    before = file.read_text("utf-8")
    for key, value in (("port", "x"), ("prot", "1"), ("lang", "xx"), ("log", "\ud800"), ("pack", "a\x00")):
        with pytest.raises(WrongWords):
            write_preferences({"mirror": "yes", key: value})
    assert file.read_text("utf-8") == before and settings_file() == file


def test_the_file_s_log_and_language_are_used(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(file, f"log = {json.dumps(str(tmp_path / 'ours.db'))}\nlang = 'en'\n")
    assert main(["sessions"]) == 0
    assert str(tmp_path / "ours.db") in capsys.readouterr().err


def test_settings_on_the_page(file: Path) -> None:
    browser = create_app(FakeTable(VERDICT)).test_client()
    html = browser.get("/preferences").get_data(as_text=True)
    assert all(f'name="{one.key}"' in html for one in PREFERENCES)
    answer = browser.post("/preferences", data={"port": "9000", "mirror": ""}, headers={"Accept": "text/html"})
    assert answer.status_code == 303
    assert "The settings are kept." in browser.get(answer.headers["Location"]).get_data(as_text=True)
    assert file.read_text("utf-8") == "port = 9000\n"
    assert browser.post("/preferences", json={"port": "no"}).status_code == 400
    assert browser.post("/preferences", json={"prot": "1"}).status_code == 400
    assert file.read_text("utf-8") == "port = 9000\n"
