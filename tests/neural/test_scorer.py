"""A parser around a network answers every kind of request."""

import subprocess
import sys

import numpy as np
import pytest

from tests.neural.networks import WORDS, parser
from treewright import Parser
from treewright.errors import ModelError
from treewright.inference import Constraints
from treewright.inference.kinds import FACTORIZATIONS
from treewright.model.container import load_model, save_model
from treewright.treebank import Sentence

FORMS = ["The", "man", "saw", "a", "dog", "with", "telescopes", "."]
SENTENCE = Sentence.from_forms(FORMS)


@pytest.fixture(scope="module")
def tiny():
    return parser()


@pytest.fixture(scope="module")
def file(tiny, tmp_path_factory):
    path = tmp_path_factory.mktemp("neural") / "tiny.tw"
    tiny.save(path)
    return path


def heads(sentence):
    return sentence.heads.tolist()


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
def test_every_factorization_is_searched(factorization):
    found = parser(factorization).parse_sentence(SENTENCE)
    assert heads(found).count(0) == 1
    assert set(found.deprels) <= {"det", "nsubj", "root"}
    assert set(found.upos) <= {"NOUN", "PUNCT", "VERB"}
    assert all(lemma != "_" for lemma in found.lemmas)


def test_the_best_tree_of_those_that_survive_is_found(tiny):
    scores = tiny.scores(SENTENCE)
    assert len(scores.parts.arc) < len(FORMS) ** 2
    assert heads(tiny.parse_sentence(SENTENCE)) == tiny.trees.argmax(scores).heads[1:].tolist()


def test_probabilities(tiny):
    found = tiny.parse_sentence(SENTENCE, confidence=True, alternatives=2)
    assert all("Confidence=" in misc and "TagConfidence=" in misc for misc in found.misc)
    assert any(comment.startswith("# probability = ") for comment in found.comments)
    best = tiny.k_best(SENTENCE, 5)
    assert len(best) == 5
    assert best[0].probability >= best[1].probability
    assert heads(best[0].tree) == heads(found)
    shares = sum(share for share, _ in tiny.distribution(SENTENCE))
    assert shares == pytest.approx(1.0)


def test_joint_tags(tiny):
    assert heads(tiny.parse_sentence(SENTENCE, joint_tags=4)) == heads(tiny.parse_sentence(SENTENCE))


def test_tags_are_kept_where_they_are_asked_for(tiny):
    sentence = SENTENCE.replace(upos=["X"] * 8, xpos=["Y"] * 8, lemmas=["z", *["_"] * 7])
    own, kept = tiny.parse_sentence(sentence), tiny.parse_sentence(sentence, keep_tags=True)
    assert list(own.upos) == list(tiny.parse_sentence(SENTENCE).upos)
    assert own.lemmas[0] != "z"
    assert list(kept.upos) == ["X"] * 8
    assert list(kept.feats) == ["_"] * 8
    assert kept.lemmas[0] == "z"
    assert "_" not in kept.lemmas
    assert heads(own) == heads(kept)


def test_constraints_and_completion(tiny):
    usual = heads(tiny.parse_sentence(SENTENCE))
    other = 1 if usual[7] != 1 else 2
    forced = tiny.parse_sentence(SENTENCE, constraints=Constraints(required=[(other, 8)]))
    assert heads(forced)[7] == other
    partial = SENTENCE.replace(heads=[*[-1] * 7, other], upos=["DET", *["_"] * 7])
    completed = tiny.parse_sentence(partial, complete=True, confidence=True)
    assert heads(completed)[7] == other
    assert completed.upos[0] == "DET"
    assert "_" not in completed.upos
    crossing = SENTENCE.replace(heads=[3, 4, -1, -1, -1, -1, -1, -1])
    assert heads(tiny.parse_sentence(crossing, fix_heads=True))[:2] == [3, 4]


def test_hooks():
    tiny = parser("sibling")
    usual = heads(tiny.parse_sentence(SENTENCE))
    other = 1 if usual[7] != 1 else 2

    def wanted(sentence, parts):
        yield [(other, 8)], 1e3

    tiny.pruner = None
    tiny.hooks.append(wanted)
    assert heads(tiny.parse_sentence(SENTENCE))[7] == other
    assert not tiny.has_probabilities


def test_trees_that_need_not_be_projective():
    tiny = parser("sibling", projective=False)
    found = tiny.parse_sentence(SENTENCE, exact=True)
    assert not any(comment == "# certificate = no" for comment in found.comments)


def test_a_network_that_scores_heads_alone():
    tiny = parser("sibling", labels=[], columns={})
    found = tiny.parse_sentence(SENTENCE.replace(upos=["X"] * 8))
    assert set(found.deprels) == {"dep", "root"}
    assert list(found.upos) == ["X"] * 8
    assert not tiny.needs_tags


def test_a_file_holds_all_of_it(tiny, file, tmp_path):
    opened = Parser.open(file)
    one, other = tiny.parse_sentence(SENTENCE, confidence=True), opened.parse_sentence(SENTENCE, confidence=True)
    assert heads(one) == heads(other)
    assert one.misc == other.misc
    assert one.comments == other.comments
    opened.save(tmp_path / "again.tw")
    assert (tmp_path / "again.tw").read_bytes() == file.read_bytes()


def test_a_damaged_description_is_refused(file, tmp_path):
    manifest, arrays = load_model(file)
    manifest["scorer"]["settings"]["layers"] = 3
    save_model(tmp_path / "bad.tw", manifest, arrays)
    with pytest.raises(ModelError, match=r"layers\.2\.norm_attention"):
        Parser.open(tmp_path / "bad.tw")


def test_threads_find_the_same(tiny):
    rng = np.random.default_rng(2)
    sentences = [Sentence.from_forms(rng.choice(WORDS, n).tolist()) for n in rng.integers(1, 20, 40)]
    one = list(tiny.parse_all(sentences, threads=1, confidence=True))
    several = list(tiny.parse_all(sentences[::-1], threads=3, confidence=True))[::-1]
    assert [tree.misc for tree in one] == [tree.misc for tree in several]
    assert [tree.comments for tree in one] == [tree.comments for tree in several]


def test_parsing_does_not_import_pytorch(file):
    code = f"import sys, treewright; treewright.load({str(file)!r}).parse('Trees grow.'); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
