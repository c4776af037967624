"""The annotator over HTTP: every action answers with the sentence as it is then, and nobody else may ask."""

import json
from contextlib import contextmanager
from urllib.parse import quote

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.server.serving import serving
from treewright.server.annotation.retraining import Retraining
from treewright.server.annotation.routes import annotation_routes
from treewright.server.annotation.session import Session
from treewright.treebank import read, write

ROOT = "/api/annotate"


@pytest.fixture
def path(tmp_path, ewt):
    path = tmp_path / "bare.conllu"
    chosen = [s for s in ewt if 4 <= len(s) <= 12][:6]
    write([s.replace(heads=[-1] * len(s), deprels=["_"] * len(s)) for s in chosen], path)
    return path


@pytest.fixture
def session(path, log_linear_parser):
    with Session.open(path, log_linear_parser, order="doubt") as session:
        yield session


@contextmanager
def served(session, **settings):
    with serving({}, more=annotation_routes(session, Retraining(session)), **settings) as client:
        yield client


@pytest.fixture
def client(session):
    with served(session) as client:
        yield client


def act(client, **action):
    return client.post(f"{ROOT}/actions", action)


def test_a_file_is_described(client, path):
    about = client.get(ROOT).data
    assert about["file"] == str(path)
    assert about["progress"] == {"sentences": 6, "done": 0, "words": about["progress"]["words"], "arcs": 0, "scored": 0}
    assert {"nsubj", "root", "orphan"} <= set(about["relations"])
    assert "NOUN" in about["upos"]
    assert about["retraining"]["state"] == "idle"
    assert about["can_undo"] is False


def test_the_queue_lists_what_comes_next(client, session):
    while session.adviser.score_next():
        pass
    answer = client.get(f"{ROOT}/queue?count=3").data
    assert answer["total"] == 6
    doubts = [one["doubt"] for one in answer["queue"]]
    assert len(doubts) == 3
    assert doubts == sorted(doubts, reverse=True)
    assert client.get(f"{ROOT}/queue?done=1").data["queue"] == []


def test_a_sentence_is_corrected_undone_and_confirmed(client, path):
    shown = client.get(f"{ROOT}/sentences/0").data
    assert all("head" in word and word["status"] == "_" for word in shown["words"])
    assert all(0 <= word["p"] <= 1 for word in shown["words"])
    assert all(word["doubtful"] == (word["p"] < 0.9) for word in shown["words"])
    last = len(shown["words"])
    changed = act(client, sentence=0, do="head", word=1, head=last, deprel="vocative", seen=shown["version"]).data
    assert (changed["words"][0]["head"], changed["words"][0]["deprel"]) == (last, "vocative")
    assert changed["words"][0]["status"] == "arc"
    assert {"head", "deprel"} <= set(changed["words"][0]["given"])
    assert act(client, sentence=0, do="confirm", seen=shown["version"]).error == "409 stale"
    undone = act(client, do="undo").data
    assert [word["head"] for word in undone["words"]] == [word["head"] for word in shown["words"]]
    assert undone["can_redo"]
    done = act(client, sentence=0, do="confirm").data
    assert done["done"]
    assert done["progress"]["done"] == 1
    assert client.ask("POST", f"{ROOT}/save").data == {"saved": str(path)}
    assert (next(read(path)).heads >= 0).all()


def test_findings_come_with_the_sentence(client):
    shown = act(client, sentence=1, do="feats", word=1, feats="nonsense").data
    assert {"level": "error", "word": 1, "column": "feats"}.items() <= shown["findings"][0].items()
    refused = act(client, sentence=1, do="confirm")
    assert refused.status == 400
    assert "cannot be confirmed" in refused.data["error"]["message"]


@pytest.mark.parametrize(
    ("method", "where", "body", "status", "code"),
    [
        ("GET", "/sentences/99", None, 400, "bad_request"),
        ("GET", "/sentences/-1", None, 400, "bad_request"),
        ("GET", "/sentences/٣", None, 400, "bad_request"),
        ("GET", "/queue?count=100000", None, 400, "bad_request"),
        ("POST", "/actions", b"{", 400, "bad_json"),
        ("POST", "/actions", b"[]", 400, "bad_request"),
        ("POST", "/actions", b'{"do": ["undo"]}', 400, "bad_request"),
        ("POST", "/actions", b'{"do": "undo"}', 400, "bad_request"),
        ("POST", "/actions", b'{"do": "' + b"x" * 70_000 + b'"}', 413, "body_too_large"),
        ("POST", "/retrain", b"", 400, "bad_request"),
        ("GET", "/actions", None, 405, "method"),
        ("GET", "/nothing", None, 404, "not_found"),
    ],
)
def test_what_is_refused(client, method, where, body, status, code):
    answer = client.ask(method, ROOT + quote(where, safe="/?="), body)
    assert answer.error == f"{status} {code}"
    assert "\n" not in answer.data["error"]["message"]


def test_the_rules_of_the_server_hold(session):
    with served(session, token="secret") as client:
        assert client.get(ROOT).error == "401 unauthorized"
        assert client.get(ROOT, Authorization="Bearer secret").status == 200
    with served(session) as client:
        assert client.get(ROOT, Host="evil.example").error == "403 forbidden"
        assert client.get(ROOT, Origin="http://evil.example").error == "403 forbidden"
        answer = client.get(ROOT)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"


def test_text_of_a_treebank_is_data_and_nothing_else(tmp_path):
    path, form = tmp_path / "wild.conllu", "<script>alert(1)</script>\u2028"
    path.write_text(f"1\t{form}\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    with Session.open(path) as session, served(session) as client:
        answer = client.get(f"{ROOT}/sentences/0")
        assert json.loads(answer.body)["words"][0]["form"] == form
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
