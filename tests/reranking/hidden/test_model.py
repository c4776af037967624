"""Model files, and what inspection says."""

import numpy as np
import pytest

from tests.reranking.hidden.enumeration import assignments, candidates_of, constituents, dependencies
from treewright.errors import ModelError, UsageError
from treewright.model.container import load_model, save_model
from treewright.reranking import CandidatesBuilder
from treewright.reranking.hidden.inspection import annotate, best_assignment, describe_values, describe_words
from treewright.reranking.hidden.lists import TreeLists
from treewright.reranking.hidden.model import HiddenReranker
from treewright.reranking.hidden.sequences import TaggedSequence
from treewright.reranking.hidden.supersenses import Supersenses
from treewright.reranking.hidden.training import train_hidden
from treewright.reranking.options import HiddenSettings

SENSES = Supersenses({"dog n": ("noun.animal", "noun.person"), "joy n": ("noun.feeling",)})


def trained(domains="supersense:2", lists=None):
    lists = constituents() if lists is None else lists
    candidates = candidates_of(lists)
    settings = HiddenSettings(domains, "sibling", 1)
    return train_hidden(lists, candidates, settings=settings, supersenses=SENSES, epochs=5), lists, candidates


def test_a_saved_model_gives_the_same_scores(tmp_path):
    model, lists, candidates = trained()
    model.save(tmp_path / "model.tw")
    again = HiddenReranker.open(tmp_path / "model.tw")
    expected = model.scores(candidates, lists)
    np.testing.assert_array_equal(again.scores(candidates, lists), expected)
    assert again.info["sentences"] == 2
    assert again.features.settings == model.features.settings
    assert again.base_weight == model.base_weight


def test_equal_models_are_equal_files(tmp_path):
    for name in ("one.tw", "two.tw"):
        trained()[0].save(tmp_path / name)
    assert (tmp_path / "one.tw").read_bytes() == (tmp_path / "two.tw").read_bytes()


def test_other_files_are_refused(tmp_path):
    model, _, _ = trained()
    model.save(tmp_path / "model.tw")
    manifest, arrays = load_model(tmp_path / "model.tw")
    save_model(tmp_path / "kind.tw", {**manifest, "kind": "something"}, arrays)
    with pytest.raises(ModelError, match=r"another kind \('something'\)"):
        HiddenReranker.open(tmp_path / "kind.tw")
    save_model(tmp_path / "less.tw", manifest, {**arrays, "weights": arrays["weights"][:-1]})
    with pytest.raises(ModelError, match="do not fit"):
        HiddenReranker.open(tmp_path / "less.tw")
    save_model(tmp_path / "none.tw", manifest, {"weights": arrays["weights"]})
    with pytest.raises(ModelError, match="corrupted"):
        HiddenReranker.open(tmp_path / "none.tw")


def test_the_best_assignment_is_that_of_enumeration():
    model, lists, candidates = trained("tag:2", dependencies())
    trees = model.read(lists, candidates)
    weights = model.weights.decoded()
    for c, tree in enumerate(lists[0]):
        annotation = best_assignment(model, trees, 0, c, tree)
        observation = model.features.observe(tree)
        found = list(assignments(model.features, observation))
        values, _ = max(found, key=lambda item: weights[item[1]].sum())
        domains = model.features.domains.assign(observation).tolist()
        expected = [model.features.domains.value_names(d)[k] for d, k in zip(domains, values, strict=True)]
        assert annotation.values == expected
        assert [list(edge) for edge in annotation.edges] == observation.edges.tolist()
        assert annotation.highest == observation.highest
        assert annotation.forms == tree.forms


def test_reports_count_what_was_chosen():
    model, lists, candidates = trained("tag:2")
    annotations = annotate(model, lists, candidates)
    chosen = candidates.best(model.scores(candidates, lists)) - candidates.offsets[:-1]
    assert [a.forms for a in annotations] == [own[c].words for own, c in zip(lists, chosen, strict=True)]
    values = describe_values(annotations, least=1)
    [first] = [value for a in annotations for form, value in zip(a.forms, a.values, strict=True) if form == "I"]
    assert f"{first}: 1 words\n    words      I 1\n    below      saw/VBD 1\n    above      nothing" in values
    words = describe_words(annotations, ["saw", "nowhere"])
    assert "saw: 2 times" in words
    assert "I [saw] a dog" in words
    assert "nowhere: not seen" in words
    assert str(annotations[0]).startswith(f"I/{first} saw/")


def test_trees_are_read_from_the_texts_of_candidates():
    texts = [["(S (NP (NN go)))", "(S (VP (VB go)))"], ["1\tgo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"], ["1/2/CD go/VB"]]
    builder = CandidatesBuilder()
    for own in texts:
        builder.add([-1.0] * len(own), [0.0] * len(own), [[]] * len(own), ids=own)
    brackets, parses, sequences = TreeLists(builder.build())
    assert [str(tree) for tree in brackets] == texts[0]
    assert parses[0].upos[0] == "VERB"
    assert sequences == [TaggedSequence(["1/2", "go"], ["CD", "VB"])]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(S (VB go)) (S (VB went))", "has 2 trees"),
        ("", "is not a tree"),
        ("go/VB home", "is not a tree"),
        ("/VB", "is"),
    ],
)
def test_texts_that_are_not_one_tree_are_refused(text, complaint):
    builder = CandidatesBuilder()
    builder.add([-1.0], [0.0], [[]], ids=[text])
    with pytest.raises(UsageError, match=f"the text of candidate 1 {complaint}"):
        TreeLists(builder.build())[0]


def test_trees_are_read_when_they_are_asked_for():
    builder = CandidatesBuilder()
    for text in ("(S (VB go))", "nothing", "go/VB"):
        builder.add([-1.0], [0.0], [[]], ids=[text])
    lists = TreeLists(builder.build())
    assert len(lists) == 3
    assert [str(tree) for tree in lists[0]] == ["(S (VB go))"]
    assert lists[-1] == [TaggedSequence(["go"], ["VB"])]
    assert len(lists[0:3:2]) == 2
    with pytest.raises(UsageError, match="the text of candidate 2 is not"):
        lists[1]
    with pytest.raises(IndexError):
        lists[3]


def test_candidates_without_texts_are_refused():
    builder = CandidatesBuilder()
    builder.add([-1.0], [0.0], [[]])
    with pytest.raises(UsageError, match="have no trees"):
        TreeLists(builder.build())
