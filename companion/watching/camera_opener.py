"""Opening a camera beside the loop: a driver may block for ever, and nobody at the table has to wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from companion.table.requests import Refused
from companion.table.snapshot import CameraChoice
from companion.watching.feeds import Feed
from vision.types import VisionError

#: Seconds that whoever chose a camera is kept waiting for it; it may still come later.
_PATIENCE_S = 0.8


class Chooser:
    """The source that was asked for last, and the cameras there are. What comes of other sources is let go."""

    def __init__(
        self,
        opening: Callable[[str], Feed],
        cameras: Callable[[], tuple[CameraChoice, ...]],
        begin: Callable[[Feed], None],
    ) -> None:
        """`opening` opens a source by its words, `begin` is given what was opened."""
        self.found: tuple[CameraChoice, ...] = ()
        self._open, self._cameras, self._begin = opening, cameras, begin
        self._opening: _Opening | None = None

    def begin(self, opening: Callable[[], Feed], failed: Callable[[VisionError], None]) -> None:
        """Begin to open; `look_after` calls `failed` where nothing comes of it."""
        self.close()
        self._opening = _Opening(opening, failed)

    def choose(self, source: str, failed: Callable[[VisionError], None]) -> bool:
        """Open a source, and begin with it where it answers soon; False where it does not. Raises Refused."""
        self.begin(lambda: self._open(source), failed)
        try:
            return self._take(_PATIENCE_S)
        except VisionError as error:
            raise Refused(str(error)) from None

    def look_after(self) -> None:
        """Begin with what has been opened meanwhile, or tell why it could not be."""
        opening = self._opening
        try:
            self._take(0)
        except VisionError as error:
            if opening is not None:
                opening.failed(error)

    def _take(self, seconds: float) -> bool:
        opening = self._opening
        if opening is None:
            return False
        opening.thread.join(seconds)
        if opening.thread.is_alive():
            return False
        self._opening = None
        self._begin(opening.result())
        return True

    def list_cameras(self) -> None:
        """Look for cameras beside the loop: a busy one may take seconds to answer."""

        def look() -> None:
            self.found = self._cameras()

        threading.Thread(target=look, name="cameras", daemon=True).start()

    def close(self) -> None:
        """Nobody waits any more."""
        if self._opening is not None:
            self._opening.give_up()
        self._opening = None


class _Opening:
    """One source being opened in a thread of its own."""

    def __init__(self, opening: Callable[[], Feed], failed: Callable[[VisionError], None]) -> None:
        self.failed = failed
        self._feed: Feed | None = None
        self._error: Exception | None = None
        self._lock, self._unwanted = threading.Lock(), False
        self.thread = threading.Thread(target=self._run, args=(opening,), name="opening", daemon=True)
        self.thread.start()

    def _run(self, opening: Callable[[], Feed]) -> None:
        try:
            feed = opening()
        except Exception as error:  # raised again by whoever asks for the feed
            self._error = error
            return
        with self._lock:
            self._feed = feed
            unwanted = self._unwanted
        if unwanted:
            feed.close()

    def result(self) -> Feed:
        """What was opened. Raises VisionError where nothing came of it."""
        if self._feed is None:
            raise self._error or VisionError("Nothing was opened.")
        return self._feed

    def give_up(self) -> None:
        """Let go of it, now or as soon as it is open."""
        with self._lock:
            self._unwanted, feed = True, self._feed
        if feed is not None:
            feed.close()
