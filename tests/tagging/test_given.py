"""Given tags stay, guide their neighbours, and leave in earlier columns what was seen with them."""

import numpy as np
import pytest

from treewright.tagging.given import given_tags
from treewright.tagging.training import train_tagger
from treewright.treebank import Sentence

COLUMNS = ("upos", "xpos", "feats")


@pytest.fixture(scope="module")
def tagger(ewt):
    return train_tagger(ewt[:30], epochs=4)


def test_given_tags_never_change(ewt, tagger):
    rng = np.random.default_rng(1)
    for sentence in ewt[30:]:
        given = {column: rng.random(len(sentence)) < 0.4 for column in COLUMNS}
        shown = sentence.replace(
            **{
                column: [
                    rng.choice([tag, "NEW"], p=[0.8, 0.2]) if is_given else "_"
                    for tag, is_given in zip(getattr(sentence, column), given[column], strict=True)
                ]
                for column in COLUMNS
            }
        )
        for tagged in [tagger.tag(shown, given), *(one.sentence for one in tagger.k_best(shown, 3, given))]:
            for column in COLUMNS:
                cells = zip(given[column], getattr(shown, column), getattr(tagged, column), strict=True)
                assert all(after == before for is_given, before, after in cells if is_given)
                assert all(after != "NEW" for is_given, _, after in cells if not is_given)


def test_given_tags_are_certain(ewt, tagger):
    sentence = ewt[31].replace(upos=["NEW", *ewt[31].upos[1:]])
    given = {column: np.arange(len(sentence)) < 3 for column in COLUMNS}
    confidence = tagger.confidence(tagger.tag(sentence, given), given)
    for column in COLUMNS:
        assert confidence[column][:3] == pytest.approx([1, 1, 1])
        assert (confidence[column][3:] < 1).any()


def test_a_given_tag_guides_its_neighbours(ewt, tagger):
    changed = 0
    for sentence in ewt[30:]:
        free = tagger.tag(sentence)
        given = {column: np.zeros(len(sentence), bool) for column in COLUMNS}
        for word in range(len(sentence)):
            given["upos"][:] = np.arange(len(sentence)) == word
            shown = free.replace(upos=["DET" if i == word else tag for i, tag in enumerate(free.upos)])
            after = tagger.tag(shown, given).upos
            changed += [*after[:word], *after[word + 1 :]] != [*free.upos[:word], *free.upos[word + 1 :]]
    assert changed > 10


def test_a_given_tag_restricts_the_columns_before():
    train = [
        Sentence.from_forms(["a", "b"], upos=["N", "V"], xpos=["NN", "VB"], feats=["X=1", "_"]),
        Sentence.from_forms(["b", "a"], upos=["N", "V"], xpos=["NNS", "VBZ"], feats=["X=2", "X=1"]),
    ]
    tagger = train_tagger(train, epochs=2)
    nothing = np.zeros(2, bool)
    for xpos, upos in (("NN", "N"), ("NNS", "N"), ("VB", "V"), ("VBZ", "V")):
        sentence = Sentence.from_forms(["c", "c"], xpos=["_", xpos])
        given = {"upos": nothing, "xpos": np.array([False, True]), "feats": nothing}
        assert tagger.tag(sentence, given).upos[1] == upos
    sentence = Sentence.from_forms(["c", "c"], feats=["X=2", "_"])
    given = {"upos": nothing, "xpos": nothing, "feats": np.array([True, False])}
    tagged = tagger.tag(sentence, given)
    assert (tagged.upos[0], tagged.xpos[0], tagged.feats[0]) == ("N", "NNS", "X=2")
    both = {"upos": np.array([True, False]), "xpos": nothing, "feats": np.array([True, False])}
    tagged = tagger.tag(sentence.replace(upos=["V", "_"], feats=["X=1", "_"]), both)
    assert (tagged.upos[0], tagged.xpos[0], tagged.feats[0]) == ("V", "VBZ", "X=1")
    assert tagger.tag(sentence.replace(upos=["V", "_"]), both).xpos[0] in ("VB", "VBZ")  # V was never X=2


def test_cells_with_a_blank_hold_no_tag():
    sentence = Sentence.from_forms(["a", "b", "c"], upos=["X", "_", "_"], xpos=["_", "Y", "_"], feats=["_", "_", "Z=1"])
    kept, completed = (given_tags(sentence, blank_features=blank) for blank in (False, True))
    assert kept["upos"].tolist() == completed["upos"].tolist() == [True, False, False]
    assert kept["xpos"].tolist() == completed["xpos"].tolist() == [False, True, False]
    assert kept["feats"].tolist() == [True, True, True]
    assert completed["feats"].tolist() == [False, False, True]


def test_given_lemmas_stay_and_others_are_found(ewt, tagger):
    for sentence in ewt[30:]:
        shown = sentence.replace(lemmas=["own" if i % 3 else "_" for i in range(len(sentence))])
        given = given_tags(shown, blank_features=True)
        for tagged in [tagger.tag(shown, given), *(one.sentence for one in tagger.k_best(shown, 2, given))]:
            for before, after in zip(shown.lemmas, tagged.lemmas, strict=True):
                assert after == before if before == "own" else after not in ("own", "_")
