"""Who may ask: tokens, origins, names of hosts, and what browsers are told."""

from __future__ import annotations

import logging

import pytest

from tests.server.serving import FakeParser, serving

SITE = "https://example.org"


@pytest.fixture(scope="module")
def guarded():
    with serving({"fake": FakeParser()}, token="open sesame", cors=(SITE,)) as client:
        yield client


def test_a_token_is_asked_for(guarded):
    for given in (
        {},
        {"Authorization": "Bearer open"},
        {"Authorization": "Bearer \xe9"},
        {"Authorization": "Basic eDp5"},
    ):
        refused = guarded.get("/api/models", **given)
        assert refused.error == "401 unauthorized"
        assert refused.headers["www-authenticate"] == "Bearer"
        assert b"sesame" not in refused.body
    assert guarded.get("/api/models", Authorization="Bearer open sesame").status == 200
    assert guarded.parse(text="One.").error == "401 unauthorized"
    assert guarded.get("/metrics").error == "401 unauthorized"
    assert guarded.get("/process?data=a&parser").error == "401 unauthorized"
    assert guarded.get("/openapi.json").error == "401 unauthorized"


def test_a_large_request_without_a_token_hears_why(guarded):
    assert guarded.parse(text="a" * 8_000_000).error == "401 unauthorized"


@pytest.mark.parametrize("path", ["/", "/page/index.html", "/live", "/ready"])
def test_the_page_needs_no_token(guarded, path):
    assert guarded.get(path).status == 200


def test_other_origins_may_ask_only_if_they_are_named(client, guarded):
    assert client.parse(text="a").status == 200
    assert client.post("/api/parse", {"text": "a"}, Origin=SITE).error == "403 forbidden"
    assert client.post("/api/parse", {"text": "a"}, Origin="null").error == "403 forbidden"
    own = f"http://127.0.0.1:{client.port}"
    answer = client.post("/api/parse", {"text": "a"}, Origin=own)
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers
    allowed = guarded.get("/api/models", Origin=SITE, Authorization="Bearer open sesame")
    assert allowed.status == 200
    assert allowed.headers["access-control-allow-origin"] == SITE
    assert guarded.get("/api/models", Origin="https://evil.example", Authorization="Bearer open sesame").status == 403


def test_browsers_ask_first(guarded, client):
    asked = {"Origin": SITE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    answer = guarded.ask("OPTIONS", "/api/parse", **asked)
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == SITE
    assert client.ask("OPTIONS", "/api/parse", **asked).error == "403 forbidden"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8080", "[::1]:8080", "192.168.1.2:80"])
def test_names_that_nobody_else_owns(client, host):
    assert client.get("/api/models", Host=host).status == 200


@pytest.mark.parametrize(
    "host", ["rebound.example", "localhost.example:8080", "a@127.0.0.1.example", "[::1", "", "[x]"]
)
def test_names_that_others_own_are_refused(client, guarded, host):
    assert client.get("/api/models", Host=host).status in (400, 403)
    assert guarded.get("/api/models", Host="rebound.example", Authorization="Bearer open sesame").status == 200


def test_every_answer_has_strict_headers(client):
    for answer in (
        client.get("/"),
        client.get("/nothing"),
        client.parse(text="a"),
        client.parse(),
        client.get("/live"),
    ):
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
    for answer in (client.parse(text="a"), client.parse(text="a", stream=True), client.parse()):
        assert answer.headers["cache-control"] == "no-store"


def test_the_page_is_cached_until_it_changes(client):
    first = client.get("/page/index.html")
    assert first.headers["content-type"] == "text/html; charset=utf-8"
    assert first.body == client.get("/").body
    again = client.get("/page/index.html", **{"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


def test_requests_are_logged_without_what_they_say(client, caplog):
    with caplog.at_level(logging.INFO, "treewright.server.access"):
        client.parse(text="my secret")
        client.get("/process?data=my+secret")
        client.get("/x%0d%0afake%1b[31m")
    lines = [record.getMessage() for record in caplog.records]
    assert any('"POST /api/parse" 200 ' in line for line in lines)
    assert "secret" not in caplog.text
    assert all(line.isprintable() for line in lines)


def test_what_happens_is_counted(client):
    def counted(line):
        text = client.get("/metrics").body.decode()
        return next((float(one.rpartition(" ")[2]) for one in text.splitlines() if one.startswith(line + " ")), 0.0)

    names = ('treewright_requests_total{path="/api/parse",status="200"}', "treewright_words_total")
    before = [counted(name) for name in names]
    client.parse(text="The dog sleeps .")
    assert [counted(name) for name in names] == [before[0] + 1, before[1] + 4]
    client.get('/"\\evil')
    text = client.get("/metrics").body.decode()
    assert "evil" not in text
    assert client.get("/metrics").headers["content-type"].startswith("text/plain")
    for line in text.splitlines():
        assert line.startswith("# ") or len(line.rsplit(" ", 1)) == 2
