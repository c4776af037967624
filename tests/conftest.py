"""What many tests share: real sentences, and parsers trained once for each worker."""

import re

import pytest

from tests.paths import DATA
from treewright.dependency.parser import Parser
from treewright.dependency.training import TrainingOptions, train_parser
from treewright.treebank import Sentence, read

#: Folders whose tests stay on one worker each: two Ray clusters disturb each other, and the others need kernels of
#: their own, which two workers would compile at the same time.
TOGETHER = {
    "bounds", "clustering", "constituents", "dual", "execution", "features", "hidden", "learners", "pcfg", "rerank",
    "spanning", "tag", "tagging",
}  # fmt: skip

#: Where else tests are of one dynamic program, which has kernels of its own, its name is in theirs.
PROGRAM = re.compile(r"(tri|grand)-?sibling|carreras|grandchild|sibling", re.IGNORECASE)


def group(item: pytest.Item) -> str | None:
    """Return the name of the group of tests that stay on one worker, if there is one."""
    folder = item.path.parent.name
    if folder in TOGETHER:
        return folder
    program = PROGRAM.search(item.nodeid.partition("::")[2]) if folder in {"inference", "charts"} else None
    return program[0].lower().replace("-", "") if program else None


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items):
    for item in items:
        if name := group(item):
            item.add_marker(pytest.mark.xdist_group(name))


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
