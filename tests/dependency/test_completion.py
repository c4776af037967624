"""Completion: what is given never changes, what is blank is filled in, and the given informs the rest."""

import itertools

import numpy as np
import pytest

from tests.inference.enumeration import all_trees, is_tree
from treewright.dependency.completion import is_possible
from treewright.dependency.parser import Parser
from treewright.errors import UsageError
from treewright.inference import Trees
from treewright.treebank import Sentence

COLUMNS = ("lemmas", "upos", "xpos", "feats", "deprels")


def draft_of(sentence, rng, share, unknown=0.0):
    """Blank cells at random; some of the others hold what no model has seen."""
    given = rng.random(len(sentence)) < share
    columns = {"heads": np.where(given, sentence.heads, -1)}
    for column in COLUMNS:
        columns[column] = [
            "_" if rng.random() >= share else "Odd=1" if rng.random() < unknown else cell
            for cell in getattr(sentence, column)
        ]
    return sentence.replace(**columns)


def assert_completes(draft, found, *, tags=True):
    assert ((found.heads == draft.heads) | (draft.heads < 0)).all()
    assert is_tree(found.rooted_heads())
    for column in COLUMNS:
        cells = list(zip(getattr(draft, column), getattr(found, column), strict=True))
        assert all(before in ("_", after) for before, after in cells)
        if column == "deprels" or (tags and column != "feats"):
            assert all(after != "_" for _, after in cells)


@pytest.fixture(scope="module", params=["text_parser", "third_order_parser", "gold_parser"])
def parser(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7, 1.0])
def test_given_cells_never_change_and_blanks_are_filled(text_parser, ewt, share):
    rng = np.random.default_rng(int(10 * share))
    for sentence in ewt:
        draft = draft_of(sentence, rng, share, unknown=0.1)
        assert_completes(draft, text_parser.parse_sentence(draft, complete=True))
        assert_completes(draft, text_parser.parse_sentence(draft, complete=True, joint_tags=2))
        if len(sentence) < 8:
            for one in text_parser.k_best(draft, 3, complete=True, confidence=True):
                assert_completes(draft, one.tree)


def test_every_kind_of_model_completes(parser, ewt):
    rng = np.random.default_rng(3)
    for sentence in [one for one in ewt if len(one) <= 12]:
        draft = draft_of(sentence, rng, 0.4)
        if parser.tagger is None:
            draft = draft.replace(upos=sentence.upos)
        assert_completes(draft, parser.parse_sentence(draft, complete=True), tags=parser.tagger is not None)


def test_a_blank_sentence_is_parsed_as_usual(text_parser, ewt):
    for sentence in ewt[30:]:
        bare = Sentence.from_forms(sentence.forms)
        usual, found = text_parser.parse_sentence(bare), text_parser.parse_sentence(bare, complete=True)
        for column in COLUMNS:
            assert list(getattr(usual, column)) == list(getattr(found, column))
        assert usual.heads.tolist() == found.heads.tolist()


def test_heads_are_kept_with_their_relations(text_parser, ewt):
    rng = np.random.default_rng(5)
    for sentence in ewt[30:]:
        draft = draft_of(sentence, rng, 0.5)
        found = text_parser.parse_sentence(draft, fix_heads=True)
        assert ((found.heads == draft.heads) | (draft.heads < 0)).all()
        pairs = zip(draft.deprels, found.deprels, strict=True)
        assert all(before in ("_", after) for before, after in pairs)
        assert found.upos == text_parser.parse_sentence(sentence).upos


def test_a_given_relation_guides_the_head(text_parser, ewt):
    """The tree is the best of all in which the word has this relation."""
    names, moved = list(text_parser.scorer.labels), 0
    for sentence in [one for one in ewt if 2 <= len(one) <= 5]:
        usual = text_parser.parse_sentence(sentence)
        scores, trees = text_parser.scores(usual), all_trees(len(sentence), True, True)
        words = np.arange(1, len(sentence) + 1)
        for word, relation in itertools.product(words, ("root", "obj", "det")):
            deprels = [relation if other == word else "_" for other in words]
            draft = usual.replace(heads=[-1] * len(sentence), deprels=deprels)
            found = text_parser.parse_sentence(draft, complete=True)
            moved += found.heads.tolist() != usual.heads.tolist()
            label = scores.label.copy()
            label[:, word, [name != relation for name in names]] = -np.inf
            values = [
                (scores.arc[heads[1:], words] + label[heads[1:], words].max(axis=1)).sum() for heads in np.array(trees)
            ]
            numbers = [-1, *map(names.index, found.deprels)]
            score = text_parser.trees.score(scores, found.rooted_heads(), numbers)
            assert score == pytest.approx(max(values), abs=1e-3)
    assert moved > 2


def test_a_relation_that_is_unknown_guides_nothing(text_parser, ewt):
    sentence = text_parser.parse_sentence(ewt[31])
    odd = sentence.replace(heads=[-1] * len(sentence), deprels=["odd", *["_"] * (len(sentence) - 1)])
    found = text_parser.parse_sentence(odd, complete=True)
    assert found.deprels == ["odd", *sentence.deprels[1:]]
    assert found.heads.tolist() == sentence.heads.tolist()


@pytest.mark.parametrize(
    "heads", [[3, 4, -1, -1], [0, 0, -1, -1], [3, 0, 0, 2]], ids=["crossing", "roots", "crossing roots"]
)
def test_heads_that_no_tree_of_the_model_has_are_kept(parser, heads):
    sentence = Sentence.from_forms(["some", "four", "odd", "words"], upos=["NOUN"] * 4, heads=heads)
    assert not is_possible(parser.trees, sentence)
    found = parser.parse_sentence(sentence, complete=True)
    assert_completes(sentence, found, tags=parser.tagger is not None)
    assert "# certificate = no" in found.comments
    [only] = parser.k_best(sentence, 3, complete=True, confidence=True)
    assert only.probability == 0
    assert only.tree.heads.tolist() == found.heads.tolist()


def test_a_cycle_is_named(parser):
    sentence = Sentence.from_forms(["some", "odd", "words"], upos=["NOUN"] * 3, heads=[2, 1, -1])
    with pytest.raises(UsageError, match="'some odd words' cannot be parsed: no "):
        parser.parse_sentence(sentence, complete=True)


def test_a_model_without_a_tagger_needs_tags(gold_parser):
    with pytest.raises(UsageError, match="has no tagger"):
        gold_parser.parse_sentence(Sentence.from_forms(["Go"]), complete=True)


def test_what_trees_there_are_depends_on_their_kind():
    crossing = Sentence.from_forms(list("abcd"), heads=[3, 4, -1, -1])
    assert not is_possible(Trees(projective=True), crossing)
    assert is_possible(Trees(projective=False), crossing)
    assert is_possible(Trees(single_root=False), Sentence.from_forms(list("ab"), heads=[0, 0]))
    assert not is_possible(Trees(projective=False, factorization="sibling"), crossing.replace(heads=[0, 0, -1, -1]))


def test_a_model_of_many_roots_may_add_some(text_parser):
    trees = Trees(projective=True, single_root=False)
    parser = Parser(text_parser.scorer, trees, text_parser.tagger, text_parser.info)
    sentence = Sentence.from_forms(list("abcdef"), heads=[3, 4, -1, -1, -1, -1])
    assert_completes(sentence, parser.parse_sentence(sentence, complete=True))
