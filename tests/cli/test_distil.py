import re

from tests.neural.learning.tiny import SENTENCES
from treewright.treebank import write


def test_an_encoder_becomes_a_parser_and_teaches_a_student(tmp_path, run):
    (tmp_path / "raw.txt").write_text("".join(" ".join(sentence.forms) + "\n" for sentence in SENTENCES * 40))
    write(SENTENCES * 2, tmp_path / "t.conllu")
    sizes = ("--width", 16, "--layers", 1, "--heads", 2, "--epochs", 1, "--batch", 2, "--device", "cpu")
    done = run("pretrain", "raw.txt", "--treebank", "t.conllu", "--output", "encoder.tw", *sizes)
    assert done.code == 0, done.err
    files = ("--dev", "t.conllu", "--resume", "kept", "--batch-words", 12, "--device", "cpu", "--encoder", "encoder.tw")
    network = ("--scorer", "neural", "--epochs", 2, "--calibrate", "none")
    done = run("train", "t.conllu", "--output", "parser.tw", *network, *files)
    assert done.code == 0, done.err
    assert re.search(r"Saved parser.tw .*, epoch [1-6]: dev LAS", done.err)
    done = run(
        "distil", "--teachers", "parser.tw", "--raw", "raw.txt", "--train", "t.conllu", "--output", "s.tw", *files
    )
    assert done.code == 0, done.err
    assert len(run("parse", "--model", "s.tw", "--text", "Trees grow.").out.splitlines()) == 5


def test_an_encoder_is_no_teacher(tmp_path, run):
    write(SENTENCES, tmp_path / "t.conllu")
    (tmp_path / "raw.txt").write_text("trees grow\n" * 100)
    sizes = ("--width", 16, "--layers", 1, "--heads", 2, "--epochs", 1, "--batch", 1, "--device", "cpu")
    assert run("pretrain", "raw.txt", "--output", "e.tw", "--quiet", *sizes).code == 0
    files = ("--raw", "raw.txt", "--encoder", "e.tw", "--dev", "t.conllu", "--output", "s.tw")
    assert run("distil", "--teachers", "e.tw", *files).fails_with("e.tw has no network that scores trees")
