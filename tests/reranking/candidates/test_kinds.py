"""What kinds of trees and base parsers promise."""

import math
import os
import pickle
import subprocess
import sys
from types import SimpleNamespace

import pytest

from treewright.constituency.pcfg import PcfgTrainer
from treewright.dependency.options import TrainingOptions
from treewright.dependency.training import DependencyTrainer
from treewright.errors import UsageError
from treewright.evaluation import BracketRules
from treewright.execution import Keep
from treewright.reranking.candidates.kinds import Constituents, Dependencies
from treewright.reranking.candidates.listing import list_candidates
from treewright.treebank import ConstituentTree, Sentence, read, read_string

CONSTITUENTS = ConstituentTree(["S", "NP", "NNP", "VP", "VBZ"], [-1, 0, 1, 0, 3], ["New York", "sleeps"])
SENTENCE = Sentence.from_forms(
    ["She", "sleeps", "."], upos=["PRON", "VERB", "PUNCT"], heads=[2, 0, 2], deprels=["nsubj", "root", "punct"]
)
QUICK = TrainingOptions(factorization="arc", tags="gold", epochs=1, threads=1)


@pytest.mark.parametrize(("kind", "tree"), [(Constituents(), CONSTITUENTS), (Dependencies(), SENTENCE)])
def test_trees_come_back_as_they_were(kind, tree):
    again = kind.read(kind.format(tree))
    assert kind.key(again) == kind.key(tree)
    assert kind.format(again) == kind.format(tree)
    assert kind.score(tree, [again])[0] == [1.0]


def test_kinds_are_described_alike_in_every_process():
    """Otherwise ``--resume`` finds nothing: the order of a set depends on the process."""
    script = "from treewright.reranking.candidates.kinds import *; print(Constituents().describe())"
    texts = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "12"
    }
    assert texts == {f"{Constituents().describe()}\n".encode()}
    kinds = Constituents(), Constituents(BracketRules(empty="keep")), Dependencies(), Dependencies(relations=False)
    assert len({kind.describe() for kind in kinds}) == 4


def test_parsers_do_not_see_the_tree():
    words = Constituents().sentence(CONSTITUENTS)
    assert list(words.forms) == ["New York", "sleeps"]
    assert set(words.xpos) == {"_"}
    seen = Dependencies().sentence(SENTENCE)
    assert seen.heads.tolist() == [-1, -1, -1]
    assert set(seen.deprels) == {"_"}
    assert list(seen.upos) == ["PRON", "VERB", "PUNCT"]


@pytest.mark.parametrize(("relations", "shares"), [(True, [2 / 3, 1 / 3]), (False, [1.0, 2 / 3])])
def test_right_words(relations, shares):
    others = [
        SENTENCE.replace(deprels=["obj", "root", "punct"]),
        SENTENCE.replace(heads=[2, 0, 1], deprels=["obj", "root", "punct"]),
    ]
    assert Dependencies(relations).score(SENTENCE, others) == (shares, 3)


def test_other_words_are_refused():
    with pytest.raises(UsageError, match="other words than its gold tree"):
        Dependencies().score(SENTENCE, [SENTENCE.replace(forms=["He", "sleeps", "."])])


def test_all_that_is_learned_from_identifies_a_treebank():
    other = SENTENCE.replace(lemmas=["she", "sleep", "."])
    assert Dependencies().content(other) != Dependencies().content(SENTENCE)
    assert Dependencies().format(other) == Dependencies().format(SENTENCE)


@pytest.mark.parametrize("trainer", [PcfgTrainer(), DependencyTrainer(QUICK)])
def test_trainers_travel_and_describe_themselves(trainer):
    assert pickle.loads(pickle.dumps(trainer)).describe() == trainer.describe()


def test_settings_are_in_the_description_and_threads_are_not():
    assert PcfgTrainer(vertical=1).describe() != PcfgTrainer().describe()
    assert DependencyTrainer(TrainingOptions(epochs=3)).describe() != DependencyTrainer().describe()
    assert DependencyTrainer(TrainingOptions(threads=3)).describe() == DependencyTrainer().describe()


def test_one_tree_is_not_enough_for_a_dependency_parser():
    with pytest.raises(UsageError, match="cannot be trained on 1 trees"):
        DependencyTrainer(QUICK).train([SENTENCE])


@pytest.mark.parametrize("count", [2, 19, 20, 45])
def test_what_chooses_the_epoch_is_not_learned_from(count, monkeypatch):
    given = []

    def train_parser(rest, dev, options, report):
        given.extend([rest, dev])
        return SimpleNamespace(info={})

    monkeypatch.setattr("treewright.dependency.training.train_parser", train_parser)
    trees = [SENTENCE.replace(comments=[str(number)]) for number in range(count)]
    DependencyTrainer(QUICK).train(trees)
    rest, dev = ([tree.comments[0] for tree in part] for part in given)
    assert sorted(rest + dev, key=int) == [str(number) for number in range(count)]
    assert len(dev) == max(1, count // 20)


def test_candidates_of_a_dependency_parser(tmp_path):
    trees = [sentence for sentence in read("tests/data/ewt.conllu") if 1 < len(sentence) <= 20][:8]
    kind, trainer = Dependencies(), DependencyTrainer(QUICK)
    lists = list(list_candidates(trainer, kind, trees, k=4, chunks=2, keep=Keep(tmp_path)))
    again = list(list_candidates(trainer, kind, trees, k=4, chunks=2, keep=Keep(tmp_path)))  # all read from files
    for tree, one, two in zip(trees, lists, again, strict=True):
        assert list(map(kind.format, one.trees)) == list(map(kind.format, two.trees))
        assert one.log_probabilities == two.log_probabilities == sorted(one.log_probabilities, reverse=True)
        assert len(set(map(kind.key, one.trees))) == len(one.trees) <= 4
        assert all(list(candidate.forms) == list(tree.forms) for candidate in one.trees)
        assert all(math.exp(value) <= 1 for value in one.log_probabilities)


def test_texts_on_lines_of_their_own_are_a_treebank():
    kind = Dependencies()
    text = "".join(f"{kind.format(SENTENCE)}\n" for _ in range(2))  # as treewright rerank apply writes them
    assert [sentence.heads.tolist() for sentence in read_string(text)] == [[2, 0, 2]] * 2
    assert text.count("\n\n") == 2


def test_interrupted_training_gives_no_parser():
    trees = [sentence for sentence in read("tests/data/ewt.conllu") if 1 < len(sentence) <= 20][:8]
    shares = []

    def interrupt(share):
        shares.append(share)
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DependencyTrainer(TrainingOptions(factorization="arc", tags="gold", epochs=4, threads=1)).train(
            trees, interrupt
        )
    assert shares == sorted(shares)
    assert shares[-1] < 1
