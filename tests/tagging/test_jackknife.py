"""No sentence is tagged by a tagger that saw it."""

import sys

import pytest

from treewright.errors import UsageError
from treewright.tagging.jackknife import jackknife
from treewright.tagging.training import train_tagger
from treewright.treebank import Sentence

module = sys.modules["treewright.tagging.jackknife"]


@pytest.mark.parametrize(("count", "folds"), [(7, 2), (7, 3), (7, 7), (20, 6)])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_sentence_is_tagged_once_by_a_tagger_of_all_the_other_folds(monkeypatch, count, folds, threads):
    sentences = [Sentence.from_forms([f"s{i}"]) for i in range(count)]

    class Recorder:
        def __init__(self, seen):
            self.seen = seen

        def tag(self, sentence):
            return sentence.replace(misc=self.seen)

    def record(seen, *, clusters, epochs, seed, on_progress):
        return Recorder([s.forms[0] for s in seen])

    monkeypatch.setattr(module, "train_tagger", record)
    tagged = jackknife(sentences, folds=folds, threads=threads)
    assert [s.forms for s in tagged] == [s.forms for s in sentences]
    everything = [s.forms[0] for s in sentences]
    unseen = [tuple(form for form in everything if form not in s.misc) for s in tagged]
    assert all(s.forms[0] in fold for s, fold in zip(tagged, unseen, strict=True))
    assert len(set(unseen)) == folds
    assert [form for fold in dict.fromkeys(unseen) for form in fold] == everything  # consecutive, and a partition
    assert max(map(len, unseen)) - min(map(len, unseen)) <= 1


def test_a_tag_that_only_one_sentence_has_cannot_be_found_in_it(ewt):
    odd = ewt[4].replace(upos=["ODD"] * len(ewt[4]))
    sentences = [*ewt[:4], odd, *ewt[5:10]]
    assert "ODD" in train_tagger(sentences, epochs=4).tag(odd).upos
    tagged = jackknife(sentences, folds=5, epochs=4)
    assert "ODD" not in tagged[4].upos


def test_the_result_does_not_depend_on_threads(ewt):
    one, three = (jackknife(ewt[:12], folds=3, epochs=2, threads=threads) for threads in (1, 3))
    for a, b, gold in zip(one, three, ewt, strict=False):
        assert (a.upos, a.xpos, a.feats) == (b.upos, b.xpos, b.feats)
        assert a.forms == gold.forms
    assert any(a.upos != gold.upos for a, gold in zip(one, ewt, strict=False))


def test_progress_ends_at_one(ewt):
    shares = []
    jackknife(ewt[:6], folds=2, epochs=1, on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.parametrize("folds", [-1, 0, 1, 4])
def test_folds_that_do_not_fit_are_refused(ewt, folds):
    with pytest.raises(UsageError, match=f"{folds} folds do not fit 3 sentences"):
        jackknife(ewt[:3], folds=folds)
