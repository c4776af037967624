"""Real work: trees and gradients are the same to the last bit, whoever does it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.execution.conftest import ON_RAY
from treewright.dependency.problem import ParsingProblem
from treewright.execution import Keep, LocalProcesses, Threads, sharded
from treewright.features import DependencyFeatures, Weights
from treewright.inference import Trees
from treewright.learning import LogLinear, train
from treewright.learning.batch import Objective
from treewright.learning.log_linear import TreeLosses, loss_and_features, scatter
from treewright.parsing import FormatShard, KBestShard, ParseShard, shards_of
from treewright.treebank import format_sentence


@pytest.fixture(scope="module")
def three_processes():
    with LocalProcesses(3) as executor:
        yield executor


OTHERS = [
    pytest.param(lambda request: Threads(2), id="threads"),
    pytest.param(lambda request: request.getfixturevalue("two_processes"), id="2"),
    pytest.param(lambda request: request.getfixturevalue("three_processes"), id="3"),
    *ON_RAY,
]


@pytest.fixture(params=OTHERS)
def other(request):
    """An executor of several workers."""
    return request.param(request)


def problem_of(sentences, projective, factorization):
    chosen = [sentence for sentence in sentences if 2 < len(sentence) <= 12][:14]
    kinds = {"arc": ["arc", "label"], "sibling": ["arc", "sibling", "label"]}[factorization]
    return ParsingProblem(
        chosen, DependencyFeatures.of(chosen, kinds=kinds, bits=16), Trees(projective, True, factorization)
    )


@pytest.mark.parametrize(("projective", "factorization"), [(True, "sibling"), (False, "arc")])
def test_gradients_have_the_same_bits(ewt, other, projective, factorization):
    problem = problem_of(ewt, projective, factorization)
    w = np.random.default_rng(1).normal(size=problem.size) * 0.1
    loss, gradient = Objective(TreeLosses(problem, 1, Threads(1), shard_words=20), 0.7)(w)
    again, same = Objective(TreeLosses(problem, 1, other, shard_words=20), 0.7)(w)
    assert again == loss
    assert same.tobytes() == gradient.tobytes()


def test_a_gradient_is_the_sum_over_examples(ewt):
    problem = problem_of(ewt, True, "sibling")
    w = np.random.default_rng(1).normal(size=problem.size) * 0.1
    loss, gradient = Objective(TreeLosses(problem, shard_words=20, executor=Threads(1)), 0.7)(w)
    expected, total = 0.5 * w @ w, w.copy()
    for index in range(len(problem)):
        negative_log, places, values = loss_and_features(problem, index, Weights(w))
        expected += 0.7 * negative_log
        scatter(total, places, values, -0.7)
    assert loss == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, total, rtol=1e-9, atol=1e-12)


def test_training_has_the_same_bits(ewt, two_processes):
    problem = problem_of(ewt, True, "arc")
    one, two = (
        train(problem, LogLinear(0.1, threads=1, executor=executor, shard_words=20), epochs=4).weights.values.tobytes()
        for executor in (None, two_processes)
    )
    assert one == two


def test_trees_are_the_same(ewt, text_parser, other, short_shards):
    many = ewt * 2
    assert len(list(shards_of(many))) > 2
    here = [format_sentence(sentence) for sentence in text_parser.parse_all(many, threads=1, confidence=True)]
    there = [format_sentence(sentence) for sentence in text_parser.parse_all(many, executor=other, confidence=True)]
    assert there == here


def format_all(trees):
    return "".join(format_sentence(ranked.tree) for ranked in trees)


def task_of(parser, k, options=None):
    if k is None:
        return ParseShard(parser, options or {}), format_sentence
    return KBestShard(parser, options or {}, k), format_all


@pytest.mark.parametrize("k", [None, 2])
def test_shards_of_any_size_give_the_same_trees(ewt, text_parser, k):
    task = FormatShard(*task_of(text_parser, k), "conllu")
    texts = {"".join(Threads(1).map(task, shards_of(ewt, words))) for words in (1, 100, 10_000)}
    assert len(texts) == 1


def test_shards_are_cut_by_words(ewt):
    sizes = [sum(len(sentence) + 1 for sentence in shard) for shard in shards_of(ewt, 100)]
    assert len(sizes) > 4
    assert all(100 <= size < 100 + max(map(len, ewt)) + 1 for size in sizes[:-1])
    with pytest.raises(ValueError, match="at least 1"):
        next(sharded([1], 0))


def test_what_is_asked_for_is_part_of_the_name(ewt, text_parser, gold_parser, tmp_path):
    """Kept shards of another model, other options, another format or other sentences are not mistaken for these."""
    tasks = [
        FormatShard(*task_of(parser, k, options), name)
        for parser in (text_parser, gold_parser)
        for k in (None, 2)
        for options in ({}, {"keep_tags": True})
        for name in ("conllu", "json")
    ]
    with Keep(tmp_path / "kept") as keep:
        names = [keep.name(task, shard) for task in tasks for shard in (ewt[:2], ewt[:3], ewt[1:3])]
        assert len(set(names)) == len(names)
        assert keep.name(tasks[0], [sentence.replace() for sentence in ewt[:2]]) == names[0]
