"""First-order parsing, end to end: training time, accuracy, speed and memory on one treebank.

Usage: ``python benchmarks/parsing.py [FOLDER] [--tags gold|predicted] [--epochs N]``, where FOLDER holds
``train.conllu.gz`` and ``dev.conllu.gz``.  CPU time counts all threads; the kernels are compiled beforehand.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from treewright import Parser, TrainingOptions, read, train_parser

DEFAULT = Path(__file__).parents[1] / "../shared/data/ud/english-ewt"

#: TurboParser 2.3 "basic" (arc-factored, C++) with gold tags on english-ewt, on this class of machine.
PEER = {"dev UAS": "86.28", "dev LAS": "84.41", "training, CPU s": "1228", "words/s, one thread": "2,938"}
PEER |= {"peak memory, MB": "776", "model, MB": "117"}


class Epochs:
    def stage(self, name, share):
        if share in (0.0, 1.0):
            print(f"{name}: {share:.0%}", flush=True)

    def progress(self, progress): ...

    def epoch(self, epoch):
        print(f"epoch {epoch.number}: {epoch.dev} in {epoch.seconds:.1f} s", flush=True)


def words_per_second(parser, sentences, keep_tags, repeat=5):
    """Time tagging, scoring and search on one thread; reading and writing are not part of it."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        for sentence in sentences:
            parser.parse_sentence(sentence, keep_tags=keep_tags)
        best = min(best, time.process_time() - start)
    return sum(map(len, sentences)) / best


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    arguments.add_argument("--tags", choices=["gold", "predicted"], default="gold")
    arguments.add_argument("--trees", choices=["projective", "nonprojective"], default="projective")
    arguments.add_argument("--learner", choices=["mira", "perceptron"], default="mira")
    arguments.add_argument("--epochs", type=int, default=10)
    options = arguments.parse_args()

    settings = TrainingOptions(tags=options.tags, trees=options.trees, learner=options.learner, epochs=options.epochs)
    tiny = list(read(options.folder / "dev.conllu.gz"))[:40]
    train_parser(tiny, tiny, TrainingOptions(tags=options.tags, trees=options.trees, folds=2, epochs=1))

    start = time.process_time()
    dev = list(read(options.folder / "dev.conllu.gz"))
    parser = train_parser(read(options.folder / "train.conllu.gz"), dev, settings, report=Epochs())
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.tw"
        parser.save(path)
        size = path.stat().st_size / 1e6
        speed = words_per_second(Parser.open(path), dev, options.tags == "gold")

    measured = {f"dev {name}": f"{score:.2f}" for name, score in parser.info["dev"].items()}
    measured |= {"best epoch": str(parser.info["epoch"]), "training, CPU s": f"{seconds:.0f}"}
    measured |= {"words/s, one thread": f"{speed:,.0f}", "peak memory, MB": f"{memory:.0f}", "model, MB": f"{size:.1f}"}
    print(f"\n{options.folder.name}, {options.tags} tags, {options.trees}, {options.learner}\n")
    print("| | treewright | TurboParser 2.3 basic, gold tags, english-ewt |\n| --- | --- | --- |")
    for name, value in measured.items():
        print(f"| {name} | {value} | {PEER.get(name, '')} |")


if __name__ == "__main__":
    main()
