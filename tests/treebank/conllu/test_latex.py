"""Dependency and constituent trees in LaTeX: what is written, and that text is never a command."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from tests.treebank.conllu.strategies import sentences
from tests.treebank.constituents.strategies import trees
from treewright.treebank import ConstituentTree, Sentence, sentence_to_latex, tree_to_latex
from treewright.treebank.latex import escape_latex
from treewright.treebank.terminal import make_printable

COMMANDS = {
    r"\textbackslash{}": "\\",
    r"\{": "{",
    r"\}": "}",
    r"\$": "$",
    r"\symbol{38}": "&",
    r"\#": "#",
    r"\%": "%",
    r"\_": "_",
    r"\textasciicircum{}": "^",
    r"\textasciitilde{}": "~",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\symbol{34}": '"',
    "{-}": "-",
    "{`}": "`",
    "{'}": "'",
}
UNITS = re.compile("|".join(map(re.escape, COMMANDS)) + r"|[^\\{}$&#%_^~<>|\"\-`'\n]")


def meaning(source):
    """What LaTeX prints, if the source has nothing but text in it."""
    units, end = [], 0
    while end < len(source):
        match = UNITS.match(source, end)
        assert match, source[end:]
        units.append(COMMANDS.get(match[0], match[0]))
        end = match.end()
    return "".join(units)


@given(st.text())
@example("\\input{/etc/passwd}%$&#_^~<>|\"-`'")
@example("{}}{\\end{document}")
def test_escaped_text_is_text(text):
    assert meaning(escape_latex(text)) == make_printable(text, "?")


@given(sentences())
def test_a_picture_has_the_whole_tree(sentence):
    lines = sentence_to_latex(sentence).splitlines()
    [begin] = [i for i, line in enumerate(lines) if line.startswith(r"\begin{deptext}")]
    assert lines[begin + 1].endswith(r" \\")
    cells = re.split(r"(?<=\}) \\& (?=\{)", lines[begin + 1].removesuffix(r" \\"))
    assert [meaning(cell[1:-1]) for cell in cells] == [make_printable(form, "?") for form in sentence.forms]
    found = {}
    for line in lines:
        if match := re.fullmatch(r"\\depedge\{(\d+)\}\{(\d+)\}\{(.*)\}", line):
            found[int(match[2])] = (int(match[1]), meaning(match[3]))
        elif match := re.fullmatch(r"\\deproot\{(\d+)\}\{(.*)\}", line):
            found[int(match[1])] = (0, meaning(match[2]))
    given = zip(sentence.heads.tolist(), sentence.deprels, strict=True)
    assert found == {m: (head, make_printable(deprel, "?")) for m, (head, deprel) in enumerate(given, 1) if head >= 0}


def test_weak_arcs_are_pale_and_dashed():
    sentence = Sentence.from_forms(["a", "b"], heads=[2, 0], misc=["Confidence=0.5", "Confidence=1.0"])
    lines = sentence_to_latex(sentence).splitlines()
    assert r"\depedge[edge style={black!67, dashed}]{2}{1}{\_ 0.50}" in lines
    assert r"\deproot[edge style={black!100}]{2}{\_}" in lines
    assert "dashed" not in sentence_to_latex(sentence, confidence=False)
    assert sentence_to_latex(Sentence.from_forms([])) == ""


@given(trees())
def test_constituents(tree):
    """Labels and words are in braces, so that brackets and commas in them are text."""
    _, body, _ = tree_to_latex(tree.relabel("[,]=" for _ in tree.labels)).splitlines()
    assert body.count("{[,]=}") == len(tree.labels)
    assert body.count(r"{\itshape ") == len(tree)
    depths, depth = [], 0
    for part in re.findall(r"\[\{\[,\]=\}|\[\{(?:\\itshape )(?:\\.|\{[^{}]*\}|[^{}\\])*\}\]|\]", body):
        if part == "[{[,]=}":
            depths.append(depth)
        depth += {"[{[,]=}": 1, "]": -1}.get(part, 0)
    assert depths == list(tree.depths)


def test_a_caption_is_a_comment():
    tree = ConstituentTree.from_string("(NP (DT a))")
    assert tree_to_latex(tree, caption="tree 1\n\\x").startswith("% tree 1?\\textbackslash{}x\n\\begin{forest}")
