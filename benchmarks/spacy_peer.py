"""Speed and accuracy beside spaCy, trained on the same treebank, on the same text.

    python benchmarks/spacy_peer.py [FOLDER] --seconds 900 --models en en-linear

trains spaCy's pipeline for CPUs (tagger, morphologizer and parser over one small convolutional network, as ``spacy init
config`` makes it) on ``train.conllu.gz`` for so many seconds of CPU time, and prints how many words of the text of
``dev.conllu.gz`` it and ours read a second, and how good the trees are, with words aligned.  Everything has one thread,
and the times are CPU times, the best of three: from text to trees in memory.  Needs ``pip install spacy``.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from pathlib import Path

from treewright import load
from treewright.evaluation import evaluate
from treewright.integrations.spacy_docs import from_doc, to_doc
from treewright.tokenization import text_of, tokenize
from treewright.treebank import read

DEFAULT = Path(__file__).parents[1] / "../shared/data/ud/english-ewt"
SENTENCES, BATCH = 10, 500  # of a document that spaCy learns from, and words of a batch


def train(sentences, seconds):
    """Train spaCy by its own updates; the weights are averages, as in its training command."""
    import spacy
    from spacy.cli.init_config import init_config
    from spacy.tokens import Doc
    from spacy.training import Example
    from spacy.training.batchers import minibatch_by_words

    config = init_config(lang="en", pipeline=["tagger", "morphologizer", "parser"], optimize="efficiency", gpu=False)
    nlp = spacy.util.load_model_from_config(config)
    examples = []
    for first in range(0, len(sentences), SENTENCES):
        gold = to_doc(sentences[first : first + SENTENCES], nlp.vocab)
        bare = Doc(nlp.vocab, [token.text for token in gold], [bool(token.whitespace_) for token in gold])
        examples.append(Example(bare, gold))
    optimizer = nlp.initialize(lambda: examples)
    generator, start, epochs = random.Random(1), time.process_time(), 0
    while time.process_time() - start < seconds:
        generator.shuffle(examples)
        for batch in minibatch_by_words(examples, BATCH):
            nlp.update(batch, drop=0.1, sgd=optimizer)
            if time.process_time() - start > seconds:
                break
        epochs += 1
    return nlp, optimizer.averages, epochs


def measure(name, read_text, dev):
    """Print a row of the table; reading is timed three times."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        found = list(read_text())
        best = min(best, time.process_time() - start)
    outcome, words = evaluate(dev, found), sum(map(len, found))
    scores = " | ".join(f"{score.f1:.2f}" for score in (outcome.upos, outcome.uas, outcome.las))
    print(f"| {name} | {words / best:,.0f} | {scores} |", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    arguments.add_argument("--seconds", type=float, default=900)
    arguments.add_argument("--models", nargs="*", default=["en", "en-linear"])
    arguments.add_argument("--sentences", type=int, help="learn from so many sentences only, and read as many")
    options = arguments.parse_args()
    dev = list(itertools.islice(read(options.folder / "dev.conllu.gz"), options.sentences))
    treebank = list(itertools.islice(read(options.folder / "train.conllu.gz"), options.sentences))
    text = text_of(dev)
    paragraphs = [paragraph for paragraph in text.split("\n\n") if paragraph.strip()]
    nlp, averages, epochs = train(treebank, options.seconds)
    print("| text to trees | words/s | UPOS | UAS | LAS |\n| --- | ---: | ---: | ---: | ---: |")
    with nlp.use_params(averages):
        name = f"spaCy, {options.seconds:,.0f} CPU s, {epochs} epochs"
        measure(name, lambda: (one for doc in nlp.pipe(paragraphs) for one in from_doc(doc)), dev)
    for model in options.models:
        parser = load(model)
        parser.parse("It compiles before it is timed.")
        measure(model, lambda parser=parser: map(parser.parse_sentence, tokenize(text, parser.splitter)), dev)


if __name__ == "__main__":
    main()
