"""Pictures of trees: some by hand, and for all that the lines lead back to the heads."""

import itertools
import time
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.paths import DATA
from tests.treebank.conllu.strategies import FIELDS, trees
from treewright.errors import UsageError
from treewright.treebank import Sentence, draw_text, is_projective, read

UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)


def sentence_of(rows):
    forms, upos, heads, deprels = zip(*(row.split() for row in rows), strict=True)
    return Sentence.from_forms(forms, upos=upos, heads=[int(head) for head in heads], deprels=deprels)


PROJECTIVE = [
    "The DET 2 det",
    "dog NOUN 3 nsubj",
    "chased VERB 0 root",
    "a DET 5 det",
    "cat NOUN 3 obj",
    ". PUNCT 3 punct",
]
NONPROJECTIVE = ["Whom PRON 4 obj", "did AUX 4 aux", "you PRON 2 nsubj", "see VERB 0 root", "? PUNCT 2 punct"]
ROOTS = ["Yes INTJ 0 root", "well INTJ -1 _", "I PRON 4 nsubj", "do VERB 0 root", "not PART -1 _", "so ADV 5 advmod"]
WIDE = ["我 PRON 2 nsubj", "喜欢 VERB 0 root", "cafe\u0301 NOUN 2 obj", "ﾃﾞ X 3 dep", "ｘ X 3 dep"]

PICTURES = [
    (
        PROJECTIVE,
        """
      ┌─► The     DET    det
    ┌─┴─► dog     NOUN   nsubj
┌─┬─┴───● chased  VERB   root
│ │   ┌─► a       DET    det
│ └───┴─► cat     NOUN   obj
└───────► .       PUNCT  punct""",
    ),
    (
        NONPROJECTIVE,
        """
    ┌───► Whom  PRON   obj
┌─┬─┼─┬─► did   AUX    aux
│ │ │ └─► you   PRON   nsubj
└─┼─┴───● see   VERB   root
  └─────► ?     PUNCT  punct""",
    ),
    (
        ROOTS,
        """
  ● Yes   INTJ  root
    well  INTJ  _
┌─► I     PRON  nsubj
└─● do    VERB  root
┌── not   PART  _
└─► so    ADV   advmod""",
    ),
    (["Go VERB 0 root"], "\n● Go  VERB  root"),
    (
        WIDE,
        """
    ┌─► 我    PRON  nsubj
┌───┴─● 喜欢  VERB  root
└─┬─┬─► cafe\u0301  NOUN  obj
  │ └─► ﾃﾞ    X     dep
  └───► ｘ    X     dep""",
    ),
]


@pytest.mark.parametrize(("rows", "picture"), PICTURES)
def test_pictures(rows, picture):
    assert "\n" + draw_text(sentence_of(rows)) == picture


def test_a_picture_in_ascii():
    assert "\n" + draw_text(sentence_of(NONPROJECTIVE), ascii_only=True) == (
        """
    .---> Whom  PRON   obj
.-.-+-.-> did   AUX    aux
| | | '-> you   PRON   nsubj
'-+-'---* see   VERB   root
  '-----> ?     PUNCT  punct"""
    )


def test_no_words_no_picture():
    assert draw_text(Sentence.from_forms([])) == ""


def read_picture(picture):
    """Follow the lines of a picture, and say where each word gets its arrow from."""
    rows = picture.split("\n")
    return [read_row(rows, i) for i in range(len(rows))]


def read_row(rows, row):
    mark = next(i for i, character in enumerate(rows[row]) if character in "►●w") - 1
    if rows[row][mark + 1] != "►":
        return 0 if rows[row][mark + 1] == "●" else -1
    corner = mark
    while corner and rows[row][corner - 1] in "─┬┴┼┌└":
        corner -= 1
    step = {"┌": 1, "└": -1}[rows[row][corner]]
    other = row + step
    while rows[other][corner] in "│┼":
        other += step
    assert rows[other][corner] in {1: "└┴", -1: "┌┬"}[step]
    assert set(rows[other][corner + 1 : mark + 1]) <= set("─┬┴┼")
    return other + 1


def sentence_with(heads):
    return Sentence.from_forms(["w"] * len(heads), heads=heads)


@given(trees(max_size=12, partial=True))
@example([3, 0, 2])
@example([0, 1, 2, 3, 4, 5])
def test_the_lines_lead_back_to_the_heads(heads):
    assert read_picture(draw_text(sentence_with(heads))) == heads


def test_every_small_tree_has_a_picture_of_its_own():
    pictures = set()
    found = 0
    for heads in itertools.product(range(-1, 5), repeat=4):
        try:
            picture = draw_text(sentence_with(heads), ascii_only=True)
        except UsageError:
            continue
        found += 1
        pictures.add(picture)
    assert len(pictures) == found == 6**3 * 2  # (r + n)^(n - 1) r forests with r kinds of root


@given(trees(max_size=12))
def test_the_lines_of_a_projective_tree_do_not_cross(heads):
    if is_projective(heads):
        assert "┼" not in draw_text(sentence_with(heads))


@pytest.mark.parametrize("name", ["ewt.conllu", "alksnis.conllu"])
def test_treebanks(name):
    for sentence in read(DATA / name):
        picture = draw_text(sentence.replace(forms=["w"] * len(sentence)))
        assert read_picture(picture) == sentence.heads.tolist()
        assert not (is_projective(sentence.heads) and "┼" in picture)


@given(trees(max_size=12, partial=True))
def test_ascii_is_the_same_picture(heads):
    sentence = sentence_with(heads)
    picture = draw_text(sentence, ascii_only=True)
    assert picture.isascii()
    assert picture == draw_text(sentence).translate(str.maketrans("│┌└─┬┴┼►●", "|.'-.'+>*"))


def cells(text):
    """Count terminal cells, for text without Hangul letters."""
    zero = [c for c in text if unicodedata.category(c) in ("Mn", "Me") or c in "\u200c\u200d"]
    wide = [c for c in text if unicodedata.east_asian_width(c) in "WF" and c not in zero]
    return len(text) - len(zero) + len(wide)


@given(trees(max_size=6, partial=True), st.data())
def test_columns_are_aligned(heads, data):
    """The relations, made one letter wide here, all stand in the last cell of a row."""
    fields = st.lists(FIELDS.filter(lambda text: not any(0x1160 <= ord(c) <= 0x11FF for c in text)))
    forms, upos = ([*data.draw(fields), *["_"] * len(heads)][: len(heads)] for _ in range(2))
    deprels = ["r"] * len(heads)
    rows = draw_text(Sentence.from_forms(forms, heads=heads, upos=upos, deprels=deprels)).split("\n")
    assert len(rows) == len(heads)
    assert len({cells(row) for row in rows}) == 1
    assert all(row.endswith("  r") for row in rows)


@given(st.text(min_size=1))
def test_nothing_reaches_the_terminal_but_characters(text):
    picture = draw_text(Sentence.from_forms([text], upos=[text], deprels=[text]))
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in picture)
    assert not any(
        unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI") for c in picture
    )


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("\x1b[2Jx", "�[2Jx"),
        ("a\nb\tc\x9b\u2028", "a�b�c��"),
        ("\u202eabc", "�abc"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\ud800", "�"),
    ],
)
def test_control_characters_are_replaced(form, shown):
    sentence = Sentence.from_forms([form], heads=[0])
    assert draw_text(sentence) == f"● {shown}  _  _"
    assert draw_text(sentence, ascii_only=True) == f"* {shown.replace('�', '?')}  _  _"


def test_hangul_letters_stand_in_one_cell():
    rows = draw_text(Sentence.from_forms(["한국", unicodedata.normalize("NFD", "한국")])).split("\n")
    assert unicodedata.normalize("NFC", rows[0]) == unicodedata.normalize("NFC", rows[1])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"heads": [2, 1]}, "words 1, 2 form a cycle"),
        ({"heads": [1, 0]}, "word 1 is its own head"),
        ({"heads": [3, 0]}, "the head of word 1 is 3"),
        ({"heads": [0, -2]}, "the head of word 2 is -2"),
        ({"heads": [0]}, "2 words has 1 entries in heads"),
        ({"upos": ["X"]}, "2 words has 1 entries in upos"),
    ],
)
def test_what_is_not_a_tree_is_refused(columns, message):
    with pytest.raises(UsageError, match=message):
        draw_text(Sentence.from_forms(["a", "b"], **columns))


def random_heads(n):
    rng = np.random.default_rng(n)
    order = rng.permutation(n) + 1
    heads = np.zeros(n, np.int32)
    for i in range(1, n):
        heads[order[i] - 1] = order[rng.integers(i)]
    return heads


@pytest.mark.parametrize("heads", [range(500), [0] + [1] * 499, random_heads(500)], ids=["chain", "star", "random"])
def test_long_sentences(heads):
    start = time.process_time()
    picture = draw_text(sentence_with(heads))
    assert time.process_time() - start < 2  # about 0.02
    assert read_picture(picture) == list(heads)


def doubtful():
    return Sentence.from_forms(
        ["I", "saw", "her", "there"],
        upos=["PRON", "VERB", "PRON", "ADV"],
        heads=[2, 0, 2, 2],
        deprels=["nsubj", "root", "obj", "advmod"],
        misc=[
            "Confidence=0.99|LabelConfidence=0.9",
            "Confidence=1.00|LabelConfidence=1.0",
            "Confidence=0.95|LabelConfidence=0.8",
            "Confidence=0.55|LabelConfidence=0.7|Rivals=3:advmod:0.31,0:root:0.02",
        ],
    )


def test_probabilities_are_beside_the_words_and_weak_arcs_dotted():
    assert draw_text(doubtful()).splitlines() == [
        "    ┌─► I      PRON  nsubj   0.99  0.90",
        "┌─┬─┴─● saw    VERB  root    1.00  1.00",
        "┊ └───► her    PRON  obj     0.95  0.80",
        "└┄┄┄┄┄► there  ADV   advmod  0.55  0.70",
        "there?  or advmod of her 0.31, root of the root 0.02",
    ]
    assert draw_text(doubtful(), ascii_only=True).splitlines()[2:4] == [
        ": '---> her    PRON  obj     0.95  0.80",
        "'~~~~~> there  ADV   advmod  0.55  0.70",
    ]
    *rows, weak, _ = draw_text(doubtful(), dimmed=True).splitlines()
    assert weak == "\x1b[2m└┄┄┄┄┄► there  ADV   advmod  0.55  0.70\x1b[0m"
    assert not any("\x1b" in row for row in rows)
