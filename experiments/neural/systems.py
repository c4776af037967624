"""The systems that are compared: linear models and networks, and what each learns from raw text."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
import raw_text

from treewright.dependency.neural_distillation import distil_parser, network_of
from treewright.dependency.neural_training import train_neural_parser
from treewright.dependency.options import TrainingOptions
from treewright.dependency.training import train_parser
from treewright.evaluation import evaluate, measure_calibration
from treewright.neural.options import DistillationOptions, NetworkOptions, PretrainingOptions
from treewright.neural.trained import TrainedNetwork
from treewright.neural.words import WordInputs
from treewright.treebank import RawText

#: What each system is, beside its treebank: the columns of a cell.
LINEAR = {"factorization": "grand-sibling", "trees": "projective", "loss": "mira"}
NEURAL = {"factorization": "arc", "trees": "projective", "loss": "heads", "layers": 6, "width": 256}
SYSTEMS = {
    "linear": LINEAR,
    "linear + clusters": LINEAR,
    "linear + SS-SCM": {**LINEAR, "factorization": "arc", "loss": "log-linear"},
    "neural": NEURAL,
    "neural + masked words": NEURAL,
    "neural + teacher": NEURAL,
}
#: Layers, width, highest rate, dropout and windows a step of the encoder of teachers.
LARGE = {"layers": 12, "width": 512, "rate": 1.5e-3, "dropout": 0.1, "batch": 256}
#: Epochs of linear models at most; raw words, in millions, that SS-SCM reads.
LINEAR_EPOCHS, EXPECTED = 10, 1.0
#: Arcs that are longer are long.
LONG = 7


def describe(system, million):
    """Give the settings of a system that reads so many millions of words."""
    reads = 0 if system in ("linear", "neural") else EXPECTED if system.endswith("SS-SCM") else million
    return {"system": system, "million words": reads, **SYSTEMS[system]}


class Laboratory:
    """Trains systems; keeps encoders and teachers for the next one."""

    def __init__(self, options) -> None:
        self._options, self._folder = options, common.CACHE / "neural"

    def run(self, cell, say):
        """Train a system, and judge it on dev."""
        settings, start = cell.settings, time.process_time()
        say("training", 0.01)
        learn = self._linear if settings["system"].startswith("linear") else self._network
        parser = learn(settings, cell.treebank)
        return {"seconds": time.process_time() - start, **judge(parser, cell.treebank)}

    def _linear(self, settings, treebank):
        system, data = settings["system"], self._options.data
        learner = settings["loss"]
        options = TrainingOptions(
            factorization=settings["factorization"],
            learner=learner,
            without=("tokenizer", "lemmas"),
            calibrate="none",
            epochs=None if learner == "log-linear" else min(settings["epochs"], LINEAR_EPOCHS),
            seed=settings["seed"],
        )
        tokens = int(1e6 * settings["million words"])
        more = {}
        if system.endswith("clusters"):
            more["clusters"] = raw_text.load_clusters(data, tokens)
        if system.endswith("SS-SCM"):
            more["unlabeled"] = RawText([raw_text.prepare_text(data, tokens)])
        return train_parser(treebank.train, treebank.validation, options, **more)

    def _network(self, settings, treebank):
        if settings["system"].endswith("teacher"):
            return self._student(settings, treebank)
        start = self._encoder(settings) if settings["million words"] else None
        return self._tuned(settings, treebank, start)

    def _tuned(self, settings, treebank, start):
        """Train a network on the treebank, from an encoder if there is one."""
        network = NetworkOptions(
            encoder=start and str(start),
            width=settings["width"],
            layers=settings["layers"],
            loss=settings["loss"],
            device=self._options.device,
        )
        options = TrainingOptions(
            factorization=settings["factorization"],
            trees=settings["trees"],
            calibrate="none",
            epochs=settings["epochs"],
            seed=settings["seed"],
            without=("tokenizer",),
        )
        return train_neural_parser(treebank.train, treebank.validation, options, network)

    def _student(self, settings, treebank):
        """Train a network on what a large one, tuned on the same sentences, makes of raw text."""
        large = settings | {"layers": LARGE["layers"], "width": LARGE["width"]}
        teacher = self._kept("teacher", large, lambda: self._tuned(large, treebank, self._encoder(large)))
        begin = TrainedNetwork.open(self._encoder(settings))
        options = DistillationOptions(seed=settings["seed"], device=self._options.device)
        text, held_out = self._sentences(settings["million words"]), treebank.validation
        return distil_parser([network_of(str(teacher))], begin, text, held_out, options, treebank=treebank.train)

    def _encoder(self, settings):
        """Return the file of an encoder, trained on raw text unless that has been done."""
        named = {name: settings[name] for name in ("million words", "layers", "width", "seed")}
        return self._kept("encoder", named | {"raw epochs": self._options.raw_epochs}, lambda: self._pretrained(named))

    def _pretrained(self, named):
        from treewright.neural.learning.pretraining import pretrain

        shape = {name: named[name] for name in ("layers", "width")}
        shape |= LARGE if shape["width"] == LARGE["width"] else {}
        corpus = self._corpus(named["million words"])
        inputs = WordInputs.of(corpus.counts())
        options = PretrainingOptions(
            **shape, epochs=self._options.raw_epochs, seed=named["seed"], device=self._options.device
        )
        network, loop = pretrain(corpus, inputs, options, report=_reporter(f"encoder, {named}"))
        if loop.interrupted:
            raise KeyboardInterrupt
        arrays = {name: one.numpy() for name, one in network.arrays().items()}
        return TrainedNetwork(network.settings, inputs, arrays)

    def _kept(self, kind, named, make):
        """Return the file of a model of these settings, made unless it is there."""
        digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:16]
        path = self._folder / f"{kind}-{digest}.tw"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            make().save(path)
        return path

    @functools.cache  # noqa: B019 (there is one laboratory)
    def _corpus(self, million):
        """Return about so many words of raw text as numbers."""
        from treewright.neural.learning.corpus import Corpus

        if self._options.index is None:
            path = raw_text.prepare_text(self._options.data, int(1e6 * million))
            return Corpus.of(sentence.forms for sentence in RawText([path]))
        return Corpus.open(self._options.index).head(int(1e6 * million))

    def _sentences(self, million):
        """Return the sentences of raw text."""
        from treewright.treebank import Sentence

        corpus = self._corpus(million)
        for place, length in zip(*corpus.sentences(2, 100), strict=True):
            yield Sentence.from_forms([corpus.types[number - 1] for number in corpus.stream[place : place + length]])


def judge(parser, treebank):
    """Parse the slice and dev from their tokens; say what was right, and how fast it went on one thread."""
    validation = evaluate(treebank.validation, list(parser.parse_all(treebank.validation, threads=1)))
    list(parser.parse_all(treebank.dev[:20], threads=1))  # compiles
    start = time.process_time()
    parsed = list(parser.parse_all(treebank.dev, threads=1))
    seconds = time.process_time() - start
    outcome = evaluate(treebank.dev, parsed)
    heads = [(own.heads == gold.heads) for own, gold in zip(parsed, treebank.dev, strict=True)]
    both = [
        right & (np.array(own.deprels) == np.array(gold.deprels))
        for right, own, gold in zip(heads, parsed, treebank.dev, strict=True)
    ]
    return {
        "validation": validation.las.f1,
        "LAS": outcome.las.f1,
        "exact": 100 * float(np.mean([one.all() for one in both])),
        "long": long_arcs(parsed, treebank.dev),
        "ECE": expected_error(parser, treebank.dev),
        "words a second": sum(map(len, treebank.dev)) / seconds,
        "correct": [int(one.sum()) for one in heads],
        "labelled": [int(one.sum()) for one in both],
    }


def long_arcs(parsed, gold):
    """Compute the F1 of unlabelled arcs of more than `LONG` words; those from the root have no length."""
    counts = np.zeros(3)
    for own, right in zip(parsed, gold, strict=True):
        words = np.arange(1, len(right) + 1)
        found, wanted = ((s.heads > 0) & (np.abs(s.heads - words) > LONG) for s in (own, right))
        counts += [np.count_nonzero(found & wanted & (own.heads == right.heads)), found.sum(), wanted.sum()]
    return 200 * counts[0] / max(counts[1] + counts[2], 1)


def expected_error(parser, dev):
    """Compute the expected calibration error of heads, as they come, with no temperature; None without marginals."""
    if not parser.has_probabilities:
        return None
    return measure_calibration(dev, parser.parse_all(dev, confidence=True, threads=1)).ece


def _reporter(title):
    """Return what says now and then how far a training is."""
    said = time.monotonic()

    def report(status) -> None:
        nonlocal said
        if time.monotonic() - said > common.PAUSE:
            said = time.monotonic()
            print(f"{title}: {100 * status.share:.0f} % done, {status.seconds_left / 60:.1f} min left", flush=True)

    return report
