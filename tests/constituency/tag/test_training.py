"""Training constituent parsers, and what trainers have in common."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from treewright.constituency.tag.options import ConstituentOptions
from treewright.constituency.tag.training import TagTrainer, train_constituents
from treewright.dependency.training import DependencyTrainer
from treewright.errors import UsageError
from treewright.treebank import ConstituentTree, Sentence, read_trees, simplify

OPTIONS = ConstituentOptions(order="first", epochs=1, folds=2, bits=18, threads=1)


def test_the_tag_parser_gives_trees_with_log_probabilities(request):
    trees = [simplify(tree) for tree in read_trees(request.config.rootpath / "tests/data/craft.mrg")]
    shares = []
    base = TagTrainer(OPTIONS).train(trees[:30], shares.append)
    assert shares == sorted(shares)
    assert (shares[-1], min(shares) < 0.25) == (1.0, True)  # it tells of what comes before the epochs as well
    assert base.info["trained on"]["sentences"] == 29  # and one chooses the epoch
    words = trees[31].words
    found = base.k_best(Sentence.from_forms(words), 4)
    assert len({tree for tree, _ in found}) == 4
    assert all(tree.words == words for tree, _ in found)
    assert all(one >= two for (_, one), (_, two) in itertools.pairwise(found))
    assert sum(ranked.probability for ranked in found) <= 1 + 1e-9


def test_a_trace_that_the_tagger_misses_is_a_word_like_others():
    seen = ["(S (NP (NNS Trees)) (VP (VBP grow)))", "(S (NP (NNS Dogs)) (VP (VBP bark) (ADVP (RB now))))"]
    held_out = ["(S (NP (NNS Dogs)) (VP (VBP grow) (NP (-NONE- *T*-1))))"]  # nothing that was learned from has a trace
    trees, dev = (map(ConstituentTree.from_string, texts) for texts in (seen, held_out))
    parser = train_constituents(trees, dev, replace(OPTIONS, empty="keep"))
    assert parser.info["dev"]["tags"] == 100  # of the other words
    assert parser.empty == "keep"


def test_threads_do_not_change_what_a_trainer_says():
    others = ConstituentOptions(order="first", epochs=1, folds=2, bits=18, threads=2)
    assert TagTrainer(OPTIONS).describe() == TagTrainer(others).describe()
    assert TagTrainer(OPTIONS).describe() != TagTrainer(ConstituentOptions()).describe()


@pytest.mark.parametrize("trainer", [TagTrainer(), DependencyTrainer()])
def test_one_tree_is_not_enough(trainer):
    with pytest.raises(UsageError, match="at least two"):
        trainer.train([None], print)
