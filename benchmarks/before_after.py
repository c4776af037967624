"""Compare the speed of two installations of Treewright, to see whether a change has made anything slower.

    python benchmarks/before_after.py OLD/bin/python NEW/bin/python [--data ../shared/data] [--rounds 3] [--start]

Both are measured in turn, several times, in CPU time of one thread; a row is the best of all rounds.  ``--start`` also
measures what a user waits for: a warm ``treewright parse``, and compiling the kernels of some questions anew.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LENGTHS = (25, 50)
BATCH = 16
MODELS = {
    "sibling": ("sibling",),
    "grandchild": ("grandchild",),
    "carreras": ("sibling", "grandchild"),
    "grand-sibling": ("sibling", "grandchild", "grand_sibling"),
    "tri-sibling": ("sibling", "grandchild", "grand_sibling", "tri_sibling"),
    "grand-sibling with last": ("sibling", "last", "grandchild", "grand_sibling"),
    "sibling with last": ("sibling", "last"),
}


def best_time(function, seconds=0.6):
    """Time a call in milliseconds of CPU: the best of as many as fit."""
    function()
    best, end = float("inf"), time.thread_time() + seconds
    while time.thread_time() < end:
        start = time.thread_time()
        function()
        best = min(best, time.thread_time() - start)
    return best * 1e3


def many(trees, question, scores):
    """Ask about a batch, as this installation has it."""
    ask = getattr(trees.batch() if hasattr(trees, "batch") else trees, question)
    return lambda: ask(scores)


def inference_rows():
    import numpy as np

    from treewright.inference import DualDecomposition, Parts, Scores, Trees

    rng = np.random.default_rng(0)
    for n in LENGTHS:
        arcs = [Scores(arc=rng.normal(size=(n + 1, n + 1)).astype(np.float32)) for _ in range(BATCH)]
        for name, trees in (("projective", Trees()), ("non-projective", Trees(projective=False))):
            for question in ("argmax", "marginals"):
                yield f"{name} {question}, {BATCH} of {n} words", many(trees, question, arcs)
        sibling = [
            Scores(arc=one.arc, sibling=rng.normal(size=(n + 1,) * 3).astype(np.float32)) for one in arcs[:BATCH]
        ]
        for question in ("argmax", "marginals"):
            yield f"sibling {question}, {BATCH} of {n} words", many(Trees(factorization="sibling"), question, sibling)
        mask = rng.random((n + 1, n + 1)) < 6 / n
        mask[np.arange(n), np.arange(1, n + 1)] = True
        parts = Parts(mask, projective=True)
        for model, kinds in MODELS.items():
            scores = Scores(
                parts=parts, **{kind: rng.normal(size=len(getattr(parts, kind))) for kind in ("arc", *kinds)}
            )
            trees = Trees(factorization=model.partition(" ")[0])
            for question in ("argmax", "marginals"):
                yield f"{model} {question}, {n} words, pruned", lambda t=trees, q=question, s=scores: getattr(t, q)(s)
    n = 20
    dense = Scores(arc=rng.normal(size=(n + 1,) * 2), grand_sibling=rng.normal(size=(n + 1,) * 4))
    grand = Trees(factorization="grand-sibling")
    yield f"grand-sibling argmax, {n} words", lambda: grand.argmax(dense)
    yield f"grand-sibling marginals, {n} words", lambda: grand.marginals(dense)
    hard = DualDecomposition(Trees(projective=False, factorization="sibling"))
    scores = Scores(arc=dense.arc, sibling=rng.normal(size=(n + 1,) * 3))
    yield f"dual decomposition, {n} words", lambda: hard.argmax(scores)


def parsing_rows(data):
    import treewright

    parser = treewright.load("en")
    sentences = list(itertools.islice(treewright.read(data / "ud/english-ewt/dev.conllu.gz"), 150))
    yield "en, 150 sentences of EWT", lambda: [parser.parse_sentence(one) for one in sentences]
    tagged = [parser.parse_sentence(one) for one in sentences]
    yield "en, scores of 150 sentences", lambda: [parser.scores(one) for one in tagged]
    yield "en, with confidence", lambda: [parser.parse_sentence(one, confidence=True) for one in sentences[:50]]


def constituent_rows(data):
    import treewright
    from treewright.treebank import Sentence, read_trees, simplify

    load = getattr(treewright, "load_constituents", treewright.load)
    parser = load("en-constituents")
    trees = filter(None, map(simplify, read_trees(data / "craft-const/dev.mrg.gz", spaces="keep")))
    sentences = [Sentence.from_forms(tree.words) for tree in itertools.islice(trees, 30)]
    yield "en-constituents, 30 sentences of CRAFT", lambda: [parser.parse_sentence(one) for one in sentences]
    yield "en-constituents, 10 best of 10 sentences", lambda: [parser.k_best(one, 10) for one in sentences[:10]]


def measure(data, only):
    rows = {}
    groups = {"inference": inference_rows, "parsing": lambda: parsing_rows(data)}
    groups["constituents"] = lambda: constituent_rows(data)
    for name, function in itertools.chain.from_iterable(groups[group]() for group in only or groups):
        rows[name] = best_time(function, 0.4 if "words" in name else 8.0)
    return rows


COLD = (
    "import numpy as np; from treewright.inference import Scores, Trees; rng = np.random.default_rng(0);"
    "s = Scores(arc=rng.normal(size=(6, 6)), grand_sibling=rng.normal(size=(6,) * 4));"
    "t = Trees(factorization='grand-sibling'); t.argmax(s); t.marginals(s); Trees().argmax(Scores(arc=s.arc))"
)


def waits(python):
    """Measure a warm start in seconds of wall time, and cold compilation in seconds of CPU time."""
    command = [str(Path(python).parent / "treewright"), "parse", "--text", "The dog chased a cat.", "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    warm = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        warm.append(time.perf_counter() - start)
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        subprocess.run([python, "-c", COLD], check=True, env={**os.environ, "NUMBA_CACHE_DIR": folder})
        after = os.times()
    cold = after.children_user - before.children_user
    return {"warm treewright parse, s": min(warm), "cold compile, third order, CPU s": cold}


def run(python, data, only):
    result = subprocess.run(
        [python, __file__, "--worker", "--data", str(data), "--only", *only],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="*", help="the interpreters of the old and the new installation")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--start", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], choices=["inference", "parsing", "constituents"])
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure(options.data, options.only)))
        return
    best = [{}, {}]
    for _ in range(options.rounds):
        for rows, python in zip(best, options.pythons, strict=True):
            for name, value in run(python, options.data, options.only).items():
                rows[name] = min(value, rows.get(name, value))
    if options.start:
        for rows, python in zip(best, options.pythons, strict=True):
            rows.update(waits(python))
    print("| | before | after | after / before |\n| --- | ---: | ---: | ---: |")
    for name, old in best[0].items():
        print(f"| {name} | {old:.3g} | {best[1][name]:.3g} | {best[1][name] / old:.2f} |")


if __name__ == "__main__":
    sys.exit(main())
