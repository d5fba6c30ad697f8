"""Network cameras that send pictures one after another over http (MJPEG), read with limits on every wait."""

from __future__ import annotations

import base64
import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import IO
from urllib.parse import unquote, urlsplit, urlunsplit

from vision.images import decode_picture
from vision.types import Frame, VisionError

#: Seconds without a byte after which a stream counts as lost, also while connecting.
STALL_LIMIT_S = 5.0
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
        self._spec, self._limit_s = spec, stall_limit_s
        self._started = time.monotonic()
        self._open = True
        #: Asked at each picture that comes: is it to be decoded? None: all are.
        self.wanted: Callable[[], bool] | None = None
        self._response = self._connect()
        self._kind = self._response.headers.get_content_type()
        if not self._kind.startswith(("multipart/", "image/")):
            self._response.close()
            raise VisionError(
                f"{spec} sends {self._kind}, not pictures: give the address of the camera's MJPEG stream itself."
            )

    @staticmethod
    def claims(spec: str) -> bool:
        """An http or https address."""
        return spec.lower().startswith(("http://", "https://"))

    def _connect(self) -> http.client.HTTPResponse:
        # A camera at home is never behind the proxy that the rest of the computer may use.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            response: http.client.HTTPResponse = opener.open(_request(self._spec), timeout=self._limit_s)
        except urllib.error.HTTPError as error:
            hint = "give name and password as http://name:password@…" if error.code == 401 else "check its address"
            raise VisionError(f"The camera at {self._spec} refuses ({error.code} {error.reason}): {hint}.") from None
        except (OSError, http.client.HTTPException, ValueError):
            raise VisionError(
                f"The stream {self._spec} does not answer: check its address and that the camera is on."
            ) from None
        return response

    def __iter__(self) -> Iterator[Frame]:
        """Yield pictures as they come, leaving out damaged ones; VisionError when the stream stalls or breaks."""
        try:
            for data in self._pictures():
                image = decode_picture(data) if self.wanted is None or self.wanted() else None
                if image is not None:
                    yield Frame(image, at=time.monotonic() - self._started)
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            pass  # a closed response raises the last two when it is read on
        finally:
            self._response.close()
        if self._open:
            raise VisionError(f"The stream {self._spec} gives no more pictures: check the camera and the network.")

    def _pictures(self) -> Iterator[bytes]:
        if self._kind.startswith("multipart/"):
            yield from read_parts(self._response, self._response.headers.get_boundary() or "")
            return
        while self._open:
            yield self._response.read(MOST_BYTES)
            time.sleep(SNAPSHOT_EVERY_S)
            self._response = self._connect()

    def close(self) -> None:
        """Stop after the picture being read."""
        self._open = False


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
