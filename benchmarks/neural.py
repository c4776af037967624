"""The run time of networks: words a second of the encoder and its heads on one core, beside PyTorch on one thread.

Usage: ``python benchmarks/neural.py [FILE.conllu.gz] [--layers 6] [--width 256] [--sentences 64] [--rounds 10]``.
Weights are random.  Both compute the vectors of words, all arc scores, the labels of the best head of each word, and
tags.  PyTorch takes batches sorted by length, the run time one sentence after the other.  Every batch is timed by
itself, the best of several rounds, so that a busy machine does little harm.  The floor of floats is the arithmetic of
all products at the speed of a large product of PyTorch on one thread; the run time, which multiplies bytes, is below
it.  ``--model FILE`` also parses with a model, text to CoNLL-U, and shows the peak of memory.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from treewright import Parser, read
from treewright.neural import network as runtime
from treewright.neural.learning.network import Network
from treewright.neural.parameters import count_parameters, parameters
from treewright.neural.quantization import quantize, widen
from treewright.neural.settings import NetworkSettings
from treewright.neural.words import WordInputs
from treewright.treebank.conllu.writer import format_sentence

DEFAULT = Path(__file__).parents[1] / "../shared/data/ud/english-ewt/dev.conllu.gz"


def random_weights(settings, rows):
    rng = np.random.default_rng(1)
    return {
        name: (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
        if len(shape) > 1
        else np.ones(shape, np.float32)
        for name, shape in parameters(settings, rows).items()
    }


def best_times(tasks, rounds):
    """Time lists of functions in turns: the sum, for each list, of the best time of each of its functions."""
    best = [[float("inf")] * len(some) for some in tasks]
    for _ in range(rounds + 1):  # the first time compiles
        for times, some in zip(best, tasks, strict=True):
            for k, task in enumerate(some):
                start = time.perf_counter()
                task()
                times[k] = min(times[k], time.perf_counter() - start)
    return [sum(times) for times in best]


def by_treewright(network, forms):
    def task():
        network._kept.sentences.clear()
        words = network.encode(forms)
        heads = words.arc[:, 1:].argmax(axis=0)
        words.label(np.stack([heads, np.arange(1, len(forms) + 1)], axis=1))
        return words.columns

    return task


def by_pytorch(network, inputs, sentences):
    lengths = [len(forms) + 1 for forms in sentences]
    rows = np.zeros((len(sentences), max(lengths), 7), np.int64)
    for row, forms in zip(rows, sentences, strict=True):
        row[: len(forms) + 1] = inputs.rows(forms)
    rows, words = torch.tensor(rows), torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    mask = words if min(lengths) < max(lengths) else None

    @torch.inference_mode()
    def task():
        outputs = network(rows, mask)
        network.label_scores(outputs, network.arc_scores(outputs).argmax(1))

    return task


def flops(settings):
    """Count the floating-point operations a word takes, less attention and what depends on the length."""
    shapes = parameters(settings, 0)
    return 2 * count_parameters({name: shape for name, shape in shapes.items() if len(shape) > 1 and name != "words"})


def speed_of_products(rounds):
    x, w = torch.ones(256, 256), torch.ones(256, 1024)
    [seconds] = best_times([[lambda: x @ w]], 20 * rounds)
    return 2 * x.numel() * w.shape[1] / seconds


def compare(given, treebank):
    settings = NetworkSettings.of(treebank, width=given.width, layers=given.layers)
    inputs = WordInputs.of(Counter(form for one in treebank for form in one.forms))
    arrays = quantize(random_weights(settings, inputs.size))
    here, there = runtime.Network(settings, inputs, arrays), Network(settings, inputs.size).eval()
    there.load({name: torch.tensor(one) for name, one in widen(arrays).items()})
    forms = sorted((one.forms for one in treebank[:: len(treebank) // given.sentences]), key=len)
    words = sum(map(len, forms))
    tasks, names = [[by_treewright(here, one) for one in forms]], ["Treewright, one by one"]
    for size in (1, 8, 32):
        tasks.append([by_pytorch(there, inputs, forms[k : k + size]) for k in range(0, len(forms), size)])
        names.append(f"PyTorch {torch.__version__}, batches of {size}")
    work, speed = flops(settings), speed_of_products(given.rounds)
    print(f"{words} words; {work / 1e6:.1f} MFLOP a word; PyTorch: {speed / 1e9:.0f} GFLOP/s")
    print("| | µs a word | words/s |\n| --- | ---: | ---: |")
    seconds = best_times(tasks, given.rounds)
    for name, one in zip(["floor", *names], [work * words / speed, *seconds], strict=True):
        print(f"| {name} | {1e6 * one / words:.0f} | {words / one:,.0f} |", flush=True)


def parse(given, treebank):
    parser = Parser.open(given.model)
    sentences = treebank[:: len(treebank) // given.sentences]
    words = sum(map(len, sentences))
    steps = {
        "text to CoNLL-U": lambda text: [format_sentence(one) for one in parser.parse(text)],
        "tokenize, tag, parse": parser.parse,
    }
    tasks = [[lambda step=step, one=one: step(one.text) for one in sentences] for step in steps.values()]
    print("| | µs a word | words/s |\n| --- | ---: | ---: |")
    for name, one in zip(steps, best_times(tasks, given.rounds), strict=True):
        print(f"| {name} | {1e6 * one / words:.0f} | {words / one:,.0f} |", flush=True)
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("treebank", nargs="?", type=Path, default=DEFAULT)
    for name, default in (("layers", 6), ("width", 256), ("sentences", 64), ("rounds", 10)):
        options.add_argument(f"--{name}", type=int, default=default)
    options.add_argument("--model")
    given = options.parse_args()
    torch.set_num_threads(1)
    treebank = list(read(given.treebank))
    if given.model:
        parse(given, treebank)
    else:
        compare(given, treebank)


if __name__ == "__main__":
    main()
