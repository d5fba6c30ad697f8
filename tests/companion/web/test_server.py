"""The real server on a real port: endless answers, many screens, slow ones, and who may ask."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time

import pytest

from companion.web import create_app
from companion.web.server import THREADS, Server
from tests.companion.web.fake_table import VERDICT, FakeTable


@pytest.fixture
def table():
    return FakeTable(VERDICT, (1, b"j" * 200_000))


@pytest.fixture
def server(table):
    server = Server(create_app(table), 0)
    server.prepare()
    threading.Thread(target=server.serve, daemon=True).start()
    yield server
    server.stop()


def get(server, path, **headers):
    """Status and body of one request that ends."""
    line = http.client.HTTPConnection("127.0.0.1", server.bind_addr[1], timeout=5)
    try:
        line.request("GET", path, headers=headers)
        answer = line.getresponse()
        return answer.status, answer.read()
    finally:
        line.close()


def open_stream(server, path):
    """A connection that has asked for a stream, and its head as text."""
    sock = socket.create_connection(("127.0.0.1", server.bind_addr[1]), timeout=5)
    sock.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.bind_addr[1]}\r\n\r\n".encode())
    stream = sock.makefile("rb")
    head = b"".join(iter(stream.readline, b"\r\n")).decode()
    return sock, stream, head


def data(stream):
    """The next event's data."""
    while not (line := stream.readline()).startswith(b'data: {"'):
        assert line
    return json.loads(line[6:])


def wait_until(true):
    ends = time.monotonic() + 5
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_a_stream_tells_every_change_and_ends_with_its_screen(server, table):
    sock, stream, head = open_stream(server, "/events")
    assert head.startswith("HTTP/1.1 200")
    assert "Content-Type: text/event-stream" in head
    assert "Content-Security-Policy" in head
    assert "chunked" not in head
    assert data(stream)["version"] == 1
    table.show(verdict="Ben takes both.")
    assert data(stream)["verdict"] == "Ben takes both."
    stream.close()
    sock.close()
    table.show(verdict="gone")
    wait_until(lambda: table.show() or not len(server.viewers))


def test_more_screens_than_threads_leave_room_for_requests(server, table):
    screens = [open_stream(server, "/events" if n % 2 else "/picture.mjpg") for n in range(4 * THREADS)]
    began = time.monotonic()
    assert get(server, "/state")[0] == 200
    assert time.monotonic() - began < 1
    assert len(server.viewers) == len(screens)
    for sock, stream, _ in screens:
        stream.close()
        sock.close()


def test_a_slow_screen_gets_the_newest_picture_and_delays_nobody(server, table):
    slow, slow_stream, head = open_stream(server, "/picture.mjpg")
    assert "multipart/x-mixed-replace; boundary=frame" in head
    quick, quick_stream, _ = open_stream(server, "/events")
    data(quick_stream)
    for n in range(2, 40):
        table.picture = (n, b"%06d" % n * 30_000)
        time.sleep(0.01)
    table.show(verdict="Ben takes both.")
    assert data(quick_stream)["verdict"] == "Ben takes both."
    seen = []
    while not seen or seen[-1] != b"000039":
        while not (line := slow_stream.readline()).startswith(b"Content-Length"):
            assert line
        slow_stream.readline()
        seen.append(slow_stream.read(int(line.split()[1]))[:6])
    assert len(seen) < 38
    for sock, stream in ((slow, slow_stream), (quick, quick_stream)):
        stream.close()
        sock.close()


def test_only_its_own_name_is_answered(server):
    port = server.bind_addr[1]
    assert get(server, "/healthz")[0] == 200
    assert get(server, "/healthz", Host=f"localhost:{port}")[0] == 200
    for host in ("evil.example", f"evil.example:{port}", "localhost", f"localhost:{port + 1}"):
        assert get(server, "/healthz", Host=host)[0] == 403
        assert get(server, "/events", Host=host)[0] == 403
        assert get(server, "/static/page.js", Host=host)[0] == 403


def test_a_request_without_a_host_is_refused(server):
    with socket.create_connection(("127.0.0.1", server.bind_addr[1]), timeout=5) as sock:
        sock.sendall(b"GET /state HTTP/1.0\r\n\r\n")
        assert b" 403 " in sock.recv(1000).split(b"\r\n")[0]


def test_a_request_for_another_address_is_refused(server):
    port = server.bind_addr[1]
    with socket.create_connection(("127.0.0.1", port), timeout=5) as sock:
        sock.sendall(b"GET http://evil.example/state HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        assert sock.recv(1000).split(b"\r\n")[0].split()[1] in (b"400", b"403")


def test_a_taken_port_is_an_error(server):
    second = Server(create_app(FakeTable(VERDICT)), server.bind_addr[1])
    with pytest.raises(OSError):
        second.prepare()
