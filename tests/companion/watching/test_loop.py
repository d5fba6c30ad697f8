"""The watching, from pictures to rulings: real pictures and a real log, a detector that is told what to see."""

import http.server
import sqlite3
import threading
import time

import cv2
import numpy as np
import pytest

from companion.log import store as family
from companion.log.store import Log, LogError
from companion.referee.cards import Card
from companion.referee.game import new_game
from companion.seats.layout import parse_seats
from companion.table.presenter import Presenter
from companion.table.requests import ListCameras, NewGame, Pause, Refused, ResetWatching, SelectCamera
from companion.table.session import Phase
from companion.table.snapshot import CameraChoice
from companion.table.table import Table
from companion.watching.feeds import CameraFeed, FilmFeed, open_feed
from companion.watching.look_builder import LookBuilder
from companion.watching.loop import Watch
from companion.watching.session import BlindnessDetector
from companion.words import speak
from tests.companion.asking import correct_look
from vision.detection.detector import CannedDetector
from vision.types import FoundCard, Frame, Look, Reading, Side, VisionError

SIZE = (160, 90)


def card(code, x, y=45, p=0.95, found=0.9, **parts):
    """A face 12 x 18 pixels large, its centre at x, y; further readings as keyword arguments."""
    quad = ((x - 6, y - 9), (x + 6, y - 9), (x + 6, y + 9), (x - 6, y + 9))
    moved = parts.pop("moved", True)
    readings = (Reading(code, p), *(Reading(other.strip("_"), q) for other, q in parts.items()))
    return FoundCard(quad, Side.FACE, found, readings, read=p >= 0.5, moved=moved)


def back(x, y=45):
    quad = ((x - 6, y - 9), (x + 6, y - 9), (x + 6, y + 9), (x - 6, y + 9))
    return FoundCard(quad, Side.BACK, 0.9)


def look(at, *cards):
    return Look(at, cards, SIZE)


@pytest.fixture
def log(tmp_path):
    with Log(tmp_path / "family.db") as log:
        yield log


@pytest.fixture
def path(tmp_path):
    return tmp_path / "family.db"


@pytest.fixture
def table(log, tmp_path):
    table = Table(log, Presenter(speak("en")))
    table.open(new_game("classic", ("Ana", "Ben")), str(tmp_path / "p"), "left-right", live=False)
    return table


def pictures(folder, number):
    """A folder with so many little pictures."""
    folder.mkdir()
    for n in range(number):
        cv2.imwrite(str(folder / f"{n:02}.png"), np.full((SIZE[1], SIZE[0], 3), 40 + 10 * n, np.uint8))
    return str(folder)


def watched(table, source, answers, told_to=-1.0):
    watch = Watch(table, CannedDetector(answers), open_feed)
    watch.use(open_feed(source), told_to)
    watch.run()
    watch.close()
    return table.now


# --- looks into inputs ------------------------------------------------------------------------------


@pytest.fixture
def sight():
    return LookBuilder(("Ana", "Ben"), parse_seats("left-right", ("Ana", "Ben")))


def seen(sight, look, **parts):
    return sight.build(look, look.at, **{"war": False, "camera": True, **parts})


def codes(result):
    return {player: [face.card.code for face in faces] for player, faces in result[0].faces.items()}


def test_a_card_goes_to_the_place_it_lies_in_with_all_its_readings(sight):
    result = seen(sight, look(5, card("9H", 40, p=0.6, **{"6H": 0.37}), card("KS", 120)))
    (face,) = result[0].faces["Ana"]
    assert (face.card, face.p, face.alternatives) == (Card.parse("9H"), 0.6, ((Card.parse("6H"), 0.37),))
    assert codes(result) == {"Ana": ["9H"], "Ben": ["KS"]}


def test_an_unreadable_face_is_told_with_what_it_may_be(sight):
    result = seen(sight, look(5, card("9H", 40, p=0.2, **{"6H": 0.18})))
    assert codes(result)["Ana"] == ["9H"] and result[0].faces["Ana"][0].p == 0.2


def test_the_same_table_again_is_no_news_until_told_to_forget(sight):
    first = seen(sight, look(5, card("9H", 40)))
    sight.note_told(first[0])
    assert seen(sight, look(6, card("9H", 41, p=0.96))) is None
    assert seen(sight, look(7, card("9H", 40, p=0.5))) is not None
    sight.forget()
    assert seen(sight, look(8, card("9H", 40))) is not None


def test_cards_keep_the_order_in_which_they_were_laid(sight):
    seen(sight, look(1, card("8S", 60)))
    assert codes(seen(sight, look(2, card("KC", 20), card("8S", 60)), war=True))["Ana"] == ["8S", "KC"]


def test_backs_count_only_beyond_those_that_lay_there_before_the_war(sight):
    seen(sight, look(1, card("8S", 40), back(10), back(150)))
    result = seen(sight, look(2, card("8S", 40), back(10), back(25, 60), back(28, 75), back(150)), war=True)
    assert result[0].backs_seen == {"Ana": 2, "Ben": 0} and result[0].backs is None


def test_who_has_not_moved_is_named_for_a_camera_only(sight):
    still = look(2, card("8S", 40, moved=False), card("KC", 120))
    assert seen(sight, still)[0].unmoved == {"Ana"}
    assert seen(sight, still, camera=False)[0].unmoved == frozenset()


def test_a_part_of_a_card_is_no_second_card(sight):
    assert codes(seen(sight, look(1, card("9S", 40), card("4S", 42, 43, p=0.45, found=0.5))))["Ana"] == ["9S"]


def test_a_card_nobody_can_turn_is_a_phantom_only_beside_a_surer_one(sight):
    def no_jokers(_, card):
        return 0.002 if card.code == "JOKER" else 1.0

    crowd = look(1, card("JOKER", 20, p=0.3), card("KS", 60))
    assert codes(seen(sight, crowd, expected=no_jokers))["Ana"] == ["KS"]
    assert codes(seen(sight, look(2, card("JOKER", 20, p=0.9)), expected=no_jokers))["Ana"] == ["JOKER"]


def test_two_real_cards_of_one_player_stay_two(sight):
    assert codes(seen(sight, look(1, card("9S", 20), card("KS", 60))))["Ana"] == ["9S", "KS"]


def test_what_lies_outside_every_place_is_nobodys_and_piles_show_their_tops():
    text = """
    [Ana]
    play = [[0, 0], [0.3, 0], [0.3, 1], [0, 1]]
    pile = [[0.3, 0], [0.5, 0], [0.5, 1], [0.3, 1]]
    [Ben]
    play = [[0.7, 0], [1, 0], [1, 1], [0.7, 1]]
    pile = [[0.5, 0], [0.6, 0], [0.6, 1], [0.5, 1]]
    """
    sight = LookBuilder(("Ana", "Ben"), parse_seats(text, ("Ana", "Ben")))
    result = seen(sight, look(1, card("7H", 64), card("9S", 103), card("KS", 20)))
    assert codes(result) == {"Ana": ["KS"], "Ben": []}
    assert result[0].piles == {"Ana": Card.parse("7H"), "Ben": None}
    unreadable = seen(sight, look(2, card("7H", 64, p=0.2)))
    assert unreadable[0].piles == {"Ben": None}


# --- files ------------------------------------------------------------------------------------------

GAME = [
    [card("KS", 40), card("9H", 120)],
    [card("KS", 40), card("9H", 120)],
    [],
    [card("8S", 40), card("8H", 120)],
    [card("QS", 40), card("3H", 120)],
]


def test_each_picture_of_a_folder_is_a_look(table, path, tmp_path):
    now = watched(table, pictures(tmp_path / "p", 5), GAME)
    assert now.counts == {"Ana": 32, "Ben": 20}
    assert [(line.look, line.at, line.ruling) for line in now.log] == [
        (4, 25.0, "battle_won"),
        (3, 20.0, "war_declared"),
        (1, 5.0, "battle_won"),
    ]
    assert family.load_marks(path, 1) == (5.0, 15.0, 20.0, 25.0)
    assert {ruling["model"] for ruling in family.export_session(path, 1)["rulings"]} == {"canned"}


def test_evidence_is_kept_of_looks_that_were_ruled_on(table, path, tmp_path):
    watched(table, pictures(tmp_path / "p", 5), GAME)
    stored = family.list_evidence(path, 1)
    assert {look for look, _ in stored} == {1, 3, 4}
    assert {name for look, name in stored if look == 1} == {"table", "Ana 0", "Ben 0"}
    image = cv2.imdecode(np.frombuffer(family.load_table_picture(path, 1, 1), np.uint8), cv2.IMREAD_COLOR)
    assert image.shape[:2] == (SIZE[1], SIZE[0])
    assert table.now.cards[-1].crop in stored.values()


def test_a_film_that_was_told_halfway_goes_on_where_it_stopped(table, path, tmp_path):
    source = pictures(tmp_path / "p", 5)
    watched(table, source, GAME[:4], told_to=-1.0)
    before = family.load_inputs(path, 1)
    watched(table, source, GAME, told_to=20.0)
    assert family.load_inputs(path, 1)[: len(before)] == before
    assert table.now.counts == {"Ana": 32, "Ben": 20}


def test_a_folder_without_pictures_cannot_be_watched(tmp_path):
    (tmp_path / "p").mkdir()
    with pytest.raises(VisionError, match="no pictures"):
        open_feed(str(tmp_path / "p"))


def film(path, tables, fps=10.0, seconds=2.0):
    """A film of coloured cards on a table, each table shown for so long."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, SIZE)
    for tint in tables:
        frame = np.full((SIZE[1], SIZE[0], 3), 60, np.uint8)
        frame[36:54, 34:46] = tint
        for _ in range(int(fps * seconds)):
            writer.write(frame)
    writer.release()
    return str(path)


def test_a_film_is_settled_over_its_own_time(table, tmp_path):
    source = film(tmp_path / "film.mp4", [200, 60])
    frames = [[card("KS", 40), card("9H", 120)]] * 22 + [[]]
    now = watched(table, source, frames)
    assert [line.ruling for line in now.log] == ["battle_won"]
    assert 0.5 <= now.log[0].at < 1.5
    assert table.session.state.looks == 2


def test_a_paced_film_runs_at_its_own_speed(tmp_path):
    feed = open_feed(film(tmp_path / "film.mp4", [200], seconds=0.5), paced=True)
    started, frames = time.monotonic(), 0
    while not feed.ended:
        frames += feed.next() is not None
    assert frames == 5 and time.monotonic() - started >= 0.3


def test_a_log_that_fails_stops_a_film(tmp_path):
    class Full:
        def open_session(self, *_):
            return 1

        def write(self, *_):
            raise LogError("The disk is full.")

    table = Table(Full(), Presenter(speak("en")))
    table.open(new_game("classic", ("Ana", "Ben")), "p", "left-right", live=False)
    with pytest.raises(LogError):
        watched(table, pictures(tmp_path / "p", 1), GAME)


# --- a camera ---------------------------------------------------------------------------------------


class Lens:
    """A camera whose frames a test gives out one by one."""

    live, still = True, False

    def __init__(self):
        self.frames, self.more, self.open = [], threading.Condition(), True

    def show(self, image):
        with self.more:
            self.frames.append(image)
            self.more.notify()

    def __iter__(self):
        while self.open:
            with self.more:
                self.more.wait_for(lambda: self.frames or not self.open, timeout=0.5)
                image = self.frames.pop(0) if self.frames else None
            if image is not None:
                yield Frame(image, at=0.0)

    def close(self):
        self.open = False


class Told:
    """A detector that sees what the test last said."""

    model_hash = "told"

    def __init__(self):
        self.cards = ()

    def detect(self, frame):
        return tuple(self.cards)


@pytest.fixture
def live(log):
    """A table under a camera: (table, watch, lens, detector, go), where go(seconds) lets it run."""
    table = Table(log, Presenter(speak("en")))
    table.open(new_game("classic", ("Ana", "Ben")), "0", "left-right", live=True)
    lens, detector = Lens(), Told()
    watch = Watch(table, detector, open_feed, lambda: (CameraChoice("0", "Lens"),))
    watch.use(CameraFeed("0", lens))
    grain = np.random.default_rng(1)

    def go(seconds, shade=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            lens.show(grain.integers(shade - 1, shade + 2, (SIZE[1], SIZE[0], 3), dtype=np.uint8))
            watch.once()

    yield table, watch, lens, detector, go
    watch.close()


def test_without_a_camera_the_machines_clock_tells_how_long_a_game_takes(table):
    watch = Watch(table, CannedDetector([()]), open_feed)
    for _ in range(3):
        watch.once()
    after = table.at
    assert 0.3 < after < 30
    table.show(paused=True)
    watch.once()
    assert table.at == after


def send(table, watch, act):
    answer = table.send(act)
    watch.once()
    return answer.result(timeout=1)


def test_a_camera_is_watched_in_real_time(live):
    table, _, _, detector, go = live
    detector.cards = [card("KS", 40), card("9H", 120)]
    go(1.5)
    assert table.now.verdict == "Ana takes both: king beats nine."
    assert (table.now.camera.live, table.now.camera.ok, table.now.camera.size) == (True, True, SIZE)
    number, jpeg = table.picture
    assert number > 1 and jpeg[:2] == b"\xff\xd8"
    assert table.now.cards[0].polygon


def test_the_picture_of_a_table_at_rest_comes_once_a_second_and_at_once_when_something_moves(live):
    table, watch, lens, detector, go = live
    detector.cards = [card("KS", 40), card("9H", 120)]
    go(4.5)
    number = table.picture[0]
    go(1.9)
    assert 1 <= table.picture[0] - number <= 3
    number, hand = table.picture[0], np.full((SIZE[1], SIZE[0], 3), 120, np.uint8)
    hand[20:60, 20:60] = 220
    end = time.monotonic() + 1
    while time.monotonic() < end:
        lens.show(hand := np.roll(hand, 12, axis=1))
        watch.once()
    assert table.picture[0] - number >= 3


def test_a_paused_table_sees_nothing_and_says_so(live):
    table, watch, _, detector, go = live
    send(table, watch, Pause(True))
    detector.cards = [card("KS", 40), card("9H", 120)]
    go(1.2)
    assert (table.now.log, table.now.paused, table.now.chip_text) == ((), True, "Paused")
    send(table, watch, Pause())
    go(1.5)
    assert table.now.counts["Ana"] == 27


def test_a_black_picture_clears_no_table_and_is_blindness(live, path):
    table, _, _, detector, go = live
    detector.cards = [card("KS", 40)]
    go(1.2)
    detector.cards = []
    go(2.6, shade=2)
    assert table.now.chip is not None and table.now.camera.message.startswith("The picture is black")
    assert table.status.phase is Phase.LOST
    detector.cards = [card("KS", 40)]
    go(2.0)
    assert [sorted(entry)[-1] for entry in family.load_inputs(path, 1)[1:2]] == ["blind"]
    assert [line.ruling for line in table.now.log] == ["blind"]


def test_without_a_page_a_black_picture_is_told_on_the_terminal_once(log):
    table, lens, said = Table(log, Presenter(speak("en"))), Lens(), []
    table.open(new_game("classic", ("Ana", "Ben")), "0", "left-right", live=True)
    watch = Watch(table, Told(), open_feed, shown=False, tell=said.append)
    watch.use(CameraFeed("0", lens))
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        lens.show(np.full((SIZE[1], SIZE[0], 3), 2, np.uint8))
        watch.once()
    watch.close()
    assert said == ["The picture is black: open the lid."]


def test_a_correction_stands_though_the_camera_still_sees_it_wrong(live):
    table, watch, _, detector, go = live
    detector.cards = [card("6S", 40), card("8H", 120)]
    go(1.2)
    assert table.now.counts["Ben"] == 27
    send(table, watch, correct_look(1, {"Ana": ("9S",)}))
    send(table, watch, ResetWatching())
    go(1.2)
    assert table.now.counts["Ana"] == 27


def test_a_new_game_is_seen_from_its_own_beginning(live):
    table, watch, _, detector, go = live
    detector.cards = [card("KS", 40), card("9H", 120)]
    go(1.2)
    send(table, watch, NewGame("classic", ("Cai", "Dan")))
    go(1.2)
    assert table.now.counts == {"Cai": 27, "Dan": 25}
    assert table.now.log[0].at < 1.5


def test_a_new_game_that_is_refused_leaves_the_sample_game_as_it_is(live):
    table, watch, _, _, go = live
    table.show(demo=True)
    go(0.4)
    with pytest.raises(Refused, match="their own name"):
        send(table, watch, NewGame("classic", ("Ana", "ana")))
    assert table.now.demo and not watch.ended


def test_a_game_begun_from_the_sample_knows_that_nobody_looks_and_offers_the_cameras_that_are_found(live):
    table, watch, _, _, _ = live
    table.show(demo=True)
    send(table, watch, NewGame("classic", ("Cai", "Dan")))
    assert (table.now.demo, table.now.camera.source, table.now.camera.ok) == (False, "", False)
    send(table, watch, ListCameras())
    end = time.monotonic() + 5
    while not table.now.camera.choices and time.monotonic() < end:
        watch.once()
    assert table.now.camera.choices == (CameraChoice("0", "Lens"),)


def test_a_game_begun_while_a_camera_is_looked_for_shows_its_own_sentence(live):
    table, watch, _, _, _ = live
    table.leave()
    table.show(trouble="Looking for a camera ...")
    assert table.now.verdict == "Looking for a camera ..."
    send(table, watch, NewGame("classic", ("Cai", "Dan")))
    assert table.now.verdict == "Turn your first cards."


def test_cameras_are_listed_and_changed(live, tmp_path):
    table, watch, _, _, go = live
    send(table, watch, ListCameras())
    go(1.2)
    assert table.now.camera.choices == (CameraChoice("0", "Lens"),)
    with pytest.raises(Refused, match="nothing called"):
        send(table, watch, SelectCamera("none.mp4"))
    assert table.now.camera.source == "0"
    source = pictures(tmp_path / "p", 1)
    send(table, watch, SelectCamera(source))
    assert (table.now.camera.source, table.now.camera.live) == (source, False)


def test_what_cannot_be_written_waits_until_it_can(live, log, path):
    table, watch, _, detector, go = live
    log._db.execute("PRAGMA busy_timeout = 50").fetchall()
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    detector.cards = [card("KS", 40), card("9H", 120)]
    go(1.2)
    assert table.now.verdict.startswith("Another program is using the log")
    assert (table.now.paused, table.now.log) == (True, ())
    other.rollback()
    send(table, watch, Pause(False))
    go(1.2)
    assert table.now.counts["Ana"] == 27


def test_a_stream_over_http_is_watched(table, tmp_path):
    _, data = cv2.imencode(".jpg", np.full((SIZE[1], SIZE[0], 3), 120, np.uint8))

    class Stream(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=b")
            self.end_headers()
            try:
                for _ in range(200):
                    self.wfile.write(b"--b\r\nContent-Type: image/jpeg\r\n\r\n" + data.tobytes() + b"\r\n")
                    time.sleep(0.02)
            except OSError:
                pass

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stream) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        watch = Watch(table, CannedDetector([[card("KS", 40), card("9H", 120)]]), open_feed)
        watch.use(open_feed(f"http://127.0.0.1:{server.server_port}/"))
        end = time.monotonic() + 5
        while not table.now.log and time.monotonic() < end:
            watch.once()
        watch.close()
        server.shutdown()
    assert table.now.counts["Ana"] == 27


def test_short_hands_are_no_blindness_and_long_ones_are():
    blindness = BlindnessDetector()
    assert [blindness.note(at, True, 2 < at < 9) for at in range(12)] == [None] * 12
    told = [blindness.note(at, True, 20 < at < 45) for at in range(12, 50)]
    assert [blind for blind in told if blind][0].since == 21


def test_a_film_that_has_ended_gives_no_more_frames(tmp_path):
    feed = open_feed(pictures(tmp_path / "p", 2))
    assert isinstance(feed, FilmFeed)
    assert [feed.next() is not None for _ in range(4)] == [True, True, False, False]
    assert feed.ended
