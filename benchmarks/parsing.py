"""Parsing, end to end: training time, accuracy, speed and memory on one treebank, and where the time goes.

Usage: ``python benchmarks/parsing.py [FOLDER] [--factorization F] [--learner L] [--tags gold|predicted] …``, where
FOLDER holds ``train.conllu.gz`` and ``dev.conllu.gz``.  CPU time counts all threads; the kernels are compiled before.
``--model FILE`` measures a model that has been trained before.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from treewright import Parser, TrainingOptions, read, train_parser
from treewright.inference import Parts

DEFAULT = Path(__file__).parents[1] / "../shared/data/ud/english-ewt"

#: TurboParser 2.3 (C++) with gold tags on english-ewt, on this class of machine: arc-factored, and with consecutive
#: siblings and grandparents behind a pruner of its own.
BASIC = {"dev UAS": "86.28", "dev LAS": "84.41", "training, CPU s": "1228", "words/s, one thread": "2,938"}
BASIC |= {"peak memory, MB": "776", "model, MB": "117"}
STANDARD = {"dev UAS": "89.11", "dev LAS": "86.73", "training, CPU s": "3693", "words/s, one thread": "832"}
STANDARD |= {"peak memory, MB": "3,300", "model, MB": "564"}


class Epochs:
    def stage(self, name, share):
        if share in (0.0, 1.0):
            print(f"{name}: {share:.0%}", flush=True)

    def pruning(self, treebank, dev):
        print(f"pruning: {treebank} {dev}", flush=True)

    def progress(self, progress): ...

    def epoch(self, epoch):
        print(f"epoch {epoch.number}: {epoch.dev} {epoch.objectives} in {epoch.seconds:.1f} s", flush=True)


def words_per_second(parser, sentences, keep_tags, threads, repeat=4):
    """Time tagging, pruning, scoring and search; reading and writing are not part of it."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time() if threads == 1 else time.perf_counter()
        for _ in parser.parse_all(sentences, keep_tags=keep_tags, threads=threads):
            pass
        best = min(best, (time.process_time() if threads == 1 else time.perf_counter()) - start)
    return sum(map(len, sentences)) / best


def where_the_time_goes(parser, sentences, keep_tags):
    """Time each step by itself, in µs a word, on one thread: the best of three."""
    best = {}
    for _ in range(3):
        spent = dict.fromkeys(["tags", "pruning", "list of parts", "hashing", "scores", "search"], 0.0)

        def timed(name, function, *arguments, spent=spent):
            start = time.process_time()
            result = function(*arguments)
            spent[name] += time.process_time() - start
            return result

        for sentence in sentences:
            if not keep_tags:
                sentence = timed("tags", parser.tagger.tag, sentence)
            parts = None
            if parser.pruner is not None:
                parts = timed("list of parts", Parts, timed("pruning", parser.pruner.allowed, sentence))
            hashed = timed("hashing", parser.scorer.features.hash, sentence)
            scores = timed("scores", parser.scorer.features.score, hashed, parser.scorer.weights, parts)
            timed("search", parser.trees.argmax, scores)
        best = {name: min(seconds, best.get(name, seconds)) for name, seconds in spent.items()}
    words = sum(map(len, sentences))
    return {name: f"{1e6 * seconds / words:.1f}" for name, seconds in best.items() if seconds}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    arguments.add_argument("--model", type=Path)
    arguments.add_argument("--save", type=Path)
    for name in ("factorization", "learner", "optimizer", "tags", "trees"):
        arguments.add_argument(f"--{name}", default=getattr(TrainingOptions(factorization="arc", tags="gold"), name))
    arguments.add_argument("--epochs", type=int, default=10)
    arguments.add_argument("--beam", type=float)
    arguments.add_argument("--oracle-loss", type=float)
    arguments.add_argument("--cascade", type=lambda stages: tuple(stages.split(",")), default=())
    arguments.add_argument("--C", type=float)
    options = vars(arguments.parse_args())
    folder, model, save = (options.pop(name) for name in ("folder", "model", "save"))
    options["calibrate"] = "none"  # the peers do not: it is a second training on nine tenths of the treebank
    settings = TrainingOptions(**options)
    dev = list(read(folder / "dev.conllu.gz"))
    measured = {}
    if model is None:
        tiny = TrainingOptions(**{**options, "folds": 2, "epochs": 1})
        train_parser(dev[:40], dev[:40], tiny)
        cpu, wall = time.process_time(), time.perf_counter()
        parser = train_parser(read(folder / "train.conllu.gz"), dev, settings, report=Epochs())
        measured |= {"best epoch": str(parser.info["epoch"]), "training, CPU s": f"{time.process_time() - cpu:.0f}"}
        measured |= {"training, wall s": f"{time.perf_counter() - wall:.0f}"}
        measured |= {"peak memory, MB": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f}"}
    with tempfile.TemporaryDirectory() as temporary:
        path = model or save or Path(temporary) / "model.tw"
        if model is None:
            parser.save(path)
        parser, keep_tags = Parser.open(path), settings.tags == "gold"
        measured = {f"dev {name}": f"{score:.2f}" for name, score in parser.info["dev"].items()} | measured
        measured |= {"model, MB": f"{path.stat().st_size / 1e6:.1f}"}
        for threads, name in ((1, "one thread"), (2, "two threads")):
            measured[f"words/s, {name}"] = f"{words_per_second(parser, dev, keep_tags, threads):,.0f}"
        spent = where_the_time_goes(parser, dev, keep_tags)
    factorization = parser.trees.factorization
    print(f"\n{folder.name}, {settings.tags} tags, {settings.trees}, {factorization}, {settings.learner}\n")
    kind, peer = ("basic", BASIC) if factorization == "arc" else ("standard", STANDARD)
    print(f"| | treewright | TurboParser 2.3 {kind}, gold tags, english-ewt |\n| --- | --- | --- |")
    for name, value in measured.items():
        print(f"| {name} | {value} | {peer.get(name, '')} |")
    print(f"\nµs a word: {', '.join(f'{name} {value}' for name, value in spent.items())}")


if __name__ == "__main__":
    main()
