"""Trees and dependency graphs of NLTK, from the real library."""

import sys

import pytest
from hypothesis import given

from tests.treebank.conllu.strategies import sentences
from tests.treebank.constituents.strategies import trees
from treewright.errors import UsageError
from treewright.integrations.nltk import from_nltk, to_nltk
from treewright.treebank import ConstituentTree, Sentence, format_sentence

nltk = pytest.importorskip("nltk")

BRACKETS = "(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP us))) (. .))"


@given(trees())
def test_trees_and_back(tree):
    there = to_nltk(tree)
    assert isinstance(there, nltk.Tree)
    assert there.leaves() == list(tree.words)
    assert from_nltk(there) == tree


def test_nltk_reads_the_same_trees():
    assert to_nltk(ConstituentTree.from_string(BRACKETS)) == nltk.Tree.fromstring(BRACKETS)
    for text in ("(NP the dog)", "(NP (DT the) dog)", "(NP (DT the) (X))"):
        with pytest.raises(UsageError, match="give each word a tag"):
            from_nltk(nltk.Tree.fromstring(text))


def test_without_nltk(monkeypatch):
    for name in ("nltk", "nltk.tree", "nltk.parse"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match="NLTK, which is not installed: pip install nltk"):
        to_nltk(ConstituentTree.from_string(BRACKETS))


def held(sentence):
    """What a graph has a place for."""
    blank = ["_"] * len(sentence)
    return sentence.replace(deps=blank, misc=blank, comments=[], asides=[])


@given(sentences())
def test_graphs_and_back(sentence):
    assert format_sentence(from_nltk(to_nltk(sentence))) == format_sentence(held(sentence))


def test_nltk_reads_the_same_graphs(ewt):
    for sentence in ewt:
        words = format_sentence(held(sentence)).strip()
        read = nltk.DependencyGraph(words, cell_separator="\t", top_relation_label="root")
        ours = to_nltk(sentence)
        assert {i: {**node, "feats": None} for i, node in read.nodes.items()} == {
            i: {**node, "feats": None} for i, node in ours.nodes.items()
        }
        assert ours.root == read.root
        assert ours.tree() == read.tree()
        assert from_nltk(read).heads.tolist() == sentence.heads.tolist()


def test_graphs_that_are_no_sentences():
    graph = to_nltk(Sentence.from_forms(["a", "b"], heads=[2, 0]))
    graph.nodes[1]["head"] = 9
    with pytest.raises(UsageError, match="heads that are not among its words"):
        from_nltk(graph)
    graph.remove_by_address(1)
    with pytest.raises(UsageError, match="must be 1, 2"):
        from_nltk(graph)
    with pytest.raises(TypeError, match="cannot convert str"):
        from_nltk("a b")
