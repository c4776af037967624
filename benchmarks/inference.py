"""Inference against the libraries people use, in one run, as ratios.

Usage: ``python benchmarks/inference.py [--quick]``.  Peers (`pip install -e ".[peers]"`) that are
not there, or do not run, are left out, and the table says so.  A batch of 32 random float32 problems, one thread, best
of several.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import os
import sys
import time
import types

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from treewright.inference import Parts, Scores, Trees

BATCH = 32


def best_time(function, seconds=1.0):
    """Time a call in milliseconds: the best of as many as fit."""
    function()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def problems(n, sibling=False, easy=False, seed=0):
    rng = np.random.default_rng(seed)
    scores = []
    for _ in range(BATCH):
        arc = rng.normal(size=(n + 1, n + 1)).astype(np.float32)
        if easy:
            arc[[int(rng.integers(0, m)) for m in range(1, n + 1)], np.arange(1, n + 1)] += 8
        higher = {"sibling": rng.normal(size=(n + 1,) * 3).astype(np.float32)} if sibling else {}
        scores.append(Scores(arc=arc, **higher))
    return scores


def load_peers():
    """Import what is there; SuPar's structures alone, because the rest of it asks for much more."""
    peers, missing = {}, []
    try:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
    except ImportError:
        return {}, ["PyTorch, and so torch-struct and SuPar: not installed"]
    peers["torch"] = torch
    spec = importlib.util.find_spec("supar")
    if spec is not None and spec.submodule_search_locations:
        for name in ("supar", "supar.utils"):
            module = types.ModuleType(name)
            module.__path__ = [os.path.join(spec.submodule_search_locations[0], *name.split(".")[1:])]
            sys.modules[name] = module
    for name, module in (
        ("SuPar", "supar.structs"),
        ("torch-struct", "torch_struct"),
        ("ufal", "ufal.chu_liu_edmonds"),
    ):
        try:
            peers[name] = importlib.import_module(module)
        except Exception as error:
            missing.append(f"{name}: {type(error).__name__}: {error}")
    return peers, missing


def peer_calls(work, n, peers, scores):
    """List what each peer does for the same work: name → function."""
    torch, calls = peers.get("torch"), {}
    if torch is None:
        return calls
    arc = torch.tensor(np.stack([one.arc for one in scores]))
    lengths = torch.full((BATCH,), n)
    dependents = arc.transpose(1, 2).contiguous()
    supar, struct = peers.get("SuPar"), peers.get("torch-struct")
    if work.startswith("projective"):
        if supar is not None:
            calls["SuPar"] = lambda: getattr(supar.DependencyCRF(dependents, lengths), _supar(work))
        if struct is not None:
            calls["torch-struct"] = lambda: getattr(struct.DependencyCRF(arc[:, 1:, 1:]), _supar(work))
    elif work.startswith("sibling") and supar is not None:
        sibling = torch.tensor(np.stack([one.sibling for one in scores])).permute(0, 3, 1, 2).contiguous()
        calls["SuPar"] = lambda: getattr(supar.Dependency2oCRF((dependents, sibling), lengths), _supar(work))
    elif work.startswith("matrix-tree"):
        if supar is not None:
            double = dependents.double()
            calls["SuPar, float64"] = lambda: supar.MatrixTree(double, lengths).marginals
        if struct is not None:
            calls["torch-struct, float32"] = lambda: struct.NonProjectiveDependencyCRF(arc[:, 1:, 1:]).marginals
    elif work.startswith("MST"):
        if "ufal" in peers:
            rows = [np.ascontiguousarray(one.arc.T, np.float64) for one in scores]
            calls["ufal (multi root)"] = lambda: [peers["ufal"].chu_liu_edmonds(row) for row in rows]
        if supar is not None and n <= 50:
            calls["SuPar"] = lambda: supar.MatrixTree(dependents, lengths).argmax
    return calls


def _supar(work):
    return "argmax" if work.endswith("argmax") else "marginals"


WORK = {
    "projective marginals": (Trees(), "marginals", {}),
    "projective argmax": (Trees(), "argmax", {}),
    "sibling marginals": (Trees(factorization="sibling"), "marginals", {"sibling": True}),
    "sibling argmax": (Trees(factorization="sibling"), "argmax", {"sibling": True}),
    "matrix-tree marginals": (Trees(projective=False), "marginals", {}),
    "MST, random scores": (Trees(projective=False), "argmax", {}),
    "MST, easy scores": (Trees(projective=False), "argmax", {"easy": True}),
}


def k_best_rows(n=40, k=100, heads=6):
    """Print what the k best trees cost beside the best one, third order, pruned and not."""
    rng, mask = np.random.default_rng(0), np.ones((n + 1, n + 1), bool)
    pruned = rng.random(mask.shape) < heads / n
    pruned[np.arange(n), np.arange(1, n + 1)] = True
    print(f"\n| {k} best trees, {n} words | best, ms | {k} best, ms | times |\n| --- | ---: | ---: | ---: |")
    for name, higher in (("grand-sibling", ["grand_sibling"]), ("tri-sibling", ["grand_sibling", "tri_sibling"])):
        for arcs, allowed in (("all arcs", mask), (f"{heads} heads a word", pruned)):
            parts, trees = Parts(allowed, projective=True), Trees(factorization=name)
            kinds = ("arc", *higher)
            scores = Scores(parts=parts, **{kind: rng.normal(size=len(getattr(parts, kind))) for kind in kinds})
            one = best_time(functools.partial(trees.argmax, scores))
            many = best_time(functools.partial(trees.k_best, scores, k))
            print(f"| {name}, {arcs} | {one:.2f} | {many:.2f} | {many / one:.2f} |", flush=True)


def compare(lengths, peers):
    print(f"\nms for a batch of {BATCH}; in brackets, how many times as long as ours\n")
    print("| work | n | treewright | peers |\n| --- | --- | --- | --- |")
    for work, (trees, method, options) in WORK.items():
        for n in lengths:
            scores = problems(n, **options)
            ours = best_time(functools.partial(getattr(trees.batch(), method), scores))
            others = []
            for name, call in peer_calls(work, n, peers, scores).items():
                try:
                    theirs = best_time(call, 0.5)
                    others.append(f"{name} {theirs:.2f} ({theirs / ours:.1f}×)")
                except Exception as error:
                    others.append(f"{name}: does not run ({type(error).__name__})")
            print(f"| {work} | {n} | {ours:.2f} | {'; '.join(others)} |", flush=True)


def pruned(n, heads, rng):
    """Keep some candidate heads for each word, among them those of a projective tree."""
    allowed = np.zeros((n + 1, n + 1), bool)
    allowed[np.arange(n), np.arange(1, n + 1)] = True
    for m in range(1, n + 1):
        near = np.argsort(abs(np.arange(n + 1) - m) + rng.random(n + 1) * 4)
        allowed[near[1 : heads + 1], m] = True
    return allowed


def third_order(lengths):
    print(
        "\nThird order: sentences a second, one at a time (no peer in Python), arc scores and all parts of the model\n"
    )
    print("| model | n | arcs | argmax | marginals |\n| --- | --- | --- | --- | --- |")
    rng = np.random.default_rng(1)
    names = {
        "grandchild": ["grandchild"],
        "grand-sibling": ["grand_sibling"],
        "tri-sibling": ["tri_sibling", "grand_sibling"],
    }
    for factorization, kinds in names.items():
        trees = Trees(factorization=factorization)
        for n in lengths:
            for heads in (None, 10):
                mask = np.ones((n + 1, n + 1), bool) if heads is None else pruned(n, heads, rng)
                parts = Parts(mask)
                vectors = {name: rng.normal(size=len(getattr(parts, name))) for name in ("arc", *kinds)}
                scores = Scores(parts=parts, **vectors)
                speed = [
                    1e3 / best_time(functools.partial(getattr(trees, m), scores), 0.5) for m in ("argmax", "marginals")
                ]
                shown = "all" if heads is None else f"{heads} heads a word"
                print(f"| {factorization} | {n} | {shown} | {speed[0]:,.0f} | {speed[1]:,.0f} |", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="only n = 25")
    options = arguments.parse_args()
    peers, missing = load_peers()
    compare([25] if options.quick else [25, 50, 100], peers)
    for line in missing:
        print(f"left out: {line}")
    third_order([10, 25] if options.quick else [10, 25, 50])
    k_best_rows()


if __name__ == "__main__":
    main()
