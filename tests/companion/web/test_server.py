"""The real server on a real port: endless answers, many screens, slow ones, and who may ask."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager

import pytest

from companion.web import create_app
from companion.web.server import LARGEST_BODY, LARGEST_HEAD, WORKERS, Server
from tests.companion.web.fake_table import VERDICT, FakeTable


@pytest.fixture
def table():
    return FakeTable(VERDICT, (1, b"j" * 200_000))


@contextmanager
def serving(table, tls=None):
    server = Server(create_app(table), 0, tls)
    server.prepare()
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(5)
        assert not thread.is_alive()


@pytest.fixture
def server(table):
    with serving(table) as server:
        yield server


def get(server, path, **headers):
    """Status and body of one request that ends."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    try:
        line.request("GET", path, headers=headers)
        answer = line.getresponse()
        return answer.status, answer.read()
    finally:
        line.close()


def open_stream(server, path):
    """A connection that has asked for a stream, its body, and its head as text."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    line.request("GET", path)
    answer = line.getresponse()
    return line, answer, f"{answer.status}\n{answer.headers}"


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
    assert head.startswith("200")
    assert "Content-Type: text/event-stream" in head
    assert "Content-Security-Policy" in head
    assert data(stream)["version"] == 1
    table.show(verdict="Ben takes both.")
    assert data(stream)["verdict"] == "Ben takes both."
    stream.close()
    sock.close()
    table.show(verdict="gone")
    wait_until(lambda: table.show() or not len(server.viewers))


def test_more_screens_than_threads_leave_room_for_requests(server, table):
    screens = [open_stream(server, "/events" if n % 2 else "/picture.mjpg") for n in range(4 * WORKERS)]
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
    port = server.port
    assert get(server, "/healthz")[0] == 200
    assert get(server, "/healthz", Host=f"localhost:{port}")[0] == 200
    for host in ("evil.example", f"evil.example:{port}", "localhost", f"localhost:{port + 1}"):
        assert get(server, "/healthz", Host=host)[0] == 403
        assert get(server, "/events", Host=host)[0] == 403
        assert get(server, "/static/page.js", Host=host)[0] == 403


def test_a_request_without_a_host_is_refused(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as sock:
        sock.sendall(b"GET /state HTTP/1.0\r\n\r\n")
        assert b" 403 " in sock.recv(1000).split(b"\r\n")[0]


def test_a_request_for_another_address_is_refused(server):
    port = server.port
    with socket.create_connection(("127.0.0.1", port), timeout=5) as sock:
        sock.sendall(b"GET http://evil.example/state HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        assert sock.recv(1000).split(b"\r\n")[0].split()[1] in (b"400", b"403")


def test_a_taken_port_is_an_error(server):
    second = Server(create_app(FakeTable(VERDICT)), server.port)
    with pytest.raises(OSError):
        second.prepare()


def raw(server, data):
    """The first line of the answer to these bytes; empty where the connection is closed without one."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as sock:
        try:
            sock.sendall(data)
            return sock.recv(1000).split(b"\r\n")[0]
        except ConnectionError:
            return b""


def test_a_click_is_answered_beside_idle_and_dripping_connections(server, table):
    held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
    for n, sock in enumerate(held[:50]):
        ending = b"\r\n{" if n % 2 else b"X-Slow: "
        sock.sendall(b"POST /pause HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n" + ending)
    # Not by how quickly: all of these connections are still open, and none has said what it wants.
    assert get(server, "/state")[0] == 200
    for sock in held:
        sock.close()


def test_heads_and_bodies_have_a_limit(server, table):
    address = f"Host: 127.0.0.1:{server.port}\r\n".encode()
    assert raw(server, b"GET /state HTTP/1.1\r\n" + address + b"X-Long: " + b"a" * 20 * LARGEST_HEAD) == b""
    body = b"POST /pause HTTP/1.1\r\n" + address + b"Content-Length: %d\r\n\r\n"
    assert b" 400 " in raw(server, body % (2 * LARGEST_BODY))
    assert b" 413 " in raw(server, body % 100_000 + b" " * 100_000)
    assert not table.acts


@pytest.mark.parametrize("port", ["", "99999999999999999999", "٣"])
def test_a_host_with_a_strange_port_is_refused(server, port):
    line = raw(server, f"GET /state HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
    assert line.split()[1] in (b"400", b"403")


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate")
def test_it_speaks_tls(table, tmp_path):
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    made += ["-keyout", "key.pem", "-out", "cert.pem", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    with serving(table, tls) as server:
        trusting = ssl.create_default_context(cafile=tmp_path / "cert.pem")
        line = http.client.HTTPSConnection("localhost", server.port, timeout=5, context=trusting)
        line.request("POST", "/pause", "{}", {"Origin": f"https://localhost:{server.port}"})
        assert line.getresponse().status == 200
        line.close()
        for origin in (f"http://localhost:{server.port}", "https://evil.example"):
            line.request("POST", "/pause", "{}", {"Origin": origin})
            assert line.getresponse().status == 403
            line.close()
