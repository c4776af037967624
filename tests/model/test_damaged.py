"""Model files whose contents make no sense, though every checksum is right: refused as they are opened, by name.

Each was found by ``scripts/attack``.
"""

from functools import cache

import numpy as np
import pytest

from tests.paths import DATA
from tests.reranking.hidden.test_model import trained
from treewright.constituency.pcfg import train_pcfg
from treewright.errors import ModelError
from treewright.features import WordClusters
from treewright.model import Model
from treewright.model.container import load_model, save_model
from treewright.treebank import read_trees, simplify


@cache
def pcfg():
    return train_pcfg([simplify(tree) for tree in read_trees(DATA / "craft.mrg")][:20], vertical=1)


def at(value, *path):
    """Make a change of a manifest: another value at a place."""

    def change(manifest, arrays):
        inner = manifest
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    return change


def entry(name, value):
    """Make a change of an array: another value for its first entry."""

    def change(manifest, arrays):
        arrays[name] = np.array(arrays[name])
        arrays[name].flat[-1] = value

    return change


def reshaped(name, *shape):
    def change(manifest, arrays):
        arrays[name] = np.array(arrays[name]).reshape(shape)

    return change


def cut(name, count):
    def change(manifest, arrays):
        arrays[name] = np.array(arrays[name])[:count]

    return change


def refuses(model, change, tmp_path):
    path = tmp_path / "damaged.tw"
    model.save(path)
    manifest, arrays = load_model(path)
    arrays = dict(arrays)
    change(manifest, arrays)
    save_model(tmp_path / "changed.tw", manifest, arrays)
    with pytest.raises(ModelError, match=r"changed\.tw"):
        Model.open(tmp_path / "changed.tw")
    return True


@pytest.mark.parametrize(
    "change",
    [entry("word_counts", -(2**31)), entry("word_counts", 0), cut("word_counts", 50), entry("rule_weights", np.nan)],
    ids=["negative count", "count of zero", "words without tags", "NaN"],
)
def test_a_grammar(change, tmp_path):
    assert refuses(pcfg(), change, tmp_path)


@pytest.mark.parametrize(
    "change", [at([[]], "settings", "rules"), at(0.5, "settings", "rules"), reshaped("keys", 1, -1)]
)
def test_a_hidden_variable_model(change, tmp_path):
    assert refuses(trained()[0], change, tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        at(-1, "trees", "projective"),
        at("yes", "trees", "single_root"),
        at("NaN", "scale"),
        at(-0.5, "scale"),
        at(1_000_020, "tagger", "columns", 0, "settings", "bits"),
    ],
)
def test_a_dependency_parser(text_parser, change, tmp_path):
    assert refuses(text_parser, change, tmp_path)


def test_word_clusters():
    hashes, numbers = np.array([3, 7], np.uint32), np.array([0, 1], np.uint16)
    assert len(WordClusters(hashes, numbers, ["0", "1"])) == 2
    for damaged in (numbers.astype(np.float64), numbers[None], numbers + np.uint16(1)):
        with pytest.raises(ValueError, match="clusters"):
            WordClusters(hashes, damaged, ["0", "1"])
