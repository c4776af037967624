"""Random trees, sentences and files, for the tests of the treebank package."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from treewright.treebank import Sentence

settings.register_profile("patient", deadline=None)  # a first call may compile
settings.load_profile("patient")

FIELDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\n\r\0"),
    min_size=1,
    max_size=6,
)
COMMENTS = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=12).map("#".__add__)


@st.composite
def trees(draw, min_size=1, max_size=9, partial=False):
    """Heads of a random tree (or forest of words that have a head, where some have none)."""
    n = draw(st.integers(min_size, max_size))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for i, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:i], *([-1] if partial else [])]))
    return heads


@st.composite
def sentences(draw, format="conllu"):
    heads = draw(trees(partial=True))
    n = len(heads)
    names = ("lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc")
    columns = {name: draw(st.lists(FIELDS, min_size=n, max_size=n)) for name in names}
    forms = draw(st.lists(FIELDS, min_size=n, max_size=n))
    if format == "conllx":
        return Sentence.from_forms(forms, heads=np.array(heads, np.int32), format="conllx", **columns)
    comments = draw(st.lists(COMMENTS, max_size=3))
    return Sentence.from_forms(forms, heads=heads, comments=comments, asides=draw(asides(n)), **columns)


@st.composite
def asides(draw, n):
    """Multiword tokens and empty nodes, where they may stand among n words."""
    lines, covered = [], 0
    for position in range(n + 1):
        nodes = [f"{position}.{node}" for node in range(1, draw(st.integers(0, 3)))]
        lines += [(position, "\t".join([node, *draw(st.tuples(*[FIELDS] * 9))])) for node in nodes]
        if covered <= position < n and draw(st.integers(0, 3)) == 0:
            covered = draw(st.integers(position + 1, n))
            lines.append((position, "\t".join([f"{position + 1}-{covered}", *draw(st.tuples(*[FIELDS] * 9))])))
    return lines


#: Pieces of files: what a reader meets, in any order, sound or not.
PIECES = st.lists(
    st.sampled_from(
        [
            "\n",
            "\r\n",
            "\n\n",
            "\r",
            " ",
            "\t",
            "\0",
            "\ufeff",
            "# text = a\n",
            "# b\r\n",
            "#",
            "1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n",
            "1\ta\t_\t_\t_\t_\t_\t_\t_\t_",
            "1\tb\t_\t_\t_\t_\t2\t_\t_\t_\r\n",
            "2\tb\t_\t_\t_\t_\t0\t_\t_\t_\n",
            "2\tb\t_\t_\t_\t_\t1\t_\t_\t_\r\n",
            "2\t#\t_\t_\t_\t_\t3\t_\t_\t_",
            "3\tc\t_\t_\t_\t_\t2\t_\t_\t_\n",
            "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n",
            "2-3\tbc\t_\t_\t_\t_\t_\t_\t_\t_\r\n",
            "1.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n",
            "2\tb\t_\n",
            "_\t_\t_\t1\t_\t_\t_\n",
            "\t2-2\n",
            "0.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n",
        ]
    ),
    max_size=14,
).map("".join)
