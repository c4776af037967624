"""Where candidates come from is kept with them, and with rerankers."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from treewright.errors import CandidatesError, ModelError, UsageError
from treewright.reranking import (
    CandidatesBuilder,
    LinearReranker,
    Origin,
    Reranker,
    RerankingOptions,
    read_candidates,
    train_reranker,
    write_candidates,
)
from treewright.treebank import ConstituentTree, HeadRules

ORIGIN = Origin("constituents", "tag", 7, ("rule", "bigram"), "collins")


def some(origin=ORIGIN):
    builder = CandidatesBuilder(origin=origin)
    for _ in range(6):
        builder.add([-1.0, -2.0], [0.5, 1.0], [["low"], ["high"]])
    return builder.build()


@pytest.mark.parametrize("name", ["c.npz", "c.jsonl"])
@pytest.mark.parametrize("origin", [ORIGIN, replace(ORIGIN, within=2.5), None])
def test_files_keep_it(tmp_path, name, origin):
    write_candidates(tmp_path / name, some(origin))
    assert read_candidates(tmp_path / name).origin == origin
    assert read_candidates(tmp_path / name, ["high"]).origin == origin
    assert read_candidates(tmp_path / name).take([1]).origin == origin


def test_rerankers_keep_it(tmp_path):
    train_reranker(some(), RerankingOptions(rounds=5)).save(tmp_path / "m.tw")
    assert Reranker.open(tmp_path / "m.tw").origin == ORIGIN
    assert train_reranker(some(None), RerankingOptions(rounds=5)).origin is None


@pytest.mark.parametrize(
    "wrong",
    [
        3,
        {},
        {"trees": "oaks"},
        {**ORIGIN.to_dict(), "k": 0},
        {**ORIGIN.to_dict(), "x": 1},
        {**ORIGIN.to_dict(), "within": -1},
    ],
)
def test_what_is_no_origin_is_refused(tmp_path, wrong):
    line = {"origin": wrong, "candidates": [{"log_probability": 0, "features": []}]}
    (tmp_path / "c.jsonl").write_text(json.dumps(line))
    with pytest.raises(CandidatesError, match='"origin" is not'):
        read_candidates(tmp_path / "c.jsonl")
    candidates = some()
    LinearReranker.of(candidates, 1.0, np.ones(2), {"origin": wrong}).save(tmp_path / "m.tw")
    with pytest.raises(ModelError, match="corrupted"):
        Reranker.open(tmp_path / "m.tw")


def test_no_file_is_opened_that_an_origin_names(tmp_path):
    (tmp_path / "own.rules").write_text("* right *\n")
    origin = Origin("constituents", "pcfg", 2, ("rule",), str(tmp_path / "own.rules"))
    with pytest.raises(UsageError, match="there are no head rules"):
        origin.features()
    tree = ConstituentTree.from_string("(NP (NN tree) (NN house))")
    own = Origin("constituents", "pcfg", 2, ("rule",), HeadRules.describe(tmp_path / "own.rules"))
    assert own.features()(tree) == ["rule NP -> NN *NN"]
