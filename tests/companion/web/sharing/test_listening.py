"""The shared address itself: TLS on a real port, streams that are cut, the network that changes."""

from __future__ import annotations

import hashlib
import http.client
import socket
import ssl
import time
from contextlib import suppress

import pytest

from companion.web import create_app
from companion.web.server import LARGEST_GUEST_BODY, LARGEST_PICTURE, Server
from companion.web.sharing import listening
from companion.web.sharing.admission import COOKIE
from companion.web.sharing.guests import GUESSES, Role
from companion.web.sharing.listening import CannotShare, Sharing, list_addresses, local_names
from tests.companion.web.fake_table import VERDICT, FakeTable
from tests.companion.web.sharing.network import ADDRESS, Device, shared_page, wrong


@pytest.fixture
def table():
    return FakeTable(VERDICT, (1, b"j" * 1000))


@pytest.fixture
def shared(table, tmp_path):
    with shared_page(table, tmp_path) as shared:
        yield shared


def wait_until(true):
    ends = time.monotonic() + 5
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.02)


def answers(address, port):
    with socket.socket() as trial:
        trial.settimeout(1)
        return trial.connect_ex((address, port)) == 0


def test_nothing_listens_but_the_laptop_s_own_before_and_after(table, tmp_path):
    with shared_page(table, tmp_path) as shared:
        view = shared.sharing.view
        assert answers(ADDRESS, view.port) and answers("127.0.0.1", shared.server.port)
        assert not answers("127.0.0.1", view.port) and not answers(ADDRESS, shared.server.port)
        device = Device(shared).join(Role.VIEWER)
        shared.sharing.stop()
        assert not answers(ADDRESS, view.port) and answers("127.0.0.1", shared.server.port)
        assert not shared.sharing.view.on and not shared.sharing.guests.present
        shared.sharing.start()
        assert device.ask("GET", "/state")[0] == 401
        again = shared.sharing.view
    assert not answers(ADDRESS, again.port)


def test_a_phone_finds_the_table_behind_the_page_s_port(shared):
    assert shared.server.port < shared.sharing.view.port <= shared.server.port + 8


def test_it_speaks_tls_with_the_certificate_whose_fingerprint_is_shown(shared):
    view = shared.sharing.view
    tls = ssl.create_default_context()
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((view.address, view.port)) as line, tls.wrap_socket(line) as wrapped:
        digest = hashlib.sha256(wrapped.getpeercert(binary_form=True)).hexdigest().upper()
    assert view.fingerprint.replace(":", "") == digest
    with socket.create_connection((view.address, view.port)) as line, suppress(ConnectionError):
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        line.settimeout(3)
        assert b"HTTP" not in line.recv(100)


def test_a_viewer_follows_live_and_a_referee_corrects(shared, table):
    viewer, referee = Device(shared).join(Role.VIEWER), Device(shared).join(Role.REFEREE, "Ben's tablet")
    assert viewer.ask("POST", "/undo", {"look": 9})[0] == 403 and not table.acts
    stream = viewer.open("GET", "/events")
    assert stream.status == 200
    assert referee.ask("POST", "/undo", {"look": 9}) == (200, {"ok": True, "said": "Done."})
    assert table.acts[0].by == "Ben's tablet"
    table.show(verdict="Ben takes both.")
    while b"Ben takes both." not in (line := stream.readline()):
        assert line


@pytest.mark.parametrize("path", ["/events", "/picture.mjpg"])
def test_a_removed_device_is_cut_off_at_once(shared, table, path):
    gone, stays = Device(shared).join(Role.VIEWER, "gone"), Device(shared).join(Role.VIEWER, "stays")
    stream, other = gone.open("GET", path), stays.open("GET", "/events")
    wait_until(lambda: len(shared.server.viewers) == 2)
    began = time.monotonic()
    assert shared.sharing.remove(shared.sharing.guests.present[0].number)
    with suppress(http.client.IncompleteRead):
        stream.read()
    assert time.monotonic() - began < 1
    wait_until(lambda: len(shared.server.viewers) == 1)
    assert gone.ask("GET", "/state")[0] == 401
    table.show(verdict="Ben takes both.")
    while b"Ben takes both." not in (line := other.readline()):
        assert line


def test_a_device_that_reads_nothing_is_cut_off_too(shared, table):
    table.picture = (1, b"j" * 5_000_000)
    gone = Device(shared).join(Role.VIEWER)
    gone.open("GET", "/picture.mjpg")
    wait_until(lambda: shared.server.viewers)
    time.sleep(0.3)
    shared.sharing.remove(shared.sharing.guests.present[0].number)
    wait_until(lambda: not shared.server.viewers)


def test_guesses_are_limited_and_those_inside_stay_inside(shared):
    inside = Device(shared).join(Role.REFEREE)
    stranger = Device(shared)
    answers = [stranger.ask("GET", wrong("2222-2222")) for _ in range(GUESSES + 1)]
    assert [status for status, _ in answers] == [403] * GUESSES + [429]
    assert "wait a minute" in answers[-1][1]["error"]
    assert stranger.ask("POST", "/join", {"code": shared.sharing.guests.codes[Role.REFEREE]})[0] == 429
    assert inside.ask("GET", "/state")[0] == 200


@pytest.mark.parametrize(
    ("role", "size", "read"),
    [
        (None, LARGEST_GUEST_BODY + 1, False),
        (Role.REFEREE, LARGEST_GUEST_BODY + 1, False),
        (Role.CAMERA, LARGEST_PICTURE + 1, False),
        (Role.CAMERA, LARGEST_PICTURE, True),
    ],
)
def test_no_more_is_read_of_a_body_than_the_device_may_send(shared, role, size, read):
    device = Device(shared) if role is None else Device(shared).join(role)
    view = shared.sharing.view
    head = f"POST /phone/picture HTTP/1.1\r\nHost: {view.address}:{view.port}\r\nContent-Length: {size}\r\n"
    with socket.create_connection((view.address, view.port)) as line, device.tls.wrap_socket(line) as wrapped:
        wrapped.sendall(f"{head}Cookie: {COOKIE}={device.token}\r\n\r\n".encode())
        wrapped.settimeout(0.5)
        if read:
            with pytest.raises(TimeoutError):
                wrapped.recv(100)
        else:
            assert b" 400 " in wrapped.recv(100)


def test_joining_again_with_another_code_replaces_the_device(shared):
    device = Device(shared).join(Role.VIEWER)
    old = device.token
    device.join(Role.REFEREE)
    assert device.token != old and [one.role for one in shared.sharing.guests.present] == [Role.REFEREE]


def test_a_device_leaves(shared):
    device = Device(shared).join(Role.VIEWER)
    assert device.ask("POST", "/leave", {})[0] == 200
    assert device.ask("GET", "/state")[0] == 401 and not shared.sharing.guests.present


def test_another_network_is_followed(shared, monkeypatch):
    monkeypatch.setattr(listening, "_FOLLOW_S", 0.05)
    shared.sharing.start()
    before = shared.sharing.view
    device = Device(shared).join(Role.VIEWER)
    shared.sharing._addresses = lambda: ("127.0.0.3",)
    wait_until(lambda: shared.sharing.view.moved)
    view = shared.sharing.view
    assert view.address == "127.0.0.3" and not answers(ADDRESS, before.port)
    assert device.ask("GET", "/state")[0] == 200
    shared.sharing._addresses = lambda: ()
    time.sleep(0.3)
    assert shared.sharing.view.on


def test_what_keeps_it_from_being_shared_is_told(table, tmp_path):
    server = Server(create_app(table, keys=tmp_path), 0)
    server.prepare()
    here = server._sharing
    here._addresses = lambda: ()
    for sharing, address, key in (
        (Sharing(None), "", "unable"),
        (here, "", "no_network"),
        (here, ADDRESS, "no_network"),
    ):
        with pytest.raises(CannotShare, match=key):
            sharing.start(address)
    here._addresses = lambda: (ADDRESS,)
    with pytest.raises(CannotShare, match="no_port"):  # the server does not run yet
        here.start()
    assert not here.view.on and not here.guests.codes
    server.stop()


def test_own_addresses_and_names_are_those_others_can_reach():
    assert all(not address.startswith(("127.", "169.254.")) for address in list_addresses())
    assert all(name == name.lower() for name in local_names())
