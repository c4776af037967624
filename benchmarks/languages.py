"""How fast every embedded model of dependencies is on one core: from the text of its dev set to CoNLL-U, all included.

Usage: ``python benchmarks/languages.py ../shared/data [NAME ...] [--rounds 5] [--characters 60000]``.
Times are CPU times, the best of several rounds; the models are open, and their kernels are compiled.  A whole text is
given at once, as a file is.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from udpipe import folders

import treewright
from treewright.tokenization import text_of, tokenize
from treewright.treebank import format_sentence, read

ENGLISH = {"en": "ud/english-ewt", "en-linear": "ud/english-ewt"}


def best_time(task, rounds: int) -> float:
    """Return the CPU time of the best of several rounds, after one that does not count."""
    times = []
    for _ in range(rounds + 1):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return min(times[1:])


def text_of_dev(path: Path, characters: int) -> str:
    """Read the text of the first sentences, of about so many characters."""
    sentences, length = [], 0
    for sentence in read(path):
        sentences.append(sentence)
        length += sum(len(form) + 1 for form in sentence.forms)
        if length > characters:
            break
    return text_of(sentences)


def row(name: str, text: str, rounds: int) -> str:
    """Measure one model."""
    parser = treewright.Parser.open(name)
    sentences = list(tokenize(text, parser.splitter))
    words, megabytes = sum(map(len, sentences)), len(text.encode()) / 1e6
    everything = best_time(lambda: [format_sentence(one) for one in parser.parse(text)], rounds)
    tokens = best_time(lambda: list(tokenize(text, parser.splitter)), rounds)
    tags = tokens + best_time(lambda: [parser.tagger.tag(one) for one in sentences], rounds)
    speeds = f"{words / everything:,.0f} | {words / tags:,.0f} | {megabytes / tokens:.1f}"
    return f"| {name} | {words:,} | {speeds} |"


def main() -> None:
    """Print a row for each model."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", type=Path, help="the folder of the treebanks")
    options.add_argument("names", nargs="*", help="embedded models; all unless given")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--characters", type=int, default=60_000, help="how much of each dev set, about")
    given = options.parse_intermixed_args()
    treebanks = ENGLISH | folders()
    print("| | words | text to CoNLL-U, words/s | without trees, words/s | sentences and tokens, MB/s |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in given.names or treebanks:
        text = text_of_dev(given.data / treebanks[name] / "dev.conllu.gz", given.characters)
        print(row(name, text, given.rounds), flush=True)


if __name__ == "__main__":
    main()
