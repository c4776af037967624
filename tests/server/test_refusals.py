"""What is refused, and how it is said."""

from __future__ import annotations

import json
import logging
import socket
import threading

import pytest

from tests.server.serving import FakeParser, serving
from tests.waiting import HANGING, wait_until
from treewright.inference import Constraints, Trees


def asked(**data):
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    ("body", "expected", "words"),
    [
        (b"{", "400 bad_json", "JSON"),
        (b"\xff", "400 bad_json", "UTF-8"),
        (b"[" * 100_000, "400 bad_json", "deeply"),
        (b'{"text": NaN}', "400 bad_json", "NaN"),
        (rb'{"text": "\ud800"}', "400 bad_json", "JSON"),
        (b"[]", "400 bad_request", "object"),
        (b"", "400 bad_json", "JSON"),
        (b'{"k": ' + b"9" * 5_000 + b"}", "400 bad_json", "a number has too many digits"),
        (asked(), "400 bad_request", "give one of text, conllu and sentences"),
        (asked(text="a", conllu=""), "400 bad_request", "not text and conllu"),
        (asked(text="a", foo=1), "400 bad_request", "'foo'"),
        (asked(text=3), "400 bad_request", "text must be a string, not 3"),
        (asked(text="a", k=0), "400 bad_request", "k must be between 1 and 100, not 0"),
        (asked(text="a", k=True), "400 bad_request", "k must be a whole number, not True"),
        (asked(text="a", k=1.5), "400 bad_request", "k must be a whole number"),
        (asked(text="a", lines=1), "400 bad_request", "lines must be true or false"),
        (asked(text="a", format="xml"), "400 bad_request", "format must be json, conllu, svg or latex"),
        (asked(text="a", format="conllu", stream=True), "400 bad_request", "stream"),
        (asked(text="a", keep_tags=True), "400 bad_request", "keep_tags"),
        (asked(text="a", complete=True), "400 bad_request", "complete"),
        (asked(text="a", exact=True, k=2), "400 bad_request", "exact"),
        (asked(text="a", model="de"), "400 unknown_model", "there are tiny"),
        (asked(text="a", model="pcfg"), "400 unknown_model", "/api/constituents"),
        (asked(text="a", model="../../etc/passwd"), "400 unknown_model", "there is no model"),
        (asked(text="a", model="gold"), "400 bad_request", "tag"),
        (asked(conllu="1\ta\n"), "400 bad_treebank", "column"),
        (asked(sentences=[3]), "400 bad_request", "sentence 1: a sentence is an object"),
        (asked(sentences=[{"words": ["a", 3]}]), "400 bad_request", "word 2 is no object with a form"),
        (asked(sentences=[{"words": ["a\tb"]}]), "400 bad_request", "tab"),
        (asked(sentences=[{"words": [""]}]), "400 bad_request", "empty"),
        (asked(sentences=[{"words": [{"form": "a", "head": "1"}]}]), "400 bad_request", "head of word 1"),
        (asked(sentences=[{"words": [{"form": "a", "head": 7}]}]), "400 bad_request", "do not form a tree"),
        (asked(sentences=[{"words": [{"form": "a", "upos": 7}]}]), "400 bad_request", "upos of word 1"),
        (asked(sentences=[{"words": ["a"], "tokens": [3]}]), "400 bad_request", "a token is"),
        (asked(text="a", constraints=3), "400 bad_request", "constraints are one object"),
        (asked(text="a", constraints=[{}, {}]), "400 bad_request", "one for each sentence (there are 1), not 2"),
        (asked(text="a", constraints={"require": []}), "400 bad_request", "'require'"),
        (asked(text="a", constraints={"required": [[1]]}), "400 bad_request", "no constraint"),
        (asked(text="a", constraints={"required": [[9, 1]]}), "400 bad_request", "no such arc"),
        (asked(text="a", constraints={"forbidden": [[0, 1]] * 1_001}), "400 bad_request", "at most 1,000"),
        (asked(text="a", constraints={"required": [[10**30, 1]]}), "400 bad_request", "no such arc"),
        (asked(text="a", constraints={"required": 10**30}), "400 bad_request", "lists"),
        (asked(text="a", constraints={"at_most_one": ["subj"]}), "400 bad_request", "no label 'subj'"),
        (asked(text="a b", constraints={"required": [[1, 2], [2, 1]]}), "422 contradiction", "word 1 is word 2"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(client, body, expected, words):
    answer = client.ask("POST", "/api/parse", body)
    assert answer.error == expected
    message = answer.data["error"]["message"]
    assert words in message
    assert "\n" not in message
    assert answer.headers["content-type"] == "application/json"


def test_constraints_are_counted_before_they_are_read(client, monkeypatch):
    monkeypatch.setattr(Constraints, "from_dict", None)
    for many in ({"forbidden": [0] * 900, "spans": [0] * 101}, [{"at_most_one": ["x"] * 1_001}]):
        assert "at most 1,000" in client.parse(text="a", constraints=many).data["error"]["message"]


def test_a_contradiction_names_the_clash(client):
    rules = {"required": [[0, 1]], "labels": [[0, 1, "obj"]], "forbidden_labels": [[None, 1, "obj"]], "spans": [[1, 2]]}
    error = client.parse(text="a b", constraints=rules).data["error"]
    assert error["clash"] == ["word 1 is a root", "the arc from 0 to 1 is obj", "word 1 is not obj"]


def test_a_line_of_a_treebank_is_named(client):
    error = client.parse(conllu="# one\n1\ta\n").data["error"]
    assert error["line"] == 2


def test_what_is_intractable_is_refused(text_parser):
    from dataclasses import replace

    hard = replace(text_parser, trees=Trees(False, True, "sibling"))
    with serving({"hard": hard}) as client:
        for asked in ({"confidence": True}, {"alternatives": 1}, {"k": 2}, {"marginals": True}):
            assert client.parse(text="a b", **asked).error == "422 intractable"
        assert client.get("/api/models").data["models"][0]["probabilities"] is False


def test_paths_and_methods(client):
    assert client.get("/nothing").error == "404 not_found"
    wrong = client.get("/api/parse")
    assert wrong.error == "405 method"
    assert wrong.headers["allow"] == "POST"
    assert client.post("/api/models", {}).error == "405 method"
    for nearly in ("/live/", "/page/index.html/", "/api/parse/"):
        assert client.get(nearly).error == "404 not_found"  # and is not sent elsewhere


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py", "/page/..%2fapp.py", "/page/%2e%2e/app.py", "/page/app.py", "/page/", "/page//etc/passwd",
        "/page/%00", "/page/index.html%00.js", "/page/..%5capp.py", "/page/__init__.py", "//page/index.html",
    ],
)  # fmt: skip
def test_nothing_but_the_page_is_served(client, path):
    assert client.get(path).error == "404 not_found"


def test_a_defect_tells_nothing_of_the_inside(client, caplog):
    with caplog.at_level(logging.ERROR):
        answer = client.parse(model="fake", text="break it")
    assert answer.error == "500 internal"
    assert b"secret" not in answer.body
    assert "the secret of the inside" in caplog.text
    streamed = client.parse(model="fake", text="break it", stream=True)
    assert streamed.error == "500 internal"  # nothing had been sent


def test_a_stream_that_breaks_says_so(client):
    answer = client.parse(model="fake", text="All is well.\nbreak it", lines=True, stream=True)
    first, second = map(json.loads, answer.body.splitlines())
    assert answer.status == 200
    assert first["text"] == "All is well."
    assert second["error"]["code"] == "internal"


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    with serving({"fake": FakeParser()}, max_body=2_000, max_sentences=3, max_words=4, max_answer=1_500) as client:
        yield client


def test_bodies_have_a_limit(small):
    answer = small.parse(text="a" * 3_000)
    assert answer.error == "413 body_too_large"
    assert answer.data["error"]["limit"] == 2_000
    assert small.parse(text="a" * 30_000_000).error == "413 body_too_large"


def test_bodies_in_chunks_have_a_limit(small):
    assert small.ask("POST", "/api/parse", iter([b"a" * 1_000] * 5)).error == "413 body_too_large"
    assert small.ask("POST", "/api/parse", iter([b'{"text":', b' "a"}'])).status == 200
    assert small.ask("POST", "/process", b"data=" + b"a" * 3_000).error == "413 body_too_large"


def test_sentences_and_words_have_limits(small):
    assert small.parse(text="a\nb\nc", lines=True).status == 200
    many, long = small.parse(text="a\nb\nc\nd", lines=True), small.parse(text="a b c d e", lines=True)
    assert (many.error, many.data["error"]["limit"]) == ("413 too_many_sentences", 3)
    assert (long.error, long.data["error"]["limit"]) == ("413 sentence_too_long", 4)
    assert long.data["error"]["sentence"] == 1


def test_answers_have_a_limit(small):
    words = [{"words": [{"form": "a", "misc": "x" * 500}]}] * 3
    assert small.parse(sentences=words).error == "413 answer_too_large"
    streamed = small.parse(sentences=words, stream=True).body.splitlines()
    assert json.loads(streamed[-1])["error"]["code"] == "answer_too_large"


def test_limits_are_told(small):
    limits = small.get("/api/models").data["limits"]
    assert limits == {"body": 2_000, "sentences": 3, "words": 4, "seconds": 30.0}


def test_time_has_a_limit():
    parser = FakeParser(blocked=True)
    with serving({"fake": parser}, seconds=0.2, threads=1) as client:
        for _ in range(2):  # the second waits for the thread of the first, whose time is over
            answer = client.parse(text="One.")
            assert answer.error == "408 timeout"
            assert answer.data["error"]["limit"] == 0.2
        parser.go.set()
        assert wait_until(lambda: client.service.workers.busy == 0)
        assert parser.begun == 1  # the second was dropped


def test_time_runs_while_a_request_comes_in():
    with (
        serving({"fake": FakeParser()}, seconds=0.2) as client,
        socket.create_connection(("127.0.0.1", client.port), HANGING) as slow,
    ):
        slow.sendall(b"POST /api/parse HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
        assert slow.recv(100).startswith(b"HTTP/1.1 408 ")


def test_a_stream_that_is_out_of_time_says_so():
    parser = FakeParser()
    with serving({"fake": parser}, seconds=0.5, threads=1) as client:
        connection = client.connect()
        body = json.dumps({"text": "One.\nTwo.\nThree.", "lines": True, "stream": True})
        first = threading.Event()
        whole = parser.parse_sentence

        def stop_after_one(sentence, **options):
            if first.is_set():
                parser.go.clear()
            first.set()
            return whole(sentence, **options)

        parser.parse_sentence = stop_after_one
        connection.request("POST", "/api/parse", body)
        lines = connection.getresponse().read().splitlines()
        parser.go.set()
        connection.close()
    assert "words" in json.loads(lines[0])
    assert json.loads(lines[-1])["error"]["code"] == "timeout"


# --- too much at once -------------------------------------------------------------------------------------------------


def test_too_many_requests_are_told_to_come_back():
    parser = FakeParser(blocked=True)
    with serving({"fake": parser}, queue=2, threads=1) as client:
        first = [client.later(text="One."), client.later(text="Two.")]
        assert wait_until(lambda: len(client.service.gate) == 2)
        refused = client.parse(text="Three.")
        assert refused.error == "429 busy"
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.data["error"]["limit"] == 2
        assert client.get("/live").status == 200  # which needs no place
        assert b"treewright_requests_inside 2\n" in client.get("/metrics").body
        assert b"treewright_threads_busy 1\n" in client.get("/metrics").body
        parser.go.set()
        assert [one.result().status for one in first] == [200, 200]
        assert wait_until(lambda: len(client.service.gate) == 0)
        assert client.parse(text="Three.").status == 200


def test_whoever_has_gone_is_forgotten():
    parser = FakeParser(blocked=True)
    with serving({"fake": parser}, threads=1) as client:
        connection = client.connect()
        connection.request("POST", "/api/parse", json.dumps({"text": "One.\nTwo.\nThree.", "lines": True}))
        assert wait_until(lambda: parser.begun == 1)
        connection.close()
        assert wait_until(lambda: len(client.service.gate) == 0)
        parser.go.set()
        assert client.parse(text="Four.").status == 200
        assert parser.begun == 2


def test_requests_wait_until_the_service_is_ready():
    begin = threading.Event()
    with serving({"fake": FakeParser()}, prepare=lambda: begin.wait(HANGING)) as client:
        assert client.get("/live").data == {"live": True}
        unready = client.get("/ready")
        assert (unready.status, unready.data) == (503, {"ready": False})
        waiting = client.later(text="One.")
        assert wait_until(lambda: len(client.service.gate) == 1)
        begin.set()
        assert waiting.result().status == 200
        assert client.get("/ready").data == {"ready": True}


def test_rare_requests_wait_until_everything_is_prepared():
    done, begin = [], threading.Event()

    def then():
        assert begin.wait(HANGING)
        done.append("then")

    with serving({"fake": FakeParser()}, prepare=lambda: done.append("first"), then=then, seconds=0.2) as client:
        assert client.parse(text="One.").status == 200  # an answer, while something is still being prepared
        waiting = client.later("/api/dual", text="One.", model="fake")
        assert wait_until(lambda: len(client.service.gate) == 1)
        assert done == ["first"]
        begin.set()
        assert waiting.result().error == "400 unknown_model"  # and not 408: no time has run
    assert done == ["first", "then"]


def test_a_preparation_that_fails_stops_nothing(caplog):
    def fail():
        raise RuntimeError("no compiler")

    with serving({"fake": FakeParser()}, prepare=fail) as client:
        assert client.parse(text="One.").status == 200
    assert "no compiler" in caplog.text
