"""Live sources over a real loopback server that stalls, breaks off and sends half pictures; the newest frame."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np
import pytest

from tests.vision.cards import picture
from vision.sources import opencv
from vision.sources.devices import list_cameras, list_device_nodes
from vision.sources.latest_frame import HealthMonitor, LatestFrame
from vision.sources.mjpeg import MjpegStream
from vision.sources.open import open_source
from vision.sources.opencv import Capture, open_within
from vision.types import EVERY_S, SLACK_S, Frame, VisionError


def jpeg(seed):
    return cv2.imencode(".jpg", picture(seed))[1].tobytes()


class Server(ThreadingHTTPServer):
    """A network camera whose behaviour is a list of steps: bytes to send, or seconds to wait."""

    daemon_threads = True

    def __init__(self, steps, kind="multipart/x-mixed-replace; boundary=frame", status=200):
        super().__init__(("127.0.0.1", 0), Camera)
        self.steps, self.kind, self.status, self.asked = steps, kind, status, []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server_port}/video"

    def handle_error(self, request, client_address):
        """Clients that hang up are part of the tests."""


class Camera(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.asked.append(self.headers)
        self.send_response(server.status)
        self.send_header("Content-Type", server.kind)
        self.end_headers()
        for step in server.steps:
            if isinstance(step, bytes):
                self.wfile.write(step)
                self.wfile.flush()
            else:
                time.sleep(step)

    def log_message(self, *_):
        """Quiet."""


def part(data, length=True):
    head = b"--frame\r\nContent-Type: image/jpeg\r\n" + (b"Content-Length: %d\r\n" % len(data) if length else b"")
    return head + b"\r\n" + data + b"\r\n"


@pytest.fixture
def serve():
    servers = []

    def start(*args, **kwargs):
        servers.append(Server(*args, **kwargs))
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def frames_until_lost(source):
    frames = []
    with pytest.raises(VisionError) as error:
        for frame in source:
            frames.append(frame)
    return frames, str(error.value)


@pytest.mark.parametrize("length", [True, False])
def test_a_stream_gives_its_pictures_and_says_when_it_breaks(serve, length):
    server = serve([part(jpeg(i), length) for i in range(4)])
    frames, error = frames_until_lost(open_source(server.address))
    assert len(frames) == 4 and all(frame.size == (320, 240) for frame in frames)
    assert np.abs(frames[2].image.astype(int) - picture(2)).mean() < 10
    assert "gives no more pictures" in error


@pytest.mark.parametrize("length", [True, False])
def test_half_pictures_and_nonsense_are_left_out(serve, length):
    whole, half = jpeg(1), jpeg(2)[: len(jpeg(2)) // 2]
    steps = [
        part(whole, length),
        part(half, length),
        part(b"\xff\xd8nonsense", length),
        part(b"", length),
        part(whole, length),
    ]
    frames, _ = frames_until_lost(open_source(serve(steps).address))
    assert len(frames) == 2


def test_a_part_that_promises_more_than_it_sends_ends_the_stream(serve):
    promise = b"--frame\r\nContent-Length: 999999\r\n\r\n" + jpeg(2)[:500]
    frames, _ = frames_until_lost(open_source(serve([part(jpeg(1)), promise]).address))
    assert len(frames) == 1


def test_a_stalled_stream_is_given_up_in_time(serve):
    source = MjpegStream(serve([part(jpeg(1)), part(jpeg(2))[:200], 3.0]).address, stall_limit_s=0.3)
    started = time.monotonic()
    frames, _ = frames_until_lost(source)
    assert len(frames) == 1 and time.monotonic() - started < 1.5


def test_an_address_that_gives_single_pictures_is_asked_again(serve):
    server = serve([jpeg(1)], kind="image/jpeg")
    source = open_source(server.address)
    frames = [frame for _, frame in zip(range(3), source, strict=False)]
    assert len(frames) == 3 and len(server.asked) >= 3


def test_a_web_page_is_no_stream(serve):
    with pytest.raises(VisionError, match="text/html, not pictures"):
        open_source(serve([b"<html>"], kind="text/html").address)


def test_a_password_in_the_address_is_sent_and_a_refusal_explained(serve):
    server = serve([part(jpeg(1))])
    frames_until_lost(open_source(server.address.replace("//", "//ana:se%40cret@")))
    assert server.asked[0]["Authorization"] == "Basic YW5hOnNlQGNyZXQ="
    with pytest.raises(VisionError, match="name:password"):
        open_source(serve([], status=401).address)


@pytest.mark.parametrize("spec", ["http://127.0.0.1:9/", "http://[bad/", "rtsp://127.0.0.1:9/x", "/dev/video77", "77"])
def test_what_does_not_answer_is_said_in_one_sentence(spec):
    with pytest.raises(VisionError) as error:
        open_source(spec)
    assert str(error.value).endswith(".") and "\n" not in str(error.value)


def test_opening_that_blocks_is_given_up():
    def blocked():
        time.sleep(1)
        return cv2.VideoCapture()

    started = time.monotonic()
    assert open_within(0.2, blocked) is None
    assert time.monotonic() - started < 0.8


class SlowCamera:
    """A camera that takes its time to open and for each setting, as some drivers do."""

    def __init__(self, *_, step_s=0.3, has=None, backend="MSMF"):
        time.sleep(step_s)
        self.step_s, self.has, self.backend, self.set_to = step_s, has or {}, backend, []

    def isOpened(self):
        return True

    def getBackendName(self):
        return self.backend

    def get(self, setting):
        return self.has.get(setting, 0.0)

    def set(self, setting, value):
        time.sleep(self.step_s)
        self.set_to.append(setting)
        return True

    def release(self):
        pass


def test_a_camera_that_opens_slowly_is_waited_for_as_long_as_it_shows_signs_of_life(monkeypatch):
    monkeypatch.setattr(opencv.cv2, "VideoCapture", SlowCamera)
    monkeypatch.setattr(opencv, "OPEN_LIMIT_S", 0.5)
    assert opencv.Camera("3").live
    monkeypatch.setattr(opencv, "OPEN_LIMIT_S", 0.2)
    with pytest.raises(VisionError, match="in use|does not answer"):
        opencv.Camera("3")


@pytest.mark.parametrize(
    ("backend", "has", "set_to"),
    [
        ("MSMF", {}, [cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT]),
        ("MSMF", {cv2.CAP_PROP_FRAME_WIDTH: 1280.0, cv2.CAP_PROP_FRAME_HEIGHT: 720.0}, []),
        ("V4L2", {cv2.CAP_PROP_FRAME_WIDTH: 1280.0, cv2.CAP_PROP_FRAME_HEIGHT: 720.0},
         [cv2.CAP_PROP_FOURCC, cv2.CAP_PROP_BUFFERSIZE]),
    ],
)  # fmt: skip
def test_only_what_differs_is_set(monkeypatch, backend, has, set_to):
    monkeypatch.setattr(opencv.cv2, "VideoCapture", lambda *_: SlowCamera(step_s=0.0, has=has, backend=backend))
    assert opencv.open_camera("3").set_to == set_to


def test_the_newest_frame_survives_a_lost_stream(serve):
    server = serve([part(jpeg(i)) for i in range(3)])
    with LatestFrame(lambda: MjpegStream(server.address), back_off_s=(0.1,)) as watching:
        first = watching.frame(timeout=5)
        assert first is not None
        deadline = time.monotonic() + 5
        while len(server.asked) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        later = watching.frame(after=first, timeout=5)
        assert later is not None and later.at > first.at
    assert len(server.asked) >= 3
    assert watching.frame(timeout=0.1) is None


def test_only_the_newest_frame_is_kept(serve):
    server = serve([step for i in range(29) for step in (part(jpeg(i)), 0.01)] + [0.2, part(jpeg(29)), 5.0])
    with LatestFrame(lambda: MjpegStream(server.address)) as watching:
        frame = watching.frame(timeout=5)
        time.sleep(1.0)
        frame = watching.frame(after=frame, timeout=1)
        assert frame is not None and np.abs(frame.image.astype(int) - picture(29)).mean() < 10
        assert watching.frame(after=frame, timeout=0.05) is None
        assert watching.health.frames_per_s > 10 and watching.health.sees


def test_pictures_that_come_faster_than_anybody_looks_are_not_decoded(serve, monkeypatch):
    decoded = []
    decode = lambda data: decoded.append(data) or picture(len(decoded))  # noqa: E731
    monkeypatch.setattr("vision.sources.mjpeg.decode_picture", decode)
    server = serve([step for i in range(40) for step in (part(b"%d" % i), 0.02)] + [5.0])
    with LatestFrame(lambda: MjpegStream(server.address)) as watching:
        times = [frame.at for frame in frames_of(watching, decoded, until=35)]
        assert min(b - a for a, b in zip(times, times[1:], strict=False)) >= EVERY_S - SLACK_S
        assert len(decoded) <= 15 and watching.health.frames_per_s > 15


def frames_of(watching, decoded, until):
    frame, ends = None, time.monotonic() + 10
    while int(decoded[-1] if decoded else 0) < until and time.monotonic() < ends:
        later = watching.frame(after=frame, timeout=0.5)
        if later is not None and later is not frame:
            frame = later
            yield frame


@pytest.mark.parametrize("wanted", [True, False])
def test_a_camera_is_emptied_of_pictures_that_nobody_wants(wanted):
    class Device:
        grabbed = retrieved = 0

        def grab(self):
            self.grabbed += 1
            return self.grabbed <= 5

        def retrieve(self):
            self.retrieved += 1
            return True, picture(1)

        def release(self):
            pass

    camera = Capture(device := Device(), "The camera is gone.")
    camera.wanted = lambda: wanted or device.grabbed == 5
    frames, error = frames_until_lost(camera)
    assert error == "The camera is gone." and device.grabbed == 6
    assert len(frames) == device.retrieved == (5 if wanted else 1)


def test_a_source_that_never_opens_is_lost_with_its_reason():
    def opening():
        raise VisionError("There is no camera 7.")

    with LatestFrame(opening) as watching:
        time.sleep(0.1)
        assert watching.health.lost and watching.health.reason == "There is no camera 7."
        assert watching.frame(timeout=0.05) is None


def test_the_pulse_tells_black_frozen_and_silent_pictures():
    pulse, dark = HealthMonitor(), np.zeros((240, 320, 3), dtype=np.uint8)
    for i in range(60):
        pulse.beat(Frame(picture(i), at=i / 10))
    assert pulse.health(6.0).sees and pulse.health(6.0).frames_per_s == pytest.approx(10)
    for i in range(60, 100):
        pulse.beat(Frame(dark, at=i / 10))
    health = pulse.health(9.9)
    assert health.black and health.frozen and not health.sees and health.since == pytest.approx(9.0)
    silent = pulse.health(30.0)
    assert silent.lost and silent.since == pytest.approx(9.9)
    pulse.lose("Gone.", 31.0)
    assert pulse.health(32.0).reason == "Gone." and pulse.health(32.0).since == 31.0


def test_cameras_are_listed_by_the_names_of_the_system(tmp_path):
    for node, name, index in (("video0", "HD Webcam", "0"), ("video1", "HD Webcam", "1"), ("video10", "Phone", "0")):
        (tmp_path / node).mkdir()
        (tmp_path / node / "name").write_text(name + "\n")
        (tmp_path / node / "index").write_text(index + "\n")
    assert list_device_nodes(tmp_path) == {0: "HD Webcam", 10: "Phone"}
    assert list_device_nodes(tmp_path / "none") == {}


def test_a_listed_camera_that_does_not_answer_stays_in_the_list(tmp_path):
    (tmp_path / "video93").mkdir()
    (tmp_path / "video93" / "name").write_text("Busy one")
    (camera,) = list_cameras(system_list=tmp_path)
    assert (camera.index, camera.name, camera.answers) == (93, "Busy one", False)
