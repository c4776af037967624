"""UDPipe's REST interface, asked as its published description says: `models`, `process`, queries and forms."""

from __future__ import annotations

import email.mime.multipart
import email.mime.nonmultipart
import email.policy
import json
import urllib.error
import urllib.parse
import urllib.request

import pytest

from tests.server.serving import serving
from treewright.server.errors import ServiceError
from treewright.server.udpipe import parameters_of
from treewright.treebank import format_sentence, read_string

TEXT = "The dog chased a cat.\nShe didn't see it in the garden; čau."
ALL = {"tokenizer": "", "tagger": "", "parser": ""}


def ask(client, method, data=None, headers=None):
    address = f"http://127.0.0.1:{client.port}/{method}"
    with urllib.request.urlopen(urllib.request.Request(address, data, headers or {})) as answer:
        assert answer.headers["content-type"] == "application/json"
        return json.load(answer)


def with_query(client, fields):
    return ask(client, "process?" + urllib.parse.urlencode(fields))


def with_form(client, fields):
    return ask(client, "process", urllib.parse.urlencode(fields).encode())


def in_parts(client, fields):
    """Send a form in parts, as a message of mail with the line ends of HTTP."""
    message = email.mime.multipart.MIMEMultipart("form-data", policy=email.policy.HTTP)
    for name, value in fields.items():
        part = email.mime.nonmultipart.MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        part.add_header("Content-Transfer-Encoding", "8bit")
        part.set_payload(value, charset="utf-8")
        message.attach(part)
    _, body = message.as_bytes().split(b"\r\n\r\n", 1)
    return ask(client, "process", body, {"Content-Type": message["Content-Type"]})


WAYS = [with_query, with_form, in_parts]


@pytest.fixture(scope="module")
def trees(text_parser):
    return text_parser.parse(TEXT)


def test_models_are_listed(client):
    listed = ask(client, "models")
    assert listed["models"]["tiny"] == ["tokenizer", "tagger", "parser"]
    assert listed["models"]["gold"] == ["tokenizer", "parser"]
    assert "pcfg" not in listed["models"]
    assert listed["default_model"] == "tiny"


@pytest.mark.parametrize("way", WAYS)
def test_text_is_processed(client, trees, way):
    answer = way(client, {"data": TEXT, **ALL})
    assert answer["model"] == "tiny"
    assert isinstance(answer["acknowledgements"], list)
    assert answer["result"] == "".join(map(format_sentence, trees))


@pytest.mark.parametrize("way", WAYS)
def test_treebanks_are_parsed(client, ewt, text_parser, way):
    data = "".join(map(format_sentence, ewt[:2]))
    blank = [one.replace(heads=[-1] * len(one), deprels=["_"] * len(one)) for one in ewt[:2]]
    result = way(client, {"data": "".join(map(format_sentence, blank)), "input": "conllu", "parser": ""})["result"]
    found = read_string(result)
    for given, tree in zip(read_string(data), found, strict=True):
        offline = text_parser.parse_sentence(given, keep_tags=True)
        assert tree.heads.tolist() == offline.heads.tolist()
        assert (tree.upos, tree.xpos, tree.feats, tree.lemmas) == (given.upos, given.xpos, given.feats, given.lemmas)
        assert tree.misc == given.misc


def test_only_what_is_asked_for_is_done(client, trees):
    tokens = read_string(with_form(client, {"data": TEXT, "tokenizer": ""})["result"])
    assert [one.forms for one in tokens] == [one.forms for one in trees]
    assert set(tokens[0].upos) == {"_"}
    tags = read_string(with_form(client, {"data": TEXT, "tokenizer": "", "tagger": ""})["result"])
    assert [one.upos for one in tags] == [one.upos for one in trees]
    assert set(tags[0].heads.tolist()) == {-1}


def test_options_of_the_tokenizer(client):
    fields = {"data": "Mr. X. He slept.\nDon't", "tokenizer": "presegmented;ranges"}
    first, second = read_string(with_form(client, fields)["result"])
    assert first.text == "Mr. X. He slept."
    assert "TokenRange=0:3" in first.misc[0]
    assert second.asides[0][1].split("\t")[:2] == ["1-2", "Don't"]


@pytest.mark.parametrize(
    ("input", "data"),
    [
        ("horizontal", "The dog sleeps .\n\nIt dreams"),
        ("vertical", "The\ndog\nsleeps\n.\n\nIt\ndreams\n"),
        ("vertical", "The\ndog\nsleeps\n.\n\n\n\nIt\ndreams"),
    ],
)
def test_words_are_read(client, input, data):
    found = read_string(with_form(client, {"data": data, "input": input})["result"])
    assert [one.forms for one in found] == [["The", "dog", "sleeps", "."], ["It", "dreams"]]


def test_other_outputs(client):
    def written(output):
        return with_form(client, {"data": "The dog sleeps. It dreams.", "tokenizer": "", "output": output})["result"]

    assert written("horizontal") == "The dog sleeps .\nIt dreams .\n"
    assert written("vertical") == "The\ndog\nsleeps\n.\n\nIt\ndreams\n.\n\n"
    assert written("plaintext") == "The dog sleeps.\nIt dreams.\n"
    assert read_string(written("conllu=v2"))[0].forms == ["The", "dog", "sleeps", "."]


def test_models_are_found_by_their_first_words(text_parser, gold_parser, pcfg):
    with serving({"my-trees": pcfg, "gold": gold_parser, "my-own-model": text_parser}) as client:
        for name in ("my-own-model", "my-own", "my"):
            assert with_form(client, {"data": "One", "model": name, "tokenizer": ""})["model"] == "my-own-model"
        with pytest.raises(urllib.error.HTTPError, match="400"):
            with_form(client, {"data": "One", "model": "my-ow", "tokenizer": ""})


def test_empty_formats_are_the_usual_ones(client, ewt):
    data = format_sentence(ewt[0])
    assert with_form(client, {"data": data, "input": "", "output": ""})["result"] == data


@pytest.mark.parametrize("name", ["tiny", "english", "en", "english-ewt-ud-2.15-241121", ""])
def test_models_are_found_by_name_or_language(client, name):
    assert with_form(client, {"data": "One", "model": name, "tokenizer": ""})["model"] == "tiny"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "data"),
        ({"data": "a", "model": "klingon"}, "there is no model 'klingon'"),
        ({"data": "a", "model": "pcfg"}, "constituents"),
        ({"data": "a\tb\n"}, "column"),
        ({"data": "a", "input": "epe"}, "input is"),
        ({"data": "a", "tokenizer": "", "output": "matxin"}, "output is"),
        ({"data": "a", "tokenizer": "", "tagger": "", "model": "gold"}, "no tagger"),
    ],
)
def test_what_is_wrong_is_said(client, fields, words):
    with pytest.raises(urllib.error.HTTPError) as caught:
        with_form(client, fields)
    with caught.value as answer:
        assert answer.code == 400
        assert words in json.load(answer)["error"]["message"]


def test_line_ends_are_those_of_the_text(client):
    answer = with_form(client, {"data": "One.\r\n\r\nTwo.\r\n", **ALL})
    assert "\r" not in answer["result"]


def part(name, value, more=""):
    return f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n{more}\r\n{value}\r\n'.encode()


def test_forms_in_parts():
    kind = 'multipart/form-data; boundary="b"'
    body = part("data", "a\r\n--c\r\nb") + part("tagger", "") + b"--b--\r\n"
    assert parameters_of(b"model=x&data=y", kind, body) == {"model": "x", "data": "a\r\n--c\r\nb", "tagger": ""}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", part("data", "a") + b"--b--"),
        ("multipart/form-data; boundary=b", part("data", "a")),
        ("multipart/form-data; boundary=b", b"--b\r\n\r\na\r\n--b--"),
        ("multipart/form-data; boundary=b", part("data", "YQ==", "Content-Transfer-Encoding: base64\r\n") + b"--b--"),
        ("multipart/form-data; boundary=b", part("data", "a").replace(b"a\r", b"\xff\r") + b"--b--"),
        ("multipart/form-data; boundary=b", part("data", "a") * 200 + b"--b--"),
        ("application/json", b"{}"),
        ("", b"data=%ff"),
        ("", b"data=\xff"),
        ("", b"a=b&" * 200),
    ],
)
def test_forms_that_are_none(kind, body):
    with pytest.raises(ServiceError) as caught:
        parameters_of(b"", kind, body)
    assert caught.value.code == "bad_request"
