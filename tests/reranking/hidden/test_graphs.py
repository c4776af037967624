"""Graphs of units: from Python and from texts, trained and refused."""

import json

import numpy as np
import pytest

from tests.reranking.hidden.enumeration import candidates_of
from treewright.errors import UsageError
from treewright.reranking import CandidatesBuilder
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.hidden.elimination import MOST_UNITS
from treewright.reranking.hidden.features import HiddenFeatures
from treewright.reranking.hidden.graphs import UnitGraph, observe_graph
from treewright.reranking.hidden.inspection import annotate, describe_values
from treewright.reranking.hidden.learning import ConjugateGradient
from treewright.reranking.hidden.lists import TreeLists
from treewright.reranking.hidden.training import train_hidden
from treewright.reranking.options import HiddenSettings

TEXT = json.dumps({"forms": ["a", "b", "c"], "tags": ["X", "Y", "X"], "edges": [[0, 1], [1, 2, "next"], [2, 0]]})


def read(*texts):
    builder = CandidatesBuilder()
    builder.add([-1.0] * len(texts), [1.0] * len(texts), [[]] * len(texts), ids=list(texts))
    return TreeLists(builder.build())[0]


def test_a_graph_is_read_from_its_text():
    [graph] = read(TEXT)
    assert graph == UnitGraph(["a", "b", "c"], ["X", "Y", "X"], [(0, 1), (1, 2, "next"), (2, 0)])


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '{"forms": 1}',
        '{"forms": [], "tags": [], "edges": [3]}',
        '{"forms": ["a", "b"], "tags": ["X", "X"], "edges": [[0, 0.5]]}',
    ],
)
def test_texts_that_are_no_graphs_are_refused(text):
    with pytest.raises(UsageError, match="the text of candidate 1 is not a graph of units"):
        read(text)


@pytest.mark.parametrize(
    ("edges", "complaint"),
    [
        ([(0, 3)], "units 0 and 3 cannot be connected; name two different units from 0 to 2"),
        ([(-1, 0)], "units -1 and 0"),
        ([(0, 10**30)], "cannot be connected"),
        ([(1, 1)], "units 1 and 1 cannot"),
        ([(0, 1), (1, 0)], "units 1 and 0 are connected twice"),
        ([(0, 1, "a", "b")], "more or fewer entries"),
        ([(0,)], "more or fewer entries"),
    ],
)
def test_edges_that_make_no_sense_are_refused(edges, complaint):
    with pytest.raises(UsageError, match=complaint):
        observe_graph(UnitGraph(["a", "b", "c"], ["X"] * 3, edges))


def test_graphs_that_are_too_wide_are_refused_by_their_width():
    lists = [[UnitGraph.markov(["a"] * 8, ["X"] * 8, 5), UnitGraph.markov(["a"] * 8, ["X"] * 8, 4)]]
    features = HiddenFeatures(HiddenSettings("tag:2", cutoff=1))
    with pytest.raises(UsageError, match="a graph of 8 units and 25 edges is wider than 4"):
        features.read(lists, candidates_of(lists))


def test_large_graphs_are_refused_only_if_they_have_cycles():
    n = MOST_UNITS + 1
    chain = [(u, u + 1) for u in range(n - 1)]
    features = HiddenFeatures(HiddenSettings("tag:2", cutoff=1))
    for edges in (chain, [*chain, (n - 1, 0)]):
        lists = [[UnitGraph(["a"] * n, ["X"] * n, edges)]]
        if edges is chain:
            assert features.read(lists, candidates_of(lists)).positions[-1] == n
        else:
            with pytest.raises(UsageError, match="a graph of 4,001 units has cycles; at most 4,000"):
                features.read(lists, candidates_of(lists))


def test_cliques_with_too_many_joint_values_are_refused():
    lists = [[UnitGraph.markov(["a"] * 5, ["X"] * 5, 4)] * 2]
    features = HiddenFeatures(HiddenSettings("tag:32", cutoff=1))
    with pytest.raises(UsageError, match="33,554,432 joint values; at most 1,048,576"):
        features.read(lists, candidates_of(lists))


def test_a_ring_of_units_is_learned():
    """The name of one edge is right if its two words agree, which hidden values must tell."""
    generator = np.random.default_rng(1)
    lists, gold = [], []
    for _ in range(60):
        signs = generator.integers(2, size=3)
        forms = [f"{name}{sign}" for name, sign in zip("abc", signs, strict=True)]
        names = [("+", "+", "+"), ("-", "+", "+")]
        lists.append([UnitGraph(forms, ["X"] * 3, [(0, 1, a), (1, 2, b), (2, 0, c)]) for a, b, c in names])
        gold += [float(signs[0] == signs[1]), float(signs[0] != signs[1])]
    nothing = np.zeros(121, np.int64), np.zeros(0, np.int32)
    candidates = Candidates(np.arange(0, 121, 2), np.zeros(120), np.array(gold), *nothing)
    settings = HiddenSettings("tag:2", "head", 1)
    learner = ConjugateGradient(C=1000, spread=0.5)
    model = train_hidden(lists, candidates, settings=settings, learner=learner, epochs=80, patience=99)
    assert candidates.gold[candidates.best(model.scores(candidates, lists))].mean() > 0.97
    annotations = annotate(model, lists, candidates)
    assert annotations[0].edges == [(0, 1), (1, 2), (2, 0)]
    assert "words" in describe_values(annotations)
