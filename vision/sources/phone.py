"""A phone as the camera: its browser sends pictures to this program, which keeps only the newest of each phone.

Opened as `phone:ID:NAME`. The ID is the phone's own and stays the same; the name is for people. `phone` alone waits for
whichever is chosen.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from vision.images import decode_picture
from vision.types import Frame, VisionError

#: The source that is no phone yet.
ANY_PHONE = "phone"
_SPEC = re.compile(r"phone:(?P<phone>[a-z0-9-]{8,40})(:(?P<name>[^:\x00-\x1f]*))?")
_NO_NAME = re.compile(r"[:\x00-\x1f]")
#: Letters of a phone's name.
LONGEST_PHONE_NAME = 40
#: Seconds that whoever opens a phone waits for its next picture.
OPEN_S = 1.0
#: Seconds without a picture after which a phone counts as lost: it sends ten a second, and Wi-Fi hesitates.
STALL_S = 2.5
#: Pixels of a picture; 3840 x 2160. A phone is asked for 1920 x 1080 at most.
MOST_PIXELS = 3840 * 2160
#: Phones that are remembered; the one that has been silent longest goes first.
MOST_PHONES = 16
#: Why a phone sends nothing, as it says itself, and what helps.
_AWAY = {
    "hidden": "its screen is off or shows something else: wake it and open its page",
    "camera": "another app or a call has its camera: end that, its page goes on by itself",
    "left": "its page was closed: open it again, or scan the code anew",
}
_SILENT = "wake it, and see that it is in the same Wi-Fi"
_UNKNOWN = "share the table and scan the code for the camera with it"


@dataclass(frozen=True, slots=True)
class PhoneView:
    """One phone: what `open_source` takes for it, its name, and whether its pictures come now."""

    spec: str
    name: str
    sends: bool


@dataclass(slots=True)
class _Line:
    """The newest picture of a phone, when it came (seconds of the monotonic clock), and why none comes."""

    spec: str
    name: str = ""
    jpeg: bytes = b""
    at: float = float("-inf")
    away: str = ""
    came: threading.Condition = field(default_factory=threading.Condition)


class Phones:
    """Phones that send, or have sent, pictures. Any thread may call."""

    def __init__(self) -> None:
        """None yet."""
        self._lines: dict[str, _Line] = {}
        self._lock = threading.Lock()

    def begin(self, phone: str, name: str) -> str:
        """Expect pictures of a phone; gives the words that open it. Raises ValueError where `phone` is no ID."""
        plain = _NO_NAME.sub(" ", name).strip()[:LONGEST_PHONE_NAME]
        spec = f"phone:{phone}:{plain}"
        if not _SPEC.fullmatch(spec):
            raise ValueError(f"{phone[:50]!r} is no phone's ID")
        line = self._line(phone)
        line.spec, line.name = spec, plain
        return spec

    def push(self, phone: str, jpeg: bytes) -> bool:
        """Take the newest picture of a phone; False where it is none, or has more than MOST_PIXELS."""
        width, height = jpeg_size(jpeg)
        if not 0 < width * height <= MOST_PIXELS:
            return False
        line = self._line(phone)
        with line.came:
            line.jpeg, line.at, line.away = jpeg, time.monotonic(), ""
            line.came.notify_all()
        return True

    def leave(self, phone: str, why: str) -> None:
        """A phone says that no pictures will come, and why: a key of its reasons."""
        line = self._line(phone)
        with line.came:
            line.away = why if why in _AWAY else "left"
            line.came.notify_all()

    def list(self) -> tuple[PhoneView, ...]:
        """The phones that send or have sent pictures since the program began."""
        with self._lock:
            lines = tuple(self._lines.values())
        now = time.monotonic()
        views = (
            PhoneView(line.spec, line.name, now - line.at < STALL_S and not line.away) for line in lines if line.jpeg
        )
        return tuple(views)

    def next(self, phone: str, after: float, wait_s: float) -> tuple[bytes, float]:
        """The newest picture that came later than `after`, and when it came; waits up to `wait_s` seconds for it.

        Raises TimeoutError where none comes, at once where the phone says that none will.
        """
        line = self._line(phone)
        with line.came:
            line.came.wait_for(lambda: line.at > after or line.away, wait_s)
            if line.at <= after or line.away:
                raise TimeoutError(line.away)
            return line.jpeg, line.at

    def knows(self, phone: str) -> bool:
        """Whether the phone has sent anything since the program began."""
        return bool(self._line(phone).jpeg)

    def _line(self, phone: str) -> _Line:
        with self._lock:
            if phone not in self._lines and len(self._lines) >= MOST_PHONES:
                del self._lines[min(self._lines, key=lambda one: self._lines[one].at)]
            return self._lines.setdefault(phone, _Line(f"phone:{phone}"))


#: The phones of this program, as the system has its cameras.
PHONES = Phones()


class PhoneCamera:
    """The pictures of one phone, in real time."""

    live = True
    still = False

    def __init__(self, spec: str, phones: Phones = PHONES) -> None:
        """Wait a moment for its first picture; VisionError, saying what to do, where none comes."""
        match = _SPEC.fullmatch(spec)
        if spec == ANY_PHONE:
            raise VisionError(f"Waiting for a phone: {_UNKNOWN}.")
        if match is None:
            raise VisionError(f"{spec:.100} is no phone: pick it from the list of cameras.")
        self._phone, self._name = match["phone"], match["name"] or match["phone"]
        self._phones, self._open = phones, True
        #: Asked at each picture that comes: is it to be decoded? None: all are.
        self.wanted: Callable[[], bool] | None = None
        self._began = time.monotonic()
        self._seen = self._next(self._began - STALL_S, OPEN_S)[1] - 1e-6

    @staticmethod
    def claims(spec: str) -> bool:
        """`phone`, and everything that begins with `phone:`."""
        return spec == ANY_PHONE or spec.startswith(f"{ANY_PHONE}:")

    def __iter__(self) -> Iterator[Frame]:
        """Yield pictures as they come, leaving out damaged ones; VisionError when they stop coming."""
        good = time.monotonic()
        while self._open:
            jpeg, self._seen = self._next(self._seen, STALL_S)
            if self.wanted is not None and not self.wanted():
                continue
            image = decode_picture(jpeg)
            if image is not None:
                good = time.monotonic()
                yield Frame(image, at=self._seen - self._began)
            elif time.monotonic() - good > STALL_S:
                raise VisionError(f"The phone {self._name} sends no pictures that can be read: load its page anew.")

    def _next(self, after: float, wait_s: float) -> tuple[bytes, float]:
        try:
            return self._phones.next(self._phone, after, wait_s)
        except TimeoutError as away:
            remedy = _AWAY.get(str(away), _SILENT if self._phones.knows(self._phone) else _UNKNOWN)
            raise VisionError(f"Waiting for the phone {self._name}: {remedy}.") from None

    def close(self) -> None:
        """Stop after the picture being read."""
        self._open = False


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels that a JPEG's head says, read without decoding it; 0, 0 where it is none.

    >>> jpeg_size(bytes.fromhex("ffd8 ffe00002 ffc0 0011 08 02d0 0500 03 012200 021101 031101"))
    (1280, 720)
    >>> jpeg_size(b"GIF89a")
    (0, 0)
    """
    at = 2
    while data.startswith(b"\xff\xd8") and at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        # The frame's head, of whatever kind of JPEG; C4, C8 and CC say other things.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        at += 2 + max(2, length)
    return 0, 0
