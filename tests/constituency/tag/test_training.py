"""Training constituent parsers, and what trainers have in common."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

import treewright
from treewright.constituency.spines import SpineTable, extract_derivation
from treewright.constituency.tag import material
from treewright.constituency.tag.coverage import measure_coverage
from treewright.constituency.tag.material import Material
from treewright.constituency.tag.options import ConstituentOptions
from treewright.constituency.tag.parser import ConstituentParser
from treewright.constituency.tag.tags import with_coarse_tags
from treewright.constituency.tag.training import TagTrainer, train_constituents
from treewright.dependency.training import DependencyTrainer
from treewright.errors import UsageError
from treewright.parsing.mixture import Mixture
from treewright.parsing.progress import Reporter
from treewright.treebank import ConstituentTree, Sentence, read_trees, simplify

OPTIONS = ConstituentOptions(order="first", epochs=1, folds=2, bits=18, threads=1)


@pytest.fixture(scope="module")
def trees(request):
    return [simplify(tree) for tree in read_trees(request.config.rootpath / "tests/data/craft.mrg")]


def test_the_tag_parser_gives_trees_with_log_probabilities(trees):
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


def test_trees_are_pruned_by_pruners_that_have_not_seen_them(trees, monkeypatch):
    def record(sentences, *arguments, **options):
        return [sentence.forms for sentence in sentences]

    monkeypatch.setattr(material, "train_link_pruner", record)
    options = replace(OPTIONS, tags="gold", pruner_folds=3)
    forms = [tree.words for tree in trees[:8]]
    whole, pruners = Material.of(trees[:8], options, Reporter()).pruners(options, Reporter())
    assert whole == forms
    assert len(pruners) == 8
    for own, seen in zip(forms, pruners, strict=True):
        assert own not in seen
        assert 5 <= len(seen) <= 6
    whole, pruners = Material.of(trees[:8], options, Reporter()).pruners(replace(options, pruner_folds=1), Reporter())
    assert all(pruner is whole for pruner in pruners)


def test_pruning_in_folds_costs_training_trees_what_it_costs_others(trees):
    """The parser's own pruner keeps too much of the trees it was trained on."""
    options, table, shares = replace(OPTIONS, tags="gold", pruner_folds=3), SpineTable(), []
    reporter = Reporter()
    reporter.stage = lambda name, share: shares.append(share)
    half = len(trees) // 2
    material = Material.of(trees[:half], options, Reporter())
    pruner, pruners = material.pruners(options, reporter)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    derivations = [extract_derivation(tree, "collins", table) for tree in trees]
    unseen = [with_coarse_tags(Sentence.from_forms(tree.words, xpos=tree.tags)) for tree in trees[half:]]

    def lost(sentences, gold, prune):
        return measure_coverage(material.automata, sentences, gold, table, prune).lost_pruned

    of_sentence = {sentence.forms: own for sentence, own in zip(material.sentences, pruners, strict=True)}
    seen = material.sentences, derivations[:half]
    own = lost(*seen, pruner.links)
    folded = lost(*seen, lambda sentence, choices: of_sentence[sentence.forms].links(sentence, choices))
    other = lost(unseen, derivations[half:], pruner.links)
    assert own < folded
    assert abs(folded - other) < abs(own - other)


def test_trees_with_top_above_them_keep_their_roots(trees):
    """The root is called TOP, too, and no label may be lost between them."""
    wrapped = [ConstituentTree.from_string(f"(TOP {tree})") for tree in trees[:12]]
    options, table = replace(OPTIONS, tags="gold", pruner_folds=1), SpineTable()
    material = Material.of(wrapped, options, Reporter())
    pruner, _ = material.pruners(options, Reporter())
    derivations = [extract_derivation(tree, "collins", table) for tree in wrapped]
    found = measure_coverage(material.automata, material.sentences, derivations, table, pruner.links)
    assert found.dependencies - found.kept < len(wrapped) / 2


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


def test_the_temperature_is_fitted_on_trees_that_were_not_learned_from_and_never_on_dev(trees):
    treebank, options = trees[:24], replace(OPTIONS, tags="gold", pruner_folds=1)

    def trained(dev, calibrate):
        return train_constituents(treebank, dev, replace(options, calibrate=calibrate))

    none, twice, again, aside = (
        trained(trees[24:30], "none"),
        trained(trees[24:30], "twice"),
        trained(trees[26:28], "twice"),
        trained(trees[24:30], "aside"),
    )
    assert none.temperatures == Mixture() != twice.temperatures == again.temperatures
    assert (none.scorer.weights.values == twice.scorer.weights.values).all()
    assert aside.temperatures != Mixture()
    assert [one.info["trained on"]["sentences"] for one in (none, twice, aside)] == [24, 24, 18]


def test_a_given_tagger_takes_the_place_of_a_learned_one_and_brings_its_clusters(trees, tmp_path):
    tagger = treewright.load("en-linear").tagger
    parser = train_constituents(trees[:20], trees[20:24], replace(OPTIONS, calibrate="none"), tagger=tagger)
    opened = ConstituentParser.open(_saved(parser, tmp_path))
    assert [column.name for column in opened.tagger.columns] == ["upos", "xpos"]
    assert len(opened.scorer.features.lexicon.clusters) == len(tagger.clusters)
    assert "cluster xpos" in opened.scorer.features.settings.templates["spine"]
    words = Sentence.from_forms(trees[30].words)
    assert opened.parse_sentence(words).tags == tuple(tagger.tag(words).xpos)
    assert opened.parse_sentence(words) == parser.parse_sentence(words)


def _saved(parser, folder):
    parser.save(folder / "parser.tw")
    return folder / "parser.tw"
