"""How fast constituent parsing is, stage by stage, and what a long sentence takes.

    python benchmarks/constituents.py MODEL TREES [--beams 1e-4 1e-5 1e-6] [--sentences 250]

MODEL is a model file or the name of an embedded one, TREES a file of bracketed trees, whose words and tags are read.
CPU time of one thread, everything compiled before.  *Search* is what Table 3 of Carreras, Collins and Koo (2008) times:
the TAG model without the first stage; their 1,699 sentences took 5 min 15 s at a beam of 1e-4.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import time
from collections import Counter
from dataclasses import replace

import numpy as np

import treewright
from treewright import Sentence
from treewright.constituency.spines import build_tree
from treewright.constituency.tag import search
from treewright.constituency.tag.links import sort_links
from treewright.constituency.tag.space import Space
from treewright.constituency.tag.tags import with_coarse_tags
from treewright.treebank import read_trees, simplify


class Stopwatch:
    """Adds up the CPU seconds of stages."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._mark = time.process_time()

    def stage(self, name: str) -> None:
        now = time.process_time()
        self.seconds[name] += now - self._mark
        self._mark = time.process_time()


def measure(parser, sentences):
    """Parse as the parser does, with a look at the clock after each stage."""
    watch, links_of_words = Stopwatch(), 0
    scorer, tables = parser.scorer, parser.scorer.automata.tables
    for sentence in sentences:
        sentence = with_coarse_tags(sentence)
        choices = scorer.choices(sentence)
        links = sort_links(parser.pruner.links(sentence, choices))
        links_of_words += len(links.heads)
        watch.stage("prune")
        space = Space.of(tables, choices.senses, links, second=scorer.second)
        watch.stage("lay out")
        scores = scorer.score(sentence, space)
        watch.stage("score")
        _, joins = search.best(space, scores)
        watch.stage("search")
        if joins is not None:
            build_tree(space.derivation(sentence, joins), parser._table)
        watch.stage("build")
    return watch.seconds, links_of_words


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("trees")
    parser.add_argument("--beams", type=float, nargs="+", default=[1e-4, 1e-5, 1e-6])
    parser.add_argument("--sentences", type=int, default=250)
    arguments = parser.parse_args()
    model = treewright.ConstituentParser.open(arguments.model)
    trees = filter(None, map(simplify, read_trees(arguments.trees, spaces="keep")))
    sentences = [
        Sentence.from_forms(tree.words, xpos=tree.tags) for tree in itertools.islice(trees, arguments.sentences)
    ]
    words = sum(map(len, sentences))
    measure(model, sentences[:3])
    print(f"{len(sentences)} sentences, {words / len(sentences):.1f} words each")
    for beam in arguments.beams:
        model.pruner = replace(model.pruner, beam=beam)
        seconds, links = measure(model, sentences)
        second_stage = sum(seconds[name] for name in ("lay out", "score", "search", "build"))
        stages = ", ".join(f"{name} {1000 * value / len(sentences):.2f} ms" for name, value in seconds.items())
        print(
            f"beam {beam:g}: {links / words:.1f} links a word; {stages}; "
            f"{len(sentences) / second_stage:.0f} sentences/s without the first stage, "
            f"{len(sentences) / sum(seconds.values()):.0f} with it"
        )
    model.pruner = replace(model.pruner, beam=arguments.beams[0])
    middle = [sentence for sentence in sentences if 21 <= len(sentence) <= 25][:20]
    start = time.process_time()
    for sentence in middle:
        space, scores, _ = model.explore(sentence, keep_tags=True)
        list(itertools.islice(search.best_first(space, scores, 50), 50))
    if middle:
        print(f"50 best derivations, 21 to 25 words: {1000 * (time.process_time() - start) / len(middle):.0f} ms")
    joined = list(itertools.chain.from_iterable(zip(s.forms, s.xpos, strict=True) for s in sentences))
    for length in (60, 100, 200):
        forms, tags = zip(*joined[:length], strict=True)
        long = Sentence.from_forms(forms, xpos=tags)
        start = time.process_time()
        space, _, _ = model.explore(long, keep_tags=True)
        seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        items = np.format_float_positional(space.layout.size / 1e6, 1)
        print(f"{length} words: {seconds:.2f} s, {items} million items, the process held {peak:.0f} MB at most")


if __name__ == "__main__":
    main()
