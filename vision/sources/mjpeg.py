"""Network cameras that send pictures one after another over http (MJPEG).

Every answer and every picture has a budget of seconds and bytes: a camera that trickles is lost, not waited for.
"""

from __future__ import annotations

import base64
import http.client
import io
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import IO, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from vision.images import decode_picture
from vision.types import Frame, VisionError

#: Seconds for an answer's whole head, with all redirections: with the program's start within five.
HEAD_LIMIT_S = 3.0
#: Seconds for each whole picture; later the stream counts as lost.
STALL_LIMIT_S = 4.0
#: Bytes of an answer's whole head.
_MOST_HEAD_BYTES = 1_000_000
#: Nothing a camera sends as one picture is larger; more is not a picture stream.
MOST_BYTES = 20_000_000
#: Seconds between requests where an address gives one picture at a time.
SNAPSHOT_EVERY_S = 0.2


class MjpegStream:
    """A stream of JPEG pictures, or an address that gives one picture at each request."""

    live = True
    still = False

    def __init__(self, spec: str, stall_limit_s: float = STALL_LIMIT_S) -> None:
        """Connect; VisionError where nothing answers in time or what answers is no picture stream."""
        self._spec, self._name, self._limit_s = spec, hide_password(spec), stall_limit_s
        self._started = time.monotonic()
        self._open = True
        #: Asked at each picture that comes: is it to be decoded? None: all are.
        self.wanted: Callable[[], bool] | None = None
        self._response = self._connect()
        self._kind = self._response.headers.get_content_type()
        if not self._kind.startswith(("multipart/", "image/")):
            self._response.close()
            raise VisionError(
                f"{self._name} sends {self._kind}, not pictures: give the address of the camera's MJPEG stream itself."
            )

    @staticmethod
    def claims(spec: str) -> bool:
        """An http or https address."""
        return spec.lower().startswith(("http://", "https://"))

    def _connect(self) -> http.client.HTTPResponse:
        limit_s = min(HEAD_LIMIT_S, self._limit_s)
        self._budget = _ReadBudget(limit_s, _MOST_HEAD_BYTES)
        # A camera at home is never behind the proxy that the rest of the computer may use.
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), _HttpHandler(self._budget), _HttpsHandler(self._budget)
        )
        try:
            response: http.client.HTTPResponse = opener.open(_request(self._spec), timeout=limit_s)
        except urllib.error.HTTPError as error:
            hint = "give name and password as http://name:password@…" if error.code == 401 else "check its address"
            reason = str(error.reason).strip().partition("\n")[0].rstrip(".")
            raise VisionError(f"The camera at {self._name} refuses ({error.code} {reason:.100}): {hint}.") from None
        except (OSError, http.client.HTTPException, ValueError):
            raise VisionError(
                f"The stream {self._name} does not answer: check its address and that the camera is on."
            ) from None
        return response

    def __iter__(self) -> Iterator[Frame]:
        """Yield pictures as they come, leaving out damaged ones; VisionError when the stream stalls or breaks."""
        unreadable_since: float | None = None
        try:
            for data in self._pictures():
                # Decoding and whoever takes the picture are not on the camera's account.
                self._budget.renew(self._limit_s, 2 * MOST_BYTES)
                if self.wanted is not None and not self.wanted():
                    continue
                image = decode_picture(data)
                if image is None:
                    unreadable_since = unreadable_since or time.monotonic()
                    if time.monotonic() - unreadable_since > self._limit_s:
                        break
                else:
                    unreadable_since = None
                    yield Frame(image, at=time.monotonic() - self._started)
                    self._budget.renew(self._limit_s, 2 * MOST_BYTES)
        except (OSError, http.client.HTTPException, ValueError, AttributeError, OverflowError):
            # A closed response raises two of these when it is read on, a chunk of 2^64 bytes the last.
            pass
        finally:
            self._response.close()
        if self._open:
            raise VisionError(f"The stream {self._name} gives no more pictures: check the camera and the network.")

    def _pictures(self) -> Iterator[bytes]:
        self._budget.renew(self._limit_s, 2 * MOST_BYTES)
        if self._kind.startswith("multipart/"):
            yield from read_parts(self._response, self._response.headers.get_boundary() or "")
            return
        while self._open:
            yield self._response.read(MOST_BYTES)
            time.sleep(SNAPSHOT_EVERY_S)
            self._response = self._connect()
            self._budget.renew(self._limit_s, 2 * MOST_BYTES)

    def close(self) -> None:
        """Stop after the picture being read."""
        self._open = False


class _ReadBudget:
    """Seconds and bytes that may still be read from a connection."""

    def __init__(self, limit_s: float, most_bytes: int) -> None:
        """Begin now."""
        self.renew(limit_s, most_bytes)

    def renew(self, limit_s: float, most_bytes: int) -> None:
        """Begin anew, for the next picture."""
        self._until, self._bytes = time.monotonic() + limit_s, most_bytes

    def read(self, sock: socket.socket, buffer: bytearray | memoryview) -> int:
        """Read what has come. Raises TimeoutError where time or bytes are used up."""
        remaining_s = self._until - time.monotonic()
        if remaining_s <= 0 or self._bytes <= 0:
            raise TimeoutError
        sock.settimeout(remaining_s)
        number = sock.recv_into(buffer)
        self._bytes -= number
        return number


class _BudgetReader(io.RawIOBase):
    """The answers of a socket, within a budget; closes the socket with itself."""

    def __init__(self, sock: socket.socket, budget: _ReadBudget) -> None:
        self._sock, self._budget = sock, budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        return self._budget.read(self._sock, buffer)

    def close(self) -> None:
        if not self.closed:
            self._sock.close()
        super().close()


class _BudgetSocket:
    """What `http.client` uses of a socket, with reading within a budget."""

    def __init__(self, sock: socket.socket, budget: _ReadBudget) -> None:
        self._sock, self._budget, self._read = sock, budget, False

    def makefile(self, *_: object) -> io.BufferedReader:
        self._read = True
        return io.BufferedReader(_BudgetReader(self._sock, self._budget))

    def sendall(self, data: bytes) -> None:
        self._sock.sendall(data)

    def close(self) -> None:
        # The answer is read on after the connection has been let go.
        if not self._read:
            self._sock.close()


class _HttpConnection(http.client.HTTPConnection):
    def __init__(self, *words: Any, budget: _ReadBudget, **more: Any) -> None:
        super().__init__(*words, **more)
        self._budget = budget

    def connect(self) -> None:
        super().connect()
        self.sock: Any = _BudgetSocket(self.sock, self._budget)


class _HttpsConnection(http.client.HTTPSConnection):
    def __init__(self, *words: Any, budget: _ReadBudget, **more: Any) -> None:
        super().__init__(*words, **more)
        self._budget = budget

    def connect(self) -> None:
        super().connect()
        self.sock: Any = _BudgetSocket(self.sock, self._budget)


class _HttpHandler(urllib.request.HTTPHandler):
    def __init__(self, budget: _ReadBudget) -> None:
        super().__init__()
        self._budget = budget

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_HttpConnection, request, budget=self._budget)  # type: ignore[arg-type]


class _HttpsHandler(urllib.request.HTTPSHandler):
    def __init__(self, budget: _ReadBudget) -> None:
        super().__init__()
        self._budget = budget

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_HttpsConnection, request, budget=self._budget)  # type: ignore[arg-type]


def hide_password(spec: str) -> str:
    """The words of a source for a sentence that others may read, too: without the name and password in an address.

    >>> hide_password("rtsp://ana:secret@10.0.0.7/1"), hide_password("/dev/video0")
    ('rtsp://10.0.0.7/1', '/dev/video0')
    """
    return re.sub(r"(?<=://)[^/]*@", "", spec)


def _request(spec: str) -> urllib.request.Request:
    """The request for an address; a name and password in it become the header that carries them."""
    split = urlsplit(spec)
    request = urllib.request.Request(urlunsplit(split._replace(netloc=split.netloc.rpartition("@")[2])))
    if split.username:
        pair = f"{unquote(split.username)}:{unquote(split.password or '')}"
        request.add_header("Authorization", "Basic " + base64.b64encode(pair.encode()).decode())
    return request


def read_parts(stream: IO[bytes] | http.client.HTTPResponse, boundary: str) -> Iterator[bytes]:
    r"""The bodies of a multipart stream, as long as it goes on.

    >>> import io
    >>> list(read_parts(io.BytesIO(b"--b\n\none\n--b\nContent-Length: 3\n\ntwo\n--b--"), "b"))
    [b'one', b'two']
    """
    mark = b"--" + boundary.removeprefix("--").encode()
    line = stream.readline(MOST_BYTES)
    while line and line.strip() != mark + b"--":
        if not line.startswith(mark):
            line = stream.readline(MOST_BYTES)
            continue
        length = _length(stream)
        if length is not None:
            yield stream.read(length)
            line = stream.readline(MOST_BYTES)
        else:
            body, line = _until(stream, mark)
            yield body


def _length(stream: IO[bytes] | http.client.HTTPResponse) -> int | None:
    """Read a part's headers; its length, where it says one that can be true."""
    length = None
    while (line := stream.readline(MOST_BYTES)).strip():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
    return length if length is None or length <= MOST_BYTES else None


def _until(stream: IO[bytes] | http.client.HTTPResponse, mark: bytes) -> tuple[bytes, bytes]:
    """The body before the next boundary line, and that line."""
    body = bytearray()
    while line := stream.readline(MOST_BYTES):
        if line.startswith(mark) or len(body) > MOST_BYTES:
            break
        body += line
    return bytes(body).removesuffix(b"\n").removesuffix(b"\r"), line
