"""A film in front of a phone: its browser joins over TLS, sends what it sees, and the program referees it live."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.web.sharing.listening import list_addresses
from tests.films.served import HAS_WEIGHTS, ROOT, Program, free_port, pictures
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
    pytest.mark.skipif(not list_addresses(), reason="This computer is in no network."),
]


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


def share(program: Program, role: str) -> str:
    """Share the table at the laptop; gives the address that its code leads to."""
    program.post("share", on=True)
    return link(program, role)


def link(program: Program, role: str) -> str:
    """The address that the code of the shared table leads to."""
    with urllib.request.urlopen(f"{program.address}share?as={role}", timeout=20) as answer:
        page = answer.read().decode()
    origin, code = re.findall(r"<strong[^>]*>(https://[^<]+|[2-9A-Z]{4}-[2-9A-Z]{4})</strong>", page)[:2]
    return f"{origin}/join?code={code}"


def join(browser: Any, address: str) -> Any:
    """A phone that scans the code, takes the certificate as it is, and joins."""
    phone = browser.new_context(ignore_https_errors=True, viewport={"width": 390, "height": 844}).new_page()
    phone.goto(address)
    phone.click("form.join button")
    return phone


def test_what_a_phone_sees_is_refereed_as_it_plays_and_its_line_may_be_cut(browser: Any, tmp_path: Path) -> None:
    game = ("--variant", "classic", "--players", "Ana,Ben", "--json", "--port", 0, "--log", tmp_path / "log.db")
    with Program(tmp_path, "watch", "--source", "phone", *game) as program:
        program.until(lambda now: "Waiting for a phone" in now["camera"]["message"], 60)
        phone = join(browser, share(program, "camera"))
        phone.wait_for_selector("body[data-state=watched]", timeout=30_000)
        now = program.watching()
        assert re.fullmatch("phone:[0-9a-f]{16}:.*", now["camera"]["source"])
        assert now["camera"]["size"] == [1280, 720]
        program.until(lambda now: now["counts"] == counts(EXPECTED[0]), 60)
        phone.context.set_offline(True)
        program.until(lambda now: not now["camera"]["ok"] and "Waiting for the phone" in now["camera"]["message"], 8)
        phone.wait_for_selector("body[data-state=lost]")
        phone.context.set_offline(False)
        program.until(lambda now: now["camera"]["ok"], 8)
        phone.wait_for_selector("body[data-state=watched]")
        program.until(lambda now: now["counts"] == counts(EXPECTED[RULED - 1]) and now["round"] == RULED, 150)
        phone.context.close()
        program.until(lambda now: not now["camera"]["ok"], 8)
        assert program.interrupt() == (0, "")
        assert told(program.said) == EXPECTED[:RULED]


def test_a_phone_is_the_camera_again_after_a_restart_and_a_second_one_waits(browser: Any, tmp_path: Path) -> None:
    # The same port again, so that the phone's browser takes it for the same page.
    words = ("--port", free_port(), "--log", tmp_path / "log.db")
    with Program(tmp_path, *words) as program:
        phone = join(browser, share(program, "camera"))
        phone.wait_for_selector("body[data-state=watched]", timeout=60_000)
        second = join(browser, link(program, "camera"))
        second.wait_for_selector("body[data-state=other] #take:visible")
        program.until(lambda now: sum(one["source"].startswith("phone:") for one in now["camera"]["choices"]) == 2)
        source = program.state()["camera"]["source"]
        program.post("new-game", variant="classic", players=["Ana", "Ben"])
        second.click("#take")
        second.wait_for_selector("body[data-state=watched]")
        phone.wait_for_selector("body[data-state=other]")
        phone.click("#take")
        program.until(lambda now: now["camera"]["source"] == source and now["camera"]["ok"])
        second.context.close()
        program.kill()
    with Program(tmp_path, *words) as program:
        now = program.until(lambda now: "Waiting for the phone" in now["camera"]["message"], 60)
        assert (now["camera"]["source"], now["players"]) == (source, ["Ana", "Ben"])
        phone.goto(share(program, "camera"))
        phone.click("form.join button")
        program.until(lambda now: now["camera"]["ok"] and now["camera"]["source"] == source, 60)
        assert json.dumps(program.state()["camera"]["choices"]).count(source) == 1
