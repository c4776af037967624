"""Candidate lists: nothing is parsed by a model that saw it, and finished chunks are not done again."""

import pickle
from itertools import pairwise

import pytest

from tests.reranking.bases import SENTENCES, TREES, Memory
from treewright.constituency.pcfg import PcfgTrainer
from treewright.errors import UsageError
from treewright.evaluation import evaluate_brackets
from treewright.execution import Keep, LocalProcesses, Threads
from treewright.reranking import CandidatesBuilder
from treewright.reranking.candidates.kinds import Constituents
from treewright.reranking.candidates.listing import ListPart, Part, list_candidates
from treewright.reranking.candidates.scored_lists import add_lists
from treewright.reranking.features import ConstituentTreeFeatures
from treewright.treebank import ConstituentTree

KIND = Constituents()

# Trees that a grammar can be learned from.
NOUNS = ["trees", "wood", "rain", "leaves", "art"]
PHRASES = ["(NP (NN {0}))", "(NP (NP (NN {0})) (PP (IN of) (NP (NN {1}))))"]
GRAMMATICAL = [
    ConstituentTree.from_string(
        "(S (NP (PRP We)) (VP (VBP see) "
        + PHRASES[i % 2].format(NOUNS[i % 5], NOUNS[i % 3])
        + (" (PP (IN with) (NP (NN joy)))" if i % 3 else "")
        + ") (. .))"
    )
    for i in range(12)
]


def lists_of(trainer=None, others=None, **options):
    return list(list_candidates(trainer or Memory(), KIND, TREES, others, **options))


@pytest.mark.parametrize("chunks", [2, 3, 7, 10])
def test_no_sentence_is_parsed_by_a_model_that_saw_it(chunks):
    trainer = Memory()
    found = lists_of(trainer, chunks=chunks)
    assert [one.trees[0].words for one in found] == SENTENCES
    assert all(one.trees[0].labels[0] == "NEW" for one in found)
    assert len(trainer.trained) == chunks
    # Each chunk is all that its model did not see: together they are the treebank, once.
    left_out = [set(SENTENCES) - set(seen) for seen in trainer.trained]
    assert sum(map(len, left_out)) == len(SENTENCES)
    assert set.union(*left_out) == set(SENTENCES)
    assert max(map(len, left_out)) - min(map(len, left_out)) <= 1


def test_others_are_parsed_by_one_model_of_the_whole_treebank(monkeypatch):
    monkeypatch.setattr("treewright.reranking.candidates.listing.PART", 3)
    trainer = Memory()
    found = lists_of(trainer, TREES)
    assert trainer.trained == [tuple(SENTENCES)]
    assert all(one.trees[0].labels[0] == "SEEN" for one in found)
    assert len(found) == len(TREES)


def test_duplicates_are_removed_and_the_first_counts():
    for one in lists_of(chunks=2):
        assert [tree.labels[0] for tree in one.trees] == ["NEW", "NEW-5", "LAST"]
        assert one.log_probabilities == [-1.0, -3.0, -4.0]


def test_k_is_the_most():
    assert {len(one.trees) for one in lists_of(chunks=2, k=1)} == {1}
    assert {len(one.trees) for one in lists_of(chunks=2, k=3)} == {2}  # of which two were the same


@pytest.mark.parametrize(("within", "count"), [(0.0, 1), (1.5, 1), (2.0, 2), (2.5, 2), (3.0, 3), (100.0, 3)])
def test_a_log_probability_is_the_least(within, count):
    assert {len(one.trees) for one in lists_of(chunks=2, within=within)} == {count}
    assert {len(one.trees) for one in lists_of(chunks=2, within=within, k=1)} == {1}


@pytest.mark.parametrize("executor", [Threads(1), Threads(3)], ids=["one thread", "three threads"])
def test_the_executor_changes_nothing(executor):
    assert lists_of(chunks=4, executor=executor) == lists_of(chunks=4)


def test_processes_change_nothing():
    trees = GRAMMATICAL
    here = list(list_candidates(PcfgTrainer(), KIND, trees, k=3, chunks=3))
    with LocalProcesses(2) as executor:
        assert list(list_candidates(PcfgTrainer(), KIND, trees, k=3, chunks=3, executor=executor)) == here


def test_a_task_travels_without_what_it_trained():
    shares, sentences = [], list(map(KIND.sentence, TREES))
    task = ListPart(Memory(), KIND, TREES, sentences, 2, lambda part, share: shares.append(share))
    assert task(Part(0, 2))[0].trees[0].labels[0] == "SEEN"
    other = pickle.loads(pickle.dumps(ListPart(Memory(), KIND, TREES, sentences, 2)))
    assert other(Part(0, 2)) == task(Part(0, 2))
    assert shares == [0.25, 0.75, 1, 0.75, 1]  # there is one model for both parts


def test_progress_goes_up_to_one_by_words():
    shares = []
    lists_of(chunks=3, on_progress=shares.append)
    assert all(one <= two for one, two in pairwise(shares))
    words = list(map(len, SENTENCES))
    assert shares[0] == sum(words[:3]) / 4 / sum(words)  # half of the training, for the first of three chunks
    assert shares[-1] == 1


def test_finished_chunks_are_kept(tmp_path):
    folder = tmp_path / "kept"
    first = Memory(fails_at="word7")
    with pytest.raises(RuntimeError), Keep(folder) as keep:
        lists_of(first, chunks=5, keep=keep)
    assert len(first.trained) == 4
    again = Memory()
    with Keep(folder) as keep:
        assert lists_of(again, chunks=5, keep=keep) == lists_of(chunks=5)
    assert len(again.trained) == 2  # the fourth chunk, and the fifth
    assert not folder.exists()


@pytest.mark.parametrize("change", ["k", "within", "chunks", "treebank", "trainer"])
def test_what_is_kept_is_for_the_same_question_alone(tmp_path, change):
    class Other(Memory):
        def describe(self):
            return "Other"

    keep = Keep(tmp_path / "kept")
    lists_of(chunks=5, keep=keep)
    trainer = Other() if change == "trainer" else Memory()
    treebank = [*TREES[:-1], TREES[-1].relabel(["X", "T"])] if change == "treebank" else TREES
    options = {"chunks": 2 if change == "chunks" else 5, "k": 2 if change == "k" else 50}
    options["within"] = 2.0 if change == "within" else None
    list(list_candidates(trainer, KIND, treebank, keep=keep, **options))
    assert len(trainer.trained) == options["chunks"]


@pytest.mark.parametrize("chunks", [0, 1, 11])
def test_chunks_must_fit(chunks):
    with pytest.raises(UsageError, match=f"{chunks} chunks do not fit 10 trees"):
        lists_of(chunks=chunks)


def test_no_candidates_are_refused():
    with pytest.raises(UsageError, match="must be at least 1, not 0"):
        lists_of(k=0)
    for within in (-1.0, float("nan")):
        with pytest.raises(UsageError, match="must be at least 0, not"):
            lists_of(within=within)


def test_candidates_of_a_pcfg():
    trees = GRAMMATICAL
    lists = list(list_candidates(PcfgTrainer(), KIND, trees, k=4, chunks=2))
    builder = CandidatesBuilder()
    add_lists(builder, trees, lists, KIND, ConstituentTreeFeatures(), distinct="trees")
    candidates = builder.build()
    assert candidates.sentences == len(trees)
    assert len(candidates) == sum(len(one.trees) for one in lists)
    flat = [(gold, tree) for gold, one in zip(trees, lists, strict=True) for tree in one.trees]
    for number, (gold, tree) in enumerate(flat):
        scores = evaluate_brackets([gold], [tree]).all.brackets
        assert candidates.gold[number] == pytest.approx(scores.f1 / 100)
        assert candidates.size[number] == scores.gold
        assert candidates.ids[number] == str(tree)
        own = candidates.features[candidates.feature_offsets[number] : candidates.feature_offsets[number + 1]]
        assert {candidates.names[feature] for feature in own} == set(ConstituentTreeFeatures()(tree))
    assert (candidates.log_probability[1:] <= candidates.log_probability[:-1])[
        [k for k in range(len(candidates) - 1) if k + 1 not in candidates.offsets]
    ].all()
