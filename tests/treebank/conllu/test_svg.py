"""Dependency trees in SVG: what is drawn, where, and that text stays text."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.paths import DATA
from tests.treebank.conllu.strategies import FIELDS, sentences, trees
from treewright.errors import UsageError
from treewright.treebank import Sentence, is_projective, read, sentence_to_svg
from treewright.treebank.conllu.arc_layout import lay_out
from treewright.treebank.svg import escape_text

ATTRIBUTES = {
    "class",
    "width",
    "height",
    "viewBox",
    "role",
    "x",
    "y",
    "x1",
    "x2",
    "y1",
    "y2",
    "d",
    "opacity",
    "transform",
}
ELEMENTS = {"svg", "style", "title", "g", "path", "text", "line"}


def parts(picture):
    root = ET.fromstring(picture)
    return root, root.findall(".//{*}g[@class]"), root.findall(".//{*}text")


def texts(picture, kind):
    return [text.text or "" for text in parts(picture)[2] if text.get("class") == kind]


def printable(text):
    """As XML hands it back."""
    return ET.fromstring(f"<a>{escape_text(text)}</a>").text or ""


@given(sentences())
def test_everything_is_there_and_nothing_else(sentence):
    picture = sentence_to_svg(sentence)
    root, arcs, _ = parts(picture)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= ELEMENTS
    assert texts(picture, "form") == list(map(printable, sentence.forms))
    tokens = [line.split("\t")[1] for _, line in sentence.asides if "-" in line.split("\t")[0]]
    tags = [tag for tag in sentence.upos if tag != "_"]
    assert texts(picture, "tag") == list(map(printable, tags + tokens))
    assert len(arcs) == sum(head >= 0 for head in sentence.heads)
    assert all(not name.lower().startswith("on") for element in root.iter() for name in element.attrib)


@given(st.text(max_size=40))
@example("</title><script>alert(1)</script>")
@example('" onload="alert(1)')
@example("]]>&amp;\x00\x1b\ud800\uffff")
@example('<svg xmlns="http://www.w3.org/2000/svg" class="treewright" width="1" height="1"')
def test_text_is_never_markup(text):
    sentence = Sentence.from_forms(
        [text, "b"],
        heads=[2, 0],
        upos=[text, "X"],
        deprels=[text, text],
        comments=[f"# text = {text}"],
        misc=[f"Confidence=0.5|Rivals=0:{text}:0.2", "_"],
        asides=[(0, f"1-2\t{text}\t_\t_\t_\t_\t_\t_\t_\t_")] if not set("\t\n") & set(text) else [],
    )
    root, _, _ = parts(sentence_to_svg(sentence))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= ELEMENTS
    assert {name for element in root.iter() for name in element.attrib} <= ATTRIBUTES


def box(layout, arc):
    return (min(arc.start, arc.end), max(arc.start, arc.end))


@given(trees(max_size=12, partial=True), st.booleans(), st.data())
def test_arcs_and_labels_never_lie_on_each_other(heads, mirrored, data):
    n = len(heads)
    words = data.draw(st.lists(st.integers(10, 90), min_size=n, max_size=n))
    labels = data.draw(st.lists(st.integers(0, 90), min_size=n, max_size=n))
    layout = lay_out(heads, words, labels, mirrored=mirrored)
    assert sorted(arc.modifier for arc in layout.arcs) == [m for m, head in enumerate(heads, 1) if head >= 0]
    order = layout.centres[::-1] if mirrored else layout.centres
    edges = words[::-1] if mirrored else words
    for i in range(n - 1):
        assert order[i + 1] - order[i] >= (edges[i] + edges[i + 1]) / 2 - 1e-6
    feet = [x for arc in layout.arcs for x in (arc.start, arc.end) if x is not None]
    assert len({round(x, 3) for x in feet}) == len(feet)
    for i, arc in enumerate(layout.arcs):
        label = labels[arc.modifier - 1]
        middle = arc.end if arc.start is None else (arc.start + arc.end) / 2
        assert middle - label / 2 >= -1e-6
        assert middle + label / 2 <= layout.width + 1e-6
        if arc.start is not None:
            assert box(layout, arc)[1] - box(layout, arc)[0] >= label
            for other in layout.arcs[i + 1 :]:
                if other.start is not None and other.level == arc.level:
                    (a, b), (c, d) = box(layout, arc), box(layout, other)
                    assert b <= c or d <= a


@given(trees(max_size=12))
def test_the_arcs_of_a_projective_tree_do_not_cross(heads):
    if not is_projective(heads):
        return
    layout = lay_out(heads, [20] * len(heads), [20] * len(heads))
    for arc in layout.arcs:
        for other in layout.arcs:
            if arc.start is None and other.start is not None:
                a, b = box(layout, other)
                assert not a < arc.end < b
            elif arc.start is not None and other.start is not None:
                (a, b), (c, d) = box(layout, arc), box(layout, other)
                assert not a < c < b < d
                assert not (c < a < b < d and other.level <= arc.level)


def doubtful():
    return Sentence.from_forms(
        ["I", "saw", "her", "there"],
        heads=[2, 0, 2, 2],
        deprels=["nsubj", "root", "obj", "advmod"],
        comments=["# probability = 0.42", "# expected_errors = 1.30"],
        misc=[
            "Confidence=0.99|LabelConfidence=0.9",
            "Confidence=1.00|LabelConfidence=1.0",
            "Confidence=0.95|LabelConfidence=0.8",
            "Confidence=0.55|LabelConfidence=0.7|Rivals=3:advmod:0.31,0:root:0.02",
        ],
    )


def test_doubts_are_shown_unless_they_are_not_wanted():
    picture = sentence_to_svg(doubtful())
    weak = [group for group in parts(picture)[1] if "weak" in group.get("class")]
    assert [group.find("{*}text").text for group in weak] == ["advmod 0.55"]
    about = weak[0].find("{*}title").text
    assert (
        about
        == "there: advmod of saw; head 0.55, relation 0.70; or advmod of her 0.31, advmod of the root 0.02".replace(
            "advmod of the root", "root of the root"
        )
    )
    shades = [float(group.find("{*}path").get("opacity")) for group in parts(picture)[1]]
    assert min(shades) == pytest.approx(0.35 + 0.65 * 0.55, abs=0.01)
    assert texts(picture, "caption start") == ["probability 0.42, 1.3 errors expected"]
    plain = sentence_to_svg(doubtful(), confidence=False)
    assert "weak" not in plain.partition("</style>")[2]
    assert "opacity" not in plain.partition("</style>")[2]
    assert "0.55" not in plain
    assert "probability" not in plain


def test_scripts_from_right_to_left_are_drawn_so():
    picture = sentence_to_svg(Sentence.from_forms(["שלום", "לכם"], heads=[0, 1]))
    first, second = (float(text.get("x")) for text in parts(picture)[2] if text.get("class") == "form")
    assert first > second


def test_multiword_tokens_stand_below_their_words(ewt):
    sentence = next(one for one in ewt if one.asides)
    picture = sentence_to_svg(sentence)
    assert texts(picture, "tag")[-1] == sentence.asides[-1][1].split("\t")[1]
    assert len(parts(picture)[0].findall(".//{*}line")) == len(sentence.asides)


def test_what_is_no_tree_is_refused():
    with pytest.raises(UsageError, match="form a cycle; only trees can be drawn"):
        sentence_to_svg(Sentence.from_forms(["a", "b"], heads=[2, 1]))


@pytest.mark.parametrize("heads", [range(400), [0] + [1] * 399], ids=["chain", "star"])
def test_long_sentences(heads):
    root, arcs, _ = parts(sentence_to_svg(Sentence.from_forms(["w"] * 400, heads=list(heads))))
    assert len(arcs) == 400
    assert float(root.get("width")) < 400 * 60


def test_no_words():
    _, arcs, found = parts(sentence_to_svg(Sentence.from_forms([])))
    assert (arcs, found) == ([], [])


def test_the_style_is_for_the_picture_alone():
    """A page with several pictures, and text of its own, is not restyled by one of them."""
    [style] = re.findall(r"<style>(.*?)</style>", sentence_to_svg(next(iter(read(DATA / "ewt.conllu")))), re.DOTALL)
    rules = re.findall(r"([^{}]+)\{[^{}]*\}", style.replace("@media (prefers-color-scheme:dark){", ""))
    assert all(part.strip().startswith(".treewright") for rule in rules for part in rule.split(","))
    assert "url(" not in style
    assert "@import" not in style


@given(FIELDS)
def test_the_text_of_a_sentence_is_its_title(text):
    root, _, _ = parts(sentence_to_svg(Sentence.from_forms([text], heads=[0])))
    assert (root.find("{*}title").text or "") == printable(text)
