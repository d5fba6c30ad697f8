"""Who may do what over the network: every address, every role, refused in a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.web import create_app
from companion.web.sharing.admission import CHANGES, COOKIE, FROM_NETWORK
from companion.web.sharing.guests import Role
from companion.web.sharing.listening import SharingView
from tests.companion.web.fake_table import VERDICT, FakeTable

HOST = "192.168.1.5:8766"
ORIGIN = f"https://{HOST}"


@pytest.fixture(scope="module")
def whole():
    table = FakeTable(VERDICT, (1, b"jpeg"))
    return create_app(table), table


@pytest.fixture
def table(whole):
    table = whole[1]
    table.now, table.acts = VERDICT, []
    return table


@pytest.fixture
def app(whole, table):
    here = whole[0].extensions["war-referee-sharing"]
    here.guests.open()
    here.view = SharingView("192.168.1.5", 8766)
    return whole[0]


def ask(app, method, path, role=None, host=HOST, origin=ORIGIN, token=None, **more):
    """The answer to a request over the network by a device with a role, a token, or neither."""
    guests = app.extensions["war-referee-sharing"].guests
    if role is not None:
        token = guests.join(guests.codes[role], "phone", "192.168.1.20")[0]
    environ = {FROM_NETWORK: True, "wsgi.url_scheme": "https", "HTTP_HOST": host}
    if origin is not None:
        environ["HTTP_ORIGIN"] = origin
    if token is not None:
        environ["HTTP_COOKIE"] = f"{COOKIE}={token}"
    more = {"json": {}} | more if method == "POST" else more
    return app.test_client(use_cookies=False).open(path, method=method, environ_overrides=environ, **more)


def routes():
    """Every address with every method it takes."""
    for rule in create_app(FakeTable(VERDICT)).url_map.iter_rules():
        path = rule.rule.replace("<int:number>", "1").replace("<int:look>", "1").replace("<path:filename>", "page.css")
        yield from ((method, path) for method in sorted(rule.methods or ()))


ROUTES = sorted(set(routes()))
CLOSED = [(method, path) for method, path in ROUTES if path != "/join" and not path.startswith("/static")]
CHANGING = [path for method, path in ROUTES if method == "POST" and path not in ("/join", "/leave")]


@pytest.mark.parametrize(("method", "path"), CLOSED)
def test_nothing_is_open_without_a_token(app, table, method, path):
    for token in (None, "", "stale"):
        answer = ask(app, method, path, token=token)
        assert answer.status_code == 401
        assert method == "HEAD" or ("joined any more" if token else "shared with those") in answer.text
    assert not table.acts


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_another_host_is_refused_even_with_a_token(app, table, method, path):
    for host in ("evil.example:8766", "192.168.1.5", "192.168.1.5:8765", "127.0.0.1:8766", "localhost:8766", ""):
        assert ask(app, method, path, Role.REFEREE, host=host).status_code == 403
    assert not table.acts


@pytest.mark.parametrize("path", [*CHANGING, "/join"])
@pytest.mark.parametrize("origin", ["https://evil.example", f"http://{HOST}", "null", "", None])
def test_another_origin_changes_nothing(app, table, path, origin):
    answer = ask(app, "POST", path, Role.REFEREE, origin=origin)
    assert answer.status_code == 403 and "Another page" in answer.text
    assert not table.acts


@pytest.mark.parametrize("path", CHANGING)
def test_a_viewer_changes_nothing(app, table, path):
    answer = ask(app, "POST", path, Role.VIEWER)
    assert answer.status_code == 403 and "only a referee" in answer.text
    assert not table.acts


@pytest.mark.parametrize("path", sorted({*CHANGING} - CHANGES))
def test_what_is_not_named_is_the_laptop_s_alone(app, table, path):
    answer = ask(app, "POST", path, Role.REFEREE)
    assert answer.status_code == 403 and "Only the laptop" in answer.text
    assert not table.acts


def test_what_a_referee_may_change_is_there(app):
    assert set(CHANGING) >= CHANGES


def test_a_referee_corrects_undoes_and_appeals_and_it_is_known_who(app, table):
    assert ask(app, "POST", "/undo", Role.REFEREE, json={"look": 9}).status_code == 200
    assert table.acts[-1].by == "phone"
    assert ask(app, "POST", "/correct", Role.REFEREE, json={"look": 9, "faces": {"Ana": ["9H"]}}).status_code == 200
    assert ask(app, "POST", "/appeal", Role.REFEREE, json={"look": 9, "by": "Ana"}).status_code == 200
    assert table.acts[-1].by == "Ana"


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REFEREE])
def test_whoever_has_joined_may_look(app, role):
    for path in ("/", "/screen", "/log", "/state", "/healthz", "/picture.jpg", "/new-game", "/correct?look=9"):
        assert ask(app, "GET", path, role).status_code == 200, path
    for path in ("/share", "/share/events", "/enrol", "/sessions/1.json"):
        assert ask(app, "GET", path, role).status_code == 403, path


@pytest.mark.parametrize(("method", "path"), CLOSED)
def test_a_camera_sees_and_changes_nothing_of_the_game(app, table, method, path):
    if not path.startswith("/phone") and path != "/leave":
        assert ask(app, method, path, Role.CAMERA).status_code == 403
    assert not table.acts


def test_where_the_laptop_s_files_and_cameras_are_stays_at_the_laptop(app, table):
    secret = "rtsp://ana:secret@10.0.0.7/1"
    table.now = replace(table.now, camera=replace(table.now.camera, source=secret))
    for path in ("/", "/state", "/screen"):
        assert "secret" not in ask(app, "GET", path, Role.REFEREE).text
    assert ask(app, "GET", "/state", Role.REFEREE).json["camera"]["source"] == "10.0.0.7"


def test_a_person_is_asked_for_the_code_and_a_program_is_told(app):
    page = ask(app, "GET", "/", headers={"Accept": "text/html"})
    assert page.status_code == 401 and 'name="code"' in page.text and "as-" not in page.text
    assert ask(app, "GET", "/state", headers={"Accept": "application/json"}).json["ok"] is False
