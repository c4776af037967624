"""A service with small models, for all tests that do not need one of their own."""

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.server.serving import FakeParser, serving
from treewright.constituency.pcfg import train_pcfg
from treewright.treebank import read_trees_string

BANK = """
(S (NP (DT The) (NN dog)) (VP (VBD chased) (NP (DT a) (NN cat))) (. .))
(S (NP (DT The) (NN cat)) (VP (VBD saw) (NP (NP (DT the) (NN dog)) (PP (IN in) (NP (DT a) (NN house))))) (. .))
(S (NP (PRP She)) (VP (VBD saw) (NP (DT a) (NN house)) (PP (IN in) (NP (DT a) (NN dog)))) (. .))
"""


@pytest.fixture(scope="session")
def pcfg():
    """A small model of constituents."""
    return train_pcfg(read_trees_string(BANK), vertical=1, horizontal=1)


@pytest.fixture(scope="session")
def client(text_parser, gold_parser, pcfg):
    with serving({"tiny": text_parser, "gold": gold_parser, "pcfg": pcfg, "fake": FakeParser()}) as client:
        yield client
