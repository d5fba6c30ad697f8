"""One call in a thread of its own, for what may block for ever: drivers, networks, long calculations."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class BackgroundCall(Generic[T]):
    """A call that runs in a daemon thread. An exception in it is raised by `result`, never by the thread."""

    def __init__(self, call: Callable[[], T], name: str, discard: Callable[[T], None] = lambda _: None) -> None:
        """Start `call` in a thread called `name`; `discard` is given a result that nobody wants any more."""
        self._call, self._discard = call, discard
        self._lock, self._unwanted = threading.Lock(), False
        self._result: list[T] = []
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether `result` would answer at once."""
        return not self._thread.is_alive()

    def result(self, limit_s: float | None = None) -> T:
        """What the call gave; waits up to `limit_s` seconds, None: for ever.

        Raises TimeoutError where it has not ended by then, and whatever the call raised.
        """
        self._thread.join(limit_s)
        if not self.done:
            raise TimeoutError
        if self._error is not None:
            raise self._error
        return self._result[0]

    def abandon(self) -> None:
        """Nobody wants the result: discard it, now or when it comes. The thread is left to itself."""
        with self._lock:
            self._unwanted = True
            result = list(self._result)
        for one in result:
            self._discard(one)

    def _run(self) -> None:
        try:
            result = self._call()
        except Exception as error:  # for whoever asks for the result
            self._error = error
            return
        with self._lock:
            self._result.append(result)
            unwanted = self._unwanted
        if unwanted:
            self._discard(result)
