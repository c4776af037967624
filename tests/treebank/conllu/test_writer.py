"""Writing: what cannot be read back is refused, and formats are converted."""

import io

import numpy as np
import pytest

from treewright.errors import TreebankError, UsageError
from treewright.treebank import Sentence, format_sentence, read, read_string, write

WORD = "1\ta\tl\tU\tX\tF\t0\troot\t0:root\tM"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"forms": ["a", ""]}, "word 2 cannot be written: its entry '' in forms is empty"),
        ({"forms": ["a\tb", "c"]}, "word 1 .* in forms has a tab"),
        ({"misc": ["_", "a\nb"]}, "word 2 .* in misc has a tab, line end"),
        ({"lemmas": ["_", "a\rb"]}, "word 2 .* in lemmas"),
        ({"feats": ["\0", "_"]}, "word 1 .* in feats"),
        ({"upos": ["_"]}, "a sentence of 2 words has 1 entries in upos"),
        ({"heads": [0]}, "a sentence of 2 words has 1 entries in heads"),
        ({"heads": [0, 3]}, r"heads \[0, 3\] do not form a tree over 2 words"),
        ({"heads": [-2, 0]}, "do not form a tree"),
        ({"heads": [2, 1]}, "do not form a tree"),
        ({"comments": ["no comment"]}, "'no comment' is not a comment"),
        ({"comments": ["# a\n# b"]}, "is not a comment"),
        (
            {"asides": [(1, "2-3\t" + "\t".join("_" * 9))]},
            "range 2-3 goes beyond the last word, 2; clear asides",
        ),
    ],
)
def test_what_could_not_be_read_back_is_refused(columns, message):
    sentence = Sentence.from_forms(["a", "b"], heads=[0, 1])
    assert read_string(format_sentence(sentence))[0].forms == ["a", "b"]
    with pytest.raises(UsageError, match=message):
        format_sentence(sentence.replace(**columns))


def test_a_sentence_too_long_to_read_back_is_refused():
    with pytest.raises(UsageError, match="at most 10,000"):
        format_sentence(Sentence.from_forms(["a"] * 10_001))


def test_what_is_not_unicode_is_refused():
    with pytest.raises(UsageError, match="sentence 2 is not Unicode"):
        write([Sentence.from_forms(["a"]), Sentence.from_forms(["\ud800"])], io.BytesIO())


def test_a_format_that_there_is_not():
    with pytest.raises(UsageError, match="no format 'xml'; choose one of conllu, conllx"):
        write([], io.BytesIO(), "xml")


def test_sentences_of_two_files_stay_apart():
    first = read_string(f"\ufeff{WORD}") + read_string(f"{WORD}\n") + read_string(f"{WORD}\r\n\r\n# last")
    second = read_string(f"\ufeff# second\n{WORD}\n\n")
    stream = io.BytesIO()
    assert write([*first, *second], stream) == 4
    found = read_string(stream.getvalue().decode())
    assert [list(sentence.comments) for sentence in found] == [[], [], [], ["# second"]]


def test_lines_added_to_a_sentence_end_as_the_others():
    [sentence] = read_string(f"# a\r\n{WORD}")
    assert format_sentence(sentence.replace(comments=["# a", "# b"])) == f"# a\r\n# b\r\n{WORD}"


def test_conllx_has_no_room_for_what_is_not_a_word():
    blank = "\t_" * 8
    [sentence] = read_string(f"# c\r\n1-1\ta{blank}\r\n{WORD}\r\n1.1\te{blank}\r\n\r\n")
    assert format_sentence(sentence, "conllx") == "1\ta\tl\tU\tX\tF\t0\troot\t_\t_\n\n"


def test_the_last_columns_of_conllx_mean_nothing_in_conllu():
    [sentence] = read_string(WORD.replace("0:root\tM", "0\tROOT"), "conllx")
    assert format_sentence(sentence) == "1\ta\tl\tU\tX\tF\t0\troot\t_\t_\n\n"
    assert format_sentence(sentence, "conllx") == "1\ta\tl\tU\tX\tF\t0\troot\t0\tROOT"


def test_a_made_sentence_is_written_in_the_usual_layout():
    sentence = Sentence.from_forms(["a", "b"], heads=np.array([2, 0]), comments=["# c"])
    assert format_sentence(sentence) == "# c\n1\ta\t_\t_\t_\t_\t2\t_\t_\t_\n2\tb\t_\t_\t_\t_\t0\t_\t_\t_\n\n"


def test_an_error_while_reading_leaves_the_old_file(tmp_path):
    source, target = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(f"{WORD}\n\nbad\n")
    target.write_text("old")
    with pytest.raises(TreebankError):
        write(read(source), target)
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.conllu", "out.conllu"]


def test_a_file_can_be_written_over_itself(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(f"{WORD}\n\n{WORD}\n\n")
    write((sentence.replace(forms=["b"]) for sentence in read(path)), path)
    assert path.read_text() == f"{WORD}\n\n{WORD}\n\n".replace("a", "b")


def test_a_stream_is_left_open():
    stream = io.BytesIO()
    write([Sentence.from_forms(["a"])], stream)
    assert not stream.closed
