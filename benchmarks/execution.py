"""What two workers are worth: words/s of parsing, gradients and expected counts, on one and two processes or threads.

    python benchmarks/execution.py FOLDER [--sentences 4000] [--cluster auto]

FOLDER holds ``train.conllu.gz``.  Ratios are what counts: of wall time, which other work on the machine spoils, and of
CPU time (what all processes used together; twice the ratio of one process to two bounds the speed-up on two cores).
Workers have started, and everything is compiled, before anything is measured.
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

import treewright
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.semi_supervised import ExpectedCounts, estimate_models
from treewright.execution import LocalProcesses, RayCluster, Threads
from treewright.features import DependencyFeatures, Weights
from treewright.inference import Trees
from treewright.learning.batch import Objective
from treewright.learning.log_linear import TreeLosses


def cpu_seconds(executor):
    """Count the CPU time of this process and of its workers so far."""
    ticks = 0
    for worker in executor.workers if isinstance(executor, LocalProcesses) else []:
        fields = Path(f"/proc/{worker.process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def measure(work, executors, words, repeat):
    """Take turns, so that what else goes on hits all alike; keep the best of each."""
    best = dict.fromkeys(executors, (np.inf, np.inf))
    for executor in executors.values():
        work(executor)
    for _ in range(repeat):
        for name, executor in executors.items():
            start, cpu = time.perf_counter(), cpu_seconds(executor)
            work(executor)
            taken = time.perf_counter() - start, cpu_seconds(executor) - cpu
            best[name] = tuple(map(min, best[name], taken))
    wall, cpu = best["1 process"]
    print(f"{'':14}{'words/s':>10}{'speed-up':>10}{'CPU s':>8}{'bound by CPU':>14}")
    for name, (seconds, used) in best.items():
        counted = "" if name == "cluster" else f"{used:.2f}"  # its workers are not ours to ask
        bound = f"{2 * cpu / used:.2f}" if name.startswith("2") else ""
        print(f"{name:14}{words / seconds:10,.0f}{wall / seconds:10.2f}{counted:>8}{bound:>14}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sentences", type=int, default=4000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cluster")
    arguments = parser.parse_args()
    treebank = treewright.read(arguments.folder / "train.conllu.gz")
    sentences = list(itertools.islice(treebank, arguments.sentences))
    words = sum(map(len, sentences))
    with ExitStack() as stack:
        executors = {"1 process": Threads(1), "2 threads": Threads(2), "2 processes": LocalProcesses(2)}
        if arguments.cluster:
            executors["cluster"] = RayCluster(arguments.cluster, 2)
        for executor in executors.values():
            stack.enter_context(executor)

        print(f"Parsing {words:,} words with the model en")
        model = treewright.load("en")
        measure(
            lambda executor: list(model.parse_all(sentences, executor=executor)), executors, words, arguments.repeat
        )

        print(f"The gradient of a first-order log-linear model on {words:,} words")
        features = DependencyFeatures.of(sentences, kinds=["arc", "label"])
        problem = ParsingProblem(sentences, features, Trees())
        w = np.random.default_rng(1).normal(size=problem.size) * 0.1
        objectives = {id(executor): Objective(TreeLosses(problem, 0, executor), 1.0) for executor in executors.values()}
        measure(lambda executor: objectives[id(executor)](w), executors, words, arguments.repeat)

        print(f"What a first-order model, of heads alone, expects of {words:,} words")
        heads = DependencyFeatures.of(sentences, kinds=["arc"])
        task = ExpectedCounts(heads, Weights.compress(w[: heads.size].astype(np.float32)), Trees())
        shard = words // 4 + 1
        measure(
            lambda executor: estimate_models(task, sentences, executor=executor, shard_words=shard),
            executors,
            words,
            arguments.repeat,
        )


if __name__ == "__main__":
    main()
