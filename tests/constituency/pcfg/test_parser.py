"""Probabilities by hand, any input, given tags, model files."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.constituency.pcfg import Pcfg, train_pcfg
from treewright.errors import ModelError, UsageError
from treewright.model.container import load_model, save_model
from treewright.treebank import ConstituentTree, Sentence

BANK = [
    ConstituentTree.from_string(text)
    for text in (
        "(S (NP (D the) (N dog)) (VP (V barks)))",
        "(S (NP (D the) (J old) (N dog)) (VP (V saw) (NP (N trees))))",
        "(S (NP (N dogs)) (VP (V saw) (NP (D the) (N cat)) (PP (P at) (NP (N noon)))))",
        "(NP (NP (D a) (N cat)) (PP (P at) (NP (N noon))))",
    )
]


def sentence(words, tags=None):
    return Sentence.from_forms(list(words), xpos=None if tags is None else list(tags))


def parse(model, words, tags=None):
    return model.parse_sentence(sentence(words, tags), keep_tags=tags is not None)


@pytest.fixture(scope="module")
def model():
    return train_pcfg(BANK, vertical=1, horizontal=1)


def test_probabilities_are_relative_frequencies(model):
    # 3 of 4 roots are S; NP -> D N is 3 of 9 NPs, VP -> V 1 of 3.
    words = sum(
        model.lexicon.score(word)[[tag == t for tag in model.lexicon.tags].index(True)]
        for word, t in (("the", "D"), ("dog", "N"), ("barks", "V"))
    )
    assert model.log_probability(BANK[0]) == pytest.approx(log(3 / 4) + log(3 / 9) + log(1 / 3) + words)


def test_parts_of_chains_are_chains():
    seen = ("(S (B (A (x a))) (y b))", "(S (A (x a) (x a)) (y b))")
    model = train_pcfg(map(ConstituentTree.from_string, seen), vertical=1)
    tree = ConstituentTree.from_string("(S (A (x a)) (y b))")
    words = model.lexicon.scores("ab", "xy").max(1).sum()
    assert model.log_probability(tree) == pytest.approx(log(1 / 2) + log(1 / 2) + words)
    assert tree in [found for found, _ in model.k_best(sentence("ab", "xy"), 2, keep_tags=True)]


def test_a_tree_with_a_rule_never_seen_has_no_probability(model):
    for text in ("(S (VP (V saw)) (NP (N dogs)))", "(S (NP (V saw)) (VP (V saw)))", "(X (N dogs))", "(VP (V saw))"):
        assert model.log_probability(ConstituentTree.from_string(text)) == -np.inf


@pytest.mark.parametrize("tree", BANK, ids=str)
def test_the_treebank_is_parsed(model, tree):
    assert model.parse(tree.words) == [tree]
    assert parse(model, tree.words, tree.tags) == tree


def test_a_blank_is_no_tag(model):
    tree = BANK[0]
    assert parse(model, tree.words, [tree.tags[0], *["_"] * (len(tree.tags) - 1)]) == tree
    odd = parse(model, tree.words, ["ODD", *["_"] * (len(tree.tags) - 1)])
    assert odd.tags == ("ODD", *tree.tags[1:])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(min_size=1, max_size=6) | st.sampled_from(["the", "dog", "saw", "at"]), min_size=1, max_size=7))
def test_any_words_have_a_tree(model, words):
    found = model.k_best(sentence(words), 3)
    assert [found[0].tree] == model.parse(sentence(words))
    for tree, score in found:
        assert tree.words == tuple(word.replace("(", "-LRB-").replace(")", "-RRB-") for word in words)
        assert -np.inf < score <= 1e-9


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["the", "dog", "zzz"]), st.sampled_from("DNVQ!")), min_size=1, max_size=6))
def test_given_tags_stand_in_the_tree_known_or_not(model, pairs):
    words, tags = zip(*pairs, strict=True)
    tree = parse(model, words, tags)
    assert tree.words == words
    assert tree.tags == tags


def test_given_tags_change_the_tree(model):
    assert parse(model, ["dogs", "saw"]).tags == ("N", "V")
    assert parse(model, ["dogs", "saw"], ["D", "N"]).labels == ("NP", "D", "N")


def test_fragments_are_as_few_as_can_be(model):
    tree = parse(model, ["saw", "the", "dog", "saw"], ["V", "D", "N", "D"])
    assert str(tree) == "(S (VP (V saw) (NP (D the) (N dog))) (D saw))"


def test_wrong_requests_are_refused(model):
    with pytest.raises(UsageError, match="no words"):
        parse(model, [])
    with pytest.raises(UsageError, match="word 2 is empty"):
        parse(model, ["a", ""])
    with pytest.raises(ValueError, match="k is -1"):
        model.k_best(sentence("a"), -1)
    with pytest.raises(UsageError, match="no trees"):
        train_pcfg([])
    assert model.k_best(sentence("a"), 0) == []


@pytest.mark.parametrize("settings", [{}, {"vertical": 3, "horizontal": None, "annotate_tags": False}])
def test_a_model_file_gives_the_same_model(tmp_path, settings):
    model = train_pcfg(BANK, **settings)
    model.save(tmp_path / "grammar.tw")
    again = Pcfg.open(tmp_path / "grammar.tw")
    assert again.symbols == model.symbols
    assert again.annotation == model.annotation
    for words in (["the", "dog", "saw", "zebras"], ["at", "Q"]):
        assert again.k_best(sentence(words), 5) == model.k_best(sentence(words), 5)
        assert again.log_partition(sentence(words)) == model.log_partition(sentence(words))
    again.save(tmp_path / "again.tw")
    assert (tmp_path / "again.tw").read_bytes() == (tmp_path / "grammar.tw").read_bytes()


def test_a_model_without_unary_or_binary_rules_is_kept(tmp_path):
    for text in ("(N dog)", "(NP (N dog))", "(NP (D a) (N dog))"):
        tree = ConstituentTree.from_string(text)
        train_pcfg([tree]).save(tmp_path / "small.tw")
        assert Pcfg.open(tmp_path / "small.tw").parse(tree.words) == [tree]


def test_a_damaged_file_is_refused(tmp_path, model):
    path = tmp_path / "grammar.tw"
    model.save(path)
    content = bytearray(path.read_bytes())
    path.write_bytes(content[:-10])
    with pytest.raises(ModelError, match="truncated"):
        Pcfg.open(path)
    content[-5] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelError, match="SHA-256"):
        Pcfg.open(path)


@pytest.mark.parametrize("damage", ["kind", "symbols", "rules", "chains", "words", "settings", "weights", "roots"])
def test_a_file_with_another_grammar_in_it_is_refused(tmp_path, model, damage):
    path = tmp_path / "grammar.tw"
    model.save(path)
    manifest, arrays = load_model(path)
    arrays = {name: array.copy() for name, array in arrays.items()}
    if damage == "kind":
        manifest["kind"] = "parser"
    elif damage == "symbols":
        manifest["symbols"].reverse()
    elif damage == "rules":
        arrays["rules"][2, 0] = 10_000
    elif damage == "chains":
        arrays["chains"][0] = len(model.symbols)
    elif damage == "words":
        manifest["words"].pop()
    elif damage == "settings":
        manifest["settings"]["vertical"] = 0
    elif damage == "weights":
        arrays["rule_weights"][0] = np.nan
    elif damage == "roots":
        arrays["roots"] = arrays["roots"][:-1]
    save_model(path, manifest, arrays)
    with pytest.raises(ModelError, match="another kind" if damage == "kind" else "corrupted"):
        Pcfg.open(path)
