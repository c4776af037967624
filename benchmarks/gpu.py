"""Trees on a GPU: laws, and the time of log Z and all marginals, forward and backward in one call.

    python benchmarks/gpu.py [--laws | --times]

What the time is up against, for sentences of n = 50 words in batches of 256 (multiply-adds of the forward pass; the way
back has as many alternatives and adds to two items for each):

- arcs: 3 · n³ / 6 + n² = 65,000 alternatives a sentence, 17 million in all: nothing for 34 TFLOP/s.  Scores in
  and marginals out are 256 · 51² · 8 · 2 = 11 MB in float64, 2.5 µs at 4.3 TB/s.  So the floor is the chain of levels:
  150 each way, a barrier and a few dependent loads from the nearest cache each, about 0.3 µs, which makes 0.1 ms.
- siblings: 5 · n³ / 6; scores and marginals of 51³ parts are 256 · 133,000 · 4 · 2 = 272 MB in float32: 63 µs.
- grand-siblings: about 10 · n⁴ / 24 = 2.6 million alternatives a sentence, and 256 · 51⁴ scores, of which a sixth are
  in some tree.  Marginals are written densely, 6.9 GB in float32, which takes 1.6 ms; reading the sixth in sectors of
  32 bytes about 0.5 ms; charts of 3.4 MB a sentence do not fit into the cache, and are read and written many times.
- matrix-tree: 2 · n³ / 3 · 3 multiply-adds, in registers; 50 steps each way, with two reductions over the block each.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

from treewright.inference import Parts, Scores, SearchSpace, Trees
from treewright.torch import gpu
from treewright.torch.padded import Padded

#: The axes of the scores of each kind: words, or sides for the letter d.
AXES = {
    "arc": "hm",
    "sibling": "hsm",
    "last": "hsd",
    "grandchild": "ghm",
    "grand_sibling": "ghsm",
    "tri_sibling": "htsm",
}
KINDS = {
    "arc": ("arc",),
    "sibling": ("arc", "sibling"),
    "grandchild": ("arc", "grandchild"),
    "carreras": ("arc", "sibling", "grandchild"),
    "grand-sibling": ("arc", "sibling", "grandchild", "grand_sibling"),
    "tri-sibling": ("arc", "sibling", "grandchild", "grand_sibling", "tri_sibling"),
}


def dense_shape(kind: str, size: int) -> tuple[int, ...]:
    """Return the shape of the scores of a sentence."""
    return tuple(2 if axis == "d" else size for axis in AXES[kind])


class Timing(NamedTuple):
    """A line of the table of times."""

    name: str
    factorization: str
    projective: bool
    dtype: str
    n: int
    batch: int
    heads: int = 0  # heads a word after pruning; 0 for all


TIMINGS = [
    *(Timing("arcs", "arc", True, dtype, n, 256) for dtype in ("float64", "float32") for n in (25, 50, 100)),
    *(Timing("arcs", "arc", True, "float64", 50, batch) for batch in (1, 16, 64, 1024)),
    *(Timing("siblings", "sibling", True, dtype, n, 256) for dtype in ("float64", "float32") for n in (25, 50, 100)),
    *(Timing("siblings", "sibling", True, "float32", 50, batch) for batch in (1, 16, 64, 1024)),
    *(Timing("grand-siblings", "grand-sibling", True, "float32", n, 256) for n in (25, 50)),
    Timing("grand-siblings", "grand-sibling", True, "float32", 100, 16),
    *(Timing("grand-siblings", "grand-sibling", True, "float32", 50, batch) for batch in (1, 16, 64)),
    *(Timing("grand-siblings, 10 heads a word", "grand-sibling", True, "float32", n, 256, 10) for n in (25, 50, 100)),
    *(Timing("matrix-tree", "arc", False, dtype, n, 256) for dtype in ("float64", "float32") for n in (25, 50, 100)),
]

#: Different prunings in a batch.
PRUNINGS = 16


def _pruned(timing: Timing, seed: int) -> Parts:
    """Prune a sentence to its likeliest arcs, by random scores and distance, among them those of a projective tree."""
    rng, n = np.random.default_rng(seed), timing.n
    h, m = np.indices((n + 1, n + 1))
    scores = rng.normal(size=(n + 1, n + 1)) - np.abs(h - m) / 5.0
    scores[h == m] = -np.inf
    scores[h + 1 == m] = np.inf  # a chain
    allowed = scores >= np.sort(scores, axis=0)[-timing.heads]
    return Parts(allowed & (m > 0), projective=True)


def _cases() -> Iterator[dict[str, Any]]:
    """Solve small problems on the CPU: all factorizations, both kinds of roots, both types, ordinary and extreme."""
    rng = np.random.default_rng(0)
    for projective, factorization, kinds in _programs():
        for single_root, dtype, scale in ((True, "float64", 1.0), (False, "float32", 1.0), (True, "float64", 1e4)):
            lengths = [7, 1, 2, 5, 6] if factorization == "arc" else [5, 1, 4]
            size = max(lengths) + 1
            scores, direction = (
                {k: rng.normal(size=(len(lengths), *dense_shape(k, size))).astype(dtype) for k in kinds} for _ in "sd"
            )
            if scale > 1:
                scores = {k: np.where(rng.random(v.shape) < 0.1, -np.inf, v * scale) for k, v in scores.items()}
            space = SearchSpace(projective, single_root, factorization)
            trees = Trees(projective=projective, single_root=single_root, factorization=factorization)
            answers = []
            for index, n in enumerate(lengths):
                cut = {k: v[(index, *_small(k, n))] for k, v in scores.items()}
                try:
                    log_z, marginals = trees.expectations(Scores(**cut))
                    answers.append(
                        (log_z, {k: getattr(marginals, k) for k in kinds}, trees.argmax(Scores(**cut)).score)
                    )
                except ValueError:
                    answers.append((-np.inf, {k: np.zeros(v.shape) for k, v in cut.items()}, -np.inf))
            yield {**space.__dict__, "size": size, "lengths": lengths, "scores": scores, "direction": direction,
                   "answers": answers, "scale": scale}  # fmt: skip


def _programs() -> Iterator[tuple[bool, str, tuple[str, ...]]]:
    for factorization, kinds in KINDS.items():
        yield True, factorization, kinds
    yield True, "sibling", ("arc", "sibling", "last")
    yield True, "grand-sibling", ("arc", "last", "grand_sibling")
    yield False, "arc", ("arc",)


def _small(kind: str, n: int) -> tuple[slice, ...]:
    return tuple(slice(0, 2 if axis == "d" else n + 1) for axis in AXES[kind])


def run(laws: bool, times: bool) -> None:
    """Compare with the answers of the CPU, and measure."""
    if laws:
        start = time.time()
        results = [_holds(case) for case in _cases()]
        print(f"laws: {sum(results)} of {len(results)} cases hold ({time.time() - start:.0f} s)", flush=True)
    if not times:
        return
    _ceilings()
    print("| program | scores | n | batch | ms | by a graph, ms | log Z alone, ms |")
    print("| --- " * 7 + "|")
    for timing in TIMINGS:
        try:
            print(_measured(timing), flush=True)
        except Exception as error:  # a line that cannot be measured must not hide the others
            print("|", *timing, "|", repr(error)[:300], flush=True)
        torch.cuda.empty_cache()
    _others()


def _others() -> None:
    """Measure samples, and the gradient of the entropy."""
    for name, factorization in (("arcs", "arc"), ("siblings", "sibling")):
        batch = _batch(Timing(name, factorization, True, "float64", 50, 64))
        batch = Padded(batch.scores, batch.lengths.cpu(), batch.space)
        ms = _time(lambda batch=batch: gpu.sample(batch, 1000, 1), 5)
        print(f"1,000 samples of 50 words, batch 64, {name}: {ms:.1f} ms, {64000 / ms:.0f} trees a millisecond")
        batch = _batch(Timing(name, factorization, True, "float64", 50, 256))
        batch = Padded(batch.scores, batch.lengths.cpu(), batch.space)
        ms = _time(lambda batch=batch: (gpu.sums(batch), gpu.tangents(batch, batch.scores)), 5)
        print(f"entropy and its gradient, batch 256, 50 words, {name}: {ms:.2f} ms", flush=True)


def _holds(case: dict[str, Any]) -> bool:
    """Check every answer of a case: log Z, marginals, tangents by differences, argmax, samples."""
    device = torch.device("cuda")
    scores = {k: torch.from_numpy(v).to(device) for k, v in case["scores"].items()}
    direction = {k: torch.from_numpy(v).to(device) for k, v in case["direction"].items()}
    space = SearchSpace(case["projective"], case["single_root"], case["factorization"])
    batch = Padded(scores, torch.tensor(case["lengths"]), space)
    tolerance = 1e-9 if scores["arc"].dtype == torch.float64 else 2e-5
    log_z, marginals = gpu.sums(batch)
    same = gpu.sums(batch)[1]
    errors = {"repeat": max(float((marginals[k] - same[k]).abs().max()) for k in scores), "alone": 0.0}
    errors["log Z"] = errors["marginals"] = errors["best"] = 0.0
    alone = gpu.log_partition(batch)
    errors["alone"] = float((alone - log_z).nan_to_num(0.0, 0.0, 0.0).abs().max())
    best = gpu.argmax(batch)[0].tolist() if space.projective else None
    for index, (n, (expected, means, score)) in enumerate(zip(case["lengths"], case["answers"], strict=True)):
        size = max(1.0, abs(expected)) if expected > -np.inf else 1.0
        found = float(log_z[index])
        errors["log Z"] = max(errors["log Z"], 0.0 if found == expected else abs(found - expected) / size)
        for kind, mean in means.items():
            wanted = np.zeros(scores[kind].shape[1:])
            wanted[_small(kind, n)] = mean
            gap = np.abs(marginals[kind][index].cpu().numpy() - wanted).max()
            errors["marginals"] = max(errors["marginals"], float(np.nan_to_num(gap, nan=np.inf)))
        if best is not None and best[index] != score:
            errors["best"] = max(errors["best"], abs(best[index] - score) / size)
    errors["tangents"] = _tangent_error(batch, direction) if case["scale"] == 1.0 and tolerance < 1e-6 else 0.0
    if case["scale"] == 1.0 and space.projective:
        errors["samples"] = _sample_error(batch, marginals["arc"])
    bad = {name: error for name, error in errors.items() if not error <= (_TOLERANCES.get(name, tolerance))}
    print(
        "ok " if not bad else "BAD",
        *space.__dict__.values(),
        str(scores["arc"].dtype),
        case["scale"],
        bad or "",
        flush=True,
    )
    return not bad


_TOLERANCES = {"repeat": 0.0, "tangents": 1e-7, "samples": 0.08}


def _tangent_error(batch: Padded, direction: dict[str, torch.Tensor]) -> float:
    step = 1e-5

    def at(scale: float) -> dict[str, torch.Tensor]:
        moved = {k: v + scale * direction[k] for k, v in batch.scores.items()}
        return gpu.sums(Padded(moved, batch.lengths, batch.space))[1]

    after, before, found = at(step), at(-step), gpu.tangents(batch, direction)
    return max(float(((after[k] - before[k]) / (2 * step) - found[k]).abs().max()) for k in found)


def _sample_error(batch: Padded, marginals: torch.Tensor) -> float:
    heads, count = gpu.sample(batch, 1000, 1), 1000
    frequencies = torch.zeros_like(marginals, dtype=torch.float64)
    for index, n in enumerate(batch.lengths.tolist()):
        for m in range(1, n + 1):
            drawn = torch.bincount(heads[:, index, m].clamp(min=0), minlength=marginals.shape[1])
            frequencies[index, :, m] = drawn[: marginals.shape[1]] / count
    return float((frequencies - marginals).abs().max())


def _ceilings() -> None:
    """Print what the GPU is, and how fast it copies."""
    source = torch.rand(1 << 29, device="cuda")
    target = torch.empty_like(source)
    ms = _time(lambda: target.copy_(source))
    rate = 8 * source.numel() / ms / 1e9
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}: copies {rate:.2f} TB/s\n")


def _time(ask: Callable[[], Any], repeats: int = 20) -> float:
    """Return the median time of a call in milliseconds."""
    for _ in range(3):
        ask()
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in "se")
        start.record()
        ask()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def _graph(ask: Callable[[], Any]) -> Callable[[], Any]:
    """Capture a call, which leaves out the time of Python."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        ask()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ask()
    return graph.replay


def _measured(timing: Timing) -> str:
    batch = _batch(timing)
    both = _time(lambda: gpu.sums(batch), 10)
    replay = _time(_graph(lambda: gpu.sums(batch)))
    alone = _time(_graph(lambda: gpu.log_partition(batch)), 10)
    line = timing.name, timing.dtype, timing.n, timing.batch, f"{both:.3f}", f"{replay:.3f}", f"{alone:.3f}"
    return f"| {' | '.join(map(str, line))} |"


def _batch(timing: Timing) -> Padded:
    """Make random scores on the GPU."""
    torch.manual_seed(0)
    lengths, parts = torch.full((timing.batch,), timing.n), None
    lengths = lengths.cuda()
    shapes = {kind: dense_shape(kind, timing.n + 1) for kind in KINDS[timing.factorization]}
    if timing.heads:
        different = [_pruned(timing, k) for k in range(PRUNINGS)]
        parts = tuple(different[k % PRUNINGS] for k in range(timing.batch))
        shapes = {kind: (max(one.count(kind) for one in different),) for kind in shapes}
    dtype = getattr(torch, timing.dtype)
    scores = {kind: torch.randn((timing.batch, *shape), device="cuda", dtype=dtype) for kind, shape in shapes.items()}
    return Padded(scores, lengths, SearchSpace(timing.projective, True, timing.factorization), parts)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--laws", action="store_true", help="compare, and measure nothing")
    parser.add_argument("--times", action="store_true", help="measure, and compare nothing")
    given = parser.parse_args()
    run(given.laws or not given.times, given.times or not given.laws)


if __name__ == "__main__":
    main()
