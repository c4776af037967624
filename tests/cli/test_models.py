"""The table of models."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from tests.distributions import install_models
from treewright.model import embedded_models
from treewright.model.container import save_model


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


def test_the_embedded_models_are_listed(run):
    outcome = run("models")
    assert outcome.code == 0
    rows = [line.split()[0] for line in outcome.out.splitlines() if "CC BY-SA" in line]
    assert rows == list(embedded_models())
    assert re.search(r"(?m)^en +en +UD English EWT +CC BY-SA 4\.0 +\d+\.\d MB +\d\d\.\d\d ", outcome.out)
    assert all(len(line.rstrip()) <= 80 for line in outcome.out.splitlines())


def test_models_of_other_packages_are_listed(run, site):
    install_models(site, "treewright-eo", "treewright_eo", ("eo", "eo-small"))
    outcome = run("models")
    assert re.search(r"(?m)^eo +eo +Example 2\.16 +CC0 +0\.0 MB +81\.23 +79\.88 *$", outcome.out)
    assert outcome.out.endswith("From treewright-eo 1.2: eo, eo-small\n")
    assert outcome.err == ""
    described = json.loads(run("models", "--json").out)
    assert described["eo"]["package"] == "treewright-eo 1.2"
    assert described["eo"]["scores"] == {"dev": {"LAS": 81.234}, "dev from raw text": {"words": 99.1, "LAS": 79.876}}
    assert described["en"]["package"] == ""
    assert json.loads(run("info", "eo", "--json").out)["release"] == "2.16"


def test_what_is_broken_costs_a_line_each(run, site):
    install_models(site, "a-broken", "no_such_package")
    folder = install_models(site, "b-models", "b_models", ("en", "fo", "go", "ho"), package="b_models")
    (folder / "fo.tw").write_bytes(b"no model")
    save_model(folder / "go.tw", {"kind": "pcfg", "info": "none"}, {"x": np.zeros(1)})
    save_model(folder / "ho.tw", {"kind": "pcfg", "info": {"dev": [1], "treebank": "\x1b[31m"}}, {"x": np.zeros(1)})
    outcome = run("models")
    assert outcome.code == 0
    lines = outcome.err.splitlines()
    assert all(line.startswith("warning: ") for line in lines)
    for line, words in zip(
        lines, (("a-broken 1.2",), ("'en'",), ("fo.tw", "not a"), ("go.tw",), ("ho.tw",)), strict=True
    ):
        assert all(word in line for word in words), line
    assert "\x1b" not in outcome.out + outcome.err
    assert [line.split()[0] for line in outcome.out.splitlines() if "MB" in line] == list(embedded_models())


def test_a_model_of_another_package_parses(run, site, text_parser):
    folder = install_models(site, "treewright-eo", "treewright_eo", ())
    text_parser.save(folder / "eo.tw")
    outcome = run("parse", "--model", "eo", "--text", "The dog barks.")
    assert (outcome.code, outcome.out.count("\tbarks\t")) == (0, 1)
    assert run("parse", "--model", "fo", "--text", "x").fails_with("no model 'fo'", " eo")
