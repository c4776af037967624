"""Data frames."""

import pytest

from treewright.dependency.annotation import with_ranks
from treewright.parsing import Ranked
from treewright.treebank import Sentence
from treewright.treebank.conllu.table import COLUMNS

pandas = pytest.importorskip("pandas")

from treewright.integrations.pandas import to_frame  # noqa: E402


def test_a_row_for_each_word(ewt):
    frame = to_frame(ewt)
    assert tuple(frame.columns) == COLUMNS
    assert len(frame) == sum(map(len, ewt))
    assert frame["sentence"].nunique() == len(ewt)
    for number, sentence in enumerate(ewt, 1):
        rows = frame[frame["sentence"] == number]
        assert rows["form"].tolist() == sentence.forms
        assert rows["head"].tolist() == sentence.heads.tolist()
        assert rows["feats"].fillna("_").tolist() == sentence.feats
        assert rows["id"].tolist() == list(range(1, len(sentence) + 1))
    heads = frame.merge(frame, left_on=["sentence", "head"], right_on=["sentence", "id"])
    assert len(heads) == len(frame) - len(ewt)  # all but the roots


def test_types_do_not_depend_on_what_is_there():
    full = Sentence.from_forms(
        ["Go"], heads=[0], misc=["Confidence=0.5|LabelConfidence=0.25|TagConfidence=1.0|SpaceAfter=No"]
    )
    types = to_frame(full).dtypes
    assert (to_frame([]).dtypes == types).all()
    assert (to_frame(Sentence.from_forms(["Go"])).dtypes == types).all()
    row = to_frame(full).iloc[0]
    assert (row["head_p"], row["label_p"], row["tag_p"], row["misc"]) == (0.5, 0.25, 1.0, "SpaceAfter=No")
    assert to_frame(Sentence.from_forms(["Go"]))["head"].isna().all()
    assert pandas.api.types.is_integer_dtype(types["head"])


def test_k_best_trees_share_the_number_of_a_sentence():
    trees = [Ranked(Sentence.from_forms(["Go", "on"], heads=heads), -1.0) for heads in ([0, 1], [2, 0])]
    other = Sentence.from_forms(["Stop"], comments=["# sent_id = x7"])
    frame = to_frame([*with_ranks(trees), *with_ranks(trees), other])
    assert frame["sentence"].tolist() == [1, 1, 1, 1, 2, 2, 2, 2, 3]
    assert frame["tree"].tolist()[:8] == [1, 1, 2, 2, 1, 1, 2, 2]
    assert frame["sent_id"].iloc[-1] == "x7"
    assert frame["tree"].isna().iloc[-1]
