"""Every learner with several factorizations, through training as a user starts it."""

import numpy as np
import pytest

from tests.inference.enumeration import is_projective, is_single_root, is_tree
from treewright.dependency.calibration import Calibration
from treewright.dependency.parser import Parser
from treewright.dependency.training import TrainingOptions, train_parser


@pytest.fixture(scope="module")
def sentences(ewt):
    return [sentence for sentence in ewt if len(sentence) <= 10]


@pytest.mark.parametrize(
    "choices",
    [
        {"learner": "perceptron", "factorization": "tri-sibling"},
        {"learner": "perceptron", "factorization": "grandchild", "labels": False},
        {"learner": "mira", "factorization": "carreras"},
        {"learner": "mira", "factorization": "grand-sibling", "without": ("third-order",), "max_heads": 4},
        {"learner": "log-linear", "factorization": "grand-sibling"},
        {"learner": "log-linear", "trees": "nonprojective", "labels": False},
        {"learner": "log-linear", "optimizer": "eg", "factorization": "sibling", "C": 0.5},
        {"learner": "log-linear", "optimizer": "l-bfgs", "factorization": "arc", "epochs": 15},
        {"learner": "log-linear", "optimizer": "cg", "factorization": "arc", "trees": "nonprojective", "epochs": 15},
        {"learner": "max-margin", "factorization": "grand-sibling", "C": 0.05},
        {"learner": "max-margin", "trees": "nonprojective", "roots": "multi", "C": 0.05},
        {"learner": "perceptron", "trees": "nonprojective", "factorization": "sibling"},
        {"learner": "perceptron", "factorization": "carreras", "non_local": ("siblings", "grandchildren", "combs")},
        {"learner": "mira", "non_local": ("tri-siblings", "great-grandchildren"), "trees": "nonprojective"},
        {"learner": "mira", "trees": "nonprojective", "factorization": "grand-sibling"},
        {"learner": "mira", "trees": "nonprojective", "factorization": "grand-sibling", "learn_from": "trees"},
    ],
    ids=lambda choices: "-".join(str(value) for value in choices.values()),
)
def test_a_parser_learns_a_small_treebank(sentences, choices, tmp_path):
    options = TrainingOptions(**{"factorization": "arc", "tags": "gold", "epochs": 5, "threads": 1} | choices)
    parser = train_parser(sentences, sentences, options)
    assert parser.info["dev"]["UAS"] > 85
    if options.labels:
        assert parser.info["dev"]["LAS"] > 80
    assert (parser.pruner is None) == (options.factorization == "arc" and not options.non_local)
    assert (parser.calibration == Calibration()) == (not parser.has_probabilities)
    parser.save(tmp_path / "m.tw")
    opened = Parser.open(tmp_path / "m.tw")
    assert opened.calibration == parser.calibration
    parsed, again = (list(one.parse_all(sentences, keep_tags=True, threads=1)) for one in (parser, opened))
    for one, other in zip(parsed, again, strict=True):
        heads = one.rooted_heads()
        assert np.array_equal(heads, other.rooted_heads())
        assert one.deprels == other.deprels
        assert is_tree(heads)
        assert is_projective(heads) or options.trees == "nonprojective"
        assert is_single_root(heads) or options.roots == "multi"
        assert options.labels or set(one.deprels) <= {"dep", "root"}


@pytest.mark.parametrize("factorization", ["arc", "sibling"])
def test_what_has_parts_larger_than_arcs_is_pruned_unless_told_not_to(factorization, sentences):
    quick = {"tags": "gold", "epochs": 1, "threads": 1, "learner": "perceptron", "factorization": factorization}
    default = train_parser(sentences[:3], sentences[:3], TrainingOptions(**quick)).pruner
    assert (default is None) == (factorization == "arc")
    assert default is None or (len(default.stages), default.stages[0].max_heads) == (1, 0)
    assert train_parser(sentences[:3], sentences[:3], TrainingOptions(beam=0, **quick)).pruner is None
    capped = train_parser(sentences[:3], sentences[:3], TrainingOptions(beam=0, max_heads=3, **quick)).pruner
    assert [(stage.beam, stage.max_heads) for stage in capped.stages] == [(0, 3)]
