"""A film in front of a browser's camera: a page sends what it sees to the program, which referees it live.

The product's camera is on its own computer; a page like this one makes any phone or laptop its network camera.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.films.served import HAS_WEIGHTS, ROOT, Program, Served, _Camera, pictures
from tests.films.test_watch_live import EXPECTED, counts, told

CHROMIUM = Path("/usr/bin/chromium")
#: What the browser takes for granted of a film made of JPEGs, and how many different ones a second it is given.
CAMERA_FPS, FILM_FPS = 30, 10
#: The film runs so many times slower than it was shot: a browser and two networks share the processor here.
SLOWER = 3
#: The second of the film at which three rounds are over, and how many rulings that makes.
ENDS, RULED = 16.5, 3

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="Chromium is not installed at /usr/bin/chromium."),
    pytest.mark.skipif(not HAS_WEIGHTS, reason="the trained networks are not in models/"),
]

PAGE = b"""<!doctype html><title>camera</title><video muted playsinline></video><script>
(async () => {
  const video = document.querySelector("video"), canvas = document.createElement("canvas");
  video.srcObject = await navigator.mediaDevices.getUserMedia({ video: { width: 1280, height: 720 } });
  await video.play();
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  for (;;) {
    const began = performance.now();
    canvas.getContext("2d").drawImage(video, 0, 0);
    const jpeg = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
    await fetch("/frame", { method: "POST", body: jpeg });
    document.title = `sent ${video.currentTime.toFixed(1)}`;
    await new Promise((done) => setTimeout(done, Math.max(0, 200 - (performance.now() - began))));
  }
})().catch((error) => (document.title = String(error)));
</script>"""


class Relay(Served):
    """Hands on what a browser's camera sees; until one sends something, an empty table."""

    def __init__(self, empty: list[bytes]) -> None:
        super().__init__(empty)
        self.newest: bytes | None = None
        self.RequestHandlerClass = _Relayed

    def picture(self, turn: int) -> bytes:
        return self.newest or self.frames[turn % len(self.frames)]


class _Relayed(_Camera):
    server: Relay

    def do_GET(self) -> None:
        if self.path == "/video":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def do_POST(self) -> None:
        self.server.newest = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()


def camera_film(frames: list[bytes], path: Path) -> Path:
    """The film as Chromium's fake camera takes it: JPEGs one after another, a fixed number a second."""
    with path.open("wb") as file:
        for frame in frames:
            file.write(frame * (CAMERA_FPS // FILM_FPS * SLOWER))
    return path


@pytest.fixture(scope="module")
def frames() -> list[bytes]:
    return pictures(ROOT / "sample_images" / "classic.mp4", ENDS, FILM_FPS)


@pytest.fixture
def browser(frames: list[bytes], tmp_path: Path) -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed.")
    film = camera_film(frames, tmp_path / "film.mjpeg")
    words = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    fake = f"--use-fake-ui-for-media-stream --use-fake-device-for-media-stream --use-file-for-fake-video-capture={film}"
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=f"{words} {fake}".split())
        yield browser
        browser.close()


def test_the_film_is_what_the_browser_s_camera_shows(browser: Any, frames: list[bytes]) -> None:
    with Relay(frames[:2]) as relay:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{relay.server_port}/")
        page.wait_for_function("document.title.startsWith('sent')", timeout=60_000)
        page.wait_for_timeout(1000)
        assert relay.newest is not None
        image = cv2.imdecode(np.frombuffer(relay.newest, np.uint8), cv2.IMREAD_COLOR)
        first = cv2.imdecode(np.frombuffer(frames[0], np.uint8), cv2.IMREAD_COLOR)
    assert image.shape == first.shape
    assert abs(float(image.mean()) - float(first.mean())) < 12


def test_what_a_browser_s_camera_sees_is_refereed_as_it_plays(
    browser: Any, frames: list[bytes], tmp_path: Path
) -> None:
    game = ("--variant", "classic", "--players", "Ana,Ben", "--json", "--port", 0, "--log", tmp_path / "log.db")
    with Relay(frames[:2]) as relay, Program(tmp_path, "watch", "--source", relay.address, *game) as program:
        program.watching()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{relay.server_port}/")
        program.until(lambda now: now["counts"] == counts(EXPECTED[RULED - 1]) and now["round"] == RULED, 150)
        relay.newest = None
        page.close()
        assert program.interrupt() == (0, "")
        assert told(program.said) == EXPECTED[:RULED]
