"""What a family takes away of an evening: a page to keep, a table, a link for another program."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from companion.log import store as family
from companion.log.export import FORMATS, LOG_FORMATS, ExportFormat
from companion.log.export.bgstats import LINK
from companion.log.protocol import Entry
from companion.log.store import Log
from companion.log.summary import summarize
from tests.companion.log.test_importer import GAMES, played, warref
from vision.images import decode_picture, encode_jpeg, shrink_jpeg

ODD = ('<script>alert("1")</script>', "=1+1", "+2", "-Бен'", '@"ÁÑA" 🂡 &amp;')
JPEG = b"\xff\xd8 a picture \xff\xd9"


class Page(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def exported(folder: Path, form: str, *more: str) -> str:
    assert warref(folder, "export", 1, "--format", form, "--out", folder / "it", *more, log="here.db") == 0
    return (folder / "it").read_bytes().decode()


@pytest.mark.parametrize("game", GAMES, ids=lambda path: path.stem)
def test_every_game_makes_a_page_and_a_link(tmp_path: Path, game: Path) -> None:
    played(tmp_path / "here.db", game)
    page, stored = exported(tmp_path, "html"), family.load_session(tmp_path / "here.db", 1)
    for name in stored.game["players"]:
        assert name in page
    assert page.count("<tr>") > len(stored.game["players"]) + 2
    play = json.loads(unquote(exported(tmp_path, "bgstats").removeprefix(LINK)))
    assert [one["name"] for one in play["players"]] == stored.game["players"]
    assert min(one["rank"] for one in play["players"]) == 1


def test_the_page_tells_the_evening(tmp_path: Path) -> None:
    game = next(path for path in GAMES if path.stem == "misread_and_put_right")
    played(tmp_path / "here.db", game)
    text = " ".join(Page(exported(tmp_path, "html")).text.split())
    assert "House rules" in text and "Longest war" in text and "Wars survived" in text and "(corrected)" in text
    for ruling in family.load_rulings(tmp_path / "here.db", 1):
        assert ruling["ruling"] == "shown" or str(ruling.get("round", "")) in text


def test_house_rules_stand_in_words(tmp_path: Path) -> None:
    with Log(tmp_path / "here.db") as log:
        game = {"variant": "classic", "players": ["Ana", "Ben"], "set": {"war_down": 1, "end": "three_wars"}}
        log.open_session(game, "0", "left-right", live=True)
    assert "one card face down; three wars won end the game" in exported(tmp_path, "html")
    assert "one card face down" in json.loads(unquote(exported(tmp_path, "bgstats").removeprefix(LINK)))["board"]


def test_the_page_needs_nothing_from_elsewhere_and_shows_its_pictures(tmp_path: Path) -> None:
    with Log(tmp_path / "here.db") as log:
        log.open_session({"variant": "classic", "players": ["Ana", "Ben"]}, "0", "left-right", live=True)
        won = {
            "seq": 1,
            "look": 1,
            "at": 65.0,
            "ruling": "battle_won",
            "round": 1,
            "winner": "Ana",
            "wars": 0,
            "pot": 2,
            "rule": "higher_card",
            "seen": ["faces"],
            "assumed": [],
        }
        more = {"faces": {"Ana": ["9H"], "Ben": ["4C"]}, "takes": {"Ana": 2}, "counts": {"Ana": 27, "Ben": 25}}
        entry = {"at": 65.0, "faces": {"Ana": ["9H"], "Ben": ["4C"]}}
        log.write(1, Entry(1, entry, ((1, 1, {**won, **more}),), pictures={"table": JPEG, "Ana 0": b"a crop"}))
    page = Page(exported(tmp_path, "html"))
    (picture,) = (attrs for tag, attrs in page.tags if tag == "img")
    assert str(picture["src"]).startswith("data:image/jpeg;base64,/9g")
    assert not {"script", "link", "iframe", "object"} & {tag for tag, _ in page.tags}
    assert not [attrs for _, attrs in page.tags if "http" in str(attrs.get("src")) or "href" in attrs]
    assert "9♥" in page.text and "1:05" in page.text


def test_pictures_are_made_small() -> None:
    large = encode_jpeg(np.full((720, 1280, 3), 90, np.uint8))
    small = decode_picture(shrink_jpeg(large))
    assert small is not None and small.shape == (180, 320, 3)


@pytest.mark.parametrize("odd", ODD)
def test_a_name_of_any_kind_survives(tmp_path: Path, odd: str) -> None:
    played(tmp_path / "here.db", next(path for path in GAMES if path.stem == "family_classic"), {"Ana": odd})
    page = Page(exported(tmp_path, "html"))
    assert odd in page.text and not [tag for tag, _ in page.tags if tag == "script"]
    play = json.loads(exported(tmp_path, "bgstats", "--json"))["play"]
    assert odd in [one["name"] for one in play["players"]]
    link = exported(tmp_path, "bgstats")
    assert re.fullmatch(r"[!-~]+\n", link) and json.loads(unquote(link.removeprefix(LINK))) == play
    rows = list(csv.reader(io.StringIO(exported(tmp_path, "csv"))))
    assert f"cards {odd}" in rows[0] and any(odd in cell for row in rows[1:] for cell in row)
    assert not [
        cell for row in rows for cell in row if cell[:1] in "=+-@" and cell and not re.fullmatch(r"-?[\d.]+", cell)
    ]
    assert odd in json.loads(exported(tmp_path, "json"))["game"]["players"]


def test_the_play_is_dated_in_universal_time(tmp_path: Path) -> None:
    played(tmp_path / "here.db")
    play = json.loads(exported(tmp_path, "bgstats", "--json"))["play"]
    opened = datetime.fromisoformat(family.load_session(tmp_path / "here.db", 1).opened)
    assert datetime.strptime(play["playDate"], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC) == opened
    assert all(one["winner"] in (True, False) and one["startPlayer"] is False for one in play["players"])


def test_a_war_is_survived_by_who_plays_on() -> None:
    declared = {"ruling": "war_declared", "round": 1, "who": ["Ana", "Ben"], "at": 1.0}
    won = {"ruling": "battle_won", "round": 1, "winner": "Ana", "wars": 1, "pot": 10, "at": 2.0}
    it = summarize(("Ana", "Ben"), (declared, {**won, "counts": {"Ana": 52, "Ben": 0}}), ())
    assert [one.wars_survived for one in it.people({})] == [1, 0]


def test_what_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played(tmp_path / "here.db")
    nowhere = tmp_path / "no such folder" / "it"
    assert warref(tmp_path, "export", 1, "--format", "html", "--out", nowhere, log="here.db") == 1
    assert "cannot be written: no such file" in capsys.readouterr().err
    assert warref(tmp_path, "export", 9, "--format", "bgstats", log="here.db") == 1
    assert "no session 9" in capsys.readouterr().err


def test_a_file_that_was_there_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played(tmp_path / "here.db")
    before = exported(tmp_path, "json")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert warref(tmp_path, "export", 1, "--format", "csv", "--out", tmp_path / "it", log="here.db") == 1
    assert capsys.readouterr().err == f"{tmp_path / 'it'} cannot be written: no space left on device.\n"
    assert (tmp_path / "it").read_text("utf-8") == before
    assert not (tmp_path / "it.part").exists()


LIGHT = """
import sys
from companion.commands._options import parser
from companion.words import speak
assert not {"PIL", "jinja2", "sqlite_utils", "cv2"} & sys.modules.keys()
for name in sys.argv[1:]:
    parser({"export": ("", "x:y")}, "", speak("en")).parse_args(["export", "1", "--format", name])
"""


def test_the_command_offers_every_format_and_loads_none() -> None:
    names = [*FORMATS, *LOG_FORMATS]
    run = subprocess.run([sys.executable, "-c", LIGHT, *names], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("form", [*FORMATS.values(), *LOG_FORMATS.values()], ids=lambda form: form.where)
def test_every_format_has_its_function(form: ExportFormat) -> None:
    assert callable(form._function()) and form.file


def test_a_picture_needs_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played(tmp_path / "here.db")
    assert warref(tmp_path, "export", 1, "--format", "png", log="here.db") == 2
    assert "--out" in capsys.readouterr().err
    assert warref(tmp_path, "export", "all", "--format", "html", log="here.db") == 2
    assert "of all there are json, games, players, rounds" in capsys.readouterr().err


def tables(folder: Path, name: str) -> list[dict[str, str]]:
    assert warref(folder, "export", "all", "--format", name, "--out", folder / "it", log="here.db") == 0
    return list(csv.DictReader(io.StringIO((folder / "it").read_bytes().decode())))


def test_tables_of_all_games_players_and_rounds(tmp_path: Path) -> None:
    for game in GAMES[:4]:
        played(tmp_path / "here.db", game)
    sessions = {one.id: one for one in family.list_sessions(tmp_path / "here.db")}
    games, players, rounds = (tables(tmp_path, name) for name in ("games", "players", "rounds"))
    assert [int(row["game"]) for row in games] == sorted(sessions)
    assert [row["opened"] for row in games] == [one.opened for _, one in sorted(sessions.items())]
    assert len(players) == sum(len(one.game["players"]) for one in sessions.values())
    assert len(rounds) == sum(int(row["rounds"]) for row in games) == sum(int(row["rounds_won"]) for row in players)
    for row in rounds:
        moment = datetime.fromisoformat(row["time"])
        assert moment.tzinfo and moment >= datetime.fromisoformat(sessions[int(row["game"])].opened)


def test_tables_of_an_empty_log(tmp_path: Path) -> None:
    Log(tmp_path / "here.db").close()
    assert all(tables(tmp_path, name) == [] for name in ("games", "players", "rounds"))
