"""What probabilities are calibrated on: a part of the treebank that was not learned from, and never the dev set."""

from types import SimpleNamespace

import numpy as np
import pytest

from treewright.dependency import run
from treewright.dependency.calibration import Calibration
from treewright.dependency.run import TrainingRun
from treewright.dependency.temperatures import list_examples
from treewright.dependency.training import TrainingOptions, train_parser


def trained(treebank, dev, **choices):
    return train_parser(
        treebank, dev, TrainingOptions(**{"factorization": "arc", "tags": "gold", "epochs": 1, "threads": 1} | choices)
    )


@pytest.fixture(scope="module")
def halves(ewt):
    return ewt[::2], ewt[1::2]


def test_training_twice_changes_nothing_but_the_calibration(halves):
    treebank, dev = halves
    twice, once = trained(treebank, dev), trained(treebank, dev, calibrate="none")
    assert twice.calibration != once.calibration == Calibration()
    assert np.array_equal(twice.scorer.weights.values, once.scorer.weights.values)
    assert twice.info["trained on"] == once.info["trained on"]


def test_what_is_set_aside_is_not_learned_from(halves):
    treebank, dev = halves
    parser = trained(treebank, dev, calibrate="aside")
    assert parser.calibration != Calibration()
    assert parser.info["trained on"]["sentences"] == len(treebank) - len(treebank) // 4


def test_in_folds_each_sentence_is_scored_by_what_has_not_learned_from_it(halves, monkeypatch):
    treebank, dev = halves
    learned, scored = [], []

    def record(parser, sentences, log_tags, threads):
        scored.append(list(map(id, sentences)))
        return list_examples(parser, sentences, log_tags, threads)

    class Recorded(run.ParsingProblem):
        def __init__(self, sentences, *rest):
            learned.append(set(map(id, sentences)))
            super().__init__(sentences, *rest)

    monkeypatch.setattr(run, "list_examples", record)
    monkeypatch.setattr(run, "ParsingProblem", Recorded)
    folds = trained(treebank, dev, calibrate="folds")
    whole, *parts = learned
    assert folds.calibration != Calibration()
    assert len(scored) == len(parts) == run.CALIBRATION_FOLDS
    assert {one for fold in scored for one in fold} == whole
    for fold, known in zip(scored, parts, strict=True):
        assert known == whole - set(fold)
    monkeypatch.undo()
    once = trained(treebank, dev, calibrate="none")
    assert np.array_equal(folds.scorer.weights.values, once.scorer.weights.values)


@pytest.mark.parametrize(
    ("count", "asked", "how", "scored"),
    [
        (199, None, "twice", None),
        (200, None, "folds", 200),
        (5_000, None, "folds", 2_500),
        (5_001, None, "twice", None),
        (300, "aside", "aside", None),
        (20_000, "folds", "folds", 2_500),
    ],
)
def test_treebanks_of_some_size_are_calibrated_in_folds(count, asked, how, scored):
    sentences = [SimpleNamespace(comments=(), number=number) for number in range(count)]
    options = TrainingOptions(calibrate=asked)
    one = TrainingRun(sentences, [], None, None, None, options, None, (), None)
    assert one.calibrate == how
    if scored:
        assert sum(len(aside.sentences) for _, aside in one._folds()) == scored
        assert sorted(x.number for x in one._folds()[0][0].sentences) == list(range(count // 5, count))


def test_silver_trees_are_learned_from_and_nothing_is_calibrated_by_them():
    gold, silver = ([SimpleNamespace(comments=(), kind=kind) for _ in range(300)] for kind in ("gold", "silver"))
    one = TrainingRun([*gold, *silver], [], None, None, None, TrainingOptions(), None, (), None, silver=300)
    for rest, aside in [one.split(), *one._folds()]:
        assert {sentence.kind for sentence in aside.sentences} == {"gold"}
        assert rest.sentences[rest.gold :] == silver
        assert rest.gold == 300 - len(aside.sentences)
        assert not aside.silver


@pytest.mark.parametrize("calibrate", ["folds", "twice", "aside"])
def test_the_dev_set_does_not_matter(halves, calibrate):
    treebank, dev = halves
    one, other = (trained(treebank, some, calibrate=calibrate) for some in (dev, dev[:3]))
    assert one.calibration == other.calibration


def test_too_few_sentences_are_not_split(halves):
    treebank, dev = halves
    assert trained(treebank[:3], dev[:3]).calibration == Calibration()


@pytest.mark.parametrize(("count", "aside"), [(3, 0), (40, 10), (300, 50), (2_000, 200), (20_000, 1_000)])
def test_a_tenth_is_set_aside_but_not_too_few_and_not_too_many(count, aside):
    rest, held_out = split([SimpleNamespace(comments=(), number=number) for number in range(count)])
    assert len(held_out) == aside
    assert sorted([*rest, *held_out]) == list(range(count))


def test_whole_documents_are_set_aside():
    comments = {0: ("# newdoc id = a", "# newpar"), 7: ("# newdoc",)}
    sentences = [SimpleNamespace(comments=comments.get(number % 10, ()), number=number) for number in range(600)]
    _, held_out = split(sentences)
    documents = [set(range(k, k + 7)) for k in range(0, 600, 10)] + [
        set(range(k + 7, k + 10)) for k in range(0, 600, 10)
    ]
    assert 40 <= len(held_out) <= 80
    assert all(len(document & held_out) in (0, len(document)) for document in documents)


def split(sentences):
    rest, held_out = TrainingRun(sentences, [], None, None, None, None, None, (), None).split()
    return [one.number for one in rest.sentences], {one.number for one in held_out.sentences}


def test_documents_are_known_while_training(ewt, monkeypatch):
    found = []
    monkeypatch.setattr(run, "set_aside", lambda count, starts: found.extend(starts) or [])
    marked = [s.replace(comments=["# newdoc id = x", *s.comments]) if n in (0, 7, 9) else s for n, s in enumerate(ewt)]
    trained(marked[:12], ewt[:3])
    assert found == [0, 7, 9]
