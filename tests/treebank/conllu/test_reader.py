"""What is read and written again is the same, byte for byte."""

import gzip
import io
import lzma

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.paths import DATA, TREEBANKS
from tests.treebank.conllu.strategies import PIECES, sentences
from treewright.errors import TreebankError
from treewright.treebank import format_sentence, read, read_string, write
from treewright.treebank.conllu import blocks as blocks_module

WORD = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_"
LAYOUTS = {
    "empty": "",
    "one blank line": "\n",
    "blank lines": "\n\n\r\n\n",
    "usual": f"{WORD}\n\n",
    "no final newline": WORD,
    "no final blank line": f"# c\n{WORD}\n",
    "blank lines between": f"{WORD}\n\n\n\n{WORD}\n\n",
    "blank lines first": f"\n\n\n{WORD}\n\n",
    "one blank line first": f"\n{WORD}\n\n",
    "blank lines last": f"{WORD}\n\n\n\n\n",
    "crlf": f"# c\r\n{WORD}\r\n\r\n{WORD}\r\n\r\n",
    "crlf without end": f"{WORD}\r\n\r\n{WORD}\r\n",
    "mixed ends": f"# c\r\n{WORD}\n\r\n# d\n{WORD}\r\n\n{WORD}\n\n",
    "byte-order mark": f"\ufeff# c\n{WORD}\n\n{WORD}\n\n",
    "byte-order mark, blank lines": f"\ufeff\n\n# c\n{WORD}\n\n",
    "byte-order mark, comments apart": f"\ufeff# apart\n\n# c\n{WORD}\n\n",
    "byte-order mark alone": "\ufeff",
    "byte-order mark in a form": f"{WORD.replace('a', chr(0xFEFF))}\n\n",
    "comments only": "# one\n# two\n",
    "comments only, ended": "# one\n\n# two\n\n",
    "comments only, no newline": "# one",
    "comments apart": f"{WORD}\n\n# apart\n\n# c\n{WORD}\n\n",
    "comments last": f"{WORD}\n\n# last\n# words",
    "comments last, ended": f"{WORD}\n\n# last\n\n\n# words\r\n\r\n",
    "other separators": f"# \x0b\x0c\x1c\x85\u2028\n{WORD.replace('a', chr(0x2028))}\n\n",
}


def again(raw, format="conllu"):
    stream = io.BytesIO()
    write(read(io.BytesIO(raw), format), stream, format)
    return stream.getvalue()


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_survives(name):
    raw = LAYOUTS[name].encode()
    assert again(raw) == raw


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_layout_survives_reading_in_small_pieces(name, size, monkeypatch):
    monkeypatch.setattr(blocks_module, "CHUNK", size)
    raw = LAYOUTS[name].encode()
    assert again(raw) == raw


@pytest.mark.parametrize(
    ("name", "words"),
    [("comments only", [0]), ("empty", []), ("comments last", [1]), ("comments apart", [1, 1])],
)
def test_only_a_file_without_words_gives_a_sentence_without_words(name, words):
    assert [len(sentence) for sentence in read_string(LAYOUTS[name])] == words


@pytest.mark.parametrize("path", sorted(DATA.glob("*.conllu")), ids=lambda path: path.name)
def test_file_survives(path):
    assert again(path.read_bytes()) == path.read_bytes()


@pytest.mark.parametrize("group", ["ud", "ud-devsplit"])
def test_real_treebanks_survive(group):
    paths = sorted((TREEBANKS / group).glob("*/dev.conllu.gz"))
    if not paths:
        pytest.skip("the treebanks are not here")
    for path in paths:
        with gzip.open(path) as file:
            raw = file.read()
        assert again(raw) == raw, path


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_file_survives_compression(tmp_path, suffix):
    raw = (DATA / "ewt.conllu").read_bytes()
    path = tmp_path / f"out.conllu{suffix}"
    assert write(read(DATA / "ewt.conllu"), path) == 43
    opened = {"": open, ".gz": gzip.open, ".xz": lzma.open}[suffix]
    with opened(path, "rb") as file:
        assert file.read() == raw
    unnamed = path.rename(tmp_path / "unnamed")  # recognised by what it holds
    assert again(b"".join(format_sentence(sentence).encode() for sentence in read(unnamed))) == raw


@given(st.lists(sentences(), max_size=3))
def test_sentences_survive(given_sentences):
    text = "".join(map(format_sentence, given_sentences))
    found = read_string(text)
    assert "".join(map(format_sentence, found)) == text
    for sentence, original in zip(found, given_sentences, strict=True):
        for name in ("forms", "lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc", "comments"):
            assert list(getattr(sentence, name)) == list(getattr(original, name)), name
        assert sentence.heads.tolist() == original.heads.tolist()
        assert sentence.heads.dtype == np.int32
        assert list(sentence.asides) == list(original.asides)
        assert sentence.layout is None


@given(sentences("conllx"))
def test_conllx_survives(sentence):
    text = format_sentence(sentence, "conllx")
    [found] = read_string(text, "conllx")
    assert format_sentence(found, "conllx") == text
    assert found.format == "conllx"
    assert list(found.deps) == list(sentence.deps)


@given(PIECES, st.sampled_from(["conllu", "conllx"]), st.integers(1, 40))
@example("\ufeff\n\n\ufeff\n\n", "conllu", 3)
def test_any_file_is_refused_or_survives(text, format, size):
    raw = text.encode()
    error = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks_module, "CHUNK", size)
        try:
            written = again(raw, format)
        except TreebankError as refusal:
            error = refusal
    if error is None:
        assert written == raw
    else:
        lines = text.split("\n")
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1


@given(PIECES, st.sampled_from(["conllu", "conllx"]))
def test_skipping_leaves_out_only_what_is_refused(text, format):
    errors = []
    reader = read(io.BytesIO(text.encode()), format, on_error="skip", on_skip=errors.append)
    kept = list(reader)
    assert reader.skipped == len(errors)
    again = read_string("".join(format_sentence(s, format) for s in kept[:1]), format)
    assert [list(s.forms) for s in again] == [list(s.forms) for s in kept[:1]]
    if not errors:
        assert "".join(format_sentence(s, format) for s in kept) == text
    else:
        with pytest.raises(TreebankError) as caught:
            read_string(text, format)
        assert (caught.value.line, caught.value.reason) == (errors[0].line, errors[0].reason)
