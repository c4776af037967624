"""What many tests share: real sentences, and parsers trained once for each worker."""

import functools
import gc
import os
import re

os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")  # colours, for errors that Numba itself catches

if not os.path.exists("/dev/nvidiactl"):
    os.environ.setdefault("TRITON_INTERPRET", "1")  # without a GPU, kernels for it are interpreted; said before imports

import pytest

from tests.paths import DATA
from treewright.dependency.parser import Parser
from treewright.dependency.training import TrainingOptions, train_parser
from treewright.tokenization import Tokenizer, train_tokenizer
from treewright.treebank import Sentence, read

#: Tests that stay on one worker, by where they are: two Ray clusters disturb each other, one browser is enough, and the
#: others share kernels, which two workers would compile at the same time.
TOGETHER = {
    "browser": "browser",
    "bounds": "inference/bounds|dependency/test_(hooks|long_sentences|learners.*[(])",
    "clustering": "clustering|cli/test_cluster",
    "dual": "(inference/(dual|test_constrained.*False.*sibling)|dependency/test_learners.*nonprojective.*sibling"
    "|torch/.*hard|server/test_api)",
    "execution": "execution",
    "reranking": "reranking|cli/rerank|cli/test_parsing|constituency/pcfg",
    "spanning": "inference/spanning|inference/test_magnitudes",
    "tag": "constituency/tag|cli/constituents|test_experiments.*tag",
    "tagging": "tagging",
}

#: Elsewhere tests of one dynamic program, which has kernels of its own, have its name in theirs.
PROGRAM = re.compile(r"(tri|grand)-?sibling|carreras|grandchild|sibling", re.IGNORECASE)

#: Of two workers, one begins with the first group, and the other with the last: where both need the same kernels, one
#: has compiled them long before.  Tests in no group, most of them quick, come in the middle.
ORDER = (
    ["sibling", "grandsibling", "trisibling", "carreras", "grandchild", "dual", "bounds"],
    ["execution", "tagging", "tag", "spanning", "reranking", "clustering"],
)


@functools.cache
def group(test: str) -> str:
    """Return the name of the group of tests that a test belongs to: without another, those of its class or file."""
    for name, places in TOGETHER.items():
        if re.match(f"tests/({places})", test):
            return name
    program = PROGRAM.search(test) if re.match("tests/(inference|dependency|torch)/", test) else None
    return program[0].lower().replace("-", "") if program else test.rpartition("::")[0]


def place(test: str) -> int:
    """Return the place of the group of a test among all."""
    name, (first, last) = group(test), ORDER
    return first.index(name) - len(first) if name in first else 1 + last.index(name) if name in last else 0


def pytest_collection_modifyitems(items):
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: place(item.nodeid))


def pytest_collection_finish():
    """Let the garbage collector leave alone the tests, and look for garbage less often: compilers make a lot."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class ByKernels(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group(nodeid)

        def _assign_work_unit(self, node):
            if self.nodes.index(node) % 2:
                self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
            super()._assign_work_unit(node)

        def mark_test_complete(self, node, item_index, duration=0):
            test = self.registered_collections[node][item_index]
            work = self.assigned_work[node]
            del work[group(test)][test]  # rather than count it as done at every later one
            if not work[group(test)]:
                del work[group(test)]
            self._reschedule(node)

    config.option.loadscopereorder = False
    return ByKernels(config, log)


@pytest.fixture(scope="session")
def ewt() -> list[Sentence]:
    """English, with every column."""
    return list(read(DATA / "ewt.conllu"))


@pytest.fixture(scope="session")
def alksnis() -> list[Sentence]:
    """Lithuanian, rich in morphology, mostly non-projective."""
    return list(read(DATA / "alksnis.conllu"))


@pytest.fixture
def short_shards(monkeypatch):
    """Let a shard have this many words, so that a small corpus is cut into several."""
    for module in ("parsing.parser", "cli.parsing"):
        monkeypatch.setattr(f"treewright.{module}.SHARD_WORDS", 256)
    return 256


@pytest.fixture(scope="session")
def english(ewt) -> Tokenizer:
    """A tokenizer that was learned from a few sentences."""
    return train_tokenizer(ewt, language="en")


@pytest.fixture(scope="session")
def gold_parser(ewt) -> Parser:
    """A parser without a tagger."""
    return train_parser(ewt[:30], ewt[30:], TrainingOptions(factorization="arc", tags="gold", epochs=3))


@pytest.fixture(scope="session")
def log_linear_parser(ewt) -> Parser:
    """A parser whose marginals are probabilities, of arcs alone."""
    options = TrainingOptions(factorization="arc", tags="gold", learner="log-linear", epochs=3, threads=1)
    return train_parser([s for s in ewt if len(s) <= 12], ewt[:3], options)


@pytest.fixture(scope="session")
def third_order_parser(ewt) -> Parser:
    """A parser with a pruner and with parts of every kind."""
    options = TrainingOptions(
        tags="gold", learner="log-linear", factorization="tri-sibling", beam=1e-4, epochs=3, threads=1
    )
    return train_parser([s for s in ewt if len(s) <= 12], ewt[:3], options)


@pytest.fixture(scope="session")
def text_parser(ewt) -> Parser:
    """A parser with a tagger."""
    options = TrainingOptions(factorization="arc", folds=2, epochs=3, threads=1)
    return train_parser(ewt[:30], ewt[30:], options, info={"name": "tiny", "language": "en"})
