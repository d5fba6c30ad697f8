"""Only this computer's own pages may speak to the program."""

from __future__ import annotations

import pytest

from companion.web import create_app
from tests.companion.web.fake_table import VERDICT, FakeTable

PORT = 8765
FOREIGN_HOSTS = [
    "evil.example",
    f"evil.example:{PORT}",
    "127.0.0.1",
    "127.0.0.1:80",
    "localhost:9999",
    f"localhost.evil.example:{PORT}",
    f"127.0.0.1.evil.example:{PORT}",
    f"127.0.0.1:{PORT}@evil.example",
    f"[::2]:{PORT}",
    f"0.0.0.0:{PORT}",
    f"192.168.1.4:{PORT}",
    f"localhost:{PORT}:{PORT}",
    f"localhost:{PORT},evil.example",
    "[::1]",
    "",
]
OUR_HOSTS = [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}"]


@pytest.fixture
def table():
    return FakeTable(VERDICT, (1, b"jpeg"))


@pytest.fixture
def browser(table):
    app = create_app(table)
    app.config["PORT"] = PORT
    return app.test_client()


def routes(table):
    """Every address of the application with every method it takes, and some it does not have."""
    for rule in create_app(table).url_map.iter_rules():
        path = rule.rule.replace("<int:number>", "1").replace("<int:look>", "1").replace("<path:filename>", "page.css")
        yield from ((method, path) for method in rule.methods or ())
    yield from (("GET", "/nowhere"), ("POST", "/nowhere"), ("PUT", "/undo"), ("DELETE", "/"))


ROUTES = sorted(set(routes(FakeTable(VERDICT))))


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_foreign_host_is_refused_everywhere(browser, table, method, path):
    answer = browser.open(path, method=method, headers={"Host": f"evil.example:{PORT}"})
    assert answer.status_code == 403
    assert not table.acts


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_what_is_foreign(browser, table, host):
    assert browser.get("/", environ_overrides={"HTTP_HOST": host}).status_code == 403
    assert browser.post("/undo", environ_overrides={"HTTP_HOST": host}).status_code == 403
    assert not table.acts


@pytest.mark.parametrize("host", OUR_HOSTS)
def test_what_is_ours(browser, table, host):
    assert browser.get("/", environ_overrides={"HTTP_HOST": host}).status_code == 200
    assert browser.get("/static/page.css", environ_overrides={"HTTP_HOST": host}).status_code == 200
    ours = {"HTTP_HOST": host, "HTTP_ORIGIN": f"http://{host}"}
    assert browser.post("/undo", environ_overrides=ours).status_code == 200
    assert len(table.acts) == 1


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        f"http://evil.example:{PORT}",
        "null",
        "http://localhost:3000",
        f"https://localhost:{PORT}",
        "",
        "http://localhost",
    ],
)
@pytest.mark.parametrize("path", sorted({path for method, path in ROUTES if method == "POST"}))
def test_a_foreign_origin_changes_nothing(browser, table, origin, path):
    sent = {"HTTP_HOST": f"localhost:{PORT}", "HTTP_ORIGIN": origin}
    assert browser.post(path, json={"look": 1, "by": "Ana"}, environ_overrides=sent).status_code == 403
    assert not table.acts


def test_pages_carry_their_guards(browser):
    headers = browser.get("/", environ_overrides={"HTTP_HOST": OUR_HOSTS[0]}).headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("page", ["/", "/screen", "/log", "/sessions", "/new-game", "/correct?look=9"])
def test_nothing_comes_from_elsewhere(browser, page):
    html = browser.get(page, environ_overrides={"HTTP_HOST": OUR_HOSTS[0]}).get_data(as_text=True)
    assert "https://" not in html
    assert "http://" not in html.replace('placeholder="http://…"', "")
    assert " style=" not in html
    assert "<script>" not in html
