"""The whole log as one file, and back; what is in the way is said, and nothing is lost."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from companion.log import store as family
from companion.log.protocol import Entry
from companion.log.store import Log
from tests.companion.log.test_importer import GAMES, played, warref

STORED = sorted((Path(__file__).parent / "stored").glob("*.db.gz"))


def everything(path: Path) -> list[object]:
    return [family.export_session(path, one.id) for one in family.list_sessions(path)]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    path = tmp_path / "here.db"
    for game in GAMES[:3]:
        played(path, game)
    with Log(path) as log:
        number = log.open_session({"variant": "classic", "players": ["Ana", "Ben"]}, "0", "left-right", live=True)
        log.write(number, Entry(1, {"at": 1.0, "faces": {}}, pictures={"table": b"jpeg"}))
    return path


def test_a_backup_has_everything_and_is_one_file(
    tmp_path: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Log(here):  # also while a game is played
        assert warref(tmp_path, "backup", tmp_path / "b" / "kept.db", "--json", log="here.db") == 0
    assert json.loads(capsys.readouterr().out)["sessions"] == 4
    kept = tmp_path / "b" / "kept.db"
    assert [file.name for file in kept.parent.iterdir()] == ["kept.db"]
    assert everything(kept) == everything(here) and family.load_table_picture(kept, 4, 1) == b"jpeg"
    assert kept.stat().st_mode & 0o077 == 0


def test_a_folder_takes_it_under_the_date_and_nothing_is_overwritten(
    tmp_path: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b").mkdir()
    assert warref(tmp_path, "backup", tmp_path / "b", log="here.db") == 0
    (kept,) = (tmp_path / "b").iterdir()
    before = kept.read_bytes()
    assert warref(tmp_path, "backup", kept, log="here.db") == 1
    assert "is there already and stays as it is" in capsys.readouterr().err and kept.read_bytes() == before


def test_a_backup_is_restored_and_the_log_before_is_kept(
    tmp_path: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert warref(tmp_path, "backup", tmp_path / "kept.db", log="here.db") == 0
    whole = everything(here)
    played(tmp_path / "there.db", GAMES[4])
    before = everything(tmp_path / "there.db")
    capsys.readouterr()
    assert warref(tmp_path, "restore", tmp_path / "kept.db", "--json") == 0
    aside = Path(json.loads(capsys.readouterr().out)["before"])
    assert everything(tmp_path / "there.db") == whole and everything(aside) == before
    with Log(tmp_path / "there.db") as log:
        assert log.drop_pictures(4) == 1


def test_a_restore_into_nothing_and_of_an_older_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = tmp_path / "old.db"
    old.write_bytes(gzip.decompress(STORED[0].read_bytes()))
    before, seen = old.read_bytes(), everything(old)
    assert warref(tmp_path, "restore", old, log="new.db") == 0
    assert everything(tmp_path / "new.db") == seen and old.read_bytes() == before
    assert warref(tmp_path, "restore", tmp_path / "new.db", log="new.db") == 1
    assert "the log itself" in capsys.readouterr().err and everything(tmp_path / "new.db") == seen


def _text(path: Path) -> None:
    path.write_text("Dear diary, " * 99)


def _cut(path: Path) -> None:
    path.write_bytes(gzip.decompress(STORED[0].read_bytes())[:20_000])


@pytest.mark.parametrize("spoil", [_text, _cut, lambda path: path.touch(), lambda path: None])
def test_what_is_no_backup_touches_nothing(tmp_path: Path, here: Path, spoil) -> None:
    spoil(tmp_path / "kept.db")
    before, files = everything(here), sorted(file.name for file in tmp_path.iterdir())
    assert warref(tmp_path, "restore", tmp_path / "kept.db", log="here.db") == 1
    assert everything(here) == before and sorted(file.name for file in tmp_path.iterdir()) == files


def test_no_restore_while_a_game_is_played(tmp_path: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert warref(tmp_path, "backup", tmp_path / "kept.db", log="here.db") == 0
    with Log(here):
        assert warref(tmp_path, "restore", tmp_path / "kept.db", log="here.db") == 1
    assert "Another War Referee window" in capsys.readouterr().err
