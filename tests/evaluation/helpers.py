"""What the tests of the evaluation share: systems made by breaking gold trees."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import strategies as st

from tests.paths import DATA
from treewright.treebank import Sentence

DATA = DATA / "evaluation"

RELATIONS = ["nsubj", "nsubj:pass", "obj", "obl", "aux", "aux:pass", "case", "punct", "root", "NMOD", "_"]


def write_system(text, system):
    """Put the tags, heads and relations of the system into the lines of the gold file."""
    blocks = []
    for block, sentence in zip(text.strip("\n").split("\n\n"), system, strict=True):
        lines = [line.split("\t") for line in block.split("\n")]
        words = [line for line in lines if line[0].isdigit()]
        for i, line in enumerate(words):
            line[3:8] = [
                sentence.upos[i],
                sentence.xpos[i],
                sentence.feats[i],
                str(sentence.heads[i]),
                sentence.deprels[i],
            ]
        blocks.append("\n".join("\t".join(line) for line in lines))
    return "\n\n".join(blocks) + "\n\n"


def perturb(sentence, rate, rng):
    """Change tags, relations and heads at random; the heads stay a tree with a single root."""
    heads = [0, *sentence.heads.tolist()]
    n = len(sentence)
    if rng.random() < rate / 4:
        new, old = rng.randint(1, n), heads.index(0, 1)
        if new != old:
            heads[new], heads[old] = 0, new
    for m in range(1, n + 1):
        if heads[m] and rng.random() < rate:
            heads[m] = rng.choice([h for h in range(1, n + 1) if not dominates(heads, m, h)])

    def mutated(column, values):
        return [rng.choice(values) if rng.random() < rate else value for value in column]

    deprels = [rel.partition(":")[0] if rng.random() < rate else rel for rel in sentence.deprels]
    return sentence.replace(
        heads=np.array(heads[1:], np.int32),
        deprels=mutated(deprels, RELATIONS),
        upos=mutated(sentence.upos, ["NOUN", "VERB", "PUNCT", "_"]),
        xpos=mutated(sentence.xpos, ["NN", "VBZ", ",", "_"]),
    )


def dominates(heads, ancestor, word):
    while word and word != ancestor:
        word = heads[word]
    return word == ancestor


@st.composite
def sentences(draw):
    """Draw a gold sentence with any heads, and two systems that share most of it."""
    n = draw(st.integers(1, 7))
    forms = draw(st.lists(st.sampled_from(["tree", "grow", ",", "``", "$"]), min_size=n, max_size=n))
    rng = random.Random(draw(st.integers(0, 2**32)))
    heads = np.array([m and rng.randint(1, m) for m in range(n)], np.int32)
    gold = Sentence.from_forms(
        forms,
        heads=heads,
        upos=["NOUN" if form.isalnum() else "PUNCT" for form in forms],
        xpos=["NN" if form.isalnum() else form for form in forms],
        deprels=[rng.choice(RELATIONS) for _ in forms],
    )
    rates = draw(st.tuples(*[st.sampled_from([0.0, 0.2, 0.8])] * 2))
    return gold, *(perturb(gold, rate, rng) for rate in rates)


def corpora():
    """Draw a gold standard and two systems: three lists of sentences."""
    return st.lists(sentences(), min_size=1, max_size=6).map(
        lambda triples: tuple(list(side) for side in zip(*triples, strict=True))
    )
