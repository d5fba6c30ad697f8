"""A real table and a real watching behind a page, before a camera that shows what it is told to show."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import numpy as np

from companion.log.store import Log
from companion.referee.game import new_game
from companion.table.presenter import Presenter
from companion.table.table import Table
from companion.watching.loop import Watch
from companion.web import create_app
from companion.words import speak
from vision.lab.render.decks.catalogue import made_deck
from vision.lab.render.scenes.scene import compose_rows
from vision.lab.render.scenes.surfaces import any_surface
from vision.sources.latest_frame import Health
from vision.types import Frame

SEED = 3_000_029


def laid(rows, size=(640, 480), seed=SEED):
    """A rendered picture of these rows of one made deck."""
    rng = np.random.default_rng(seed)
    return compose_rows(rng, made_deck(SEED), any_surface(rng), rows, size, 0.2)[0]


class Shown:
    """A camera before which somebody lays pictures."""

    spec, live, still, ended = "0", True, False, False

    def __init__(self, image):
        self.image, self.lost = image, False

    def next(self):
        time.sleep(0.05)
        return None if self.lost else Frame(self.image, time.monotonic())

    def health(self):
        height, width = self.image.shape[:2]
        return Health(20.0, (width, height), lost=self.lost, reason="It is unplugged." if self.lost else "")

    def close(self):
        pass


class Played:
    """The whole of it: `table`, `feed`, and a `browser` to ask with."""

    def __init__(self, table, feed, log):
        self.table, self.feed = table, feed
        self.browser = create_app(table, log).test_client()

    @property
    def packs(self):
        return self.table.now.packs

    @property
    def it(self):
        return self.packs.enrolling

    def post(self, path, status=200, **body):
        answer = self.browser.post(f"/enrol/{path}", json=body)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.json["said" if status == 200 else "error"]

    def show(self, image):
        """Lay these cards, and let the camera see them."""
        self.feed.image = image
        number = self.table.picture[0]
        # The next picture may be of the frame before.
        self.until(lambda: self.table.picture[0] > number + 1)

    def until(self, holds, seconds=60.0):
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, self.packs
            time.sleep(0.02)

    def take(self, **body):
        """A picture, and what came of it."""
        self.post("take", **body)
        self.until(lambda: not self.it or not self.it.busy)
        return self.it

    def page(self, path="/enrol"):
        answer = self.browser.get(path)
        assert answer.status_code == 200
        return answer.get_data(as_text=True)


@contextmanager
def played(folder, detector, image, camera=True) -> Iterator[Played]:
    """A game of two at a table that is watched."""
    ready, ends, made, faults = threading.Event(), threading.Event(), [], []

    def sit():
        # All in one thread, as in the program: the log is written by the one that opened it.
        with Log(folder / "family.db") as log:
            table = Table(log, Presenter(speak("en")))
            table.open(new_game("classic", ("Ana", "Ben")), "0", "left-right", live=True)
            feed = Shown(image)
            with closing(Watch(table, detector, lambda _: feed)) as watch:
                if camera:
                    watch.use(feed)
                made.append(Played(table, feed, folder / "family.db"))
                ready.set()
                while not ends.is_set():
                    watch.once()

    def run():
        try:
            sit()
        except Exception as error:
            faults.append(error)
            ready.set()

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait(30)
    try:
        yield made[0]
    finally:
        ends.set()
        thread.join()
        assert not faults, faults
