"""A sentence of 120 words under a trained model: exact searches end at their limits, in little memory."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
from itertools import chain, count
from types import SimpleNamespace
from treewright import TrainingOptions, read, train_parser
from treewright.inference import BranchAndBound, DualDecomposition
from treewright.inference.bounds import branch_and_bound
from treewright.treebank import Sentence
sentences = list(read(sys.argv[1]))
quick = dict(tags="gold", learner="perceptron", labels=False, epochs=1, threads=1, max_heads=10)
options = {options}
parser = train_parser(sentences[:12], sentences[12:15], TrainingOptions(**quick, **options))
columns = ("forms", "lemmas", "upos", "xpos", "feats")
words = {{name: list(chain.from_iterable(getattr(s, name) for s in sentences))[:120] for name in columns}}
long = Sentence.from_forms(words.pop("forms"), **words)
assert len(long) == 120
def best(sentence, **limits):
    scores = parser.scores(sentence)
    if parser.trees.is_hard:
        return DualDecomposition(parser.trees, **limits).argmax(scores)
    factors = parser.scorer.factors(sentence, scores.parts)
    return BranchAndBound(parser.trees, **limits).argmax(scores, factors)
ticks = count()
branch_and_bound.time = SimpleNamespace(perf_counter=lambda: next(ticks) / 10)  # read twice a node
parse = best(long, **{limits})
assert len(parse.heads) == 121 and parse.gap >= 0 and parse.upper_bound >= parse.score
[peak] = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print({count}, int(peak) / 1024)
"""
BOUNDED = {"factorization": "carreras", "non_local": ["siblings", "grandchildren", "combs"]}
AUTOMATA = {"trees": "nonprojective", "factorization": "grand-sibling"}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("options", "limits", "count", "most"),
    [
        (BOUNDED, {"max_nodes": 4}, "parse.nodes", 4),
        (BOUNDED, {"time_limit": 1.0}, "parse.nodes", 5),
        (AUTOMATA, {"max_iterations": 200}, "parse.iterations", 200),
        (AUTOMATA, {"exact": True, "max_nodes": 3, "max_iterations": 50}, "parse.iterations", 50 + 3 * 2 * 50),
    ],
    ids=["nodes", "time", "iterations", "nodes of automata"],
)
def test_120_words_end_at_the_limit_and_below_a_gigabyte(options, limits, count, most, request):
    program = PROGRAM.format(options=options, limits=limits, count=count)
    data = str(request.config.rootpath / "tests" / "data" / "ewt.conllu")
    run = subprocess.run([sys.executable, "-c", program, data], capture_output=True, text=True, check=True)
    done, megabytes = map(float, run.stdout.split())
    assert 1 <= done <= most
    assert megabytes < 1000
