"""What features see: graphs, Figure 2, domains and supersenses."""

import gzip

import numpy as np
import pytest

from tests.reranking.hidden.enumeration import candidates_of, constituents
from treewright.errors import UsageError
from treewright.reranking.hidden.domains import Domains, parse_domains
from treewright.reranking.hidden.features import HiddenFeatures
from treewright.reranking.hidden.observation import observe, observe_parse
from treewright.reranking.hidden.sequences import TaggedSequence, observe_sequence
from treewright.reranking.hidden.supersenses import Supersenses
from treewright.reranking.options import HiddenSettings
from treewright.treebank import ConstituentTree, Sentence

#: The fragment of Figure 2 of the paper, without the subject.
FIGURE = ConstituentTree.from_string(
    "(S (VP (VBD bought) (NP (CD 1.5) (CD m) (NNS shares)) (PP (IN in) (NP (JJ heavy) (NN trading))) "
    "(NP (NN yesterday))))"
)
WORDS = {word: place for place, word in enumerate(FIGURE.words)}


def contexts(tree, word, structure="head"):
    seen = observe(tree, structure)
    return set(seen.contexts[seen.starts[word] : seen.starts[word + 1]].tolist())


def pairs(tree, word, structure="head"):
    seen = observe(tree, structure)
    [edge] = np.flatnonzero(seen.edges[:, 1] == word)
    return seen.edge_contexts[edge].tolist()


def test_dependencies_of_the_figure():
    bought, shares, preposition, yesterday = (WORDS[word] for word in ("bought", "shares", "in", "yesterday"))
    head, sibling = observe(FIGURE, "head").parent, observe(FIGURE, "sibling").parent
    assert [head[word] for word in (bought, shares, preposition, yesterday)] == [-1, bought, bought, bought]
    assert [sibling[word] for word in (bought, shares, preposition, yesterday)] == [-1, bought, shares, preposition]
    assert sibling[WORDS["1.5"]] == WORDS["m"]
    assert sibling[WORDS["m"]] == shares


def test_the_highest_nonterminals_of_the_figure():
    highest = observe(FIGURE).highest
    assert [highest[WORDS[word]] for word in ("bought", "shares", "in", "heavy")] == ["S", "NP", "PP", "JJ"]


@pytest.mark.parametrize(("word", "features"), [("shares", 20), ("bought", 20), ("heavy", 16), ("in", 20)])
def test_each_word_has_the_features_of_the_figure(word, features):
    """Twenty for shares, as the figure lists; two rules and no rule above for bought; none headed for heavy."""
    assert len(contexts(FIGURE, WORDS[word])) == features


def changed(before, after):
    """Read a tree with one piece of its text changed, and count the features of shares that it loses."""
    other = ConstituentTree.from_string(str(FIGURE).replace(before, after))
    shares = WORDS["shares"]
    return len(contexts(FIGURE, shares) - contexts(other, shares)), sum(
        one != two for one, two in zip(pairs(FIGURE, shares), pairs(other, shares), strict=True)
    )


@pytest.mark.parametrize(
    ("before", "after", "alone", "together"),
    [
        ("shares", "bonds", 10, 0),  # every feature that names the word
        ("(NNS shares)", "(NN shares)", 10, 0),  # tag, tag and highest, down path, head rule and its grandparent; twice
        ("(S (VP", "(X (VP", 4, 1),  # up path, grandparent of its rule
        ("(IN in)", "(RP in)", 0, 0),  # what is far away is not seen
        ("(PP", "(ADVP", 4, 2),  # the rule where it is a modifier
        ("(CD m)", "(CD n)", 0, 0),
        ("(CD m)", "(JJ m)", 4, 0),  # the rule that it heads
    ],
)
def test_features_see_what_the_figure_says(before, after, alone, together):
    assert changed(before, after) == (alone, together)


def test_dependencies_are_flat_constituents():
    sentence = Sentence.from_forms(
        ["John", "ate", "cake", "today"],
        upos=["PROPN", "VERB", "NOUN", "NOUN"],
        heads=[2, 0, 2, 2],
        deprels=["nsubj", "root", "obj", "obl"],
    )
    flat = ConstituentTree.from_string("(root (nsubj (PROPN John)) (VERB ate) (obj (NOUN cake)) (obl (NOUN today)))")
    rules = "collins"
    one, two = observe_parse(sentence, "sibling"), observe(flat, "sibling", rules)
    if two.parent.tolist() == one.parent.tolist():  # the head rules know nothing of relations
        assert one.contexts.tolist() == two.contexts.tolist()
    assert one.parent.tolist() == [1, -1, 1, 2]
    assert one.highest == ["nsubj", "root", "obj", "obl"]


def test_words_in_a_circle_are_refused():
    with pytest.raises(UsageError, match="every word must be reachable from the root"):
        observe_parse(Sentence.from_forms(["a", "b", "c"], heads=[2, 1, 0]))
    with pytest.raises(UsageError, match="every word must be reachable from the root"):
        observe_parse(Sentence.from_forms(["a", "b"]))


def test_unknown_structures_are_refused():
    with pytest.raises(UsageError, match="structure is 'uncle'"):
        observe(FIGURE, "uncle")


def test_a_sequence_is_a_chain():
    seen = observe_sequence(TaggedSequence(["a", "b", "c"], ["X", "Y", "Z"]))
    assert seen.parent.tolist() == [-1, 0, 1]
    assert seen.edges.tolist() == [[0, 1], [1, 2]]
    assert seen.edge_contexts.shape == (2, 3)
    with pytest.raises(UsageError, match="2 words need as many tags, not 1"):
        observe_sequence(TaggedSequence(["a", "b"], ["X"]))


SENSES = Supersenses({"share n": ("noun.possession", "noun.act", "noun.artifact"), "buy v": ("verb.possession",)})


@pytest.mark.parametrize(
    ("text", "word", "names"),
    [
        ("lexical", "shares", ["shares1", "shares2", "shares3"]),
        ("tag:2", "shares", ["NNS1", "NNS2"]),
        ("highest:2", "bought", ["S1", "S2"]),
        ("supersense:1", "shares", ["noun.possession1", "noun.act1", "noun.artifact1"]),
        ("supersense", "in", ["IN1", "IN2", "IN3", "IN4", "IN5"]),
        ("lexical:1+tag:2", "shares", ["shares1", "NNS1", "NNS2"]),
    ],
)
def test_domains_are_those_of_the_paper(text, word, names):
    domains = Domains(text, SENSES)
    number = int(domains.assign(observe(FIGURE))[WORDS[word]])
    assert domains.value_names(number) == names


def test_supersenses_can_be_fewer():
    domains = Domains("supersense:1", SENSES, most_senses=1)
    assert domains.value_names(int(domains.assign(observe(FIGURE))[WORDS["shares"]])) == ["noun.possession1"]


@pytest.mark.parametrize("text", ["", "cluster", "tag:0", "tag:65", "tag:x", "tag+tag:2"])
def test_bad_domains_are_refused(text):
    with pytest.raises(UsageError, match="hidden values"):
        parse_domains(text)


def test_supersenses_need_a_table():
    with pytest.raises(UsageError, match="table of supersenses"):
        Domains("supersense")


def test_supersenses_are_read_and_packed(tmp_path):
    path = tmp_path / "senses.tsv.gz"
    path.write_bytes(gzip.compress(b"share\tn\tnoun.possession,noun.act\nbe\tv\tverb.stative\n"))
    table = Supersenses.load(path)
    assert len(table) == 2
    assert table.find("SHARES", "NNS") == ("noun.possession", "noun.act")
    assert table.find("was", "VBD") == ("verb.stative",)
    assert table.find("was", "AUX", "be") == ("verb.stative",)
    assert Supersenses.restore(table.describe()).find("share", "NOUN") == ("noun.possession", "noun.act")


def test_a_bad_table_is_refused(tmp_path):
    path = tmp_path / "senses.tsv"
    path.write_text("share\tn\tnoun.act\nshare\tq\tnoun.act\n")
    with pytest.raises(UsageError, match=r"senses.tsv:2: not a line of a table of supersenses"):
        Supersenses.load(path)


def test_the_cutoff_counts_sentences():
    lists = constituents()
    candidates = candidates_of(lists)
    sizes = []
    for cutoff in (1, 2, 3):
        features = HiddenFeatures(HiddenSettings("tag:2", "head", cutoff))
        features.read(lists, candidates, learn=True)
        sizes.append(len(features.keys))
    assert sizes[0] > sizes[1] > sizes[2] == 0


def test_new_candidates_have_only_known_features():
    lists = constituents()
    candidates = candidates_of(lists)
    features = HiddenFeatures(HiddenSettings("tag:2", "head", 1))
    first = features.read(lists, candidates, learn=True)
    size = features.size
    other = [[ConstituentTree.from_string("(X (YY new) (ZZ words))")]]
    again = features.read(other, candidates_of(other))
    assert features.size == size
    assert len(again.node_place) == 0
    assert (features.read(lists, candidates).node_place == first.node_place).all()


def test_lists_that_do_not_fit_are_refused():
    lists = constituents()
    candidates = candidates_of(lists)
    features = HiddenFeatures(HiddenSettings())
    with pytest.raises(UsageError, match="sentence 1 has 2 trees for 3 candidates"):
        features.read([lists[0][:2], lists[1]], candidates)
    with pytest.raises(UsageError, match="2 sentences need as many lists of trees, not 1"):
        features.read(lists[:1], candidates)
    empty = [[Sentence.from_forms([])]]
    with pytest.raises(UsageError, match="with words"):
        features.read(empty, candidates_of(empty))


def test_there_may_be_no_candidates():
    features = HiddenFeatures(HiddenSettings())
    trees = features.read([], candidates_of([]), learn=True)
    assert np.array_equal(trees.candidates, [0])
