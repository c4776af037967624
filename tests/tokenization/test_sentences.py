"""Where sentences end."""

import pytest

from treewright.tokenization import split_sentences

# "|" marks the ends of sentences.
CASES = [
    ("en", "Trees grow.| They do!| Do they?| Yes"),
    ("en", "Mr. Smith met Dr. Jones on Sept. 11.| They spoke."),
    ("en", "George W. Bush left the U.S. on Friday.| He was tired."),
    ("en", "He lives in the U.S.| The rest is known."),
    ("en", "It rained at 5 p.m. on Monday."),
    ("en", "i was there.| it was great"),
    ("en", "Well... maybe.| Or not...| Who knows"),
    ("en", '"Why?" she asked.| "No reason."| He left.'),
    ("en", "(He left.)| She stayed."),
    ("en", "Great place. :)| Come again."),
    ("en", "1. Open the door.| 2. Close it."),
    ("en", "I said no.| Maybe I sat.| Look at No. 5 in Sat. papers."),
    ("en", "Apples, pears, etc. are fruit."),
    ("en", "A title|\n\nA paragraph"),
    ("en", "One sentence\nover two lines."),
    ("en", "A title|\r\n \r\nA paragraph"),
    ("en", "Version 2.0 is out.| See www.a.com."),
    ("de", "Am 3. Oktober kam er.| Dann ging er."),
    ("fr", "M. Dupont est là.| Il attend."),
    ("ja", "行きました。|帰りました。|「そうですか。」|はい"),
    ("en", "2.1.3. Scope of the law.| It was version 2.1.| The rest is known."),
    ("lt", "Tvarka; 1.2. Pažymos forma.| Skirta 54 mlrd. EUR.| Tai daug."),
    ("pt", "A Dra. Maria veio com a Profa. Sá.| Ficaram."),
    ("ru", "«Пойдём ещё раз?» — спросил он.| — Да."),
    ("hi", "यह है।| वह है।"),
    ("en", ""),
    ("en", " \n\n \x00 "),
]


@pytest.mark.parametrize(("language", "marked"), CASES)
def test_sentences(language, marked):
    expected = [piece.strip() for piece in marked.split("|") if piece.strip(" \n\x00")]
    assert split_sentences(marked.replace("|", ""), language) == expected
