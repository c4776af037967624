"""How time and memory grow with the length of sentences and of corpora, against the orders that are claimed.

The slope of log CPU time against log length is fitted to the longer half of the lengths.  It may be below the claimed
order, which holds in the limit, and above it only by what caches account for.
"""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from scripts.attack.case import Case
from scripts.attack.processes import ROOT
from tests.paths import DATA

from treewright.inference import Scores, Trees
from treewright.tokenization import tokenize
from treewright.treebank import read, read_trees

__all__ = ["attack"]

PICTURE = ROOT / "benchmarks" / "growth_of_time.png"

#: How far above the claimed order a slope may be.
TOLERANCE = 0.6
#: Least CPU seconds for one point, so that a clock tick does not matter.
LEAST = 0.02


class Claim(NamedTuple):
    """Something that is claimed to grow as a power of a length."""

    name: str
    order: float  # of time
    memory: float
    lengths: tuple[int, ...]
    prepare: Callable[[int], Callable[[], object]]


def attack(case: Case) -> None:
    """Measure one claim; after the last, draw all of them."""
    if case.number >= len(CLAIMS):
        raise StopIteration
    claim = CLAIMS[case.number]
    points = [(length, *_measure(claim.prepare(length))) for length in claim.lengths]
    MEASURED[claim.name] = points
    half = points[len(points) // 2 :]
    lengths, seconds, bytes_used = (np.log(np.maximum(column, 1e-9)) for column in zip(*half, strict=True))
    slope, memory = (float(np.polyfit(lengths, column, 1)[0]) for column in (seconds, bytes_used))
    words = f"time n^{slope:.2f}, memory n^{memory:.2f}; claimed n^{claim.order:g}, n^{claim.memory:g}"
    print(f"growth: {claim.name}: {words}", flush=True)
    case.check(claim.name, slope <= claim.order + TOLERANCE and memory <= claim.memory + TOLERANCE, words)
    if case.number == len(CLAIMS) - 1:
        draw(PICTURE)


def _measure(question: Callable[[], object]) -> tuple[float, float]:
    """Return CPU seconds, the least of several, and the most bytes that Python held for one answer."""
    question()  # compiles
    best, total, times = np.inf, 0.0, 0
    while total < 5 * LEAST or times < 3:
        begin = time.process_time()
        question()
        spent = time.process_time() - begin
        best, total, times = min(best, max(spent, 1e-7)), total + spent, times + 1
        if total == 0.0 and times > 10_000:
            break
    tracemalloc.start()
    question()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return best, float(peak)


def _about(trees: Trees, ask: str) -> Callable[[int], Callable[[], object]]:
    def prepare(n: int) -> Callable[[], object]:
        scores = Scores(arc=np.random.default_rng(n).normal(size=(n + 1, n + 1)))
        return lambda: getattr(trees, ask)(scores)

    return prepare


def _reading(name: str, how: Callable[[BinaryIO], Iterator[object]]) -> Callable[[int], Callable[[], object]]:
    def prepare(length: int) -> Callable[[], object]:
        file = tempfile.TemporaryFile()  # noqa: SIM115 (it goes with the question)
        file.write((DATA / name).read_bytes() * length)

        def question() -> int:
            file.seek(0)
            return sum(1 for _ in how(file))

        return question

    return prepare


def _tokenizing(length: int) -> Callable[[], object]:
    text = "Trees grow, don't they? " * (10 * length)
    return lambda: sum(1 for _ in tokenize(text))


LONG, CORPORA = (25, 50, 100, 200, 400), (8, 16, 32, 64, 128)

CLAIMS = [
    Claim("best projective tree, O(n³)", 3, 2, LONG, _about(Trees(), "argmax")),
    Claim("projective marginals, O(n³)", 3, 2, LONG, _about(Trees(), "marginals")),
    Claim("best arborescence, O(n²)", 2, 2, LONG, _about(Trees(projective=False), "argmax")),
    Claim("marginals of arborescences, O(n³)", 3, 2, LONG, _about(Trees(projective=False), "marginals")),
    Claim("reading CoNLL-U, O(n)", 1, 0, CORPORA, _reading("ewt.conllu", lambda file: iter(read(file)))),
    Claim("reading brackets, O(n)", 1, 0, CORPORA, _reading("craft.mrg", lambda file: iter(read_trees(file)))),
    Claim("tokenizing, O(n)", 1, 1, CORPORA, _tokenizing),
]

MEASURED: dict[str, list[tuple[int, float, float]]] = {}


def draw(path: Path) -> None:
    """Draw time and memory against length."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for name, points in MEASURED.items():
        lengths, seconds, bytes_used = zip(*points, strict=True)
        axes[0].loglog(lengths, seconds, marker="o", label=name)
        axes[1].loglog(lengths, np.array(bytes_used) / 1e6, marker="o")
    for axis, label in zip(axes, ("CPU seconds", "megabytes at most"), strict=True):
        axis.set_xlabel("words, or copies of a corpus")
        axis.set_ylabel(label)
        axis.grid(visible=True, alpha=0.3)
    axes[0].legend(fontsize=7)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
