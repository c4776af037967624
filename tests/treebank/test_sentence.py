"""Sentences in memory, and the columns they are read into."""

import numpy as np
import pytest

from tests.paths import DATA
from treewright import treebank
from treewright.treebank import Sentence, format_sentence, read, read_string


def line(*fields):
    return "\t".join(fields) + "\n"


def test_public_names_are_sorted_and_there():
    assert treebank.__all__ == sorted(treebank.__all__)
    assert all(hasattr(treebank, name) for name in treebank.__all__)


def test_columns_of_conllu():
    [sentence] = read_string(
        line("1", "form", "lemma", "UPOS", "XPOS", "A=B", "0", "root", "0:root", "C=D")
        + line("2", "f2", "l2", "U2", "X2", "A=2", "1", "dep", "1:dep", "C=2")
    )
    assert sentence.forms == ["form", "f2"]
    assert sentence.lemmas == ["lemma", "l2"]
    assert sentence.upos == ["UPOS", "U2"]
    assert sentence.xpos == ["XPOS", "X2"]
    assert sentence.feats == ["A=B", "A=2"]
    assert sentence.heads.tolist() == [0, 1]
    assert sentence.deprels == ["root", "dep"]
    assert sentence.deps == ["0:root", "1:dep"]
    assert sentence.misc == ["C=D", "C=2"]
    assert len(sentence) == 2


def test_columns_of_conllx():
    [sentence] = read_string(line("1", "form", "lemma", "CP", "P", "F", "0", "ROOT", "0", "PR"), "conllx")
    assert (sentence.upos, sentence.xpos, sentence.deps, sentence.misc) == (["CP"], ["P"], ["0"], ["PR"])


def test_only_words_are_in_the_columns():
    sentence = next(s for s in read(DATA / "ewt.conllu") if any("." in text.split("\t")[0] for _, text in s.asides))
    for name in ("lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc"):
        assert len(getattr(sentence, name)) == len(sentence)
    words = [text for text in format_sentence(sentence).split("\n") if text.partition("\t")[0].isdigit()]
    assert [text.split("\t")[1] for text in words] == sentence.forms


def test_asides_know_the_words_before_them():
    blank = ["_"] * 8
    [sentence] = read_string(
        line("0.1", "e", *blank)
        + line("1-2", "ab", *blank)
        + line("1", "a", *blank)
        + line("1.1", "f", *blank)
        + line("1.2", "g", *blank)
        + line("2", "b", *blank)
        + line("3-3", "c", *blank)
        + line("3", "c", *blank)
    )
    found = [(position, text.split("\t")[0]) for position, text in sentence.asides]
    assert found == [(0, "0.1"), (0, "1-2"), (1, "1.1"), (1, "1.2"), (2, "3-3")]
    assert sentence.forms == ["a", "b", "c"]


def test_heads_that_are_not_given():
    text = line("1", "a", *"____", "_", "_", "_", "_") + line("2", "b", *"____", "1", "_", "_", "_") + "\n"
    [sentence] = read_string(text)
    assert sentence.heads.tolist() == [-1, 1]
    assert sentence.rooted_heads().tolist() == [-1, -1, 1]
    assert format_sentence(sentence) == text


def test_rooted_heads_are_int32():
    heads = Sentence.from_forms(["a", "b"], heads=np.array([2, 0])).rooted_heads()
    assert heads.dtype == np.int32
    assert heads.tolist() == [-1, 2, 0]


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        ("# text = a = b", "a = b"),
        ("#text=a", "a"),
        ("# text_en = a", None),
        ("# text", None),
        ("# my text = a", None),
    ],
)
def test_text(comment, text):
    assert Sentence.from_forms(["a"], comments=["# sent_id = 1", comment]).text == text


def test_replacing_heads_and_deprels_changes_nothing_else():
    raw = (DATA / "ewt.conllu").read_bytes().decode().replace("\n", "\r\n")
    for sentence in read_string(raw):
        n = len(sentence)
        new = sentence.replace(heads=np.arange(n), deprels=["new"] * n)
        before = format_sentence(sentence).split("\r\n")
        after = format_sentence(new).split("\r\n")
        word = 0
        for old_line, new_line in zip(before, after, strict=True):
            fields = old_line.split("\t")
            if fields[0].isdigit():
                fields[6:8] = [str(word), "new"]
                word += 1
            assert new_line == "\t".join(fields)
        assert word == n
