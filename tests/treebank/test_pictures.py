"""One way to draw trees of all kinds."""

import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright
from treewright.errors import UsageError
from treewright.parsing import Ranked
from treewright.treebank import ConstituentTree, Sentence, draw, draw_text, draw_tree

TREE = ConstituentTree.from_string("(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP us))) (. .))")
SENTENCE = Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]


@given(st.lists(st.sampled_from([SENTENCE, TREE]), min_size=2, max_size=5))
def test_several_pictures_are_stacked(trees):
    root = ET.fromstring(draw(trees))
    singles = [ET.fromstring(draw(tree)) for tree in trees]
    inner = root.findall("{*}svg")
    tops = [int(one.get("y")) for one in inner]
    heights = [int(one.get("height")) for one in singles]
    assert tops == [sum(heights[:i]) for i in range(len(trees))]
    assert int(root.get("height")) == sum(heights)
    assert int(root.get("width")) == max(int(one.get("width")) for one in singles)
    assert len(root.findall(".//{*}style")) == 1
    for one, single in zip(inner, singles, strict=True):
        assert [t.text for t in one.iter("{http://www.w3.org/2000/svg}text")] == [
            t.text for t in single.iter("{http://www.w3.org/2000/svg}text")
        ]


def test_no_pictures():
    ET.fromstring(draw([]))
    assert draw([], format="text") == ""


@given(st.text(max_size=30))
def test_a_page_is_whole_and_asks_for_nothing(text):
    evil = SENTENCE.replace(forms=[text or "x", "</main><script src=//x>"], comments=[f"# text = {text}"])
    page = Page(draw([evil, TREE], format="html"))
    of_page, of_pictures = (
        {"html", "head", "meta", "title", "style", "body", "main"},
        {"svg", "g", "path", "text", "line"},
    )
    assert set(page.tags) <= of_page | of_pictures
    assert page.tags.count("html") == 1
    assert not [one for one in page.attributes if one[1] in ("src", "href", "style") or one[1].startswith("on")]
    assert draw(evil, format="html").count("default-src 'none'") == 1


def test_text_is_what_terminals_show():
    assert draw(SENTENCE, format="text") == draw_text(SENTENCE)
    assert draw([SENTENCE, TREE], format="text") == f"{draw_text(SENTENCE)}\n\n{draw_tree(TREE)}"


def test_latex_is_a_document():
    text = draw([SENTENCE, TREE], format="latex")
    assert text.startswith(r"\documentclass")
    assert text.endswith("\\end{document}\n")
    assert text.index(r"\begin{document}") < text.index(r"\begin{dependency}") < text.index(r"\begin{forest}")


def test_notebooks_show_pictures():
    for tree in (SENTENCE, TREE):
        assert tree._repr_svg_() == draw(tree)
        assert draw(tree) in tree._repr_html_()
        assert draw(tree)._repr_html_() == tree._repr_html_()
    assert SENTENCE.replace(heads=[2, 1])._repr_svg_() is None
    assert SENTENCE.replace(heads=[2, 1])._repr_html_() is None
    assert draw(SENTENCE, format="latex")._repr_html_() is None
    assert draw(SENTENCE.replace(forms=["<b>", "x"]), format="text")._repr_html_().count("&lt;b&gt;") == 1
    shown = draw([SENTENCE, TREE], format="html")._repr_html_()
    assert shown.startswith("<svg")
    assert "<html" not in shown


def test_the_k_best_trees_say_which_they_are():
    best = [Ranked(tree, log) for tree, log in ((SENTENCE, -0.1), (SENTENCE.replace(heads=[0, 1]), -3))]
    for format in ("svg", "html", "latex", "text"):
        picture = draw(best, format=format)
        assert "tree 1, probability 0.9048" in picture
        assert "tree 2, probability 0.04979" in picture
    assert "tree 1, probability 0.9048" in draw([Ranked(TREE, -0.1)])


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UsageError, match="cannot be drawn as 'png': choose svg, html, latex or text"):
        draw(SENTENCE, format="png")
    with pytest.raises(TypeError, match="cannot draw int"):
        draw([3])
    with pytest.raises(UsageError, match="cycle"):
        draw(SENTENCE.replace(heads=[2, 1]))


def test_it_is_public():
    assert treewright.draw is draw
    doubtful = SENTENCE.replace(misc=["Confidence=0.5", "_"])
    assert "0.50" in treewright.draw(doubtful)
    assert "0.50" not in treewright.draw(doubtful, confidence=False)
