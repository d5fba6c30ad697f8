import json
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from companion.log import store as family
from companion.log.errors import LogBusy, LogError, LogNewer, NoSession
from companion.log.protocol import Entry
from companion.log.store import Log

GAME = {"variant": "classic", "players": ["Ana", "Ben"]}


def look(n):
    return {"at": float(n), "faces": {"Ana": ["9H"], "Ben": ["4C"]}}


def ruling(kind="shown", **more):
    """A ruling as the program writes it; `more` replaces its fields."""
    about = {"ruling": kind, "seq": 1, "look": 1, "at": 1.0, "round": 1, "faces": {"Ana": ["9H"], "Ben": ["4C"]}}
    if kind == "shown":
        return {**about, "waiting": [], **more}
    counts = {"takes": {"Ana": 2}, "wars": 0, "counts": {"Ana": 27, "Ben": 25}}
    return {
        **about,
        "pot": 2,
        **counts,
        "rule": "higher_card",
        "seen": ["faces"],
        "assumed": [],
        "winner": "Ana",
        **more,
    }


def begin(log):
    return log.open_session(GAME, "table.looks", "left-right", live=False)


def test_an_input_and_its_rulings_come_back(log, path):
    session = begin(log)
    log.write(session, Entry(1, look(1), ((1, 1, ruling()), (2, 1, ruling("battle_won"))), mark=1, model="abc"))
    assert family.load_inputs(path, session) == (look(1),)
    assert [r["ruling"] for r in family.load_rulings(path, session)] == ["shown", "battle_won"]
    assert family.load_marks(path, session) == (1.0,)
    assert family.export_session(path, session)["rulings"][0]["model"] == "abc"


def test_a_replaced_ruling_stays_in_the_log_with_what_replaced_it(log, path):
    session = begin(log)
    log.write(session, Entry(1, look(1), ((1, 1, ruling()), (2, 1, ruling("battle_won", winner="Ana")))))
    log.write(session, Entry(2, {"correct": 1}, ((2, 1, ruling("battle_won", winner="Ben")),), keep=1))
    assert [r.get("winner") for r in family.load_rulings(path, session)] == [None, "Ben"]
    everything = family.export_session(path, session)["rulings"]
    assert [(r.get("winner"), r["made_by"], r["replaced_by"]) for r in everything] == [
        (None, 1, None),
        ("Ana", 1, 2),
        ("Ben", 2, None),
    ]


def test_a_write_that_fails_half_way_leaves_nothing(log, path):
    session = begin(log)
    log.write(session, Entry(1, look(1), ((1, 1, ruling()),), keep=0))
    with pytest.raises(LogError):
        log.write(session, Entry(2, look(2), ((1, 2, ruling()),), keep=1))  # seq 1 is taken
    assert len(family.load_inputs(path, session)) == 1
    log.write(session, Entry(2, look(2), ((2, 2, ruling()),), keep=1))
    assert len(family.load_inputs(path, session)) == 2


def test_sessions_newest_first_and_the_unended_alone(log, path):
    first, second = begin(log), begin(log)
    log.end_session(first, "game over")
    assert [s.id for s in family.list_sessions(path)] == [second, first]
    assert [s.id for s in family.list_sessions(path, unended=True)] == [second]
    assert family.load_session(path, first).end_reason == "game over"
    assert family.load_session(path, first).game == GAME


def test_the_game_before_this_one(log, path):
    first, second, third = (begin(log) for _ in range(3))
    earlier = [family.find_previous(path, number) for number in (None, third, second, first)]
    assert earlier == [third, second, first, None]
    log.remove_session(second)
    assert family.find_previous(path, third) == first
    assert family.find_previous(path.with_name("none.db"), None) is None


def test_pictures_are_found_and_dropped(log, path):
    session = begin(log)
    numbers = log.write(session, Entry(1, look(1), pictures={"table": b"jpeg", "Ana 1": b"crop"}))
    assert family.load_table_picture(path, session, 1) == b"jpeg"
    assert family.load_evidence_picture(path, numbers["Ana 1"]) == b"crop"
    assert log.drop_pictures(session) == 2
    assert family.load_table_picture(path, session, 1) is None
    assert all(b"crop" not in file.read_bytes() for file in path.parent.iterdir())


def test_an_unknown_session_is_named(log, path):
    with pytest.raises(NoSession, match="no session 7"):
        family.export_session(path, 7)
    with pytest.raises(NoSession):
        family.load_session(path.with_name("none.db"), 1)
    assert family.list_sessions(path.with_name("none.db")) == ()


def test_a_second_window_is_told_so(log, path):
    with pytest.raises(LogBusy, match="Another War Referee window"):
        Log(path)


def test_a_log_is_free_again_after_close(path):
    Log(path).close()
    Log(path).close()


def test_readers_are_not_kept_out(log, path):
    begin(log)
    assert len(family.list_sessions(path)) == 1


def test_a_newer_log_is_refused_and_left_alone(path):
    Log(path).close()
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('war-referee', '9999_of_tomorrow')")
    with pytest.raises(LogNewer, match="newer War Referee"):
        Log(path)
    with pytest.raises(LogNewer):
        family.list_sessions(path)


def test_another_program_s_database_is_refused(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE stamps (id INTEGER)")
    with pytest.raises(LogError, match="another program"):
        Log(path)


def test_a_file_that_is_no_database(path):
    path.write_text("Dear diary, " * 100)
    with pytest.raises(LogError, match="not a War Referee log"):
        Log(path)


def test_a_folder_or_a_place_that_cannot_be_written(tmp_path):
    for use in (Log, family.list_sessions, lambda path: family.load_session(path, 1)):
        with pytest.raises(LogError, match=r"is a folder, not a log: name a file with --log, as .*family\.db"):
            use(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(LogError, match="cannot be opened"):
        Log(tmp_path / "file" / "family.db")


def test_half_a_letter_is_kept_as_its_escape(path):
    with Log(path) as log:
        number = log.open_session(
            {"variant": "classic", "players": ["A\ud800"]}, "film\udcff.mp4", "left-right", live=False
        )
        log.write(number, Entry(1, {"answer": 1, "choice": "\ud800"}, by="B\ud800"))
    stored = family.load_session(path, number)
    assert (stored.source, stored.game) == ("film\\udcff.mp4", {"variant": "classic", "players": ["A\ud800"]})
    assert family.load_inputs(path, number)[0]["choice"] == "\ud800"


@pytest.mark.parametrize("column", ["sessions SET game", "inputs SET input", "rulings SET ruling"])
@pytest.mark.parametrize("text", ["{", "7", ""])
def test_a_garbled_row_is_said(path, column, text):
    with Log(path) as log:
        number = log.open_session({"variant": "classic", "players": []}, "", "left-right", live=False)
        log.write(number, Entry(1, {"undo": 1}, ((1, 1, ruling()),)))
        log._db.execute(f"UPDATE {column} = ?", (text,))
    with pytest.raises(LogError, match=r"damaged"):
        family.load_session(path, number), family.load_inputs(path, number), family.load_rulings(path, number)


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="no folder here that takes no file of anybody")
def test_a_place_that_takes_no_file_is_not_called_in_use():
    with pytest.raises(LogError, match="No log can be written to /proc: choose another file") as refused:
        Log(Path("/proc/family.db"))
    assert not isinstance(refused.value, LogBusy)


def test_an_empty_file_is_a_log_without_sessions(path):
    path.touch()
    assert family.list_sessions(path) == ()
    with pytest.raises(NoSession):
        family.load_session(path, 1)
    with Log(path) as log:
        assert log.open_session({}, "", "left-right", live=False) == 1


def test_a_link_to_itself_is_no_log(tmp_path):
    path = tmp_path / "family.db"
    path.symlink_to(path)
    for use in (Log, family.list_sessions):
        with pytest.raises(LogError, match="cannot be opened"):
            use(path)


def test_a_folder_for_locks_that_cannot_be_made_keeps_nobody_from_playing(path, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    with Log(path), pytest.raises(LogBusy):
        Log(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(LogError, match=r"cannot be (opened|written)"):
        Log(tmp_path / "family.db")


@pytest.fixture
def nobody():
    """A folder in which somebody without rights of his own may look, and that somebody's rights while he does."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no other users here")
def test_a_log_on_which_nothing_can_be_written_is_read(nobody):
    path = nobody / "family.db"
    with Log(path) as log:
        log.write(begin(log), Entry(1, look(1), ((1, 1, ruling()),)))
    for left in nobody.iterdir():
        left.chmod(0o444)
    nobody.chmod(0o555)
    before = {left.name: left.stat().st_mtime_ns for left in nobody.iterdir()}
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        assert [one.id for one in family.list_sessions(path)] == [1]
        assert family.load_inputs(path, 1) == (look(1),) and family.export_session(path, 1)["rulings"]
        with pytest.raises(LogError, match=r"cannot be (opened|written)"):
            Log(path)
    finally:
        if root:
            os.seteuid(0)
    assert {left.name: left.stat().st_mtime_ns for left in nobody.iterdir()} == before


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no other users here")
def test_a_log_in_a_closed_folder_is_one_sentence(nobody):
    closed = nobody / "closed"
    closed.mkdir()
    closed.chmod(0o000)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        for use in (Log, family.list_sessions, lambda path: family.load_session(path, 1)):
            with pytest.raises(LogError, match=r"permission denied\): choose another file with --log"):
                use(closed / "family.db")
    finally:
        if root:
            os.seteuid(0)
        closed.chmod(0o755)


def test_another_program_s_lock_is_waited_for_then_named(log, path):
    session = begin(log)
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    log._db.execute("PRAGMA busy_timeout = 50").fetchall()
    with pytest.raises(LogError, match="Another program is using"):
        log.write(session, Entry(1, look(1)))
    other.rollback()
    log.write(session, Entry(1, look(1)))
    assert len(family.load_inputs(path, session)) == 1


FILL = """
import resource, sys
from pathlib import Path
from companion.log.store import Entry, Log, LogError
log = Log(Path(sys.argv[1]))
session = log.open_session({}, "", "", False)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for n in range(1, 1000):
    try:
        log.write(session, Entry(n, {"at": n}, pictures={"table": bytes(9000)}))
    except LogError as error:
        print(n - 1, error)
        break
"""


def test_a_full_disk_is_said_and_loses_nothing(path):
    run = subprocess.run([sys.executable, "-c", FILL, path], capture_output=True, text=True, cwd=Path.cwd())
    written, sentence = run.stdout.split(maxsplit=1)
    assert "disk" in sentence.lower()
    assert [item["at"] for item in family.load_inputs(path, 1)] == list(range(1, int(written) + 1))


def test_text_of_any_script_survives(log, path):
    session = log.open_session({"variant": "classic", "players": ["Ána", "Бен", "花"]}, "", "", live=True)
    assert family.load_session(path, session).game["players"] == ["Ána", "Бен", "花"]
    assert json.dumps(family.export_session(path, session))


@pytest.mark.parametrize(
    "garbled",
    [
        {"ruling": "battle_won"},
        {},
        ruling("battle_won", counts=7),
        ruling("battle_won", at="1.0"),
        ruling("no_such_ruling"),
    ],
)
def test_a_garbled_ruling_is_one_sentence(log, path, garbled):
    session = begin(log)
    log.write(session, Entry(1, look(1), ((1, 1, {"ruling": "shown", **garbled}),)))
    with pytest.raises(LogError, match="is damaged"):
        family.load_rulings(path, session)


@pytest.mark.parametrize("game", ["[]", "{", "7", '{"variant": 1, "players": ["A", "B"]}', '{"players": ["A"]}', "{}"])
def test_a_garbled_session_hides_no_other(log, path, game):
    whole, garbled = begin(log), begin(log)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE sessions SET game = ? WHERE id = ?", (game, garbled))
    assert [entry.id for entry in family.list_sessions(path)] == [whole]
    assert family.list_damaged_sessions(path) == (garbled,)
    with pytest.raises(LogError, match=f"Session {garbled} .* is damaged"):
        family.load_session(path, garbled)


def test_a_log_without_a_column_is_damaged(log, path):
    begin(log)
    log.close()
    with sqlite3.connect(path) as db:
        db.execute("ALTER TABLE sessions RENAME COLUMN game TO gaem")
    with pytest.raises(LogError, match="is damaged"):
        family.list_sessions(path)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_a_number_that_no_row_can_have_is_no_session(log, path, number):
    begin(log)
    with pytest.raises(NoSession):
        family.load_session(path, number)
    assert family.load_rulings(path, number) == ()


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps who may read a file elsewhere")
def test_only_its_owner_may_read_a_log(tmp_path):
    folder = tmp_path / "war-referee"
    folder.mkdir(mode=0o755)
    path = folder / "family.db"
    path.touch(mode=0o644)
    with Log(path) as log:
        log.write(begin(log), Entry(1, look(1)))
        assert {stat.S_IMODE(found.stat().st_mode) for found in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name == "nt", reason="needs the right to make links")
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_log_by_another_name_is_the_same_log(log, path, tmp_path, link):
    other = tmp_path / "elsewhere" / "other.db"
    other.parent.mkdir()
    link(path, other)
    with pytest.raises(LogBusy):
        Log(other)
    assert family.in_use(other)


@pytest.mark.skipif(sys.platform == "win32", reason="there an open file cannot be deleted")
def test_a_log_that_is_deleted_while_it_is_used_is_written_anew(path):
    with Log(path) as log:
        number = begin(log)
        log.write(number, Entry(1, look(1)))
        for file in path.parent.glob(f"{path.name}*"):
            file.unlink()
        log.write(number, Entry(2, look(2)))
        assert path.stat().st_mode & 0o777 == 0o600
        with pytest.raises(LogBusy):
            Log(path)
        log.write(number, Entry(3, look(3)))
    assert [len(family.load_inputs(path, number)), family.list_sessions(path)[0].id] == [3, number]


@pytest.mark.skipif(sys.platform == "win32", reason="there an open file cannot be moved")
def test_what_is_put_in_place_of_the_log_is_not_written_to(path, tmp_path):
    with Log(path) as log:
        number = begin(log)
        path.rename(tmp_path / "kept.db")
        path.write_bytes(b"something else")
        with pytest.raises(LogError, match="in place of the log"):
            log.write(number, Entry(1, look(1)))
    assert path.read_bytes() == b"something else"


@pytest.mark.parametrize("column", ["opened", "ended"])
def test_a_session_without_its_moment_is_damaged_and_hides_no_other(log, path, column):
    for _ in range(2):
        begin(log)
    log._db.execute(f"UPDATE sessions SET {column} = '' WHERE id = 1")
    log._db.conn.commit()
    assert ([one.id for one in family.list_sessions(path)], family.list_damaged_sessions(path)) == ([2], (1,))
