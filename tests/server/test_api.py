"""The other paths of the API, and its description."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.server.serving import serving
from treewright.evaluation import evaluate
from treewright.inference import Trees
from treewright.server.app import make_app
from treewright.server.openapi import EXAMPLES
from treewright.server.requests import ConstituentsRequest, DualRequest, EvaluationRequest, ParseRequest
from treewright.treebank import format_sentence, format_tree


def test_models_say_what_they_are(client, text_parser):
    described = client.get("/api/models").data
    models = {one["name"]: one for one in described["models"]}
    assert described["default"] == {"dependencies": "tiny", "constituents": "pcfg"}
    tiny = models["tiny"]
    assert (tiny["trees"], tiny["language"], tiny["probabilities"]) == ("dependencies", "en", True)
    assert tiny["relations"] == list(text_parser.scorer.labels)
    assert {"NOUN", "VERB", "DET"} <= set(tiny["upos"])
    assert "dev" in tiny["info"]
    assert "options" not in tiny["info"]
    assert (models["gold"]["upos"], models["pcfg"]["relations"]) == ([], [])


def test_constituents_are_found(client, pcfg):
    answer = client.post("/api/constituents", {"text": "The dog saw a cat in the house.", "k": 3})
    [sentence] = answer.data["sentences"]
    offline = [tree for [tree] in [pcfg.parse("The dog saw a cat in the house.")]]
    assert sentence["brackets"] == format_tree(offline[0]).strip()
    assert [one["tree_p"] for one in sentence["k_best"]] == sorted(
        (one["tree_p"] for one in sentence["k_best"]), reverse=True
    )
    assert len({one["brackets"] for one in sentence["k_best"]}) == 3
    assert (sentence["tree"], sentence["tree_p"]) == (sentence["k_best"][0]["tree"], sentence["k_best"][0]["tree_p"])


def test_constituents_are_nested(client):
    def words(node):
        return [(node["id"], node["word"])] if "word" in node else [w for c in node["children"] for w in words(c)]

    [sentence] = client.post("/api/constituents", {"text": "She saw a dog."}).data["sentences"]
    assert words(sentence["tree"]) == [(1, "She"), (2, "saw"), (3, "a"), (4, "dog"), (5, ".")]
    assert sentence["text"] == "She saw a dog."
    assert "tree_p" not in sentence


def test_constituents_can_be_streamed(client):
    lines = client.post("/api/constituents", {"text": "She saw a dog. \n\n The cat saw it.", "stream": True}).body
    assert [json.loads(line)["text"] for line in lines.splitlines()] == ["She saw a dog.", "The cat saw it."]
    assert client.post("/api/constituents", {"text": "a", "model": "tiny"}).error == "400 unknown_model"


def test_trees_are_evaluated(client, ewt, text_parser):
    system = [text_parser.parse_sentence(one) for one in ewt[:5]]
    texts = {"gold": "".join(map(format_sentence, ewt[:5])), "system": "".join(map(format_sentence, system))}
    assert client.post("/api/evaluate", texts).data == evaluate(ewt[:5], system).to_dict()
    assert client.post("/api/evaluate", {**texts, "gold": "x"}).error == "400 bad_treebank"
    other = {**texts, "system": "".join(map(format_sentence, system[:2]))}
    assert client.post("/api/evaluate", other).error == "400 bad_request"


def test_extra_routes_are_answered(text_parser):
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    async def more(request):
        return PlainTextResponse(request.app.state.service.models.default("dependencies"))

    with serving({"tiny": text_parser}, more=[Route("/more", more)]) as client:
        assert client.get("/more").body == b"tiny"
        assert b'path="/more"' in client.get("/metrics").body


@pytest.mark.parametrize(
    ("path", "example"),
    [(path, name) for path, examples in EXAMPLES.items() if path != "/api/dual" for name in examples],
)
def test_examples_are_answered(client, path, example):
    examples = client.get("/openapi.json").data["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    assert client.post(path, examples["examples"][example]["value"]).status == 200


def test_the_description_is_whole(client, text_parser):
    described = client.get("/openapi.json").data
    served = {route.path for route in make_app({"tiny": text_parser}).routes}
    assert served == {*described["paths"], "/", "/page/{name}", "/openapi.json"}
    text = json.dumps(described)
    for name in ("Error", "Sentence", "Word", "Node", "ParseRequest"):
        assert f'"#/components/schemas/{name}"' in text
    references = {piece.split('"')[0] for piece in text.split('"#/components/schemas/')[1:]}
    assert references <= set(described["components"]["schemas"])
    for request in (ParseRequest, ConstituentsRequest, DualRequest, EvaluationRequest):
        schema = described["components"]["schemas"][request.__name__]
        assert set(schema["properties"]) == set(request.__dataclass_fields__)
        assert all(field["description"].endswith(".") for field in schema["properties"].values())
    for request in (ParseRequest, ConstituentsRequest, DualRequest):
        inputs = described["components"]["schemas"][request.__name__]["oneOf"]
        assert inputs == [{"required": ["text"]}, {"required": ["conllu"]}, {"required": ["sentences"]}]
    assert "oneOf" not in described["components"]["schemas"]["EvaluationRequest"]
    assert set(described["paths"]["/models"]) == {"get", "post"}
    assert "503" in described["paths"]["/ready"]["get"]["responses"]
    k = described["components"]["schemas"]["ParseRequest"]["properties"]["k"]
    assert (k["minimum"], k["maximum"], k["default"], k["type"]) == (1, 100, 1, "integer")


def test_a_token_is_described(text_parser):
    with serving({"tiny": text_parser}, token="t") as client:
        described = client.get("/openapi.json", Authorization="Bearer t").data
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_models_without_siblings_show_no_dual_decomposition(client):
    assert client.post("/api/dual", {"text": "a b", "model": "tiny"}).error == "400 unknown_model"


@pytest.fixture(scope="module")
def sibling_client(ewt):
    from treewright import TrainingOptions, train_parser

    options = TrainingOptions(factorization="sibling", folds=2, epochs=2, threads=1)
    parser = train_parser(ewt[:30], ewt[30:], options, info={"language": "en"})
    hard = replace(parser, trees=Trees(False, True, "sibling"), pruner=None)
    with serving({"sibling": parser, "hard": hard}) as client:
        yield client


def test_dual_decomposition_is_told(sibling_client):
    answer = sibling_client.post("/api/dual", {"text": "A hearing is scheduled on the issue that she saw today."}).data
    n, iterations = len(answer["words"]), answer["iterations"]
    assert (answer["model"], answer["certificate"]) == ("sibling", True)
    assert 1 <= len(iterations) <= 200
    for one in iterations:
        assert len(one["heads_tree"]) == len(one["heads_automata"]) == n
        assert sum(head == 0 for head in one["heads_tree"]) == 1
        assert one["upper"] >= one["lower"] - 1e-6
        taken = {(head, m) for m, head in enumerate(one["heads_automata"], 1) if head >= 0}
        in_tree = {(head, m) for m, head in enumerate(one["heads_tree"], 1)}
        assert taken ^ in_tree <= set(map(tuple, one["disputed"]))
    if answer["proof"] == "agreement":
        assert iterations[-1]["disputed"] == []
        assert iterations[-1]["heads_tree"] == answer["heads"]
    best = max(one["lower"] for one in iterations)
    assert best <= min(one["upper"] for one in iterations) + 1e-6


def test_dual_decomposition_needs_words(sibling_client):
    assert sibling_client.post("/api/dual", {"text": " "}).error == "400 bad_request"
    assert sibling_client.post("/api/dual", EXAMPLES["/api/dual"]["sentence"]).status == 200


def test_hard_models_prove_their_trees(sibling_client):
    text = "A hearing is scheduled on the issue today."
    [sentence] = sibling_client.parse(model="hard", text=text, exact=True).data["sentences"]
    assert sentence["certificate"] is True
    assert "head_p" not in sentence["words"][0]
    ruled = sibling_client.parse(model="hard", text=text, exact=True, constraints={"required": [[0, 1]]})
    assert ruled.data["sentences"][0]["words"][0]["head"] == 0
