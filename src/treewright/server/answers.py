"""What a service answers: trees, probabilities and scores, as JSON, CoNLL-U or a picture."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from treewright.dependency.annotation import with_ranks
from treewright.dependency.parser import Parser
from treewright.errors import IntractableError
from treewright.inference import Constraints
from treewright.parsing import Ranked, TreeParser
from treewright.server.errors import ServiceError
from treewright.server.jobs import Piece, Plan
from treewright.server.models import has_probabilities
from treewright.server.requests import ConstituentsRequest, EvaluationRequest, ParseRequest, read_request
from treewright.server.resources import Resources, to_bytes
from treewright.server.sentences import sentences_of, within_limits
from treewright.treebank import ConstituentTree, Sentence, format_sentence, format_tree, read_string
from treewright.treebank.conllu.plain_data import to_json
from treewright.treebank.pictures import draw_one

__all__ = ["plan_constituents", "plan_evaluation", "plan_parse"]


#: Constraints on a sentence at most.
MOST_CONSTRAINTS = 1_000

#: The formats of pictures → what type of text they are.
PICTURES = {"svg": "image/svg+xml", "latex": "text/plain; charset=utf-8"}


def in_json(name: str, pieces: Sequence[Piece], is_streamed: bool) -> Plan:
    """Plan an answer in JSON: one object with all sentences, or a line for each."""
    if is_streamed:
        return Plan(pieces, "application/x-ndjson", is_streamed=True)
    return Plan(pieces, "application/json", b'{"model":%b,"sentences":[' % to_bytes(name), b",", b"]}")


# --- dependencies -----------------------------------------------------------------------------------------------------


def plan_parse(at_hand: Resources, body: bytes) -> Plan:
    """Plan the answer to ``/api/parse``."""
    request = read_request(ParseRequest, body)
    name, parser = at_hand.models.find(request.model, "dependencies")
    sentences = sentences_of(request, parser.splitter, at_hand)
    rules = _constraints(request.constraints, len(sentences))
    question = Question.of(request, parser, at_hand.settings.seconds)
    pieces = [partial(question.answer, *pair) for pair in zip(sentences, rules, strict=True)]
    if request.format == "conllu":
        return Plan(pieces, "text/plain; charset=utf-8")
    if request.format in PICTURES:
        if len(sentences) != 1:
            raise ServiceError("bad_request", f"a picture is of one sentence, and there are {len(sentences)}")
        return Plan(pieces, PICTURES[request.format])
    return in_json(name, pieces, request.stream)


def _constraints(described: Any, count: int) -> list[Constraints]:
    """Read the constraints on each of so many sentences."""
    if described is None or isinstance(described, dict):
        return [_rules(described or {})] * count
    if not isinstance(described, list) or len(described) != count:
        given = len(described) if isinstance(described, list) else "something else"
        message = f"constraints are one object, or a list with one for each sentence (there are {count}), not {given}"
        raise ServiceError("bad_request", message)
    return [_rules(one if one is not None else {}) for one in described]


def _rules(described: Any) -> Constraints:
    """Read the constraints on a sentence, unless they are so many that it takes long to look at them."""
    lists = [one for one in described.values() if isinstance(one, list)] if isinstance(described, dict) else []
    if sum(map(len, lists)) > MOST_CONSTRAINTS:
        raise ServiceError("bad_request", f"a sentence has at most {MOST_CONSTRAINTS:,} constraints here")
    return Constraints.from_dict(described)


@dataclass(frozen=True)
class Question:
    """What is asked about each sentence of a request."""

    request: ParseRequest
    parser: TreeParser[Any]
    options: dict[str, Any]  # of the parser

    @classmethod
    def of(cls, request: ParseRequest, parser: TreeParser[Any], seconds: float) -> Question:
        """Find out what to ask; refuse what the model cannot answer."""
        able = has_probabilities(parser)
        if not able and (request.confidence or request.alternatives or request.k > 1 or request.marginals):
            message = "probabilities are intractable for this model: leave out confidence, alternatives, k, marginals"
            raise IntractableError(message)
        options: dict[str, Any] = {"keep_tags": request.keep_tags}
        if able if request.confidence is None else request.confidence:
            options["confidence"] = True
        if request.complete:
            options["complete"] = True
        if request.alternatives:
            options["alternatives"] = request.alternatives
        if request.exact:
            options["exact"] = True
        if request.exact or request.constraints:
            options["time_limit"] = seconds / 4  # what is late is given up after twice as long
        _refuse_unknown(options | ({"constraints": None} if request.constraints else {}), parser)
        return cls(request, parser, options)

    def answer(self, sentence: Sentence, rules: Constraints) -> bytes:
        """Parse a sentence, and describe it in the format that is asked for."""
        options = self.options | ({"constraints": rules} if rules else {})
        if self.request.k > 1:
            best = self.parser.k_best(sentence, self.request.k, **options)
        else:
            best = [Ranked(self.parser.parse_sentence(sentence, **options), 0.0)]
        if self.request.format == "conllu":
            trees = with_ranks(best) if self.request.k > 1 else [best[0].tree]
            return "".join(map(format_sentence, trees)).encode("utf-8", "replace")
        if self.request.format in PICTURES:
            return draw_one(best[0].tree, self.request.format).encode("utf-8", "replace")
        described = self._describe(sentence, rules, best)
        return to_bytes(described) + (b"\n" if self.request.stream else b"")

    def _describe(self, sentence: Sentence, rules: Constraints, best: Sequence[Ranked[Sentence]]) -> dict[str, Any]:
        """Describe the trees of a sentence as plain data."""
        tree = best[0].tree
        described = to_json(tree)
        described["certificate"] = "# certificate = no" not in tree.comments
        if self.request.k > 1:
            described["k_best"] = [to_json(one) for one in with_ranks(best)]
            described["tree_p"] = described["k_best"][0]["tree_p"]
        if rules:
            described["constraints"] = list(map(str, rules.each()))
        if self.request.marginals:
            assert isinstance(self.parser, Parser)
            known = tree.replace(heads=sentence.heads, deprels=sentence.deprels)
            matrix = self.parser.head_probabilities(known, fix_heads=self.request.complete, constraints=rules)
            described["marginals"] = [[round(p, 4) for p in row] for row in matrix.tolist()]
        return described


def _refuse_unknown(options: Iterable[str], parser: TreeParser[Any]) -> None:
    """Refuse options that a parser of some other kind does not have."""
    known = inspect.signature(parser.parse_sentence).parameters
    takes_any = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in known.values())
    if unknown := [name for name in options if name not in known and not takes_any]:
        raise ServiceError("bad_request", f"this model takes no {unknown[0]}: leave it out")


# --- constituents -----------------------------------------------------------------------------------------------------


def plan_constituents(at_hand: Resources, body: bytes) -> Plan:
    """Plan the answer to ``/api/constituents``."""
    request = read_request(ConstituentsRequest, body)
    name, parser = at_hand.models.find(request.model, "constituents")
    sentences = list(filter(parser.accepts, sentences_of(request, parser.splitter, at_hand)))
    pieces = [partial(_constituents, parser, request, sentence) for sentence in sentences]
    return in_json(name, pieces, request.stream)


def _constituents(parser: TreeParser[ConstituentTree], request: ConstituentsRequest, sentence: Sentence) -> bytes:
    """Find the constituents of a sentence, and describe them."""
    has_ranks = request.k > 1 or request.confidence
    if has_ranks:
        best = parser.k_best(sentence, request.k, keep_tags=request.keep_tags)
    else:
        best = [Ranked(parser.parse_sentence(sentence, keep_tags=request.keep_tags), -math.inf)]
    described = {"text": sentence.text or " ".join(sentence.forms), **_tree_of(best[0].tree)}
    if has_ranks:
        described["tree_p"] = round(best[0].probability, 6)
    if request.k > 1:
        described["k_best"] = [_tree_of(one.tree) | {"tree_p": round(one.probability, 6)} for one in best]
    return to_bytes(described) + (b"\n" if request.stream else b"")


def _tree_of(tree: ConstituentTree) -> dict[str, Any]:
    """Describe a tree as brackets and as nested objects."""
    nodes: list[dict[str, Any]] = [{"label": label} for label in tree.labels]
    for number, (leaf, word) in enumerate(zip(tree.leaves.tolist(), tree.words, strict=True), 1):
        nodes[leaf] |= {"word": word, "id": number}
    for node, parent in enumerate(tree.parents.tolist()):
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(nodes[node])
    return {"brackets": format_tree(tree).strip(), "tree": nodes[0]}


# --- evaluation -------------------------------------------------------------------------------------------------------


def plan_evaluation(at_hand: Resources, body: bytes) -> Plan:
    """Plan the answer to ``/api/evaluate``."""
    request = read_request(EvaluationRequest, body)
    gold, system = (
        [one for one in within_limits(read_string(text), at_hand) if len(one)]
        for text in (request.gold, request.system)
    )

    def evaluate() -> bytes:
        from treewright.evaluation import evaluate

        return to_bytes(evaluate(gold, system, subtypes=request.subtypes).to_dict())

    return Plan([evaluate])
