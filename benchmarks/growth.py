"""How time and memory grow with the length of a sentence, for each factorization, pruned and not.

    python benchmarks/growth.py [--plot benchmarks/growth.png] [--seconds 1] [--gigabytes 1]

One argmax of random scores, one thread, CPU time.  Memory is what the process holds at most, scores among it, beyond
what it held before.  Pruned sentences keep six heads near each word.  A curve ends at 1,000 words, or where a sentence
would take longer, or more memory, than it may.  Drawing needs matplotlib, and memory is measured on Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import os
import re
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from treewright.inference import Parts, Scores, Trees

UNITS = "ms of CPU time for one argmax", "MB, scores among them"
LENGTHS = [10, 20, 50, 100, 200, 500, 1000]
HEADS = 6
KINDS = {
    "arc": [],
    "sibling": ["sibling"],
    "grandchild": ["grandchild"],
    "carreras": ["sibling", "grandchild"],
    "grand-sibling": ["grand_sibling"],
    "tri-sibling": ["grand_sibling", "tri_sibling"],
}
RANKS = {"sibling": 3, "grandchild": 3, "grand_sibling": 4, "tri_sibling": 4}


def held(name: str) -> float:
    """Return a number of megabytes that Linux knows of this process."""
    return int(re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024


def near(n, rng):
    """Keep some heads near each word, among them the word before, so that there is a tree."""
    allowed = np.zeros((n + 1, n + 1), bool)
    allowed[np.arange(n), np.arange(1, n + 1)] = True
    for m in range(1, n + 1):
        order = np.argsort(abs(np.arange(n + 1) - m) + rng.random(n + 1) * HEADS)
        allowed[order[order != m][: HEADS - 1], m] = True
    return allowed


def problem(factorization, n, is_pruned, rng):
    kinds = KINDS[factorization]
    if not is_pruned:
        arrays = {kind: rng.random((n + 1,) * RANKS[kind], np.float32) for kind in kinds}
        return Scores(arc=rng.random((n + 1, n + 1), np.float32), **arrays)
    parts = Parts(near(n, rng), projective=True)
    return Scores(parts=parts, **{kind: rng.random(parts.count(kind)) for kind in ("arc", *kinds)})


def measure(factorization, n, is_pruned, rng):
    """Return milliseconds of CPU time and megabytes."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # memory that was used before is given back, so that using it again counts
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before, trees = held("VmRSS"), Trees(factorization=factorization)
    scores, best, end = problem(factorization, n, is_pruned, rng), float("inf"), time.thread_time() + 0.2
    while best == float("inf") or time.thread_time() < end:
        start = time.thread_time()
        trees.argmax(scores)
        best = min(best, time.thread_time() - start)
    return best * 1e3, held("VmHWM") - before


def curve(factorization, is_pruned, seconds, gigabytes):
    """Measure one curve: rows of words, ms and MB."""
    rng, rows = np.random.default_rng(0), []
    measure(factorization, 5, is_pruned, rng)  # compiles
    for n in LENGTHS:
        if rows and not is_pruned:  # what the next one would take: time and memory grow as n³ at least, beyond arcs
            power = 2 if factorization == "arc" else max(RANKS[kind] for kind in KINDS[factorization])
            more = (n / rows[-1][0]) ** power
            if rows[-1][1] * more > seconds * 1e3 or rows[-1][2] * more > gigabytes * 1024:
                break
        with contextlib.suppress(ValueError):  # too large
            rows.append((n, *measure(factorization, n, is_pruned, rng)))
    return rows


def draw(curves, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(11, 5))
    for column, (axes, unit) in enumerate(zip(panels, UNITS, strict=True), 1):
        for number, (factorization, is_pruned) in enumerate(curves):
            rows = np.array(curves[factorization, is_pruned])
            name, line = (f"{factorization}, pruned", "o-") if is_pruned else (factorization, "o:")
            shown = np.maximum(rows[:, column], 0.1 if column == 2 else 0.0)
            axes.loglog(rows[:, 0], shown, line, color=f"C{number // 2}", markersize=4, label=name)
        axes.set(xlabel="words", ylabel=unit)
        axes.grid(alpha=0.3)
    panels[0].legend(fontsize=8)
    figure.suptitle(f"Time and memory against length; pruned: {HEADS} heads a word")
    figure.tight_layout()
    figure.savefig(path, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", help="draw the curves into this file")
    parser.add_argument("--seconds", type=float, default=1.0, help="what an unpruned sentence may take")
    parser.add_argument("--gigabytes", type=float, default=1.0)
    options = parser.parse_args()
    print("ms, and MB in brackets\n\n| | " + " | ".join(map(str, LENGTHS)) + " |\n| --- |" + " ---: |" * len(LENGTHS))
    curves = {}
    for factorization in KINDS:
        for is_pruned in (False, True):
            rows = curve(factorization, is_pruned, options.seconds, options.gigabytes)
            curves[factorization, is_pruned] = rows
            cells = {n: f"{ms:,.{2 if ms < 10 else 0}f} ({max(0.0, mb):,.0f})" for n, ms, mb in rows}
            name = f"{factorization}, pruned" if is_pruned else factorization
            print(f"| {name} | " + " | ".join(cells.get(n, "") for n in LENGTHS) + " |", flush=True)
    if options.plot:
        draw(curves, options.plot)


if __name__ == "__main__":
    main()
