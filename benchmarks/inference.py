"""Time the search for the best tree: microseconds a sentence, best of many runs, one thread.

Run as ``python benchmarks/inference.py``.  Scores are float32, either random (standard normal) or easy (one
head a word stands out by 8, as under a trained model).
"""

from __future__ import annotations

import time

import numpy as np

from treewright.inference import arborescence, eisner

LENGTHS = (10, 25, 50, 100)
BATCH = 16


def problems(n, easy):
    """Draw scores for a batch of sentences, the same in every run."""
    rng = np.random.default_rng(n)
    batch = []
    for _ in range(BATCH):
        arc = rng.normal(size=(n + 1, n + 1)).astype(np.float32)
        if easy:
            heads = [int(rng.integers(1, m)) if m > 1 else 0 for m in range(1, n + 1)]
            arc[heads, np.arange(1, n + 1)] += 8
        batch.append(arc)
    return batch


def microseconds(search, batch, single_root, seconds=0.3):
    """Return the least time a sentence, over runs of the whole batch."""
    search(batch[0], single_root)
    best, stop = np.inf, time.perf_counter() + seconds
    while time.perf_counter() < stop:
        start = time.perf_counter()
        for arc in batch:
            search(arc, single_root)
        best = min(best, time.perf_counter() - start)
    return best / len(batch) * 1e6


def first_calls():
    """Print the seconds until each search has answered once: compilation, or loading what was compiled."""
    for search in (eisner, arborescence):
        start = time.perf_counter()
        search(np.zeros((3, 3), np.float32), True)
        print(f"first call of {search.__name__}: {time.perf_counter() - start:.2f} s")


def main():
    first_calls()
    print(f"\n{'µs a sentence':36}" + "".join(f"{f'n={n}':>9}" for n in LENGTHS))
    for search in (eisner, arborescence):
        for single_root in (True, False):
            for easy in (False, True):
                name = f"{search.__name__}, {'single' if single_root else 'multi'} root, "
                name += "easy" if easy else "random"
                times = [microseconds(search, problems(n, easy), single_root) for n in LENGTHS]
                print(f"{name:36}" + "".join(f"{t:9.1f}" for t in times), flush=True)


if __name__ == "__main__":
    main()
