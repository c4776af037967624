"""What is asked of a parser about a sentence, and the steps to the answer: tags, scores, trees, probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from treewright.arrays import Floats
from treewright.dependency.annotation import with_tree
from treewright.dependency.completion import is_possible, tree_around, with_own_relations
from treewright.dependency.probabilities import Probabilities, find_marginals, head_matrix
from treewright.dependency.readings import Candidate, Reading, Readings, shares_of
from treewright.dependency.search import Scoring, known_of, searched, summable
from treewright.errors import ContradictionError, IntractableError, UsageError
from treewright.inference import Constraints, Parse, Scores
from treewright.inference.problem import NoEndError, NoTreeError
from treewright.parsing import Ranked
from treewright.parsing.tags import taggings
from treewright.tagging import SentenceTagger
from treewright.tagging.given import Given, given_tags
from treewright.treebank import Sentence

__all__ = ["Answerer", "Request", "Search", "answer", "explained", "find_heads"]

#: Finds trees of a tagged sentence, best first, under constraints and scores.
Search = Callable[[Sentence, Constraints, Scores], Sequence[Parse]]


class Answerer(Scoring, Protocol):
    """What a parser answers by."""

    tagger: SentenceTagger | None


@dataclass(frozen=True)
class Request:
    """What is asked: see `treewright.dependency.parser.Parser.parse_sentence` for the parameters."""

    keep_tags: bool = False
    fix_heads: bool = False
    complete: bool = False
    joint_tags: int = 0
    confidence: bool = False
    exact: bool = False
    constraints: Constraints | None = None
    obey: bool = False
    alternatives: int = 0
    time_limit: float = math.inf

    @property
    def has_probabilities(self) -> bool:
        """Whether the probabilities of the tree are asked for."""
        return self.confidence or self.alternatives > 0

    @property
    def keeps_tree(self) -> bool:
        """Whether heads and relations that a sentence has are kept."""
        return self.fix_heads or self.complete

    def given(self, parser: Answerer, sentence: Sentence) -> Given | None:
        """Return which tags of a sentence are kept; None if all have to be predicted."""
        needs_tags = parser.scorer.needs_tags
        if (needs_tags or parser.tagger is not None) and not self.keep_tags and not self.complete:
            return None
        if parser.tagger is None and not self.complete:
            return {}  # nobody asks which words have tags
        given = given_tags(sentence, blank_features=self.complete)
        lacks_tags = self.complete and not (given["upos"] | given["xpos"]).all()
        return None if parser.tagger is None and needs_tags and lacks_tags else given


def answer(
    parser: Answerer, sentence: Sentence, request: Request, search: Search, k: int | None = None
) -> list[Ranked[Sentence]]:
    """Find the best tree of a sentence, or the k best with their probabilities."""
    given = request.given(parser, sentence)
    known = known_of(parser, sentence, request.keeps_tree, request.constraints, request.obey)
    found = taggings(sentence, parser.tagger, given, max(request.joint_tags, 1))
    known.check(len(sentence))
    if request.keeps_tree and not is_possible(parser.trees, sentence):
        tagged = found[0].sentence
        tree = with_tree(tagged, tree_around(parser, tagged, known), parser.scorer.labels)
        return [Ranked(with_own_relations(tree, sentence), -math.inf)]
    has_doubt = request.has_probabilities or (k is not None and parser.calibration.tags > 0)
    of_tags = {id(one.sentence): _confidence_of_tags(parser, one.sentence, given) for one in found if has_doubt}
    shares = shares_of(found)
    if has_doubt and len(found) == 1:  # the only tagging has all of the share, and still may be wrong
        shares = [parser.calibration.log_discount(of_tags[id(found[0].sentence)])]
    readings = []
    for tagging, log_share in zip(found, shares, strict=True):
        scores, parses = searched(parser, tagging.sentence, known, partial(search, tagging.sentence, known))
        readings.append(Reading(tagging.sentence, log_share, known.of_arcs(scores), parses))
    mixture = Readings(readings, summable(parser.trees, known), parser.calibration)
    candidates = mixture.best() if k is None else mixture.ranked()[:k]
    notes: Sequence[Probabilities | None] = [None] * len(candidates)
    if request.has_probabilities:
        notes = [
            replace(note, tags=of_tags[id(candidate.sentence)])
            for candidate, note in zip(candidates, mixture.probabilities(candidates, request.alternatives), strict=True)
        ]
    return [
        Ranked(_written(parser, request, sentence, candidate, note), candidate.log_probability)
        for candidate, note in zip(candidates, notes, strict=True)
    ]


def _written(
    parser: Answerer, request: Request, sentence: Sentence, candidate: Candidate, note: Probabilities | None
) -> Sentence:
    """Write a tree into its tagged sentence; what the sentence had and is to be kept stays."""
    tree = with_tree(candidate.sentence, candidate.parse, parser.scorer.labels, note)
    return with_own_relations(tree, sentence) if request.keeps_tree else tree


def _confidence_of_tags(parser: Answerer, tagged: Sentence, given: Given | None) -> Floats | None:
    """Return the probability of each tag (UPOS), 1 where it is given; None if none was predicted."""
    if parser.tagger is None or (given is not None and given["upos"].all()):
        return None
    return parser.tagger.confidence(tagged, given).get("upos")


def find_heads(parser: Answerer, sentence: Sentence, fix_heads: bool, constraints: Constraints | None) -> Floats:
    """Compute the probability of each head of each word of a tagged sentence: see `head_matrix`."""
    if not len(sentence):
        return np.zeros((0, 1))
    known = known_of(parser, sentence, fix_heads, constraints)

    def find(scores: Scores) -> Floats:
        weighted = parser.calibration.of_parts(known.of_arcs(scores))
        return head_matrix(find_marginals(summable(parser.trees, known), weighted))

    return searched(parser, sentence, known, find)[1]


@contextmanager
def explained(sentence: Sentence, labels: Sequence[str]) -> Iterator[None]:
    """If a sentence has no tree, say which one and why."""
    which = f"the sentence {' '.join(sentence.forms)[:60]!r} cannot be parsed: "
    try:
        yield
    except NoTreeError as error:
        clash = error.clash.named(labels) if error.clash is not None else Constraints()
        reason = f"no tree obeys: {clash}" if clash else str(error)
        raise ContradictionError(which + reason, tuple(map(str, clash.each()))) from None
    except NoEndError as error:
        raise IntractableError(f"{which}{error}") from None
    except ValueError as error:
        raise UsageError(f"{which}{error}") from None
