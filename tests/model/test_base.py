"""Models of every kind: that each is where the table says, and that parts nest."""

import re
import subprocess
import sys

import numpy as np
import pytest

import treewright
from treewright.errors import ModelError, UsageError
from treewright.model import Model, nest, part
from treewright.model.base import KINDS
from treewright.model.container import save_model


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_the_table_of_kinds_is_right(name, kind):
    found = kind.find()
    assert issubclass(found, Model)
    assert name == found.KIND


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_a_model_of_the_wrong_kind_says_what_to_use(tmp_path, monkeypatch, name, kind):
    save_model(tmp_path / "my.tw", {"kind": name, "info": {}}, {"x": np.zeros(1)})
    other = treewright.Pcfg if kind.find() is treewright.Parser else treewright.Parser
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=f"^my.tw is {kind.noun}; use: {re.escape(kind.use.format('my.tw'))}$"):
        other.open("my.tw")


@pytest.mark.parametrize(
    "command", sorted({re.split(" --| [{]", kind.use)[0] for kind in KINDS.values() if "Python" not in kind.use})
)
def test_there_are_such_commands(command):
    done = subprocess.run([sys.executable, "-m", *command.split(), "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"Usage: {command}" in done.stdout


def test_every_model_is_in_the_table():
    def concrete(cls):
        return [found for child in cls.__subclasses__() for found in (child, *concrete(child))]

    for kind in KINDS.values():
        kind.find()
    kinds = {
        cls.KIND for cls in concrete(Model) if not cls.__abstractmethods__ and cls.__module__.startswith("treewright")
    }
    assert kinds == set(KINDS)


def test_embedded_models_open_by_name():
    assert isinstance(Model.open("en"), treewright.Parser)
    assert isinstance(treewright.load("en-constituents"), treewright.ConstituentParser)
    assert isinstance(treewright.load("en-linear"), treewright.Parser)
    with pytest.raises(UsageError, match="there is no model 'xx'"):
        Model.open("xx")


def test_a_kind_that_nobody_knows_is_refused(tmp_path):
    save_model(tmp_path / "odd.tw", {"kind": "crystal ball", "info": {}}, {"x": np.zeros(1)})
    with pytest.raises(ModelError, match=r"odd.tw is a model of another kind \('crystal ball'\), unknown"):
        Model.open(tmp_path / "odd.tw")


def test_parts_nest_and_come_back():
    arrays = {"": np.zeros(1), "upos": np.ones(2), "deep.er": np.ones(3)}
    nested = {**nest("tagger", arrays), "weights": np.zeros(4), "taggers": np.zeros(5)}
    assert sorted(nested) == ["tagger", "tagger.deep.er", "tagger.upos", "taggers", "weights"]
    assert {name: len(array) for name, array in part("tagger", nested).items()} == {"": 1, "upos": 2, "deep.er": 3}
