"""What PyTorch costs: log Z and its gradient through `treewright.torch`, against calling `treewright.inference`.

Usage: ``python benchmarks/torch_cpu.py [--seconds 3] [--dtype float32]``.  A batch of random problems, one thread, best
of several; both start from arrays of the whole batch, and end with log Z and the marginals of all parts.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from treewright.inference import Scores, Trees
from treewright.inference.kinds import FACTORIZATIONS, PartKind
from treewright.torch import TreeDistribution

BATCH = 64


def draw(factorization, n, batch, dtype):
    rng = np.random.default_rng(n)
    kinds = [kind for kind in FACTORIZATIONS[factorization].kinds if kind is not PartKind.LAST]
    return {str(kind): rng.standard_normal((batch, *kind.shape(n)), dtype) for kind in kinds}


def directly(arrays, factorization):
    batch = [Scores(**{kind: array[k] for kind, array in arrays.items()}) for k in range(len(arrays["arc"]))]
    return Trees(factorization=factorization).batch(1).expectations(batch)


def through_pytorch(tensors, factorization):
    for tensor in tensors.values():
        tensor.grad = None
    TreeDistribution(**tensors, factorization=factorization).log_partition.sum().backward()


def best_times(functions, seconds):
    """Time functions in turns, the best of each, in milliseconds."""
    for function in functions:
        function()
    best, end = [float("inf")] * len(functions), time.perf_counter() + seconds
    while time.perf_counter() < end:
        for k, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[k] = min(best[k], 1e3 * (time.perf_counter() - start))
    return best


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=3.0)
    options.add_argument("--dtype", default="float32")
    given = options.parse_args()
    torch.set_num_threads(1)
    print("| parts | words | batch | directly (ms) | through PyTorch (ms) | ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for factorization in ("arc", "sibling", "grand-sibling"):
        for n in (25, 50):
            batch = 8 if (factorization, n) == ("grand-sibling", 50) else BATCH  # 64 of them need 10 GB
            arrays = draw(factorization, n, batch, np.dtype(given.dtype))
            tensors = {kind: torch.from_numpy(array).requires_grad_() for kind, array in arrays.items()}
            asked = [lambda: directly(arrays, factorization), lambda: through_pytorch(tensors, factorization)]  # noqa: B023
            direct, through = best_times(asked, given.seconds)
            print(
                f"| {factorization} | {n} | {batch} | {direct:.1f} | {through:.1f} | {through / direct:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
