"""Tables for spreadsheets."""

import csv
import io
import re

from hypothesis import example, given
from hypothesis import strategies as st

from tests.treebank.conllu.strategies import sentences
from treewright.treebank import Sentence
from treewright.treebank.conllu.table import COLUMNS, format_rows, plain_cell, table_of_rows, word_columns


def rows_of(several):
    text = "".join(table_of_rows(map(format_rows, several)))
    return list(csv.DictReader(io.StringIO(text, newline=""), dialect="excel-tab"))


@given(st.lists(sentences(), max_size=3))
def test_the_words_can_be_read_back(several):
    rows = rows_of(several)
    assert [int(row["sentence"]) for row in rows] == [n for n, one in enumerate(several, 1) for _ in range(len(one))]
    for name in ("form", "lemma", "upos", "feats", "deprel", "misc"):
        cells = [value or "" for one in several for value in word_columns(one)[name]]
        assert [plain_cell(row[name]) for row in rows] == cells
    assert [int(row["head"] or -1) for row in rows] == [head for one in several for head in one.heads.tolist()]


@given(st.text(st.sampled_from("'=+-@＝ a1\""), min_size=1))
@example("=1+1")
@example("'=1+1")
@example('=HYPERLINK("http://x")')
@example("＝1")
@example(" =1")
def test_no_cell_is_a_formula_and_nothing_is_lost(text):
    [row] = rows_of([Sentence.from_forms([text])])
    assert plain_cell(row["form"]) == text
    assert not re.search(r"\w", row["form"]) or row["form"].strip()[0] not in "=+-@＝＋－＠"


def test_ordinary_text_is_unchanged():
    forms = ["'s", "n't", "-", "=", "+", "@", "--", "=)", "...", "a-b", "''", '"', "``", "$5", "5-6", "'Tis"]
    assert [row["form"] for row in rows_of([Sentence.from_forms(forms)])] == forms
    assert rows_of([Sentence.from_forms(["-5", "@anna"])])[0]["form"] == "'-5"


def test_the_file():
    noted = "Confidence=0.97|LabelConfidence=0.5|TagConfidence=1.0|SpaceAfter=No"
    go = Sentence.from_forms(
        ["Go"], heads=[0], deprels=["root"], misc=[noted], comments=["# sent_id = a\tb", "# tree = 1"]
    )
    text = "".join(table_of_rows([format_rows(go) + format_rows(go.replace(comments=["# tree = 2"])), format_rows(go)]))
    assert text.splitlines() == [
        "\t".join(COLUMNS),
        "1\ta b\t1\t1\tGo\t\t\t\t\t0\troot\t\tSpaceAfter=No\t0.97\t0.5\t1.0",
        "1\t\t2\t1\tGo\t\t\t\t\t0\troot\t\tSpaceAfter=No\t0.97\t0.5\t1.0",
        "2\ta b\t1\t1\tGo\t\t\t\t\t0\troot\t\tSpaceAfter=No\t0.97\t0.5\t1.0",
    ]


def test_line_breaks_in_cells_are_spaces():
    [row] = rows_of([Sentence.from_forms(["a\tb\r\nc\0"])])
    assert row["form"] == "a b  c "
