"""What many tests share: real sentences, and parsers trained once for each worker."""

import pytest

from tests.paths import DATA
from treewright.dependency.parser import Parser
from treewright.dependency.training import TrainingOptions, train_parser
from treewright.treebank import Sentence, read

#: Folders whose tests stay on one worker: two Ray clusters disturb each other, and the others need kernels of their
#: own, which two workers would compile at the same time.
TOGETHER = {"bounds", "constituents", "dual", "execution", "hidden", "pcfg", "rerank", "tag"}


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent.name in TOGETHER:
            item.add_marker(pytest.mark.xdist_group(item.path.parent.name))


@pytest.fixture(scope="session")
def ewt() -> list[Sentence]:
    """English, with every column."""
    return list(read(DATA / "ewt.conllu"))


@pytest.fixture(scope="session")
def alksnis() -> list[Sentence]:
    """Lithuanian, rich in morphology, mostly non-projective."""
    return list(read(DATA / "alksnis.conllu"))


@pytest.fixture(scope="session")
def gold_parser(ewt) -> Parser:
    """A parser without a tagger."""
    return train_parser(ewt[:30], ewt[30:], TrainingOptions(tags="gold", epochs=3))


@pytest.fixture(scope="session")
def log_linear_parser(ewt) -> Parser:
    """A parser whose marginals are probabilities, of arcs alone."""
    options = TrainingOptions(tags="gold", learner="log-linear", epochs=3, threads=1)
    return train_parser([s for s in ewt if len(s) <= 12], ewt[:3], options)


@pytest.fixture(scope="session")
def third_order_parser(ewt) -> Parser:
    """A parser with a pruner and with parts of every kind."""
    options = TrainingOptions(tags="gold", learner="log-linear", factorization="tri-sibling", epochs=3, threads=1)
    return train_parser([s for s in ewt if len(s) <= 12], ewt[:3], options)


@pytest.fixture(scope="session")
def text_parser(ewt) -> Parser:
    """A parser with a tagger."""
    options = TrainingOptions(folds=2, epochs=3, threads=1)
    return train_parser(ewt[:30], ewt[30:], options, info={"name": "tiny", "language": "en"})
