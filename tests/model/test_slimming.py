"""Models that leave out their smallest weights."""

import numpy as np
import pytest

from treewright.dependency.options import TrainingOptions
from treewright.dependency.parser import Parser
from treewright.dependency.training import train_parser
from treewright.errors import UsageError
from treewright.model import slim
from treewright.model.packing import tables_of


def megabytes(model, folder) -> float:
    model.save(folder / "model.tw")
    return (folder / "model.tw").stat().st_size / 1e6


def test_the_smallest_weights_are_left_out(text_parser, tmp_path):
    whole = megabytes(text_parser, tmp_path)
    slimmed = slim(text_parser, 0.8 * whole)
    assert 0.5 * whole < megabytes(slimmed, tmp_path) <= 0.8 * whole
    before, after = (tables_of(one.describe()[1]) for one in (text_parser, slimmed))
    left_out, kept = [], []
    for name, table in before.items():
        stays = after[name] != 0
        assert (after[name][stays] == table[stays]).all()
        kept.append(np.abs(table[stays].astype(int)))
        left_out.append(np.abs(table[~stays].astype(int)))
    assert 0 < np.concatenate(left_out).max() < np.concatenate(kept).min()


def test_what_is_left_is_a_model_that_parses_as_well(text_parser, tmp_path):
    slimmed = slim(text_parser, 0.8 * megabytes(text_parser, tmp_path))
    slimmed.save(tmp_path / "slim.tw")
    text = "I saw the man with the telescope. They are here."
    expected = [(one.forms, one.upos, one.heads.tolist(), one.deprels) for one in slimmed.parse(text)]
    again = Parser.open(tmp_path / "slim.tw").parse(text)
    assert [(one.forms, one.upos, one.heads.tolist(), one.deprels) for one in again] == expected
    assert [one.forms for one in text_parser.parse(text)] == [forms for forms, *_ in expected]


def test_a_model_that_is_small_enough_stays_as_it_is(text_parser):
    assert slim(text_parser, 1000) is text_parser


def test_no_model_is_smaller_than_all_but_its_weights(text_parser):
    with pytest.raises(UsageError, match="without any weights"):
        slim(text_parser, 0.001)


def test_training_ends_in_a_model_of_the_size_asked_for(ewt, tmp_path):
    def brackets(sentence, parts):
        yield from ([[(1, m)], ["first"]] for m in range(2, len(sentence) + 1))

    chosen = {"factorization": "arc", "tags": "gold", "epochs": 2, "threads": 1, "bits": 16}
    sizes = []
    for size in (None, 0.06):
        parser = train_parser(ewt[:20], ewt[20:25], TrainingOptions(**chosen, size=size), hooks=[brackets])
        assert parser.hooks == [brackets]
        sizes.append(megabytes(parser, tmp_path))
    assert sizes[1] <= 0.06 < sizes[0]
    assert parser.info["options"]["size"] == 0.06
