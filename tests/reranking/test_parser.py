"""A parser with a reranker lists candidates as those were that the reranker learned from."""

import numpy as np
import pytest

from treewright.parsing import Ranked
from treewright.reranking import CandidatesBuilder, LinearReranker, Origin
from treewright.reranking.parser import RerankedParser
from treewright.treebank import ConstituentTree, Sentence


class Three:
    """Has three trees for every sentence."""

    info, trees_found, language = {}, "constituents", ""

    def candidates(self, sentence, k):
        trees = [ConstituentTree.from_string(f"({label} (X a))") for label in "ABC"]
        return [Ranked(tree, -1.0 - 2 * rank) for rank, tree in enumerate(trees)][:k]


@pytest.mark.parametrize(
    ("k", "within", "chosen"), [(3, None, "C"), (3, 4.0, "C"), (3, 3.9, "B"), (2, 9, "B"), (3, 0, "A")]
)
def test_candidates_are_those_within_the_log_probability_of_training(k, within, chosen):
    builder = CandidatesBuilder(origin=Origin("constituents", "pcfg", k, ("rule",), within=within))
    builder.add([0.0], [1.0], [["rule A -> *X"]])
    info = {"origin": builder.origin.to_dict()}
    reranker = LinearReranker.of(builder.build(), -1.0, np.ones(1), info)  # the least probable is the best
    assert RerankedParser(Three(), reranker).parse_sentence(Sentence.from_forms(["a"])).labels[0] == chosen
