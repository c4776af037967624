"""``/api/parse``: what is asked, and that the answers are those of the parser."""

import io
import json

import pytest

from treewright.cli.texts import TextReader
from treewright.inference import Constraints
from treewright.treebank import format_sentence, read_string
from treewright.treebank.conllu.latex import sentence_to_latex
from treewright.treebank.conllu.plain_data import from_json, to_json

TEXT = "The dog chased a cat. She didn't see it in the garden, I think."


@pytest.fixture(scope="module")
def trees(text_parser):
    return text_parser.parse(TEXT, confidence=True)


def without(sentence, *names):
    return {name: value for name, value in sentence.items() if name not in names}


def test_text_is_parsed_as_offline(client, trees):
    answer = client.parse(text=TEXT)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.data["model"] == "tiny"
    assert [without(one, "certificate") for one in answer.data["sentences"]] == list(map(to_json, trees))
    assert all(one["certificate"] for one in answer.data["sentences"])


def test_probabilities_can_be_left_out(client):
    [sentence, _] = client.parse(text=TEXT, confidence=False).data["sentences"]
    assert "tree_p" not in sentence
    assert "head_p" not in sentence["words"][0]


def test_lines_are_sentences(client):
    sentences = client.parse(text="Mr. X. He slept.\n\nDon't", lines=True).data["sentences"]
    assert [one["text"] for one in sentences] == ["Mr. X. He slept.", "Don't"]
    assert sentences[1]["tokens"] == [{"words": "1-2", "form": "Don't"}]


def test_lines_are_those_of_files(client, text_parser):
    text = "One\u2028two\x85three\x0bfour.\r\nFive\x0csix.\n\nSeven."
    sentences = client.parse(text=text, lines=True).data["sentences"]
    of_file = TextReader("lines", text_parser.splitter, "stop").read(io.BytesIO(text.encode()), "some.txt")
    assert [one["text"] for one in sentences] == [one.text for one in of_file]
    assert len(sentences) == 3


def test_conllu_keeps_what_is_not_asked_for(client, ewt, text_parser):
    sentence = ewt[3]
    answer = client.parse(conllu=format_sentence(sentence), keep_tags=True)
    [found] = answer.data["sentences"]
    assert found["sent_id"] == to_json(sentence)["sent_id"]
    expected = text_parser.parse_sentence(sentence, keep_tags=True, confidence=True)
    assert found["words"] == to_json(expected)["words"]


def test_answers_can_be_asked_again(client):
    sentences = client.parse(text=TEXT, alternatives=2).data["sentences"]
    again = client.parse(sentences=sentences, keep_tags=True, alternatives=2).data["sentences"]
    for one, other in zip(sentences, again, strict=True):
        assert [word["head"] for word in one["words"]] == [word["head"] for word in other["words"]]
        assert one.get("tokens") == other.get("tokens")
        assert one["text"] == other["text"]


def test_a_draft_is_completed(client):
    words = [{"form": "Trees", "head": 2, "deprel": "obj"}, {"form": "grow"}, "."]
    [sentence] = client.parse(sentences=[{"words": words}], complete=True, marginals=True).data["sentences"]
    assert (sentence["words"][0]["head"], sentence["words"][0]["deprel"]) == (2, "obj")
    assert sentence["marginals"][0] == [0, 0, 1, 0]
    assert sentence["words"][1]["head"] == 0


def test_the_best_of_k_comes_first(client, text_parser):
    [sentence] = client.parse(text="The dog saw her cat.", k=4).data["sentences"]
    offline = text_parser.k_best(next(iter(text_parser.parse("The dog saw her cat."))), 4)
    best = sentence["k_best"]
    assert [one["tree"] for one in best] == [1, 2, 3, 4]
    assert [one["tree_p"] for one in best] == pytest.approx([one.probability for one in offline], rel=1e-3)
    assert [[w["head"] for w in one["words"]] for one in best] == [one.tree.heads.tolist() for one in offline]
    assert sentence["words"] == best[0]["words"]
    assert sentence["tree_p"] == best[0]["tree_p"]


def test_marginals_are_those_of_the_heads(client):
    sentences = client.parse(text=TEXT, marginals=True).data["sentences"]
    for sentence in sentences:
        n = len(sentence["words"])
        assert [len(row) for row in sentence["marginals"]] == [n + 1] * n
        for word, row in zip(sentence["words"], sentence["marginals"], strict=True):
            assert sum(row) == pytest.approx(1, abs=1e-3)
            assert row[word["head"]] == pytest.approx(word["head_p"], abs=2e-4)
            assert row[word["id"]] == 0


def test_alternatives_are_numbers(client):
    words = client.parse(text=TEXT, alternatives=3).data["sentences"][0]["words"]
    rivals = [rival for word in words for rival in word.get("alternatives", ())]
    assert rivals
    assert all(set(rival) == {"head", "deprel", "p"} and 0 <= rival["p"] <= 1 for rival in rivals)


def test_constraints_are_obeyed(client):
    rules = {"required": [[2, 1]], "labels": [[None, 3, "obj"]], "spans": [[4, 6]], "at_most_one": ["obj"]}
    [sentence] = client.parse(text="The dog chased a cat .", constraints=rules, marginals=True).data["sentences"]
    assert sentence["words"][0]["head"] == 2
    assert sentence["words"][2]["deprel"] == "obj"
    inside = [word["head"] in (4, 5, 6) for word in sentence["words"][3:]]
    assert sum(inside) == 2
    assert sentence["constraints"] == list(map(str, Constraints.from_dict(rules).each()))
    assert sentence["marginals"][0][2] == 1


def test_each_sentence_has_constraints_of_its_own(client):
    first, second = client.parse(text=TEXT, constraints=[None, {"required": [[0, 1]]}]).data["sentences"]
    assert "constraints" not in first
    assert second["words"][0]["head"] == 0


def test_conllu_can_be_answered(client, trees):
    answer = client.parse(text=TEXT, format="conllu")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.body.decode() == "".join(map(format_sentence, trees))
    several = read_string(client.parse(text="The dog saw her cat.", format="conllu", k=3).body.decode())
    assert [one.comments[-2] for one in several] == ["# tree = 1", "# tree = 2", "# tree = 3"]


def test_a_picture_has_no_markup_of_users(client):
    answer = client.parse(text='<script>alert(1)</script> & "x"', lines=True, format="svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert b"<svg" in answer.body
    assert b"<script" not in answer.body
    assert b"&lt;" in answer.body
    assert client.parse(text=TEXT, format="svg").error == "400 bad_request"


def test_a_picture_can_be_in_latex(client, trees):
    first = trees[0]
    answer = client.parse(text="The dog chased a cat.", format="latex")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.body.decode() == sentence_to_latex(first)
    assert client.parse(text=TEXT, format="latex").error == "400 bad_request"


def test_markup_stays_text(client):
    form = "<img/src=x/onerror=alert(1)>"
    answer = client.parse(sentences=[{"words": [form]}])
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.data["sentences"][0]["words"][0]["form"] == form


def test_streams_have_a_sentence_a_line(client):
    whole = client.parse(text=TEXT).data["sentences"]
    answer = client.parse(text=TEXT, stream=True)
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert [json.loads(line) for line in answer.body.splitlines()] == whole


def test_no_sentences_are_fine(client):
    for asked in ({"text": ""}, {"text": " \n "}, {"sentences": []}):
        assert client.parse(**asked).data == {"model": "tiny", "sentences": []}
    assert client.parse(text="", stream=True).body == b""


def test_empty_sentences_are_answered(client):
    [sentence] = client.parse(sentences=[{"words": []}], k=3, marginals=True).data["sentences"]
    assert sentence["words"] == []
    assert sentence["marginals"] == []


def test_text_of_all_kinds_comes_back(client):
    text = "Žluťoučký kůň 🐴 木 пёс"
    [sentence] = client.parse(text=text, lines=True).data["sentences"]
    assert "".join(word["form"] for word in sentence["words"]).replace(" ", "") == text.replace(" ", "")


def test_other_parsers_answer_what_they_can(client):
    [sentence] = client.parse(model="fake", text="One two three").data["sentences"]
    assert [word["head"] for word in sentence["words"]] == [0, 1, 1]
    assert client.parse(model="fake", text="One", k=2).error == "422 intractable"
    assert client.parse(model="fake", text="One", constraints={"required": [[0, 1]]}).error == "400 bad_request"


def test_plain_data_is_read_back(ewt):
    for sentence in ewt:
        again = from_json(json.loads(json.dumps(to_json(sentence))))
        assert to_json(again) == to_json(sentence)
