"""The component for spaCy, in the real spaCy, and documents both ways."""

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import TESTS
from tests.treebank.conllu.strategies import sentences
from treewright.treebank import Sentence, format_sentence
from treewright.treebank.conllu.confidence import read_confidence

spacy = pytest.importorskip("spacy")

from treewright.integrations.spacy import TreewrightComponent, from_doc, to_doc  # noqa: E402

BLANK = spacy.blank("en")
TEXTS = st.lists(
    st.sampled_from(
        ["Trees", "don't", "grow", ".", "!", " ", "  ", "\n", "\n\n", "\t", "\u3000", "\u00a0", "(", "naïve", "木"]
    )
).map("".join)


def texts(sentences):
    return list(map(format_sentence, sentences))


def columns(doc):
    return [(t.text, t.whitespace_, t.tag_, t.pos_, str(t.morph), t.lemma_, t.head.i, t.dep_) for t in doc]


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("treewright", config={"model": "en"})
    return nlp


@given(st.lists(sentences(), max_size=3))
def test_sentences_and_back(several):
    doc = to_doc(several, BLANK.vocab)
    assert texts(from_doc(doc)) == texts(several)


def test_treebanks_and_back(ewt, alksnis):
    for treebank in (ewt, alksnis):
        doc = to_doc(treebank)
        assert texts(from_doc(doc)) == texts(treebank)
        again = spacy.tokens.Doc(BLANK.vocab).from_bytes(doc.to_bytes())
        assert texts(from_doc(again)) == texts(treebank)
        assert [span.text_with_ws.strip() for span in doc.sents] == [one.text for one in treebank]
        words = [token for token in doc if not token.is_space]
        assert [token.pos_ for token in words] == [tag for one in treebank for tag in one.upos]


@given(TEXTS)
def test_documents_and_back(text):
    doc = BLANK(text)
    found = from_doc(doc)
    if not text.strip():
        assert found == []
        return
    again = to_doc(found, BLANK.vocab)
    assert again.text == text
    assert [token.text for token in again] == [token.text for token in doc]
    [sentence] = found
    assert [text[start:end] for start, end in sentence.ranges.tolist()] == sentence.forms


def test_what_a_pipeline_changes_comes_back_changed():
    sentence = Sentence.from_forms(
        ["Trees", "grow"],
        heads=[2, 0],
        upos=["NOUN", "FOO"],
        deprels=["nsubj", "root"],
        misc=["A=b|SpaceAfter=No", "_"],
    )
    doc = to_doc(sentence)
    doc[0].pos_, doc[0].dep_, doc[1].lemma_ = "PROPN", "obj", "grow"
    [again] = from_doc(doc)
    assert again.upos == ["PROPN", "FOO"]  # spaCy has no place for the second
    assert again.deprels == ["obj", "root"]
    assert again.lemmas == ["_", "grow"]
    assert again.misc == ["A=b|SpaceAfter=No", "_"]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[:2])
    assert [one.forms for one in from_doc(doc)] == [["Treesgrow"]]


def test_the_component_keeps_tokens_and_finds_sentences(nlp):
    text = "The dog  chased a cat.\n\nShe didn't plant a tree. "
    doc = nlp(text)
    assert doc.text == text
    assert [token.text for token in doc] == [token.text for token in BLANK(text)]
    assert [span.text.strip() for span in doc.sents] == ["The dog  chased a cat.", "She didn't plant a tree."]
    assert [span.root.text for span in doc.sents] == ["chased", "plant"]
    assert doc.has_annotation("DEP")
    assert doc.has_annotation("TAG")
    dog, space, chased = doc[1], doc[2], doc[3]
    assert (dog.pos_, dog.tag_, dog.dep_, dog.head, dog.lemma_) == ("NOUN", "NN", "nsubj", chased, "dog")
    assert dog.morph.get("Number") == ["Sing"]
    assert chased.dep_ == "ROOT"
    assert (space.head, space.pos_, space._.head_probability) == (dog, "SPACE", None)


def test_the_component_finds_what_the_parser_finds(nlp):
    doc = nlp("The dog chased a cat. She planted a tree.")
    parser = nlp.get_pipe("treewright").parser
    found = from_doc(doc)
    parsed = parser.parse("The dog chased a cat. She planted a tree.", confidence=True)
    assert [one.heads.tolist() for one in found] == [one.heads.tolist() for one in parsed]
    for one, other, span in zip(found, parsed, doc.sents, strict=True):
        assert read_confidence(one.misc[0])[:3] == read_confidence(other.misc[0])[:3]
        numbers = [read_confidence(misc) for misc in other.misc]
        assert [token._.head_probability for token in span] == [number.head for number in numbers]
        assert [token._.label_probability for token in span] == [number.relation for number in numbers]
        assert [token._.tag_probability for token in span] == [number.tag for number in numbers]
        assert f"# probability = {span._.tree_probability:.4g}" in other.comments
        assert f"# expected_errors = {span._.expected_errors:.2f}" in other.comments


def test_sentences_of_other_components_stay(nlp):
    doc = BLANK("She planted a tree. It grew")
    for token in doc:
        token.is_sent_start = token.i in (0, 2)
    doc = nlp.get_pipe("treewright")(doc)
    assert [span.text for span in doc.sents] == ["She planted", "a tree. It grew"]


def test_many_documents_are_as_one_by_one(nlp):
    several = ["She planted a tree. It grew.", "", " \n ", "The dog chased a cat.", "Go"]
    assert list(map(columns, nlp.pipe(several))) == list(map(columns, map(nlp, several)))


def test_tags_can_be_kept_and_probabilities_left_out(nlp):
    doc = BLANK("The dog barks.")
    for token, tag in zip(doc, ["DET", "VERB", "NOUN", "PUNCT"], strict=True):
        token.pos_ = tag
    doc = TreewrightComponent(nlp.get_pipe("treewright").parser, {"keep_tags": True})(doc)
    assert [token.pos_ for token in doc] == ["DET", "VERB", "NOUN", "PUNCT"]
    assert doc[0]._.head_probability is None
    assert next(doc.sents)._.tree_probability is None


def test_displacy_draws_it(nlp):
    picture = spacy.displacy.render(nlp("The dog chased a cat."), style="dep", jupyter=False)
    labels = re.findall(r"<textPath[^>]*>([^<]+)</textPath>", picture)
    assert labels == ["det", "nsubj", "det", "obj"]  # punctuation is part of the word before it


def test_spacy_finds_the_component_by_its_entry_point(tmp_path):
    """As pip installs it: the entry points of pyproject.toml, in a distribution on the path."""
    project = (TESTS.parent / "pyproject.toml").read_text("utf-8")
    [entries] = re.findall(r"entry-points\.spacy_factories\]\n((?:.+\n)+)", project)
    folder = tmp_path / "entries-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: entries\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[spacy_factories]\n" + entries.replace('"', ""))
    saved = str(tmp_path / "saved")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import spacy; nlp = spacy.blank('en'); "
        "nlp.add_pipe('treewright', config={'model': 'en', 'at_most_one': ['nsubj']}); "
        f"nlp.to_disk({saved!r}); print(spacy.load({saved!r})('Trees grow.')[0].dep_)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "nsubj\n"), done.stderr
