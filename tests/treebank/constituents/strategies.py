"""Random constituent trees and texts."""

from hypothesis import strategies as st

from treewright.treebank import ConstituentTree

#: Pieces of files in any order, well-formed or not.
PIECES = st.lists(st.sampled_from(["(", ")", "(", ")", " ", "\n", "NP", "a", "é", "\0", ")("]), max_size=14).map(
    "".join
)


@st.composite
def shapes(draw, max_size=12):
    """Draw the parents of the nodes of any tree, and the number of leaves."""
    parents, path = [-1], [0]
    for node in range(1, draw(st.integers(1, max_size))):
        del path[draw(st.integers(1, len(path))) :]
        parents.append(path[-1])
        path.append(node)
    inner = set(parents)
    return parents, sum(node not in inner for node in range(len(parents)))


@st.composite
def trees(draw):
    parents, leaves = draw(shapes())
    name = st.text("aB-=|*0é\u00a0\u2028", min_size=1, max_size=3)
    labels = [draw(name) for _ in parents]
    if len(parents) > 1 and draw(st.booleans()):
        labels[0] = ""
    return ConstituentTree(labels, parents, [draw(name) for _ in range(leaves)])
