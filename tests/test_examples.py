"""The programs in examples/ run and learn."""

import importlib.util
import re

import pytest
import torch

from tests.paths import DATA, TESTS
from treewright.treebank import read, write


def load(name):
    spec = importlib.util.spec_from_file_location(name, TESTS.parent / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_biaffine_parser_learns(tmp_path, capsys):
    torch.manual_seed(0)
    sentences = sorted(read(DATA / "ewt.conllu"), key=len)[:12]
    write(sentences, tmp_path / "tiny.conllu")
    uas, las = load("biaffine").train(
        tmp_path / "tiny.conllu", tmp_path / "tiny.conllu", epochs=10, device="cpu", rate=0.01
    )
    losses = [float(loss) for loss in re.findall(r"12/12 sentences, loss ([\d.]+); dev", capsys.readouterr().out)]
    assert len(losses) == 10
    assert losses[-1] < 0.85 * losses[0]
    assert uas >= las > 0


def test_a_page_of_doubts():
    text = "The dog sleeps. I saw the man with the telescope in the park that you like."
    page = load("doubtful_page").doubtful_page(text, number=1)
    assert page.count("<svg ") == 1
    assert "telescope" in page


def test_subjects_in_spacy(capsys):
    pytest.importorskip("spacy")
    import treewright.integrations.spacy  # noqa: F401  # what an installed entry point does

    load("spacy_doubts").main()
    assert capsys.readouterr().out == "[('chase', 'dog'), ('run', 'cat')]\n[('plant', 'She'), ('grow', 'that')]\n"
