"""Learning from raw text: SS-SCM (Suzuki et al. 2009)."""

import itertools

import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from treewright.dependency.options import TrainingOptions
from treewright.dependency.parser import Parser
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.semi_supervised import ExpectedCounts, estimate_models, learn_models
from treewright.dependency.training import train_parser
from treewright.errors import UsageError
from treewright.execution import Keep, LocalProcesses
from treewright.features import DependencyFeatures
from treewright.features.arcs import list_arc_features
from treewright.inference import Trees
from treewright.learning import LogLinear, train
from treewright.learning.batch import Objective
from treewright.learning.log_linear import TreeLosses
from treewright.treebank import RawText, Sentence

BITS = 16


@pytest.fixture(scope="module")
def supervised(ewt):
    features = DependencyFeatures.of(ewt, kinds=["arc"], bits=16)
    short = [s for s in ewt if len(s) <= 12][:10]
    return features, train(ParsingProblem(short, features, Trees()), LogLinear(threads=1), epochs=5).weights


@pytest.mark.parametrize("projective", [True, False])
def test_expected_counts_are_those_of_all_trees_by_their_probabilities(supervised, ewt, projective):
    features, weights = supervised
    trees = Trees(projective)
    sentences = [s for s in ewt if 3 <= len(s) <= 4][:3]
    assert sentences
    counts = ExpectedCounts(features, weights, trees, bits=BITS)(sentences)
    table = np.zeros(1 << BITS)
    regions = features._regions._replace(arc_mask=np.uint32((1 << BITS) - 1))
    for sentence in sentences:
        hashed = features.hash(sentence)
        scores = features.score(hashed, weights)
        listed = list(all_trees(len(sentence), projective, True))
        logs = np.array([trees.score(scores, heads) for heads in listed])
        probabilities = np.exp(logs - np.logaddexp.reduce(logs))
        for heads, probability in zip(listed, probabilities, strict=True):
            arcs = np.stack([heads[1:], np.arange(1, len(heads))], axis=1).astype(np.int64)
            places, values = list_arc_features(hashed.arcs, regions, arcs, np.ones(len(arcs), np.float32))
            np.add.at(table, places, probability * values)
    assert np.abs(counts.expected - table).max() < 1e-2  # what is negligible adds up
    assert counts.expected.sum() == pytest.approx(table.sum(), rel=1e-3)
    assert counts.words == sum(map(len, sentences))


def test_the_counts_are_the_same_on_any_number_of_workers_and_after_a_crash(supervised, ewt, tmp_path, monkeypatch):
    monkeypatch.setattr("treewright.dependency.semi_supervised.SHARD_WORDS", 60)
    task = ExpectedCounts(*supervised, Trees(), bits=BITS)
    alone = estimate_models(task, ewt[:20])
    with LocalProcesses(2) as executor:
        together = estimate_models(task, ewt[:20], executor=executor)
    keep = Keep(tmp_path / "kept")

    def breaks_off():
        yield from ewt[:12]
        raise RuntimeError("crash")

    with pytest.raises(RuntimeError, match="crash"):
        estimate_models(task, breaks_off(), keep=keep)
    assert len(keep) > 1
    resumed = estimate_models(task, ewt[:20], keep=keep)
    for models in (together, resumed):
        assert np.array_equal(models.codes, alone.codes)
        assert np.array_equal(models.constants, alone.constants)
        assert (models.scale, models.offset) == (alone.scale, alone.offset)


def test_long_and_empty_sentences_are_left_out(supervised, ewt):
    task = ExpectedCounts(*supervised, Trees(), bits=BITS)
    long = Sentence.from_forms(["x"] * 129)
    usual, mixed = (estimate_models(task, some).codes for some in (ewt[:3], [long, ewt[0], ewt[1], long, ewt[2]]))
    assert np.array_equal(usual, mixed)
    with pytest.raises(UsageError, match="no sentences"):
        estimate_models(task, [long])


def test_the_gradient_of_v_is_that_of_the_objective(supervised, ewt):
    features, weights = supervised
    models = estimate_models(ExpectedCounts(features, weights, Trees(), bits=BITS), ewt[:20])
    problem = ParsingProblem([s for s in ewt if len(s) <= 8][:5], features.with_models(models), Trees())
    objective = Objective(TreeLosses(problem, threads=1), 0.7)
    rng = np.random.default_rng(0)
    w = np.zeros(problem.size)
    w[-len(models) :] = 0.05 * rng.normal(size=len(models))
    _, gradient = objective(w)
    for j in itertools.islice(np.argsort(-np.abs(gradient[-len(models) :])), 5):
        place, step = problem.size - len(models) + j, 1e-4
        up, down = (objective(w + sign * step * (np.arange(problem.size) == place))[0] for sign in (1, -1))
        assert (up - down) / (2 * step) == pytest.approx(gradient[place], rel=1e-3, abs=1e-4)


def test_raw_text_helps_where_the_treebank_is_silent(ewt):
    """Models of the gold trees of other sentences, as if they were certain, teach what a few sentences do not."""
    few, more, dev = ewt[:6], ewt[6:30], ewt[30:]
    features = DependencyFeatures.of(ewt, kinds=["arc"], bits=18)
    # A model that has seen the other trees stands for one that is sure of them.
    teacher = train(ParsingProblem(more, features, Trees()), LogLinear(threads=1), epochs=15).weights
    models = estimate_models(ExpectedCounts(features, teacher, Trees(), bits=20), more)
    scores = []
    for known in (features, features.with_models(models)):
        weights = train(ParsingProblem(few, known, Trees()), LogLinear(threads=1), epochs=25).weights
        heads = [Trees().argmax(known.score(known.hash(s), weights)).heads[1:] for s in dev]
        scores.append(sum(int((h == s.heads).sum()) for h, s in zip(heads, dev, strict=True)))
    assert scores[1] > scores[0]


def test_rounds_change_the_models(supervised, ewt):
    features, _ = supervised
    some = [s for s in ewt if len(s) <= 12][:8]
    one, two = (learn_models(some, ewt[:10], features, Trees(), rounds=rounds, iterations=3).codes for rounds in (1, 2))
    assert not np.array_equal(one, two)


@pytest.mark.parametrize(
    "options", [{"learner": "log-linear"}, {"learner": "mira", "factorization": "carreras"}], ids=str
)
def test_a_parser_with_raw_text_is_the_same_after_saving(ewt, tmp_path, monkeypatch, options):
    monkeypatch.setattr("treewright.dependency.semi_supervised.ITERATIONS", 3)
    (tmp_path / "raw.txt").write_text("\n".join(" ".join(s.forms) for s in ewt[:20]) + "\n")
    chosen = TrainingOptions(tags="none", epochs=2, threads=1, B=0.5, **options)
    raw = RawText([tmp_path / "raw.txt"])
    parser = train_parser(ewt[:10], ewt[10:13], chosen, unlabeled=raw)
    assert raw.share == 1
    assert parser.scorer.features.generative.factor == 0.5
    assert np.any(parser.scorer.weights.values[-len(parser.scorer.features.generative) :])
    parser.save(tmp_path / "m.tw")
    again = Parser.open(tmp_path / "m.tw")
    for sentence in ewt[13:18]:
        assert np.array_equal(parser.parse_sentence(sentence).heads, again.parse_sentence(sentence).heads)


def test_raw_text_that_cannot_be_read(tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"fine\n\xff\xfe\n")
    with pytest.raises(UsageError, match="no such file"):
        RawText([tmp_path / "missing.txt"])
    with pytest.raises(Exception, match=r"bad.txt:2.*not UTF-8"):
        list(RawText([tmp_path / "bad.txt"]))
